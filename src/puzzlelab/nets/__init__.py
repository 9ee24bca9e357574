"""Networks: what they are built of, how they are kept, and how searches find them.

Torch is imported here and in `training` alone.
"""

"""Neural networks: architectures, files with weights, and the model that gives searches a prior and an estimate.

Torch is imported here and in `training` alone.
"""

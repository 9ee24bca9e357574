"""From text to boards and back, for the command line, files, the server and Python.

`board_files.py` splits text into boards, and `board_blocks.py` reads many of them at once: as one array where their
notation is plain, else one by one. The package imports `core` alone.
"""

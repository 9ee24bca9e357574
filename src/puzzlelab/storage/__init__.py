"""Data that outlasts a process: files written in one step, and growing files of rows.

Start with `files.py` (files written atomically, locks, lines of JSON) and `row.py`, the schema of one answer in a file
of results. `row_files.py` is a file of rows in any of its forms, and `outputs.py` the files that a command writes.
"""

"""The work of commands on many boards: solve, count, check, verify, generate.

Start with `solve_job.py`, the work of every command that solves, and `job_rows.py`, its rows. Then `checks.py`
(solvable, unique, how hard), `board_generation.py`, and `row_checks.py` with `row_tally.py`, which verify files of
rows. `solve_parts.py` and `count_pieces.py` make pieces of work for executors. `serialise.py` writes
answers as plain data.
"""

"""The work of commands on many boards: solve, count, check, verify, generate.

Start with `solve_job.py`, the work of every command that solves, and `job_rows.py`, its rows. Then `checks.py` (how
many solutions, solvable, unique, how hard), `board_generation.py`, and `row_checks.py` with `row_tally.py`, which
verify files of rows. All of them give their work to an executor as `pieces.py` says; `solve_parts.py` has the pieces
that solve. `serialise.py` writes answers as plain data.
"""

"""The checks that every puzzle and every solver passes; plug-ins use them in their own tests.

Start with `check.py`, which has `check_puzzle` and `check_solver`. The other modules hold the checks of one group of
views each; `calls.py` guards each call of the puzzle.
"""

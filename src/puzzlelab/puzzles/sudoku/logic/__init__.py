"""Solving 9x9 Sudoku as a person does: the techniques, the steps that they find, and how hard a board is by them.

Start with `position`, the board with its candidates, and `steps`, what a technique finds. `techniques` names them all.
Each other module is a family of techniques: a record with its tables, a kernel `find` for it, and the sentences that
explain its steps. `tester` checks that no step removes a candidate of a solution.

This package knows nothing of commands and files.
"""

"""The solvers of Sudoku alone, one method a file, which `core.registry` finds by its name.

`bands` solves, counts and lists 9x9 boards, by formulas on the vectors of the modules `bands` and `bands_kernels` of
this puzzle.
"""

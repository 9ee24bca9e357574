"""The solvers of dust alone, one method a file, which `core.registry` finds by its name.

`halves` proves a solution shortest. It holds for this fall of the cells only: it solves the two halves of a board, left
and right of the centre line, on their own.
"""

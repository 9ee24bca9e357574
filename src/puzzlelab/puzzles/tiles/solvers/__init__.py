"""The solvers of sliding tiles alone, one method a file, which `core.registry` finds by its name.

`lines` solves boards of every size in a second or two, row by row and column by column. It proves nothing, and its
solutions are long.
"""

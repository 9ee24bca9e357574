"""The exact search of dust, which treats the two halves of a board on their own.

It holds for the present rules alone: cells fall down and towards the centre line, so that the halves touch only there.
An edit of these rules in `rules` and `kernels` makes this package wrong.

- `boards_kernels` explains the idea, and numbers the states of a half; `moves_kernels` lists moves,
- `costs_kernels` finds what a half costs to clear,
- `pair_search_kernels` searches over pairs of halves, with the table in `pair_table_kernels`; `solvers.halves` holds
  the arrays of that search.
"""

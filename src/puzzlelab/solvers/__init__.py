"""The general solvers: one method a file, which `core.registry` finds by its name.

- Shortest solutions: `bfs`, `ida`, `astar`, `depth_first`.
- Good solutions, with an estimate or a network: `beam`, `greedy`, `discrepancy`, `uct`.
- Constraints, for Sudoku and exact covers: `backtracking`, `permutation`, `annealing`, `dancing_links`, `sat`,
  `integer`, and `lattice` with a network.
- For comparison, and of several solvers: `random`, `portfolio`.

`X.py` has the settings of the solver and its results, `_X_kernels.py` the record of a search with its kernel `step`,
and other files `_X...` the rest of the method. Files with an underscore that several solvers share: `_candidates`
(constraint propagation) and those that are named after what they do. Start with `dancing_links`, whose search has no
network and no puzzle in it, and then `ida`.

A solver imports `core` and `engine` and knows no puzzle by name: it reaches it through views and kernel names. What
analyses, teaches and measures may import one.
"""

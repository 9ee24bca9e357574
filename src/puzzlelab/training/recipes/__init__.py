"""The recipes: one a file, as `RECIPE`, a value of the class `Recipe` in `training/recipe.py`.

The folder is scanned for them, so that a new file is a new recipe. Start with `cnn.py`, the shortest.

`imitation` learns from a solver; `cnn` and `lattice` from boards with their solutions; `dqn` and `value_iteration` from
games that the network plays itself; `selfplay` from the tree search of several programs in `training/selfplay`.

Each file has the recipe's settings, a check of them, and its task, which defines one training step. A recipe imports
the modules of `training`, and nothing imports a recipe by name but tests.
"""

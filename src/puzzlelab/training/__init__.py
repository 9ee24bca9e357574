"""Training of networks: recipes, the loop and the learner that they share, and the folder of a run.

Start with `recipe.py`, the interface of a recipe, and `loop.py`, which makes the steps, evaluates, saves and publishes.
`learner.py` holds the network and its optimiser; `settings.py` has the settings that recipes share, and `runs.py` the
folder through which the programs of a run work together, two of whose files are described by `train_state.py` and
`metrics.py`.

`recipes/` has one recipe a file. What several of them share lies here: `online_rl.py` for games that the network plays
itself, `solved_boards.py` for boards with their solutions, `policy_value.py` for samples of a teacher or of a search.
`selfplay/` has the programs of self-play, and `programs.py` starts the programs of all runs.

`bench`, `cluster`, `api`, `gym`, `cli` and `web` may import this package. What learns imports torch; what only reads
the folder of a run, or plays games for it, does not.
"""

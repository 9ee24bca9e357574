"""Training data: samples with one schema, their sources, and their storage.

Start with `schema.py`, the columns of samples. They come from several sources: solvers as teachers (`teachers.py`, with
`rollouts.py` and the compiled `fast_rollouts.py`), all states of a small puzzle (`state_space.py`), random walks from
the goal (`walks.py`), many games side by side (`vector_game.py`), and games by tree search (`uct_session.py`).

Samples are stored in shards on disk (`shards.py`; `shard_leases.py` divides them among generators), or in memory in a
ring or a replay buffer (`replay.py`). `curriculum.py` chooses the start boards, `rewards.py` says what a move is worth,
and `histories.py` keeps what came before in running games.

`training`, `bench`, `cluster`, `api`, `gym`, `cli` and `web` may import this package. It imports neither torch nor
`nets`.
"""

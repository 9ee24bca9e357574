"""Questions of users about boards and games, beside solving them, with answers as values or as plain data.

Start with `hints.py`, the cost-to-go after each move. Then:

- games: `game_analysis.py` (the regret of each move), `playback.py` (every position with a lower bound), and
  `bounded_queries.py`, the searches under one limit on which hints and regrets rest;
- boards: `logical_hints.py` and `singles.py`; pasted texts: `pasted.py`;
- answers: `proofs.py` proves claims by another method, and `proof_basis.py` says what a proof rests on;
- networks: `move_probabilities.py`, `network_options.py`, `state_evaluation.py`;
- descriptions as plain data for JSON: `catalog.py`.

The command line, the server, `api.py`, `training` and `experience` import these modules.
Puzzles and solvers do not, and nothing here imports torch.
"""

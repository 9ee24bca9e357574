"""Questions of users about boards and games, beside solving them, with answers as values or as plain data.

Start with `hints.py`, the cost-to-go after each move. Then:

- games: `game_analysis.py` (the regret of each move, every position with a lower bound), and `bounded_queries.py`, the
  searches under one limit on which hints and regrets rest;
- boards: `logical_hints.py`;
- answers: `proofs.py` proves claims by another method, and says what a proof rests on;
- networks: `network_options.py`, and `state_evaluation.py` for estimates, probabilities of moves and values of states;
- descriptions as plain data for JSON: `catalog.py`.

The command line, the server, `api.py`, `training` and `experience` import these modules.
Puzzles and solvers do not, and nothing here imports torch.
"""

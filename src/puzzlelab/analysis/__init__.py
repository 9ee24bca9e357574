"""What users ask about boards and games, beside solving them, with answers as values or as plain data.

Start with `hints.py`, the cost-to-go after each move, and `solve_job.py`, the work of every command that solves. Then:

- games: `game_analysis.py` (the regret of each move), `playback.py` (every position with a lower bound), and
  `bounded_queries.py`, the searches under one limit on which hints and regrets rest;
- boards: `checks.py` (solvable, unique, how hard), `board_generation.py`, `logical_hints.py` and `singles.py`;
- answers: `proofs.py` proves claims by another method, `row_checks.py` and `row_tally.py` check files of rows;
- the same by an executor: `count_pieces.py` and `new_board_pieces.py`;
- networks: `move_probabilities.py`, `network_options.py`;
- descriptions as plain data for JSON: `catalog.py`, `serialise.py`;
- `conformance.py`, the checks that every puzzle and every solver passes; plug-ins use them too.

The command line, the server, `api.py`, `training` and `experience` import these modules.
Puzzles and solvers do not, and nothing here imports torch.
"""

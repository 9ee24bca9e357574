"""Self-play: generators play games, a trainer learns from them, and a referee lets networks compete.

The programs share only the folder of the run (`training/runs.py`), so that each can be killed, restarted, or
run on another machine. Start with `programs.py`, which repeats the work of each of them:

- `generator.py` plays games by tree search, and writes them as shards; `game_log.py` keeps a line for each.
- `trainer.py` learns from the newest shards by the loop of all recipes, and adds candidate networks.
- `referee.py` chooses the next match and the champion; `matches.py` plays it, and `ratings.py` says when it is decided.

`training/programs.py` starts all programs and restarts those that are killed. `status.py` reads the state of a run,
with `heartbeat.py` for what each program does and `ratings.py` for the ratings of networks. The settings are in
`settings.py`. The recipe `selfplay`, `bench` and `cli` import this package.
"""

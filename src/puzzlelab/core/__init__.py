"""The contracts between puzzles, solvers and their users. No module here depends on a particular puzzle or solver.

Start with `puzzle.py` (the rules, an `Instance`), `solver.py` (the contract of a solver, and the functions that run
one) and `verify.py` (the replay that confirms each answer). Then:

- what a puzzle may offer besides its rules: `views.py`, `cover.py`; what a solver may do besides solving one board:
  `solver.py`, `solutions.py`;
- the values of a search: `limit.py`, `result.py`;
- names: `registry.py` finds puzzles and solvers, `networks.py` finds networks through `network_source.py`;
- tools for all layers: `settings.py`, `errors.py`, `arguments.py`, `seeds.py`, `version.py`.

Every layer may import `core`, and `core` imports no other part of the package. The registry loads puzzles and solvers
by their file names when one is requested.
"""

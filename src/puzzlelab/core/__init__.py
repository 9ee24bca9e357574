"""The contracts between puzzles, solvers and their users. No module here depends on a particular puzzle or solver.

Start with `puzzle.py` (the rules), `boards.py` (an `Instance`, and many boards as one array), `solver.py` (the contract
of a solver) and `verify.py` (the replay that confirms each answer). Then:

- what a puzzle may offer besides its rules: `views.py`, `cover.py` (`cover_puzzle.py` makes a puzzle of a cover
  alone); what its solutions minimise: `objective.py`;
- the values of a search: `limit.py`, `result.py`, and `answers.py`, which has the results of many boards as columns;
- names: `registry.py` finds puzzles and solvers by the names of their files;
- tools for all layers: `settings.py`, `errors.py`, `seeds.py`.

Every layer may import `core`, and `core` imports no other part of the package. The registry loads puzzles and solvers
by their file names when one is requested.
"""

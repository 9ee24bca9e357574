"""Benchmarks: run solvers on suites of boards under limits, and show the results as tables and plots.

- `suites` reads and makes suites of boards; those of the package are in `data`;
- `runs` runs the solvers and keeps a row for each answer, so that a run can be continued; `exhaustive` runs them on
  every board of a small puzzle; `board_answers` solves batches of boards, here or by an executor;
- `tables`, `level_table` and `statistics` summarise the answers, with intervals; `caveats` adds notes on them;
- `plots` chooses a kind of plot; `lengths`, `quality`, `times`, `learning` and `selfplay_chart` draw them with the help
  of `charts`;
- `cards` writes results into the cards of networks.

Start reading at `runs`, then `tables`. Only the command line imports this package.
"""

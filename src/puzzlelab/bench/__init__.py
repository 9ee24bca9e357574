"""Benchmarks: run solvers on suites of boards under limits, and show the results as tables and plots.

- `suites` reads and makes suites of boards; those of the package are in `data`;
- `runs` runs the solvers and keeps a row for each answer, so that a run can be continued;
- `summaries` have the results of each solver, with the intervals of `statistics`; `run_tables` shows them as `tables`,
  also by level and of every two solvers; `caveats` adds notes on them;
- `plots` chooses a kind of plot; `lengths`, `curves`, `bars` and `training_charts` have their lines, and `charts` draws
  them;
- `results_report` writes everything into one HTML file, `cards` into the cards of networks.

Start reading at `runs`, then `summaries`. Only the command line imports this package.
"""

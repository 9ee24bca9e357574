"""Benchmarks: run solvers on suites of boards under limits, and show the results as tables and plots.

- `suites` reads and makes suites of boards; those of the package are in `data`;
- `runs` runs the solvers and keeps a row for each answer, so that a run can be continued;
- `summaries` and `level_table` have the results of each solver, with the intervals of `statistics`, as `tables`;
  `caveats` adds notes on them, `comparisons` holds every two solvers against each other;
- `plots` chooses a kind of plot; `lengths`, `curves`, `bars` and `training_charts` draw them with the help of `charts`;
- `results_report` writes everything into one HTML file, `cards` into the cards of networks.

Start reading at `runs`, then `summaries`. Only the command line imports this package.
"""

"""Benchmarks: run solvers on suites of boards under limits, and show the results as tables and plots.

- `suites` reads and makes suites of boards; those of the package are in `data`;
- `runs` runs the solvers and keeps a row for each answer, so that a run can be continued;
- `summaries` have the results of each solver, with intervals; `tables` shows them, also by level and of every two
  solvers; `caveats` adds notes on them;
- `plots` chooses a kind of plot; `lengths`, `curves`, `times` and `training_charts` have their numbers and lines, and
  `charts` draws them;
- `results_report` writes everything into one HTML file, `cards` into the cards of networks.

Start reading at `runs`, then `summaries`. Only the command line imports this package.
"""

from typing import Literal

Batching = Literal["all", "level", "clues", "board"]
"""What the boards of a batch have in common, which a solver such as a network answers together."""

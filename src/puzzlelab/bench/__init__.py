"""Benchmarks: runs solvers on suites of boards under limits, and shows the rows as tables and plots."""

"""Benchmarks: a suite of boards x solvers x a limit -> rows -> tables and plots. No puzzle is known by name."""

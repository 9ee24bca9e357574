"""Benchmarks: a suite of boards x solvers x a limit -> rows -> tables and plots. Nothing here knows a puzzle by name."""

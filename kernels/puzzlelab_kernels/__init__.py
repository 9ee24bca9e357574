"""Holds the folder `pack`, where `puzzlelab` finds kernels that were compiled beforehand; `make kernels` fills it."""

"""`python -m puzzlelab`."""

from puzzlelab.cli.main import run

run()

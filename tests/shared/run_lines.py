"""The lines that a run has written about its training, its games and its matches."""

import json

from puzzlelab.training.metrics import TIME_FIELDS


def untimed(path):
    """The lines of a file without what differs between two runs of one seed."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [{name: value for name, value in line.items() if name not in (*TIME_FIELDS, "date")} for line in lines]

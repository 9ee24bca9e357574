"""Writes src/puzzlelab/web/answers.json: what the API answers about the puzzles of the package.

The server puts these answers into the page, so that a board is drawn before the server has imported a puzzle. Run
`python tools/page_answers.py` after a change of `puzzlelab list`; tests/web/test_bundle.py holds the file to what this
makes.
"""

from __future__ import annotations

import json
from urllib.parse import urlencode

from puzzlelab.analysis import catalog
from puzzlelab.core import registry
from puzzlelab.web.page_files import ANSWERS


def made() -> str:
    """The content of the file: answers by the addresses of their requests, below /api/."""
    everything = catalog.everything()
    answers = {"list": everything}
    for family in everything["puzzles"]:
        name = family["names"][0]
        answers[f"list?{urlencode({'puzzle': name})}"] = catalog.about(registry.load(name))
    answers["list?puzzle=tiles-4x4"] = catalog.about(registry.load("tiles-4x4"))
    return json.dumps(answers, indent=1) + "\n"


if __name__ == "__main__":
    ANSWERS.write_text(made(), encoding="utf-8")

"""Counts of expanded and generated states, lengths, bounds and proofs of every solver, equal to a table.

The table is tests/data/search_counts.json: boards by name, and cases with their answers. A change of the code that is
none of a search leaves all of them equal. Only nodes limit a search, so the answers depend on no clock; networks are
asked only where rounding decides nothing. `python -m tests.solvers.test_search_counts --write` computes the answers of
all cases again, for a wanted change of a search and for a new case, which is a line without answers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.objectives import Runs, Tolls

import puzzlelab

TABLE = Path(__file__).resolve().parents[1] / "data" / "search_counts.json"
TOYS = {"runs": Runs(), "tolls": Tolls(((1, 9, 1, 5), (1, 9, 1, 9), (1, 1, 1, 2)))}
"""Puzzles with scores and costs."""
CONTENT = json.loads(TABLE.read_text(encoding="utf-8"))


def name(case: dict[str, Any]) -> str:
    """A name of the case in the list of tests."""
    options = ",".join(f"{option}={value}" for option, value in case.get("options", {}).items())
    return " ".join([case["ask"], case["solver"], *([options] if options else []), *case["boards"]])


def board(key: str) -> puzzlelab.Instance:
    """The board with this name in the table."""
    puzzle, text = CONTENT["boards"][key]
    return (TOYS.get(puzzle) or puzzlelab.load(puzzle)).read(text)


def answers(case: dict[str, Any]) -> list[list[Any]]:
    """The answers to the boards of a case: the columns are those that the table names."""
    solver = puzzlelab.solver(case["solver"], **case.get("options", {}))
    boards, limit = [board(key) for key in case["boards"]], puzzlelab.Limit(nodes=case.get("nodes"))
    if case["ask"] == "solve many":
        return [row(each) for each in puzzlelab.solve_many(boards, solver, limit, jobs=1)]
    if case["ask"] == "solve":
        return [row(puzzlelab.solve(each, solver, limit)) for each in boards]
    if case["ask"] == "count":
        counts = [puzzlelab.count(each, solver, limit, case.get("most")) for each in boards]
        return [[count.solutions, count.stop, count.expanded] for count in counts]
    listings = [puzzlelab.solutions(each, solver, limit, case.get("most")) for each in boards]
    return [[len(set(listing)), listing.stop] for listing in listings]


def row(result: puzzlelab.Result) -> list[Any]:
    """A result as a row of the table."""
    value = next((each for each in (result.score, result.cost) if each is not None), result.length)
    bound = result.lower_bound if result.upper_bound is None else result.upper_bound
    claims = [result.length, value, bound, result.proof, result.stop]
    return [*claims, result.expanded, result.generated, result.evaluations]


@pytest.mark.parametrize("case", CONTENT["cases"], ids=name)
def test_a_search_counts_as_the_table_says(case: dict[str, Any]) -> None:
    if case["solver"] == "sat":
        pytest.importorskip("pysat")
    assert answers(case) == case["answers"]


def write() -> None:
    """Write the table anew, with the answers of this code: a line for each board and each case."""
    cases = [{**case, "answers": answers(case)} for case in CONTENT["cases"]]
    parts = {
        "columns": [f"    {json.dumps(ask)}: {json.dumps(names)}" for ask, names in CONTENT["columns"].items()],
        "boards": [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in CONTENT["boards"].items()],
        "cases": [f"    {json.dumps(case)}" for case in cases],
    }
    brackets = {"columns": "{}", "boards": "{}", "cases": "[]"}
    texts = [f'  "{key}": {brackets[key][0]}\n' + ",\n".join(parts[key]) + f"\n  {brackets[key][1]}" for key in parts]
    TABLE.write_text("{\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.solvers.test_search_counts --write")
    write()

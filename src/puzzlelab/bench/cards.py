"""Writes what a benchmark found of a network into the network's card, with the command that measures it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from puzzlelab.bench import level_table
from puzzlelab.bench.level_table import LevelRow
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.tables import Summary, references, summary
from puzzlelab.core import networks
from puzzlelab.core.errors import BadInput
from puzzlelab.core.version import VERSION

LEFT_OUT = {"--card": 0, "--out": 1, "--jobs": 1}
"""Words of a command that change nothing in what is measured, each with how many words follow it."""


def note(run: BenchRun, words: Sequence[str]) -> list[Path]:
    """Add the results of every solver that asks a network to the card of that network; the cards that were written.

    `words` are those of the command. What the card says of the same suite and solver goes. Raises `BadInput` where no
    solver asks a network.
    """
    from puzzlelab.nets import checkpoint, model_zoo

    known, written, levels = references(run), [], level_table.found(run)
    for label, answers in run.by_solver.items():
        name = next(networks.named(answers[0].row.options), None)
        if name is None:
            continue
        path = checkpoint.card_path(model_zoo.path_of(run.suite.puzzle, networks.parts(name)[0]))
        card = checkpoint.read_card(path)
        mine = [at for at in levels if at.solver == label]
        entry = _entry(run, summary(_without(label, name), answers, known), mine, answers[0].row.options, words, name)
        same = ("suite_hash", "solver", "max_moves")
        kept = [other for other in card.measured if any(other.get(key) != entry.get(key) for key in same)]
        checkpoint.write_card(path, card.model_copy(update={"measured": [*kept, entry]}))
        written.append(path)
    if not written:
        raise BadInput("--card is for solvers that ask a network, and none of these does")
    return written


def _without(text: str, name: str) -> str:
    """The text with `net` in the place of this network's name, as it is called when it comes with the package; one that
    is there already keeps its name.
    """
    if _shelved(name):
        return text
    averaged = networks.AVERAGED if networks.parts(name)[1] else ""
    return text.replace(name, networks.PREFIX + averaged)


def _shelved(name: str) -> bool:
    """Whether a network of this name comes with the package."""
    path = Path(networks.parts(name)[0])
    return path.name == str(path) and networks.SHELF.joinpath(f"{path}.json").exists()


def _entry(
    run: BenchRun, found: Summary, levels: Sequence[LevelRow], options: dict[str, Any], words: Sequence[str], name: str
) -> dict[str, Any]:
    told: dict[str, Any] = {
        "suite": run.suite.name,
        "suite_hash": run.suite.hash,
        "solver": found.solver,
        "boards": found.solved.total,
        "solved": found.solved.count,
        "moves": round(found.length.value, 4),
        "excess": round(found.excess.value, 4),
        "optimal": round(found.reached.value, 4),
        "levels": {str(at.level): round(at.solved.value, 4) for at in levels} or None,
        "cells": {str(at.level): round(at.cells.value, 4) for at in levels if at.cells.total} or None,
        "seconds": round(found.seconds.value, 6),
        "max_moves": options.get("max_moves"),
        "version": VERSION,
        "command": shlex.join(["puzzlelab", "bench", *_again(words, name)]),
    }
    return {key: value for key, value in told.items() if value is not None and value == value}


def _again(words: Sequence[str], name: str) -> Iterator[str]:
    """The words that measure again, for the network as it comes with the package; files by their names alone."""
    path, left = networks.parts(name)[0], iter(words)
    for word in left:
        if word in LEFT_OUT:
            for _ in range(LEFT_OUT[word]):
                next(left, None)
        elif word == path:
            yield word if _shelved(name) else "best"
        else:
            yield _without(word, name) if name in word else Path(word).name if Path(word).is_file() else word

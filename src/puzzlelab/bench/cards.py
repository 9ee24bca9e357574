"""Writes the results of a benchmark into the card of a network, with the command that repeats the measurement."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.summaries import Summary, summaries
from puzzlelab.bench.tables import Level
from puzzlelab.bench.tables import levels as levels_of
from puzzlelab.core.errors import BadInput
from puzzlelab.core.solver import NETWORK
from puzzlelab.storage import networks
from puzzlelab.version import VERSION

OMITTED_OPTIONS = {"--card": 0, "--out": 1, "--jobs": 1}
"""Options of a command that do not change the results, each with the number of its values."""


def write_cards(run: BenchRun, words: Sequence[str]) -> list[Path]:
    """Add the results of every solver with a network to the card of that network; return the paths of these cards.

    `words` are those of the command. Earlier results of the same suite and solver are replaced. Raises `BadInput` if no
    solver uses a network.
    """
    from puzzlelab.nets import model_zoo
    from puzzlelab.nets.card import CARD, file_of, read_card, write_card

    written, levels = [], levels_of(run)
    for each in summaries(run):
        name = next(networks.named(each.answers[0].row.options), None)
        if name is None:
            continue
        path = file_of(model_zoo.path_of(run.suite.puzzle, networks.parts(name)[0]), CARD)
        card = read_card(path)
        entry = _entry(run, each, levels.get(each.solver, {}), words, name)
        same_run = ("suite_hash", "solver", "max_moves")
        kept = [other for other in card.measured if any(other.get(key) != entry.get(key) for key in same_run)]
        write_card(path, card.model_copy(update={"measured": [*kept, entry]}))
        written.append(path)
    if not written:
        raise BadInput("--card is for solvers that use a network, and none of these does")
    return written


def _without(text: str, name: str) -> str:
    """Return the text with `net` in place of the name of this network; a network of the package keeps its name."""
    if _is_packaged(name):
        return text
    averaged = networks.AVERAGED if networks.parts(name)[1] else ""
    return text.replace(name, NETWORK + averaged)


def _is_packaged(name: str) -> bool:
    """Tell whether a network of this name comes with the package."""
    path = Path(networks.parts(name)[0])
    return path.name == str(path) and networks.SHELF.joinpath(f"{path}.json").exists()


def _entry(
    run: BenchRun, each: Summary, levels: Mapping[int, Level], words: Sequence[str], name: str
) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "suite": run.suite.name,
        "suite_hash": run.suite.hash,
        "solver": _without(each.solver, name),
        "boards": each.solved.total,
        "solved": each.solved.number,
        "moves": round(each.length.value, 4),
        "excess": round(each.excess.value, 4),
        "optimal": round(each.optimal.value, 4),
        "levels": {str(level): round(at.solved.value, 4) for level, (at, _) in levels.items()} or None,
        "cells": {str(level): round(cells.value, 4) for level, (_, cells) in levels.items() if cells.total} or None,
        "seconds": round(each.seconds.value, 6),
        "max_moves": each.answers[0].row.options.get("max_moves"),
        "version": VERSION,
        "command": shlex.join(["puzzlelab", "bench", *_repeat_command(words, name)]),
    }
    return {key: value for key, value in entry.items() if value is not None and value == value}


def _repeat_command(words: Sequence[str], name: str) -> Iterator[str]:
    """Yield the words of the command that repeats the measurement with the network of the package.

    Files without folders.
    """
    path, remaining = networks.parts(name)[0], iter(words)
    for word in remaining:
        if word in OMITTED_OPTIONS:
            for _ in range(OMITTED_OPTIONS[word]):
                next(remaining, None)
        elif word == path:
            yield word if _is_packaged(name) else "best"
        else:
            yield _without(word, name) if name in word else Path(word).name if Path(word).is_file() else word

"""The score sheet of networks on a suite: a column for each network, a line for each measure.

But for the milliseconds, a sheet is the same on every machine where the networks choose the same moves. A board counts
as wrong where a complete answer breaks the rules, and as abstained where there is none.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from puzzlelab.bench.runs import BenchAnswer, BenchRun, label_of
from puzzlelab.bench.summaries import Summary, grouped, has_filled_answers, level_or_optimum, summaries
from puzzlelab.bench.tables import (
    VALUES,
    TextTable,
    decimal,
    interval,
    number,
    only_solution,
    percent,
    right_cells,
    share,
    wrapped_label,
)
from puzzlelab.core.errors import BadInput
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import is_network
from puzzlelab.storage import networks
from puzzlelab.storage.row import Row

MOST_BANDS = 10
"""The most lines of levels."""
UNKNOWN = "not declared"
DECLARED = "training_samples"
"""The metadata entry of an ONNX file in which another program declares how many samples it trained with."""
Lines = Iterator[tuple[str, str]]
"""Pairs of a measure and its value."""


def of_networks(run: BenchRun) -> TextTable | None:
    """Return the score sheet of a run; None unless each of its solvers uses one network."""
    solvers = summaries(run)
    used = [next(networks.named(each.answers[0].row.options), None) for each in solvers]
    names = [name for name in used if name is not None]
    if len(names) < len(solvers) or not names:
        return None
    suite = run.suite
    bands = _by_band(run)
    columns = [
        {
            **dict(_network(suite.puzzle, name, each.answers[0].row)),
            **dict(_results(suite.puzzle, each)),
            **{f"solved at {band}": _at_band(suite.puzzle, at) for band, at in bands.get(each.solver, {}).items()},
        }
        for each, name in zip(solvers, names, strict=True)
    ]
    measures = list(dict.fromkeys(measure for column in columns for measure in column))
    return TextTable(
        f"{suite.name}: {len(suite.entries):,} boards of {suite.puzzle.name}, hash {suite.hash}",
        ("network", *(networks.parts(name)[0] or "best" for name in names)),
        [(measure, *(column.get(measure, "-") for column in columns)) for measure in measures],
    )


# --- the network ---


def _network(puzzle: Puzzle, name: str, row: Row) -> Lines:
    """Yield the solver that uses a network, and what the card of the network says, or its file where it has no card."""
    options = {option: None if is_network(value) else value for option, value in row.options.items()}
    yield "solver", wrapped_label(label_of(row.solver, options))
    yield "hash", row.net or ""
    parameters, samples = _declared(puzzle, networks.parts(name)[0])
    yield "parameters", f"{parameters:,}" if parameters else UNKNOWN
    yield "training samples, declared", f"{samples:,}" if samples else UNKNOWN


def _declared(puzzle: Puzzle, name: str) -> tuple[int, int]:
    """Return the numbers of the parameters and of the training samples of a network, 0 where it does not say so."""
    from puzzlelab.nets import model_zoo, onnx_model, onnx_weights
    from puzzlelab.nets.card import ONNX, file_of

    try:
        path = file_of(model_zoo.path_of(puzzle, name), ONNX)
        data = onnx_weights.read_whole(path)
        network = onnx_model.read_bytes(data, path)
        card = onnx_model.card_of(path, network)
    except BadInput:  # it is gone, or another one, since the rows were made
        return 0, 0
    if card is not None:
        return card.parameters, card.samples
    declared = network.session.get_modelmeta().custom_metadata_map.get(DECLARED, "")
    return onnx_weights.count(data), int(declared) if re.fullmatch("[0-9]{1,18}", declared) else 0


# --- its results ---


def _results(puzzle: Puzzle, each: Summary) -> Lines:
    """Yield what the boards of a suite say of a network."""
    boards = len(each.answers)
    outcomes = Counter(outcome(puzzle, answer) for answer in each.answers)
    yield "boards", f"{boards:,}"
    yield "solved", share(each.solved)
    yield "  share", percent(each.solved, 2)
    yield "  95 % interval", interval(each.solved)
    yield "wrong", f"{outcomes['wrong']:,}"
    yield "abstained", f"{outcomes['abstained']:,}"
    if each.proven.number:
        yield "proven unique" if has_filled_answers(puzzle) else "proven optimal", share(each.proven)
    if each.refuted.number:
        yield "proven unsolvable", share(each.refuted)
    if has_filled_answers(puzzle):
        yield "cells right", percent(right_cells(puzzle, each.answers), 2) or "-"
    else:
        value, distance = VALUES[objective_of(puzzle).kind]
        yield "reached the optimum", percent(each.optimal, 2) or "-"
        yield f"{value}, of the solved", _with_half_width(*each.length)
        yield f"{' '.join(distance.split())}, of the solved", _with_half_width(*each.excess_over_optimum)
    yield "passes a board", f"{each.evaluations:,.1f}"
    yield "states expanded a board", number(each.expanded)
    yield "milliseconds a board", _milliseconds(each.seconds.value)
    median, slow = each.percentiles[1::2]
    if not math.isnan(median):
        yield "  median, 95th percentile", f"{_milliseconds(median)}, {_milliseconds(slow)}"


def _milliseconds(seconds: float) -> str:
    return "-" if math.isnan(seconds) else f"{1000 * seconds:.3g}"


def outcome(puzzle: Puzzle, answer: BenchAnswer) -> str:
    """Return how a board ended: solved, unsolvable, wrong or abstained."""
    row = answer.row
    if answer.length is not None:
        return "solved"
    if answer.holds and row.proof == "unsolvable":
        return "unsolvable"
    if row.moves is not None:
        return "wrong"
    is_full = has_filled_answers(puzzle) and len(row.tried or ()) >= len(only_solution(puzzle.name, row.board)) > 0
    return "wrong" if is_full else "abstained"


def _with_half_width(value: float, half_width: float) -> str:
    return decimal(value) + ("" if math.isnan(half_width) else f" ± {half_width:.2f}")


# --- levels ---


def _by_band(run: BenchRun) -> Mapping[str, Mapping[str, Summary]]:
    """Map each solver to its results by levels, of which neighbours are put together where there are many."""
    level_of = level_or_optimum(run)
    levels = {level for answer in run.answers if (level := level_of(answer)) is not None}
    if len(levels) < 2:
        return {}
    least, width = min(levels), -(-(max(levels) - min(levels) + 1) // MOST_BANDS)

    def band(answer: BenchAnswer) -> tuple[str, int] | None:
        return None if (level := level_of(answer)) is None else (answer.solver, (level - least) // width)

    def name(place: int) -> str:
        first = least + place * width
        last = min(first + width - 1, max(levels))
        return f"{first}-{last}" if last > first else f"{first}"

    return {solver: {name(place): at for place, at in places.items()} for solver, places in grouped(run, band).items()}


def _at_band(puzzle: Puzzle, at: Summary) -> str:
    """Return the share solved at some levels, and what the solutions take above the optimum."""
    solved = percent(at.solved, 1)
    excess = at.excess_over_optimum.value
    return solved if has_filled_answers(puzzle) or math.isnan(excess) else f"{solved}, + {excess:.2f}"

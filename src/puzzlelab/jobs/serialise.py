"""Hints, regrets, counts and boards as plain data for JSON, which the command line prints and the server sends."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.logic import Rating, Step, write_elimination
from puzzlelab.core.puzzle import Puzzle, State, names_of
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import candidates_view, scale_of
from puzzlelab.version import VERSION

if TYPE_CHECKING:
    from puzzlelab.analysis.bounded_queries import Interval, MoveValue
    from puzzlelab.analysis.count_estimates import CountEstimate
    from puzzlelab.analysis.game_analysis import Analysis
    from puzzlelab.analysis.hints import Hint
    from puzzlelab.analysis.logical_hints import LogicalHint
    from puzzlelab.analysis.true_candidates import TrueCandidates
    from puzzlelab.analysis.unavoidable_sets import UnavoidableSet
    from puzzlelab.core.boards import Boards
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.result import Count

Facts = dict[str, Any]
T = TypeVar("T")


def error_facts(puzzle: Puzzle, board: str, error: object) -> Facts:
    """Return the input text of a board that cannot be used, and the error."""
    return {"puzzle": puzzle.name, "board": board, "error": str(error)}


def hint_row(
    instance: Instance,
    moves: Sequence[int],
    solver: Solver,
    limit: Limit,
    hint: Hint | LogicalHint,
    removed: Sequence[int] = (),
) -> Facts:
    """Return a hint at the position after these moves as plain data, with its question, its solver and its costs."""
    from puzzlelab.analysis.logical_hints import LogicalHint

    if isinstance(hint, LogicalHint):
        question = position_facts(instance, moves, removed)
        return {**question, "solver": solver.name, **deduction_facts(hint)}
    return {**_question(hint.instance, solver, limit), **hint_facts(hint), **_work(hint)}


def game_row(instance: Instance, solver: Solver, limit: Limit, analysis: Analysis) -> Facts:
    """Return the analysis of a game as plain data, with its board, its solver and its costs."""
    return {**_question(instance, solver, limit), **game_facts(instance.puzzle, analysis), **_work(analysis)}


def _question(instance: Instance, solver: Solver, limit: Limit) -> Facts:
    puzzle = instance.puzzle
    return {
        "puzzle": puzzle.name,
        "board": puzzle.write(instance.state),
        "solver": solver.name,
        "options": solver.options_for(puzzle),
        "limit": vars(limit),
        "version": VERSION,
    }


def position_facts(instance: Instance, moves: Sequence[int], removed: Sequence[int]) -> Facts:
    """Return a board, the moves of a game on it, and the candidates that were ruled out, as plain data."""
    puzzle = instance.puzzle
    facts = {"puzzle": puzzle.name, "board": puzzle.write(instance.state), "moves": names_of(puzzle, moves)}
    return facts | {"eliminations": [write_elimination(puzzle, candidate) for candidate in removed]}


def _work(outcome: Hint | Analysis) -> Facts:
    return {"stop": outcome.stop, "expanded": outcome.expanded, "seconds": round(outcome.seconds, 6)}


def hint_facts(hint: Hint) -> Facts:
    """Return a hint as plain data."""
    puzzle = hint.instance.puzzle

    def facts(value: MoveValue) -> Facts:
        return {"move": puzzle.write_move(value.move), **_range(value.needed), "regret": _range(value.regret)}

    return {
        **_range(hint.needed),
        "reason": hint.reason,
        "best": [puzzle.write_move(move) for move in hint.best],
        "best_proven": hint.best_proven,
        "all_proven": hint.proven,
        "moves": [facts(value) for value in hint.moves],
    }


def deduction_facts(hint: LogicalHint) -> Facts:
    """Return the next step of logic with the reason as plain data."""
    puzzle = hint.instance.puzzle
    missing = [write_elimination(puzzle, candidate) for candidate in hint.missing]
    return {
        "best": [] if hint.best is None else [puzzle.write_move(hint.best)],
        "forced": hint.forced,
        "why": hint.why,
        "step": None if hint.step is None else step_facts(puzzle, hint.step),
        "cells": [candidates_view(puzzle).write_cell(cell) for cell in hint.cells],
        "wrong": names_of(puzzle, hint.wrong) + missing,
        "reason": hint.reason,
        "unique": hint.unique,
    }


def step_facts(puzzle: Puzzle, step: Step) -> Facts:
    """Return a step of logic as plain data; the ends of links are places of `nodes`."""
    view, write = candidates_view(puzzle), puzzle.write_move
    return {
        "technique": step.technique,
        "title": step.title,
        "rating": step.rating,
        "sentence": step.sentence,
        "placements": names_of(puzzle, step.placements),
        "eliminations": [write_elimination(puzzle, candidate) for candidate in step.eliminations],
        "cells": [{"cell": view.write_cell(cell), "role": role} for role, cell in step.cells],
        "candidates": [{"candidate": write(candidate), "role": role} for role, candidate in step.candidates],
        "units": [{"unit": view.units.name(unit), "role": role} for role, unit in step.units],
        "nodes": [{"candidates": names_of(puzzle, node.candidates), "on": node.is_on} for node in step.nodes],
        "links": [{"start": link.start, "end": link.end, "strong": link.is_strong} for link in step.links],
    }


def steps_row(instance: Instance, steps: Sequence[Step], reason: str) -> Facts:
    """Return the steps that are possible on a board as plain data, or the reason why there are none."""
    from puzzlelab.analysis.logic_steps import logic_of

    puzzle = instance.puzzle
    scale = next(iter(logic_of(puzzle).scales), None)
    facts = {"puzzle": puzzle.name, "board": puzzle.write(instance.state), "scale": scale}
    return facts | {"steps": [step_facts(puzzle, step) for step in steps], "reason": reason}


def rating_facts(rating: Rating) -> Facts:
    """Return a rating as plain data, without what its scale does not have; boards without a rating have a reason."""
    numbers = {"rating": rating.rating, "pearl": rating.pearl, "diamond": rating.diamond}
    facts = numbers | {"level": rating.level, "score": rating.score, "hardest": rating.hardest}
    known = {name: value for name, value in facts.items() if value is not None}
    return {"scale": rating.scale, **known, "techniques": dict(rating.techniques), "reason": rating.reason}


def game_facts(puzzle: Puzzle, analysis: Analysis) -> Facts:
    """Return the analysis of a game as plain data; `first_mistake` is the number of a move, from 1."""

    def facts(step: MoveValue) -> Facts:
        ranges = {"before": _range(step.before), "after": _range(step.after), "regret": _range(step.regret)}
        return {"move": puzzle.write_move(step.move), **ranges}

    return {
        "regret": _range(analysis.total),
        "all_proven": analysis.proven,
        "first_mistake": None if analysis.first_mistake is None else analysis.first_mistake + 1,
        "continuation": names_of(puzzle, analysis.continuation),
        "steps": list(map(facts, analysis.steps)),
    }


def _range(bounds: Interval) -> Facts:
    """Return an interval as plain data; `length` is its upper bound."""
    facts = {"length": bounds.most, "lower_bound": None if bounds.unsolvable else bounds.least, "proven": bounds.proven}
    return facts | ({"unsolvable": True} if bounds.unsolvable else {})


def count_facts(count: Count) -> Facts:
    """Return the number of solutions of a board; `complete` says whether these are all."""
    facts = {"solutions": count.solutions, "complete": count.complete, "stop": count.stop}
    return facts if count.length is None else facts | {"length": count.length}


def estimate_facts(estimate: CountEstimate) -> Facts:
    """Return an estimate of the number of solutions as plain data; null stands for numbers that are not known."""
    numbers = {name: getattr(estimate, name) for name in ("solutions", "standard_error", "low", "high")}
    known = {name: number if math.isfinite(number) else None for name, number in numbers.items()}
    return {**known, "probes": estimate.probes, "exact": estimate.is_exact, "stop": estimate.stop}


def candidates_facts(board: Instance, found: TrueCandidates, apart: UnavoidableSet | None) -> Facts:
    """Return the true candidates of a board as plain data, and the smallest set in which two solutions differ."""
    from puzzlelab.analysis.true_candidates import candidate_texts
    from puzzlelab.analysis.unavoidable_sets import unavoidable_facts

    puzzle, undecided = board.puzzle, np.flatnonzero(found.undecided.reshape(-1)).tolist()
    return {
        "puzzle": puzzle.name,
        "board": puzzle.write(board.state),
        "solutions": found.solutions,
        "candidates": candidate_texts(puzzle, found.possible),
        "open": [candidates_view(puzzle).write_cell(cell) for cell in found.open_cells],
        "undecided": names_of(puzzle, undecided),
        "stop": found.stop,
        "difference": None if apart is None else unavoidable_facts(puzzle, apart),
    }


def json_lines(boards: Boards, values: Sequence[T], facts: Callable[[T], Facts]) -> list[str]:
    """Return each of these boards and the `facts` of its value in JSON, a line each; equal values share their text."""
    begin, ends = f'{{"puzzle": {json.dumps(boards.puzzle.name)}, "board": ', dict[T, str]()
    for value in values:
        if value not in ends:
            ends[value] = json.dumps(facts(value))[1:]
    return [
        f"{begin}{encode_basestring_ascii(text)}, {ends[value]}"
        for text, value in zip(boards.written(), values, strict=True)
    ]


def board_facts(
    puzzle: Puzzle, boards: Iterable[State], scale: str | None, level: str | None, seed: int
) -> Iterator[Facts]:
    """Yield new boards from `jobs.board_generation`, each with its settings and its number from 1."""
    name, _ = scale_of(puzzle, scale)
    for number, board in enumerate(boards, start=1):
        settings = {"scale": name, "level": level, "seed": seed, "number": number}
        yield {"puzzle": puzzle.name, "board": puzzle.write(board), **settings}

"""What a network is examined by while it learns: boards to play, with the known truth, and a teacher's samples.

Neither the boards nor the games of the samples are ones that it learns from.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from puzzlelab.analysis.network_options import with_options
from puzzlelab.core import registry
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.core.solver import Solver, solve, solve_all, usual_solver
from puzzlelab.core.views import scale_of
from puzzlelab.engine import report
from puzzlelab.engine.parallel import ordered_map
from puzzlelab.experience.curriculum import scrambled
from puzzlelab.experience.schema import TrainingSamples
from puzzlelab.nets.model import Model
from puzzlelab.training.runs import Run

EXAM = 2
"""The branch of the run's seed that makes boards to play."""
Figures = dict[str, float]


class EvalSettings(Settings):
    """How often a network is examined, and by what."""

    every: int = Field(default=1000, ge=1)
    """Steps between two examinations."""
    boards: int = Field(default=200, ge=0)
    """Boards that are played, by"""
    solver: str = "greedy"
    """this solver, such as `greedy` or `lattice:restarts=0`, with the network as its estimate or its prior."""
    scale: str | None = None
    levels: tuple[int, ...] = ()
    """Levels on that scale, which come up in turn."""
    shifts: int = Field(default=0, ge=0)
    """Above 0, boards are scrambled by so many random moves instead, for puzzles that make none of their own."""
    max_moves: int = Field(default=1000, ge=1)
    """Where greedy play gives up."""
    by: Literal["", "estimate", "prior"] = ""
    """What greedy play goes by: the remaining moves, the scores of moves, or whichever of them there is."""
    games: int = Field(default=500, ge=0)
    """Games of the teacher that samples are taken from."""
    truth: bool = True
    """Whether the puzzle's usual solver proves how few moves the boards need."""
    seconds: float = Field(default=60.0, gt=0)
    """For each of these proofs."""


@dataclass(frozen=True)
class Evaluator:
    """Boards to play, and how few moves they need as far as that is known."""

    puzzle: Puzzle
    states: tuple[State, ...]
    least: tuple[int | None, ...]

    def figures(self, model: Model, exam: EvalSettings) -> Figures:
        """How play by the network does."""
        by = exam.by or ("estimate" if "cost_to_go" in model.heads else "prior")
        view = {"estimate": model.estimate()} if by == "estimate" else {"prior": model.prior()}
        played = registry.parse_solver(exam.solver)
        most = {"max_moves": exam.max_moves} if "max_moves" in played.options() else {}
        solver = with_options(played, {**view, **most})
        instances = [Instance(self.puzzle, state) for state in self.states]
        results = solve_all(solver, instances, Limit())
        lengths = [result.length for result in results if result.length is not None]
        found: Figures = {"solved": len(lengths) / len(results)}
        if lengths:
            found["moves"] = float(np.mean(lengths))
        both = [
            (r.length, n) for r, n in zip(results, self.least, strict=True) if r.length is not None and n is not None
        ]
        if both:
            found["least"] = float(np.mean([least for _, least in both]))
            found["excess"] = float(np.mean([length - least for length, least in both]))
        return found


def boards(puzzle: Puzzle, exam: EvalSettings, seed: int, run: Run) -> Evaluator:
    """The boards of an examination; proofs that the run's folder holds are not made again."""
    states = tuple(_board(puzzle, exam, generator(seed, EXAM, number), number) for number in range(exam.boards))
    return Evaluator(puzzle, states, _least(puzzle, states, exam, run) if exam.truth else (None,) * len(states))


def _board(puzzle: Puzzle, exam: EvalSettings, random: np.random.Generator, number: int) -> State:
    if exam.shifts:
        board: State = scrambled(puzzle, np.array([exam.shifts]), random)[0]
        return board
    level = exam.levels[number % len(exam.levels)] if exam.levels else None
    return scale_of(puzzle, exam.scale)[1].sample(random, level)


def _least(puzzle: Puzzle, states: tuple[State, ...], exam: EvalSettings, run: Run) -> tuple[int | None, ...]:
    path = run.folder / "truth.json"
    names = [puzzle.write(state) for state in states]
    held: dict[str, int | None] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    open_ = [state for name, state in zip(names, states, strict=True) if name not in held]
    if open_:
        name, options = usual_solver(puzzle)
        solver = registry.make_solver(name, options)
        for number, (board, least) in enumerate(_prove(solver, puzzle, open_, exam.seconds), start=1):
            held[board] = least
            report.progress("proving the optimum of the boards to examine by", number, len(open_))
        run.write(path, json.dumps(held) + "\n")
    return tuple(held[name] for name in names)


def _prove(solver: Solver, puzzle: Puzzle, states: list[State], seconds: float) -> Any:
    """Each board with its optimum, None where it was not proven in time."""

    def prove(state: State) -> tuple[str, int | None]:
        result = solve(solver, Instance(puzzle, state), Limit(seconds=seconds))
        return puzzle.write(state), result.length if result.proof in ("optimal", "unique") else None

    return ordered_map(prove, states)


def against_teacher(model: Model, samples: TrainingSamples) -> Figures:
    """How far the network is from a teacher: `error`, the root of the mean square of its remaining moves, `bias`, their
    mean error, and `agreement`, the share of positions where its best move is one of the teacher's.
    """
    found: Figures = {}
    if "cost_to_go" in model.heads:
        error = model.cost_to_go(samples.state) - samples.remaining
        found = {"error": float(np.sqrt(np.mean(error**2))), "bias": float(np.mean(error))}
    if "policy" in model.heads:
        best = model.log_policy(samples.state).argmax(axis=1)
        found["agreement"] = float(np.mean(samples.masks(model.puzzle.move_count)[np.arange(len(best)), best]))
    return found

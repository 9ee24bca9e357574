"""Evaluation of a network during training: greedy play on fixed boards, and comparison with a teacher's samples.

Neither the boards nor the samples are trained on.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.analysis.network_options import with_options
from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.registry import usual_solver
from puzzlelab.core.result import Result
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Adjustable, Settings
from puzzlelab.core.solver import Solver, is_network, require
from puzzlelab.core.views import Estimates, check_level, scale_of
from puzzlelab.engine import report
from puzzlelab.engine.parallel import ordered_map
from puzzlelab.engine.solving import solve, solve_all, uninterrupted
from puzzlelab.experience.curriculum import scrambled
from puzzlelab.experience.schema import TrainingSamples
from puzzlelab.nets.model import Model
from puzzlelab.storage import networks
from puzzlelab.training.runs import Run

EVALUATION, OTHER_BOARDS = 2, 9
"""The branches of the run's seed that sample the boards of evaluations, and those that measure the result of a run."""
Metrics = dict[str, float]


class EvalSettings(Settings):
    """The times and the ways in which a network is evaluated."""

    every: Adjustable[int] = Field(default=1000, ge=1)
    """Steps between two evaluations."""
    patience: Adjustable[int] = Field(default=0, ge=0)
    """Evaluations in a row without a better network than the best one, after which training ends; 0: it never does."""
    boards: Adjustable[int] = Field(default=200, ge=0)
    """The number of boards to play."""
    solver: Adjustable[str] = "greedy"
    """The solver that plays them with the network, such as `greedy` or `lattice:restarts=0`."""
    scale: Adjustable[str | None] = None
    """The difficulty scale that the boards are sampled from; None: the puzzle's main one."""
    levels: Adjustable[tuple[int, ...]] = ()
    """Levels on that scale, taken in turn; none: boards of every level."""
    scramble_length: Adjustable[int] = Field(default=0, ge=0)
    """The number of random moves from the goal that make a board instead, if above 0, for puzzles without a scale."""
    max_moves: Adjustable[int] = Field(default=1000, ge=1)
    """The move limit of greedy play."""
    guide: Adjustable[Literal["", "estimate", "prior"]] = ""
    """The output of the network that guides the solver: the remaining moves (`estimate`) or the scores of moves
    (`prior`); empty: the estimate if the network has one.
    """
    teacher_games: Adjustable[int] = Field(default=500, ge=0)
    """The number of the teacher's games whose positions the network is compared on."""
    prove_optimum: Adjustable[bool] = True
    """Whether the puzzle's usual solver proves the fewest moves of each board."""
    proof_seconds: Adjustable[float] = Field(default=60.0, gt=0)
    """The time limit of each proof."""
    all_proofs_seconds: Adjustable[float] = Field(default=300.0, gt=0)
    """The time limit of all proofs together; the optimum of the remaining boards is not known then."""

    @property
    def manner(self) -> dict[str, Any]:
        """The settings of the boards, and of how they are played."""
        return self.model_dump(
            mode="json", include={"boards", "solver", "scale", "levels", "scramble_length", "max_moves", "guide"}
        )


class BestNetwork(Settings):
    """The best network of a run by its evaluations so far, the first one of equally good ones."""

    network: str
    """Its hash."""
    step: int
    """The steps after which it was evaluated."""
    score: tuple[float, float]
    """See `score_of`."""
    manner: dict[str, Any]
    """The boards of the evaluation, and how they are played: scores of other ones are not compared."""
    worse_since: int = 0
    """Evaluations since then, of which none was better."""


def score_of(evaluated: Metrics) -> tuple[float, float]:
    """Return the score of a network from the results of its evaluation; more is better.

    More boards solved are better; where as many are solved, fewer moves, a lower cost or a higher score, as the mean of
    these boards.
    """
    costs = evaluated.get("moves", evaluated.get("cost", 0.0))
    return evaluated["solved"], evaluated.get("score", -costs)


class Evaluator:
    """The boards of an evaluation, and the optimum of each where it is proven: moves, cost, or minus the score."""

    def __init__(
        self,
        puzzle: Puzzle,
        settings: EvalSettings,
        seed: int,
        run: Run,
        watch: Callable[[], None] = lambda: None,
        branch: int = EVALUATION,
    ) -> None:
        """Make boards, the same for the same seed and its branch; proofs are cached in the run's folder.

        `watch` is called again and again, and may raise `KeyboardInterrupt`; the proofs so far are kept.
        """
        self.puzzle, self.settings = puzzle, settings
        random_states = (generator(seed, branch, number) for number in range(settings.boards))
        self.states = [_board(puzzle, settings, random, number) for number, random in enumerate(random_states)]
        proven = _optima(puzzle, self.states, settings, run, watch) if settings.prove_optimum else {}
        self.optima = _numbers(proven.get(puzzle.write(state)) for state in self.states)
        """`float64[B]`; NaN where it is not known."""

    def evaluate(self, model: Model, prefers_prior: bool = False, watch: Callable[[], None] = lambda: None) -> Metrics:
        """Return `solved`, the share of boards solved; the means of `moves`, of the optimum (`least`) and of the
        `excess`.

        Where moves have costs or points, `cost` or `score` takes the place of `moves`, and for a score `most` that of
        `least`; the excess is the cost above the optimum, or the points below it.

        Where the settings name no guide, the network is asked for its estimate, if it has one, or for its prior; with
        `prefers_prior` for its prior, if it has one, or for its estimate. `watch` is called again and again, and may
        raise `KeyboardInterrupt`.
        """
        solver, kind = solver_with(model, self.settings, prefers_prior), objective_of(self.puzzle).kind
        results = solve_watched(solver, [Instance(self.puzzle, state) for state in self.states], watch)
        objectives = _numbers(result.objective for result in results)
        is_solved, sign = np.isfinite(objectives), -1 if kind == "score" else 1
        is_known = is_solved & np.isfinite(self.optima)
        metrics: Metrics = {"solved": float(is_solved.mean())}
        if is_solved.any():
            metrics[kind] = sign * float(objectives[is_solved].mean())
        if is_known.any():
            metrics["most" if kind == "score" else "least"] = sign * float(self.optima[is_known].mean())
            metrics["excess"] = float((objectives - self.optima)[is_known].mean())
        return metrics


def solver_with(model: Model, settings: EvalSettings, prefers_prior: bool = False) -> Solver:
    """Return the solver of an evaluation, with this network; raises `BadInput` where they do not fit."""
    by_prior = "policy" in model.heads if prefers_prior else "cost_to_go" not in model.heads
    guide = settings.guide or ("prior" if by_prior else "estimate")
    option = {"estimate": model.estimate()} if guide == "estimate" else {"prior": model.prior()}
    solver = registry.parse_solver(settings.solver)
    limit = {"max_moves": settings.max_moves} if "max_moves" in solver.options() else {}
    return with_options(solver, {**option, **limit})


def check_evaluation(settings: EvalSettings, model: Model, prefers_prior: bool = False) -> None:
    """Raise `BadInput` for an evaluation that cannot be made with a network of this form."""
    if not settings.boards:
        return
    check_player(solver_with(model, settings, prefers_prior), model.puzzle)
    if settings.scramble_length:
        scrambled(model.puzzle, np.array([1]), np.random.default_rng(0))
        return
    name, scale = scale_of(model.puzzle, settings.scale)
    for level in settings.levels:
        check_level(model.puzzle, name, scale, level)


def check_player(solver: Solver, puzzle: Puzzle) -> None:
    """Raise `BadInput` for a solver that cannot play this puzzle, or names an estimate or a network that is missing."""
    require(solver, puzzle)
    values, estimates = solver.values(), puzzle.view(Estimates)
    for option in ("estimate", "prior"):
        name = values.get(option)
        if isinstance(name, str) and is_network(name):
            networks.find(puzzle, name)
        elif isinstance(name, str) and option == "estimate" and estimates is not None:
            estimates.estimate(name)
    for part in solver.solvers:
        check_player(part, puzzle)


def _numbers(values: Iterable[int | None]) -> NDArray[np.float64]:
    """Return whole numbers as an array, with NaN for None."""
    return np.array([np.nan if value is None else value for value in values], np.float64)


def solve_watched(solver: Solver, boards: Sequence[Instance], watch: Callable[[], None]) -> list[Result]:
    """Return the verified results for boards; `watch` is called again and again, and may raise."""

    def over() -> bool:
        watch()
        return False

    return [uninterrupted(result) for result in solve_all(solver, boards, Limit(), over)]


def _board(puzzle: Puzzle, settings: EvalSettings, random: np.random.Generator, number: int) -> State:
    board: State
    if settings.scramble_length:
        board = scrambled(puzzle, np.array([settings.scramble_length]), random)[0]
        return board
    level = settings.levels[number % len(settings.levels)] if settings.levels else None
    board = scale_of(puzzle, settings.scale)[1].sample(random, level, 1)[0]
    return board


def _optima(
    puzzle: Puzzle, states: list[State], settings: EvalSettings, run: Run, watch: Callable[[], None]
) -> dict[str, int | None]:
    """Return the proven optimum of each board by its text, None where it is not proven in time."""
    path = run.folder / "truth.json"
    boards = [puzzle.write(state) for state in states]
    optima = _read_optima(path)
    unproven = [state for board, state in zip(boards, states, strict=True) if board not in optima]
    if unproven:
        name, options = usual_solver(puzzle)
        solver = registry.make_solver(name, options)
        proofs = _prove(solver, puzzle, unproven, settings, watch)
        try:
            for number, (board, optimum) in enumerate(proofs, start=1):
                optima[board] = optimum
                report.progress("proving the optimum of the evaluation boards", number, len(unproven))
        finally:
            run.write(path, json.dumps(optima) + "\n")
        missing = sum(optima[board] is None for board in boards)
        if missing:
            report.note(
                f"the optimum of {missing} of {len(boards)} evaluation boards is not proven in time; "
                "`evaluation.proof_seconds` and `evaluation.all_proofs_seconds` set the limits"
            )
    return optima


def _read_optima(path: Path) -> dict[str, int | None]:
    """Return the proofs that are kept in a file; none if it is missing or damaged: they are made again."""
    try:
        optima = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        optima = None
    if not isinstance(optima, dict) or not all(optimum is None or type(optimum) is int for optimum in optima.values()):
        report.note(f"{path} is damaged: the optima are proven again")
        return {}
    return optima


def _prove(
    solver: Solver, puzzle: Puzzle, states: list[State], settings: EvalSettings, watch: Callable[[], None]
) -> Iterator[tuple[str, int | None]]:
    """Return each board with its optimum, None where it was not proven in time."""
    stop, end = threading.Event(), time.perf_counter() + settings.all_proofs_seconds

    def prove(state: State) -> tuple[str, int | None]:
        seconds = min(settings.proof_seconds, end - time.perf_counter())
        if seconds <= 0:
            return puzzle.write(state), None
        limit = Limit(seconds=seconds)
        result = uninterrupted(solve(solver, Instance(puzzle, state), limit, lambda attempt: stop.is_set()))
        return puzzle.write(state), result.objective if result.proof in ("optimal", "unique") else None

    return ordered_map(prove, states, on_interrupt=stop.set, watch=watch)


def compare_with_teacher(model: Model, samples: TrainingSamples) -> Metrics:
    """Return the distance from a teacher: `error`, the root mean square error of the remaining moves, `bias`, their
    mean error, and `agreement`, the share of positions where the network's best move is one of the teacher's.
    """
    metrics: Metrics = {}
    if "cost_to_go" in model.heads:
        error = model.cost_to_go(samples.state) - samples.remaining
        metrics = {"error": float(np.sqrt(np.mean(error**2))), "bias": float(np.mean(error))}
    if "policy" in model.heads:
        best = model.log_policy(samples.state).argmax(axis=1)
        correct = samples.masks(model.puzzle.move_count)[np.arange(len(best)), best]
        metrics["agreement"] = float(np.mean(correct))
    return metrics

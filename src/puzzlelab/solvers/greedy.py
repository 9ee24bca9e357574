"""Greedy play: at each position the move that looks best, by an estimate of what it leads to, or by a prior.

Without any option it goes by the network for the puzzle, which says of each board that can be reached how many moves
remain. Nothing is searched: play that comes back to a board goes in circles for ever, and is ended there.

Shapes: G = games, R = rows of a batch, M as in `engine.kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core import networks
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.result import Proof, Result, Stop, moves_in_words
from puzzlelab.core.solver import (
    Attempt,
    BatchSolver,
    NamesOptions,
    Selective,
    SolverSettings,
    chosen_estimate,
    chosen_prior,
)
from puzzlelab.core.views import Estimate, KernelRules, Prior
from puzzlelab.engine.driver import Drive, Machine, played, prior_scorer, scorer, tables_of
from puzzlelab.engine.interpreted_kernels import rules_of, runner
from puzzlelab.engine.kernels import REQUESTED
from puzzlelab.solvers import _greedy_kernels
from puzzlelab.solvers._greedy_kernels import GreedyRecord, Policy
from puzzlelab.solvers.beam import BESIDE_ESTIMATE

ROWS = 1 << 16
"""States that are scored at once, at most."""
SCORES = 1 << 22
"""Scores of one batch, at most: a prior has one for each move of a state."""
FIRST_MOVES = 64
"""Moves of a game that there is room for at first."""


def machine(
    instances: Sequence[Instance],
    guide: Estimate | Prior,
    rules: KernelRules,
    most: int,
    nodes: int,
    avoids: bool,
    beside: float | None = None,
) -> Machine:
    """The games from these boards of one puzzle, for at most `most` moves and `nodes` positions each.

    With `beside`, a prior is asked beside the estimate, and moves that are less than so many times as likely as the
    best are not looked at.
    """
    games, moves = len(instances), instances[0].puzzle.move_count
    policy = isinstance(guide, Prior)
    rows = min(games, ROWS, 1 + SCORES // moves) if policy else max(moves, min(games * moves, ROWS))
    memo = 1 if isinstance(guide, Prior) else guide.memo
    record = GreedyRecord(
        rules.tables,
        Policy() if isinstance(guide, Prior) else tables_of(guide, rules),
        np.zeros(16, np.int64),
        np.empty(games, np.int32),
        rules.encode(np.stack([instance.state for instance in instances])).astype(rules.dtype),
        np.zeros(games, np.int8),
        np.zeros(games, np.int32),
        np.zeros(games, np.int32),
        np.zeros(games, np.int32),
        np.empty((games, min(most, FIRST_MOVES)), np.int32),
        np.full(games, _greedy_kernels.NOWHERE, np.int32),
        np.empty(games, np.float64),
        np.zeros((games, 4), np.int64),
        np.empty((rows, rules.size), rules.dtype),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows * moves if policy else max(rows, moves), np.float64),
        np.zeros((1, 1) if beside is None else (games, moves), np.float64),
        np.array([BESIDE_ESTIMATE, np.log(beside) if beside else -np.inf]),
        *_memory(16 * games),
        np.empty(moves, np.int32),
        np.empty(rules.words, np.uint64),
        np.empty(memo, np.int64),
        np.empty(memo, np.int64),
    )
    record.control[_greedy_kernels.MOST], record.control[_greedy_kernels.NODES] = most, nodes
    record.control[_greedy_kernels.AVOIDS], record.control[_greedy_kernels.WEIGHS] = avoids, beside is not None
    record.control[_greedy_kernels.ADMISSIBLE] = isinstance(guide, Estimate) and guide.admissible
    return Machine(record, runner(_greedy_kernels.step, rules), _no_moves, grown, _no_verdict, requests)


def _memory(boards: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Room for so many boards that were there."""
    size = 1 << int(np.ceil(np.log2(boards / _greedy_kernels.LOAD)))
    return np.zeros(size, np.uint64), np.zeros(size, np.int32)


def requests(record: GreedyRecord) -> State:
    """The working states `[R, S]` that wait for scores."""
    return record.rows[: record.control[REQUESTED]]


def grown(record: GreedyRecord, room: int) -> Any:
    """Room for twice the moves, and for the boards that they lead to; None where that is too much."""
    if 2 * record.made.nbytes + 2 * (record.seen.nbytes + record.when.nbytes) > room:
        return None
    seen, when = _memory(int(2 * _greedy_kernels.LOAD * record.seen.size))
    _greedy_kernels.remember_all(seen, when, record.seen, record.when)
    made = np.concatenate([record.made, np.empty_like(record.made)], axis=1)
    return record._replace(made=made, seen=seen, when=when)


def _no_moves(record: GreedyRecord) -> list[int]:
    """No game ends before the others: see `results`."""
    return []


def _no_verdict(record: GreedyRecord) -> tuple[Proof, str, Stop]:
    """All games are over: see `results`."""
    return "none", "", "done"


def results(drive: Drive, stop: Stop) -> list[Result]:
    """How each game ended; `stop` is why those that go on do not."""
    seconds = drive.clock.seconds / len(drive.machine.record.position)
    return [_result(drive.machine.record, game, stop, seconds) for game in range(len(drive.machine.record.position))]


def _result(record: GreedyRecord, game: int, stop: Stop, seconds: float) -> Result:
    _, looked, made, scored = record.counts[game].tolist()
    bound, standing = int(record.bound[game]), int(record.standing[game])
    counts = (looked, made, scored, seconds)
    if standing == _greedy_kernels.SOLVED:
        moves = tuple(record.made[game, : record.length[game]].tolist())
        bound = min(bound, len(moves))
        return Result(moves, "optimal" if bound == len(moves) else "none", "", "done", bound, *counts)
    reason = _reason(record, game)
    return Result(None, "none", reason, _STOPS.get(standing, "dead end" if reason else stop), bound, *counts)


_STOPS: Mapping[int, Stop] = {_greedy_kernels.SPENT: "nodes"}


def _reason(record: GreedyRecord, game: int) -> str:
    """Why a game cannot go on; nothing where it could."""
    made, standing = moves_in_words(int(record.length[game])), int(record.standing[game])
    if standing == _greedy_kernels.STUCK:
        return f"after {made} no move is left"
    if standing == _greedy_kernels.NOTHING_NEW:
        return f"after {made} every move leads to a board that was there before"
    if standing == _greedy_kernels.CIRCLE:
        again = int(record.again[game])
        board = f"the board after move {again}" if again else "the first board"
        return f"after {made} {board} came again: greedy play goes in circles; avoid_repeats goes on"
    if standing == _greedy_kernels.TOO_LONG:
        return f"it is not solved after the {made} that max_moves allows"
    return ""


class Greedy(SolverSettings):
    """Always the move that looks best, by an `estimate` of what it leads to or by a `prior`; by default by a network.

    By both, it looks only at moves that are at least `least` times as likely as the likeliest, and takes the one whose
    estimate, less a tenth of the logarithm of its probability, is the least.

    Play that comes back to a board ends as a dead end; with `avoid_repeats` it takes the best move to a new one.
    """

    name: ClassVar[str] = "greedy"
    offers: ClassVar[tuple[type, ...]] = (BatchSolver, Selective, NamesOptions)

    estimate: str | Estimate | None = None
    prior: str | Prior | None = None
    avoid_repeats: bool = False
    max_moves: int = Field(default=1000, ge=1, le=1_000_000)
    least: float = Field(default=0.02, ge=0, le=1)
    """Only beside an estimate, and not where it avoids repeats, which may leave nothing but unlikely moves."""

    def options(self) -> Mapping[str, Any]:
        """Every setting by name; the network that is asked where none was named."""
        usual = {} if self.prior is not None or self.estimate is not None else {"estimate": networks.PREFIX}
        return {**super().options(), **usual}

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """The settings; where nothing was named, the puzzle's network is the estimate, or the prior if it is none."""
        if self.estimate is not None or self.prior is not None or networks.missing(puzzle):
            return self.options()
        heads = networks.find(puzzle).heads
        option = "estimate" if set(networks.ESTIMATES) & set(heads) else "prior"
        return {**super().options(), option: networks.PREFIX}

    def refusal(self, puzzle: Puzzle) -> str | None:
        """That there is no network to ask, where none was named."""
        if self.estimate is not None or self.prior is not None:
            return None
        return networks.missing(puzzle)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then how the game ended."""
        drive, stop = self._drive([instance], limit), _RUNNING
        for attempt in drive:
            if isinstance(attempt, Result):
                stop = attempt.stop
            else:
                yield attempt
        yield results(drive, stop)[0]

    def solve_batch(self, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool]) -> list[Result]:
        """How the games from all these boards ended, which are played side by side."""
        drive = self._drive(instances, limit)
        return results(drive, played(drive, over))

    def _drive(self, instances: Sequence[Instance], limit: Limit) -> Drive:
        """The games from these boards, under a limit for each of them."""
        puzzle, rules = instances[0].puzzle, rules_of(instances[0])
        guide = self._guide(puzzle)
        nodes = limit.nodes or _greedy_kernels.UNBOUNDED
        beside = None
        if self.prior is not None and isinstance(guide, Estimate):
            beside = 0.0 if self.avoid_repeats else self.least
        games = machine(instances, guide, rules, self.max_moves, nodes, self.avoid_repeats, beside)
        seconds = None if limit.seconds is None else limit.seconds * len(instances)
        score = prior_scorer(guide, rules, puzzle) if isinstance(guide, Prior) else scorer(guide, rules)
        if beside is not None and self.prior is not None:
            score = _both(games, prior_scorer(chosen_prior(puzzle, self.prior), rules, puzzle), score)
        return Drive(games, replace(limit, seconds=seconds, nodes=None), score)

    def _guide(self, puzzle: Puzzle) -> Estimate | Prior:
        told = self.options_for(puzzle)
        estimate = self.estimate if self.estimate is not None else told["estimate"]
        if estimate is None:
            return chosen_prior(puzzle, self.prior if self.prior is not None else told["prior"])
        return chosen_estimate(puzzle, estimate)


Scorer = Callable[[State], NDArray[np.float64]]


def _both(games: Machine, prior: Scorer, estimate: Scorer | None) -> Scorer:
    """Asks the prior about positions, and the estimate about what follows them."""

    def scores(states: State) -> NDArray[np.float64]:
        if games.control[_greedy_kernels.PHASE] == _greedy_kernels.WEIGH or estimate is None:
            return prior(states)
        return estimate(states)

    return scores


_RUNNING: Stop = "interrupted"
SOLVER = Greedy

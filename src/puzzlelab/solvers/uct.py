"""UCT: playouts down a tree that grows where moves are likely and values are high, and then the move tried most often.

A network says of each new state how likely its moves are and how many moves remain, as AlphaZero does it for games of
two; the value of a state is exp(-decay * remaining moves). Sources: Kocsis and Szepesvari, "Bandit based Monte-Carlo
planning" (2006); Silver et al., "A general reinforcement learning algorithm" (2018).

Shapes: G = games, R = states asked about at once, M, N, L as in `_playouts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator

from puzzlelab.core import networks, seeds
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
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Prior
from puzzlelab.engine.driver import EXHAUSTED, Drive, Machine, played, prior_scorer, scorer, tables_of
from puzzlelab.engine.interpreted_kernels import rules_of, runner
from puzzlelab.engine.kernels import REQUESTED
from puzzlelab.solvers import _uct_step, _uct_tree
from puzzlelab.solvers._uct_tree import NOWHERE, UctRecord

ROWS = 1 << 14
"""States that are asked about at once, at most."""
SCORES = 1 << 22
"""Scores of one batch, at most: a prior has one for each move of a state."""
FIRST_MOVES = 64
"""Moves of a game that there is room for at first."""
FIRST_CHILDREN = 8
"""Children that there is room for at first, for each playout."""
UNIFORM = "uniform"
"""The prior that finds all moves equally likely."""
Scorer = Callable[[State], NDArray[np.float64]]


class UctGuides(NamedTuple):
    """Who is asked."""

    estimate: Estimate
    prior: Prior | None
    """None finds all moves equally likely."""


class Uct(SolverSettings):
    """Plays the move that was tried most often in so many `playouts`, keeps what is below it, and goes on from there.

    By a `prior` (by default that of the network) and an `estimate`; a network that is named for one of them is asked
    for both if it tells both, unless the prior is `uniform`. With the policy `values` there is no prior: a move is the
    likelier, the fewer moves remain after it.

    The shortest solution that was seen is the answer. With `finish` play ends at the first position from which one was
    seen, after its playouts; without, it goes on to the goal, and may find shorter ones.
    """

    name: ClassVar[str] = "uct"
    offers: ClassVar[tuple[type, ...]] = (BatchSolver, Selective, NamesOptions)

    estimate: str | Estimate | None = None
    prior: str | Prior | None = None
    playouts: int = Field(default=50, ge=1, le=1_000_000)
    decay: float = Field(default=0.035, gt=0, le=10, allow_inf_nan=False)
    """What a move costs: a value falls by exp(-decay), so that by default 20 moves halve it."""
    exploration: float = Field(default=0.03, ge=0, le=1000, allow_inf_nan=False)
    """How much the prior counts, in units of the value of the state."""
    policy: Literal["visits", "values"] = "visits"
    finish: bool = True
    temperature: float = Field(default=0.0, ge=0, le=100, allow_inf_nan=False)
    """Above 0 a move is drawn, with a probability that grows with its visits to the power of 1 / temperature."""
    noise: float = Field(default=0.0, ge=0, le=1)
    """The share of a Dirichlet distribution in the prior at the root."""
    concentration: float = Field(default=1.0, gt=0, le=1000, allow_inf_nan=False)
    leaves: int = Field(default=1, ge=1, le=256)
    """States of one game that are asked about at once."""
    seed: int = Field(default=0, ge=0, lt=1 << 63)
    max_moves: int = Field(default=1000, ge=1, le=1_000_000)

    @field_validator("policy")
    @classmethod
    def _alone(cls, policy: str, given: ValidationInfo) -> str:
        if policy == "values" and given.data.get("prior") not in (None, UNIFORM):
            raise ValueError("it makes its own prior, and takes none")
        return policy

    def options(self) -> Mapping[str, Any]:
        """Every setting by name; the network that is asked where nothing was named."""
        told = super().options()
        if self.estimate is not None or self.prior is not None:
            return told
        return {**told, "estimate": networks.PREFIX, "prior": networks.PREFIX if self.policy == "visits" else None}

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """The settings, with the names of all that is asked about this puzzle."""
        names = [getattr(view, "name", view) for view in self._named(puzzle)]
        return {**super().options(), "estimate": names[0], "prior": names[1]}

    def refusal(self, puzzle: Puzzle) -> str | None:
        """That there is nobody to ask how many moves remain."""
        missing = networks.missing(puzzle) if self.estimate is None and self.prior is None else None
        if missing:
            return missing
        if self._named(puzzle)[0] is None:
            return "nobody says how many moves remain; name an estimate"
        return None

    def _named(self, puzzle: Puzzle) -> tuple[str | Estimate | None, str | Prior | None]:
        """The estimate and the prior for this puzzle, by name where they have one."""
        network = self._network(puzzle)
        heads = networks.find(puzzle, network).heads if network else ()
        estimate, prior = self.estimate, self.prior
        if estimate is None and set(networks.ESTIMATES) & set(heads):
            estimate = network
        elif estimate is None and (estimates := puzzle.view(Estimates)) is not None:
            estimate = estimates.estimate().name
        if self.policy == "values":
            return estimate, None
        if prior is None:
            prior = network if set(networks.PRIORS) & set(heads) else UNIFORM
        return estimate, prior

    def _network(self, puzzle: Puzzle) -> str | None:
        """The network that is asked for what was not named."""
        if self.estimate is not None:
            return str(self.estimate) if networks.is_network(self.estimate) else None
        if self.prior not in (None, UNIFORM):
            return str(self.prior) if networks.is_network(self.prior) else None
        return None if networks.missing(puzzle) else networks.PREFIX

    def guides(self, puzzle: Puzzle) -> UctGuides:
        """Who is asked about this puzzle."""
        estimate, prior = self._named(puzzle)
        if networks.is_network(estimate) and estimate == prior:
            both = networks.both(puzzle, str(estimate))
            return UctGuides(both[1], both[0])
        return UctGuides(
            chosen_estimate(puzzle, estimate), None if prior in (None, UNIFORM) else chosen_prior(puzzle, prior)
        )

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress and ever shorter solutions; memory grows with the nodes below the position."""
        drive, stop, best = self.games([instance], limit), _RUNNING, None
        for attempt in drive:
            if isinstance(attempt, Result):
                stop = attempt.stop
                break
            found = int(drive.machine.record.best[0])
            if found != NOWHERE and (best is None or found < best):
                best = found
                yield results(drive, _RUNNING)[0]
            yield attempt
        yield results(drive, stop)[0]

    def solve_batch(self, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool]) -> list[Result]:
        """How the games from all these boards ended, which are played side by side."""
        drive = self.games(instances, limit)
        return results(drive, played(drive, over))

    def games(self, instances: Sequence[Instance], limit: Limit) -> Drive:
        """The games from these boards, under a limit for each of them."""
        puzzle, rules = instances[0].puzzle, rules_of(instances[0])
        guides = self.guides(puzzle)
        starts = np.stack([instance.state for instance in instances])
        played = machine(self, puzzle, starts, guides, rules, limit.nodes)
        played.record.random[:] = [seeds.of_board(self.seed, state) for state in starts]
        seconds = None if limit.seconds is None else limit.seconds * len(instances)
        return Drive(played, replace(limit, seconds=seconds, nodes=None), judge(guides, rules, puzzle))


_RUNNING: Stop = "interrupted"


def machine(
    solver: Uct,
    puzzle: Puzzle,
    starts: State,
    guides: UctGuides,
    rules: KernelRules,
    nodes: int | None = None,
    pauses: bool = False,
) -> Machine:
    """The games from the plain `starts[G, S]`, of at most so many `nodes` each.

    With `pauses` a game that has had its playouts waits to be told a move, and may have as many moves as it likes.
    """
    games, moves, leaves, values = len(starts), puzzle.move_count, solver.leaves, solver.policy == "values"
    most = _uct_tree.UNBOUNDED if pauses else solver.max_moves
    rows, width = _batch(solver, games, moves, guides)
    lines = min(most, FIRST_MOVES) + leaves + 3
    nodes_each = 1 + leaves * moves + min(solver.playouts, 1000) * min(moves, FIRST_CHILDREN)
    flags = solver.finish, pauses, guides.prior is not None, values, guides.estimate.admissible
    arrays: dict[str, Any] = {name: np.zeros(games, kind) for name, kind in _uct_tree.GAMES.items()}
    arrays |= {name: np.zeros((games, lines), kind) for name, kind in _uct_tree.LINES.items()}
    arrays |= {name: np.zeros((games, nodes_each), kind) for name, kind in _uct_tree.TREE.items()}
    arrays |= {name: np.zeros(rows, np.int32) for name in ("owner", "leaf", "begins")}
    record = UctRecord(
        **arrays,
        tables=rules.tables,
        estimate=tables_of(guides.estimate, rules),
        control=np.zeros(16, np.int64),
        settings=np.array([solver.playouts, leaves, most, nodes or _uct_tree.UNBOUNDED, *flags], np.int64),
        weights=np.array([getattr(solver, name) for name in _uct_tree.WEIGHTS], np.float64),
        start=np.ascontiguousarray(rules.encode(starts).astype(rules.dtype)),
        counts=np.zeros((games, 3), np.int64),
        past=np.zeros((games, lines, rules.words), np.uint64),
        keys=np.zeros((games, nodes_each, rules.words), np.uint64),
        place=np.zeros(nodes_each, np.int32),
        rows=np.zeros((rows, rules.size), rules.dtype),
        scores=np.zeros(rows * width),
        state=np.zeros(rules.size, rules.dtype),
        child=np.zeros(rules.size, rules.dtype),
        words=np.zeros(rules.words, np.uint64),
        moves=np.zeros(moves, np.int32),
        memo=np.zeros(guides.estimate.memo, np.int64),
        room=np.zeros(moves),
    )
    runner(_uct_step.begin, rules)(record, np.full(games, NOWHERE))
    return Machine(record, runner(_uct_step.step, rules), _no_moves, grown, _no_verdict, requests)


def _batch(solver: Uct, games: int, moves: int, guides: UctGuides) -> tuple[int, int]:
    """States that are asked about at once, at most, and scores of each."""
    a_leaf, width = (moves if solver.policy == "values" else 1), (1 if guides.prior is None else moves + 1)
    return max(solver.leaves * a_leaf, min(games * solver.leaves * a_leaf, ROWS, SCORES // width)), width


def requests(record: UctRecord) -> State:
    """The working states `[R, S]` that wait for scores."""
    return record.rows[: record.control[REQUESTED]]


def grown(record: UctRecord, room: int) -> Any:
    """Room for twice the moves, or for twice the nodes, whichever is lacking; None where that is too much."""
    names = [*_uct_tree.LINES, "past"] if record.control[_uct_tree.TOO_SHORT] else [*_uct_tree.TREE, "keys"]
    arrays = {name: getattr(record, name) for name in names}
    if 2 * sum(array.nbytes for array in arrays.values()) > room:
        return None
    larger = {name: np.concatenate([array, np.zeros_like(array)], axis=1) for name, array in arrays.items()}
    grown: UctRecord = record._replace(**larger)
    return grown._replace(place=np.zeros(grown.kind.shape[1], np.int32))


def _no_moves(record: UctRecord) -> list[int]:
    """No game ends before the others: see `results`."""
    return []


def _no_verdict(record: UctRecord) -> tuple[Proof, str, Stop]:
    """All games are over: see `results`."""
    return "none", "", "done"


# --- what is asked ----------------------------------------------------------------------------------------------------


def judge(guides: UctGuides, rules: KernelRules, puzzle: Puzzle) -> Scorer | None:
    """From working states to their scores; None where nobody outside is asked.

    A state has the scores of its moves, if there is a prior, and how many moves remain, if the estimate is no kernel.
    """
    remaining = scorer(guides.estimate, rules)
    if guides.prior is None:
        return remaining
    moves = prior_scorer(guides.prior, rules, puzzle)
    if remaining is None:
        return moves
    estimate = remaining

    def scores(states: State) -> NDArray[np.float64]:
        return np.column_stack([moves(states), estimate(states)])

    return scores


# --- what came of it --------------------------------------------------------------------------------------------------


def results(drive: Drive, stop: Stop) -> list[Result]:
    """How each game ended; `stop` is why those that go on do not."""
    record = drive.machine.record
    seconds = drive.clock.seconds / len(record.best)
    return [_result(record, game, stop, seconds) for game in range(len(record.best))]


def _result(record: UctRecord, game: int, stop: Stop, seconds: float) -> Result:
    best, bound, standing = int(record.best[game]), int(record.bound[game]), int(record.standing[game])
    counts = (*record.counts[game].tolist(), seconds)
    stop = {_uct_tree.WON: "done", _uct_tree.SPENT: "nodes"}.get(standing, stop)  # type: ignore[assignment]
    if best != NOWHERE:
        moves = tuple(record.answer[game, :best].tolist())
        if best <= bound:
            return Result(moves, "optimal", "", "done", best, *counts)
        return Result(moves, "none", "", stop, bound, *counts)
    if standing != _uct_tree.STUCK:
        return Result(None, "none", "", stop, bound, *counts)
    if record.length[game] == 0 and not record.cut[game]:
        proof, reason, stop = EXHAUSTED
        return Result(None, proof, reason, stop, bound, *counts)
    return Result(None, "none", _reason(record, game), "dead end", bound, *counts)


def _reason(record: UctRecord, game: int) -> str:
    """Why a game cannot go on."""
    if record.cut[game]:
        most = moves_in_words(int(record.settings[_uct_tree.MOST]))
        return f"it is not solved within the {most} that max_moves allows"
    made = moves_in_words(int(record.length[game]))
    return f"after {made} every way ends without a move, or comes back to a board that was there before"


SOLVER = Uct

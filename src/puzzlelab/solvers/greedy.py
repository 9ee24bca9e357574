"""Greedy play: at each position the move with the best successor by an estimate, or the likeliest move by a prior.

By default the puzzle's network estimates the remaining moves of each successor. Nothing is searched: play that repeats
a board would cycle for ever, and ends there.

Shapes: G = games, R = rows of a batch, M as in `engine.kernels`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import IN_CIRCLES, Result, Stop, moves_in_words
from puzzlelab.core.solver import NETWORK, Attempt, SolverSettings
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Prior
from puzzlelab.engine import kernels, records
from puzzlelab.engine.driver import (
    Drive,
    Machine,
    no_moves,
    no_verdict,
    played,
    prior_scorer,
    scorer,
    side_by_side,
    switched_scorer,
)
from puzzlelab.engine.hash_table_kernels import MAX_LOAD
from puzzlelab.engine.record_parts import NOWHERE, UNBOUNDED, EstimateRecord, new_control
from puzzlelab.engine.search_rules import chosen_estimate, chosen_prior, fitted, minimised, rules_of, stepper
from puzzlelab.solvers._greedy_kernels import (
    CONTROL,
    CYCLE,
    ONLY_REPEATS,
    SCORE_POSITIONS,
    SOLVED,
    SPENT,
    STUCK,
    TOO_LONG,
    Batch,
    Games,
    GreedyRecord,
    SeenBoards,
    add_all,
    step,
)
from puzzlelab.solvers.beam import PRIOR_WEIGHT
from puzzlelab.storage import networks

ROWS = 1 << 16
"""The most states of one batch."""
SCORES = 1 << 22
"""The most scores of one batch: a prior has one for each move of a state."""
FIRST_MOVES = 64
"""Initial capacity for moves of a game."""


def machine(
    instances: Sequence[Instance],
    guide: Estimate | Prior,
    rules: KernelRules,
    max_moves: int,
    nodes: int,
    avoid_repeats: bool,
    min_prior_ratio: float | None = None,
) -> Machine:
    """Return the games from these boards of one puzzle, for at most `max_moves` moves and `nodes` positions each.

    With `min_prior_ratio`, a prior is used beside the estimate: moves below this ratio to the greatest probability are
    not considered.
    """
    games, moves = len(instances), instances[0].puzzle.move_count
    by_prior = isinstance(guide, Prior)
    rows = min(games, ROWS, 1 + SCORES // moves) if by_prior else max(moves, min(games * moves, ROWS))
    record = GreedyRecord(
        tables=rules.tables,
        estimate=_estimate_record(guide, rules),
        control=new_control(
            CONTROL,
            max_moves=max_moves,
            max_nodes=nodes,
            avoids_repeats=avoid_repeats,
            uses_prior=min_prior_ratio is not None,
            admissible=isinstance(guide, Estimate) and guide.admissible,
        ),
        active_games=np.empty(games, np.int32),
        games=Games(
            position=rules.starts(np.stack([instance.state for instance in instances])),
            status=np.zeros(games, np.int8),
            length=np.zeros(games, np.int32),
            moves=np.empty((games, min(max_moves, FIRST_MOVES)), np.int32),
            repeated_ply=np.zeros(games, np.int32),
            lower_bound=np.zeros(games, np.int32),
            best_move=np.full(games, NOWHERE, np.int32),
            best_value=np.empty(games, np.float64),
            legal_moves=np.zeros(games, np.int32),
            expanded=np.zeros(games, np.int64),
            generated=np.zeros(games, np.int64),
            scored=np.zeros(games, np.int64),
        ),
        batch=Batch(
            states=np.empty((rows, rules.size), rules.dtype),
            game=np.empty(rows, np.int32),
            move=np.empty(rows, np.int32),
            cost=np.empty(rows, np.float64),
        ),
        scores=np.empty(rows * moves if by_prior else max(rows, moves), np.float64),
        prior_logits=np.zeros((1, 1) if min_prior_ratio is None else (games, moves), np.float64),
        prior_weight=PRIOR_WEIGHT,
        least_log_ratio=math.log(min_prior_ratio) if min_prior_ratio else -math.inf,
        seen=_seen_boards(16 * games),
        moves=np.empty(moves, np.int32),
        key=np.empty(rules.words, np.uint64),
    )
    objective = objective_of(instances[0].puzzle)
    return Machine(record, stepper(step, rules), no_moves, enlarged, no_verdict, requests, objective)


def _estimate_record(guide: Estimate | Prior, rules: KernelRules) -> EstimateRecord:
    """Return the estimate for kernels, or the one that stands for a prior."""
    if isinstance(guide, Estimate):
        return records.new_estimate(guide, rules)
    return records.new_estimate(None, rules)._replace(tables=kernels.ExternalPrior())


def _seen_boards(boards: int) -> SeenBoards:
    """Empty tables with capacity for this many boards."""
    size = records.table_size(boards)
    return SeenBoards(hashes=np.zeros(size, np.uint64), ply=np.zeros(size, np.int32))


def requests(record: GreedyRecord) -> State:
    """Return the working states `[R, S]` whose scores are requested."""
    return record.batch.states[: record.control.requested]


def enlarged(record: GreedyRecord, room: int) -> Any:
    """Return the record with twice the capacity for moves and boards; None if `room` bytes do not suffice."""
    seen, room = record.seen, room - 2 * (record.seen.hashes.nbytes + record.seen.ply.nbytes)
    games = records.doubled(record.games, ("moves",), room, axis=1)
    if games is None:
        return None
    larger_seen = _seen_boards(int(2 * MAX_LOAD * seen.hashes.size))
    add_all(larger_seen, seen)
    return record._replace(games=games, seen=larger_seen)


def results(drive: Drive, stop: Stop) -> list[Result]:
    """Return the result of each game; `stop` is the reason for those that are still being played."""
    record, counts_moves = drive.machine.record, drive.machine.objective.kind == "moves"
    games = len(record.games.position)
    seconds = drive.clock.seconds / games
    return [_result(record, game, stop, seconds, counts_moves) for game in range(games)]


def _result(record: GreedyRecord, game: int, stop: Stop, seconds: float, counts_moves: bool) -> Result:
    """Return the result of a game.

    Its lower bound is on the number of moves, and so is 0 where they have costs or points.
    """
    games = record.games
    expanded, generated, evaluations = int(games.expanded[game]), int(games.generated[game]), int(games.scored[game])
    bound = int(record.games.lower_bound[game]) if counts_moves else 0
    status = int(record.games.status[game])
    counts = (expanded, generated, evaluations, seconds)
    if status == SOLVED:
        moves = tuple(record.games.moves[game, : record.games.length[game]].tolist())
        bound = min(bound, len(moves))
        is_optimal = counts_moves and bound == len(moves)
        return Result(moves, "optimal" if is_optimal else "none", "", "done", bound, *counts)
    reason = _reason(record, game)
    return Result(None, "none", reason, _STOPS.get(status, "dead end" if reason else stop), bound, *counts)


_STOPS: Mapping[int, Stop] = {SPENT: "nodes"}


def _reason(record: GreedyRecord, game: int) -> str:
    """Return why a game is over without a solution; empty if it is not over."""
    moves, status = moves_in_words(int(record.games.length[game])), int(record.games.status[game])
    if status == STUCK:
        return f"after {moves} no move is left"
    if status == ONLY_REPEATS:
        return f"after {moves} every move leads to a board that was there before"
    if status == CYCLE:
        repeated_ply = int(record.games.repeated_ply[game])
        board = f"the board after move {repeated_ply}" if repeated_ply else "the first board"
        return f"after {moves} {board} came again: {IN_CIRCLES}"
    if status == TOO_LONG:
        return f"it is not solved after the {moves} that max_moves allows"
    return ""


class Greedy(SolverSettings):
    """The player of the best move by an `estimate` of its successor or by a `prior`; by default by the network.

    With both it considers moves at least `least` times as likely as the likeliest one, and plays the one with the least
    estimate minus a tenth of its log probability.

    Play that repeats a board ends as a dead end; with `avoid_repeats` only moves to new boards are played.
    """

    name: ClassVar[str] = "greedy"
    keeps_costs: ClassVar[bool] = True
    shares_work: ClassVar[bool] = True

    estimate: str | Estimate | None = None
    """The name of an estimate, of a network (`net`), or an `Estimate`; none: the puzzle's default. The move after
    which the least remains is made."""
    prior: str | Prior | None = None
    """The name of a network (`net`), or a `Prior`: the probability of each move. The most probable move is made."""
    avoid_repeats: bool = False
    """Whether a move to an earlier board is left out."""
    max_moves: int = Field(default=1000, ge=1, le=1_000_000)
    """The move limit."""
    least: float = Field(default=0.02, ge=0, le=1)
    """Used only with both estimate and prior, and not with `avoid_repeats`, which may leave unlikely moves only."""

    def options(self) -> Mapping[str, Any]:
        """Return every setting by name; the default network where no estimate and no prior is named."""
        default = {} if self.prior is not None or self.estimate is not None else {"estimate": NETWORK}
        return {**super().options(), **default}

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """Return the settings; by default the puzzle's network is the estimate, or the prior if it has no such head."""
        if self.estimate is not None or self.prior is not None or networks.missing(puzzle):
            return self.options()
        heads = networks.find(puzzle).heads
        option = "estimate" if set(networks.ESTIMATES) & set(heads) else "prior"
        return {**super().options(), option: NETWORK}

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Say why this solver cannot solve the puzzle, if so: there is no network, and none is named."""
        if self.estimate is not None or self.prior is not None:
            return None
        reason, view = networks.missing(puzzle), puzzle.view(Estimates)
        if reason is None or view is None or not view.estimates:
            return reason
        return f"{reason}, or one of its estimates, as in --estimate {next(iter(view.estimates))}"

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then the result of the game."""
        drive, stop = self._drive([instance], limit), _RUNNING
        for attempt in drive:
            if isinstance(attempt, Result):
                stop = attempt.stop
            else:
                yield attempt
        yield results(drive, stop)[0]

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Return the results of games from all these boards, played side by side."""
        drive = self._drive(boards, limit)
        yield Answers.of(boards, results(drive, played(drive, over))).solved_together(drive.clock.seconds)

    def _drive(self, instances: Sequence[Instance], limit: Limit) -> Drive:
        """Return the games from these boards, under a limit for each of them."""
        puzzle, rules = instances[0].puzzle, rules_of(instances[0])
        guide = self._guide(puzzle)
        if isinstance(guide, Estimate):
            guide = fitted(guide, rules, instances[0].state)
        nodes = limit.nodes or UNBOUNDED
        min_prior_ratio = None
        if self.prior is not None and isinstance(guide, Estimate):
            min_prior_ratio = 0.0 if self.avoid_repeats else self.least
        games = machine(instances, guide, rules, self.max_moves, nodes, self.avoid_repeats, min_prior_ratio)
        score = prior_scorer(guide, rules, puzzle) if isinstance(guide, Prior) else scorer(guide, rules)
        if min_prior_ratio is not None and self.prior is not None:
            priors, estimates = prior_scorer(chosen_prior(puzzle, self.prior), rules, puzzle), score
            score = switched_scorer(lambda: priors if games.control.phase == SCORE_POSITIONS else estimates)
        return side_by_side(games, len(instances), limit, score)

    def _guide(self, puzzle: Puzzle) -> Estimate | Prior:
        options = self.options_for(puzzle)
        estimate = self.estimate if self.estimate is not None else options["estimate"]
        if estimate is None:
            return chosen_prior(puzzle, self.prior if self.prior is not None else options["prior"])
        return minimised(puzzle, chosen_estimate(puzzle, estimate))


_RUNNING: Stop = "interrupted"
SOLVER = Greedy

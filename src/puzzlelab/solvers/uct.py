"""UCT with a learned prior and value (PUCT): Monte-Carlo tree search as in AlphaZero, for one player.

A network gives the prior of the moves and the cost-to-go of each new state; the value of a state is
exp(-step_discount * remaining moves). Sources: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning" (2006);
Silver et al., "A general reinforcement learning algorithm" (2018); for the root `halving` Danihelka et al., "Policy
improvement by planning with Gumbel" (2022).

Shapes: G = games, R = states scored in one batch, M, N, L as in `_uct_tree_kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationInfo, field_validator, model_validator

from puzzlelab.core import seeds
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import Objective, objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import Result, Stop, moves_in_words
from puzzlelab.core.solver import NETWORK, Attempt, SolverSettings, is_network
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Prior, PriorAndEstimate
from puzzlelab.engine import records
from puzzlelab.engine.driver import (
    EXHAUSTED,
    Drive,
    Machine,
    Score,
    no_moves,
    no_verdict,
    played,
    prior_and_estimate_scorer,
    prior_scorer,
    scorer,
    side_by_side,
)
from puzzlelab.engine.record_parts import NOWHERE, new_control
from puzzlelab.engine.search_rules import chosen_estimate, chosen_prior, fitted, minimised, rules_of, runner, stepper
from puzzlelab.solvers import _uct_kernels, _uct_tree_kernels
from puzzlelab.solvers._uct_tree_kernels import UctRecord, UctSettings
from puzzlelab.storage import networks

ROWS = 1 << 14
"""The most states of one batch."""
SCORES = 1 << 22
"""The most scores of one batch: a prior has one for each move of a state."""
FIRST_MOVES = 64
"""Initial capacity for moves of a game."""
FIRST_CHILDREN = 8
"""Initial capacity for children, for each playout."""
CACHE_LINE = 64
"""Bytes that a processor reads from the memory at once."""
UNIFORM = "uniform"
"""The prior under which all moves are equally likely."""


class Uct(SolverSettings):
    """The player of the most visited move after `playouts` playouts, which keeps its subtree and continues from there.

    The playouts use a `prior` (by default that of the network) and an `estimate`. A network that is named for one of
    them serves for both if it has both heads, unless the prior is `uniform`. With the policy `values` the prior is
    computed from the estimates of the children: the fewer moves remain after a move, the likelier it is.

    The answer is the shortest solution seen in any playout. With `finish` the game ends at the first position whose
    playouts saw a solution; without it the game continues to the goal, and may find shorter ones.
    """

    name: ClassVar[str] = "uct"
    keeps_costs: ClassVar[bool] = True
    shares_work: ClassVar[bool] = True

    estimate: str | Estimate | None = None
    """The name of an estimate, of a network (`net`), or an `Estimate`; none: the puzzle's default."""
    prior: str | Prior | None = None
    """The name of a network (`net`), or a `Prior`: the probability of each move."""
    playouts: int = Field(default=50, ge=1, le=1_000_000)
    """Playouts at each position."""
    step_discount: float = Field(default=0.035, gt=0, le=10)
    """The discount of a move, which multiplies a value by exp(-step_discount), so that by default 20 moves halve it."""
    c_puct: float = Field(default=0.03, ge=0, le=1000)
    """The weight of the prior, in units of the value of the state."""
    policy: Literal["visits", "values"] = "visits"
    """The source of the prior: the network's scores of moves, or the estimates of all children."""
    finish: bool = True
    """Whether play goes on to the goal after a playout has found a solution."""
    temperature: float = Field(default=0.0, ge=0, le=100)
    """The temperature: above 0 a move is drawn, with a probability that grows with its visits to the power of 1 /
    temperature."""
    dirichlet_fraction: float = Field(default=0.0, ge=0, le=1)
    """The share of Dirichlet noise in the prior of the root."""
    dirichlet_alpha: float = Field(default=1.0, gt=0, le=1000)
    """The parameter of the Dirichlet noise at the root; the smaller, the more uneven."""
    parallel_leaves: int = Field(default=1, ge=1, le=256)
    """The most states of one game in a batch."""
    seed: int = Field(default=0, ge=0, lt=1 << 63)
    """The seed of the random numbers."""
    max_moves: int = Field(default=1000, ge=1, le=1_000_000)
    """The move limit."""
    root: Literal["puct", "halving"] = "puct"
    """The choice at the root: by PUCT as elsewhere, or by sequential halving of the moves with the best priors."""
    considered: int = Field(default=16, ge=1, le=1000)
    """The most moves among which sequential halving begins."""
    value_scale: float = Field(default=10.0, gt=0, le=1000)
    """The weight of values against priors in sequential halving."""
    gumbel_noise: float = Field(default=0.0, ge=0, le=100)
    """The scale of the Gumbel noise in the priors of sequential halving; 1 draws moves as the policy has them."""

    @model_validator(mode="after")
    def _one_noise(self) -> Self:
        if self.root == "halving" and (self.temperature or self.dirichlet_fraction):
            raise ValueError("root=halving draws moves by gumbel_noise: give no temperature and no Dirichlet noise")
        if self.root == "puct" and self.gumbel_noise:
            raise ValueError("gumbel_noise is for root=halving")
        return self

    @field_validator("policy")
    @classmethod
    def _alone(cls, policy: str, info: ValidationInfo) -> str:
        if policy == "values" and info.data.get("prior") not in (None, UNIFORM):
            raise ValueError("this policy computes its own prior; give no other")
        return policy

    def options(self) -> Mapping[str, Any]:
        """Return every setting by name; the default network where no estimate and no prior is named."""
        options = super().options()
        if self.estimate is not None or self.prior is not None:
            return options
        return {**options, "estimate": NETWORK, "prior": NETWORK if self.policy == "visits" else None}

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """Return the settings, with the names of the estimate and the prior for this puzzle."""
        names = [getattr(view, "name", view) for view in self._named(puzzle)]
        return {**super().options(), "estimate": names[0], "prior": names[1]}

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Say why this solver cannot solve the puzzle, if so: it has no estimate and no network."""
        missing = networks.missing(puzzle) if self.estimate is None and self.prior is None else None
        if missing:
            return missing
        if self._named(puzzle)[0] is None:
            return "it has no estimate of the remaining moves; name one"
        return None

    def _named(self, puzzle: Puzzle) -> tuple[str | Estimate | None, str | Prior | None]:
        """Return the estimate and the prior for this puzzle, by name where they have one."""
        name, estimate, prior = self._network(puzzle), self.estimate, self.prior
        network = networks.find(puzzle, name) if name else None
        if estimate is None and network and networks.is_estimate(network):
            estimate = name
        elif estimate is None and (estimates := puzzle.view(Estimates)) is not None:
            estimate = estimates.estimate().name
        if self.policy == "values":
            return estimate, None
        if prior is None:
            prior = name if network and set(networks.PRIORS) & set(network.heads) else UNIFORM
        return estimate, prior

    def _network(self, puzzle: Puzzle) -> str | None:
        """Return the network that supplies what the settings do not name."""
        if self.estimate is not None:
            return str(self.estimate) if is_network(self.estimate) else None
        if self.prior not in (None, UNIFORM):
            return str(self.prior) if is_network(self.prior) else None
        return None if networks.missing(puzzle) else NETWORK

    def guides(self, puzzle: Puzzle) -> PriorAndEstimate:
        """Return the estimate and the prior for this puzzle."""
        estimate, prior = self._named(puzzle)
        if is_network(estimate) and estimate == prior and objective_of(puzzle).kind != "score":
            return networks.both(puzzle, str(estimate))
        chosen = None if prior is None or prior == UNIFORM else chosen_prior(puzzle, prior)
        return PriorAndEstimate(chosen, minimised(puzzle, chosen_estimate(puzzle, estimate)))

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress and ever shorter solutions; memory grows with the nodes below the position."""
        drive, stop, best = self.games([instance], limit), _RUNNING, None
        for attempt in drive:
            if isinstance(attempt, Result):
                stop = attempt.stop
                break
            total = int(drive.machine.record.best_total[0])
            if drive.machine.record.best_length[0] != NOWHERE and (best is None or total < best):
                best = total
                yield results(drive, _RUNNING)[0]
            yield attempt
        yield results(drive, stop)[0]

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Return the results of games from all these boards, played side by side."""
        drive = self.games(boards, limit)
        yield Answers.of(boards, results(drive, played(drive, over))).solved_together(drive.clock.seconds)

    def games(self, instances: Sequence[Instance], limit: Limit) -> Drive:
        """Return the games from these boards, under a limit for each of them."""
        puzzle, rules = instances[0].puzzle, rules_of(instances[0])
        guides = self.guides(puzzle)
        guides = guides._replace(estimate=fitted(guides.estimate, rules, instances[0].state))
        starts = np.stack([instance.state for instance in instances])
        search = machine(self, puzzle, starts, guides, rules, limit.nodes)
        search.record.random[:] = [seeds.of_board(self.seed, state) for state in starts]
        return side_by_side(search, len(instances), limit, leaf_scorer(guides, rules, puzzle))


_RUNNING: Stop = "interrupted"


def machine(
    solver: Uct,
    puzzle: Puzzle,
    starts: State,
    guides: PriorAndEstimate,
    rules: KernelRules,
    nodes: int | None = None,
    pauses: bool = False,
) -> Machine:
    """Return the search over games from the plain `starts[G, S]`, of at most `nodes` expansions each.

    With `pauses` a game waits after its playouts until the caller chooses its move, and has no limit of moves.
    """
    games, moves, leaves, values = len(starts), puzzle.move_count, solver.parallel_leaves, solver.policy == "values"
    max_moves = _uct_tree_kernels.UNBOUNDED if pauses else solver.max_moves
    rows, width = _batch(solver, games, moves, guides)
    move_room = min(max_moves, FIRST_MOVES) + leaves + 3
    node_room = 1 + leaves * moves + min(solver.playouts, 1000) * min(moves, FIRST_CHILDREN)
    considered = min(solver.considered, solver.playouts, moves) if solver.root == "halving" else 0
    objective = objective_of(puzzle)
    arrays: dict[str, Any] = {name: np.zeros(games, kind) for name, kind in _uct_tree_kernels.GAME_ARRAYS.items()}
    arrays |= {name: np.zeros((games, move_room), kind) for name, kind in _uct_tree_kernels.MOVE_ARRAYS.items()}
    arrays |= {name: np.zeros((games, node_room), kind) for name, kind in _uct_tree_kernels.NODE_ARRAYS.items()}
    arrays |= _playout_arrays(games, node_room)
    arrays |= {name: np.zeros((2, rows), np.int32) for name in ("leaf_game", "leaf_node", "leaf_row")}
    record = UctRecord(
        **arrays,
        tables=rules.tables,
        estimate=records.new_estimate(guides.estimate, rules),
        control=new_control(_uct_tree_kernels.CONTROL),
        settings=UctSettings(
            playouts=solver.playouts,
            parallel_leaves=leaves,
            temperature=solver.temperature,
            dirichlet_fraction=solver.dirichlet_fraction,
            dirichlet_alpha=solver.dirichlet_alpha,
            c_puct=solver.c_puct,
            step_discount=solver.step_discount / objective.unit,
            max_moves=max_moves,
            max_nodes=nodes or _uct_tree_kernels.UNBOUNDED,
            # The first game that ends is seldom the one of the best score.
            stops_at_solution=solver.finish and objective.kind != "score",
            pauses=pauses,
            uses_prior=guides.prior is not None,
            prior_from_values=values,
            admissible=guides.estimate.admissible,
            unit=float(objective.unit),
            least_rest=float(objective.least_sum),
            halves=solver.root == "halving",
            gumbel_noise=solver.gumbel_noise,
            value_scale=solver.value_scale,
        ),
        wanted_visits=_uct_tree_kernels.halving_schedule(considered, solver.playouts if considered else 1),
        earlier_visits=np.zeros((games, moves), np.int32),
        gumbel=np.zeros((games, moves)),
        start=rules.starts(starts),
        game_states=np.zeros((games, move_room, rules.words), np.uint64),
        keys=np.zeros((games, node_room, rules.words), np.uint64),
        new_row=np.zeros(node_room, np.int32),
        rows=np.zeros((rows, rules.size), rules.dtype),
        scores=np.zeros(rows * width),
        expansion=records.new_expansion(rules, starts[0], moves),
        move_weights=np.zeros(moves),
    )
    runner(_uct_kernels.begin, rules)(record, np.full(games, NOWHERE))
    return Machine(record, stepper(_uct_kernels.step, rules), no_moves, grown, no_verdict, requests, objective)


def _batch(solver: Uct, games: int, moves: int, guides: PriorAndEstimate) -> tuple[int, int]:
    """Return the most states of one batch, and the number of scores of each."""
    rows_per_leaf, width = (moves if solver.policy == "values" else 1), (1 if guides.prior is None else moves + 1)
    return max(
        solver.parallel_leaves * rows_per_leaf,
        min(games * solver.parallel_leaves * rows_per_leaf, ROWS, SCORES // width),
    ), width


def requests(record: UctRecord) -> State:
    """Return the working states `[R, S]` whose scores are requested."""
    return record.rows[: record.control.requested]


def grown(record: UctRecord, room: int) -> Any:
    """Return the record with twice the capacity for moves, or for nodes; None if `room` bytes do not suffice."""
    if record.control.moves_full:
        return records.doubled(record, [*_uct_tree_kernels.MOVE_ARRAYS, "game_states"], room, axis=1)
    games, nodes = record.status.shape
    room -= 2 * games * nodes * _uct_tree_kernels.PLAYOUT_TYPE.itemsize
    larger = records.doubled(record, [*_uct_tree_kernels.NODE_ARRAYS, "keys"], room, axis=1)
    if larger is None:
        return None
    columns = _playout_arrays(games, 2 * nodes)
    for name, column in columns.items():
        column[:, :nodes] = getattr(record, name)
    return larger._replace(**columns, new_row=np.zeros(2 * nodes, np.int32))


def _playout_arrays(games: int, nodes: int) -> dict[str, NDArray[Any]]:
    """Return the columns `[G, N]` of a table of `PLAYOUT_TYPE` that begins at a cache line, so that no node is in
    two.
    """
    kind = _uct_tree_kernels.PLAYOUT_TYPE
    size = games * nodes * kind.itemsize
    memory = np.zeros(size + CACHE_LINE, np.uint8)
    begin = -memory.ctypes.data % CACHE_LINE
    table = memory[begin : begin + size].view(kind).reshape(games, nodes)
    return {name: table[name] for name in kind.names or ()}


# --- scoring leaves ---------------------------------------------------------------------------------------------------


def leaf_scorer(guides: PriorAndEstimate, rules: KernelRules, puzzle: Puzzle) -> Score | None:
    """Return a function from working states to their scores; None where kernels score all states.

    The scores of a state are the prior logits of its moves, if there is a prior, and then its remaining moves, if the
    estimate is no kernel.
    """
    if guides.prior is None:
        return scorer(guides.estimate, rules)
    if guides.estimate.scores is None:
        return prior_scorer(guides.prior, rules, puzzle)
    return prior_and_estimate_scorer(guides, rules, puzzle)


# --- results ----------------------------------------------------------------------------------------------------------


def results(drive: Drive, stop: Stop) -> list[Result]:
    """Return the result of each game; `stop` is the reason for those that are still being played."""
    record, objective = drive.machine.record, drive.machine.objective
    seconds = drive.clock.seconds / len(record.best_length)
    return [_result(record, game, stop, seconds, objective) for game in range(len(record.best_length))]


def _result(record: UctRecord, game: int, stop: Stop, seconds: float, objective: Objective) -> Result:
    best, bound, status = int(record.best_length[game]), int(record.lower_bound[game]), int(record.game_status[game])
    counts = (int(record.expanded[game]), int(record.generated[game]), int(record.scored[game]), seconds)
    stop = {_uct_tree_kernels.WON: "done", _uct_tree_kernels.SPENT: "nodes"}.get(status, stop)  # type: ignore[assignment]
    if best != NOWHERE:
        moves, total = tuple(record.best_moves[game, :best].tolist()), int(record.best_total[game])
        if total <= bound:
            return objective.with_sums(Result(moves, "optimal", "", "done", total, *counts), total, total)
        return objective.with_sums(Result(moves, "none", "", stop, bound, *counts), total, bound)
    return objective.with_sums(_unsolved(record, game, stop, bound, counts), None, bound)


def _unsolved(record: UctRecord, game: int, stop: Stop, bound: int, counts: tuple[Any, ...]) -> Result:
    """Return the result of a game without a solution."""
    status = int(record.game_status[game])
    if status != _uct_tree_kernels.STUCK:
        return Result(None, "none", "", stop, bound, *counts)
    if record.game_length[game] == 0 and not record.was_cut[game]:
        proof, reason, stop = EXHAUSTED
        return Result(None, proof, reason, stop, bound, *counts)
    return Result(None, "none", _reason(record, game), "dead end", bound, *counts)


def _reason(record: UctRecord, game: int) -> str:
    """Return why a game is stuck."""
    if record.was_cut[game]:
        max_moves = moves_in_words(int(record.settings.max_moves))
        return f"it is not solved within the {max_moves} that max_moves allows"
    moves = moves_in_words(int(record.game_length[game]))
    return f"after {moves} every path ends without a move, or returns to an earlier board"


SOLVER = Uct

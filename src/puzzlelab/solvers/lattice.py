"""Fills cells by a network's probabilities of the candidates; the rules of the puzzle only check the full board.

A chain begins with every candidate of every blank cell. `eliminate`: the network scores the remaining candidates, and
improbable ones are removed; if there are none, a cell gets its likeliest digit, the most certain one of the cells with
the fewest candidates. `surest`: the most certain of all cells is filled each time and nothing else is removed, for
networks that read only the digits of a board. Each choice of a digit leaves an alternative: the same candidates without
it. A cell without candidates, or a full board that breaks the rules, is a conflict, and the next chain begins (a
restart) at the likeliest alternative, by the product of the probabilities of all choices before it. Where every
alternative has ended in a conflict, an elimination was wrong, and the next chain begins at the start with half the
threshold. `at once` fills all cells after one evaluation, without restarts. A board that no chain solves is returned as
unsolved, so a wrong answer is impossible.
Source: "Lattice Deduction Transformer" (2026); the surest cell first: Shiva Verma (2019).

Shapes: G = boards, C = boards with an active chain, N = cells, D = digits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush, nsmallest
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solver import NETWORK, Attempt, SolverSettings
from puzzlelab.core.views import Candidates, Prior
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.batch_rules import legal_moves, solved
from puzzlelab.engine.candidate_logits import CandidateMask, Logits
from puzzlelab.engine.search_rules import chosen_prior
from puzzlelab.solvers._candidates import view, writer
from puzzlelab.storage import networks

Policy = Literal["eliminate", "surest", "at once"]
MIN_THRESHOLD = 1e-6
"""The least threshold."""
TINY = float(np.finfo(float).tiny)
"""The least probability of an alternative."""
Alternative = tuple[float, int, NDArray[np.uint8]]
"""The cost of the choices before it, which is minus the logarithm of their probability; its number among the
alternatives of its board; and its candidates, as bits."""


class Lattice(SolverSettings):
    """The solver that fills cells by a network's probabilities of candidates, with restarts; never a wrong board.

    Without a `policy` it eliminates if the network reads candidates, and fills the surest cell first if it reads only
    digits. `masked` also removes the candidates that the rules exclude in row, column and box; `singles` also places
    every digit that has only one place in one of them. The answer to a board does not depend on the other boards of a
    batch, except for rounding.
    """

    name: ClassVar[str] = "lattice"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)
    shares_work: ClassVar[bool] = True

    prior: str | Prior | None = None
    """The name of a network (`net`), or a `Prior`: the probability of each move."""
    policy: Policy | None = None
    """The step after each evaluation: candidates are eliminated, the surest cell is filled in, or all cells at once."""
    restarts: int = Field(default=1000, ge=0, le=1_000_000)
    """The most chains after the first one. Each continues the likeliest alternative to an earlier choice."""
    threshold: float = Field(default=0.02, gt=0, lt=0.5)
    """Candidates with a lower probability by the network are removed."""
    masked: bool = False
    """Whether candidates that the rules exclude in row, column and box are removed."""
    singles: bool = False
    """Whether hidden and naked singles are filled in before each evaluation."""

    def options(self) -> Mapping[str, Any]:
        """Return every setting by name; the default network where none is named."""
        return {**super().options(), **({"prior": NETWORK} if self.prior is None else {})}

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Say why this solver cannot solve the puzzle, if so: there is no network, and none is named."""
        return networks.missing(puzzle) if self.prior is None else None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then the result of the chains. Nodes are evaluations by the network."""
        search = self._search([instance], limit)
        for _ in search.passes():
            yield search.progress()
        yield search.results()[0]

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Return the results of the chains of all these boards; the network scores many at once."""
        search = self._search(boards, limit)
        try:
            for _ in search.passes():
                if over():
                    break
        except KeyboardInterrupt:
            pass
        yield Answers.of(boards, search.results()).solved_together(search.seconds)

    def _search(self, instances: Sequence[Instance], limit: Limit) -> LatticeSearch:
        prior = chosen_prior(instances[0].puzzle, self.prior or NETWORK)
        policy: Policy = self.policy or ("eliminate" if prior.reads_candidates else "surest")
        if policy == "eliminate" and not prior.reads_candidates:
            raise Unsupported(f"the network {prior.name} reads only digits and no candidates: use policy=surest")
        restarts = 0 if policy == "at once" else self.restarts
        settings = {"policy": policy, "restarts": restarts, "masked": self.masked or self.singles}
        return LatticeSearch(instances, limit, prior, self.model_copy(update=settings))


class LatticeSearch:
    """The chains of several boards of one puzzle, one at a time for each board."""

    def __init__(self, instances: Sequence[Instance], limit: Limit, prior: Prior, settings: Lattice) -> None:
        """Begin the first chain of each board by settings of the solver, with a policy, and `masked` for `singles`."""
        self.instances, self.limit, self.settings = instances, limit, settings
        self.score_candidates = candidate_logits.logits_of(prior, view(instances[0]))
        self.began = time.perf_counter()
        self.stop: Stop = "interrupted"
        """The reason why open boards are unsolved."""
        self.answer = np.stack([view(instance).digits(instance.state) for instance in instances])
        """[G, N]: the digits of a solution, else the last ones of the first chain, -1 for blank cells."""
        self.start = candidate_logits.all_candidates(self.answer, view(instances[0]).units.all.shape[1])
        """[G, N, D]: the candidates at the start."""
        if settings.masked:
            self.start = self._allowed(self.start)
        count = len(instances)
        self.chains_begun, self.halvings = np.ones(count, np.int64), np.zeros(count, np.int64)
        """[G]: the number of chains begun, and how often the threshold was halved."""
        self.evaluations, self.digits_chosen = np.zeros(count, np.int64), np.zeros(count, np.int64)
        """[G]: the numbers of evaluations and of chosen digits."""
        self.out_of_nodes, self.solved = np.zeros(count, bool), np.zeros(count, bool)
        """[G]: whether the limit of nodes ended a board, and whether it is solved."""
        self.alternatives: list[list[Alternative]] = [[] for _ in instances]
        """A heap for each board."""
        self.boards, self.candidates, self.cost = np.arange(count), self.start.copy(), np.zeros(count)
        """[C], [C, N, D], [C]: the boards with an active chain, its candidates, and the cost of its choices."""

    # --- the chains ---

    def passes(self) -> Generator[None, None, None]:
        """Evaluate every active chain once per pass, until no chain is active."""
        while self._has_chains():
            logits = self.score_candidates(self.candidates)
            self.evaluations[self.boards] += 1
            self._advance(logits)
            self._end_chains()
            yield

    def _has_chains(self) -> bool:
        """Tell whether a chain is active; ends the boards that would exceed the limit of nodes in this pass."""
        if self.limit.seconds is not None and self.seconds >= self.limit.seconds * len(self.instances):
            self.stop = "time"
            return False
        if self.limit.nodes is not None:
            self.out_of_nodes[self.boards] = self.evaluations[self.boards] >= self.limit.nodes
            self._keep_chains(~self.out_of_nodes[self.boards])
        return len(self.boards) > 0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def _advance(self, logits: Logits) -> None:
        """Apply the network's logits to every chain."""
        share = candidate_logits.shares(self.candidates, logits)
        if self.settings.policy == "at once":
            digits = share.argmax(axis=2)
            self.candidates = digits[..., None] == np.arange(share.shape[2])
            return
        if self.settings.policy == "eliminate":
            improbable = candidate_logits.is_improbable(self.candidates, logits, self._thresholds())
            self.candidates &= ~improbable
            cells = candidate_logits.narrowest(self.candidates) & ~candidate_logits.any_of(improbable)[:, None]
        else:
            cells = ~candidate_logits.known(self.candidates)
        chooses = cells.any(axis=1) & ~candidate_logits.empty(self.candidates)
        if chooses.any():
            self._choose(np.flatnonzero(chooses), share[chooses], cells[chooses])
        if self.settings.masked:
            self.candidates = self._allowed(self.candidates)

    def _choose(self, chains: NDArray[np.int64], share: NDArray[np.float64], among: NDArray[np.bool_]) -> None:
        """Fill the most certain of these cells of chains with its likeliest digit, and keep the alternatives."""
        rows, boards = np.arange(len(chains)), self.boards[chains]
        cells = candidate_logits.most_certain_cell(share, among)
        digits = share[rows, cells].argmax(axis=1)
        probability = share[rows, cells, digits]
        others = self.candidates[chains]
        self.candidates[chains] = candidate_logits.written(others, cells, digits)
        others[rows, cells, digits] = False
        cost_of_others = self.cost[chains] - np.log(np.maximum(1 - probability, TINY))
        self.cost[chains] -= np.log(probability)
        for row, board in enumerate(boards):
            self._keep(board, (cost_of_others[row], self.digits_chosen[board], np.packbits(others[row])))
        self.digits_chosen[boards] += 1

    def _keep(self, board: np.int64, alternative: Alternative) -> None:
        """Keep an alternative, and no more of its board than the chains that may still begin can come to."""
        heap, chains = self.alternatives[board], 1 + self.settings.restarts - int(self.chains_begun[board])
        heappush(heap, alternative)
        if len(heap) > 2 * chains:
            heap[:] = nsmallest(chains, heap)

    def _allowed(self, candidates: CandidateMask) -> CandidateMask:
        """Return the candidates that the rules allow.

        With `singles`, after all digits that follow from them are placed.
        """
        while True:
            allowed = self._legal(candidates)
            if not self.settings.singles:
                return allowed
            allowed = candidate_logits.with_only_places(allowed, view(self.instances[0]).units.all)
            if np.array_equal(allowed, candidates):
                return allowed
            candidates = allowed

    def _legal(self, candidates: CandidateMask) -> CandidateMask:
        """Return the candidates without those excluded by placed digits."""
        known = candidate_logits.known(candidates)
        states = self._states(candidates)
        legal = legal_moves(self.instances[0].puzzle, states).reshape(candidates.shape)
        allowed: CandidateMask = candidates & (legal | known[:, :, None])
        return allowed

    def _states(self, candidates: CandidateMask) -> State:
        return candidate_logits.states_of(view(self.instances[0]), candidates)

    def _end_chains(self) -> None:
        """End chains that are solved or in conflict, and begin their successors."""
        known = candidate_logits.known(self.candidates)
        full = known.all(axis=1)
        ended = full | candidate_logits.empty(self.candidates)
        is_solved = np.zeros(len(self.candidates), bool)
        if full.any():
            is_solved[full] = solved(self.instances[0].puzzle, self._states(self.candidates[full]))
        told = is_solved | (ended & (self.chains_begun[self.boards] == 1))
        digits = np.where(known, self.candidates.argmax(axis=2), -1)
        self.answer[self.boards[told]] = digits[told]
        self.solved[self.boards[is_solved]] = True
        active = ~ended
        for chain in np.flatnonzero(ended & ~is_solved):
            active[chain] = self._goes_on(chain, self.boards[chain])
        self._keep_chains(active)

    def _goes_on(self, chain: np.int64, board: np.int64) -> bool:
        """Begin the next chain of a board in the place of one in conflict, and tell whether there is one."""
        if self.chains_begun[board] > self.settings.restarts:
            return False
        start = self.start[board]
        if self.alternatives[board]:
            self.cost[chain], _, bits = heappop(self.alternatives[board])
            self.candidates[chain] = np.unpackbits(bits, count=start.size).reshape(start.shape)
        elif self.settings.policy == "eliminate" and self._thresholds()[chain] > MIN_THRESHOLD:
            self.halvings[board] += 1
            self.cost[chain], self.candidates[chain] = 0.0, start
        else:
            return False
        self.chains_begun[board] += 1
        return True

    def _thresholds(self) -> NDArray[np.float64]:
        """Return `float64[C]`: the probability below which candidates are removed."""
        thresholds: NDArray[np.float64] = np.ldexp(self.settings.threshold, -self.halvings[self.boards])
        return thresholds.clip(MIN_THRESHOLD)

    def _keep_chains(self, chains: NDArray[np.bool_]) -> None:
        self.boards, self.candidates, self.cost = self.boards[chains], self.candidates[chains], self.cost[chains]

    # --- results ---

    def progress(self) -> Progress:
        """Return the work done so far."""
        evaluations = int(self.evaluations.sum())
        return Progress(evaluations, int(self.digits_chosen.sum()), evaluations, 0, self.seconds)

    def results(self) -> list[Result]:
        """Return the result of each board."""
        seconds, busy = self.seconds / len(self.instances), set(self.boards.tolist())
        return [self._result(board, board in busy, seconds) for board in range(len(self.instances))]

    def _result(self, board: int, busy: bool, seconds: float) -> Result:
        evaluations, chosen = int(self.evaluations[board]), int(self.digits_chosen[board])
        work = Result(None, expanded=evaluations, generated=chosen, evaluations=evaluations, seconds=seconds)
        instance, digits = self.instances[board], self.answer[board]
        if self.solved[board]:
            return replace(work, moves=writer(instance)(digits))
        blank = np.flatnonzero((view(instance).digits(instance.state) < 0) & (digits >= 0))
        tried = tuple((blank * self.start.shape[2] + digits[blank]).tolist())
        if busy or self.out_of_nodes[board]:
            return replace(work, stop="nodes" if self.out_of_nodes[board] else self.stop, tried=tried)
        begun = int(self.chains_begun[board])
        chains = "its chain" if begun == 1 else f"each of {begun} chains"
        return replace(work, reason=f"no answer: {chains} ended in a conflict", stop="dead end", tried=tried)


SOLVER = Lattice

"""Fills cells by a network's probabilities of the candidates; the rules of the puzzle only check the full board.

A chain begins with every candidate of every blank cell. `eliminate`: the network scores the remaining candidates, and
improbable ones are removed; if there are none, the cell with the most certain digit is filled. `surest`: that cell is
filled each time and nothing else is removed, for networks that read only the digits of a board. A cell without
candidates, or a full board that breaks the rules, is a conflict, and the next chain begins (a restart): it draws digits
at random by their probabilities, and removes a candidate only at half the threshold. `at once` fills all cells after
one evaluation, without restarts. A board that no chain solves is returned as unsolved, so a wrong answer is impossible.
Source: "Lattice Deduction Transformer" (2026); the surest cell first: Shiva Verma (2019).

Shapes: G = boards, C = active chains, N = cells, D = digits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core import seeds
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
from puzzlelab.engine.kernels import GOLDEN, scramble
from puzzlelab.engine.search_rules import chosen_prior
from puzzlelab.solvers._candidates import view, writer
from puzzlelab.storage import networks

Policy = Literal["eliminate", "surest", "at once"]
MAX_PARALLEL = 16
"""The most active chains of one board."""
MIN_THRESHOLD = 1e-6
"""The least threshold."""
PROBABILITY_POWER = 0.5
"""Digits are drawn with probabilities to this power, because networks are overconfident after a wrong digit."""


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
    restarts: int = Field(default=100, ge=0, le=1_000_000)
    """The most chains after the first one."""
    threshold: float = Field(default=0.02, gt=0, lt=0.5)
    """Candidates with a lower probability by the network are removed."""
    masked: bool = False
    """Whether candidates that the rules exclude in row, column and box are removed."""
    singles: bool = False
    """Whether hidden and naked singles are filled in before each evaluation."""
    seed: int = Field(default=0, ge=0, lt=1 << 63)
    """The seed of the random numbers."""

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
    """The chains of several boards of one puzzle."""

    def __init__(self, instances: Sequence[Instance], limit: Limit, prior: Prior, settings: Lattice) -> None:
        """Begin the first chain of each board by settings of the solver, with a policy, and `masked` for `singles`."""
        self.instances, self.limit, self.settings = instances, limit, settings
        self.score_candidates = candidate_logits.logits_of(prior, view(instances[0]))
        self.began = time.perf_counter()
        self.stop: Stop = "interrupted"
        """The reason why open boards are unsolved."""
        count, board_seeds = len(instances), [seeds.of_board(settings.seed, instance.state) for instance in instances]
        self.seeds = np.array(board_seeds, np.uint64)
        """[G]."""
        self.answer = np.stack([view(instance).digits(instance.state) for instance in instances])
        """[G, N]: the digits of a solution, else the last ones of the first chain, -1 for blank cells."""
        self.start = candidate_logits.all_candidates(self.answer, view(instances[0]).units.all.shape[1])
        """[G, N, D]: the candidates at the start of a chain."""
        if settings.masked:
            self.start = self._allowed(self.start)
        self.chains_begun = np.ones(count, np.int64)
        """[G]: the number of chains begun."""
        self.evaluations, self.digits_chosen = np.zeros(count, np.int64), np.zeros(count, np.int64)
        """[G]: the numbers of evaluations and of chosen digits."""
        self.out_of_nodes = np.zeros(count, bool)
        """[G]: whether the limit of nodes ended a board."""
        self.winning_chain = np.full(count, -1)
        """[G]: the number of the chain with the solution, -1 without one."""
        self.chain_board, self.chain_number = np.arange(count), np.zeros(count, np.int64)
        """[C]: the board of each chain, and its number among the chains of that board."""
        self.candidates = self.start.copy()
        """[C, N, D]."""
        self.draws = np.zeros(count, np.int64)
        """[C]: the number of digits chosen, which is the position in the chain's random numbers."""

    # --- the chains ---

    def passes(self) -> Generator[None, None, None]:
        """Evaluate every active chain once per pass, until no chain is active."""
        while self._has_chains():
            logits = self.score_candidates(self.candidates)
            np.add.at(self.evaluations, self.chain_board, 1)
            self._advance(logits)
            self._end_chains()
            yield

    def _has_chains(self) -> bool:
        """Tell whether a chain is active; ends the boards that would exceed the limit of nodes in this pass."""
        count = len(self.instances)
        if self.limit.seconds is not None and self.seconds >= self.limit.seconds * count:
            self.stop = "time"
            return False
        if self.limit.nodes is not None:
            active = np.bincount(self.chain_board, minlength=count)
            self.out_of_nodes |= (active > 0) & (self.evaluations + active > self.limit.nodes)
            self._keep_chains(~self.out_of_nodes[self.chain_board])
        return len(self.chain_board) > 0

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
        chooses: NDArray[np.bool_] = np.ones(len(self.candidates), bool)
        if self.settings.policy == "eliminate":
            threshold = np.maximum(self.settings.threshold * 0.5 ** np.minimum(self.chain_number, 60), MIN_THRESHOLD)
            improbable = candidate_logits.is_improbable(self.candidates, logits, threshold)
            chooses = ~candidate_logits.any_of(improbable)
            self.candidates &= ~improbable
        is_open = ~candidate_logits.known(self.candidates)
        chooses &= is_open.any(axis=1) & ~candidate_logits.empty(self.candidates)
        if chooses.any():
            self._place_digits(chooses, share[chooses], is_open[chooses])
        if self.settings.masked:
            self.candidates = self._allowed(self.candidates)

    def _place_digits(self, chains: NDArray[np.bool_], share: NDArray[np.float64], open_: NDArray[np.bool_]) -> None:
        """Fill the surest cell of these chains: with the likeliest digit, or after a restart with a random one."""
        cells = candidate_logits.most_certain_cell(share, open_)
        probabilities = share[np.arange(len(share)), cells]
        weights = probabilities**PROBABILITY_POWER
        drawn = (
            weights.cumsum(axis=1) > self._random_numbers(chains)[:, None] * weights.sum(axis=1, keepdims=True)
        ).argmax(1)
        digits = np.where(self.chain_number[chains] == 0, probabilities.argmax(axis=1), drawn)
        self.candidates[chains] = candidate_logits.written(self.candidates[chains], cells, digits)
        self.draws[chains] += 1
        np.add.at(self.digits_chosen, self.chain_board[chains], 1)

    def _random_numbers(self, chains: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return random numbers in [0, 1) by the board, the chain, and the number of earlier draws."""
        chain_seed = scramble(
            self.seeds[self.chain_board[chains]] + GOLDEN * self.chain_number[chains].astype(np.uint64)
        )
        hashed = scramble(chain_seed + GOLDEN * (1 + self.draws[chains].astype(np.uint64)))
        uniform: NDArray[np.float64] = (hashed >> np.uint64(11)).astype(float) * 2.0**-53
        return uniform

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
        """End chains that are solved or in conflict, and start their successors."""
        empty = candidate_logits.empty(self.candidates)
        full = np.all(candidate_logits.known(self.candidates), axis=1)
        is_solved = np.zeros(len(self.candidates), bool)
        if full.any():
            is_solved[full] = solved(self.instances[0].puzzle, self._states(self.candidates[full]))
        first_ended = (empty | full) & ~is_solved & (self.chain_number == 0)
        likely = np.where(self.candidates.any(axis=2), self.candidates.argmax(axis=2), -1)
        digits = np.where(candidate_logits.known(self.candidates), likely, -1)
        self.answer[self.chain_board[first_ended]] = digits[first_ended]
        for chain in np.flatnonzero(is_solved):
            board = self.chain_board[chain]
            if self.winning_chain[board] < 0 or self.chain_number[chain] < self.winning_chain[board]:
                self.winning_chain[board], self.answer[board] = self.chain_number[chain], digits[chain]
        ended = empty | full
        ended |= (self.winning_chain[self.chain_board] >= 0) & (
            self.chain_number > self.winning_chain[self.chain_board]
        )
        if ended.any():
            self._keep_chains(~ended)
            self._start_chains()

    def _keep_chains(self, chains: NDArray[np.bool_]) -> None:
        self.chain_board, self.chain_number = self.chain_board[chains], self.chain_number[chains]
        self.candidates, self.draws = self.candidates[chains], self.draws[chains]

    def _start_chains(self) -> None:
        """Start as many chains as before for open boards without one, within `MAX_PARALLEL` and the restarts."""
        busy = np.zeros(len(self.instances), bool)
        busy[self.chain_board] = True
        max_chains = 1 + self.settings.restarts
        open_boards = np.flatnonzero(
            ~busy & ~self.out_of_nodes & (self.winning_chain < 0) & (self.chains_begun < max_chains)
        )
        if not len(open_boards):
            return
        sizes = np.minimum(
            np.minimum(self.chains_begun[open_boards], MAX_PARALLEL), max_chains - self.chains_begun[open_boards]
        )
        owner = np.repeat(open_boards, sizes)
        number = np.concatenate(
            [self.chains_begun[board] + np.arange(size) for board, size in zip(open_boards, sizes, strict=True)]
        )
        candidates = self.start[owner]
        self.chains_begun[open_boards] += sizes
        self.chain_board, self.chain_number = (
            np.concatenate([self.chain_board, owner]),
            np.concatenate([self.chain_number, number]),
        )
        self.candidates = np.concatenate([self.candidates, candidates])
        self.draws = np.concatenate([self.draws, np.zeros(len(owner), np.int64)])

    # --- results ---

    def progress(self) -> Progress:
        """Return the work done so far."""
        evaluations = int(self.evaluations.sum())
        return Progress(evaluations, int(self.digits_chosen.sum()), evaluations, 0, self.seconds)

    def results(self) -> list[Result]:
        """Return the result of each board."""
        seconds, busy = self.seconds / len(self.instances), set(self.chain_board.tolist())
        return [self._result(board, board in busy, seconds) for board in range(len(self.instances))]

    def _result(self, board: int, busy: bool, seconds: float) -> Result:
        evaluations, chosen = int(self.evaluations[board]), int(self.digits_chosen[board])
        work = Result(None, expanded=evaluations, generated=chosen, evaluations=evaluations, seconds=seconds)
        instance, digits = self.instances[board], self.answer[board]
        if self.winning_chain[board] >= 0:
            return replace(work, moves=writer(instance)(digits))
        blank = np.flatnonzero((view(instance).digits(instance.state) < 0) & (digits >= 0))
        tried = tuple((blank * self.start.shape[2] + digits[blank]).tolist())
        if busy or self.out_of_nodes[board]:
            return replace(work, stop="nodes" if self.out_of_nodes[board] else self.stop, tried=tried)
        begun = int(self.chains_begun[board])
        chains = "its chain" if begun == 1 else f"each of {begun} chains"
        return replace(work, reason=f"no answer: {chains} ended in a conflict", stop="dead end", tried=tried)


SOLVER = Lattice

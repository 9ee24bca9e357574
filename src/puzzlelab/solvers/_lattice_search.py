"""The chains of `lattice`: what a network's marks are made into, board by board and restart by restart.

Shapes: G = boards, C = chains that are under way, N = cells, D = digits.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import seeds
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, State
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.views import Prior
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.batch_rules import legal_moves, solved
from puzzlelab.engine.candidate_logits import CandidateMask, Logits
from puzzlelab.engine.kernels import GOLDEN, scramble
from puzzlelab.solvers._candidates import view, writer

Policy = Literal["eliminate", "surest", "at once"]
ABREAST = 16
"""Chains of one board that are under way at once, at most."""
LEAST = 1e-6
"""The threshold never falls below this."""
FLATTER = 0.5
"""Digits are drawn with probabilities to this power: a network is surer than it should be where it was wrong before."""


class LatticeSearch:
    """The chains of some boards of one puzzle, from the first chain of each."""

    def __init__(
        self,
        instances: Sequence[Instance],
        limit: Limit,
        prior: Prior,
        policy: Policy,
        restarts: int = 0,
        threshold: float = 0.02,
        masked: bool = False,
        seed: int = 0,
    ) -> None:
        self.instances, self.limit, self.policy = instances, limit, policy
        self.restarts, self.threshold, self.masked = restarts, threshold, masked
        self.marks = candidate_logits.logits_of(prior, view(instances[0]))
        self.since = time.perf_counter()
        self.stop: Stop = "interrupted"
        """Why boards that are open are so."""
        count, sown = len(instances), [seeds.of_board(seed, instance.state) for instance in instances]
        self.seeds = np.array(sown, np.uint64)
        """[G]."""
        self.answer = np.stack([view(instance).digits(instance.state) for instance in instances])
        """[G, N]: the digits of a solution, else those that the first chain ended with, -1 for cells without one."""
        self.start = candidate_logits.all_candidates(self.answer, view(instances[0]).units.all.shape[1])
        """[G, N, D]: what is left at the beginning of a chain."""
        if masked:
            self.start = self._legal(self.start)
        self.begun = np.ones(count, np.int64)
        """[G]: chains that were begun."""
        self.asked, self.chosen = np.zeros(count, np.int64), np.zeros(count, np.int64)
        """[G]: questions to the network, and digits that were chosen."""
        self.spent = np.zeros(count, bool)
        """[G]: boards that were given up because of a limit of nodes."""
        self.won = np.full(count, -1)
        """[G]: the number of the chain that found the solution, -1 where none did."""
        self.owner, self.number = np.arange(count), np.zeros(count, np.int64)
        """[C]: the board of each chain, and how many chains of that board were begun before it."""
        self.left = self.start.copy()
        """[C, N, D]."""
        self.drawn = np.zeros(count, np.int64)
        """[C]: digits that were chosen, which is where the chain's random numbers stand."""

    # --- the chains ---

    def passes(self) -> Generator[None, None, None]:
        """One question about each chain, and what follows from the answer, until no chain is under way."""
        while self._may_go_on():
            logits = self.marks(self.left)
            np.add.at(self.asked, self.owner, 1)
            self._advance(logits)
            self._settle()
            yield

    def _may_go_on(self) -> bool:
        """Whether a chain is left; ends those of boards that may not be asked about as often as they would be now."""
        count = len(self.instances)
        if self.limit.seconds is not None and self._seconds >= self.limit.seconds * count:
            self.stop = "time"
            return False
        if self.limit.nodes is not None:
            now = np.bincount(self.owner, minlength=count)
            self.spent |= (now > 0) & (self.asked + now > self.limit.nodes)
            self._keep(~self.spent[self.owner])
        return len(self.owner) > 0

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self.since

    def _advance(self, logits: Logits) -> None:
        """What each chain does with what the network says."""
        share = candidate_logits.shares(self.left, logits)
        if self.policy == "at once":
            digits = share.argmax(axis=2)
            self.left = digits[..., None] == np.arange(share.shape[2])
            return
        chooses: NDArray[np.bool_] = np.ones(len(self.left), bool)
        if self.policy == "eliminate":
            halved = np.maximum(self.threshold * 0.5 ** np.minimum(self.number, 60), LEAST)
            low = candidate_logits.is_improbable(self.left, logits, halved)
            chooses = ~candidate_logits.any_of(low)
            self.left &= ~low
        open_ = ~candidate_logits.known(self.left)
        chooses &= open_.any(axis=1) & ~candidate_logits.empty(self.left)
        if chooses.any():
            self._choose(chooses, share[chooses], open_[chooses])
        if self.masked:
            self.left = self._legal(self.left)

    def _choose(self, chains: NDArray[np.bool_], share: NDArray[np.float64], open_: NDArray[np.bool_]) -> None:
        """Write a digit in the surest cell of each of these chains: the likeliest, and after a restart a random one."""
        cells = candidate_logits.most_certain_cell(share, open_)
        likely = share[np.arange(len(share)), cells]
        flat = likely**FLATTER
        drawn = (flat.cumsum(axis=1) > self._chances(chains)[:, None] * flat.sum(axis=1, keepdims=True)).argmax(1)
        digits = np.where(self.number[chains] == 0, likely.argmax(axis=1), drawn)
        self.left[chains] = candidate_logits.written(self.left[chains], cells, digits)
        self.drawn[chains] += 1
        np.add.at(self.chosen, self.owner[chains], 1)

    def _chances(self, chains: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Numbers from [0, 1) that depend on the board, the chain, and how many it has drawn."""
        own = scramble(self.seeds[self.owner[chains]] + GOLDEN * self.number[chains].astype(np.uint64))
        mixed = scramble(own + GOLDEN * (1 + self.drawn[chains].astype(np.uint64)))
        found: NDArray[np.float64] = (mixed >> np.uint64(11)).astype(float) * 2.0**-53
        return found

    def _legal(self, left: CandidateMask) -> CandidateMask:
        """Without what the digits that are known forbid by the rules."""
        known = candidate_logits.known(left)
        states = self._states(left)
        legal = legal_moves(self.instances[0].puzzle, states).reshape(left.shape)
        found: CandidateMask = left & (legal | known[:, :, None])
        return found

    def _states(self, left: CandidateMask) -> State:
        return candidate_logits.states_of(view(self.instances[0]), left)

    def _settle(self) -> None:
        """End chains that are solved or in conflict, and begin those that come after them."""
        empty = candidate_logits.empty(self.left)
        full = np.all(candidate_logits.known(self.left), axis=1)
        right = np.zeros(len(self.left), bool)
        if full.any():
            right[full] = solved(self.instances[0].puzzle, self._states(self.left[full]))
        first = (empty | full) & ~right & (self.number == 0)
        likely = np.where(self.left.any(axis=2), self.left.argmax(axis=2), -1)
        sure = np.where(candidate_logits.known(self.left), likely, -1)
        self.answer[self.owner[first]] = sure[first]
        for chain in np.flatnonzero(right):
            board = self.owner[chain]
            if self.won[board] < 0 or self.number[chain] < self.won[board]:
                self.won[board], self.answer[board] = self.number[chain], sure[chain]
        over = empty | full
        over |= (self.won[self.owner] >= 0) & (self.number > self.won[self.owner])
        if over.any():
            self._keep(~over)
            self._begin_more()

    def _keep(self, chains: NDArray[np.bool_]) -> None:
        self.owner, self.number = self.owner[chains], self.number[chains]
        self.left, self.drawn = self.left[chains], self.drawn[chains]

    def _begin_more(self) -> None:
        """For open boards without a chain as many as they had before, up to `ABREAST`, and no more than they may."""
        busy = np.zeros(len(self.instances), bool)
        busy[self.owner] = True
        most = 1 + self.restarts
        open_ = np.flatnonzero(~busy & ~self.spent & (self.won < 0) & (self.begun < most))
        if not len(open_):
            return
        sizes = np.minimum(np.minimum(self.begun[open_], ABREAST), most - self.begun[open_])
        owner = np.repeat(open_, sizes)
        number = np.concatenate([self.begun[board] + np.arange(size) for board, size in zip(open_, sizes, strict=True)])
        left = self.start[owner]
        self.begun[open_] += sizes
        self.owner, self.number = np.concatenate([self.owner, owner]), np.concatenate([self.number, number])
        self.left = np.concatenate([self.left, left])
        self.drawn = np.concatenate([self.drawn, np.zeros(len(owner), np.int64)])

    # --- what is told ---

    def progress(self) -> Progress:
        """Where the chains stand."""
        asked = int(self.asked.sum())
        return Progress(asked, int(self.chosen.sum()), asked, 0, self._seconds)

    def results(self) -> list[Result]:
        """What is known of each board."""
        seconds, busy = self._seconds / len(self.instances), set(self.owner.tolist())
        return [self._result(board, board in busy, seconds) for board in range(len(self.instances))]

    def _result(self, board: int, busy: bool, seconds: float) -> Result:
        asked, chosen = int(self.asked[board]), int(self.chosen[board])
        counts = (0, asked, chosen, asked, seconds)
        instance, digits = self.instances[board], self.answer[board]
        if self.won[board] >= 0:
            return Result(writer(instance)(digits), "none", "", "done", *counts)
        blank = np.flatnonzero((view(instance).digits(instance.state) < 0) & (digits >= 0))
        tried = tuple((blank * self.start.shape[2] + digits[blank]).tolist())
        if busy or self.spent[board]:
            return Result(None, "none", "", "nodes" if self.spent[board] else self.stop, *counts, tried)
        begun = int(self.begun[board])
        chains = "its chain" if begun == 1 else f"each of {begun} chains"
        return Result(None, "none", f"no answer: {chains} ended in a conflict", "dead end", *counts, tried)

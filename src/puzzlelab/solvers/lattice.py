"""Filling cells by what a network thinks of the candidates that are left, with no rule of the puzzle but a last check.

A chain begins with every candidate of every blank cell. `eliminate`: the network is asked about the candidates that are
left, and those that it holds for improbable go; where none does, the cell that it is surest of gets a digit. `surest`:
that cell gets its digit each time, and nothing else is taken away, for networks that know the digits of a board alone.
A cell without candidates, or a full board that the rules refuse, is a conflict, and the next chain begins: it draws its
digits at random as the network thinks, and takes away only half of what was improbable enough for the one before. `at
once` fills all cells after one question. A board that no chain solves is given back unsolved; a wrong answer is
impossible. Source: "Lattice Deduction Transformer" (2026); the surest cell first: Shiva Verma (2019).

Shapes: G = boards, C = chains that are under way, N = cells, D = digits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core import networks, seeds
from puzzlelab.core.batches import legal_moves, solved
from puzzlelab.core.errors import BadOption, NotSuited, PuzzlelabError
from puzzlelab.core.kernels import GOLDEN, scramble
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Candidates, Instance, Prior, Puzzle, State
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.settings import Settings
from puzzlelab.core.solver import Attempt, chosen_prior
from puzzlelab.solvers import _marks
from puzzlelab.solvers._candidates import view, writer
from puzzlelab.solvers._marks import Left, Logits

Policy = Literal["eliminate", "surest", "at once"]
ABREAST = 16
"""Chains of one board that are under way at once, at most."""
LEAST = 1e-6
"""The threshold never falls below this."""


class Lattice(Settings):
    """Fills cells by what a network thinks of the candidates that are left, with restarts; never gives a wrong board.

    Without a `policy` it eliminates where the network knows candidates, and fills the surest cell first where it knows
    digits alone. `masked` takes away by rule what a digit forbids in its row, column and box. The answer of a board
    does not depend on which others are solved beside it, but for rounding.
    """

    name: ClassVar[str] = "lattice"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)

    prior: str | Prior | None = None
    policy: Policy | None = None
    restarts: int = Field(default=100, ge=0, le=1_000_000)
    """Chains after the first one."""
    threshold: float = Field(default=0.02, gt=0, lt=0.5)
    """Candidates that are less probable go; the network's own weights decide how probability is meant."""
    masked: bool = False
    seed: int = Field(default=0, ge=0, lt=1 << 63)

    def options(self) -> dict[str, Any]:
        """Every setting by name; the network that is asked where none was named."""
        return {**super().options(), **({"prior": networks.PREFIX} if self.prior is None else {})}

    def refusal(self, puzzle: Puzzle) -> str | None:
        """That there is no network to ask, where none was named."""
        return networks.missing(puzzle) if self.prior is None else None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then how the chains ended. Nodes are questions to the network."""
        search = Search.of(self, [instance], limit)
        for _ in search.passes():
            yield search.progress()
        yield search.results()[0]

    def solve_batch(self, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool]) -> list[Result]:
        """How the chains of all these boards ended; the network is asked about many at once."""
        search = Search.of(self, instances, limit)
        try:
            for _ in search.passes():
                if over():
                    break
        except KeyboardInterrupt:
            pass
        return search.results()


@dataclass
class Search:
    """The chains of some boards of one puzzle."""

    solver: Lattice
    instances: Sequence[Instance]
    limit: Limit
    policy: Policy
    marks: Callable[[Left], Logits]
    start: Left
    """[G, N, D]: what is left at the beginning of a chain."""
    seeds: NDArray[np.uint64]
    """[G]."""
    owner: NDArray[np.int64]
    """[C]: the board of each chain, in order."""
    number: NDArray[np.int64]
    """[C]: 0 for the first chain of a board, in order."""
    left: Left
    """[C, N, D]."""
    drawn: NDArray[np.int64]
    """[C]: digits that were chosen, which is where the chain's random numbers stand."""
    begun: NDArray[np.int64]
    """[G]: chains that were begun."""
    asked: NDArray[np.int64]
    """[G]: questions to the network."""
    chosen: NDArray[np.int64]
    """[G]: digits that were chosen."""
    answer: NDArray[np.int64]
    """[G, N]: the digits of a solution, else those that the first chain ended with, -1 for cells without one."""
    won: NDArray[np.int64]
    """[G]: the number of the chain that found the solution, -1 where none did."""
    since: float = field(default_factory=time.perf_counter)
    stop: Stop = "interrupted"
    """Why boards that are open are so."""

    @classmethod
    def of(cls, solver: Lattice, instances: Sequence[Instance], limit: Limit) -> Search:
        """With the first chain of each board."""
        puzzle = instances[0].puzzle
        prior = chosen_prior(puzzle, solver.prior or networks.PREFIX)
        policy: Policy = solver.policy or ("eliminate" if prior.eliminates else "surest")
        if policy == "eliminate" and not prior.eliminates:
            raise NotSuited(f"the network {prior.name} knows digits alone, not candidates: policy=surest")
        if policy == "at once" and solver.restarts and "restarts" in solver.model_fields_set:
            raise BadOption("lattice: all at once is one question, which restarts would only repeat")
        states = np.stack([instance.state for instance in instances])
        digits = np.stack([view(instance).digits(instance.state) for instance in instances])
        count = len(instances)
        start = _unruled(digits, view(instances[0]).units.all.shape[1])
        sown = np.array([seeds.of_board(solver.seed, state) for state in states], np.uint64)
        found = cls(
            solver,
            instances,
            limit,
            policy,
            _asking(prior, view(instances[0])),
            start,
            sown,
            np.arange(count),
            np.zeros(count, np.int64),
            start.copy(),
            *(np.zeros(count, np.int64) for _ in range(4)),
            digits.copy(),
            np.full(count, -1),
        )
        found.begun += 1
        if solver.masked:
            found.left = found._masked(found.left)
        return found

    # --- the chains ---

    def passes(self) -> Generator[None, None, None]:
        """One question about each chain, and what follows from the answer, until no chain is under way."""
        while len(self.owner):
            if (stop := self._reached()) is not None:
                self.stop = stop
                return
            logits = self.marks(self.left)
            np.add.at(self.asked, self.owner, 1)
            self._advance(logits)
            self._settle()
            yield

    def _reached(self) -> Stop | None:
        """The limit that is reached by all boards together."""
        count = len(self.instances)
        if self.limit.seconds is not None and self._seconds >= self.limit.seconds * count:
            return "time"
        return "nodes" if self.limit.nodes is not None and self.asked.sum() >= self.limit.nodes * count else None

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self.since

    def _advance(self, logits: Logits) -> None:
        """What each chain does with what the network says."""
        share = _marks.shares(self.left, logits)
        if self.policy == "at once":
            digits = share.argmax(axis=2)
            self.left = digits[..., None] == np.arange(share.shape[2])
            return
        chooses = np.ones(len(self.left), bool)
        if self.policy == "eliminate":
            halved = np.maximum(self.solver.threshold * 0.5 ** np.minimum(self.number, 60), LEAST)
            low = _marks.below(self.left, logits, halved)
            chooses = ~low.any(axis=(1, 2))
            self.left &= ~low
        open_ = ~_marks.known(self.left)
        chooses &= open_.any(axis=1) & self.left.any(axis=2).all(axis=1)
        if chooses.any():
            self._choose(chooses, share[chooses], open_[chooses])
        if self.solver.masked:
            self.left = self._masked(self.left)

    def _choose(self, chains: NDArray[np.bool_], share: NDArray[np.float64], open_: NDArray[np.bool_]) -> None:
        """Write a digit in the surest cell of each of these chains: the likeliest, and after a restart a random one."""
        cells = _marks.surest(share, open_)
        likely = share[np.arange(len(share)), cells]
        drawn = (likely.cumsum(axis=1) > self._chances(chains)[:, None] * likely.sum(axis=1, keepdims=True)).argmax(1)
        digits = np.where(self.number[chains] == 0, likely.argmax(axis=1), drawn)
        self.left[chains] = _marks.written(self.left[chains], cells, digits)
        self.drawn[chains] += 1
        np.add.at(self.chosen, self.owner[chains], 1)

    def _chances(self, chains: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Numbers from [0, 1) that depend on the board, the chain, and how many it has drawn."""
        own = scramble(self.seeds[self.owner[chains]] + GOLDEN * self.number[chains].astype(np.uint64))
        mixed = scramble(own + GOLDEN * (1 + self.drawn[chains].astype(np.uint64)))
        found: NDArray[np.float64] = (mixed >> np.uint64(11)).astype(float) * 2.0**-53
        return found

    def _masked(self, left: Left) -> Left:
        """Without what the digits that are known forbid by the rules."""
        known = _marks.known(left)
        states = self._states(left)
        legal = legal_moves(self.instances[0].puzzle, states).reshape(left.shape)
        found: Left = left & (legal | known[:, :, None])
        return found

    def _states(self, left: Left) -> State:
        digits = np.where(_marks.known(left), left.argmax(axis=2), -1)
        return view(self.instances[0]).written(digits)

    def _settle(self) -> None:
        """End chains that are solved or in conflict, and begin those that come after them."""
        empty = ~self.left.any(axis=2).all(axis=1)
        full = _marks.known(self.left).all(axis=1)
        right = np.zeros(len(self.left), bool)
        if full.any():
            right[full] = solved(self.instances[0].puzzle, self._states(self.left[full]))
        first = (empty | full) & ~right & (self.number == 0)
        likely = np.where(self.left.any(axis=2), self.left.argmax(axis=2), -1)
        sure = np.where(_marks.known(self.left), likely, -1)
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
        most = 1 if self.policy == "at once" else 1 + self.solver.restarts
        open_ = np.flatnonzero(~busy & (self.won < 0) & (self.begun < most))
        if not len(open_):
            return
        sizes = np.minimum(np.minimum(self.begun[open_], ABREAST), most - self.begun[open_])
        owner = np.repeat(open_, sizes)
        number = np.concatenate([self.begun[board] + np.arange(size) for board, size in zip(open_, sizes, strict=True)])
        left = self.start[owner]
        self.begun[open_] += sizes
        self.owner, self.number = np.concatenate([self.owner, owner]), np.concatenate([self.number, number])
        self.left = np.concatenate([self.left, self._masked(left) if self.solver.masked else left])
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
        if busy:
            return Result(None, "none", "", self.stop, *counts, tried)
        begun = int(self.begun[board])
        chains = "its chain" if begun == 1 else f"each of {begun} chains"
        return Result(None, "none", f"no answer: {chains} ended in a conflict", "dead end", *counts, tried)


def _unruled(digits: NDArray[np.int64], count: int) -> Left:
    """`bool[G, N, D]`: every candidate of a blank cell, and the digit of any other."""
    found: Left = (digits[..., None] < 0) | (digits[..., None] == np.arange(count))
    return found


def _asking(prior: Prior, puzzle: Candidates) -> Callable[[Left], Logits]:
    """What is asked about candidates; a prior that knows states alone is asked about the digits that are known."""

    def marks(left: Left) -> Logits:
        if prior.marks is not None:
            found = np.asarray(prior.marks(left))
        else:
            digits = np.where(_marks.known(left), left.argmax(axis=2), -1)
            found = np.asarray(prior.scores(puzzle.written(digits)))
        if found.size != left.size or np.isnan(found).any():
            raise PuzzlelabError(f"the prior '{prior.name}' must give a number for each candidate of each board")
        return found.reshape(left.shape)

    return marks


SOLVER = Lattice

"""The answers to many boards of one puzzle as columns: a number for each board, and all moves in one array.

Shapes: B = boards, S = length of a state, L = moves of all solutions together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, get_args, overload

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Boards, runs
from puzzlelab.core.puzzle import State
from puzzlelab.core.result import Count, Proof, Result, Rules, Stop

PROOFS: tuple[Proof, ...] = get_args(Proof)
STOPS: tuple[Stop, ...] = get_args(Stop)
CONFIRMED_BY: tuple[Rules | None, ...] = (None, *get_args(Rules))
UNSOLVED = -1
"""The length of an answer without moves."""
COLUMNS = {
    "lengths": np.int32,
    "lower_bounds": np.int64,
    "proofs": np.uint8,
    "stops": np.uint8,
    "expanded": np.int64,
    "generated": np.int64,
    "evaluations": np.int64,
    "seconds": np.float64,
    "verified_by": np.uint8,
}
"""Fields of `Answers` with a value for each board, and their types."""
RARE = ("reason", "tried", "cost", "score", "upper_bound")
"""Fields of a result that few boards have; their values are kept by board."""


@dataclass(frozen=True)
class BatchTime:
    """The time of boards that were solved together.

    In a file of rows it is a line after the rows of these boards: of the last `boards` rows before it that have an
    answer and no `seconds` of their own.
    """

    boards: int
    seconds: float

    def to_json(self) -> str:
        """Return the time on one line."""
        return json.dumps({"batch": {"boards": self.boards, "seconds": self.seconds}})


@dataclass(frozen=True, eq=False)
class Answers(Sequence[Result]):
    """The answers to boards: a sequence of `Result`s, which are made when they are asked for.

    A board that cannot be read (`boards.errors`) has no answer: its columns are those of a board without moves, and it
    raises `BadBoard` when it is asked for, as in `boards`. `engine.solving` gives verified answers, a solver gives
    answers that are not verified yet.
    """

    boards: Boards
    lengths: NDArray[np.int32]
    """[B]: the number of moves, or `UNSOLVED`."""
    moves: NDArray[np.int32]
    """[L]: the moves of all solutions, one solution after the other."""
    lower_bounds: NDArray[np.int64]
    """[B]."""
    proofs: NDArray[np.uint8]
    """[B]: places in `PROOFS`."""
    stops: NDArray[np.uint8]
    """[B]: places in `STOPS`."""
    expanded: NDArray[np.int64]
    """[B]."""
    generated: NDArray[np.int64]
    """[B]."""
    evaluations: NDArray[np.int64]
    """[B]."""
    seconds: NDArray[np.float64]
    """[B]: nan for boards that were solved together with others."""
    verified_by: NDArray[np.uint8]
    """[B]: places in `CONFIRMED_BY`, the rules that confirm the answer: its moves, or that the board is unsolvable."""
    rare: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """Board -> its fields in `RARE` that are not empty."""
    batch: BatchTime | None = None
    """The time of the boards whose `seconds` are nan, if there are any."""
    ends: State | None = None
    """[B, S]: the states in which the solutions end; None if not all of them are known."""

    @classmethod
    def of(cls, boards: Boards, results: Iterable[Result]) -> Answers:
        """Return the columns of these results, one for each board."""
        if isinstance(results, Answers):
            return results
        results = list(results)
        values = {
            "lengths": [UNSOLVED if result.moves is None else len(result.moves) for result in results],
            "lower_bounds": [result.lower_bound for result in results],
            "proofs": [PROOFS.index(result.proof) for result in results],
            "stops": [STOPS.index(result.stop) for result in results],
            "expanded": [result.expanded for result in results],
            "generated": [result.generated for result in results],
            "evaluations": [result.evaluations for result in results],
            "seconds": [np.nan if result.seconds is None else result.seconds for result in results],
            "verified_by": [CONFIRMED_BY.index(result.verified_by) for result in results],
        }
        rare = {place: fields for place, result in enumerate(results) if (fields := _rare(result))}
        moves = np.array(list(chain.from_iterable(result.moves or () for result in results)), np.int32)
        columns: dict[str, Any] = {name: np.array(values[name], kind) for name, kind in COLUMNS.items()}
        return cls(boards, **columns, moves=moves, rare=rare)

    @classmethod
    def blank(cls, boards: Boards, **values: Any) -> Answers:
        """Return answers without moves and proofs; `values` are arrays or one value for all boards, by column."""
        count = len(boards)
        columns: dict[str, Any] = {
            name: np.full(count, values.get(name, UNSOLVED if name == "lengths" else 0), kind)
            for name, kind in COLUMNS.items()
        }
        return cls(boards, **columns, moves=np.zeros(0, np.int32))

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """`int64[B + 1]`: where the moves of each board begin in `moves`; the last is L."""
        return np.concatenate([[0], np.cumsum(np.maximum(self.lengths, 0), dtype=np.int64)])

    def __len__(self) -> int:
        return len(self.lengths)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> Answers: ...
    def __getitem__(self, index: int | slice) -> Result | Answers:
        if isinstance(index, slice):
            return self._range(*index.indices(len(self)))
        place = range(len(self))[index]
        seconds = float(self.seconds[place])
        return Result(
            self.moves_of(place),
            PROOFS[self.proofs[place]],
            stop=STOPS[self.stops[place]],
            lower_bound=int(self.lower_bounds[place]),
            expanded=int(self.expanded[place]),
            generated=int(self.generated[place]),
            evaluations=int(self.evaluations[place]),
            seconds=None if np.isnan(seconds) else seconds,
            verified_by=CONFIRMED_BY[self.verified_by[place]],
            instance=self.boards[place],
            **self.rare.get(place, {}),
        )

    def moves_of(self, place: int) -> tuple[int, ...] | None:
        """Return the moves of one board, or None."""
        if self.lengths[place] == UNSOLVED:
            return None
        return tuple(self.moves[self.offsets[place] : self.offsets[place + 1]].tolist())

    def _range(self, begin: int, end: int, step: int) -> Answers:
        """Return the answers to consecutive boards; the time of a batch is kept if all its boards are among them."""
        if step != 1:
            raise ValueError("a part of answers is a range of its boards")
        end = max(begin, end)
        if (begin, end) == (0, len(self)):
            return self
        columns: dict[str, Any] = {name: getattr(self, name)[begin:end] for name in COLUMNS}
        rare = {place - begin: fields for place, fields in self.rare.items() if begin <= place < end}
        moves = self.moves[self.offsets[begin] : self.offsets[end]]
        ends = None if self.ends is None else self.ends[begin:end]
        batch = self.batch if np.isnan(columns["seconds"]).sum() == np.isnan(self.seconds).sum() else None
        return Answers(self.boards[begin:end], **columns, moves=moves, rare=rare, batch=batch, ends=ends)

    def solved_together(self, seconds: float) -> Answers:
        """Return these answers with the seconds that a solver took: the time of one board, or of a batch."""
        if len(self) == 1:
            return replace(self, seconds=np.array([seconds]))
        return replace(self, seconds=np.full(len(self), np.nan), batch=BatchTime(len(self), round(seconds, 6)))

    def among(self, boards: Boards, places: NDArray[np.int64], **others: Any) -> Answers:
        """Return the answers to these boards among others, which have no answer, and `others` in some columns."""
        columns: dict[str, Any] = {}
        blank = Answers.blank(boards, **others)
        for name in COLUMNS:
            columns[name] = getattr(blank, name)
            columns[name][places] = getattr(self, name)
        rare = {int(places[place]): fields for place, fields in self.rare.items()}
        ends = self.ends
        if ends is not None:
            ends = np.zeros((len(boards), ends.shape[1]), ends.dtype)
            ends[places] = self.ends
        return replace(self, boards=boards, **columns, rare=rare, ends=ends)

    # --- many boards at once ---

    @property
    def is_solved(self) -> NDArray[np.bool_]:
        """`bool[B]`: the boards with moves."""
        return np.asarray(self.lengths != UNSOLVED)

    def is_stopped_by(self, stop: Stop) -> NDArray[np.bool_]:
        """Return `bool[B]`: the searches that ended for this reason."""
        return np.asarray((self.stops == STOPS.index(stop)) & self.boards.is_readable)

    def is_proven(self, proof: Proof) -> NDArray[np.bool_]:
        """Return `bool[B]`: the answers with this proof."""
        return np.asarray((self.proofs == PROOFS.index(proof)) & self.boards.is_readable)

    def ends_by_run(self) -> Iterator[tuple[State, State | None]]:
        """Yield consecutive boards `[P, S]` and the boards that solve them `[P, S]`; None for boards without one."""
        for begin, end in runs(self.is_solved):
            is_solved = self.lengths[begin] != UNSOLVED
            yield self.boards.states[begin:end], self.ends_at(range(begin, end)) if is_solved else None

    def ends_at(self, places: Sequence[int] | NDArray[np.int64]) -> State:
        """Return the states in which the solutions of these boards end, which must have one: `[P, S]`."""
        if self.ends is not None:
            return self.ends[places]
        return np.array([list(self[int(place)].states())[-1] for place in places])

    @property
    def total_seconds(self) -> float:
        """The time of all boards."""
        own = float(np.nansum(self.seconds.round(6)))
        return own if self.batch is None else own + self.batch.seconds


@dataclass(frozen=True, eq=False)
class Counts(Sequence[Count]):
    """The numbers of solutions of boards: a sequence of `Count`s, which are made when they are asked for."""

    solutions: NDArray[np.int64]
    """[B]: up to the requested maximum."""
    stops: NDArray[np.uint8]
    """[B]: places in `STOPS`; an interrupted count has no meaning."""
    expanded: NDArray[np.int64]
    """[B]."""
    firsts: Answers | None = None
    """[B]: a solution of each board that has any, if they are known; nothing is proven."""
    others: Answers | None = None
    """[B]: another solution of each board that has several, if they are known."""
    lengths: Sequence[int | None] | None = None
    """[B]: the moves of each solution, where only the shortest are counted."""

    @classmethod
    def of(cls, counts: Sequence[Count]) -> Counts:
        """Return the columns of these counts."""
        stops = np.array([STOPS.index(each.stop) for each in counts], np.uint8)
        solutions, expanded = (np.array([getattr(each, name) for each in counts]) for name in ("solutions", "expanded"))
        return cls(solutions, stops, expanded, lengths=[each.length for each in counts])

    def is_stopped_by(self, *stops: Stop) -> NDArray[np.bool_]:
        """Return `bool[B]`: the counts that ended for one of these reasons."""
        return np.isin(self.stops, [STOPS.index(stop) for stop in stops])

    def __len__(self) -> int:
        return len(self.solutions)

    @overload
    def __getitem__(self, index: int) -> Count: ...
    @overload
    def __getitem__(self, index: slice) -> Counts: ...
    def __getitem__(self, index: int | slice) -> Count | Counts:
        if isinstance(index, slice):
            firsts, others = (None if answers is None else answers[index] for answers in (self.firsts, self.others))
            lengths = None if self.lengths is None else self.lengths[index]
            return Counts(self.solutions[index], self.stops[index], self.expanded[index], firsts, others, lengths)
        length = None if self.lengths is None else self.lengths[index]
        return Count(int(self.solutions[index]), STOPS[self.stops[index]], int(self.expanded[index]), length=length)


def _rare(result: Result) -> dict[str, Any]:
    return {name: value for name in RARE if (value := getattr(result, name)) not in (None, "", ())}


def joined(boards: Boards, parts: Iterable[Answers]) -> Answers:
    """Return the answers of several parts, which are to these boards in their order."""
    several = list(parts)
    if len(several) == 1:
        return replace(several[0], boards=boards)
    starts = np.cumsum([0, *map(len, several[:-1])])
    rare = {
        start + place: each
        for start, part in zip(starts.tolist(), several, strict=True)
        for place, each in part.rare.items()
    }
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in several]) for name in (*COLUMNS, "moves")
    }
    batches = [part.batch for part in several if part.batch is not None]
    ends = [part.ends for part in several if part.ends is not None]
    return Answers(
        boards,
        **columns,
        rare=rare,
        batch=BatchTime(sum(each.boards for each in batches), round(sum(each.seconds for each in batches), 6))
        if batches
        else None,
        ends=np.concatenate(ends) if len(ends) == len(several) else None,
    )

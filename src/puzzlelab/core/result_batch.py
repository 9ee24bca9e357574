"""The results of many boards of one puzzle as columns: a number for each board, and all moves in one array.

Shapes: B = boards, S = length of a state, L = moves of all solutions together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args, overload

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Boards
from puzzlelab.core.made_on_request import MadeOnRequest
from puzzlelab.core.result import Count, Proof, Result, Stop

PROOFS: tuple[Proof, ...] = get_args(Proof)
STOPS: tuple[Stop, ...] = get_args(Stop)
UNSOLVED = -1
"""The length of a result without moves."""
COLUMNS = (
    "lengths",
    "lower_bounds",
    "proofs",
    "stops",
    "expanded",
    "generated",
    "evaluations",
    "seconds",
    "shares_time",
)
"""Fields of a batch with a value for each board."""
RARE = ("reason", "tried", "cost", "score", "upper_bound")
"""Fields of a result that few boards have; their values are kept by board."""


@dataclass(frozen=True, eq=False)
class ResultBatch(MadeOnRequest[Result]):
    """The results of a batch of boards: a sequence of `Result`s, which are made when they are asked for."""

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
    """[B]."""
    shares_time: NDArray[np.bool_]
    """[B]: whether the seconds are a share of the time of several boards."""
    rare: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """Board -> its fields in `RARE` that are not empty."""
    batch: str = ""
    """The name of this batch in the results that share its time."""

    @classmethod
    def of(cls, boards: Boards, results: Sequence[Result]) -> ResultBatch:
        """Return the columns of these results, one for each board."""
        if isinstance(results, ResultBatch):
            return results
        count = len(results)

        def column(name: str, dtype: type) -> NDArray[Any]:
            return np.fromiter((getattr(result, name) for result in results), dtype, count)

        lengths = [UNSOLVED if result.moves is None else len(result.moves) for result in results]
        moves = [move for result in results for move in result.moves or ()]
        rare = ((place, _rare(result)) for place, result in enumerate(results))
        return cls(
            boards,
            lengths=np.array(lengths, np.int32),
            moves=np.array(moves, np.int32),
            lower_bounds=column("lower_bound", np.int64),
            proofs=np.fromiter((PROOFS.index(result.proof) for result in results), np.uint8, count),
            stops=np.fromiter((STOPS.index(result.stop) for result in results), np.uint8, count),
            expanded=column("expanded", np.int64),
            generated=column("generated", np.int64),
            evaluations=column("evaluations", np.int64),
            seconds=column("seconds", np.float64),
            shares_time=np.fromiter((bool(result.batch) for result in results), bool, count),
            rare={place: fields for place, fields in rare if fields},
            batch=next((result.batch for result in results if result.batch), ""),
        )

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """`int64[B + 1]`: where the moves of each board begin in `moves`; the last is L."""
        return np.concatenate([[0], np.cumsum(np.maximum(self.lengths, 0), dtype=np.int64)])

    def __len__(self) -> int:
        return len(self.lengths)

    def item(self, place: int) -> Result:
        """See `MadeOnRequest`."""
        return Result(
            self.moves_of(place),
            PROOFS[self.proofs[place]],
            stop=STOPS[self.stops[place]],
            lower_bound=int(self.lower_bounds[place]),
            expanded=int(self.expanded[place]),
            generated=int(self.generated[place]),
            evaluations=int(self.evaluations[place]),
            seconds=float(self.seconds[place]),
            batch=self.batch if self.shares_time[place] else "",
            instance=self.boards[place],
            **self.rare.get(place, {}),
        )

    def moves_of(self, place: int) -> tuple[int, ...] | None:
        """Return the moves of one board, or None."""
        if self.lengths[place] == UNSOLVED:
            return None
        return tuple(self.moves[self.offsets[place] : self.offsets[place + 1]].tolist())

    def part(self, begin: int, end: int) -> ResultBatch:
        """Return the results of the boards `begin` to `end` - 1."""
        if (begin, end) == (0, len(self)):
            return self
        columns = {name: getattr(self, name)[begin:end] for name in COLUMNS}
        rare = {place - begin: fields for place, fields in self.rare.items() if begin <= place < end}
        moves = self.moves[self.offsets[begin] : self.offsets[end]]
        return ResultBatch(self.boards[begin:end], **columns, moves=moves, rare=rare, batch=self.batch)

    def unsolved_places(self) -> NDArray[np.int64]:
        """Return the boards without moves."""
        return np.flatnonzero(self.lengths == UNSOLVED)

    def is_stopped_by(self, stop: Stop) -> NDArray[np.bool_]:
        """Return `bool[B]`: the searches that ended for this reason."""
        return np.asarray(self.stops == STOPS.index(stop))

    def is_proven(self, proof: Proof) -> NDArray[np.bool_]:
        """Return `bool[B]`: the results with this proof."""
        return np.asarray(self.proofs == PROOFS.index(proof))


@dataclass(frozen=True, eq=False)
class CountBatch(Sequence[Count]):
    """The numbers of solutions of many boards: a sequence of `Count`s, which are made when they are asked for."""

    solutions: NDArray[np.int64]
    """[B]: up to the requested maximum."""
    is_counted: NDArray[np.bool_]
    """[B]: the boards that were counted; the others have no meaning here, and are counted by themselves."""
    is_complete: NDArray[np.bool_]
    """[B]: where these are all solutions; elsewhere there are as many as were requested."""
    expanded: NDArray[np.int64]
    """[B]."""
    firsts: ResultBatch
    """[B]: a solution of each counted board that has any; nothing is proven."""

    @classmethod
    def uncounted(cls, boards: Boards) -> CountBatch:
        """Return the counts of boards none of which is counted."""
        zeros, none = np.zeros(len(boards), np.int64), np.zeros(len(boards), bool)
        return cls(zeros, none, none, zeros, ResultBatch.of(boards, [Result(None)] * len(boards)))

    def __len__(self) -> int:
        return len(self.solutions)

    @overload
    def __getitem__(self, index: int) -> Count: ...
    @overload
    def __getitem__(self, index: slice) -> list[Count]: ...
    def __getitem__(self, index: int | slice) -> Count | list[Count]:
        if isinstance(index, slice):
            columns = self.solutions[index], self.is_complete[index], self.expanded[index]
            return [
                Count(solutions, "done" if is_complete else "solutions", expanded)
                for solutions, is_complete, expanded in zip(*(column.tolist() for column in columns), strict=True)
            ]
        return self[index : index + 1 or None][0]


def _rare(result: Result) -> dict[str, Any]:
    return {name: value for name in RARE if (value := getattr(result, name)) not in (None, "", ())}


def joined(boards: Boards, parts: Iterable[ResultBatch]) -> ResultBatch:
    """Join the results of several batches, which are of these boards in their order."""
    batches = list(parts)
    if len(batches) == 1:
        return replace(batches[0], boards=boards)
    starts = np.cumsum([0, *map(len, batches[:-1])])
    rare = {
        start + place: each
        for start, part in zip(starts.tolist(), batches, strict=True)
        for place, each in part.rare.items()
    }
    columns = {name: np.concatenate([getattr(part, name) for part in batches]) for name in (*COLUMNS, "moves")}
    return ResultBatch(boards, **columns, rare=rare, batch=next((part.batch for part in batches if part.batch), ""))

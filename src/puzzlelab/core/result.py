"""The values that a solver yields: its progress and its results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Literal

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import State, board_after, states_along
from puzzlelab.core.views import UNKNOWN

Proof = Literal["none", "optimal", "unique", "several", "unsolvable"]
"""What is proven of an answer. 'unique' and 'several': how many solutions its board has, one, or two and perhaps more.
"""
Stop = Literal["done", "time", "nodes", "memory", "patience", "solutions", "dead end", "interrupted"]
Rules = Literal["plain", "kernels"]
"""The rules by which an answer is replayed: the plain ones, or the compiled ones, which tests hold equal to them."""
LIMITS: tuple[Stop, ...] = ("time", "nodes", "memory", "interrupted")
"""The stops after which a larger limit might give a better result."""

SOLUTIONS: dict[Proof, int] = {"unsolvable": 0, "unique": 1, "several": 2}
"""The number of solutions of a board by what is proven; 2 are two or more."""
IN_CIRCLES = "greedy play goes in circles; avoid_repeats goes on"
"""The end of the reason of a result whose moves led to an earlier board."""
NO_SOLUTION = "every possibility was tried, and none is a solution"


@dataclass(frozen=True)
class Progress:
    """The state of a running search; yielded about twenty times a second.

    >>> board = puzzlelab.load("tiles-3x3").read("8 6 7 2 5 4 3 0 1")
    >>> attempts = puzzlelab.attempts(board, "astar", estimate="manhattan")
    >>> all(isinstance(attempt, puzzlelab.Progress | puzzlelab.Result) for attempt in attempts)
    True
    """

    expanded: int
    """States whose successors were generated."""
    generated: int
    """Generated successors."""
    evaluations: int
    """States that were scored by a network or another function outside the search."""
    bound: int
    """No solution has fewer moves, or a lower cost; where the puzzle has a score, minus a bound on the score."""
    seconds: float


@dataclass(frozen=True)
class Result:
    """A solution with its proof and its costs, or the reason why there is none. `verify` checks it.

    >>> result = puzzlelab.solve(puzzlelab.load("tiles-2x2").read("1 2 0 3"))
    >>> result.moves, result.proof, result.lower_bound
    ((2,), 'optimal', 1)
    """

    moves: tuple[int, ...] | None
    proof: Proof = "none"
    reason: str = ""
    """The reason why the board is unsolvable, or why there is no solution, as a sentence."""
    stop: Stop = "done"
    lower_bound: int = 0
    """No solution has fewer moves than this, or a lower cost."""
    expanded: int = 0
    generated: int = 0
    evaluations: int = 0
    seconds: float | None = 0.0
    """The time of the search; None for a board that was solved together with others."""
    tried: tuple[int, ...] = ()
    """The moves of an unsuccessful attempt, from a solver that does not return a wrong solution."""
    cost: int | None = None
    """The sum of the costs of the moves, for puzzles whose moves have costs; None for others."""
    score: int | None = None
    """The sum of the points of the moves, for puzzles with a score; None for others."""
    upper_bound: int | None = None
    """No solution has a higher score than this; None where nothing is known."""
    verified_by: Rules | None = field(default=None, compare=False)
    """The rules that confirm the answer: its moves by replay, or that the board is unsolvable; None if none do."""
    instance: Instance | None = field(default=None, compare=False, repr=False)
    """The board that it answers; `solve` and the other public functions set it."""

    @property
    def length(self) -> int | None:
        """The number of moves, or None."""
        return None if self.moves is None else len(self.moves)

    @property
    def board(self) -> Instance:
        """The board that it answers; raises `BadOption` for a result that no public function has given."""
        if self.instance is None:
            raise BadOption("this result does not know its board: it comes from a solver itself, and not from `solve`")
        return self.instance

    @property
    def move_names(self) -> list[str]:
        """The moves as the puzzle writes them; none without a solution."""
        return [self.board.puzzle.write_move(move) for move in self.moves or ()]

    def boards(self) -> Iterator[Instance]:
        """Yield the board before the first move, and after each move, by the plain rules."""
        return (Instance(self.board.puzzle, state) for state in self.states())

    def states(self) -> Iterator[State]:
        """Yield the state before the first move, and after each move."""
        return states_along(self.board.puzzle, self.board.state, self.moves or ())

    @property
    def final(self) -> Instance:
        """The board after the last move, which is the solved one; raises `BadOption` where there is no solution."""
        if self.moves is None:
            raise BadOption(f"there is no solution, and no final board: {self.reason or f'the stop is {self.stop!r}'}")
        return Instance(self.board.puzzle, board_after(self.board.puzzle, self.board.state, self.moves))

    def to_dict(self) -> dict[str, Any]:
        """Return the puzzle, the board, the moves as text, and every number, for a table or for JSON."""
        values = {name: value for name, value in vars(self).items() if name != "instance"}
        puzzle = self.board.puzzle
        moves = None if self.moves is None else self.move_names
        tried = [puzzle.write_move(move) for move in self.tried]
        names = {"puzzle": puzzle.name, "board": puzzle.write(self.board.state)}
        return {**names, **values, "moves": moves, "tried": tried, "length": self.length}

    def _repr_html_(self) -> str:
        """Return the board and the moves, for notebooks."""
        if self.instance is None:
            return escape(repr(self))
        moves = escape(" ".join(self.move_names) if self.moves is not None else self.reason or self.stop)
        sums = {"moves": self.length, "cost": self.cost, "score": self.score, "proof": self.proof}
        facts = ", ".join(f"{name} {value}" for name, value in sums.items() if value is not None)
        return f"{self.instance.html()}<p>{escape(facts)}</p><p>{moves}</p>"

    @property
    def objective(self) -> int | None:
        """The number of moves, their cost, or minus their score, which is least in the best solution; or None."""
        if self.score is not None:
            return -self.score
        return self.length if self.cost is None else self.cost

    def is_better_than(self, other: Result) -> bool:
        """Tell whether this solution has fewer moves, a lower cost, or a higher score; any is better than none."""
        mine, theirs = self.objective, other.objective
        return mine is not None and (theirs is None or mine < theirs)


@dataclass(frozen=True)
class Count:
    """A number of solutions: all of them if `stop` is 'done', the requested maximum if it is 'solutions'.

    >>> count = puzzlelab.count(puzzlelab.load("sudoku-4x4").read("0" * 16), "dancing-links", most=10)
    >>> count.solutions, count.complete
    (10, False)
    """

    solutions: int
    stop: Stop = "done"
    expanded: int = 0
    seconds: float = 0.0
    length: int | None = None
    """The moves of each of them, where only the shortest are counted, and it is known."""

    @property
    def complete(self) -> bool:
        """Whether these are all solutions."""
        return self.stop == "done"


def moves_in_words(count: int) -> str:
    """Return the number with its noun: '1 move', '2 moves'."""
    return "1 move" if count == 1 else f"{count} moves"


def value_in_words(result: Result) -> str:
    """Return the number of moves, and the cost or the score where the puzzle has one."""
    moves = moves_in_words(result.length or 0)
    if result.score is not None:
        return f"score {result.score:,} in {moves}"
    return moves if result.cost is None else f"cost {result.cost:,} in {moves}"


def bound_in_words(result: Result) -> str:
    """Return what is known of all solutions; empty if nothing is."""
    if result.upper_bound is not None:
        return f"no score is above {result.upper_bound:,}"
    if result.score is not None:
        return ""
    bound = result.lower_bound
    if result.cost is not None:
        return f"no cost is below {bound:,}"
    return f"at least {moves_in_words(bound)} {'is' if bound == 1 else 'are'} needed" if bound > 0 else ""


def circles_in_words(solver: str, count: int, boards: int) -> str:
    """Say on how many boards play ended as `IN_CIRCLES` says."""
    return f"{solver} went in circles on {count:,} of {boards:,} boards; with avoid_repeats=true it goes on."


def with_stop(result: Result, stop: Stop) -> Result:
    """Return the result with this stop; a proven result stays as it is."""
    return result if result.proof != "none" else replace(result, stop=stop)


def bound_of(progress: Progress, best: Result) -> Result:
    """Return the bound of a running search, as a result without moves; `best` is its best result so far."""
    if best.score is None:
        return Result(None, lower_bound=progress.bound)
    return Result(None, upper_bound=None if progress.bound <= UNKNOWN else -progress.bound)


def with_tighter_bound(result: Result, other: Result) -> Result:
    """Return the result with the tighter bound of two; it is optimal if it meets it."""
    if result.score is not None or result.upper_bound is not None or other.upper_bound is not None:
        uppers = [bound for bound in (result.upper_bound, other.upper_bound) if bound is not None]
        upper = None if not uppers else max(min(uppers), result.score if result.score is not None else min(uppers))
        result = replace(result, upper_bound=upper)
        is_optimal = upper is not None and upper == result.score
    else:
        bound = max(result.lower_bound, other.lower_bound)
        bound = bound if result.objective is None else min(bound, result.objective)
        result = result if bound == result.lower_bound else replace(result, lower_bound=bound)
        is_optimal = result.lower_bound == result.objective
    is_said = result.proof == "optimal" and result.stop == "done"
    return replace(result, proof="optimal", stop="done") if is_optimal and not is_said else result

"""The checks must pass what keeps its promises, and catch each broken promise by a sentence that names it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

from puzzlelab import check_puzzle, check_solver
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption, ConformanceError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.registry import make_solver
from puzzlelab.core.result import Progress, Result
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import Isomorphism, KernelRules, Planes
from puzzlelab.puzzles.tiles.kernels import rule_tables
from puzzlelab.puzzles.tiles.kernels import rules as rules_of_tiles
from puzzlelab.puzzles.tiles.planes import TilesPlanes
from puzzlelab.puzzles.tiles.rules import Tiles

# --- puzzles ----------------------------------------------------------------------------------------------------------


def test_plain_rules_keep_every_promise(corridor) -> None:
    check_puzzle(corridor(), [corridor().read("4")])
    check_puzzle(corridor(9, wall=3), [corridor(9, wall=3).read("8")])


def test_a_puzzle_without_a_scale_needs_a_start(corridor) -> None:
    with pytest.raises(ConformanceError, match="corridor-9 needs a start"):
        check_puzzle(corridor())


class WrongPlanes(TilesPlanes):
    """The planes of tiles with one part that is wrong."""

    @property
    def isomorphism(self) -> Any:
        return self.puzzle.isomorphism() if WrongTiles.wrong.startswith("map") else super().isomorphism

    def symmetries(self, states: np.ndarray) -> Any:
        same, *mirrors = super().symmetries(states)
        wrong = WrongTiles.wrong == "mirror"
        return (same, *((image, np.arange(4)) for image, _ in mirrors)) if wrong else (same, *mirrors)

    def planes(self, states: np.ndarray) -> np.ndarray:
        return super().planes(states)[:, 1:] if WrongTiles.wrong == "planes" else super().planes(states)


class WrongTiles(Tiles):
    """Tiles with one part that is wrong."""

    wrong: ClassVar[str] = ""

    @property
    def name(self) -> str:
        return f"wrong-{self.rows}x{self.columns}"

    def view(self, kind: type) -> Any:
        if kind is Planes:
            return WrongPlanes(self)
        return self.kernels() if kind is KernelRules else super().view(kind)

    def isomorphism(self) -> Isomorphism:
        """To a puzzle with another goal, or to this one with wrong names of moves."""
        other = Tiles(self.rows, self.columns, tuple(range(self.cells)) if self.wrong == "map of goals" else ())
        moves = np.arange(4) ^ (self.wrong == "map of moves")
        return Isomorphism(other, lambda states: states[..., ::-1] if self.wrong == "map of states" else states, moves)

    def kernels(self) -> KernelRules:
        rules = rules_of_tiles(self)
        if self.wrong == "home":
            return replace(rules, tables=rule_tables(self.rows, self.columns, 4))
        if self.wrong == "size":
            return replace(rules, tables=rule_tables(self.columns, self.rows, self.cells - 1))
        if self.wrong == "decode":
            return replace(rules, decode=lambda states: states[..., :-1])
        if self.wrong == "merge":
            return replace(rules, merge=lambda states: np.where(np.arange(10) < 9, states & 254, states))
        if self.wrong == "order":
            return replace(rules, merge=lambda states: states[..., ::-1])
        return rules


@pytest.mark.parametrize(
    ("rows", "columns", "wrong", "words"),
    [
        (3, 3, "", ""),
        (3, 3, "home", "unpack does not undo pack"),
        (2, 3, "size", "kernels and rules disagree on the legal moves"),
        (3, 3, "decode", "decode does not undo encode"),
        (3, 3, "merge", "merge does not keep whether the board is solved"),
        (3, 3, "order", "decode does not undo merge"),
        (3, 3, "mirror", "a symmetry does not keep which moves are legal"),
        (3, 3, "planes", "`planes` must give float32\\[3, 72\\], not float32\\[3, 71\\]"),
        (3, 3, "map", ""),
        (3, 3, "map of goals", "the map to an isomorphic puzzle does not keep whether it is solved"),
        (3, 3, "map of moves", "the map to an isomorphic puzzle does not keep which moves are legal"),
        (3, 3, "map of states", "the map to an isomorphic puzzle does not keep which moves are legal"),
    ],
)
def test_wrong_kernels_and_planes_are_named(
    monkeypatch: pytest.MonkeyPatch, rows: int, columns: int, wrong: str, words: str
) -> None:
    monkeypatch.setattr(WrongTiles, "wrong", wrong)
    puzzle = WrongTiles(rows, columns)
    start = puzzle.read(puzzle.write(np.roll(np.arange(puzzle.cells, dtype=np.uint8), 2)))
    if wrong in ("map of goals", "merge"):
        start = Instance(puzzle, puzzle.goals()[0])
    if not words:
        check_puzzle(puzzle, [start])
        return
    with pytest.raises(ConformanceError, match=words):
        check_puzzle(puzzle, [start])


# --- solvers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bfs", {}),
        ("bfs", {"bidirectional": True}),
        ("astar", {"estimate": "manhattan"}),
        ("astar", {"estimate": "manhattan", "weight": 2}),
        ("ida", {"estimate": "manhattan"}),
        ("beam", {"estimate": "manhattan", "width": 50}),
        ("beam", {"estimate": "manhattan"}),
    ],
)
def test_the_solvers_keep_every_promise(eight: Puzzle, name: str, options: dict[str, Any]) -> None:
    boards = [("1 2 3 4 5 6 7 8 0", 0), ("1 2 3 4 5 6 7 0 8", 1), ("8 1 3 4 0 2 7 6 5", 14), ("8 6 7 2 5 4 3 0 1", 31)]
    check_solver(make_solver(name, options), [(eight.read(text), length) for text, length in boards])


def test_solvers_of_plain_rules_keep_every_promise(corridor) -> None:
    walled = corridor(9, wall=3)
    check_solver(make_solver("bfs", {}), [(corridor().read("5"), 5), (walled.read("5"), None), (walled.read("2"), 2)])


class Says(SolverSettings):
    """Says the same each time, unless `turns` has another answer for the second time; a tiny limit is kept or not."""

    name: ClassVar[str] = "says"
    times: ClassVar[list[int]] = []

    says: tuple[Any, ...] = ()
    turns: tuple[Any, ...] = ()
    spent: int = 1

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        if limit.nodes == 1:
            yield Result(None, stop="nodes", expanded=self.spent)
            return
        self.times.append(1)
        yield from self.turns if self.turns and len(self.times) > 1 else self.says


GOOD = Result((0, 0), "optimal", lower_bound=2, expanded=9)
LONG = Result((1, 0, 0, 0), expanded=4)
FAULTS: dict[str, tuple[Says, str]] = {
    "no result": (Says(says=(Progress(1, 1, 0, 0, 0.0),)), "without a result"),
    "a wrong move": (Says(says=(Result((0,)),)), "after all 1 moves the board is 1, not solved"),
    "a false proof": (
        Says(says=(Result((1, 0, 0, 0), "optimal", lower_bound=4),)),
        "its lower bound exceeds the optimum 2",
    ),
    "a false bound": (Says(says=(Result(None, lower_bound=3, stop="time"),)), "its lower bound exceeds the optimum 2"),
    "a false impossibility": (Says(says=(Result(None, "unsolvable"),)), "calls .* unsolvable"),
    "worse and worse": (Says(says=(replace(GOOD, expanded=1), LONG)), "do not get better"),
    "a falling count": (Says(says=(replace(LONG, expanded=10), GOOD)), "the count of expanded states fell"),
    "another answer": (Says(says=(LONG,), turns=(replace(GOOD, proof="none"),)), "differently each time"),
    "a limit not kept": (Says(says=(GOOD,), spent=2), "does not keep a limit of one node"),
}


def test_a_solver_that_keeps_its_promises_passes(corridor) -> None:
    check_solver(Says(says=(Progress(1, 1, 0, 0, 0.0), LONG, GOOD)), [(corridor().read("2"), 2)])


@pytest.mark.parametrize(("solver", "words"), FAULTS.values(), ids=FAULTS)
def test_each_fault_of_a_solver_is_named(corridor, solver: Says, words: str) -> None:
    Says.times.clear()
    with pytest.raises(ConformanceError, match=words):
        check_solver(solver, [(corridor().read("2"), 2)])


@pytest.mark.parametrize(
    ("instances", "words"),
    [
        (lambda board: {board: 2}, "must be a list of pairs of a board and a length, not a dict"),
        (lambda board: [board], "must be a pair of a board and the length of its shortest solution, not an Instance"),
        (
            lambda board: [(board, 2, 2)],
            "must be a pair of a board and the length of its shortest solution, not a tuple",
        ),
        (lambda board: [("2", 2)], "a board to solve must be a board, as `puzzle.read` gives it, not the text '2'"),
        (lambda board: [(board, "2")], "must be a number, or None if there is none, not the text '2'"),
        (lambda board: board, "must be a list of pairs of a board and a length, not an Instance"),
    ],
)
def test_boards_without_lengths_are_refused(corridor, instances: Callable[[Instance], Any], words: str) -> None:
    with pytest.raises(BadOption, match=words):
        check_solver(Says(says=(GOOD,)), instances(corridor().read("2")))


def test_solving_what_cannot_be_solved_is_a_fault(corridor) -> None:
    with pytest.raises(ConformanceError, match="which cannot be solved"):
        check_solver(Says(says=(GOOD,)), [(corridor().read("2"), None)])

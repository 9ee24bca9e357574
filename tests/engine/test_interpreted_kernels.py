"""Plain rules alone must give the very answers that kernels give, only slower."""

import numpy as np
import pytest

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.registry import make_solver
from puzzlelab.core.views import Estimate, KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.interpreted_kernels import PlainTables, plain_rules
from puzzlelab.engine.search_rules import rules_of
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.solvers.bfs import count_by_depth


class Without:
    """The rules of another puzzle, without its kernels."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        for name in ("name", "move_count", "write", "write_move", "objection", "legal", "apply", "solved"):
            setattr(self, name, getattr(puzzle, name))

    def view(self, kind: type) -> object:
        return None if kind is KernelRules else self.puzzle.view(kind)


@pytest.fixture
def small() -> Tiles:
    return Tiles(2, 3)


def test_a_puzzle_without_kernels_gets_the_adapter(small: Tiles) -> None:
    start = small.read("5 4 3 2 1 0")
    rules = rules_of(Instance(Without(small), start.state))
    assert rules.plain
    assert isinstance(rules.tables, PlainTables)
    assert not rules_of(start).plain


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 17])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64])
def test_any_state_is_packed_one_to_one(corridor, size: int, dtype: type) -> None:
    random = np.random.default_rng(size)
    seen = set()
    for _ in range(20):
        state = random.integers(0, 100, size).astype(dtype)
        rules = plain_rules(corridor(), state)
        words, others = np.full(rules.words, 2**64 - 1, np.uint64), np.zeros(rules.words, np.uint64)
        again = np.zeros(size, dtype)
        kernels.pack(rules.tables, state, words)
        kernels.pack(rules.tables, state, others)
        assert np.array_equal(words, others)
        kernels.unpack(rules.tables, words, again)
        assert np.array_equal(state, again)
        seen.add((words.tobytes(), state.tobytes()))
    assert len({words for words, _ in seen}) == len({state for _, state in seen})


def test_the_adapter_says_what_the_rules_say(corridor) -> None:
    puzzle = corridor(5)
    instance = puzzle.read("5")
    rules = plain_rules(puzzle, instance.state)
    moves, child = np.zeros(2, np.int32), np.zeros(1, np.int16)
    assert kernels.legal(rules.tables, instance.state, moves) == 1
    assert moves[0] == 0
    kernels.apply(rules.tables, instance.state, 0, child)
    assert child.tolist() == [4]
    assert not kernels.solved(rules.tables, child)
    assert kernels.solved(rules.tables, np.zeros(1, np.int16))
    assert kernels.inverse(rules.tables, 0) == 1


def test_states_by_depth_are_counted_alike(corridor) -> None:
    assert count_by_depth(corridor(4).read("1")) == [1, 2, 1, 1]
    assert count_by_depth(corridor(4, wall=3).read("1")) == [1, 2]


@pytest.mark.parametrize("options", [{}, {"bidirectional": True}])
def test_a_puzzle_of_plain_rules_is_solved(corridor, options: dict[str, bool]) -> None:
    result = solve(make_solver("bfs", options), corridor(9).read("7"), Limit())
    assert (result.moves, result.proof, result.stop) == ((0,) * 7, "optimal", "done")


def test_a_wall_makes_it_unsolvable_by_search(corridor) -> None:
    result = solve(make_solver("bfs", {}), corridor(9, wall=3).read("7"), Limit())
    assert (result.moves, result.proof, result.expanded) == (None, "unsolvable", 7)
    assert result.reason == "every reachable state was searched, and none is solved"


@pytest.mark.parametrize("name", ["bfs", "astar", "ida", "beam"])
def test_kernels_and_plain_rules_give_the_same_answer(small: Tiles, name: str) -> None:
    def misplaced(states: np.ndarray) -> np.ndarray:
        return ((states != np.array(small.goal)) & (states != 0)).sum(axis=1)

    options = {} if name == "bfs" else {"estimate": Estimate("counted", admissible=True, scores=misplaced)}
    compiled = solve(make_solver(name, options), small.read("4 5 0 1 2 3"), Limit())
    interpreted = solve(make_solver(name, options), Instance(Without(small), small.read("4 5 0 1 2 3").state), Limit())
    assert compiled.length is not None
    assert interpreted.moves == compiled.moves
    assert interpreted.expanded == compiled.expanded

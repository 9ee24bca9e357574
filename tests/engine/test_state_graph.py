"""A puzzle without kernels is searched through a graph, by batch rules or plain rules, with the same answers."""

import gc
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.registry import make_solver
from puzzlelab.core.result import Result
from puzzlelab.core.verify import verify
from puzzlelab.core.views import BatchRules, Estimate, Estimates, KernelRules, Steps
from puzzlelab.engine import search_rules, state_graph
from puzzlelab.engine.search_rules import GraphRules, graph_rules, rules_of
from puzzlelab.engine.solving import solve
from puzzlelab.engine.state_graph import OpenList, Window
from puzzlelab.experience.state_space import label_states
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.solvers.bfs import count_by_depth

COUNTS = [1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024]
"""States of the 8-puzzle by depth, which are published."""


def batch_rules_of(puzzle: Puzzle) -> BatchRules:
    """The plain rules of a puzzle for many states, by loops."""

    def legal(states: State) -> State:
        return np.array([puzzle.legal(state) for state in states]).reshape(-1, puzzle.move_count)

    def apply(states: State, moves: State) -> State:
        return np.array([puzzle.apply(state, int(move)) for state, move in zip(states, moves, strict=True)])

    def is_solved(states: State) -> State:
        return np.array([puzzle.solved(state) for state in states], bool)

    return BatchRules(legal, apply, is_solved)


def out_of_place(states: State) -> State:
    """`int64[B]`: tiles of 3x3 that are not at their places, a lower bound of the moves."""
    goal = np.array([1, 2, 3, 4, 5, 6, 7, 8, 0])
    return ((states != goal) & (states != 0)).sum(axis=1)


class Other:
    """The tiles of 3x3 with other views: no kernels, and estimates of their own."""

    def __init__(self, batch: BatchRules | None = None, **views: Any) -> None:
        self.puzzle = Tiles(3, 3)
        self.views: dict[type, Any] = {Estimates: self, BatchRules: batch, KernelRules: None}
        if "costs" in views:
            self.views[Steps] = Steps(self.cost)
        if "scores" in views:
            self.views[Steps] = Steps(points=self.points, points_per_move=2.0)
        self.worth = dict(views)
        for name in ("name", "move_count", "read", "write", "write_move", "objection", "legal", "apply", "solved"):
            setattr(self, name, getattr(self.puzzle, name))

    estimates: Mapping[str, str] = {"out": "tiles that are not at their places"}

    def estimate(self, name: str | None = None) -> Estimate:
        return Estimate("out", admissible=True, scores=out_of_place)

    def cost(self, state: State, move: int, after: State) -> int:
        return int(self.worth["costs"](state, move))

    def points(self, state: State, move: int, after: State) -> int:
        return int(self.worth["scores"](state, move))

    def view(self, kind: type) -> Any:
        return self.views[kind] if kind in self.views else self.puzzle.view(kind)


@pytest.fixture
def batch() -> BatchRules:
    return batch_rules_of(Tiles(3, 3))


FAR, NEAR = "8 1 3 4 0 2 7 6 5", "1 2 3 0 4 6 7 5 8"


def board(puzzle: Any, text: str = FAR) -> Instance:
    return Instance(puzzle, puzzle.read(text).state)


def answer(puzzle: Any, name: str, options: Mapping[str, Any], text: str = FAR) -> Result:
    start = board(puzzle, text)
    result = solve(make_solver(name, dict(options)), start, Limit(nodes=20_000))
    verify(start, result)
    return result


SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("bfs", {}),
    ("bfs", {"bidirectional": True}),
    ("astar", {}),
    ("ida", {}),
    ("beam", {"width": 20}),
]


@pytest.mark.parametrize(("name", "options"), SEARCHES)
def test_a_search_on_any_rules_answers_alike(name: str, options: dict[str, Any], batch) -> None:
    by_batches, plain = answer(Other(batch), name, options), answer(Other(), name, options)
    own = options if name == "bfs" else {"estimate": Other().estimate(), **options}
    by_kernels = answer(Tiles(3, 3), name, own)
    assert by_kernels.moves is not None
    assert replace(plain, seconds=0.0) == replace(by_kernels, seconds=0.0)
    assert by_batches.length == plain.length
    assert (by_batches.proof, by_batches.stop) == (plain.proof, plain.stop)
    assert by_batches.lower_bound >= plain.lower_bound


@pytest.mark.slow
@pytest.mark.parametrize("name", ["greedy", "uct", "random", "depth-first"])
def test_so_does_a_search_that_plays_games(name: str, batch) -> None:
    options = {"depth-first": {"depth": 14}, "greedy": {"estimate": "out"}, "uct": {"estimate": "out"}}.get(name, {})
    one, other = answer(Other(batch), name, options), answer(Other(), name, options)
    assert (one.moves is None) == (other.moves is None)
    assert one.proof == other.proof


def test_plain_rules_prove_that_there_is_no_solution(corridor) -> None:
    result = solve(make_solver("bfs", {}), corridor(9, wall=3).read("7"), Limit())
    assert (result.moves, result.proof, result.expanded) == (None, "unsolvable", 7)
    assert result.reason == "every reachable state was searched, and none is solved"
    assert count_by_depth(corridor(4, wall=3).read("1")) == [1, 2]


def test_states_by_depth_are_those_published(batch) -> None:
    goal = Instance(Other(batch), np.array([1, 2, 3, 4, 5, 6, 7, 8, 0], np.uint8))
    counts = count_by_depth(goal, Limit(nodes=2_000))
    assert counts[: len(COUNTS) - 3] == COUNTS[:-3]


def test_an_estimate_of_fractions_is_requested(batch) -> None:
    puzzle = Other(batch)
    halves = Estimate("halves", admissible=True, scores=lambda states: out_of_place(states) - 0.5)
    exact, result, whole = (
        answer(puzzle, *search) for search in (("bfs", {}), ("astar", {"estimate": halves}), ("astar", {}))
    )
    assert result.length == exact.length
    assert result.evaluations > 0
    assert whole.evaluations == 0


def test_a_label_for_every_state_of_a_small_puzzle() -> None:
    small = Tiles(2, 3)
    puzzle = Other(batch_rules_of(small))
    puzzle.puzzle = small
    states, distance, masks = label_states(puzzle)
    assert len(states) == 360
    assert distance.max() == 21
    assert np.array_equal(masks.any(axis=1), distance > 0)


# --- costs and points -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["costs", "scores"])
@pytest.mark.parametrize("name", ["astar", "beam"])
def test_sums_are_those_of_plain_rules(kind: str, name: str, batch) -> None:
    def worth(state: State, move: int) -> int:
        return (1 + move) * (-1 if kind == "scores" else 1)

    with_costs = BatchRules(
        batch.legal,
        batch.apply,
        batch.solved,
        lambda states, moves, after: np.array([worth(*each) for each in zip(states, moves, strict=True)], np.int64),
    )
    options = {"width": 200} if name == "beam" else {}
    zero = Estimate("zero", admissible=True, scores=lambda states: np.zeros(len(states), np.int64))
    one, other = (
        answer(puzzle, name, {"estimate": zero, **options}, NEAR)
        for puzzle in (Other(with_costs, **{kind: worth}), Other(**{kind: worth}))
    )
    assert (one.cost, one.score) == (other.cost, other.score)
    assert one.proof == "optimal"  # on plain rules, a beam does not prune by an estimate that is requested
    assert other.proof == "optimal" or name == "beam"
    assert one.cost is not None or one.score is not None


def test_batch_rules_without_costs_are_refused(batch) -> None:
    puzzle = Other(batch, costs=lambda state, move: 1)
    with pytest.raises(PuzzlelabError, match="have no `costs`, and its moves have a cost"):
        answer(puzzle, "astar", {})


def test_a_cost_below_zero_ends_the_search() -> None:
    with pytest.raises(PuzzlelabError, match="a move has the cost -1, and a cost is at least 0"):
        answer(Other(costs=lambda state, move: -1), "astar", {})


# --- rules that are wrong ---------------------------------------------------------------------------------------------


def broken(rules: BatchRules, **functions: Callable[..., Any]) -> BatchRules:
    return BatchRules(**{"legal": rules.legal, "apply": rules.apply, "solved": rules.solved, **functions})


def no_turn(*arguments: Any) -> Any:
    raise ValueError("no such turn")


@pytest.mark.parametrize(
    ("functions", "sentence"),
    [
        (
            {"legal": lambda states: np.ones(4, bool)},
            r"`legal` of the batch rules must give bool\[1, 4\], not bool\[4\]",
        ),
        ({"apply": lambda states, moves: states.astype(int)}, r"`apply` of the batch rules must give uint8\["),
        ({"solved": lambda states: [False] * len(states)}, r"`solved` of the batch rules must give bool\[.*not list"),
        ({"apply": no_turn}, "no such turn"),
    ],
)
def test_what_a_rule_raises_ends_the_search(functions: dict[str, Any], sentence: str, batch) -> None:
    with pytest.raises((PuzzlelabError, ValueError), match=sentence):
        answer(Other(broken(batch, **functions)), "bfs", {})


def test_ctrl_c_within_a_rule_ends_the_search(batch) -> None:
    calls = []

    def interrupted(states: State) -> State:
        calls.append(len(states))
        if len(calls) > 3:
            raise KeyboardInterrupt
        return batch.legal(states)

    result = answer(Other(broken(batch, legal=interrupted)), "bfs", {})
    assert (result.moves, result.proof, result.stop) == (None, "none", "interrupted")
    assert len(calls) < 100


# --- the graph --------------------------------------------------------------------------------------------------------


def test_a_graph_that_is_almost_full_ends_the_search(batch, monkeypatch) -> None:
    monkeypatch.setattr(state_graph, "reserved", lambda size, limit: 3_000)
    result = answer(Other(batch), "bfs", {}, "8 6 7 2 5 4 3 0 1")
    assert (result.moves, result.proof, result.stop) == (None, "none", "memory")


def test_a_graph_goes_with_its_search(batch) -> None:
    rules = rules_of(board(Other(batch)))
    assert isinstance(rules, GraphRules)
    search_rules.fitted(Other(batch).estimate(), rules, board(Other(batch)).state)
    graph = weakref.ref(rules.graph)
    gc.disable()
    try:
        del rules
        assert graph() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 17])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64])
def test_states_are_nodes_and_nodes_states(size: int, dtype: type, corridor) -> None:
    states = np.random.default_rng(size).integers(0, 3, (50, size)).astype(dtype)
    rules = graph_rules(corridor(), states[0])
    nodes = rules.encode(states)
    assert np.array_equal(rules.decode(nodes), states)
    assert np.array_equal(rules.encode(states[::-1]), nodes[::-1])
    assert len(np.unique(nodes)) == len(np.unique(states, axis=0))


def test_a_window_grows_with_its_use() -> None:
    counts = np.zeros(1, np.int64)
    window = Window(counts)
    first = window.size
    assert window.with_neighbours(5, window.following(5, np.zeros(100), 9)).tolist() == [5, 6, 7, 8]
    counts[0] = 4
    window.adapt()
    assert window.size == 2 * first
    window.with_neighbours(9, np.arange(100))
    window.adapt()
    assert window.size == first


def test_the_promising_nodes_come_first() -> None:
    waiting = OpenList()
    waiting.add(np.array([1, 2, 3, 4]), np.array([5, 2, 2, 9]), np.array([1, 4, 2, 0]))
    is_done = np.zeros(10)
    is_done[2] = 1
    assert waiting.take(6, 3, is_done).tolist() == [3, 1]
    assert waiting.take(8, 3, is_done).tolist() == []
    assert waiting.take(9, 3, is_done).tolist() == [4]

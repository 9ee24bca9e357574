"""Hints: all optimal moves, the regret of the others, and nothing claimed that was not proven."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest
from pydantic import PrivateAttr

from puzzlelab import BadBoard, Instance, Limit, Progress, PuzzlelabError, Result, Unsupported, analyse, hint, load
from puzzlelab.analysis import game_analysis as games
from puzzlelab.analysis import hints
from puzzlelab.analysis.bounded_queries import BudgetedSolver, Interval, interval_difference
from puzzlelab.core import registry
from puzzlelab.core.solver import SolverSettings
from puzzlelab.core.views import Samples
from puzzlelab.text.moves import positions_of

SMALL = load("tiles-2x3")


@dataclass(frozen=True)
class Trapdoor:
    """Walk from place n down to 0 by `<` or `v`, which are alike; `!` falls to place 99, from which no move leads."""

    name: str = "trapdoor"
    move_count: int = 3

    def view(self, kind):
        return None

    def write(self, state):
        return str(int(state[0]))

    def write_move(self, move):
        return "<v!"[move]

    def objection(self, state):
        return None

    def legal(self, state):
        return np.full(3, 0 < state[0] < 99)

    def apply(self, state, move):
        return state - 1 if move < 2 else np.array([99], state.dtype)

    def solved(self, state):
        return bool(state[0] == 0)


class Spy(SolverSettings):
    """Asks a real solver, and keeps what it was asked; a remembering one keeps that in a list of its own."""

    name: ClassVar[str] = "spy"
    _asked: list[Any] = PrivateAttr(default_factory=list)
    _memories: list[Any] = PrivateAttr(default_factory=list)

    def attempts(self, instance, limit):
        self._asked.append(instance)
        yield from registry.solver("bfs").attempts(instance, limit)

    def with_memory(self):
        self._memories.append(Spy())
        return self._memories[-1]


class Told(SolverSettings):
    """Answers every board with the same results."""

    name: ClassVar[str] = "told"
    results: tuple[Any, ...] = ()

    def attempts(self, instance, limit):
        yield from self.results


class Climb(SolverSettings):
    """Walks back a corridor, and proves one move more in every attempt until that is the whole way."""

    name: ClassVar[str] = "climb"
    proves: bool = True

    def attempts(self, instance, limit):
        way = int(instance.state[0])
        if not self.proves:
            yield Result((0,) * way)
            return
        for bound in range(way):
            yield Progress(bound, bound, 0, bound, 0.0)
        yield Result((0,) * way, "optimal", lower_bound=way)


def place(number):
    return Instance(Trapdoor(), np.array([number], np.int16))


def boards(count, seed=0):
    """Random boards of 2x3 tiles."""
    random = np.random.default_rng(seed)
    return [Instance(SMALL, SMALL.view(Samples).scales["uniform"].sample(random, None, 1)[0]) for _ in range(count)]


def after(instance, move):
    return instance.puzzle.apply(instance.state, move)


def test_searches_under_one_limit_share_its_seconds():
    told = Told(results=(Result((0, 0, 0), expanded=5, seconds=3.0),))
    budgeted = BudgetedSolver(told, Limit(seconds=5))
    stops = [budgeted.search(place(3), Interval(), 1)[1].stop for _ in range(3)]
    assert (stops, budgeted.seconds, budgeted.expanded) == (["done", "done", "time"], 6.0, 10)


# --- the moves at one position ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["bfs", "ida", pytest.param("astar", marks=pytest.mark.slow)])
def test_every_move_gets_its_true_regret(distances_2x3, solver):
    for board in boards(15):
        told = hint(board, solver)
        before = distances_2x3[board.state.tobytes()]
        assert (told.length, told.lower_bound, told.stop) == (before, before, "done")
        if before == 0:
            continue
        assert told.proven
        assert told.best_proven
        assert [value.length for value in told.moves] == sorted(value.length for value in told.moves)
        assert {value.move for value in told.moves} == set(np.flatnonzero(SMALL.legal(board.state)).tolist())
        for value in told.moves:
            needed = 1 + distances_2x3[after(board, value.move).tobytes()]
            assert (value.length, value.bound, value.proven) == (needed, needed, True)
            assert value.regret == Interval(needed - before, needed - before)
        assert set(told.best) == {value.move for value in told.moves if value.regret.most == 0}


@pytest.mark.parametrize(
    "name",
    [
        "dust-4x3x3",
        pytest.param("dust-5x3x4", marks=pytest.mark.slow),
        pytest.param("dust-6x2x3", marks=pytest.mark.slow),
    ],
)
def test_two_solvers_give_the_same_hints_and_regrets(name):
    puzzle = load(name)
    for seed in range(6):
        board = Instance(puzzle, puzzle.view(Samples).scales["uniform"].sample(np.random.default_rng(seed), None, 1)[0])
        exact, plain = hint(board, "halves"), hint(board, "bfs")
        assert exact.moves == plain.moves
        assert exact.proven
        game = [exact.moves[-1].move]
        assert analyse(board, game, "halves").steps == analyse(board, game, "bfs").steps
        assert analyse(board, game, "halves").total == exact.moves[-1].regret


def test_several_moves_may_be_best_and_one_into_a_position_without_a_solution_is_proven_to_be_one():
    told = hint(place(4), "bfs")
    assert told.best == (0, 1)
    assert [value.length for value in told.moves] == [4, 4, None]
    fall = told.moves[-1]
    assert (fall.move, fall.needed.unsolvable, fall.regret.unsolvable, fall.proven) == (2, True, True, True)
    assert told.proven
    assert told.best_proven


def test_a_board_without_a_solution_has_no_best_move():
    told = hint(place(99), "bfs")
    assert (told.needed.unsolvable, told.best, told.moves) == (True, (), ())
    assert "every reachable state was searched" in told.reason
    odd = hint(load("tiles-3x3").read("2 1 3 4 5 6 7 8 0"))
    assert odd.needed.unsolvable
    assert "odd permutation" in odd.reason


def test_a_solved_board_needs_no_move():
    told = hint(load("tiles-3x3").read("1 2 3 4 5 6 7 8 0"))
    assert (told.length, told.best, told.moves, told.proven) == (0, (), (), True)


def test_a_puzzle_whose_moves_are_all_alike_has_a_step_of_logic():
    told = hint(load("sudoku-4x4").read("small"))
    assert told.step.placements == (told.best,)
    with pytest.raises(Unsupported, match="every solution of sudoku-4x4 has as many moves"):
        hints.hint(registry.solver(None, told.instance.puzzle), told.instance, Limit())


@pytest.mark.parametrize(("nodes", "solver"), [(1, "bfs"), (2, "ida"), (20, "bfs"), (60, "ida"), (200, "bfs")])
def test_what_was_not_proven_in_time_stays_a_range(distances_2x3, solver, nodes):
    for board in boards(8, seed=2):
        told, before = hint(board, solver, Limit(nodes=nodes)), distances_2x3[board.state.tobytes()]
        if before == 0:
            continue
        assert told.expanded <= nodes
        assert told.lower_bound <= before
        assert told.length is None or told.length >= before
        for value in told.moves:
            needed = 1 + distances_2x3[after(board, value.move).tobytes()]
            assert value.bound <= needed
            assert value.length is None or value.length >= needed
            assert value.regret.least <= needed - before
            assert value.regret.most is None or value.regret.most >= needed - before
        assert told.proven or told.stop == "nodes"
        if told.best_proven:
            assert set(told.best) == {
                move
                for move in (value.move for value in told.moves)
                if distances_2x3[after(board, move).tobytes()] < before
            }


class Late(Spy):
    """A spy that fails at the first board that it is asked about, as a search whose share of the limit is too small."""

    name: ClassVar[str] = "late"

    def attempts(self, instance, limit):
        if self._asked:
            yield from super().attempts(instance, limit)
        else:
            self._asked.append(instance)
            yield Result(None, stop="nodes", expanded=1)

    def with_memory(self):
        return self


def test_a_move_that_was_not_proven_in_its_share_of_the_limit_is_tried_again_with_the_rest():
    late = Late()
    told = hints.hint(late, place(4), Limit(nodes=1000), bounds=Interval(4, 4))
    assert [int(board.state[0]) for board in late._asked] == [3, 99, 3]
    assert (told.best, told.proven) == ((0, 1), True)


def test_a_move_that_is_not_best_is_left_there_when_only_the_best_are_wanted(corridor):
    board = corridor(9).read("4")
    whole, brief = (hints.hint(Climb(), board, Limit(), only_best=wanted) for wanted in (False, True))
    assert whole.best == brief.best == (0,)
    assert (whole.moves[1].length, whole.moves[1].regret) == (6, Interval(2, 2))
    assert (brief.moves[1].length, brief.moves[1].regret) == (None, Interval(1, None))
    assert (whole.best_proven, brief.best_proven, brief.proven, brief.stop) == (True, True, False, "done")


def test_what_is_known_of_the_board_is_not_asked_again():
    spy = Spy()
    told = hints.hint(spy, place(4), Limit(), bounds=Interval(4, 4))
    assert (told.best, told.proven) == ((0, 1), True)
    assert [int(board.state[0]) for board in spy._memories[0]._asked] == [3, 99]


def test_one_memory_serves_all_questions_and_equal_children_are_asked_about_once():
    spy = Spy()
    hints.hint(spy, place(4), Limit())
    assert spy._asked == []
    assert len(spy._memories) == 1
    assert [int(board.state[0]) for board in spy._memories[0]._asked] == [4, 99]  # 4 says what 3 needs


@pytest.mark.parametrize("is_pressed", [False, True])
def test_a_watch_or_ctrl_c_ends_the_work_and_keeps_what_is_known(corridor, is_pressed):
    def watch(attempt):
        ends = getattr(attempt, "bound", 0) == 4
        if ends and is_pressed:
            raise KeyboardInterrupt
        return ends

    told = hints.hint(Climb(), corridor(9).read("4"), Limit(), watch)
    assert (told.stop, told.proven, told.length, told.best) == ("interrupted", False, 4, (0,))
    assert (told.moves[1].length, told.moves[1].bound) == (None, 5)


def test_a_watch_that_is_content_with_a_proven_answer_ends_the_work_too():
    spy = Spy()
    told = hints.hint(spy, place(4), Limit(), lambda attempt: isinstance(attempt, Result))
    assert (told.stop, told.length) == ("interrupted", 4)
    assert len(spy._memories[0]._asked) == 1


def test_a_wrong_answer_is_not_believed():
    with pytest.raises(PuzzlelabError, match="told gave a wrong answer"):
        hints.hint(Told(results=(Result((0,)),)), place(4), Limit())


def test_a_solver_that_proves_nothing_gives_ranges(corridor):
    told = hints.hint(Climb(proves=False), corridor(9).read("4"), Limit())
    assert (told.needed, told.best, told.proven, told.best_proven) == (Interval(1, 4), (0,), False, False)
    assert [(value.length, value.bound) for value in told.moves] == [(4, 1), (6, 1)]
    assert [value.regret for value in told.moves] == [Interval(0, 3), Interval(0, 5)]


# --- the moves of a game ---------------------------------------------------------------------------------------------


def wander(board, moves, seed):
    """So many random moves."""
    random, state, made = np.random.default_rng(seed), board.state, []
    for _ in range(moves):
        made.append(int(random.choice(np.flatnonzero(SMALL.legal(state)))))
        state = SMALL.apply(state, made[-1])
    return made


@pytest.mark.parametrize("seed", range(4))
def test_every_move_of_a_game_gets_its_true_regret(distances_2x3, seed):
    board = boards(1, seed)[0]
    moves = wander(board, 12, seed)
    told = analyse(board, moves, "bfs")
    lengths = [distances_2x3[position.state.tobytes()] for position in positions_of(board, moves)]
    assert [step.move for step in told.steps] == moves
    assert [step.regret for step in told.steps] == [Interval(1 + b - a, 1 + b - a) for a, b in pairwise(lengths)]
    assert told.total == Interval(12 + lengths[-1] - lengths[0], 12 + lengths[-1] - lengths[0])
    assert told.proven


@pytest.mark.parametrize("nodes", [1, 10, 100])
def test_a_game_under_a_limit_gives_ranges_that_hold(distances_2x3, nodes):
    for seed in range(6):
        board = boards(1, seed)[0]
        moves = wander(board, 10, seed)
        told = analyse(board, moves, "bfs", Limit(nodes=nodes))
        lengths = [distances_2x3[position.state.tobytes()] for position in positions_of(board, moves)]
        wasted = [1 + b - a for a, b in pairwise(lengths)]
        for step, waste in zip(told.steps, wasted, strict=True):
            assert step.regret.least <= waste
            assert step.regret.most is None or waste <= step.regret.most
        assert told.total.least <= sum(wasted)
        assert told.total.most is None or sum(wasted) <= told.total.most
        assert told.proven or told.stop == "nodes"
        assert told.expanded <= nodes


def test_an_optimal_game_needs_one_question():
    spy = Spy()
    told = games.analyse(spy, games.Game.of(place(9), [0, 1] * 4 + [0]), Limit())
    assert (told.total, told.proven) == (Interval(0, 0), True)
    assert len(spy._memories[0]._asked) == 1


def test_a_game_may_be_unfinished_lost_or_empty():
    told = analyse(place(9), [0, 1, 0], "bfs")
    assert (told.total, told.steps[-1].after) == (Interval(0, 0), Interval(6, 6))
    told = analyse(place(9), [0, 2], "bfs")
    assert [step.regret.unsolvable for step in told.steps] == [False, True]
    assert (told.total.unsolvable, told.first_mistake, len(told.continuation)) == (True, 1, 8)
    told = analyse(place(9), [], "bfs")
    assert (told.steps, told.total, told.proven) == ((), Interval(0, 0), True)


def test_a_move_that_cannot_be_made_is_named():
    with pytest.raises(BadBoard, match="move 3 of 4: < cannot be made"):
        analyse(place(2), [0, 0, 0, 0], "bfs")


def test_games_of_a_puzzle_whose_moves_are_all_alike_are_refused():
    with pytest.raises(Unsupported, match="sudoku-4x4"):
        analyse(load("sudoku-4x4").read("1" + "." * 15), [])


# --- ranges ----------------------------------------------------------------------------------------------------------


def test_ranges():
    assert Interval(2, 5).meets(Interval(3, None)) == Interval(3, 5)
    assert Interval(2, 5).meets(Interval(unsolvable=True)) == Interval(unsolvable=True)
    assert Interval(2, None).plus(1) == Interval(3, None)
    assert (Interval(3, 3).proven, Interval(3, 4).proven, Interval(3).proven, Interval(unsolvable=True).proven) == (
        *(True, False),
        *(False, True),
    )
    assert interval_difference(Interval(5, 7), Interval(4, 5)) == Interval(0, 3)
    assert interval_difference(Interval(5), Interval(4)) == Interval(0, None)
    assert interval_difference(Interval(unsolvable=True), Interval(4, 5)).unsolvable


def test_notebooks_show_the_board_and_the_regret_of_each_move() -> None:
    page = hint(load("tiles-3x3").read("1 2 3 4 5 6 0 7 8"), "bfs")._repr_html_()
    assert "<svg" in page
    assert "moves needed: 2" in page
    assert "<tr><td>L</td><td>2</td><td>0</td></tr>" in page
    assert str(Interval(2, None)) == "2 or more"
    assert str(Interval(2, 4)) == "2 to 4"

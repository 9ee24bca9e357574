"""The perfect learner of `benchmarks/perfect_learner.py`, on a puzzle of 360 boards."""

import numpy as np
import pytest

import perfect_learner
from puzzlelab import load
from puzzlelab.core.views import scale_of

PUZZLE = load("tiles-2x3")


@pytest.fixture(scope="module")
def moves():
    return perfect_learner.moves_of(PUZZLE)


def test_values_that_count_moves_solve_all_boards_in_the_fewest(moves) -> None:
    values = perfect_learner.converged_values(PUZZLE, moves, "moves", 1.0)
    far = moves.distances > 0
    assert np.array_equal(values.max(axis=1)[far], -moves.distances[far])
    assert np.array_equal(perfect_learner.played(moves, values, 50), moves.distances)


def test_a_game_that_reaches_the_move_limit_is_not_solved(moves) -> None:
    values = perfect_learner.converged_values(PUZZLE, moves, "moves", 1.0)
    taken = perfect_learner.played(moves, values, 7)
    assert np.array_equal(taken, np.where(moves.distances <= 7, moves.distances, -1))


@pytest.mark.parametrize(("reward", "discount"), [("level", 0.9), ("in-place", 0.95), ("in-place + -0.1*illegal", 0.9)])
def test_values_are_those_that_the_bellman_update_keeps(moves, reward, discount) -> None:
    """For each board by itself, with the reward as the document 002 states it."""
    values = perfect_learner.converged_values(PUZZLE, moves, reward, discount)
    row_of = {state.tobytes(): row for row, state in enumerate(moves.states)}
    measure = scale_of(PUZZLE, "level")[1].measure
    for row in range(1, 360, 37):
        state = moves.states[row]
        for move in range(PUZZLE.move_count):
            legal = PUZZLE.legal(state)[move]
            after = PUZZLE.apply(state, move) if legal else state
            in_place = (after == np.array(PUZZLE.goal)).sum() - 6.0
            own = -measure(after[None])[0] if reward == "level" else in_place
            cost = 0 if legal or "illegal" in reward else 1
            place = row_of[after.tobytes()]
            future = 0.0 if moves.distances[place] == 0 else discount * values[place].max()
            assert values[row, move] == pytest.approx(own - cost + future, abs=1e-6)


def test_the_table_has_a_line_for_each_level(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.argv", ["perfect_learner.py", "--puzzle", "tiles-2x3", "--discounts", "0.5,1"])
    perfect_learner.main()
    head, rule, *lines = capsys.readouterr().out.splitlines()
    assert head.count("|") == rule.count("|") == 11
    boards = [int(line.split("|")[2]) for line in lines[:-2]]
    assert sum(boards) == int(lines[-2].split("|")[2]) == 360
    assert lines[-2].endswith("| 100.0% | 100.0% | 100.0% | 100.0% |")

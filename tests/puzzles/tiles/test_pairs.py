"""The learned estimate of pairs: its weights, how they are learned, and the beam that it leads."""

import numpy as np
import pytest

import puzzlelab
from puzzlelab.core.views import Estimates
from puzzlelab.engine import kernels as names
from puzzlelab.engine.batch_rules import cheap_bounds, estimated
from puzzlelab.puzzles.tiles.estimate_kernels import grid_distance
from puzzlelab.puzzles.tiles.kernels import rules
from puzzlelab.puzzles.tiles.pairs import alike_pairs, near_pairs, pair_tables
from puzzlelab.puzzles.tiles.pairs_kernels import UNITS, fit
from puzzlelab.puzzles.tiles.planes import mirror

SIDES = (3, 5, 6, 7)


def weights_of(side, seed=0):
    """Random weights of a square; number 0 is 0."""
    weights = np.random.default_rng(seed).integers(-200, 200, near_pairs(side).weights).astype(np.int16)
    weights[0] = 0
    return weights


def walk(side, seed, moves=60):
    """The working states of a random walk from a random board, and the moves between them."""
    puzzle = puzzlelab.Tiles(side, side)
    random, state = np.random.default_rng(seed), np.array(puzzle.goal, np.uint8)
    states, made = [state], []
    for _ in range(moves):
        move = int(random.choice(np.flatnonzero(puzzle.legal(state))))
        state = puzzle.apply(state, move)
        states.append(state)
        made.append(move)
    return puzzle, np.array(states), made


def plain_sum(side, weights, offset, working):
    """The estimate, summed over all near pairs in plain Python."""
    pairs, cells = near_pairs(side), side * side
    distance = grid_distance(side, side)
    alone = sum(int(distance[piece, cell]) for cell, piece in enumerate(working[:-1]) if piece != cells - 1)
    both = sum(int(weights[pairs.place[number, int(working[a]) * cells + int(working[b])]])
               for number, (a, b) in enumerate(pairs.cells))  # fmt: skip
    return alone + (both + offset) / UNITS


@pytest.mark.parametrize("side", SIDES)
def test_the_sum_is_that_of_all_near_pairs_from_scratch_and_move_by_move(side):
    puzzle, states, moves = walk(side, side)
    weights, memo = weights_of(side), np.zeros(8, np.int64)
    tables = pair_tables(puzzle, weights, 77)
    working = rules(puzzle).encode(states)
    value = names.evaluate(tables, working[0], memo)
    for before, move, after in zip(working, moves, working[1:], strict=False):
        value = names.evaluate_move(tables, before, move, value, memo, memo, 0)
        assert value == names.evaluate(tables, after, memo) == plain_sum(side, weights, 77, after)


@pytest.mark.parametrize("side", SIDES)
def test_a_board_and_its_mirror_image_have_one_estimate(side):
    puzzle, states, _ = walk(side, 1)
    tables, memo = pair_tables(puzzle, weights_of(side), 0), np.zeros(8, np.int64)
    cells, tiles = mirror(puzzle)
    for state, image in zip(rules(puzzle).encode(states), rules(puzzle).encode(tiles[states[:, cells]]), strict=True):
        assert names.evaluate(tables, state, memo) == names.evaluate(tables, image, memo)


def test_pairs_that_look_alike_share_a_number_on_boards_of_all_sizes():
    """Two neighbours in a row that are each other's goal: along rows, along columns, anywhere, on any board."""
    seen = set()
    for side in (4, 5, 6):
        cells, number_of = near_pairs(side).cells.tolist(), alike_pairs(side)
        for a, b in ((0, 1), (1, 2), (0, side), (side + 1, side + 2)):
            number = number_of[0][cells.index([a, b]), b * side * side + a]
            seen.add(int(number_of[1][number]))
        assert number_of[0][cells.index([0, 1]), 0] == number_of[0][cells.index([0, 1]), 3 * side * side + 3] == 0
        assert number_of[0][cells.index([0, 1]), side * side - 1] == 0  # the blank
    assert len(seen) == 1


def test_what_is_learned_is_closer_to_the_moves_that_are_left():
    """Of all boards of the 8-puzzle that a walk comes by, with the true distances."""
    puzzle, states, _ = walk(3, 5, 4000)
    working, pairs = rules(puzzle).encode(states), near_pairs(3)
    exact, manhattan = (puzzle.view(Estimates).estimate(name) for name in ("exact", "manhattan"))
    targets = (estimated(puzzle, exact, states) - estimated(puzzle, manhattan, states)).astype(np.float32)
    parameters, squares = np.zeros(pairs.weights, np.float32), np.ones(pairs.weights, np.float32)
    places, order = pairs.place[:, :, None].copy(), np.arange(len(working))
    errors = [fit(parameters, squares, places, pairs.cells, working, targets, order, np.float32(rate))
              for rate in (0.02, 0.02, 0.0, 0.0)]  # fmt: skip
    assert errors[0] > errors[1] > errors[2] == errors[3] > 0
    assert parameters[0] == 0
    assert errors[0] < np.mean(targets**2)


@pytest.mark.parametrize("side", [5, 6, 7])
def test_a_beam_without_an_estimate_is_led_by_pairs_and_tells_a_lower_bound(side):
    puzzle, states, _ = walk(side, 3, 200)
    board = puzzlelab.Instance(puzzle, states[-1])
    solver = puzzlelab.solver("beam", width=64)
    assert solver.options_for(puzzle)["estimate"] == "pairs"
    result = puzzlelab.solve(board, solver)
    assert puzzlelab.verify(board, result)
    assert result.lower_bound == cheap_bounds(puzzle, states[-1:])[0] > 0
    assert puzzlelab.solver("beam", estimate="manhattan").options_for(puzzle)["estimate"] == "manhattan"


def test_boards_of_other_sizes_and_goals_have_no_such_estimate():
    others = ("tiles-4x4", "tiles-5x6", "tiles-8x8", "tiles-5x5:moves=multi", goal_of([1, 0, *range(2, 25)]))
    for name in others:
        assert "pairs" not in puzzlelab.load(name).view(Estimates).estimates
    assert "pairs" in puzzlelab.load(goal_of([0, *range(24, 0, -1)])).view(Estimates).estimates


def goal_of(tiles):
    """The name of the 24-puzzle with this goal."""
    return "tiles-5x5:goal=" + ",".join(map(str, tiles))

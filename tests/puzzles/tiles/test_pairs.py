"""The learned estimate of pairs: its weights, how they are learned, and the beam that it leads."""

from pathlib import Path

import numpy as np
import pytest

import puzzlelab
from puzzlelab.core.views import Estimates
from puzzlelab.engine import kernels as names
from puzzlelab.engine.batch_rules import cheap_bounds, estimated
from puzzlelab.puzzles.tiles import pairs as pairs_module
from puzzlelab.puzzles.tiles.estimate_kernels import grid_distance
from puzzlelab.puzzles.tiles.kernels import rules
from puzzlelab.puzzles.tiles.pairs import (
    PLACES,
    TRIO_CLIP,
    alike_blocks,
    alike_pairs,
    alike_trios,
    alike_weights,
    near_cells,
    near_pairs,
    own_blocks,
    pair_tables,
    trios,
)
from puzzlelab.puzzles.tiles.pairs_kernels import UNITS, Features, fit
from puzzlelab.puzzles.tiles.planes import mirror

SIDES = (3, 5, 6, 7)


def weights_of(side, seed=0):
    """Random weights of the pairs of a square, of which number 0 is 0, and of all trios that look alike."""
    random = np.random.default_rng(seed)
    weights = random.integers(-200, 200, near_pairs(side).weights).astype(np.int16)
    weights[0] = 0
    return weights, random.integers(-200, 200, alike_trios().max() + 1).astype(np.int16)


def walk(side, seed, moves=60, columns=None):
    """The states of a random walk from the goal, and the moves between them."""
    puzzle = puzzlelab.Tiles(side, columns or side)
    random, state = np.random.default_rng(seed), np.array(puzzle.goal, np.uint8)
    states, made = [state], []
    for _ in range(moves):
        move = int(random.choice(np.flatnonzero(puzzle.legal(state))))
        state = puzzle.apply(state, move)
        states.append(state)
        made.append(move)
    return puzzle, np.array(states), made


def plain_sum(side, weights, trio_weights, offset, working):
    """The estimate, summed over all near pairs and trios in plain Python."""
    pairs, cells = near_pairs(side), side * side
    distance = grid_distance(side, side)
    alone = sum(int(distance[piece, cell]) for cell, piece in enumerate(working[:-1]) if piece != cells - 1)
    both = sum(int(weights[pairs.place[number, int(working[a]) * cells + int(working[b])]])
               for number, (a, b) in enumerate(pairs.cells))  # fmt: skip
    lies = np.argsort(working[:-1])
    three = sum(int(trio_weights[trio_number(side, trio, lies)]) for trio in trios(side, side).pieces.tolist())
    return alone + (both + three + offset) / UNITS


def trio_number(side, trio, lies):
    """The number of the weight of a trio, by the steps from the goal cells in the frame of the trio."""
    (y, x), *ends = (divmod(piece, side) for piece in trio)
    along = (ends[0][0] - y, ends[0][1] - x)
    is_line = np.add(*ends).tolist() == [2 * y, 2 * x]
    across = (along[1], along[0]) if is_line else (ends[1][0] - y, ends[1][1] - x)
    place = int(is_line)
    for piece in trio:
        steps = np.subtract(divmod(int(lies[piece]), side), divmod(piece, side))
        for axis in (along, across):
            place = place * (2 * TRIO_CLIP + 1) + int(np.clip(steps @ axis, -TRIO_CLIP, TRIO_CLIP)) + TRIO_CLIP
    return alike_trios()[place]


@pytest.mark.parametrize("side", SIDES)
def test_the_sum_is_that_of_all_near_pairs_and_trios_from_scratch_and_move_by_move(side):
    puzzle, states, moves = walk(side, side)
    weights, memo, delta = weights_of(side), np.zeros(side * side, np.int64), np.zeros(side * side, np.int64)
    tables = pair_tables(puzzle, own_blocks(side, weights[0]), weights[1], 77)
    working = rules(puzzle).encode(states)
    value, fresh = names.evaluate(tables, working[0], memo), np.zeros_like(memo)
    for before, move, after in zip(working, moves, working[1:], strict=False):
        value = names.evaluate_move(tables, before, move, value, memo, delta, 0)
        names.swap_delta(tables, memo, delta)
        assert value == names.evaluate(tables, after, fresh) == plain_sum(side, *weights, 77, after)
        assert memo.tolist() == fresh.tolist()
        assert names.remember(tables, after, fresh)
        assert memo.tolist() == fresh.tolist()


@pytest.mark.parametrize("side", SIDES)
def test_a_board_and_its_mirror_image_have_one_estimate(side):
    puzzle, states, _ = walk(side, 1)
    weights, memo = weights_of(side), np.zeros(side * side, np.int64)
    tables = pair_tables(puzzle, own_blocks(side, weights[0]), weights[1], 0)
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


def test_trios_are_all_corners_and_lines_of_three_tiles_and_look_alike_in_mirrors():
    assert [len(trios(side, side).pieces) for side in (3, 4, 5, 7)] == [13 + 4, 33 + 14, 61 + 28, 141 + 68]
    number = alike_trios()
    assert number.shape == (PLACES,)
    assert np.bincount(number)[number[: PLACES // 2]].max() == 2
    assert np.bincount(number)[number[PLACES // 2 :]].max() == 4
    assert not np.intersect1d(number[: PLACES // 2], number[PLACES // 2 :]).size


def test_what_is_learned_ranks_states_that_are_nearer_to_the_goal_before_others():
    """Of the 8-puzzle, by the true distances of the states that a walk comes by."""
    puzzle, states, _ = walk(3, 5, 4000)
    exact = estimated(puzzle, puzzle.view(Estimates).estimate("exact"), states)
    random = np.random.default_rng(0)
    near, far = random.integers(len(states), size=(2, 3000))
    near, far = np.where(exact[near] <= exact[far], near, far), np.where(exact[near] <= exact[far], far, near)
    near, far = near[exact[near] < exact[far]], far[exact[near] < exact[far]]
    pairs, working, distance = near_pairs(3), rules(puzzle).encode(states), grid_distance(3, 3).astype(np.float32)
    distance[-1] = 0
    places = (pairs.weights + alike_trios()).astype(np.int32)
    features = Features(distance, pairs.cells, pairs.place[:, :, None].copy(), *trios(3, 3), places)
    parameters, squares = np.zeros((2, places.max() + 2), np.float32)
    squares += 1
    scratch = np.zeros(9, np.int64), np.zeros((2, len(pairs.cells) + len(features.pieces)), np.int32)
    order, left = np.arange(len(near)), exact[near].astype(np.float32)
    losses = [fit(parameters, squares, features, working[near], working[far][:, None], left, order, np.float32(rate),
                  *scratch) for rate in (0.02, 0.02, 0.0, 0.0)]  # fmt: skip
    assert losses[0] > losses[1] > losses[2] == losses[3] > 0
    assert parameters[0] == 0
    values = {}
    for state in np.unique(np.concatenate([near, far])):
        units = parameters[:-1] * UNITS
        values[int(state)] = plain_sum(3, units, units[pairs.weights :], parameters[-1] * UNITS, working[state])
    wrong = np.mean([values[int(a)] >= values[int(b)] for a, b in zip(near, far, strict=True)])
    before = estimated(puzzle, puzzle.view(Estimates).estimate("manhattan"), states)
    assert wrong < np.mean(before[near] >= before[far])


@pytest.mark.parametrize("side", [5, 6, 7, 8])
def test_a_beam_without_an_estimate_is_led_by_pairs_and_tells_a_lower_bound(side):
    puzzle, states, _ = walk(side, 3, 200)
    board = puzzlelab.Instance(puzzle, states[-1])
    solver = puzzlelab.solver("beam", width=64)
    assert solver.options_for(puzzle)["estimate"] == "pairs"
    result = puzzlelab.solve(board, solver)
    assert puzzlelab.verify(board, result)
    assert result.lower_bound == cheap_bounds(puzzle, states[-1:])[0] > 0
    assert puzzlelab.solver("beam", estimate="manhattan").options_for(puzzle)["estimate"] == "manhattan"


def test_large_boards_whose_goal_has_the_blank_in_a_corner_have_this_estimate():
    others = ("tiles-4x4", "tiles-2x9", "tiles-5x5:moves=multi", goal_of([1, 0, *range(2, 25)]))
    for name in others:
        assert "pairs" not in puzzlelab.load(name).view(Estimates).estimates
    for name in ("tiles-3x6", "tiles-6x5", "tiles-12x12", goal_of([0, *range(24, 0, -1)])):
        assert "pairs" in puzzlelab.load(name).view(Estimates).estimates


@pytest.mark.parametrize(("rows", "columns"), [(3, 6), (6, 5), (9, 9)])
def test_boards_without_weights_of_their_own_have_those_that_look_alike(rows, columns):
    """The sum over near pairs and trios from scratch, and move by move; the goal has 0."""
    puzzle, states, moves = walk(rows, 2, columns=columns)
    tables, cells = puzzle.view(Estimates).estimate("pairs").kernel(), rows * columns
    memo, fresh, delta = np.zeros((3, cells), np.int64)
    working, found = rules(puzzle).encode(states), trios(rows, columns)
    with np.load(Path(pairs_module.__file__).with_name("pairs.npz")) as stored:
        blocks, trio_weights = list(alike_blocks(rows, columns, stored["weights"])), stored["trio_weights"]
    value = names.evaluate(tables, working[0], memo)
    assert value == 0
    for before, move, after in zip(working, moves, working[1:], strict=False):
        value = names.evaluate_move(tables, before, move, value, memo, delta, 0)
        names.swap_delta(tables, memo, delta)
        assert value == names.evaluate(tables, after, fresh)
    total = int(tables.offset) + UNITS * int(
        sum(grid_distance(rows, columns)[p, c] for c, p in enumerate(working[-1][:-1]) if p != cells - 1)
    )
    near = near_cells(rows, columns)
    total += sum(int(block[working[-1][a], working[-1][b]]) for (a, b), block in zip(near, blocks, strict=True))
    places = np.take_along_axis(found.codes, np.argsort(working[-1][:-1])[found.pieces][:, :, None], axis=2)
    total += int(trio_weights[alike_trios()][places.sum(axis=(1, 2))].sum())
    assert value == total / UNITS


def test_its_memory_is_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(pairs_module, "require_memory", lambda title, needed: asked.append((title, needed)))
    blocks = np.zeros((len(near_cells(3, 6)), 18, 18), np.int16)
    tables = pair_tables(puzzlelab.Tiles(3, 6), blocks, np.zeros(alike_trios().max() + 1, np.int16), 0)
    assert asked == [("the estimate 'pairs' of tiles-3x6", tables.weights.nbytes)]


def test_alike_weights_are_those_of_a_square_whose_pairs_that_look_alike_have_one_weight():
    side, (number, codes) = 5, alike_pairs(5)
    weights = np.random.default_rng(1).integers(-200, 200, codes.size).astype(np.int16)
    own = np.zeros(near_pairs(side).weights, np.int16)
    own[near_pairs(side).place] = np.where(number > 0, weights[number], 0)
    alike = alike_blocks(side, side, alike_weights(side, own))
    for block, expected, tiles in zip(alike, own_blocks(side, own), number, strict=True):
        assert (block[tiles.reshape(block.shape) > 0] == expected[tiles.reshape(block.shape) > 0]).all()
        assert (block[tiles.reshape(block.shape) == 0] == 0).all()


def goal_of(tiles):
    """The name of the 24-puzzle with this goal."""
    return "tiles-5x5:goal=" + ",".join(map(str, tiles))

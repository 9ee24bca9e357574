"""One image for all boards that are the same but for a symmetry, and what networks say that are shown it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

import torch

from puzzlelab.core import registry
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.views import Planes, Samples
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves
from puzzlelab.nets.model import canonical

PUZZLES = ["tiles-2x2", "tiles-3x3", "dust-4x3x3", "sudoku-4x4"]
"""With 2, 2, 2 and 8 images of a board."""


def boards(puzzle, seed, count=6, most=6):
    """Random states `[B, S]`, some moves after a board of the puzzle's own, or a blank one."""
    random = np.random.default_rng(seed)
    states = []
    for _ in range(count):
        state = (
            next(iter(puzzle.view(Samples).scales.values())).sample(random, None, 1)[0]
            if puzzle.view(Samples).scales
            else np.zeros(16, np.uint8)
        )
        for _ in range(random.integers(most)):
            legal = np.flatnonzero(puzzle.legal(state))
            state = puzzle.apply(state, random.choice(legal)) if legal.size else state
        states.append(state)
    return np.stack(states)


# --- the image -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PUZZLES)
@settings(max_examples=40)
@given(seed=st.integers(0, 999))
def test_all_images_of_a_board_have_one(name, seed) -> None:
    puzzle = registry.load(name)
    states = boards(puzzle, seed)
    images = [image for image, _ in puzzle.view(Planes).symmetries(states)]
    chosen, _ = canonical(puzzle, states)
    for image in images:
        assert np.array_equal(canonical(puzzle, image)[0], chosen)
    for row, state in enumerate(chosen):
        assert state.tolist() == min(image[row].tolist() for image in images)


@pytest.mark.parametrize("name", PUZZLES)
@settings(max_examples=15)
@given(seed=st.integers(0, 999))
def test_a_move_by_its_name_there_leads_to_the_same(name, seed) -> None:
    puzzle = registry.load(name)
    states = boards(puzzle, seed)
    chosen, move_permutation = canonical(puzzle, states)
    assert move_permutation.shape == (len(states), puzzle.move_count)
    assert (np.sort(move_permutation, axis=1) == np.arange(puzzle.move_count)).all()
    for move in range(puzzle.move_count):
        here = apply_moves(puzzle, states, np.full(len(states), move))
        there = apply_moves(puzzle, chosen, move_permutation[:, move])
        assert np.array_equal(here.allowed, there.allowed)
        assert np.array_equal(canonical(puzzle, here.states)[0], canonical(puzzle, there.states)[0])
        for row in np.flatnonzero(here.allowed):
            named = canonical_moves(puzzle, chosen)[row, move_permutation[row, move]]
            assert np.array_equal(there.states[row], puzzle.apply(chosen[row], named))


def test_a_board_of_the_fifteen_puzzle_in_the_mirror() -> None:
    puzzle = registry.load("tiles-4x4")
    board, mirrored = "1 2 3 4 5 6 7 8 9 10 11 0 13 14 15 12", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15"
    states = np.stack([puzzle.read(board).state, puzzle.read(mirrored).state])
    chosen, move_permutation = canonical(puzzle, states)
    assert puzzle.write(chosen[0]) == puzzle.write(chosen[1])
    moves = [[puzzle.write_move(move) for move in names] for names in move_permutation.tolist()]
    order = [puzzle.write_move(move) for move in range(4)]
    assert sorted(moves) == sorted([order, [dict(zip("UDLR", "LRUD", strict=True))[move] for move in order]])


@pytest.mark.parametrize("name", ["tiles-2x3", "dust-3x3x2"])
def test_a_puzzle_without_a_mirror_is_left_as_it_is(name) -> None:
    puzzle = registry.load(name)
    states = boards(puzzle, 0)
    chosen, move_permutation = canonical(puzzle, states)
    assert np.array_equal(chosen, states)
    assert (move_permutation == np.arange(puzzle.move_count)).all()


def test_a_puzzle_without_images(corridor) -> None:
    states = np.array([[3], [7]], np.int16)
    chosen, move_permutation = canonical(corridor(9), states)
    assert np.array_equal(chosen, states)
    assert move_permutation.tolist() == [[0, 1], [0, 1]]


# --- what a network says of it ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "dueling"),
    [
        ("tiles-3x3", "dense", False),
        ("tiles-3x3", "residual", True),
        ("tiles-3x3", "convolution", False),
        ("dust-4x3x3", "dense", True),
        ("dust-4x3x3", "exchangeable", False),
        ("sudoku-4x4", "dense", True),
    ],
)
def test_images_of_a_board_get_the_same_answers(model_of, states_of, name, kind, dueling) -> None:
    puzzle = registry.load(name)
    model, plain = (model_of(puzzle, kind, canonical=each, dueling=dueling) for each in (True, False))
    states = states_of(puzzle)
    found, as_they_are = model.outputs(states), plain.outputs(states)
    for image, move_permutation in puzzle.view(Planes).symmetries(states)[1:]:
        there = model.outputs(image)
        assert np.allclose(there["cost_to_go"], found["cost_to_go"], atol=1e-3)
        for head in ("policy", "q"):
            assert np.allclose(there[head][:, move_permutation], found[head], atol=1e-3)
        other = plain.outputs(image)
        assert not np.allclose(other["cost_to_go"], as_they_are["cost_to_go"], atol=1e-2)
        assert not np.allclose(other["q"][:, move_permutation], as_they_are["q"], atol=1e-2)


def test_what_is_learned_of_a_board_is_learned_of_its_image(model_of) -> None:
    puzzle = registry.load("tiles-3x3")
    model = model_of(puzzle, "dense", canonical=True)
    state = puzzle.read("8 1 3 4 0 2 7 6 5").state[None]
    mirrored, move_permutation = puzzle.view(Planes).symmetries(state)[1]
    weights = list(model.module.parameters())

    def slopes(states, move):
        return torch.autograd.grad(model.forward(model.columns(states))["q"][0, move], weights, allow_unused=True)

    for move in range(4):
        pairs = zip(slopes(state, move), slopes(mirrored, move_permutation[move]), strict=True)
        assert all(torch.equal(here, there) for here, there in pairs if here is not None)
    assert not torch.equal(slopes(state, 0)[0], slopes(state, 1)[0])


# --- values of moves as a prior --------------------------------------------------------------------------------------


@pytest.fixture
def worth(model_of):
    """`worth(puzzle, *values)`: a network that says of every state that its moves are worth so much."""

    def made_of(puzzle, *values, **settings):
        model = model_of(puzzle, "dense", heads=["q"], **settings)
        layer = model.module.heads.each["q"].linear
        layer.weight.data.zero_()
        layer.bias.data[:] = layer.bias.new_tensor(values)
        return model

    return made_of


@pytest.mark.parametrize("policy", ["softmax", "binary"])
def test_a_move_that_is_worth_one_more_is_so_much_more_probable(worth, policy) -> None:
    puzzle = registry.load("tiles-3x3")
    state = puzzle.read("1 2 3 4 5 6 7 0 8").state[None]  # U cannot be made
    likely = np.exp(worth(puzzle, 1.0, 2.0, 3.0, 4.0, policy=policy).prior().scores(state))[0]
    legal = puzzle.legal(state[0])
    wanted = np.where(legal, np.exp([1.0, 2.0, 3.0, 4.0]), 0.0)
    assert likely == pytest.approx(wanted / wanted.sum(), rel=1e-2)
    assert not legal.all()


def test_the_best_cell_speaks_for_its_cluster(worth) -> None:
    puzzle = registry.load("dust-2x2x2")
    state = puzzle.read("1112").state[None]
    likely = np.exp(worth(puzzle, 0.0, 0.0, -9.0, 0.0).prior().scores(state))[0]
    assert likely == pytest.approx([0.5, 0, 0, 0.5], abs=1e-2)


def test_the_value_of_the_best_legal_move_is_an_estimate(worth) -> None:
    puzzle = registry.load("tiles-3x3")
    model = worth(puzzle, -9.0, -5.0, -7.0, -6.0)
    boards = ["1 2 3 4 5 6 7 0 8", "1 2 3 4 0 6 7 5 8", "1 2 3 4 5 6 7 8 0"]
    states = np.array([puzzle.read(board).state for board in boards])
    best = np.where([puzzle.legal(state) for state in states], [9.0, 5.0, 7.0, 6.0], np.inf).min(axis=1)
    assert model.estimate().scores(states) == pytest.approx([*best[:2], 0], rel=1e-2)  # the last board is solved
    both = model.both().both
    assert np.allclose(both(states)[1], model.estimate().scores(states))


def test_values_of_moves_that_are_rewards_are_no_estimate(worth, monkeypatch) -> None:
    model = worth(registry.load("tiles-3x3"), 0.0, 0.0, 0.0, 0.0)
    monkeypatch.setattr(type(model), "values_count_moves", False)
    with pytest.raises(Unsupported, match="is no estimate: its values are rewards, not numbers of moves"):
        model.estimate()

"""Every architecture answers for every head, and treats alike what it promises to treat alike."""

import numpy as np
import pytest

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption, NotSuited, UnknownName
from puzzlelab.nets.network import kinds, read_network

KINDS = ["convolution", "dense", "exchangeable", "residual"]


@pytest.mark.parametrize("name", ["dust-4x3x3", "tiles-3x3"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_head_answers_for_every_state(model_of, states_of, kind, name) -> None:
    puzzle = registry.load(name)
    if kind == "exchangeable" and name == "tiles-3x3":
        with pytest.raises(NotSuited, match="no symbols that may be exchanged"):
            model_of(puzzle, kind)
        return
    found = model_of(puzzle, kind).outputs(states_of(puzzle))
    assert {head: answer.shape for head, answer in found.items()} == {
        "moves": (5, puzzle.move_count),
        "remaining": (5,),
        "q": (5, puzzle.move_count),
    }
    assert all(len(np.unique(answer)) > 1 for answer in found.values())


def test_the_kinds_that_are_tested_are_all_that_there_are() -> None:
    assert kinds() == KINDS


def test_exchanging_colours_exchanges_nothing_in_the_answers(model_of, states_of) -> None:
    puzzle = registry.load("dust-4x3x3")
    model, states = model_of(puzzle, "exchangeable"), states_of(puzzle)
    other, called = puzzle.exchanged(states, np.array([2, 0, 1]))
    assert (other != states).any()
    before, after = model.outputs(states), model.outputs(other)
    assert np.allclose(before["remaining"], after["remaining"], atol=1e-2)
    assert np.allclose(before["moves"], after["moves"][:, called], atol=1e-2)


def test_a_dense_network_notices_exchanged_colours(model_of, states_of) -> None:
    puzzle = registry.load("dust-4x3x3")
    model, states = model_of(puzzle, "dense"), states_of(puzzle)
    other, _ = puzzle.exchanged(states, np.array([2, 0, 1]))
    assert not np.allclose(model.outputs(states)["remaining"], model.outputs(other)["remaining"], atol=1e-2)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "a network needs a kind: one of convolution, dense"),
        ({"kind": 3}, "a network needs a kind"),
        ({"kind": "dens"}, "there is no kind of network 'dens'; did you mean 'dense'"),
        ({"kind": "dense", "widht": 3}, "dense has no option 'widht'; did you mean 'width'"),
        ({"kind": "dense", "width": 0}, "dense: the option 'width' cannot be '0'"),
        ({"kind": "dense", "heads": []}, "name one or more of moves, remaining, q"),
        ({"kind": "dense", "heads": ["moves", "moves"]}, "each once"),
    ],
)
def test_bad_settings_get_a_sentence(values, words) -> None:
    with pytest.raises((BadOption, UnknownName), match=words):
        read_network(values)

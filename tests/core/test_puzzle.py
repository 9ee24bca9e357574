import numpy as np
import pytest

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import Presentation, Puzzle, presentation_of
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Planes, Reversible, Samples


def test_instances_are_equal_by_puzzle_and_board(eight: Puzzle, corridor) -> None:
    assert eight.read("1 2 3 4 5 6 7 0 8") == eight.read("123456708")
    assert hash(eight.read("1 2 3 4 5 6 7 0 8")) == hash(eight.read("123456708"))
    assert eight.read("1 2 3 4 5 6 7 0 8") != eight.read("1 2 3 4 5 6 0 7 8")
    assert corridor(5).read("3") != corridor(6).read("3")
    assert eight.read("1 2 3 4 5 6 7 0 8") != "1 2 3 4 5 6 7 0 8"


def test_an_instance_does_not_change_with_what_it_was_made_from(eight: Puzzle) -> None:
    state = np.array([1, 2, 3, 4, 5, 6, 7, 0, 8], np.uint8)
    instance = Instance(eight, state)
    state[0] = 9
    assert eight.write(instance.state) == "1 2 3 4 5 6 7 0 8"
    with pytest.raises(ValueError, match="read-only"):
        instance.state[0] = 9


def test_an_instance_shows_its_puzzle_and_board(eight: Puzzle) -> None:
    assert repr(eight.read("123456708")) == "<tiles-3x3: 1 2 3 4 5 6 7 0 8>"


def test_a_puzzle_offers_the_views_of_its_table(eight: Puzzle, corridor) -> None:
    views = (Reversible, KernelRules, Estimates, Planes, Samples)
    assert all(eight.view(view) is not None for view in views)
    assert [corridor().view(view) is not None for view in views] == [True, False, False, False, False]
    assert eight.view(Estimates) is eight.view(Estimates)
    assert eight.view(Reversible) is eight


def test_what_a_puzzle_does_not_say_of_itself_has_defaults(corridor) -> None:
    assert presentation_of(corridor()) == Presentation()
    assert not Presentation().warnings(np.zeros(1))
    assert Presentation().usual_solver is None


def test_an_estimate_is_either_a_kernel_or_a_function() -> None:
    with pytest.raises(BadOption, match="the estimate 'mine' must have either a kernel or a function"):
        Estimate("mine", admissible=True)
    with pytest.raises(BadOption, match="the estimate 'mine' must have either a kernel or a function"):
        Estimate("mine", admissible=True, kernel=dict, scores=np.asarray)


def test_a_search_starts_from_a_copy_of_the_working_states() -> None:
    states = np.array([[1, 2], [3, 4]], np.int32)
    states.flags.writeable = False
    for merge in (None, np.asfortranarray):
        rules = KernelRules(None, 2, np.uint8, 1, lambda plain: plain, lambda working: working, merge)
        starts = rules.starts(states)
        assert np.array_equal(starts, states)
        assert starts.dtype == np.uint8
        assert starts.flags.writeable
        assert starts.flags.c_contiguous
    same = KernelRules(None, 2, np.int32, 1, lambda plain: plain, lambda working: working)
    assert not np.shares_memory(same.starts(states), states)

"""Random walks from the goal: every position with the move that leads back on the walk."""

import numpy as np
import pytest

from puzzlelab import BadOption, Unsupported, load
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.schema import LONGEST
from puzzlelab.experience.teachers import samples_of
from puzzlelab.experience.walks import CHUNK, Walks


@pytest.fixture(scope="module")
def fifteen():
    return load("tiles-4x4")


def test_the_moves_lead_back_to_the_goal(fifteen):
    samples = Walks(fifteen, 30, seed=1).games(0, 40)
    moves = samples.masks(4)
    assert (moves.sum(axis=1) == 1).all()
    solved = {state.tobytes() for state in fifteen.goals()}
    for row, (state, remaining) in enumerate(zip(samples.state, samples.remaining, strict=True)):
        after = fifteen.apply(state, int(moves[row].argmax()))
        last = remaining == 1 or samples.remaining[row + 1] != remaining - 1
        assert (after.tobytes() in solved) if last else np.array_equal(after, samples.state[row + 1])
        assert state.tobytes() not in solved


def test_no_move_undoes_the_one_before(fifteen):
    samples = Walks(fifteen, 30).games(0, 40)
    moves = samples.masks(4).argmax(axis=1)
    follows = np.diff(samples.remaining.astype(int)) == -1
    back = np.array([fifteen.inverse(move) for move in range(4)])
    assert follows.sum() > 1000
    assert not (back[moves[:-1]] == moves[1:])[follows].any()


def test_a_walk_goes_back_where_there_is_no_other_way(corridor):
    samples = Walks(corridor(length=2), 7).games(0, 3)
    assert samples.state[:, 0].tolist() == [1, 2, 1, 1, 2, 1] * 3
    assert samples.remaining.tolist() == [7, 6, 5, 3, 2, 1] * 3


def test_a_walk_depends_on_the_seed_and_its_number_alone(fifteen):
    walks = Walks(fifteen, 12, seed=5)
    streamed, end = next(samples_of(walks, ThisProcess()))
    assert end == CHUNK
    among = walks.games(7, 300)
    alone = walks.games(280, 281)
    assert np.array_equal(among.state[among.game == 280], alone.state)
    assert np.array_equal(among.state[among.game < CHUNK], streamed.state[streamed.game >= 7])
    assert not np.array_equal(Walks(fifteen, 12, seed=6).games(280, 281).state, alone.state)


def test_goals_of_all_kinds_begin_walks(fifteen):
    firsts = Walks(fifteen, 1).games(0, 200)
    assert len(np.unique(firsts.state, axis=0)) == 2
    assert (firsts.remaining == 1).all()


@pytest.mark.parametrize("length", [0, -1, LONGEST + 1])
def test_lengths_that_make_no_sense(fifteen, length):
    with pytest.raises(BadOption, match="a walk has 1 to 65,535 moves"):
        Walks(fifteen, length)


def test_puzzles_without_a_way_back():
    with pytest.raises(Unsupported, match="moves of dust-4x3x3 cannot be undone"):
        Walks(load("dust-4x3x3"), 5)

"""UCT move by move: many games at once, what it says of solved and of lost states, and its tree."""

import numpy as np
import pytest

from puzzlelab import BadOption, Estimate, Limit, PuzzlelabError, load
from puzzlelab.core.views import Estimates, Samples
from puzzlelab.engine.batch_rules import estimated
from puzzlelab.experience.curriculum import scrambled
from puzzlelab.experience.uct_session import ABORTED, UctSession, play_episodes

TILES = load("tiles-3x3")
TRUE = Estimate("true", False, scores=lambda states: estimated(TILES, TILES.view(Estimates).estimate("exact"), states))
"""Asked like a network."""


def boards(*distances):
    random = np.random.default_rng(4)
    return np.stack([TILES.view(Samples).scales["distance"].sample(random, distance, 1)[0] for distance in distances])


def test_games_side_by_side_are_played_like_each_alone():
    states = boards(0, 1, 6, 13, 19)
    together = UctSession(TILES, len(states), estimate="manhattan", playouts=30)
    alone = [UctSession(TILES, estimate="manhattan", playouts=30) for _ in states]
    for _ in range(8):
        turn = together.moves(states)
        for game, player in enumerate(alone):
            move, after, shares = player.move(states[game])
            assert (turn.moves[game], turn.states[game].tolist()) == (move, after.tolist())
            assert np.array_equal(turn.shares[game], shares)
            assert all(np.array_equal(a, b, True) for a, b in zip(together.tree(game), player.tree(), strict=True))
        states = turn.states


def test_moves_are_those_of_the_rules_and_lead_to_the_goal(distances):
    states = boards(2, 8, 16)
    player = UctSession(TILES, 3, estimate=Estimate("true", True, scores=distances(TILES)), playouts=20)
    for distance in range(16):
        turn = player.moves(states)
        for before, move, after, share in zip(states, turn.moves, turn.states, turn.shares, strict=True):
            if TILES.solved(before):
                assert (move, after.tolist(), share.sum()) == (-1, before.tolist(), 0.0)
            else:
                assert np.array_equal(TILES.apply(before, int(move)), after)
                assert share.sum() == pytest.approx(1.0)
                assert share[move] == share.max()
        assert 0.9 * np.exp(-0.035 * (16 - distance)) < turn.values[2] <= np.exp(-0.035 * (16 - distance)) + 1e-9
        states = turn.states
    assert all(TILES.solved(state) for state in states)
    assert player.moves(states).values.tolist() == [1.0, 1.0, 1.0]


def test_where_all_is_lost_there_is_no_move(corridor):
    puzzle = corridor(wall=4)
    player = UctSession(puzzle, 2, prior="uniform", estimate=_places(), playouts=20)
    turn = player.moves(np.array([[6], [2]], np.int16))
    assert turn.moves.tolist() == [-1, 0]
    assert (turn.states.tolist(), turn.values[0], turn.shares[0].tolist()) == ([[6], [1]], 0.0, [0.0, 0.0])
    assert player.moves(turn.states).moves.tolist() == [-1, 0]


def _places():
    return Estimate("place", False, scores=lambda states: states[:, 0])


def test_the_tree_can_be_drawn():
    state = boards(12)[0]
    player = UctSession(TILES, estimate="manhattan", playouts=100, c_puct=1.0)
    player.move(state)
    tree = player.tree()
    assert (tree.parent[0], tree.move[0], tree.depth[0], tree.visits[0]) == (-1, -1, 0, 101)
    assert np.array_equal(tree.states[0], state)
    for row in range(1, len(tree.parent)):
        above = tree.parent[row]
        assert above < row
        assert tree.depth[row] == tree.depth[above] + 1
        assert np.array_equal(TILES.apply(tree.states[above], int(tree.move[row])), tree.states[row])
    assert np.isnan(tree.value[tree.visits == 0]).all()
    assert ((tree.value > 0) & (tree.value <= 1))[tree.visits > 0].all()


def test_without_kernels_new_games_have_a_new_graph_of_states(corridor):
    options = {"estimate": _places(), "playouts": 3, "temperature": 1.0}
    player, other = UctSession(corridor(9), **options), UctSession(corridor(9), **options)
    _, state, _ = player.move(np.array([7], np.int16))
    first = player.rules.graph
    player.move(state)
    assert player.rules.graph is first
    for each in (player, other):
        each.move(np.array([3], np.int16))
    assert player.rules.graph is not first
    assert player.record.random[0] != other.record.random[0]  # it goes on where the game before ended


def test_a_player_may_make_more_moves_than_there_was_room_for_at_first(corridor):
    puzzle = corridor(300)
    player = UctSession(puzzle, estimate=_places(), playouts=2)
    state, moves = np.array([250], np.int16), 0
    while state[0] > 0:
        _, state, _ = player.move(state)
        moves += 1
    assert moves == 250


def test_with_noise_a_game_that_is_played_again_is_another_one():
    state = boards(20)[0]
    player = UctSession(TILES, estimate="manhattan", dirichlet_fraction=0.5, playouts=8, seed=3)
    games = [player.move(state)[2].tolist() for _ in range(5)]
    assert len({tuple(shares) for shares in games}) > 1
    again = UctSession(TILES, estimate="manhattan", dirichlet_fraction=0.5, playouts=8, seed=3)
    assert [again.move(state)[2].tolist() for _ in range(5)] == games


def test_a_move_that_was_interrupted_begins_anew():
    said = []

    def scores(states):
        said.append(len(states))
        if len(said) == 20:
            raise KeyboardInterrupt
        return (states != np.array(TILES.goal)).sum(axis=1)

    player = UctSession(TILES, estimate=Estimate("mine", False, scores=scores), playouts=30)
    with pytest.raises(KeyboardInterrupt):
        player.move(boards(15)[0])
    player.move(boards(15)[0])
    assert player.tree().visits[0] == 31


def test_what_cannot_be():
    with pytest.raises(PuzzlelabError, match="^a session of 2 games needs 2 states, not 3$"):
        UctSession(TILES, 2, estimate="manhattan").moves(boards(1, 2, 3))
    with pytest.raises(BadOption, match="uct: the option 'playouts' cannot be '0'"):
        UctSession(TILES, estimate="manhattan", playouts=0)
    with pytest.raises(PuzzlelabError, match="^the limit of memory ended the playouts of a move$"):
        UctSession(TILES, limit=Limit(memory=1), estimate="manhattan", playouts=10**6).move(boards(25)[0])


# --- whole games -----------------------------------------------------------------------------------------------------


def test_by_the_true_distances_every_position_says_how_far_it_is() -> None:
    player = UctSession(TILES, 12, estimate=TRUE, prior="uniform", playouts=20)
    boards = scrambled(TILES, np.full(12, 14), np.random.default_rng(1))
    samples, moves = play_episodes(player, boards, np.full(12, 30))
    depths = estimated(TILES, TRUE, samples.state).astype(int).tolist()
    assert samples.remaining.tolist() == depths
    assert moves.tolist() == estimated(TILES, TRUE, boards).astype(int).tolist()
    assert samples.shares.sum(axis=1) == pytest.approx(np.ones(len(depths)), abs=2e-3)
    assert [samples.game.tolist().count(game) for game in range(12)] == moves.tolist()


def test_a_game_that_takes_too_long_is_aborted(corridor) -> None:
    puzzle = corridor(30)
    far = Estimate("far", False, scores=lambda states: 40.0 - states[:, 0])
    player = UctSession(puzzle, 3, estimate=far, prior="uniform", playouts=3)
    samples, moves = play_episodes(player, np.array([[20], [1], [0]], np.int16), np.array([4, 4, 4]))
    assert moves.tolist() == [ABORTED, 1, 0]
    assert samples.game.tolist() == [1]
    assert samples.remaining.tolist() == [1]


def test_of_an_aborted_game_positions_stay_from_which_a_way_was_seen(corridor) -> None:
    puzzle = corridor(30)
    places = Estimate("place", False, scores=lambda states: states[:, 0].astype(float))
    player = UctSession(puzzle, 1, estimate=places, prior="uniform", playouts=20)
    samples, moves = play_episodes(player, np.array([[9]], np.int16), np.array([3]))
    assert moves.tolist() == [ABORTED]
    assert samples.state[:, 0].tolist() == [9, 8, 7]
    assert samples.remaining.tolist() == [9, 8, 7]


def test_what_is_asked_between_moves_may_end_it() -> None:
    player = UctSession(TILES, 1, estimate=TRUE, prior="uniform", playouts=5)

    def watch() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_episodes(player, scrambled(TILES, np.array([9]), np.random.default_rng(1)), np.array([30]), watch)

"""Greedy play: what it chooses, where it ends, and that many games at once are played like each alone."""

import numpy as np
import pytest
from tests.solvers.known import TILES, board, left, timeless, together

from puzzlelab import Estimate, Instance, Limit, PuzzlelabError, check_solver, load, solve
from puzzlelab.core.views import Estimates, KernelRules, Prior, Samples
from puzzlelab.engine.driver import Drive
from puzzlelab.engine.solving import solve_all
from puzzlelab.puzzles.tiles.exact_distances_kernels import distances as distance_tables
from puzzlelab.puzzles.tiles.exact_distances_kernels import rank_of
from puzzlelab.solvers import greedy
from puzzlelab.solvers.greedy import Greedy

DUST = load("dust-8x6x5")
SUDOKU = load("sudoku-4x4")
SLOW = pytest.mark.slow
"""For what compiles play for a pair of puzzle and estimate that no quick test needs."""
RULES = pytest.mark.parametrize("dust", ["plain", pytest.param("kernels", marks=SLOW)], indirect=True)
"""Boards of dust are played by the plain rules; the same by kernels is slow, because it compiles them."""


@pytest.fixture
def dust(request, bare):
    """`dust(count)`: random boards, small ones where the plain rules play."""
    puzzle = load("dust-5x4x3") if request.param == "plain" else DUST
    shown = bare(puzzle) if request.param == "plain" else puzzle

    def boards(count):
        random = np.random.default_rng(5)
        return [
            Instance(shown, puzzle.view(Samples).scales["uniform"].sample(random, None, 1)[0]) for _ in range(count)
        ]

    return boards


def misplaced(states):
    """Pieces of boards `[B, 9]` that are not where they belong, blank last."""
    return (states != np.array([1, 2, 3, 4, 5, 6, 7, 8, 0])).sum(axis=1)


def distances(states):
    """The true distances of boards `[B, 9]`, by a table."""
    table = distance_tables(TILES).distance
    return np.array([table[rank_of(state)] for state in TILES.view(KernelRules).encode(states)], float)


TRUE = Estimate("true", admissible=True, scores=distances)
EXACT = pytest.mark.parametrize("exact", [TRUE, pytest.param("exact", marks=SLOW)], ids=str)
"""The true distance from outside, and the same as a kernel."""


def by_hand(board, guess, prior=False):
    """The game by the plain rules: the least guess, of equal ones the first move; a solved board before all others."""
    puzzle, state, made = board.puzzle, board.state, []
    while not puzzle.solved(state):
        moves = np.flatnonzero(puzzle.legal(state)).tolist()
        after = [puzzle.apply(state, move) for move in moves]
        says = [-1 if puzzle.solved(child) and not prior else guess(child[None])[0] for child in after]
        made.append(moves[int(np.argmin(says))])
        state = after[int(np.argmin(says))]
    return tuple(made)


# --- what it chooses ------------------------------------------------------------------------------------------------


@EXACT
def test_the_true_distance_leads_straight_to_the_goal(exact):
    for distance in (0, 1, 2, 9, 31):
        result = solve(board(distance), Greedy(estimate=exact))
        assert (result.length, result.expanded, result.stop) == (distance, distance, "done")


@pytest.mark.slow
def test_an_admissible_kernel_that_is_exact_proves_its_answer():
    result = solve(board(20), Greedy(estimate="exact"))
    assert (result.length, result.proof, result.lower_bound) == (20, "optimal", 20)


@RULES
def test_of_moves_that_look_alike_the_first_is_made(dust):
    alike = Estimate("alike", admissible=False, scores=lambda states: np.zeros(len(states)))
    for start in dust(3):
        assert solve(start, Greedy(estimate=alike)).moves == by_hand(start, lambda states: np.zeros(1))


def test_a_move_that_solves_comes_first_whatever_the_estimate_says():
    wrong = Estimate("wrong", admissible=False, scores=lambda states: 9.0 - misplaced(states))
    for text in ("1 2 3 4 5 0 7 8 6", "1 2 3 4 5 6 7 0 8"):  # by the first legal move, and after others were requested
        result = solve(TILES.read(text), Greedy(estimate=wrong))
        assert (result.length, result.proof, result.evaluations) == (1, "optimal", 0)


@EXACT
def test_what_is_asked_from_outside_plays_like_the_same_kernel(exact):
    for start in (board(6), board(13), board(20)):
        assert solve(start, Greedy(estimate=exact)).moves == by_hand(start, distances)


@RULES
def test_a_prior_is_followed(toy, dust):
    prior = toy(dust(1)[0].puzzle, left).prior()
    for start in dust(5):
        result = solve(start, Greedy(prior=prior))
        assert result.moves == by_hand(start, left, prior=True)
        assert result.evaluations == result.expanded == result.length


def test_sudoku_is_filled_and_a_cell_without_a_digit_is_a_dead_end(toy, bare):
    def read(text):
        return Instance(bare(SUDOKU), SUDOKU.read(text).state)

    first = Estimate("first", admissible=False, scores=lambda states: np.zeros(len(states)))
    results = [solve(read(text), Greedy(estimate=first)) for text in ("1234341221434321", "12" + "." * 14)]
    assert [result.length for result in results] == [0, 14]
    for guide in ({"estimate": first}, {"prior": toy(SUDOKU, left).prior()}):
        stuck = solve(read("3" + "." * 15), Greedy(**guide))
        assert (stuck.moves, stuck.proof, stuck.stop, stuck.expanded) == (None, "none", "dead end", 14)
        assert stuck.reason == "after 13 moves no move is left"


# --- where it ends --------------------------------------------------------------------------------------------------


def test_a_game_that_goes_in_circles_is_ended_and_says_where(corridor):
    result = solve(TILES.read("8 6 7 2 5 4 3 0 1"), Greedy(estimate="manhattan"))
    assert (result.moves, result.proof, result.stop) == (None, "none", "dead end")
    assert result.reason == (
        "after 3 moves the board after move 1 came again: greedy play goes in circles; avoid_repeats goes on"
    )
    away = Estimate("away", admissible=False, scores=lambda states: -states[:, 0])
    assert solve(corridor(9).read("9"), Greedy(estimate=away)).reason.startswith(
        "after 2 moves the first board came again: "
    )


@pytest.mark.parametrize("estimate", ["manhattan", Estimate("by NumPy", admissible=True, scores=misplaced)], ids=str)
def test_without_repeats_it_goes_on_to_new_boards_alone(estimate):
    solver = Greedy(estimate=estimate, avoid_repeats=True)
    check_solver(solver, [(board(distance), distance) for distance in (0, 1, 9, 16, 25)])
    far = board(25, seed=1)
    assert "goes in circles" in solve(far, Greedy(estimate=estimate)).reason
    result = solve(far, solver)
    if estimate == "manhattan":
        assert result.reason == "after 111 moves every move leads to a board that was there before"
    else:
        assert result.length == 83
        states, state = set(), far.state
        for move in result.moves:
            states.add(state.tobytes())
            state = TILES.apply(state, move)
        assert len(states) == 83


def test_without_repeats_it_may_still_come_to_where_all_is_known(corridor):
    alike = Estimate("alike", admissible=False, scores=lambda states: -states[:, 0])
    result = solve(corridor(9).read("5"), Greedy(estimate=alike, avoid_repeats=True))
    assert (result.stop, result.expanded) == ("dead end", 5)
    assert result.reason == "after 4 moves every move leads to a board that was there before"


@EXACT
@pytest.mark.parametrize(("most", "reason"), [(1, "after the 1 move that"), (5, "after the 5 moves that")])
def test_the_most_moves_end_a_game(most, reason, exact):
    result = solve(board(25), Greedy(estimate=exact, max_moves=most))
    assert (result.moves, result.stop, result.expanded) == (None, "dead end", most)
    assert reason in result.reason
    assert "max_moves" in result.reason
    assert solve(board(5), Greedy(estimate=exact, max_moves=5)).length == 5


@EXACT
def test_a_limit_of_nodes_is_a_limit_of_moves(exact):
    result = solve(board(25), Greedy(estimate=exact), Limit(nodes=7))
    assert (result.moves, result.stop, result.expanded, result.reason) == (None, "nodes", 7, "")
    assert solve(board(25), Greedy(estimate=exact), Limit(nodes=25)).length == 25


def test_the_time_ends_a_game_between_two_moves():
    slow = Estimate("slow", admissible=False, scores=lambda states: -states[:, 0].astype(float))
    result = solve(board(25), Greedy(estimate=slow), Limit(seconds=1e-9))
    assert (result.moves, result.stop) == (None, "time")


# --- many games at once -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("avoid_repeats", [False, True])
def test_many_games_are_played_like_each_alone(toy, avoid_repeats):
    boards = [board(distance, seed=seed) for seed in range(4) for distance in (0, 1, 4, 9, 16, 22)]
    network = toy(TILES, misplaced)
    for guide in ({"estimate": "manhattan"}, {"estimate": network.estimate()}, {"prior": network.prior()}):
        solver = Greedy(**guide, avoid_repeats=avoid_repeats)
        alone = [solve(board, solver) for board in boards]
        assert len({result.stop for result in alone}) > 1 or avoid_repeats
        assert timeless(together(solver, boards)) == timeless(alone)


@RULES
def test_a_network_is_called_once_for_each_move_of_all_games(toy, dust):
    network = toy(dust(1)[0].puzzle, left)
    results = together(Greedy(estimate=network.estimate()), dust(40))
    longest = max(result.length for result in results)
    assert longest - 1 <= len(network.asked) <= longest
    assert sum(network.asked) == sum(result.evaluations for result in results)
    network.asked.clear()
    results = together(Greedy(prior=network.prior()), dust(40))
    assert len(network.asked) == max(result.length for result in results)
    assert network.asked[0] == 40


@RULES
@pytest.mark.parametrize("rows", [1, 60, 300])
def test_less_room_than_all_that_can_be_reached_changes_nothing(toy, monkeypatch, rows, dust):
    boards = dust(20)
    network = toy(boards[0].puzzle, left)
    guides = [{"estimate": network.estimate()}, {"prior": network.prior()}]
    whole = [together(Greedy(**guide), boards) for guide in guides]
    monkeypatch.setattr(greedy, "ROWS", rows)
    parts = [together(Greedy(**guide), boards) for guide in guides]
    assert [timeless(results) for results in parts] == [timeless(results) for results in whole]


def test_games_share_the_seconds_and_keep_their_limits_each():
    boards = [board(distance) for distance in (0, 3, 9, 25)]
    results = together(Greedy(estimate=TRUE), boards, Limit(nodes=9, seconds=10_000))
    assert [(result.length, result.stop) for result in results] == [
        (0, "done"),
        (3, "done"),
        (9, "done"),
        (None, "nodes"),
    ]
    assert len({result.seconds for result in results}) == 1


def test_games_that_go_on_are_interrupted(monkeypatch):
    boards = [board(distance) for distance in (0, 3, 25)]
    solver = Greedy(estimate=TRUE)
    asked = []

    def later():
        asked.append(True)
        return len(asked) > 8

    results = together(solver, boards, Limit(), later)
    assert [(result.length, result.stop) for result in results] == [(0, "done"), (3, "done"), (None, "interrupted")]

    def pressed(self):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(Drive, "__iter__", pressed)
    assert [result.stop for result in together(solver, boards)] == ["interrupted"] * 3


def test_boards_with_an_objection_are_not_played():
    odd = TILES.read("1 2 3 4 5 6 8 7 0")
    results = solve_all(Greedy(estimate="manhattan"), [odd, board(4), odd, board(7)], Limit())
    assert [(result.length, result.proof) for result in results] == [
        (None, "unsolvable"),
        (4, "optimal"),
        (None, "unsolvable"),
        (7, "optimal"),
    ]
    assert [result.proof for result in solve_all(Greedy(estimate=TRUE), [odd], Limit())] == ["unsolvable"]


@pytest.mark.parametrize(
    "options",
    [
        {"estimate": "manhattan"},
        {"estimate": TRUE, "avoid_repeats": True},
        pytest.param({"estimate": "exact", "avoid_repeats": True}, marks=SLOW),
    ],
    ids=str,
)
def test_it_keeps_the_promises_of_a_solver(options):
    boards = [(board(distance), distance) for distance in (0, 1, 2, 9, 16, 27)]
    check_solver(Greedy(**options), boards)


# --- what it goes by ----------------------------------------------------------------------------------------------


def test_without_a_choice_it_asks_the_network(toy_networks, corridor):
    puzzle = corridor()
    assert Greedy().options()["estimate"] == "net"
    assert Greedy().options_for(puzzle)["estimate"] == "net"
    assert Greedy(prior="net").options_for(TILES) == {
        "estimate": None,
        "prior": "net",
        "avoid_repeats": False,
        "max_moves": 1000,
        "least": 0.02,
    }
    assert solve(puzzle.read("4"), Greedy()).moves == (0, 0, 0, 0)


# --- an estimate and a prior ---


def likes(*moves):
    """A prior that thinks these probabilities of the four moves of tiles, at every board."""
    with np.errstate(divide="ignore"):
        logarithms = np.log(np.array(moves))
    return Prior("likes", lambda states: np.tile(logarithms, (len(states), 1)))


def blind():
    """An estimate that finds all boards alike."""
    return Estimate("blind", False, scores=lambda states: np.zeros(len(states)))


def test_of_boards_that_are_estimated_alike_the_likelier_is_chosen():
    middle = board(2)
    first = solve(middle, Greedy(estimate=TRUE)).moves[0]
    for chance, solved in ((0.4, True), (0.1, False)):
        likely = [chance if move == first else (1 - chance) / 3 for move in range(4)]
        result = solve(middle, Greedy(estimate=blind(), prior=likes(*likely), max_moves=2))
        assert (result.moves is not None) is solved
        assert result.evaluations >= 3


def test_what_is_too_unlikely_is_not_looked_at_unless_it_solves_the_board():
    puzzle = TILES
    last = puzzle.read("1 2 3 4 5 6 7 0 8")
    names = [puzzle.write_move(move) for move in range(4)]
    unlikely = [0.001 if name == "L" else 0.333 for name in names]
    assert solve(last, Greedy(estimate=blind(), prior=likes(*unlikely))).length == 1
    middle = board(2)
    wanted = solve(middle, Greedy(estimate="manhattan", prior=likes(0.25, 0.25, 0.25, 0.25)))
    assert wanted.length == 2
    first = wanted.moves[0]
    against = [0.001 if move == first else 0.333 for move in range(4)]
    assert solve(middle, Greedy(estimate="manhattan", prior=likes(*against), max_moves=2)).moves is None
    assert solve(middle, Greedy(estimate="manhattan", prior=likes(*against), least=0.0)).length == 2


@pytest.mark.parametrize("estimate", ["manhattan", "asked"])
def test_many_boards_by_both_are_answered_as_each_alone(estimate):
    puzzle = TILES
    manhattan = puzzle.view(Estimates).estimate("manhattan")
    goal = np.array(puzzle.goal)
    asked = Estimate("asked", False, scores=lambda states: (states != goal).sum(axis=1) * 1.5)
    chosen = manhattan if estimate == "manhattan" else asked
    solver = Greedy(estimate=chosen, prior=likes(0.1, 0.4, 0.3, 0.2), avoid_repeats=True, max_moves=200)
    sample = puzzle.view(Samples).scales["uniform"].sample
    boards = [Instance(puzzle, sample(np.random.default_rng(seed), None, 1)[0]) for seed in range(30)]
    results = together(solver, boards)
    assert [result.moves for result in results] == [solve(each, solver).moves for each in boards]
    assert any(result.moves for result in results)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda states: np.zeros((len(states), 3)),
        lambda states: np.zeros(len(states)),
        lambda states: np.full((len(states), 4), np.nan),
        lambda states: np.full((len(states), 4), 0.5),
    ],
    ids=["columns", "one number", "nan", "above 0"],
)
def test_a_prior_that_is_none_is_named(wrong):
    with pytest.raises(PuzzlelabError, match="^the prior 'mine' must give the logarithm of a probability for every"):
        solve(board(9), Greedy(prior=Prior("mine", wrong)))

"""The solver that takes candidates away: whatever a network says, what it gives back is right."""

import numpy as np
import pytest

from puzzlelab import Limit, load, solve
from puzzlelab.core.errors import BadInput, PuzzlelabError, Unsupported
from puzzlelab.core.puzzle import board_after
from puzzlelab.core.views import Prior
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.batch_rules import legal_moves
from puzzlelab.engine.solving import solve_all
from puzzlelab.solvers.lattice import Lattice

NINE, FOUR = load("sudoku-9x9"), load("sudoku-4x4")
EASY = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9"


def truth_of(instance):
    """`bool[N, D]`: the candidates of the only solution."""
    result = solve(instance, "backtracking")
    state = board_after(instance.puzzle, instance.state, result.moves)
    return instance.puzzle.digits(state)[:, None] == np.arange(instance.puzzle.size)


def prior_of(marks, eliminates=True, name="made"):
    """A prior that answers about candidates alone."""
    return Prior(name, lambda states: pytest.fail("asked about states"), marks, eliminates)


def telling(truth, sure=8.0):
    """Marks that know the solution."""
    return prior_of(lambda left: np.where(truth[None], sure, -sure).repeat(len(left), 0))


def noise(puzzle, seed, spread=3.0):
    """Marks without any sense, the same for the same candidates."""

    def marks(left):
        rows = [np.random.default_rng([seed, *np.flatnonzero(each).tolist()]) for each in left]
        return np.stack([random.normal(0, spread, left.shape[1:]) for random in rows])

    return prior_of(marks)


@pytest.fixture(scope="module")
def easy():
    """A board of 17 clues."""
    return NINE.read(EASY)


@pytest.mark.parametrize("policy", ["eliminate", "surest", "at once"])
def test_who_knows_the_solution_solves_the_board(easy, policy) -> None:
    result = solve(easy, Lattice(prior=telling(truth_of(easy)), policy=policy, restarts=0))
    assert sorted(result.moves) == sorted(solve(easy, "bands").moves)
    assert (result.stop, result.proof) == ("done", "none")
    assert result.evaluations == {"eliminate": 1, "surest": 64, "at once": 1}[policy]
    assert result.generated == {"eliminate": 0, "surest": 64, "at once": 0}[policy]


def test_without_a_policy_it_does_what_the_network_is_for(easy) -> None:
    truth = truth_of(easy)
    assert solve(easy, Lattice(prior=telling(truth))).evaluations == 1
    digits = prior_of(telling(truth).candidate_logits, eliminates=False)
    assert solve(easy, Lattice(prior=digits)).evaluations == 64
    with pytest.raises(Unsupported, match="made reads only digits and no candidates: use policy=surest"):
        solve(easy, Lattice(prior=digits, policy="eliminate"))


@pytest.mark.parametrize("policy", ["eliminate", "surest", "at once"])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_noise_never_gives_a_wrong_board(policy, masked, seed) -> None:
    random = np.random.default_rng(seed)
    boards = [FOUR.read("1...............")] + [FOUR.read(board) for board in ("12..............", "1.....2......3..")]
    solver = Lattice(prior=noise(FOUR, seed), policy=policy, masked=masked, restarts=int(random.integers(0, 20)))
    for board, result in zip(boards, solve_all(solver, boards, Limit()), strict=True):
        assert result.proof == "none"
        if result.moves is None:
            assert result.stop == "dead end"
            assert "ended in a conflict" in result.reason
        else:
            assert FOUR.solved(board_after(FOUR, board.state, result.moves))


def test_restarts_find_what_the_first_chain_misses() -> None:
    board = FOUR.read("1...............")
    first = [solve(board, Lattice(prior=noise(FOUR, seed), restarts=0, masked=True)) for seed in range(10)]
    more = [solve(board, Lattice(prior=noise(FOUR, seed), restarts=20, masked=True)) for seed in range(10)]
    assert sum(result.moves is not None for result in first) < sum(result.moves is not None for result in more)


def test_a_board_has_the_same_answer_alone_and_among_others() -> None:
    boards = [
        FOUR.read(text) for text in ("1...............", "12..............", "1.....2......3..", "....1.......4...")
    ]
    solver = Lattice(prior=noise(FOUR, 3), restarts=20, masked=True)
    together = solve_all(solver, boards, Limit())
    alone = [solve(board, solver) for board in boards]
    assert [result.moves for result in together] == [result.moves for result in alone]
    assert [result.reason for result in together] == [result.reason for result in alone]
    assert len({result.evaluations for result in alone}) > 1


def test_the_next_chain_continues_the_likeliest_alternative() -> None:
    """Two cells are filled wrongly. The one with the less probable digit is taken back first."""
    board = FOUR.read("1234341221......")
    seen: list[str] = []

    def marks(left):
        digits = FOUR.digits(candidate_logits.states_of(FOUR, left)[0])
        seen.append("".join(".1234"[digits[cell] + 1] for cell in (10, 15)))
        logits = np.where(truth_of(board)[None], 0.0, -9.0).repeat(len(left), 0)
        logits[:, 10] = [-9.0, -9.0, 3.0, 0.0]  # 3 with 95 %, and 4 is right
        logits[:, 15] = [0.0, 1.0, -9.0, -9.0]  # 2 with 73 %, and 1 is right
        return logits

    result = solve(board, Lattice(prior=prior_of(marks), policy="surest", restarts=3))
    assert sorted(result.moves) == sorted(solve(board, "backtracking").moves)
    assert seen == [*[".."] * 5, "3.", "3.", "..", "4.", "4."]
    assert solve(board, Lattice(prior=prior_of(marks), policy="surest", restarts=2)).moves is None


def test_of_the_cells_with_the_fewest_candidates_the_most_certain_one_is_filled() -> None:
    asked: list[np.ndarray] = []

    def marks(left):
        asked.append(left[0].copy())
        logits = np.full(left.shape, 0.0)
        logits[:, 0] = [9.0, 0.0, 0.0, 0.0]  # the surest cell keeps four candidates
        logits[:, 5] = [0.0, 0.0, -9.0, -9.0]
        logits[:, 9] = [-9.0, 2.0, -9.0, 0.0]
        return logits

    solve(FOUR.read("." * 16), Lattice(prior=prior_of(marks), restarts=0), limit=Limit(nodes=3))
    assert [left[9].tolist() for left in asked] == [[True] * 4, [False, True] * 2, [False, True, False, False]]
    assert asked[2][5].tolist() == [True, True, False, False]
    assert asked[2][0].all()


@pytest.mark.parametrize("seed", range(6))
def test_a_search_that_removes_nothing_else_is_complete(seed) -> None:
    """Noise chooses every digit: the alternatives lead to the solution, or end where there is none."""
    solver = Lattice(prior=noise(FOUR, seed), policy="surest", masked=True, restarts=1_000_000)
    assert solve(FOUR.read("1.....2......3.."), solver).moves is not None
    without = solve(FOUR.read("1...2.3..24....."), solver)
    assert (without.moves, without.stop) == (None, "dead end")


@pytest.mark.parametrize("logit", [-np.inf, np.inf])
def test_infinite_logits_are_numbers_too(logit) -> None:
    """Where all candidates of a cell have the same logit they are equally probable, whatever it is."""
    board = FOUR.read("1.....2......3..")
    for same in (logit, 0.0):
        prior = prior_of(lambda left, same=same: np.full(left.shape, same))
        result = solve(board, Lattice(prior=prior, policy="surest", masked=True))
        assert (result.evaluations, FOUR.solved(board_after(FOUR, board.state, result.moves))) == (3, True)
    certain = prior_of(lambda left: np.where(truth_of(board)[None], 0.0, -np.inf).repeat(len(left), 0))
    assert solve(board, Lattice(prior=certain, restarts=0)).evaluations == 1


def test_no_more_alternatives_are_kept_than_chains_can_begin(easy) -> None:
    solver = Lattice(prior=noise(NINE, 0), policy="surest", masked=True, restarts=30)
    search = solver._search([easy], Limit())
    kept = [len(search.alternatives[0]) for _ in search.passes()]
    assert 30 < max(kept) <= 60
    assert search.digits_chosen[0] > 100
    assert search.results()[0].reason == "no answer: each of 31 chains ended in a conflict"
    assert not search.alternatives[0]


def test_a_wrong_elimination_is_made_good_by_half_the_threshold() -> None:
    board = FOUR.read("123434122143432.")
    right = float(np.log(0.03 / 0.97))
    marks = prior_of(lambda left: np.where(truth_of(board)[None], right, -20.0).repeat(len(left), 0))
    assert solve(board, Lattice(prior=marks, threshold=0.1, restarts=1)).moves is None
    result = solve(board, Lattice(prior=marks, threshold=0.1, restarts=2))
    assert (len(result.moves), result.evaluations) == (1, 3)
    hopeless = solve(board, Lattice(prior=prior_of(lambda left: np.full(left.shape, -50.0)), restarts=1_000_000))
    assert hopeless.reason == "no answer: each of 16 chains ended in a conflict"


def test_what_was_tried_is_told_where_there_is_no_answer(easy) -> None:
    truth = truth_of(easy)
    cell = int(np.flatnonzero(easy.state == 0)[0])
    wrong = truth.copy()
    wrong[cell] = np.roll(wrong[cell], 1)
    result = solve(easy, Lattice(prior=telling(wrong), restarts=0))
    assert result.moves is None
    assert len(result.tried) == np.count_nonzero(easy.state == 0)
    right = set(solve(easy, "bands").moves)
    assert len(set(result.tried) - right) == 1
    assert result.reason == "no answer: its chain ended in a conflict"


def test_masks_alone_fill_naked_singles() -> None:
    board = FOUR.read("123.34122143432.")
    nothing = prior_of(lambda left: np.zeros(left.shape))
    assert solve(board, Lattice(prior=nothing, policy="at once")).moves is None
    assert solve(board, Lattice(prior=nothing, policy="at once", masked=True)).moves is not None


def test_singles_fill_the_only_place_of_a_digit_too() -> None:
    board = NINE.read("wikipedia")
    nothing = prior_of(lambda left: np.zeros(left.shape))
    assert solve(board, Lattice(prior=nothing, policy="surest", masked=True, restarts=0)).moves is None
    result = solve(board, Lattice(prior=nothing, policy="surest", singles=True, restarts=0))
    assert result.moves is not None
    assert result.evaluations == 1


def test_a_cell_that_is_the_only_place_of_two_digits_loses_all_candidates() -> None:
    mask = np.ones((1, 16, 4), bool)
    mask[0, 1:4, :2] = False  # the digits 1 and 2 have the first cell of the first row alone
    narrowed = candidate_logits.with_only_places(mask, FOUR.units.all)
    assert not narrowed[0, 0].any()
    assert np.array_equal(narrowed[0, 1:], mask[0, 1:])


def test_boards_without_a_solution_end_in_a_conflict_with_singles_too() -> None:
    board = FOUR.read("12....3....4....")
    nothing = prior_of(lambda left: np.zeros(left.shape))
    assert solve(board, "backtracking").moves is None
    assert solve(board, Lattice(prior=nothing, policy="surest", singles=True, restarts=3)).moves is None


def test_digits_that_are_given_never_go() -> None:
    board = FOUR.read("1234............")
    against = prior_of(lambda left: -50.0 * left / left.sum(axis=2, keepdims=True).clip(1))
    result = solve(board, Lattice(prior=against, restarts=3))
    assert {move // 4 for move in result.moves or result.tried} <= set(range(4, 16))


def test_a_prior_that_knows_states_alone_is_asked_about_the_digits_that_are_known(easy) -> None:
    truth = truth_of(easy).reshape(-1)

    def scores(states):
        return np.where(truth & legal_moves(NINE, states), 0.0, -30.0)

    result = solve(easy, Lattice(prior=Prior("of states", scores), restarts=0))
    assert result.moves is not None
    assert result.evaluations == 64


def test_limits_end_it_with_their_names(easy) -> None:
    solver = Lattice(prior=noise(NINE, 0), restarts=1_000_000)
    nodes = solve(easy, solver, limit=Limit(nodes=40))
    assert (nodes.moves, nodes.stop) == (None, "nodes")
    assert 20 < nodes.expanded <= 40
    seconds = solve(easy, solver, limit=Limit(seconds=0.05))
    assert (seconds.moves, seconds.stop) == (None, "time")
    over = solve_all(solver, [easy], Limit(), lambda: True)[0]
    assert (over.moves, over.stop) == (None, "interrupted")


def test_a_prior_that_says_nonsense_gets_a_sentence(easy) -> None:
    for marks in (lambda left: np.zeros(3), lambda left: np.full(left.shape, np.nan)):
        with pytest.raises(PuzzlelabError, match="the prior 'made' must give a number for each candidate"):
            solve(easy, Lattice(prior=prior_of(marks)))


def test_puzzles_without_candidates_get_a_sentence() -> None:
    with pytest.raises(Unsupported, match="offers no view 'Candidates'"):
        solve(load("tiles-3x3").read("1 2 3 4 5 6 7 0 8"), Lattice(prior=noise(FOUR, 0)))


def test_puzzles_without_a_network_get_a_sentence() -> None:
    with pytest.raises(BadInput, match="no network for sudoku-4x4 comes with the package"):
        solve(FOUR.read("1..............."), Lattice())

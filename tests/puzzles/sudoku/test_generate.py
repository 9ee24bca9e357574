"""The generator: what was asked for, the same stream whoever draws it, and wishes that cannot be met."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from puzzlelab.core.errors import BadOption
from puzzlelab.core.registry import load
from puzzlelab.puzzles.sudoku import generate
from puzzlelab.puzzles.sudoku.clue_patterns import orbits_of
from puzzlelab.puzzles.sudoku.generate import CHUNK, LEVELS, MIXES, SudokuGenerator, level_of
from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch

NINE = load("sudoku-9x9")
SYMMETRIES = ("none", "half-turn", "quarter-turn", "horizontal", "vertical", "both", "diagonal", "full")
IMAGES = {
    "none": [],
    "half-turn": [lambda grid: np.rot90(grid, 2)],
    "quarter-turn": [np.rot90],
    "horizontal": [np.fliplr],
    "vertical": [np.flipud],
    "both": [np.fliplr, np.flipud],
    "diagonal": [np.transpose],
    "full": [np.transpose, np.fliplr, np.rot90],
}
"""What leaves the pattern of a puzzle's clues as it is."""
ORBITS = {
    "none": 81,
    "half-turn": 41,
    "quarter-turn": 21,
    "horizontal": 45,
    "vertical": 45,
    "both": 25,
    "diagonal": 45,
    "full": 15,
}
"""How many sets of cells go together (Burnside)."""


def made(count, seed=0, first=0, **wishes):
    """(puzzles, solutions), all in one array each."""
    batches = list(SudokuGenerator(**wishes).batches(count, seed, first))
    return tuple(np.concatenate(each) for each in zip(*batches, strict=True))


def clues(puzzles):
    return np.count_nonzero(puzzles, axis=1)


def check(puzzles, solutions, harness, unique=True):
    """Each solution is a full grid that fits its puzzle, and is the only one."""
    assert puzzles.dtype == solutions.dtype == np.uint8
    for puzzle, solution in zip(puzzles, solutions, strict=True):
        assert NINE.solved(solution)
        assert (puzzle == solution)[puzzle != 0].all()
        if unique:
            assert len(harness.solutions_of(harness.candidates_of(puzzle))) == 1


# --- one stream ---


WISHES = [
    {},
    {"level": 3},
    {"mix": "even"},
    {"mix": {2: 1, 4: 3}},
    {"clues": 26},
    {"unique": False, "level": 5},
    {"unique": False, "level": 3, "grids": "shuffled"},
    {"symmetry": "diagonal"},
    {"hard": 3},
]


@pytest.mark.parametrize("wishes", WISHES, ids=str)
def test_a_puzzle_depends_on_the_seed_and_its_number_alone(wishes) -> None:
    puzzles, solutions = made(40, seed=3, **wishes)
    for first in (1, 17, 39):
        later = made(40, seed=3, first=first, **wishes)
        assert np.array_equal(later[0], puzzles[first:])
        assert np.array_equal(later[1], solutions[first:])
    assert np.array_equal(made(20, seed=3, **wishes)[0], puzzles[:20])
    assert len({puzzle.tobytes() for puzzle in puzzles}) == 40
    assert not {puzzle.tobytes() for puzzle in made(40, seed=4, **wishes)[0]} & {each.tobytes() for each in puzzles}


def test_chunks_change_nothing() -> None:
    count = 2 * CHUNK + 7
    chunks = list(SudokuGenerator(level=4).batches(count, 5))
    assert [len(puzzles) for puzzles, _ in chunks] == [CHUNK, CHUNK, 7]
    resumed = made(count, 5, first=CHUNK - 3, level=4)
    assert np.array_equal(resumed[0], np.concatenate([puzzles for puzzles, _ in chunks])[CHUNK - 3 :])


def test_a_stream_can_be_left() -> None:
    batches = SudokuGenerator(level=1).batches(10**9)
    assert next(batches)[0].shape == (CHUNK, 81)
    batches.close()


# --- what was asked for ---


def test_without_a_wish_puzzles_are_unique_and_minimal(harness) -> None:
    puzzles, solutions = made(40, seed=1)
    check(puzzles, solutions, harness)
    for puzzle, solution in zip(puzzles, solutions, strict=True):
        for cell in np.flatnonzero(puzzle):
            allowed = harness.candidates_of(np.where(np.arange(81) == cell, 0, puzzle))
            allowed[cell] &= ~(1 << int(solution[cell]) - 1)
            assert len(harness.solutions_of(allowed, 1)) == 1  # with another digit there
    assert 20 <= clues(puzzles).min() <= clues(puzzles).max() <= 29
    assert 23 < clues(puzzles).mean() < 25.5
    assert np.array_equal(made(40, seed=1, minimal=True)[0], puzzles)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("unique", [True, False])
def test_levels_are_ranges_of_clues(level, unique, harness) -> None:
    puzzles, solutions = made(120, seed=level, level=level, unique=unique)
    least, most = LEVELS[level]
    check(puzzles, solutions, harness, unique)
    counts = clues(puzzles)
    assert least <= counts.min() <= counts.max() <= most
    assert {level_of(LEVELS, int(count)) for count in counts} == {level}
    if level < 4 or not unique:  # every number is found as easily
        drawn = Counter(counts.tolist())
        assert chisquare([drawn[count] for count in range(least, most + 1)]).pvalue > 0.0005


def test_blind_digging_gives_puzzles_with_several_solutions(harness) -> None:
    puzzles, _ = made(60, seed=2, level=5, unique=False)
    several = [len(harness.solutions_of(harness.candidates_of(puzzle))) == 2 for puzzle in puzzles]
    assert np.mean(several) > 0.8
    assert solve_batch(puzzles).counts.tolist() == [1 + each for each in several]
    assert not made(20, clues=0, unique=False)[0].any()
    assert np.array_equal(*made(5, clues=81, unique=False))


def test_shuffled_grids_are_those_of_the_lines_that_the_document_prints() -> None:
    """Its three solutions (lines 312 to 314) are cut: 30 digits at the front are printed, and 3 at the end."""
    orders = list(permutations(range(3)))
    lines = np.array([[3 * box + place for box, within in each for place in within] for each in line_orders(orders)])
    shuffles = {tuple((3 * row + row // 3 + columns) % 9 + 1) for row in range(9) for columns in lines}
    _, grids = made(200, seed=1, level=5, unique=False, grids="shuffled")
    assert all(tuple(row) in shuffles for grid in grids.reshape(-1, 9, 9) for row in grid)
    printed = ("546789213879123546213456879324", "819324756243657189576981423354", "978312645645978312312645978423")
    rows = [tuple(map(int, grid[start : start + 9])) for grid in printed for start in (0, 9, 18)]
    assert all(row in shuffles for row in rows)
    puzzles, solutions = made(40, seed=2, level=5, unique=False, grids="shuffled")
    alike, _ = made(40, seed=2, level=5, unique=False)
    assert all(map(NINE.solved, solutions))
    assert np.array_equal(puzzles, np.where(alike > 0, solutions, 0))


def line_orders(orders):
    """Each order of the three boxes of a line, and of the three places in each of them."""
    for boxes, *within in product(orders, repeat=4):
        yield [(box, within[box]) for box in boxes]


@pytest.mark.parametrize("wanted", [23, 24, 30, 50, 80, 81])
def test_an_asked_number_of_clues_is_met(wanted, harness) -> None:
    puzzles, solutions = made(15, seed=4, clues=wanted)
    assert clues(puzzles).tolist() == [wanted] * 15
    check(puzzles, solutions, harness)


@pytest.mark.parametrize("mix", [*MIXES, {1: 1, 3: 3}, {5: 2.5}])
def test_mixes_have_their_shares(mix) -> None:
    count = 1000
    puzzles, _ = made(count, seed=1, mix=mix, unique=False)
    shares = MIXES[mix] if isinstance(mix, str) else mix
    drawn = Counter(level_of(LEVELS, int(each)) for each in clues(puzzles))
    assert set(drawn) == set(shares)
    expected = [share / sum(shares.values()) * count for share in shares.values()]
    if len(shares) > 1:
        assert chisquare([drawn[level] for level in shares], expected).pvalue > 0.001


def test_the_mixes_are_those_of_the_document() -> None:
    assert dict(MIXES["doubling"]) == {5: 0.516, 4: 0.258, 3: 0.129, 2: 0.065, 1: 0.032}
    assert dict(MIXES["even"]) == {1: 0.2, 2: 0.2, 3: 0.2, 4: 0.2, 5: 0.2}
    assert dict(LEVELS) == {1: (57, 67), 2: (47, 56), 3: (37, 46), 4: (27, 36), 5: (17, 26)}


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_symmetric_puzzles_have_the_symmetry_and_one_solution(symmetry, harness) -> None:
    for wishes in ({}, {"level": 4}, {"hard": 2}):
        puzzles, solutions = made(12, seed=5, symmetry=symmetry, **wishes)
        check(puzzles, solutions, harness)
        for puzzle in puzzles:
            pattern = puzzle.reshape(9, 9) != 0
            for image in IMAGES[symmetry]:
                assert np.array_equal(image(pattern), pattern)


@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_orbits_are_all_cells_that_go_together(symmetry) -> None:
    orbits = orbits_of(symmetry, 9)
    assert orbits.shape == (ORBITS[symmetry], 8)
    cells = orbits[orbits >= 0]
    assert sorted(cells.tolist()) == list(range(81))
    assert ((orbits >= 0).argmin(axis=1) == (orbits >= 0).sum(axis=1) % 8).all()  # first the cells, then -1
    grid = np.arange(81).reshape(9, 9)
    for orbit in orbits:
        own = set(orbit[orbit >= 0].tolist())
        for image in IMAGES[symmetry]:
            assert {int(image(grid).flat[cell]) for cell in own} == own


def test_symmetry_leaves_out_whole_orbits_only(harness) -> None:
    puzzles, _ = made(12, seed=9, symmetry="half-turn")
    for puzzle in puzzles:
        for cell in np.flatnonzero(puzzle):
            fewer = puzzle.copy()
            fewer[[cell, 80 - cell]] = 0
            assert len(harness.solutions_of(harness.candidates_of(fewer))) == 2


def test_hard_puzzles_need_more_guesses(harness) -> None:
    plain, hard = made(30, seed=2), made(30, seed=2, hard=60)
    check(*hard, harness)
    guesses = [solve_batch(puzzles).guesses for puzzles, _ in (plain, hard)]
    assert guesses[1].mean() > 2 * guesses[0].mean() + 1
    harder = solve_batch(made(10, seed=2, hard=200)[0]).guesses
    assert harder.mean() > solve_batch(made(10, seed=2, hard=20)[0]).guesses.mean()
    for puzzle in hard[0][:10]:
        for cell in np.flatnonzero(puzzle):
            fewer = np.where(np.arange(81) == cell, 0, puzzle)
            assert len(harness.solutions_of(harness.candidates_of(fewer))) == 2


# --- wishes that cannot be met ---


BAD_WISHES = {
    "ask for puzzles by level or by clues, not by both": {"level": 3, "clues": 40},
    "ask for puzzles by level or by mix, not by both": {"level": 3, "mix": "even"},
    "ask for puzzles by mix or by clues, not by both": {"mix": {1: 1}, "clues": 40},
    "a puzzle that is minimal or hard has one solution: do not allow several": {"minimal": True, "unique": False},
    "a puzzle that is minimal or hard has one solution": {"hard": 1, "unique": False},
    "shuffled grids are dug blindly: allow several solutions": {"grids": "shuffled", "level": 5},
    "minimal puzzles have about 24 clues: ask for no other number": {"minimal": True, "clues": 24},
    "minimal puzzles have about 24 clues": {"minimal": True, "level": 4},
    "minimal puzzles have about": {"minimal": True, "mix": "doubling"},
    "hard puzzles have as many clues as they have: ask for no level": {"hard": 1, "level": 5},
    "no puzzle with 16 clues has one solution; the fewest are 17": {"clues": 16},
    "no puzzle with 0 clues has one solution": {"clues": 0},
    "sudoku-generator: the option 'level' cannot be '0'": {"level": 0},
    "sudoku-generator: the option 'level' cannot be '6'": {"level": 6},
    "sudoku-generator: the option 'clues' cannot be '82'": {"clues": 82},
    "sudoku-generator: the option 'clues' cannot be '-1'": {"clues": -1},
    "sudoku-generator: the option 'clues' cannot be '20.5'": {"clues": 20.5},
    "sudoku-generator: the option 'mix' cannot be 'odd'": {"mix": "odd"},
    "sudoku-generator: the option 'mix' cannot be '{6: 1}'": {"mix": {6: 1}},
    "sudoku-generator: the option 'mix' cannot be '{5: 0}'": {"mix": {5: 0}},
    "sudoku-generator: the option 'mix' cannot be '{5: -1}'": {"mix": {5: -1}},
    "sudoku-generator: the option 'symmetry' cannot be 'x'": {"symmetry": "x"},
    "sudoku-generator: the option 'hard' cannot be '-1'": {"hard": -1},
    "sudoku-generator has no option 'levle'; did you mean 'level'?": {"levle": 3},
}


@pytest.mark.parametrize(("words", "wishes"), BAD_WISHES.items(), ids=BAD_WISHES)
def test_a_wish_that_makes_no_sense_is_told_so(words, wishes) -> None:
    with pytest.raises(BadOption) as caught:
        SudokuGenerator(**wishes)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("wishes", "told"),
    [
        ({"clues": 17}, "clues=17"),
        ({"clues": 18, "symmetry": "full"}, "clues=18, symmetry=full"),
        ({"level": 5, "symmetry": "full"}, "level=5, symmetry=full"),
    ],
    ids=str,
)
def test_a_wish_that_no_grid_meets_gets_a_sentence(wishes, told, monkeypatch) -> None:
    monkeypatch.setattr(generate, "TRIES", 3)
    with pytest.raises(BadOption, match=f"^3 full grids gave no such puzzle: {told}$"):
        list(SudokuGenerator(**wishes).batches(3 * CHUNK))


@settings(max_examples=25)
@given(
    symmetry=st.sampled_from(SYMMETRIES), count=st.integers(30, 81), unique=st.booleans(), seed=st.integers(0, 2**40)
)
def test_any_sensible_wish_is_met_or_told(symmetry, count, unique, seed, harness) -> None:
    wishes = {"symmetry": symmetry, "clues": count, "unique": unique}
    met = made_or_told(3, seed, wishes)
    if isinstance(met, str):
        assert "gave no such puzzle" in met
        assert symmetry != "none"
    else:
        assert clues(met[0]).tolist() == [count] * 3
        check(*met, harness, unique)


def made_or_told(count, seed, wishes):
    """Puzzles and solutions, or what is said where there are none after a few tries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generate, "TRIES", 200)
        try:
            return made(count, seed=seed, **wishes)
        except BadOption as error:
            return str(error)

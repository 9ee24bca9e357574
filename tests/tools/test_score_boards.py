"""The boards of score sheets are made again by their command, and are those of the package."""

import gzip

import pytest

import score_boards
from puzzlelab import load
from puzzlelab.bench import suites
from puzzlelab.core.views import levels_of
from score_boards import EVERY, RECIPES, Draw, Recipe

pytestmark = pytest.mark.tools


@pytest.fixture
def small(monkeypatch):
    """Recipes for some boards of small puzzles."""
    monkeypatch.setattr(score_boards, "COUNT", 40)
    recipes = {
        "six": Recipe("tiles-2x3", [Draw("level", 10, (1, 2)), Draw("uniform", 40)], "ida"),
        "filled": Recipe(
            "sudoku-4x4", [Draw("clues", 20, (6, 6)), Draw("clues", 20, (7, 7))], "backtracking", is_filled=True
        ),
    }
    monkeypatch.setattr(score_boards, "RECIPES", recipes)


@pytest.mark.usefixtures("small")
def test_the_same_name_gives_the_same_bytes_and_a_stopped_command_goes_on(tmp_path) -> None:
    path = score_boards.write("six", tmp_path / "one", 1)
    again = score_boards.write("six", tmp_path / "two", 2)
    assert path.read_bytes() == again.read_bytes()
    (rows,) = (tmp_path / "two" / "six" / "uniform").glob("*.jsonl")
    lines = rows.read_text().splitlines(keepends=True)
    rows.write_text("".join(lines[: len(lines) // 2]))
    assert score_boards.write("six", tmp_path / "two", 1).read_bytes() == path.read_bytes()
    suite = suites.read(path)
    assert len({entry.board for entry in suite.entries}) == len(suite.entries) >= 40
    puzzle = suite.puzzle
    for entry in suite.entries[::5]:
        assert entry.known_is_optimal
        assert levels_of(puzzle, puzzle.read(entry.board).state[None])[0]["distance"] == entry.known


@pytest.mark.usefixtures("small")
def test_a_puzzle_that_is_filled_in_has_levels_and_no_lengths(tmp_path) -> None:
    path = score_boards.write("filled", tmp_path, 1)
    suite = suites.read(path)
    assert {entry.level for entry in suite.entries} == {6, 7}
    assert all(entry.known is None and 16 - entry.board.count(".") == entry.level for entry in suite.entries)


@pytest.mark.usefixtures("small")
def test_too_few_boards_are_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(score_boards, "COUNT", 1000)
    with pytest.raises(SystemExit, match="different boards, not 1,000"):
        score_boards.write("six", tmp_path, 1)


def test_boards_of_every_distance_are_equally_many() -> None:
    puzzle = load("tiles-2x3")
    counts = [0] * 22
    for entry in score_boards.by_distance(puzzle, 100).entries:
        counts[entry.level or 0] += 1
    # distances 1, 2 and 21 have 2, 3 and 1 boards; the others share what is left
    assert counts == [0, 2, 3, *[5] * 10, *[6] * 4, *[5] * 4, 1]


@pytest.mark.parametrize("name", [name for name in RECIPES if name in suites.packaged()])
def test_the_first_boards_of_each_draw_are_those_of_the_package(name) -> None:
    path = suites.packaged()[name]
    recipe, boards = RECIPES[name], {entry.board for entry in suites.read(path).entries}
    text = gzip.decompress(path.read_bytes()).decode()
    assert text.splitlines()[: len(list(score_boards.header(name, recipe)))] == list(score_boards.header(name, recipe))
    puzzle = load(recipe.puzzle)
    for draw in recipe.draws:
        if draw is not EVERY:
            levels = (draw.levels[0], draw.levels[0]) if draw.levels else None
            sample = suites.sample(puzzle, levels, draw.scale, 3, score_boards.SEED)
            assert boards >= {entry.board for entry in sample.entries}

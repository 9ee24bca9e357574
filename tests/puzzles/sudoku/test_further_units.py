"""Diagonals, windows, disjoint groups and regions: names, units, symmetries, drawings, and published puzzles."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import puzzlelab
from puzzlelab.conformance import check_puzzle
from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput, BadOption
from puzzlelab.core.puzzle import Drawings
from puzzlelab.core.registry import load
from puzzlelab.core.views import Planes, Symmetries
from puzzlelab.puzzles.sudoku.rules import Sudoku

FIVE = "sudoku-5x5:jigsaw=1122211322143334435544555"
REGIONS = "aabbbaacbbadcccddceeddeee"
PUBLISHED = [
    line.split("\t")
    for line in Path(__file__).with_name("further_units.tsv").read_text().splitlines()
    if not line.startswith("#")
]
X_SUDOKU = "..36.57.....9.1...7.......496.....83.........48.....196.......5...5.7.....21.69.."
"""From github.com/pocketjoso/sudokuJS/issues/6."""


# --- names ---


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("sudoku-9x9:windoku:diagonal", "sudoku-9x9:diagonal:windoku"),
        ("sudoku-9x9:disjoint:windoku:diagonal", "sudoku-9x9:diagonal:windoku:disjoint"),
        ("sudoku-6x6:disjoint:boxes=3x2", "sudoku-6x6:boxes=3x2:disjoint"),
        (f"sudoku-5x5:jigsaw={REGIONS}", FIVE),
        (f"sudoku-5x5:diagonal:jigsaw={REGIONS}", f"{FIVE}:diagonal"),
        ("sudoku-5x5:jigsaw=aabbb/aacbb/adccc/ddcee/ddeee", FIVE),
    ],
)
def test_a_name_has_one_order_and_regions_one_form(name, canonical) -> None:
    puzzle = load(name)
    assert puzzle.name == canonical
    assert load(canonical) == puzzle
    assert hash(load(canonical)) == hash(puzzle)


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("9x9:diagonals", "a Sudoku has no 'diagonals'; did you mean 'diagonal'?"),
        ("9x9:diagonal:diagonal", "'diagonal' stands twice in the name of a Sudoku"),
        ("9x9:diagonal=1", "'diagonal=1' says nothing of a Sudoku; write diagonal"),
        ("9x9:candidates:diagonal", "only boards of sudoku-9x9 have candidates"),
        ("6x6:windoku", "boxes must be square: in 4x4, 9x9, 16x16 and 25x25"),
        ("5x5", "there is no sudoku-5x5: boxes have 2 to 5 rows and columns"),
        ("5x5:jigsaw", "'jigsaw' says nothing of a Sudoku; write jigsaw=TEXT"),
        ("5x4:jigsaw=11112222", "a jigsaw has as many columns as rows, not 5x4"),
        ("5x5:jigsaw=11112222", "the regions '11112222' have 8 cells, and a grid of 5x5 has 25"),
        (f"5x5:jigsaw={REGIONS[:-1]}a", "the region 'a' has 6 cells; each region of a jigsaw of 5x5 has 5"),
        (f"5x5:jigsaw={REGIONS}:disjoint", "a jigsaw has no boxes, and windoku and disjoint groups are made of boxes"),
        (f"5x5:boxes=1x5:jigsaw={REGIONS}", "a jigsaw has regions in place of boxes: leave boxes out of its name"),
        ("2x2:jigsaw=1122", "a jigsaw has 3 to 25 rows, not 2"),
        ("30x30:jigsaw=" + "1" * 900, "a jigsaw has 3 to 25 rows, not 30"),
    ],
)
def test_what_is_no_name_is_told_so(rest, words) -> None:
    with pytest.raises(BadInput) as caught:
        load(f"sudoku-{rest}")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 200


def test_regions_may_be_in_a_file(tmp_path) -> None:
    path = tmp_path / "regions.txt"
    path.write_text("aabbb\naacbb\nadccc\nddcee\nddeee\n")
    assert puzzlelab.load(f"sudoku-5x5:jigsaw={path}").name == FIVE
    assert puzzlelab.load(f"sudoku-5x5:jigsaw={path}:diagonal").name == f"{FIVE}:diagonal"
    with pytest.raises(BadOption, match=r"there is no file .*none\.txt with the regions of a jigsaw"):
        puzzlelab.load("sudoku-5x5:jigsaw=none.txt")
    path.write_bytes(b"\xff\xff")
    with pytest.raises(BadOption, match=r"cannot be read"):
        puzzlelab.load(f"sudoku-5x5:jigsaw={path}")


def test_a_name_from_elsewhere_reads_no_file(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("regions").write_text(REGIONS)
    with pytest.raises(BadOption, match="the regions 'regions' have 7 cells"):
        registry.load("sudoku-5x5:jigsaw=regions")
    assert puzzlelab.load("sudoku-5x5:jigsaw=regions").name == FIVE


# --- units ---


def test_the_units_of_each_kind() -> None:
    kinds = Sudoku(diagonal=True, windoku=True, disjoint=True).units.kinds
    assert list(kinds) == ["row", "column", "box", "diagonal", "window", "disjoint group"]
    assert kinds["diagonal"].tolist() == [list(range(0, 81, 10)), list(range(8, 73, 8))]
    assert kinds["window"][:, 0].tolist() == [10, 14, 46, 50]
    assert kinds["window"][3].tolist() == [50, 51, 52, 59, 60, 61, 68, 69, 70]
    assert kinds["disjoint group"][0].tolist() == [0, 3, 6, 27, 30, 33, 54, 57, 60]
    assert load("sudoku-4x4:windoku").units.kinds["window"].tolist() == [[5, 6, 9, 10]]
    assert load("sudoku-16x16:windoku").units.kinds["window"].shape == (9, 16)
    assert load(FIVE).units.kinds["region"][0].tolist() == [0, 1, 5, 6, 10]


def test_a_cell_with_fewer_units_and_peers_repeats_its_last() -> None:
    units = load("sudoku-9x9:diagonal").units
    assert units.of_cells[1].tolist() == [0, 10, 18, 18, 18]
    assert units.of_cells[40].tolist() == [4, 13, 22, 27, 28]
    assert len(set(units.peers[1].tolist())) == 20
    assert len(set(units.peers[40].tolist())) == units.peers.shape[1] == 32


@pytest.mark.parametrize(
    ("name", "count"),
    [("sudoku-9x9:diagonal:windoku", 8), ("sudoku-6x6:diagonal", 4), ("sudoku-6x6:disjoint", 4), (FIVE, 1)],
)
def test_symmetries_keep_the_units(name, count) -> None:
    puzzle, random = load(name), np.random.default_rng(0)
    solved = puzzlelab.solve(puzzle.read("." * puzzle.cells), "dancing-links").final.state
    images = puzzle.view(Planes).symmetries(solved)
    assert len(images) == count
    assert all(puzzle.solved(image) for image, _ in images)
    for _ in range(20):
        cells, digits = puzzle.random_symmetry(random)
        assert puzzle.solved((digits[solved[cells] - 1] + 1).astype(np.uint8))
    assert puzzle.view(Symmetries) is None


@pytest.mark.parametrize("name", ["sudoku-4x4:diagonal:windoku", "sudoku-6x6:boxes=3x2:disjoint", FIVE])
def test_the_rules_keep_their_contract(name) -> None:
    puzzle = load(name)
    solved = puzzlelab.solve(puzzle.read("." * puzzle.cells), "dancing-links").final.state
    random = np.random.default_rng(1)
    starts = [Instance(puzzle, np.where(random.random(solved.size) < share, solved, 0)) for share in (0.0, 0.3, 0.7)]
    check_puzzle(puzzle, starts, steps=5)


def test_objections_name_units_of_all_kinds() -> None:
    puzzle = load("sudoku-9x9:diagonal:windoku")
    assert puzzle.objection(puzzle.read("1" + "." * 79 + "1").state) == "diagonal 1 holds two 1s, in r1c1 and r9c9"
    clues = {1: 1, 2: 2, 9: 3, 10: 4, 27: 5, 36: 6, 40: 7, 50: 8, 60: 9}
    state = np.array([clues.get(cell, 0) for cell in range(81)], np.uint8)
    words = "r1c1 has no candidate left: its row, column, box and diagonal hold every digit"
    assert puzzle.objection(state) == words


# --- notation and drawings ---


def test_borders_of_regions_are_drawn_and_read_again() -> None:
    puzzle = load(FIVE)
    solved = puzzlelab.solve(puzzle.read("." * 25), "dancing-links").final.state
    assert puzzle.draw(solved).splitlines()[:5] == [
        "+---+---+---+---+---+",
        f"| {solved[0]}   {solved[1]} | {solved[2]}   {solved[3]}   {solved[4]} |",
        "+       +---+       +",
        f"| {solved[5]}   {solved[6]} | {solved[7]} | {solved[8]}   {solved[9]} |",
        "+   +---+   +---+---+",
    ]
    assert np.array_equal(puzzle.read(puzzle.draw(solved)).state, solved)


def test_windows_and_diagonals_are_in_the_svg() -> None:
    puzzle = load("sudoku-9x9:diagonal:windoku")
    image = ET.fromstring(puzzle.view(Drawings).svg(np.zeros(81, np.uint8)))
    assert len([each for each in image if each.get("fill") == "#e5e9f0"]) == 36
    assert "M0 0L360 360M360 0L0 360" in [each.get("d") for each in image]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("9j:a9", "a jigsaw of Solo has its regions after a comma"),
        ("3x3:zzza,abc", "a jigsaw of Solo has its regions after a comma, and another game has none"),
        ("5j:a3a2a2m1a1a5a,_c_c___acda_aaa_bab", "the regions of this game of Solo are not 5 of 5 cells"),
        ("40j:a,a", "the regions of this game of Solo are not 40 of 40 cells"),
        ("3x3xk:zzza", "rules beside those of Sudoku, such as killer"),
    ],
)
def test_a_game_of_solo_that_is_none_is_told_so(text, words) -> None:
    with pytest.raises(BadInput, match=words):
        puzzlelab.read(text)


# --- published puzzles ---


def test_an_x_sudoku_has_one_solution_with_its_diagonals() -> None:
    assert puzzlelab.count(load("sudoku-9x9").read(X_SUDOKU)).solutions == 11
    assert puzzlelab.solve(load("sudoku-9x9:diagonal").read(X_SUDOKU)).proof == "unique"


def test_published_puzzles_have_one_solution() -> None:
    for name, text, solution in PUBLISHED:
        board = puzzlelab.read(text) if ":" in text else load(name).read(text)
        assert board.puzzle.name == name
        result = puzzlelab.solve(board)
        assert (result.proof, board.puzzle.write(result.final.state)) == ("unique", solution)

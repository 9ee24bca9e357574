"""The rules that the page plays by are those of Python: on random boards, on random games, on boards that are none."""

import numpy as np
import pytest

from puzzlelab.api import solve
from puzzlelab.core import registry
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.views import Candidates
from puzzlelab.puzzles.dust import notation

pytestmark = pytest.mark.browser

ASK = """async ([family, puzzle, boards]) => {
  const module = await import(`/puzzles/${family}.js`);
  const game = module.createGame({ puzzle });
  return boards.map((text) => {
    const state = game.read(text);
    const objection = game.objection(state);
    const legal = objection ? [] : game.legal(state);
    return {
      name: module.nameOf(module.valuesOf(puzzle)),
      written: game.write(state),
      solved: game.solved(state),
      objection: objection?.text ?? null,
      repaired: objection?.repair ? game.write(objection.repair.state) : null,
      legal,
      children: legal.map((move) => game.write(game.apply(state, move))),
    };
  });
}"""
READ = """async ([family, puzzle, texts]) => {
  const { createGame } = await import(`/puzzles/${family}.js`);
  const game = createGame({ puzzle });
  return texts.map((text) => {
    try { return game.write(game.read(text)); } catch (error) { return null; }
  });
}"""
GOAL = "5,1,2,0,4,3"
TILES = [
    "tiles-2x2",
    "tiles-3x3",
    "tiles-4x4",
    "tiles-2x7",
    "tiles-12x12",
    "tiles-3x3:blank-first",
    f"tiles-2x3:goal={GOAL}",
    "tiles-4x4:moves=multi",
    f"tiles-2x3:goal={GOAL}:moves=multi",
    "tiles-3x3:goal=1,1,1,2,2,2,3,3,0",
    "tiles-3x3:goal=1,2,3,*,*,*,*,*,*",
    "tiles-2x3:goal=*,2,*,4,5,1",
    "tiles-3x2:goal=*,1,*,4,5,3",
]
DUST = ["dust-1x1x2", "dust-1x7x3", "dust-7x1x3", "dust-3x5x2", "dust-8x6x5", "dust-9x9x9", "dust-16x16x2"]
SUDOKU = ["4x4", "6x6", "6x6:boxes=3x2", "9x9", "12x12", "16x16", "25x25"]
SUDOKU += ["9x9:diagonal", "9x9:diagonal:windoku", "4x4:windoku", "6x6:boxes=3x2:disjoint", "9x9:disjoint"]
SUDOKU += [
    "5x5:jigsaw=1122211322143334435544555",
    "7x7:jigsaw=1122222112233341115334555533455666644667674477777:diagonal",
]
SHARES = (0.0, 0.1, 0.3, 0.6, 0.9, 1.0)
"""Of the cells of a full grid that stay, in boards of Sudoku."""


@pytest.fixture
def page(opened):
    return opened(puzzle="tiles-3x3")


def walked(puzzle, state, random, steps):
    """The boards of a random game."""
    for _ in range(steps):
        yield state
        legal = np.flatnonzero(puzzle.legal(state))
        if not legal.size:
            return
        state = puzzle.apply(state, int(random.choice(legal)))


def agree(puzzle, board, answer, objection):
    """Compare what the page says of a board with what Python says."""
    assert answer["name"] == puzzle.name
    assert answer["written"] == puzzle.write(board)
    assert answer["solved"] == puzzle.solved(board)
    assert answer["objection"] == objection
    if objection is None:
        moves = np.flatnonzero(puzzle.legal(board)).tolist()
        assert answer["legal"] == [puzzle.write_move(move) for move in moves]
        assert answer["children"] == [puzzle.write(puzzle.apply(board, move)) for move in moves]


@pytest.mark.parametrize("name", TILES)
def test_tiles(page, name) -> None:
    puzzle, random = registry.load(name), np.random.default_rng(1)
    boards = [*walked(puzzle, puzzle.goals()[0], random, 30)]
    boards += [random.permutation(puzzle.pieces).astype(np.uint8) for _ in range(30)]
    answers = page.evaluate(ASK, ["tiles", name, [puzzle.write(board) for board in boards]])
    objections = [puzzle.objection(board) for board in boards]
    assert None in objections
    assert any(objections) or puzzle.has_alike_tiles or len(puzzle.goals()) > 1
    for board, answer, objection in zip(boards, answers, objections, strict=True):
        agree(puzzle, board, answer, objection)
        if objection:
            mended = puzzle.read(answer["repaired"]).state
            assert puzzle.objection(mended) is None
            assert np.count_nonzero(mended != board) == 2


def rests(puzzle, board):
    try:
        notation.must_rest(board, puzzle)
    except BadBoard:
        return False
    return True


@pytest.mark.parametrize("name", DUST)
def test_dust(page, name) -> None:
    puzzle, random = registry.load(name), np.random.default_rng(2)
    full = random.integers(1, puzzle.colours + 1, puzzle.cells).astype(np.uint8)
    boards = [*walked(puzzle, full, random, 30)]
    boards += [np.where(random.random(puzzle.cells) < share, full, 0).astype(np.uint8) for share in SHARES]
    answers = page.evaluate(ASK, ["dust", name, [puzzle.write(board) for board in boards]])
    for board, answer in zip(boards, answers, strict=True):
        if rests(puzzle, board):
            agree(puzzle, board, answer, None)
        else:
            assert "would fall" in answer["objection"] or "would slide" in answer["objection"]
            assert answer["repaired"] == puzzle.write(puzzle.settled(board))


@pytest.mark.parametrize("size", SUDOKU)
def test_sudoku(page, size) -> None:
    puzzle, random = registry.load(f"sudoku-{size}"), np.random.default_rng(3)
    full = solve(puzzle.read("." * puzzle.cells), "dancing-links").final.state
    assert puzzle.solved(full)
    boards = []
    for share in SHARES:
        cells, digits = puzzle.view(Candidates).random_symmetry(random)
        board = np.where(random.random(puzzle.cells) < share, digits[full[cells] - 1] + 1, 0).astype(np.uint8)
        wrong = board.copy()
        wrong[random.integers(puzzle.cells, size=2)] = random.integers(1, puzzle.size + 1, 2)
        boards += [board, wrong]
    answers = page.evaluate(ASK, ["sudoku", puzzle.name, [puzzle.write(board) for board in boards]])
    objections = [puzzle.objection(board) for board in boards]
    assert any(objections)
    for board, answer, objection in zip(boards, answers, objections, strict=True):
        agree(puzzle, board, answer, objection)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("tiles-3x3", ["1 2 3 4 5 6 7 8 0", "1 2 3", "1 2 3 4 5 6 7 8 8", "1 2 3 4 5 6 7 8 9", "x", ""]),
        ("tiles-2x2:goal=1,1,2,0", ["1 2 1 0", "1 1 1 0", "1 2 2 0", "1 1 3 0", "1 1 0 0"]),
        ("dust-3x2x2", ["112211", "1122", "112213", "000000", "x", ""]),
        ("sudoku-4x4", ["1...............", "1", "5...............", "x", ""]),
    ],
)
def test_what_is_no_board_in_python_is_none_in_the_page(page, name, texts) -> None:
    puzzle = registry.load(name)

    def read(text):
        try:
            return puzzle.write(puzzle.read(text).state)
        except BadBoard:
            return None

    expected = [read(text) for text in texts]
    assert None in expected
    assert page.evaluate(READ, [name.partition("-")[0], name, texts]) == expected

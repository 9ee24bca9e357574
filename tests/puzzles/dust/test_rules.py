"""The rules of dust: a game that was printed elsewhere, and what must hold after every click."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab import solve
from puzzlelab.conformance import check_puzzle
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadInput
from puzzlelab.core.registry import load
from puzzlelab.core.verify import replay
from puzzlelab.core.views import Legality, is_legal
from puzzlelab.puzzles.dust import notation
from puzzlelab.puzzles.dust.rules import Dust
from puzzlelab.text.reader import splitter_of as boards_in

GAME = Path(__file__).parents[2] / "data" / "dust_game.txt"
NAMES = (
    *("dust-8x6x5", "dust-7x6x5", "dust-6x5x4", "dust-5x4x3", "dust-4x3x2", "dust-3x3x9", "dust-2x7x2"),
    *("dust-1x5x3", "dust-5x1x3", "dust-1x1x2", "dust-2x1x2", "dust-16x16x9", "dust-15x16x4"),
)


@st.composite
def heaps(draw, names=NAMES):
    """A puzzle, and pieces anywhere on its board, whether they could stay there or not."""
    puzzle = load(draw(st.sampled_from(names)))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from([0.0, 0.2, 0.6, 0.9, 1.0]))
    colours = random.integers(1, draw(st.integers(1, puzzle.colours)) + 1, puzzle.cells)
    return puzzle, np.where(random.random(puzzle.cells) < share, colours, 0).astype(np.uint8)


@st.composite
def games(draw, names=NAMES):
    """A puzzle, a board of it, and a cell with a piece in it."""
    puzzle, heap = draw(heaps(names))
    state = puzzle.settled(heap)
    if not state.any():
        state = puzzle.settled(np.ones(puzzle.cells, np.uint8))
    return puzzle, state, draw(st.sampled_from(np.flatnonzero(state).tolist()))


def halves(puzzle, state):
    """The pieces left and right of the line, `uint8[columns, H]` each."""
    board = state.reshape(puzzle.width, puzzle.height)
    return board[: puzzle.width // 2], board[puzzle.width // 2 :]


# --- names ---


@given(width=st.integers(1, 16), height=st.integers(1, 16), colours=st.integers(2, 9))
def test_every_size_has_a_name_that_is_loaded(width, height, colours) -> None:
    puzzle = Dust(width, height, colours)
    assert puzzle.name == f"dust-{width}x{height}x{colours}"
    assert load(puzzle.name) == puzzle
    assert hash(load(puzzle.name)) == hash(puzzle)
    assert puzzle.move_count == puzzle.cells == width * height


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dust", "'dust' is no dust board; write dust-COLUMNSxROWSxCOLOURS, such as dust-8x6x5"),
        ("dust-8x6", "'dust-8x6' is no dust board"),
        ("dust-8x6x", "'dust-8x6x' is no dust board"),
        ("dust-8x6x5x1", "'dust-8x6x5x1' is no dust board"),
        ("dust--8x6x5", "'dust--8x6x5' is no dust board"),
        ("dust-9999x6x5", "'dust-9999x6x5' is no dust board"),
        ("dust-٨x6x5", "'dust-٨x6x5' is no dust board"),
        ("dust-17x6x5", "a dust board has 1 to 16 columns, not 17"),
        ("dust-0x6x5", "a dust board has 1 to 16 columns, not 0"),
        ("dust-8x17x5", "a dust board has 1 to 16 rows, not 17"),
        ("dust-8x6x10", "dust has 2 to 9 colours, not 10"),
        ("dust-8x6x1", "dust has 2 to 9 colours, not 1"),
    ],
)
def test_a_name_that_is_none_is_told_why(name: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        load(name)
    assert str(caught.value).startswith(words)


# --- a click ---


def test_the_printed_game_is_played_as_it_was_printed() -> None:
    puzzle = load("dust-8x6x5")
    lines = GAME.read_text().splitlines()
    printed = [puzzle.read(found.text).state for found in boards_in(puzzle).split(lines)]
    moves = [puzzle.read_move(move) for move in re.findall(r"move \d+: (\S+)", "\n".join(lines))]
    assert (len(printed), len(moves)) == (17, 17)
    state = printed[0]
    for number, (position, move) in enumerate(zip(printed, moves, strict=True), start=1):
        assert puzzle.draw(state) == puzzle.draw(position), f"before move {number}"
        state = puzzle.apply(state, move)
    assert puzzle.solved(state)
    assert replay(puzzle.read("document"), moves).holds
    assert puzzle.read("document").state.tolist() == printed[0].tolist()


@pytest.mark.parametrize(
    ("name", "before", "move", "after"),
    [
        ("dust-4x3x5", "RGBY/RRBY/GRRB", "1,1", "..Y./..BY/GGBB"),  # what lay above falls, then slides to the line
        ("dust-4x3x5", "RGBY/RRBY/GRRB", "1,0", "..Y./..BY/GGBB"),  # any cell of the cluster does
        ("dust-6x2x5", "RGBYOG/RGRYOG", "1,0", ".RBYOG/.RRYOG"),  # the left half closes up to the right
        ("dust-7x1x5", "RGBYORG", "3,0", "RGBORG."),  # 7 wide: three columns left of the line, four right of it
        ("dust-7x1x5", "RGBYORG", "2,0", ".RGYORG"),
        ("dust-2x3x3", "RG/RG/RG", "0,2", ".G/.G/.G"),  # nothing crosses the line
        ("dust-1x3x3", "R/G/R", "0,1", "./R/R"),
    ],
)
def test_what_a_click_does(name, before, move, after) -> None:
    puzzle = load(name)
    child = puzzle.apply(puzzle.read(before).state, puzzle.read_move(move))
    assert puzzle.draw(child) == puzzle.draw(puzzle.read(after).state)


@given(game=games())
def test_a_click_takes_one_cluster_and_lets_the_rest_come_to_rest(game) -> None:
    puzzle, state, move = game
    before = state.copy()
    child = puzzle.apply(state, move)
    assert np.array_equal(state, before)
    cluster = puzzle.clusters(state) == puzzle.clusters(state)[move]
    assert len(set(state[cluster].tolist())) == 1
    for side, (old, new, gone) in enumerate(
        zip(halves(puzzle, state), halves(puzzle, child), halves(puzzle, cluster), strict=True)
    ):
        kept = np.sort(old[~gone])
        assert np.sort(new[new != 0]).tolist() == kept[kept != 0].tolist(), f"half {side}"
        for row in range(puzzle.height):
            assert np.count_nonzero(new[:, row]) == np.count_nonzero((old * ~gone != 0).sum(axis=1) > row)
    notation.must_rest(child, puzzle)


@given(heap=heaps())
def test_at_rest_the_columns_are_sorted_towards_the_line_and_gravity_has_nothing_to_do(heap) -> None:
    puzzle, state = heap
    rest = puzzle.settled(state)
    for side, (old, new) in enumerate(zip(halves(puzzle, state), halves(puzzle, rest), strict=True)):
        heights = (new != 0).sum(axis=1)
        assert all((column[:height] != 0).all() for column, height in zip(new, heights, strict=True))
        assert np.array_equal(heights, np.sort(heights) if side == 0 else np.sort(heights)[::-1])
        assert np.sort(old[old != 0]).tolist() == np.sort(new[new != 0]).tolist()
    assert np.array_equal(puzzle.settled(rest), rest)
    notation.must_rest(rest, puzzle)


@given(heap=heaps())
def test_what_rests_is_what_settling_leaves_alone(heap) -> None:
    puzzle, state = heap
    rests = np.array_equal(puzzle.settled(state), state)
    if rests:
        notation.must_rest(state, puzzle)
        return
    with pytest.raises(BadBoard, match="--settle") as caught:
        notation.must_rest(state, puzzle)
    column, row = map(int, re.findall(r"\d+", caught.value.place)[:2])
    assert state[column * puzzle.height + row] != 0
    assert re.match(r"column \d+, row \d+ \(from 0 at the lower left\): ", str(caught.value))
    with pytest.raises(BadBoard, match="--settle"):
        puzzle.read(puzzle.write(state))
    assert np.array_equal(puzzle.with_gravity().read(puzzle.write(state)).state, puzzle.settled(state))


def test_the_puzzle_that_lets_boards_settle_is_the_same_puzzle() -> None:
    puzzle = load("dust-4x3x2")
    settling = puzzle.with_gravity()
    assert (settling, hash(settling), settling.name) == (puzzle, hash(puzzle), puzzle.name)
    assert settling.read("R.../..../....") == puzzle.read("..../..../.R..")


# --- clusters and moves ---


@settings(max_examples=60)
@given(game=games(NAMES[:7]))
def test_legal_names_one_cell_of_each_cluster_and_every_cell_of_it_does_the_same(game) -> None:
    puzzle, state, move = game
    clusters, legal = puzzle.clusters(state), puzzle.legal(state)
    assert ((clusters < 0) == (state == 0)).all()
    firsts = np.flatnonzero(legal)
    assert firsts.tolist() == sorted(set(clusters[state != 0].tolist()))
    assert all(clusters[first] == first for first in firsts)
    assert [is_legal(puzzle, state, cell) for cell in range(puzzle.cells)] == (state != 0).tolist()
    child = puzzle.apply(state, int(clusters[move]))
    assert np.array_equal(puzzle.apply(state, move), child)


@given(game=games())
def test_a_cluster_is_all_that_touches_in_one_colour(game) -> None:
    puzzle, state, _ = game
    clusters = puzzle.clusters(state).reshape(puzzle.width, puzzle.height)
    board = state.reshape(puzzle.width, puzzle.height)
    for one, other, ours, theirs in (
        (board[:-1], board[1:], clusters[:-1], clusters[1:]),
        (board[:, :-1], board[:, 1:], clusters[:, :-1], clusters[:, 1:]),
    ):
        assert ((ours == theirs) == ((one == other) | ((one == 0) & (other == 0)))).all()


def test_an_empty_cell_cannot_be_clicked() -> None:
    puzzle = load("dust-4x3x2")
    instance = puzzle.read("..../.RG./.RGG")
    for move in ("0,0", "1,2", "3,1"):
        assert not is_legal(puzzle, instance.state, puzzle.read_move(move))
        with pytest.raises(ValueError, match=f"nothing lies at {move}"):
            puzzle.apply(instance.state, puzzle.read_move(move))
        verdict = replay(instance, [puzzle.read_move(move)])
        assert (verdict.holds, verdict.step) == (False, 1)


@pytest.mark.parametrize("name", NAMES)
def test_every_move_has_a_name(name) -> None:
    puzzle = load(name)
    for move in range(puzzle.move_count):
        x, y = divmod(move, puzzle.height)
        assert puzzle.write_move(move) == f"{x},{y}"
        for text in (f"{x},{y}", f"({x}, {y})"):
            assert puzzle.read_move(text) == move


@pytest.mark.parametrize(
    "text", ["", "8,0", "0,6", "-1,0", "1", "1,", "1,2,3", "a,b", "100,1", "1;2", "٣,1", "1,\x002"]
)
def test_what_is_no_move_is_told(text) -> None:
    with pytest.raises(BadBoard, match=r"is no move; 6,1 clicks column 6, row 1, .* 8 columns and 6 rows") as caught:
        load("dust-8x6x5").read_move(text)
    assert str(caught.value).isprintable()


def test_an_empty_board_is_a_board_and_is_solved() -> None:
    puzzle = load("dust-4x3x2")
    for text in ("." * 12, "0" * 12, "..../..../....", str([[0] * 3] * 4), puzzle.draw(np.zeros(12, np.uint8))):
        instance = puzzle.read(text)
        assert puzzle.solved(instance.state)
        assert not puzzle.legal(instance.state).any()
        assert puzzle.objection(instance.state) is None
        result = solve(instance, solver="bfs")
        assert (result.moves, result.proof) == ((), "optimal")


# --- what every puzzle keeps ---


@pytest.mark.parametrize(
    "name", ["dust-8x6x5", "dust-7x6x5", "dust-1x5x3", "dust-1x1x2", "dust-10x8x5", "dust-5x9x3", "dust-16x16x9"]
)
def test_dust_is_as_every_puzzle_should_be(name) -> None:
    """Of one, two and four words a plane, with columns of 8 and of 16 bits."""
    puzzle = load(name)
    random = np.random.default_rng(4)
    starts = [
        Instance(puzzle, random.integers(1, most + 1, puzzle.cells).astype(np.uint8)) for most in (2, puzzle.colours)
    ]
    check_puzzle(puzzle, starts, steps=2 if puzzle.cells > 100 else 5)


# --- clusters ---

PUZZLES = st.builds(Dust, st.integers(1, 16), st.integers(1, 16), st.integers(2, 9))


@given(puzzle=PUZZLES, seed=st.integers(0, 2**32), played=st.integers(0, 5))
def test_every_cell_stands_for_the_first_of_its_cluster(plainly, puzzle: Dust, seed: int, played: int) -> None:
    boards = np.stack([plainly.board(puzzle, seed + i, i * played) for i in range(3)])
    named = puzzle.view(Legality).canonical_moves(boards)
    assert named.dtype == np.int64
    assert np.array_equal(named, np.stack([puzzle.clusters(board) for board in boards]))


def test_a_spiral_is_one_cluster() -> None:
    rows = ["111111", "100001", "101101", "101001", "101111", "100000"]
    puzzle = Dust(6, 6, 2)
    board = np.array([[2 - int(cell) for cell in row] for row in rows], np.uint8)
    named = puzzle.view(Legality).canonical_moves(board.reshape(1, -1)).reshape(6, 6)
    assert np.array_equal(named, np.where(board == 1, 0, named[1, 1]))
    assert named[1, 1] == 7

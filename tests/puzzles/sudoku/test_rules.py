import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.conformance import check_puzzle
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadInput, BadOption
from puzzlelab.core.puzzle import presentation_of
from puzzlelab.core.registry import load
from puzzlelab.core.verify import Verdict, replay
from puzzlelab.core.views import Candidates, Planes
from puzzlelab.puzzles.sudoku.presentation import usual_solver
from puzzlelab.puzzles.sudoku.rules import Sudoku

NAMES = (
    *("sudoku-4x4", "sudoku-6x6", "sudoku-6x6:boxes=3x2", "sudoku-8x8", "sudoku-8x8:boxes=4x2", "sudoku-9x9"),
    *("sudoku-10x10", "sudoku-12x12", "sudoku-15x15:boxes=5x3", "sudoku-16x16", "sudoku-20x20", "sudoku-25x25"),
)
SIDES = st.integers(2, 5)
SMALL = st.sampled_from(["sudoku-4x4", "sudoku-6x6", "sudoku-6x6:boxes=3x2", "sudoku-9x9"])
NINE, FOUR = load("sudoku-9x9"), load("sudoku-4x4")


def pattern(puzzle):
    """A full grid of any size: each row is the one above it, shifted."""
    rows, columns = np.divmod(np.arange(puzzle.cells), puzzle.size)
    shifts = rows % puzzle.box_rows * puzzle.box_columns + rows // puzzle.box_rows
    return ((columns + shifts) % puzzle.size + 1).astype(np.uint8)


def dug(puzzle, seed, share):
    """The pattern with its digits exchanged, and blanks in it."""
    random = np.random.default_rng(seed)
    digits = (1 + random.permutation(puzzle.size)).astype(np.uint8)
    grid = digits[pattern(puzzle) - 1]
    return grid, np.where(random.random(puzzle.cells) < share, grid, 0).astype(np.uint8)


def scattered(puzzle, seed, share):
    """Digits anywhere, in conflict or not."""
    random = np.random.default_rng(seed)
    digits = random.integers(1, puzzle.size + 1, puzzle.cells)
    return np.where(random.random(puzzle.cells) < share, digits, 0).astype(np.uint8)


STATES = st.tuples(SMALL, st.integers(0, 2**32), st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.9, 1.0]), st.booleans())


def drawn(state):
    name, seed, share, legal = state
    puzzle = load(name)
    return puzzle, dug(puzzle, seed, share)[1] if legal else scattered(puzzle, seed, share)


def seen(puzzle, cell):
    """The cells that share a row, a column or a box with this one, by arithmetic on rows and columns."""
    row, column = divmod(cell, puzzle.size)
    return {
        other
        for other in range(puzzle.cells)
        if other != cell
        and (
            other // puzzle.size == row
            or other % puzzle.size == column
            or (
                other // puzzle.size // puzzle.box_rows == row // puzzle.box_rows
                and other % puzzle.size // puzzle.box_columns == column // puzzle.box_columns
            )
        )
    }


# --- names ---


@given(rows=SIDES, columns=SIDES)
def test_any_box_has_a_name_that_is_loaded(rows: int, columns: int) -> None:
    puzzle = Sudoku(rows, columns)
    assert load(puzzle.name) == puzzle
    assert hash(load(puzzle.name)) == hash(puzzle)
    assert (puzzle.size, puzzle.cells, puzzle.move_count) == (rows * columns, puzzle.size**2, puzzle.size**3)


def test_boxes_that_are_wide_need_no_mention() -> None:
    assert load("sudoku-6x6:boxes=2x3") == load("sudoku-6x6") == Sudoku(2, 3)
    assert load("sudoku-9x9:boxes=3x3") == NINE == Sudoku()
    assert load("sudoku-6x6:boxes=3x2") == Sudoku(3, 2) != load("sudoku-6x6")
    assert len({load(name) for name in NAMES}) == len(NAMES)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sudoku-", "'sudoku-' is no Sudoku; write sudoku-9x9, or sudoku-6x6:boxes=3x2"),
        ("sudoku-9x9x9", "is no Sudoku"),
        ("sudoku-9x9:goal=1", "a Sudoku has no 'goal'"),
        ("sudoku-٩x٩", "is no Sudoku"),
        ("sudoku-" + "9" * 5000, "is no Sudoku"),
        ("sudoku-9x8", "there is no sudoku-9x8: boxes have 2 to 5 rows and columns, so that grids are 4x4, 6x6, 8x8,"),
        ("sudoku-5x5", "there is no sudoku-5x5"),
        ("sudoku-36x36", "there is no sudoku-36x36"),
        ("sudoku-6x6:boxes=2x2", "boxes of 2x2 do not make a grid of 6x6"),
        ("sudoku-6x6:boxes=6x1", "a Sudoku box has 2 to 5 rows and columns, not 6"),
        ("sudoku-4x4:boxes=0x0", "boxes of 0x0 do not make a grid of 4x4"),
    ],
)
def test_what_is_no_name_is_told_so(name: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        load(name)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("sides", [(1, 4), (4, 1), (6, 2), (2, 6), (0, 3), (-3, 3)])
def test_other_boxes_are_refused(sides) -> None:
    with pytest.raises(BadOption, match=r"a Sudoku box has 2 to 5 rows and columns, not -?\d"):
        Sudoku(*sides)


# --- the rules ---


@pytest.mark.parametrize("name", NAMES)
def test_units_are_rows_columns_and_boxes(name: str) -> None:
    puzzle = load(name)
    assert list(puzzle.units.kinds) == ["row", "column", "box"]
    for units in puzzle.units.kinds.values():
        assert sorted(units.reshape(-1).tolist()) == list(range(puzzle.cells))
    rows, columns, boxes = (units.tolist() for units in puzzle.units.kinds.values())
    assert rows[1] == list(range(puzzle.size, 2 * puzzle.size))
    assert columns[1] == list(range(1, puzzle.cells, puzzle.size))
    for unit in boxes:
        assert len({cell // puzzle.size for cell in unit}) == puzzle.box_rows
        assert len({cell % puzzle.size for cell in unit}) == puzzle.box_columns
    for cell in range(0, puzzle.cells, max(1, puzzle.cells // 40)):
        assert puzzle.units.peers[cell].tolist() == sorted(seen(puzzle, cell))


@settings(max_examples=60)
@given(state=STATES)
def test_a_digit_may_go_where_no_other_sees_it(state) -> None:
    puzzle, board = drawn(state)
    held = puzzle.candidates(board)
    for cell in range(puzzle.cells):
        sights = {int(board[other]) for other in seen(puzzle, cell)}
        for digit in range(puzzle.size):
            assert held[cell, digit] == (board[cell] == 0 and digit + 1 not in sights)
    assert np.array_equal(puzzle.legal(board), held.reshape(-1))
    assert puzzle.digits(board).tolist() == [int(value) - 1 for value in board]


def test_a_move_writes_a_digit_and_leaves_its_argument_alone() -> None:
    board = FOUR.read("12..............").state
    child = FOUR.apply(board, FOUR.read_move("r1c3=4"))
    assert (FOUR.write(board), FOUR.write(child)) == ("12..............", "124.............")
    with pytest.raises(ValueError, match="r1c1=3 writes in a cell that is filled"):
        FOUR.apply(board, FOUR.read_move("r1c1=3"))


@pytest.mark.parametrize("name", NAMES)
def test_a_full_grid_is_solved_until_two_cells_are_exchanged(name: str) -> None:
    puzzle = load(name)
    grid = pattern(puzzle)
    assert puzzle.solved(grid)
    assert puzzle.objection(grid) is None
    assert not puzzle.legal(grid).any()
    random = np.random.default_rng(4)
    for _ in range(30):
        one, two = random.integers(puzzle.cells, size=2)
        other = grid.copy()
        other[[one, two]] = other[[two, one]]
        assert puzzle.solved(other) == (grid[one] == grid[two])
        other = grid.copy()
        other[one] = 0
        assert not puzzle.solved(other)


def test_replay_asks_for_each_move_and_says_which_cannot_be_made() -> None:
    start = FOUR.read("12343412214343..")
    right = [FOUR.read_move(text) for text in ("r4c3=2", "r4c4=1")]
    assert replay(start, right) == replay(start, right[::-1]) == Verdict(True)
    wrong = replay(start, [right[0], FOUR.read_move("r4c4=2")])
    assert wrong == Verdict(False, "move 2 of 2, r4c4=2, cannot be made on 123434122143432.", 2)
    assert replay(start, [right[0], right[0]]).step == 2
    assert replay(start, [*right, right[0]]).step == 3
    assert replay(start, [64]).reason == "move 1 of 1, 64, cannot be made on 12343412214343.."
    assert replay(start, [-1]).step == 1
    assert replay(start, right[:1]).reason == "after all 1 moves the board is 123434122143432., not solved"


# --- objections ---

SHUT = {
    "55" + "." * 79: "row 1 holds two 5s, in r1c1 and r1c2",
    "." * 36 + "7......7." + "." * 36: "row 5 holds two 7s, in r5c1 and r5c8",
    ("." * 8 + "9") * 2 + "." * 63: "column 9 holds two 9s, in r1c9 and r2c9",
    "." * 30 + "1" + "." * 19 + "1" + "." * 30: "box 5 holds two 1s, in r4c4 and r6c6",
    "1" + "." * 8 + "1" + "." * 71: "column 1 holds two 1s, in r1c1 and r2c1",
    "12345678." + "." * 17 + "9" + "." * 54: "r1c9 has no candidate left: its row, column and box hold every digit",
    "1234"
    + "." * 36
    + "5"
    + "." * 8
    + "6"
    + "." * 8
    + "7"
    + "." * 8
    + "8"
    + "." * 8
    + "9....": "r1c5 has no candidate",
    "1........" + "...1....." + "......23." + "." * 17 + "1" + "." * 36: "row 3 has no place left for a 1",
}
"""Boards and the beginning of what is said of them."""


@pytest.mark.parametrize(("text", "words"), SHUT.items(), ids=SHUT.values())
def test_a_board_that_cannot_be_solved_is_told_why(text: str, words: str) -> None:
    assert str(NINE.objection(NINE.read(text).state)).startswith(words)


def grid_of(digits):
    """A 9x9 board from {(row, column): digit}, counted from 1."""
    board = np.zeros((9, 9), np.uint8)
    for (row, column), digit in digits.items():
        board[row - 1, column - 1] = digit
    return board


def test_a_digit_without_a_place_is_found_in_rows_columns_and_boxes() -> None:
    row = grid_of({(1, 1): 1, (2, 4): 1, (3, 7): 2, (3, 8): 3, (5, 9): 1})
    assert NINE.objection(row.reshape(-1)) == "row 3 has no place left for a 1"
    assert NINE.objection(row.T.reshape(-1)) == "column 3 has no place left for a 1"
    box = grid_of({(1, 1): 1, (1, 2): 2, (1, 3): 3, (2, 1): 5, (2, 2): 6, (2, 3): 7, (3, 4): 4})
    assert NINE.objection(box.reshape(-1)) == "box 1 has no place left for a 4"
    row[4, 8] = 0
    box[2, 3] = 0
    assert NINE.objection(row.reshape(-1)) is None
    assert NINE.objection(box.reshape(-1)) is None


def test_larger_grids_are_told_with_letters() -> None:
    puzzle = load("sudoku-16x16")
    board = np.zeros(256, np.uint8)
    board[[17, 30]] = 16
    assert puzzle.objection(board) == "row 2 holds two Gs, in r2c2 and r2c15"


def conflicts(puzzle, board):
    return any(
        board[cell] and board[cell] == board[other] for cell in range(puzzle.cells) for other in seen(puzzle, cell)
    )


@settings(max_examples=80)
@given(state=STATES)
def test_there_is_an_objection_where_there_is_a_reason(state) -> None:
    puzzle, board = drawn(state)
    said = puzzle.objection(board)
    held = puzzle.candidates(board)
    if conflicts(puzzle, board):
        assert " holds two " in said
        places = [cell for cell in range(puzzle.cells) if puzzle.write_cell(cell) in said.replace(",", "").split()]
        assert len(places) == 2
        assert board[places[0]] == board[places[1]] > 0
        assert places[1] in seen(puzzle, places[0])
    elif ((board == 0) & ~held.any(axis=1)).any():
        assert said.endswith("has no candidate left: its row, column and box hold every digit")
    elif any(
        not (held[unit, digit].any() or (board[unit] == digit + 1).any())
        for unit in puzzle.units.all
        for digit in range(puzzle.size)
    ):
        assert " has no place left for a " in said
    else:
        assert said is None


@settings(max_examples=60)
@given(name=st.sampled_from(NAMES), seed=st.integers(0, 2**32), share=st.floats(0, 1))
def test_nothing_is_said_against_a_board_that_has_a_solution(name, seed, share) -> None:
    puzzle = load(name)
    assert puzzle.objection(dug(puzzle, seed, share)[1]) is None


def test_too_few_clues_are_remarked_upon() -> None:
    boards = np.array([NINE.read("wikipedia").state] * 2)
    boards[1, np.flatnonzero(boards[1])[0]] = 0
    expected = {1: ["16 clues: with fewer than 17 clues the solution cannot be unique"]}
    assert dict(presentation_of(NINE).warnings(boards)) == expected
    assert not presentation_of(FOUR).warnings(np.zeros((1, 16), np.uint8))


# --- moves as text ---


NO_MOVES = ("", "r1c1", "r0c1=1", "r1c10=1", "r10c1=1", "r1c1=0", "r1c1=A", "r01c1=1", "R1C1=1", "r1c1=1 ", "r1c1=12")


@pytest.mark.parametrize("text", [*NO_MOVES, "r1c1=\u0661", "x" * 1000, "r1c1=1\n", "U"])
def test_what_is_no_move_is_told_so(text: str) -> None:
    with pytest.raises(BadBoard, match="is no move; r3c5=7 writes a 7 in row 3, column 5") as caught:
        NINE.read_move(text)
    assert len(str(caught.value)) < 120


# --- views ---


@pytest.mark.parametrize("name", ["sudoku-4x4", "sudoku-6x6", "sudoku-6x6:boxes=3x2", "sudoku-9x9", "sudoku-16x16"])
def test_a_puzzle_keeps_what_the_protocols_promise(name: str) -> None:
    puzzle = load(name)
    shares = (0.0, 0.9, 0.97) if puzzle.size > 9 else (0.0, 0.3, 0.7)
    starts = [Instance(puzzle, dug(puzzle, 7, share)[1]) for share in shares]
    starts.append(Instance(puzzle, scattered(puzzle, 8, 0.6)))
    check_puzzle(puzzle, starts, steps=2 if puzzle.size > 9 else 5)


def test_boards_of_the_usual_size_can_be_sampled_and_checked() -> None:
    check_puzzle(NINE, steps=3)


@pytest.mark.parametrize("name", NAMES)
def test_the_cover_has_an_option_for_each_move(name: str) -> None:
    puzzle = load(name)
    cover = puzzle.cover()
    assert cover is puzzle.cover()
    assert (cover.items, cover.primary, cover.options) == (4 * puzzle.cells, 4 * puzzle.cells, puzzle.move_count)
    assert cover.moves.tolist() == list(range(puzzle.move_count))
    assert (np.bincount(cover.entries, minlength=cover.items) == puzzle.size).all()
    random = np.random.default_rng(0)
    for one, two in random.integers(puzzle.move_count, size=(300, 2)).tolist():
        shared = set(cover.option(one).tolist()) & set(cover.option(two).tolist())
        (cell, digit), (other, second) = divmod(one, puzzle.size), divmod(two, puzzle.size)
        clash = cell == other or (digit == second and other in seen(puzzle, cell))
        assert bool(shared) == clash
    grid = pattern(puzzle)
    chosen = puzzle.chosen(grid)
    assert chosen.tolist() == [cell * puzzle.size + int(value) - 1 for cell, value in enumerate(grid)]
    covered = np.concatenate([cover.option(option) for option in chosen])
    assert sorted(covered.tolist()) == list(range(cover.items))


def covers(cover, chosen=()):
    """How many exact covers there are with these options: Knuth's algorithm X, with sets."""
    options = {number: set(cover.option(number).tolist()) for number in range(cover.options)}
    owners = {item: {number for number, items in options.items() if item in items} for item in range(cover.items)}

    def choose(number, open_items, open_options):
        taken = options[number]
        clash = set().union(*(owners[item] for item in taken))
        return open_items - taken, open_options - clash

    def count(open_items, open_options):
        if not open_items:
            return 1
        item = min(open_items, key=lambda item: len(owners[item] & open_options))
        return sum(count(*choose(number, open_items, open_options)) for number in owners[item] & open_options)

    state = set(range(cover.items)), set(options)
    for number in chosen:
        state = choose(number, *state)
    return count(*state)


def test_there_are_288_covers_of_the_smallest_grid() -> None:
    assert covers(FOUR.cover()) == 288


@pytest.mark.parametrize("seed", range(3))
def test_the_cover_with_clues_has_as_many_solutions_as_the_board(seed: int) -> None:
    _, board = dug(FOUR, seed, 0.3)
    assert covers(FOUR.cover(), FOUR.chosen(board)) == backtracked(FOUR, board)


def backtracked(puzzle, board):
    blanks = np.flatnonzero(board == 0)
    if blanks.size == 0:
        return int(puzzle.solved(board))
    moves = np.flatnonzero(puzzle.legal(board)[blanks[0] * puzzle.size : (blanks[0] + 1) * puzzle.size])
    return sum(backtracked(puzzle, puzzle.apply(board, int(blanks[0] * puzzle.size + move))) for move in moves)


@pytest.mark.parametrize("name", NAMES[:6])
def test_planes_have_a_one_for_each_digit(name: str) -> None:
    puzzle = load(name)
    states = np.array([dug(puzzle, seed, 0.5)[1] for seed in range(4)])
    planes = puzzle.view(Planes).planes(states)
    assert (planes.dtype, planes.shape) == (np.float32, (4, puzzle.view(Planes).input_size))
    for state, plane in zip(states, planes, strict=True):
        assert np.flatnonzero(plane).tolist() == puzzle.chosen(state).tolist()
        assert set(plane.tolist()) <= {0.0, 1.0}


@pytest.mark.parametrize("name", NAMES)
def test_symmetries_keep_what_is_legal_and_solved(name: str) -> None:
    puzzle = load(name)
    grid, board = dug(puzzle, 11, 0.6)
    states = np.array([grid, board, scattered(puzzle, 12, 0.3)])
    images = puzzle.view(Planes).symmetries(states)
    assert len(images) == (8 if puzzle.box_rows == puzzle.box_columns else 4)
    assert len({image.tobytes() for image, _ in images}) == len(images)
    move = int(np.flatnonzero(puzzle.legal(board))[0])
    for image, moves in images:
        assert puzzle.solved(image[0])
        assert sorted(moves.tolist()) == list(range(puzzle.move_count))
        for before, after in zip(states, image, strict=True):
            assert np.array_equal(puzzle.legal(after)[moves], puzzle.legal(before))
            assert (puzzle.objection(before) is None) == (puzzle.objection(after) is None)
        later = puzzle.view(Planes).symmetries(puzzle.apply(board, move)[None])
        same = [again for again, names in later if np.array_equal(names, moves)]
        assert np.array_equal(puzzle.apply(image[1], int(moves[move])), same[0][0])


@pytest.mark.parametrize("has_pysat", [False, True])
def test_who_solves_it_usually(monkeypatch, has_pysat) -> None:
    monkeypatch.setattr("puzzlelab.puzzles.sudoku.presentation.find_spec", lambda name: has_pysat)
    assert presentation_of(NINE).usual_solver == ("bands", {})
    for puzzle in (load(name) for name in NAMES if name != "sudoku-9x9"):
        usual = "sat" if has_pysat and puzzle.size >= 16 else "dancing-links"
        assert usual_solver(puzzle)[0] == usual
    assert presentation_of(load("sudoku-9x9")).answer_is_board
    assert {"wikipedia", "inkala"} <= set(presentation_of(NINE).examples)


@pytest.mark.parametrize("name", NAMES)
def test_every_relabelling_makes_solved_grids_of_solved_grids(name) -> None:
    puzzle = load(name)
    grid, board = dug(puzzle, 3, 0.4)
    seen_images = set()
    for seed in range(6):
        cells, digits = puzzle.view(Candidates).random_symmetry(np.random.default_rng(seed))
        assert sorted(cells.tolist()) == list(range(puzzle.cells))
        assert sorted(digits.tolist()) == list(range(puzzle.size))
        names = np.concatenate([[0], digits + 1]).astype(np.uint8)
        assert puzzle.solved(names[grid[cells]])
        image = names[board[cells]]
        assert puzzle.objection(image) is None
        assert np.count_nonzero(image) == np.count_nonzero(board)
        seen_images.add(image.tobytes())
    assert len(seen_images) == 6


def test_relabellings_of_the_smallest_grids_are_all_there_are() -> None:
    """288 full 4x4 grids fall into two classes, of 96 and 192 (Sudoku mathematics); a class is what images make."""
    sizes = set()
    for text in ("1234341221434321", "1234341223414123"):
        grid = FOUR.read(text).state
        images = set()
        for seed in range(6000):
            cells, digits = FOUR.view(Candidates).random_symmetry(np.random.default_rng(seed))
            images.add((digits + 1)[grid[cells] - 1].tobytes())
        sizes.add(len(images))
    assert sizes == {96, 192}

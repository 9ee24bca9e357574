from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chisquare

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import load, make_solver
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import NO_LEVEL, KernelRules, Samples, levels_of
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles import sampling
from puzzlelab.puzzles.tiles.rules import Tiles

MIDDLE = "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"
SIZES = ("tiles-2x2", "tiles-3x3", "tiles-3x3:blank-first", MIDDLE, "tiles-2x7", "tiles-12x12")
OTHERS = ("tiles-2x2", "tiles-2x3", "tiles-3x4", "tiles-2x7", "tiles-5x5", "tiles-5x3:blank-first")


def drawn(puzzle: Tiles, scale: str, wanted: int | None, seed: int = 0) -> np.ndarray:
    return puzzle.view(Samples).scales[scale].sample(generator(seed), wanted, 1)[0]


def plain_level(puzzle: Tiles, board: np.ndarray) -> int:
    """Manhattan distance + 2 for each pair of tiles that belong into the line in which they lie, in the other order."""
    place = {tile: divmod(cell, puzzle.columns) for cell, tile in enumerate(board.tolist()) if tile}
    home = {tile: divmod(puzzle.goal.index(tile), puzzle.columns) for tile in place}
    total = sum(abs(place[tile][axis] - home[tile][axis]) for tile in place for axis in range(2))
    for a, b in combinations(place, 2):
        for axis in range(2):
            if place[a][axis] == place[b][axis] == home[a][axis] == home[b][axis]:
                crossed = (place[a][1 - axis] - place[b][1 - axis]) * (home[a][1 - axis] - home[b][1 - axis]) < 0
                total += 2 * crossed
    return total


# --- level ---


@pytest.mark.parametrize("name", SIZES)
def test_a_level_is_manhattan_distance_and_two_for_each_pair_in_conflict(name: str) -> None:
    puzzle, random = load(name), np.random.default_rng(1)
    boards = [random.permutation(puzzle.cells) for _ in range(100)]
    boards += [np.array(puzzle.goal).reshape(puzzle.rows, -1)[:, ::-1].reshape(-1)]
    boards += [np.array(puzzle.goal).reshape(puzzle.rows, -1)[::-1].reshape(-1)]
    states = np.array(boards, np.uint8)
    assert sampling.levels_of_boards(puzzle, states).tolist() == [plain_level(puzzle, board) for board in states]


def test_the_least_levels_of_the_8_puzzle_have_few_boards(every) -> None:
    levels = sampling.levels_of_boards(every.puzzle, every.puzzle.view(KernelRules).decode(every.states))
    counts = np.bincount(levels)[:5].tolist()
    blank = divmod(every.puzzle.goal.index(0), 3)
    if blank in ((0, 0), (2, 2)):
        assert counts == [1, 2, 4, 10, 53]
    assert counts[1] == {(1, 1): 4, (0, 1): 3}.get(blank, 2)


@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-3x3:blank-first", "tiles-4x4", "tiles-4x4:blank-first"])
def test_every_level_of_the_8_and_15_puzzle_is_hit_exactly(name: str) -> None:
    puzzle = load(name)
    assert puzzle.view(Samples).scales["level"].levels == ((1, 22) if puzzle.rows == 3 else (1, 56))
    low, high = puzzle.view(Samples).scales["level"].levels
    for level in range(low, high + 1):
        board = drawn(puzzle, "level", level)
        assert plain_level(puzzle, board) == level
        assert puzzle.objection(board) is None


@pytest.mark.parametrize("name", OTHERS)
def test_the_levels_of_other_boards_are_hit_exactly(name: str) -> None:
    puzzle = load(name)
    low, high = puzzle.view(Samples).scales["level"].levels
    for level in sorted({low, low + 1, low + 2, (low + high) // 2, high - 1, high}):
        board = drawn(puzzle, "level", level)
        assert plain_level(puzzle, board) == level
        assert puzzle.objection(board) is None


def test_both_boards_of_the_least_level_of_the_15_puzzle_are_drawn() -> None:
    puzzle = load("tiles-4x4")
    assert {puzzle.write(drawn(puzzle, "level", 1, seed)) for seed in range(20)} == {
        "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15",
        "1 2 3 4 5 6 7 8 9 10 11 0 13 14 15 12",
    }


# --- walk to a level ---


class Recorder:
    """A random generator that records its numbers."""

    def __init__(self, seed: int) -> None:
        self.random_numbers: list[float] = []
        self.generator = generator(seed)

    def random(self, count: int) -> np.ndarray:
        numbers = self.generator.random(count)
        self.random_numbers.extend(numbers.tolist())
        return numbers


def plain_walk(puzzle: Tiles, level: int, random_numbers: list[float]) -> list[np.ndarray]:
    """The boards of a walk by the plain rules that ends above this level."""
    boards = [puzzle.goals()[0]]
    for number in random_numbers:
        legal = np.flatnonzero(puzzle.legal(boards[-1]))
        boards.append(puzzle.apply(boards[-1], int(legal[int(number * len(legal))])))
        if plain_level(puzzle, boards[-1]) > level:
            break
    return boards


@pytest.mark.parametrize("name", [*SIZES[:-1], "tiles-4x4"])
def test_a_walk_by_the_plain_rules_ends_at_the_same_board(name: str) -> None:
    puzzle = load(name)
    for level in (0, 1, 4, sampling.walk_level_range(puzzle)[1] // 2):
        recorder = Recorder(level)
        board = sampling.walk_to_level(puzzle, recorder, level)
        boards = plain_walk(puzzle, level, recorder.random_numbers)
        assert board.tolist() == boards[-1].tolist()
        assert all(plain_level(puzzle, before) <= level for before in boards[:-1])


def test_a_walk_may_undo_its_last_move() -> None:
    """On 2x2 the blank goes round; walks that never turned back would all have the same length."""
    puzzle, lengths = load("tiles-2x2"), set()
    for seed in range(20):
        recorder = Recorder(seed)
        sampling.walk_to_level(puzzle, recorder, 2)
        lengths.add(len(plain_walk(puzzle, 2, recorder.random_numbers)) - 1)
    assert len(lengths) > 1


def test_walks_end_nearer_than_boards_of_their_level() -> None:
    puzzle = load("tiles-3x3")
    means = {}
    for scale in ("walk-to-level", "level"):
        boards = np.array([drawn(puzzle, scale, 15, seed) for seed in range(200)])
        means[scale] = np.mean(puzzle.view(Samples).difficulty(boards)["distance"])
    assert means["walk-to-level"] < means["level"] - 1


def test_a_walk_to_any_level_draws_many_levels() -> None:
    puzzle = load("tiles-4x4")
    levels = [plain_level(puzzle, drawn(puzzle, "walk-to-level", None, seed)) for seed in range(60)]
    assert min(levels) < 15
    assert max(levels) > 45


def test_a_walk_to_a_level_out_of_reach_ends() -> None:
    with pytest.raises(BadOption, match="no board above level 999 of tiles-2x2 was reached in 4,000,000 random moves"):
        drawn(load("tiles-2x2"), "walk-to-level", 999)


# --- walk and distance ---


@pytest.mark.parametrize("moves", [0, 1, 2, 7, 30])
def test_a_walk_is_at_most_its_moves_away_and_of_their_parity(moves: int) -> None:
    puzzle = load("tiles-3x3")
    for seed in range(10):
        board = drawn(puzzle, "walk", moves, seed)
        distance = levels_of(puzzle, board[None])[0]["distance"]
        assert distance <= moves
        assert (distance - moves) % 2 == 0


@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-3x3:blank-first"])
def test_every_distance_of_the_8_puzzle_is_hit_exactly(name: str) -> None:
    puzzle = load(name)
    assert puzzle.view(Samples).scales["distance"].levels == (0, 31)
    for distance in range(32):
        board = drawn(puzzle, "distance", distance)
        assert levels_of(puzzle, board[None])[0]["distance"] == distance
        result = solve(make_solver("ida", {"estimate": "conflicts"}), Instance(puzzle, board), Limit())
        assert result.length == distance
    assert puzzle.solved(drawn(puzzle, "distance", 0))


def test_only_small_boards_have_a_scale_of_distances() -> None:
    assert set(load("tiles-2x5").view(Samples).scales) == {"level", "walk-to-level", "uniform", "walk", "distance"}
    assert set(load("tiles-4x4").view(Samples).scales) == {"level", "walk-to-level", "uniform", "walk"}
    assert next(iter(load("tiles-4x4").view(Samples).scales)) == "level"


# --- seeds and difficulty ---


def test_the_difficulty_of_a_board() -> None:
    puzzle = load("tiles-3x3")
    assert levels_of(puzzle, puzzle.read("8 6 7 2 5 4 3 0 1").state[None])[0] == {"level": 23, "distance": 31}
    assert levels_of(puzzle, puzzle.read("1 2 3 4 5 6 8 7 0").state[None])[0] == {"level": 4}
    assert levels_of(load("tiles-4x4"), load("tiles-4x4").goals()[0][None])[0] == {"level": 0}


# --- many at once ---


def many(puzzle: Tiles, scale: str, wanted: int | None, count: int, seed: int = 0) -> np.ndarray:
    return puzzle.view(Samples).scales[scale].sample(generator(seed), wanted, count)


@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-4x4:blank-first"])
@pytest.mark.parametrize("level", [1, 15, None])
def test_many_boards_have_the_level_and_can_be_solved(name: str, level: int | None) -> None:
    puzzle = load(name)
    boards = many(puzzle, "level", level, 40)
    assert (boards.dtype, boards.shape) == (np.uint8, (40, puzzle.cells))
    assert [puzzle.objection(board) for board in boards] == [None] * 40
    levels = {plain_level(puzzle, board) for board in boards}
    assert levels == {level} or (level is None and len(levels) > 3)


@pytest.mark.parametrize(
    ("name", "scale", "wanted"),
    [
        ("tiles-3x3", "level", None),
        ("tiles-4x4", "level", None),
        ("tiles-5x5", "level", 60),
        ("tiles-5x5", "uniform", None),
        ("tiles-4x4", "walk", 30),
        ("tiles-4x4", "walk-to-level", 9),
        ("tiles-3x3", "distance", 20),
        ("tiles-3x3", "distance", None),
    ],
)
def test_one_seed_gives_the_same_boards(name: str, scale: str, wanted: int | None) -> None:
    one, again, other = (many(load(name), scale, wanted, 20, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("scale", ["uniform", "distance"])
@pytest.mark.parametrize(("name", "boards"), [("tiles-2x2", 12), ("tiles-2x2:blank-first", 12), ("tiles-2x3", 360)])
def test_many_uniform_boards_are_all_equally_frequent(name: str, boards: int, scale: str) -> None:
    counts = np.unique(many(load(name), scale, None, 25 * boards, 7), axis=0, return_counts=True)[1]
    assert counts.size == boards
    assert chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("name", [*SIZES, "tiles-5x5"])
def test_many_uniform_boards_can_be_solved(name: str) -> None:
    puzzle = load(name)
    boards = many(puzzle, "uniform", None, 200)
    assert [puzzle.objection(board) for board in boards] == [None] * 200
    assert (np.sort(boards, axis=1) == np.arange(puzzle.cells)).all()


def test_many_boards_of_a_level_are_all_equally_frequent() -> None:
    counts = np.unique(many(load("tiles-3x3"), "level", 3, 1000), axis=0, return_counts=True)[1]
    assert counts.size == 10
    assert chisquare(counts).pvalue > 0.001


def test_without_a_wish_all_levels_are_equally_frequent() -> None:
    puzzle = load("tiles-3x3")
    counts = np.bincount(sampling.levels_of_boards(puzzle, many(puzzle, "level", None, 4_400)))[1:]
    assert counts.size == 22
    assert chisquare(counts[counts > 0]).pvalue > 0.001


def test_annealed_boards_of_one_level_are_all_equally_frequent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "TABLED_CELLS", 0)
    monkeypatch.setattr(sampling, "BOARDS_A_WALK", 1)
    puzzle = load("tiles-3x3")
    counts = np.unique(many(puzzle, "level", 4, 1_590), axis=0, return_counts=True)[1]
    assert counts.size == 53
    assert chisquare(counts).pvalue > 0.001


def test_boards_of_one_walk_have_one_level_and_differ() -> None:
    puzzle = load("tiles-4x4")
    boards = many(puzzle, "level", None, 80)
    levels = sampling.levels_of_boards(puzzle, boards).reshape(8, 10)
    assert (levels == levels[0]).all()
    assert len(set(levels[0].tolist())) > 4
    assert len({board.tobytes() for board in boards}) > 60


def test_walks_end_as_often_as_the_plain_rules_say() -> None:
    puzzle, shares = load("tiles-3x3"), {tuple(load("tiles-3x3").goal): 1.0}
    for _ in range(2):
        after: dict[tuple[int, ...], float] = {}
        for board, share in shares.items():
            state = np.array(board, np.uint8)
            moves = np.flatnonzero(puzzle.legal(state)).tolist()
            for move in moves:
                end = tuple(puzzle.apply(state, move).tolist())
                after[end] = after.get(end, 0.0) + share / len(moves)
        shares = after
    ends, counts = np.unique(many(puzzle, "walk", 2, 1200), axis=0, return_counts=True)
    expected = [1200 * shares.pop(tuple(end)) for end in ends.tolist()]
    assert not shares
    assert chisquare(counts, expected).pvalue > 0.001


@pytest.mark.parametrize(
    ("name", "scale", "wanted", "words"),
    [
        ("tiles-3x3", "level", 30, "tiles-3x3 has no board of level 30; its levels are 0, 1, 2, "),
        ("tiles-4x4", "level", 999, "no board of level 999 was found for tiles-4x4"),
        ("tiles-3x3", "distance", 32, "no board of tiles-3x3 is 32 moves from the goal"),
        ("tiles-3x3", "walk", -1, "a walk has 0 moves or more, not -1"),
    ],
)
def test_many_boards_of_a_level_that_has_none(name: str, scale: str, wanted: int, words: str) -> None:
    with pytest.raises(BadOption, match=words):
        many(load(name), scale, wanted, 2)


def test_the_difficulty_of_many_boards_is_that_of_each() -> None:
    for name in SIZES:
        puzzle = load(name)
        states = np.array([generator(seed).permutation(puzzle.cells) for seed in range(20)], np.uint8)
        columns = puzzle.view(Samples).difficulty(states)
        for place, state in enumerate(states):
            levels = {scale: int(column[place]) for scale, column in columns.items() if column[place] != NO_LEVEL}
            assert list(levels.items()) == list(levels_of(puzzle, state[None])[0].items())

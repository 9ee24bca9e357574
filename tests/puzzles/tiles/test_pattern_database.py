import math
import re
from collections import deque

import numpy as np
import pytest

from puzzlelab.core.errors import BadOption, UnknownName
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import load, make_solver
from puzzlelab.core.views import Estimates, KernelRules, Planes, Samples
from puzzlelab.engine.solving import solve, solve_all
from puzzlelab.engine.table_cache import table_folder
from puzzlelab.puzzles.tiles import pattern_database
from puzzlelab.puzzles.tiles.rules import Tiles, source_cell
from puzzlelab.runtime.memory import resident

MIDDLE = "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"
SIDE = "tiles-3x3:goal=1,0,2,3,4,5,6,7,8"


def plain_database(puzzle: Tiles, tiles: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Least moves of these tiles for each of their places, whatever the blank's: a search over (places, blank)."""
    home = tuple(puzzle.goal.index(tile) for tile in tiles)
    start = (home, puzzle.goal.index(0))
    found, queue = {start: 0}, deque([start])
    while queue:  # moves of other tiles cost nothing, and go first
        places, blank = queue.popleft()
        for move in puzzle.slides:
            source = source_cell(puzzle.rows, puzzle.columns, blank, move)
            if source is None:
                continue
            own = source in places
            child = (tuple(blank if place == source else place for place in places), source)
            cost = found[places, blank] + own
            if cost < found.get(child, 1000):
                found[child] = cost
                queue.append(child) if own else queue.appendleft(child)
    least: dict[tuple[int, ...], int] = {}
    for (places, _), cost in found.items():
        least[places] = min(cost, least.get(places, 1000))
    return least


@pytest.mark.parametrize(
    ("name", "partition"),
    [
        ("tiles-2x3", "1,2/3,4,5"),
        ("tiles-2x4", "1,3,5/2,7/4,6"),
        ("tiles-3x3", "1,2,4,5/3,6/7,8"),
        ("tiles-3x3:blank-first", "1,2,3/4,5,6/7,8"),
        (MIDDLE, "2,4,6,8/1,3,5,7"),
        (SIDE, "1,2,3,4/5,6,7,8"),
    ],
)
def test_an_entry_is_the_least_number_of_moves_of_its_own_tiles(harness, name: str, partition: str) -> None:
    puzzle, random = load(name), np.random.default_rng(4)
    groups = [tuple(map(int, group.split(","))) for group in partition.split("/")]
    tables = [plain_database(puzzle, group) for group in groups]
    boards = np.array([puzzle.view(Samples).scales["uniform"].sample(random, None, 1)[0] for _ in range(150)])

    def total(board: np.ndarray) -> int:
        where = np.argsort(board)
        return sum(table[tuple(where[list(group)].tolist())] for group, table in zip(groups, tables, strict=True))

    images = [states for states, _ in puzzle.view(Planes).symmetries(boards)]
    expected = [max(total(image[place]) for image in images) for place in range(len(boards))]
    values = harness.estimated(
        puzzle, puzzle.view(Estimates).estimate(f"pdb:{partition}"), harness.working(puzzle, boards)
    )
    assert values.tolist() == expected


def test_groups_of_one_are_manhattan_distance(every, harness) -> None:
    ones = harness.estimated(every.puzzle, every.puzzle.view(Estimates).estimate("pdb:1/2/3/4/5/6/7/8"), every.states)
    assert np.array_equal(
        ones, harness.estimated(every.puzzle, every.puzzle.view(Estimates).estimate("manhattan"), every.states)
    )


def test_one_group_of_all_is_the_true_distance(every, harness) -> None:
    values = harness.estimated(every.puzzle, every.puzzle.view(Estimates).estimate("pdb:1,2,3,4,5,6,7,8"), every.states)
    assert np.array_equal(values, every.distance)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_a_turn_is_what_moving_a_member_does_to_the_order(size: int) -> None:
    from itertools import permutations

    orders = list(permutations(range(size)))
    turns = pattern_database.order_turns(size)
    for number, order in enumerate(orders):
        for i in range(size):
            for j in range(size):
                moved = list(order)
                moved.insert(j, moved.pop(i))
                assert orders[turns[i, j, number]] == tuple(moved)


# --- partitions by name ---


@pytest.mark.parametrize(
    ("size", "name"),
    [
        *(("tiles-3x3", name) for name in ("pdb", "pdb-44", "pdb-4-4", "pdb:8,7/6,5,4/3,2,1")),
        *(("tiles-4x4", name) for name in ("pdb", "pdb-663", "pdb-6-6-3", "pdb-78")),
        *(("tiles-4x4:blank-first", name) for name in ("pdb", "pdb-663", "pdb-78")),
        *(("tiles-5x5", name) for name in ("pdb", "pdb-6666")),
        *((size, "pdb") for size in ("tiles-5x5:blank-first", "tiles-6x6", "tiles-2x2", "tiles-2x7", "tiles-3x4")),
        *((size, "pdb") for size in (MIDDLE, SIDE, "tiles-4x4:goal=1,2,3,4,5,0,6,7,8,9,10,11,12,13,14,15")),
    ],
)
def test_the_groups_of_a_name_hold_each_piece_but_the_blank_once(size: str, name: str) -> None:
    puzzle = load(size)
    groups = pattern_database.named_groups(puzzle, name)
    cells = sorted(cell for group in groups for cell in group)
    assert cells == [cell for cell in range(puzzle.cells) if cell != puzzle.view(KernelRules).tables.home]
    assert all(1 <= len(group) <= 8 for group in groups)
    assert sum(math.perm(puzzle.cells, len(group)) for group in groups) < pattern_database.MOST_ENTRIES


def test_the_usual_one_is_named_with_its_sizes() -> None:
    assert load("tiles-4x4").view(Estimates).estimate("pdb").name == "pdb-663"
    assert load("tiles-3x3").view(Estimates).estimate("pdb").name == "pdb-44"
    assert load(MIDDLE).view(Estimates).estimate("pdb").name == "pdb"


@pytest.mark.parametrize("name", ["pdb-", "pdb-78", "pdb-663", "pdb-x", "pdb-44444"])
def test_an_unknown_partition_is_told_the_known_one(name: str) -> None:
    with pytest.raises(UnknownName, match=f"there is no pattern database of tiles-3x3 '{name}'; .*pdb-44"):
        load("tiles-3x3").view(Estimates).estimate(name)
    with pytest.raises(UnknownName, match=f"there is no pattern database of {MIDDLE} '{name}'; .*pdb"):
        load(MIDDLE).view(Estimates).estimate(name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pdb:", "'' is no partition; write groups of tiles as pdb:1,2,3/4,5,6/7,8"),
        ("pdb:1,2,3/4,5,6/7,8/", "is no partition"),
        ("pdb:1 2 3/4 5 6/7 8", "is no partition"),
        ("pdb:1,2,3/4,5,6/7", "the groups of '1,2,3/4,5,6/7' must hold each of the tiles 1 to 8 once"),
        ("pdb:1,2,3/4,5,6/7,8,9", "must hold each of the tiles 1 to 8 once"),
        ("pdb:" + "1," * 10**5 + "1", "must hold each of the tiles 1 to 8 once"),
    ],
    ids=lambda text: text[:24],
)
def test_a_malformed_partition_is_told_how_to_write_one(name: str, words: str) -> None:
    with pytest.raises(BadOption) as caught:
        load("tiles-3x3").view(Estimates).estimate(name)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 250


def test_groups_that_are_too_large_are_refused() -> None:
    with pytest.raises(BadOption, match="a group of a pattern database has at most 8 tiles"):
        load("tiles-4x4").view(Estimates).estimate("pdb:1,2,3,4,5,6,7,8,9/10,11,12,13,14,15")
    eights = "/".join(",".join(map(str, range(first, first + 8))) for first in (1, 9, 17))
    with pytest.raises(BadOption, match="needs 130,827,312,000 entries; at most 2,147,483,648 are supported"):
        load("tiles-5x5").view(Estimates).estimate(f"pdb:{eights}").kernel()


# --- stored databases ---


def built(puzzle: Tiles, name: str) -> np.ndarray:
    return pattern_database.database(puzzle, pattern_database.named_groups(puzzle, name))


def test_a_database_is_built_once_and_tells_how_far_it_is(own_cache, listener) -> None:
    puzzle = load("tiles-3x3")
    first = built(puzzle, "pdb-44").copy()
    titles = list(dict.fromkeys(title for title, _, _ in listener.parts))
    assert titles == [f"building the pattern database 44, group {group} of 2" for group in (1, 2)]
    for title in titles:
        part = [(done, total) for each, done, total in listener.parts if each == title]
        assert part == sorted(part)
        assert part[-1][0] == part[-1][1] > 0
    listener.parts.clear()
    assert np.array_equal(built(puzzle, "pdb-44"), first)
    assert (listener.parts, listener.notes) == ([], [])


def test_other_partitions_and_goals_have_other_files(own_cache) -> None:
    for size, name in (
        ("tiles-3x3", "pdb:1,2/3,4/5,6/7,8"),
        ("tiles-3x3", "pdb:1,3/2,4/5,6/7,8"),
        ("tiles-3x3:blank-first", "pdb:1,2/3,4/5,6/7,8"),
        (MIDDLE, "pdb:1,2/3,4/5,6/7,8"),
    ):
        built(load(size), name)
    assert len(list(table_folder().glob("*.npy"))) == 4


def test_goals_that_differ_only_in_the_tiles_numbers_share_a_file(own_cache, listener) -> None:
    built(load("tiles-3x3"), "pdb:1,2/3,4/5,6/7,8")
    listener.parts.clear()
    built(load("tiles-3x3:goal=8,7,6,5,4,3,2,1,0"), "pdb:8,7/6,5/4,3/2,1")
    assert listener.parts == []
    assert len(list(table_folder().glob("*.npy"))) == 1


@pytest.mark.parametrize("place", [200, -1])
def test_a_damaged_database_is_built_again_with_a_sentence(own_cache, listener, place: int) -> None:
    puzzle = load("tiles-3x3")
    whole = built(puzzle, "pdb-44").copy()
    (file,) = table_folder().glob("pdb-*.npy")
    data = bytearray(file.read_bytes())
    data[place] ^= 0xFF
    file.write_bytes(data)
    assert np.array_equal(built(puzzle, "pdb-44"), whole)
    assert listener.notes == [
        f"The table {file.name} in the cache folder is damaged (its checksum does not agree); it is built again."
    ]
    assert np.array_equal(built(puzzle, "pdb-44"), whole)
    assert len(listener.notes) == 1


def test_where_nothing_can_be_kept_a_search_still_runs(no_cache, listener) -> None:
    board = load("tiles-2x4").read("6 7 5 4 3 2 1 0")
    name = "pdb:1,2/3,4/5,6,7"
    pattern_database.patterns.cache_clear()
    found = solve(make_solver("ida", {"estimate": name}), board, Limit())
    pattern_database.patterns.cache_clear()
    assert found.proof == "optimal"
    assert found.length == solve(make_solver("bfs", {}), board, Limit()).length
    assert len(listener.notes) == 1
    assert "cannot be kept in" in listener.notes[0]
    assert listener.notes[0].endswith("it is used from memory.")


# --- memory ---

TOO_LARGE = "pdb:1,2,3,4,5,6,7,8/9,10,11,12,13,14,15"
"""A database of 550 MB, for which the building needs more than three times as much."""
FEW_MOVES = "1 2 3 4 5 6 7 8 9 10 11 12 0 13 14 15"
WORDS = r"^building the pattern database 87 needs 1,\d\d\d MB of memory, and \d+ MB of the limit of [\d,]+ MB are left$"


def test_a_database_for_which_there_is_no_memory_is_not_built(own_cache, listener) -> None:
    board, limit = load("tiles-4x4").read(FEW_MOVES), Limit(memory=resident() + 2**27)
    for solver in ("ida", "astar", "beam"):
        found = solve(make_solver(solver, {"estimate": TOO_LARGE}), board, limit)
        assert (found.moves, found.stop) == (None, "memory")
        assert re.match(WORDS, found.reason)
    assert listener.parts == []
    assert not table_folder().exists()


def test_every_board_of_a_batch_says_that_there_is_no_memory_for_a_database(own_cache) -> None:
    boards = [load("tiles-4x4").read(FEW_MOVES)] * 3
    found = solve_all(make_solver("ida", {"estimate": TOO_LARGE}), boards, Limit(memory=resident() + 2**27))
    assert [result.stop for result in found] == ["memory"] * 3
    assert all(re.match(WORDS, result.reason) for result in found)


def test_a_solver_without_memory_for_its_database_leaves_the_others_their_turns(own_cache) -> None:
    texts = (f"ida:estimate={TOO_LARGE}", "bfs")
    solver = make_solver("portfolio", {"of": texts, "first_nodes": 100})
    found = solve(solver, load("tiles-4x4").read(FEW_MOVES), Limit(memory=resident() + 2**27))
    assert (found.length, found.proof) == (3, "optimal")

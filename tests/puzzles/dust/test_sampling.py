"""Boards of an asked difficulty, and what can be said quickly of the difficulty of a board."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from puzzlelab import Instance, solve
from puzzlelab.cli.main import run
from puzzlelab.core.errors import BadOption
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import Samples, levels_of
from puzzlelab.puzzles.dust import backward_generation, sampling
from puzzlelab.puzzles.dust.backward_generation import build_backwards, with_cluster
from puzzlelab.puzzles.dust.rules import Dust

SIZES = ((1, 1, 2), (1, 6, 3), (4, 3, 3), (7, 6, 5), (10, 8, 5))
FULL = np.arange(48, dtype=np.uint8) % 5 + 1
PUZZLES = st.builds(Dust, st.integers(1, 8), st.integers(1, 7), st.integers(2, 9))


def drawn(puzzle: Dust, scale: str, wanted: int | None, seed: int = 0) -> np.ndarray:
    return puzzle.view(Samples).scales[scale].sample(generator(seed), wanted, 1)[0]


def rests(puzzle: Dust, board: np.ndarray) -> bool:
    return bool(np.array_equal(puzzle.settled(board), board) and board.max() <= puzzle.colours)


@pytest.mark.parametrize("size", SIZES)
def test_every_scale_gives_boards_that_rest_and_the_same_for_the_same_seed(size: tuple[int, int, int]) -> None:
    puzzle = Dust(*size)
    assert next(iter(puzzle.view(Samples).scales)) == "optimum"
    for name, scale in puzzle.view(Samples).scales.items():
        assert scale.about
        boards = [drawn(puzzle, name, None, seed) for seed in range(5)]
        assert all((board.dtype, board.shape) == (np.uint8, (puzzle.cells,)) for board in boards)
        assert all(rests(puzzle, board) for board in boards)
        assert np.array_equal(drawn(puzzle, name, None, 3), boards[3])
        assert puzzle.cells < 20 or len({board.tobytes() for board in boards}) == 5


# --- uniform ---


@pytest.mark.parametrize("scale", ["uniform", "optimum"])
def test_many_boards_are_of_all_colours_alike(scale: str) -> None:
    puzzle = Dust(4, 3, 5)
    boards, again = (puzzle.view(Samples).scales[scale].sample(generator(1), None, 2_000) for _ in range(2))
    assert np.array_equal(boards, again)
    counts = (boards[..., None] == np.arange(1, 6)).sum(axis=0)
    assert counts.sum() == boards.size
    assert min(chisquare(row).pvalue for row in counts) > 1e-4


def test_many_boards_of_an_optimum() -> None:
    puzzle = Dust(4, 3, 3)
    scales = puzzle.view(Samples).scales
    boards = scales["optimum"].sample(generator(2), 4, 3)
    assert puzzle.view(Samples).difficulty(boards)["optimum"].tolist() == [4, 4, 4]
    with pytest.raises(BadOption, match="'uniform' of dust has no levels"):
        scales["uniform"].sample(generator(2), 4, 3)


def test_without_a_level_the_optimum_scale_gives_the_uniform_boards() -> None:
    puzzle = Dust(8, 6, 5)
    assert np.array_equal(drawn(puzzle, "optimum", None), drawn(puzzle, "uniform", None))


# --- backwards ---


@settings(max_examples=15)
@given(puzzle=PUZZLES, seed=st.integers(0, 2**32), clusters=st.integers(1, 56), size=st.integers(1, 12))
def test_a_cluster_is_put_in_where_a_click_takes_it_away_again(
    puzzle: Dust, seed: int, clusters: int, size: int
) -> None:
    random = generator(seed)
    board = build_backwards(puzzle, random, min(clusters, puzzle.cells))
    if board is None:
        return
    board = puzzle.apply(board, int(random.choice(np.flatnonzero(board))))
    room = puzzle.cells - np.count_nonzero(board)
    for _ in range(15):
        larger = with_cluster(puzzle, random, board, min(size, room), 1, room)
        if larger is None:
            continue
        assert rests(puzzle, larger)
        assert 1 <= np.count_nonzero(larger) - np.count_nonzero(board) <= room
        children = [puzzle.apply(larger, move).tolist() for move in np.flatnonzero(puzzle.legal(larger))]
        assert board.tolist() in children


@pytest.mark.parametrize("size", [(4, 3, 3), (1, 8, 3), (5, 2, 2)])
def test_a_board_built_of_so_many_clusters_needs_no_more_clicks(plainly, size: tuple[int, int, int]) -> None:
    puzzle = Dust(*size)
    for clusters in range(1, puzzle.cells + 1):
        boards = [drawn(puzzle, "backwards", clusters, seed) for seed in range(2)]
        optima = [plainly.optimum(puzzle, board) for board in boards]
        assert max(optima) <= clusters
        assert clusters > 2 or min(optima) == clusters or puzzle.colours == 2


@pytest.mark.parametrize("clusters", [1, 2, 5, 12, 24, 48])
def test_boards_built_backwards_are_full_where_there_are_colours_enough(clusters: int) -> None:
    boards = [drawn(Dust(8, 6, 5), "backwards", clusters, seed) for seed in range(5)]
    assert all(board.all() for board in boards)
    assert len({board.tobytes() for board in boards}) > 2


def test_where_no_full_board_is_found_there_is_one_with_fewer_cells(plainly) -> None:
    puzzle = Dust(8, 8, 2)
    board = drawn(puzzle, "backwards", 16)
    assert rests(puzzle, board)
    assert 16 <= np.count_nonzero(board) < 64


@pytest.mark.parametrize(("scale", "most"), [("backwards", 48), ("optimum", 39)])
@pytest.mark.parametrize("wanted", [-3, 0, 49, 1_000_000])
def test_a_level_that_no_board_can_have_is_refused_at_once(scale: str, most: int, wanted: int) -> None:
    puzzle = Dust(8, 6, 5)
    assert puzzle.view(Samples).scales[scale].levels == (1, most)
    with pytest.raises(BadOption) as caught:
        drawn(puzzle, scale, wanted)
    words = f"the levels of dust-8x6x5 on the scale '{scale}' go from 1 to {most}, not to {wanted}"
    assert str(caught.value) == words


def test_a_level_for_which_no_way_is_found_is_told_so(monkeypatch) -> None:
    monkeypatch.setattr(backward_generation, "FULL_TRIES", 2)
    monkeypatch.setattr(backward_generation, "PART_TRIES", 2)
    with pytest.raises(BadOption, match="no board of dust-8x8x2 was found that is built of 60 clusters"):
        drawn(Dust(8, 8, 2), "backwards", 60)


# --- optimum ---


@pytest.mark.parametrize("size", [(4, 3, 3), (3, 4, 4), (1, 8, 3), (7, 2, 2), (1, 1, 2), (2, 2, 9)])
def test_no_optimum_is_above_the_greatest_level(plainly, size: tuple[int, int, int]) -> None:
    puzzle = Dust(*size)
    optima = [plainly.optimum(puzzle, plainly.board(puzzle, seed)) for seed in range(15)]
    least, greatest = puzzle.view(Samples).scales["optimum"].levels
    assert least <= min(optima)
    assert max(optima) <= greatest


@pytest.mark.parametrize(("size", "levels"), [((4, 3, 3), range(1, 6)), ((1, 8, 3), (1, 5))])
def test_an_asked_optimum_is_the_optimum(plainly, size: tuple[int, int, int], levels) -> None:
    puzzle = Dust(*size)
    for wanted in levels:
        for seed in range(2):
            board = drawn(puzzle, "optimum", wanted, seed)
            assert board.all()
            assert plainly.optimum(puzzle, board) == wanted
            assert np.array_equal(drawn(puzzle, "optimum", wanted, seed), board)


@pytest.mark.parametrize("wanted", [1, 5, 10])
def test_optima_far_from_the_usual_are_found_too(wanted: int) -> None:
    puzzle = Dust(6, 5, 4)
    board = drawn(puzzle, "optimum", wanted)
    result = solve(Instance(puzzle, board), "halves")
    assert (result.length, result.proof) == (wanted, "optimal")
    assert board.all()


@pytest.mark.parametrize("size", [(4, 3, 3), pytest.param((5, 3, 2), marks=pytest.mark.slow)])
def test_an_optimum_that_no_board_has_is_given_up(size: tuple[int, int, int]) -> None:
    puzzle = Dust(*size)
    greatest = puzzle.view(Samples).scales["optimum"].levels[1]
    with pytest.raises(BadOption, match=f"with the optimum {greatest} was found: of [0-9]+ none had it"):
        drawn(puzzle, "optimum", greatest)


# --- difficulty ---


def test_the_difficulty_says_what_can_be_counted() -> None:
    puzzle = Dust(8, 6, 5)
    board = drawn(puzzle, "uniform", None)
    found = levels_of(puzzle, board[None])[0]
    assert (found["cells"], found["colours"]) == (48, 5)
    assert found["clusters"] == np.unique(puzzle.clusters(board)).size


def test_the_difficulty_of_small_boards_has_their_optimum(plainly) -> None:
    for size in ((4, 3, 3), (3, 4, 4), (1, 8, 3)):
        puzzle = Dust(*size)
        for seed in range(20):
            board = plainly.board(puzzle, seed, seed % 4)
            assert levels_of(puzzle, board[None])[0]["optimum"] == plainly.optimum(puzzle, board)


def test_the_difficulty_of_nothing() -> None:
    puzzle = Dust(8, 6, 5)
    nothing = levels_of(puzzle, np.zeros(puzzle.cells, np.uint8)[None])[0]
    assert nothing == {"optimum": 0, "cells": 0, "clusters": 0, "colours": 0}


# --- Ctrl-C, and files ---


@pytest.mark.parametrize(
    "ask", [lambda puzzle: drawn(puzzle, "optimum", 13), lambda puzzle: levels_of(puzzle, FULL[None])[0]]
)
def test_ctrl_c_ends_the_work_and_does_not_count_as_an_answer(monkeypatch, ask) -> None:
    def interrupted(*given, **more):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("puzzlelab.puzzles.dust.solvers.halves.Halves.attempts", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask(Dust(8, 6, 5))


@pytest.fixture
def generated(monkeypatch, capsys):
    """Runs `generate` with these words; returns (exit code, standard output, standard error)."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["puzzlelab", "generate", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            run()
        return ended.value.code, *capsys.readouterr()

    return call


def test_a_file_that_was_begun_is_gone_on_with(generated, tmp_path) -> None:
    words = ("dust-8x6x5", "--scale", "backwards", "--level", "8-10", "--seed", 4)
    whole, path = tmp_path / "whole.txt", tmp_path / "begun.txt"
    code, out, err = generated(*words, "--count", 7, "--out", whole)
    assert (code, out.partition(", ")[0], err) == (0, f"7 boards in {whole}", "")
    text = whole.read_text()
    assert text.startswith("# puzzle: dust-8x6x5\n# backwards 8-10, seed 4\n")
    assert generated(*words, "--count", 7) == (0, "".join(text.splitlines(keepends=True)[2:]), "")
    for begun in ("", text[:10], text[:30], text[:160], text[:160] + "\0" * 9, "\0" * 9, text[:-1]):
        path.write_text(begun)
        assert generated(*words, "--count", 7, "--out", path)[0] == 0
        assert path.read_text() == text


def test_boards_that_are_there_are_not_made_again(generated, tmp_path, monkeypatch) -> None:
    words = ("dust-8x6x5", "--scale", "uniform", "--out", tmp_path / "boards.txt", "--count")
    generated(*words, 4)
    made = []
    real = sampling.uniform
    monkeypatch.setattr(sampling, "uniform", lambda *given: made.append(1) or real(*given))
    generated(*words, 6)
    assert len(made) == 3  # the last one that is there is compared
    assert len((tmp_path / "boards.txt").read_text().splitlines()) == 8

"""The check that no step of logic is wrong: its boards, its counts, and a step that is wrong."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import logic_soundness as soundness
from puzzlelab.puzzles.sudoku.logic.position import ALL, new_position, set_up
from puzzlelab.puzzles.sudoku.logic.singles import families
from puzzlelab.puzzles.sudoku.logic.steps import new_found

EASY = "003020600900305001001806400008102900700000008006708200002609500800203009005010300"


def random(number: int) -> np.random.Generator:
    """Return the numbers of a board."""
    return np.random.default_rng([0, number])


def test_a_board_depends_on_its_number_alone_and_every_second_is_of_a_file() -> None:
    new, known = (soundness.board_of(number, [EASY], random(number)) for number in (0, 1))
    assert (soundness.board_of(0, [EASY], random(0)) == new).all()
    assert np.count_nonzero(known) == 81 - EASY.count("0")
    assert sorted(np.bincount(known, minlength=10)) == sorted(
        Counter(map(int, EASY)).get(each, 0) for each in range(10)
    )


def test_steps_are_counted_and_a_wrong_one_ends_the_run() -> None:
    board, position, tally = np.array(list(EASY), np.uint8), new_position(), Counter[str]()
    solution = soundness.solve_batch(board[None]).solutions[0]
    set_up(position, board, np.full(81, ALL, np.uint16))
    searches = [soundness.Search(families()[0], new_found(50))]
    steps = soundness.check_position(position, solution, searches, tally)
    assert tally["hidden-single"] > len(steps) == soundness.MOST_SLOW
    with pytest.raises(SystemExit, match="wrong: "):
        soundness.check_position(position, solution % 9 + 1, searches, tally)


def test_the_counts_of_another_seed_are_refused(tmp_path: Path) -> None:
    state = tmp_path / "counts.json"
    assert soundness.load_counts(state, 1).total == 0
    state.write_text('{"seed": 1, "boards": 2, "positions": 3, "steps": {"x-wing": 4}}')
    assert soundness.load_counts(state, 1).total == 4
    with pytest.raises(SystemExit, match="seed 1"):
        soundness.load_counts(state, 2)


@pytest.mark.parametrize("text", ["", "counts", "[1, 2]", '{"seed": 1, "colour": 2}', "\x00"])
def test_a_file_without_counts_is_refused(text: str, tmp_path: Path) -> None:
    state = tmp_path / "counts.json"
    state.write_text(text)
    with pytest.raises(SystemExit, match="does not hold the counts"):
        soundness.load_counts(state, 1)

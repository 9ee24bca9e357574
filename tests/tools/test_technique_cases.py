"""The check of techniques by a library of cases: what it reads, when a case is right, and the program."""

from pathlib import Path

import pytest

import technique_cases as cases
from puzzlelab.core.errors import BadInput

BOARD = "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3.."
HIDDEN_SINGLE = f":0002:6:{BOARD}:::622:"
"""6 has one place left in box 1."""


def test_a_line_is_read() -> None:
    case = cases.read_case(f":0606-1:12:+4{BOARD[1:]}:119 532:537 222:111:7")
    assert (case.code, case.technique) == ("0606-1", cases.Technique.HIDDEN_RECTANGLE)
    assert case.board == "4" + BOARD[1:].replace(".", "0")
    assert case.placed == (0,)
    assert case.deleted == (9 * 8, 9 * 19 + 4)
    assert case.eliminations == (9 * 10 + 1, 9 * 24 + 4)
    assert case.placements == (0,)
    assert cases.candidates_text(case.eliminations) == "222 537"


def test_a_position_has_no_deleted_candidates_and_knows_its_clues() -> None:
    position = cases.position_of(cases.read_case(f":0002:6:{BOARD.replace('..3', '.+43', 1)}:511:::"))
    assert (position.values[1], position.givens[1], position.givens[2]) == (4, 0, 1)
    assert not position.candidates[0] & 1 << 4


@pytest.mark.parametrize(
    ("line", "right"),
    [
        (HIDDEN_SINGLE, True),
        (HIDDEN_SINGLE.replace("622", "422"), False),
        (HIDDEN_SINGLE.replace("::622", ":418:622"), False),
        (f":0002-x::{BOARD}::622::", True),
        (f":0002-x::{BOARD}::::", False),
        (f":0000-x::{BOARD}::::", True),
        (f":1399::{BOARD}:::622:", False),
    ],
)
def test_a_case_is_right_if_a_step_does_exactly_what_it_says(line: str, right: bool) -> None:
    case = cases.read_case(line)
    assert cases.is_right(case, cases.steps_for(case)) == right


def test_a_line_that_is_cut_off_is_refused() -> None:
    with pytest.raises(BadInput, match="no board of 81 signs"):
        cases.read_case(HIDDEN_SINGLE[:60])


def test_the_program_prints_a_table_and_the_failures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library = tmp_path / "library.txt"
    library.write_text(f"# cases\n{HIDDEN_SINGLE}\n{HIDDEN_SINGLE.replace('622', '422')}\n:0300:1:{BOARD}::::\n")
    assert cases.main([str(library), "--only", "0002", "--failures"]) == 0
    told = capsys.readouterr().out
    assert "hidden single │ 2     │ 1" in told
    assert ":622 cells units 0:18" in told
    assert cases.main([str(tmp_path / "missing.txt")]) == 2

"""Score sheets: what a network solves, gets wrong and leaves open, and what it is."""

import math
from dataclasses import replace

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.bench import runs, sheets, suites
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core.limit import Limit
from puzzlelab.core.views import Prior
from puzzlelab.solvers.backtracking import Backtracking
from puzzlelab.solvers.greedy import Greedy
from puzzlelab.solvers.lattice import Lattice

NINE, EIGHT = load("sudoku-9x9"), load("tiles-3x3")


def sheet(suite, *solvers):
    """The lines of a sheet by their measure: the values of all solvers."""
    table = sheets.of_networks(runs.run(suite, solvers, Limit()))
    return {measure.strip(): tuple(values) for measure, *values in table.rows}


@pytest.fixture(scope="module")
def rated():
    """Ten boards, five of each of two levels."""
    return suites.sample(NINE, (3, 4), "level", 5, 1)


def test_every_board_is_solved_wrong_or_abstained_as_the_rows_say(rated) -> None:
    solvers = Lattice(prior="net", policy="at once"), Lattice(prior="net", restarts=0)
    run = runs.run(rated, solvers, Limit())
    found = {measure.strip(): values for measure, *values in sheets.of_networks(run).rows}
    for place, answers in enumerate(run.by_solver.values()):
        filled = [{answer.entry.board: answer.row.moves or answer.row.tried} for answer in answers]
        blank = [answer.entry.board.count(".") for answer in answers]
        whole = [len(*each.values()) == count for each, count in zip(filled, blank, strict=True)]
        solved = [answer.length is not None for answer in answers]
        wrong = sum(is_whole and not is_solved for is_whole, is_solved in zip(whole, solved, strict=True))
        assert found["solved"][place] == f"{sum(solved)}/10"
        assert found["wrong"][place] == str(wrong)
        assert found["abstained"][place] == str(10 - sum(solved) - wrong)
    assert found["abstained"][0] == "0"  # it fills every cell at once
    assert found["passes a board"][0] == "1.0"


@pytest.mark.parametrize(("sure", "outcome"), [(5.0, "wrong"), (0.0, "abstained")])
def test_a_full_board_that_breaks_the_rules_is_wrong_and_one_with_open_cells_is_no_answer(sure, outcome) -> None:
    marks = np.zeros((1, 16, 4))
    marks[0, :, 2] = sure  # a 3 everywhere, or nothing improbable
    prior = Prior("made", lambda states: pytest.fail("asked"), lambda left: np.repeat(marks, len(left), 0), True)
    suite = Suite("one", load("sudoku-4x4"), (SuiteEntry("1234341221......"),))
    limit = Limit() if sure else Limit(nodes=1)
    answers = runs.run(suite, [Lattice(prior=prior, restarts=0)], limit).answers
    assert [sheets.outcome(suite.puzzle, answer) for answer in answers] == [outcome]


def test_a_sheet_is_of_networks_alone(rated) -> None:
    network, plain = Lattice(prior="net", restarts=0), Backtracking()
    assert sheets.of_networks(runs.run(rated, [network, plain], Limit())) is None
    assert sheets.of_networks(runs.run(rated, [plain], Limit())) is None


def test_it_says_what_the_card_says(rated) -> None:
    found = sheet(rated, Lattice(prior="net:sudoku-9x9", restarts=0))
    assert found["hash"] == ("7bd86acdfe5231bc",)
    assert found["parameters"] == ("9,473",)
    assert found["training samples, declared"] == ("384,000",)


def test_levels_are_lines_and_many_of_them_are_put_together(rated) -> None:
    found = sheet(rated, Lattice(prior="net", restarts=0))
    assert {"solved at 3", "solved at 4"} == {measure for measure in found if measure.startswith("solved at")}
    many = suites.sample(EIGHT, (1, 31), "distance", 1, 0)
    bands = [measure for measure in sheet(many, Greedy(prior="net")) if "solved at" in measure]
    assert bands == [f"solved at {first}-{min(first + 3, 31)}" for first in range(1, 32, 4)]


def test_moves_above_the_optimum_are_counted_over_the_solved_boards() -> None:
    boards = ["1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8"]
    entries = tuple(SuiteEntry(board, None, known, True) for known, board in enumerate(boards, start=1))
    found = sheet(Suite("two", EIGHT, entries), Greedy(prior="net"))
    assert found["solved"] == ("2/2",)
    assert found["reached the optimum"] == ("100.00 %",)
    assert found["length, of the solved"][0].startswith("1.50")
    assert (found["solved at 1"], found["solved at 2"]) == (("100.0 %, + 0.00",), ("100.0 %, + 0.00",))


def test_what_is_proven_is_told() -> None:
    boards = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 8 7 0"
    suite = Suite("two", EIGHT, tuple(SuiteEntry(board) for board in boards))
    found = sheet(suite, Greedy(prior="net"))
    assert [found[measure] for measure in ("solved", "wrong", "abstained")] == [("1/2",), ("0",), ("0",)]
    assert found["proven unsolvable"] == ("1/2",)
    assert found["proven optimal"] == ("1/2",)  # no board that is not solved takes less than a move
    farther = Suite("one", EIGHT, (SuiteEntry("1 2 3 4 5 6 0 7 8"),))
    assert "proven optimal" not in sheet(farther, Greedy(prior="net"))


def test_a_network_of_another_program_declares_its_samples_in_its_file(tmp_path) -> None:
    onnx = pytest.importorskip("onnx")
    text = """<ir_version: 9, opset_import: ["": 17]>
other (float[boards, 9] states) => (float[boards, 4] policy)
<float[9, 4] weight, float[4] bias, int64[2] shape = {-1, 4}>
{ sums = MatMul (states, weight) moved = Add (sums, bias) policy = Reshape (moved, shape) }"""
    text = text.replace("weight,", f"weight = {{{', '.join(map(str, range(36)))}}},")
    model = onnx.parser.parse_model(text.replace("bias,", "bias = {0, 0, 0, 0},"))
    suite = Suite("one", EIGHT, (SuiteEntry("1 2 3 4 5 6 7 0 8", None, 1, True),))
    path = tmp_path / "other.onnx"
    path.write_bytes(model.SerializeToString())
    found = sheet(suite, Greedy(prior=f"net:{path}", max_moves=2))
    assert found["parameters"] == ("40",)  # the shape of a tensor is no weight
    assert found["training samples, declared"] == (sheets.UNKNOWN,)
    entry = model.metadata_props.add()
    entry.key, entry.value = sheets.DECLARED, "123456"
    path = tmp_path / "declared.onnx"
    path.write_bytes(model.SerializeToString())
    assert sheet(suite, Greedy(prior=f"net:{path}", max_moves=2))["training samples, declared"] == ("123,456",)
    entry.value = "many"
    path = tmp_path / "unclear.onnx"
    path.write_bytes(model.SerializeToString())
    assert sheet(suite, Greedy(prior=f"net:{path}", max_moves=2))["training samples, declared"] == (sheets.UNKNOWN,)


def test_a_network_that_is_gone_declares_nothing(rated, tmp_path) -> None:
    from puzzlelab.storage.networks import SHELF

    for ending in (".json", ".onnx"):
        (tmp_path / f"mine{ending}").write_bytes((SHELF / f"sudoku-9x9{ending}").read_bytes())
    run = runs.run(rated, [Lattice(prior=f"net:{tmp_path / 'mine.onnx'}", restarts=0)], Limit())
    for path in tmp_path.iterdir():
        path.unlink()
    found = dict(sheets.of_networks(run).rows)
    assert found["parameters"] == sheets.UNKNOWN
    assert found["solved"] != "0/10"


def test_boards_that_are_timed_alone_have_a_median_too(rated) -> None:
    solver = Lattice(prior="net", restarts=0)
    together, alone = (
        dict(sheets.of_networks(runs.run(rated, [solver], Limit(), batching=batching)).rows)
        for batching in ("all", "board")
    )
    assert "  median, 95th percentile" not in together
    median, slow = map(float, alone["  median, 95th percentile"].split(","))
    assert 0 < median <= slow


def test_a_sheet_without_times_has_a_dash(rated) -> None:
    run = runs.run(rated, [Lattice(prior="net", restarts=0)], Limit())
    untimed = replace(run, answers=tuple(replace(each, batch=None) for each in run.answers))
    assert dict(sheets.of_networks(untimed).rows)["milliseconds a board"] == "-"
    assert not math.isnan(float(dict(sheets.of_networks(run).rows)["milliseconds a board"]))

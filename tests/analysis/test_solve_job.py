"""The work of one call: texts in, rows out, in order, whatever some of them are."""

from puzzlelab import load, solver
from puzzlelab.analysis.solve_job import LONGEST_BOARD, BoardInput, SolveJob
from puzzlelab.core.limit import Limit
from puzzlelab.core.row_files import RowFile

ONE, ODD = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 8 7 0"


def work(jobs=1):
    puzzle = load("tiles-3x3")
    return SolveJob(puzzle, solver("bfs", puzzle), Limit(), jobs)


def test_a_portion_answers_every_text_in_its_place():
    job = work()
    first, wrong, last = map(job.row, job.solve([BoardInput(ONE, ""), BoardInput("1 2", ""), BoardInput(ODD, "")]))
    assert (first.moves, first.proof, first.error) == (["L"], "optimal", None)
    assert "tiles-3x3 has 9" in wrong.error
    assert (last.moves, last.proof) == (None, "unsolvable")


def test_of_a_text_that_is_no_board_a_row_keeps_the_beginning():
    job = work()
    (outcome,) = job.solve([BoardInput("1" * (LONGEST_BOARD + 1), "")])
    assert len(job.row(outcome).board) < 100


def test_what_a_file_holds_is_not_asked_again(tmp_path):
    boards = [BoardInput(ONE, "line 1"), BoardInput(ODD, "line 2")]
    path = tmp_path / "rows.jsonl"
    job = work()
    with RowFile(path) as file:
        first = [job.row(outcome) for outcome in job.outcomes(boards, file)]
    with RowFile(path) as file:
        again = [outcome.row for outcome in work(jobs=2).outcomes(boards, file)]
    assert first == again
    assert len(path.read_text().splitlines()) == 2

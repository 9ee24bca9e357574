"""The work of one call: texts in, rows out, in order, whatever some of them are."""

import json

import pytest
from losing_executor import LosingExecutor

from puzzlelab import generate, load, solver
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.jobs import solve_job
from puzzlelab.jobs.job_rows import LONGEST_BOARD, JobRows
from puzzlelab.jobs.solve_job import SolveJob
from puzzlelab.storage.row_files import RowFile
from puzzlelab.text.board_blocks import read_texts

ONE, ODD = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 8 7 0"


def work(jobs=1):
    puzzle = load("tiles-3x3")
    return SolveJob(puzzle, solver("bfs", puzzle), Limit(), ThisProcess(jobs))


def rows_of(job, file=None):
    return JobRows(job.puzzle, job.solver, job.limit, file)


def solved_rows(job, texts):
    """The rows of these texts, whose boards are solved together."""
    return [
        row
        for answers, _ in job.solve(read_texts(job.puzzle, texts, ""))
        for row in rows_of(job).columns(answers).rows()
    ]


def test_texts_are_answered_in_their_places():
    first, wrong, last = solved_rows(work(), [ONE, "1 2", ODD])
    assert (first.moves, first.proof, first.error) == (["L"], "optimal", None)
    assert "tiles-3x3 has 9" in wrong.error
    assert (last.moves, last.proof) == (None, "unsolvable")


def test_of_a_text_that_is_no_board_a_row_keeps_the_beginning(tmp_path):
    job, text = work(), "1" * (LONGEST_BOARD + 1)
    (row,) = solved_rows(job, [text])
    assert len(row.board) < 100
    (solved,) = job.solved([read_texts(job.puzzle, [text], "")])
    assert list(rows_of(job).json_texts(solved)) == [f"{row.to_json()}\n"]


def lines_of(job, found):
    """The rows of these boards in JSON."""
    return "".join(text for solved in found for text in rows_of(job).json_texts(solved)).splitlines()


def blocks(puzzle, *texts):
    """These texts in blocks of three."""
    for first in range(0, len(texts), 3):
        block = read_texts(puzzle, texts[first : first + 3], "board")
        yield Boards(puzzle, block.states, block.numbers + first, block.texts, block.errors, block.source)


def timeless(lines):
    """Rows without their times, and without what is different in rows that were kept."""
    left_out = ("seconds", "verified_by")
    return [{name: value for name, value in json.loads(line).items() if name not in left_out} for line in lines]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("puzzle", "chosen"), [("tiles-3x3", "bfs"), ("tiles-3x3", "ida"), ("sudoku-9x9", "bands")])
def test_what_a_file_holds_is_not_solved_again(puzzle, chosen, jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(solve_job, "TIMED_ALONE", 1)
    job = SolveJob(load(puzzle), solver(chosen), Limit(), ThisProcess(jobs))
    boards = [job.puzzle.write(board.state) for board in generate(job.puzzle, 10, seed=1)]
    texts = [*boards[:4], "no board", boards[0], *boards[4:]]
    expected = timeless(row.to_json() for row in solved_rows(job, texts))
    path = tmp_path / "rows.jsonl"
    for count in (0, 3, 5, 8, 12):
        with RowFile(path) as file:
            found = [*job.solved(blocks(job.puzzle, *texts[:count]), rows_of(job, file))]
        assert timeless(lines_of(job, found)) == expected[:count]
        lines = path.read_text().splitlines() if count else []
        assert timeless(line for line in lines if line.startswith('{"puzzle"')) == expected[:count]
    assert sum(len(stored) for _, stored in found) == 8


def test_a_long_search_holds_back_no_row_before_it(tmp_path, monkeypatch):
    from puzzlelab.engine import parallel
    from puzzlelab.solvers import ida

    monkeypatch.setattr(ida, "QUICK_NODES", 50)
    monkeypatch.setattr(parallel, "PART_SECONDS", 1e9)  # parts grow, however slow the machine is
    monkeypatch.setattr(solve_job, "TIMED_ALONE", 1)
    job = SolveJob(load("tiles-3x3"), solver("ida", estimate="manhattan"), Limit())
    hard = "8 6 7 2 5 4 3 0 1"
    path = tmp_path / "rows.jsonl"
    with RowFile(path) as file:
        seen = []
        for answers, _ in job.solved([read_texts(job.puzzle, [ONE, ONE, ODD, hard, ONE], "board")], rows_of(job, file)):
            seen.append([result.length for result in answers])
            assert sum(line.startswith('{"puzzle"') for line in path.read_text().splitlines()) == sum(map(len, seen))
    assert seen == [[1], [1, None], [31], [1]]


def test_each_of_a_few_boards_has_its_own_time():
    job = SolveJob(load("sudoku-9x9"), solver("bands"), Limit())
    texts = [job.puzzle.write(board.state) for board in generate(job.puzzle, 3)]
    found = list(job.solved(blocks(job.puzzle, *texts)))
    assert [len(answers) for answers, _ in found] == [1, 1, 1]
    assert all('"seconds": ' in line for line in lines_of(job, found))


@pytest.mark.parametrize("stored", [0, 1])
def test_a_board_that_ends_its_workers_has_the_reason_in_its_place(stored, tmp_path):
    def is_lost(solver, boards, limit, together):
        return ODD in boards.written()

    puzzle = load("tiles-3x3")
    texts = [ONE, ONE, ODD, ONE]
    with RowFile(tmp_path / "rows.jsonl") as file:
        job = SolveJob(puzzle, solver("bfs", puzzle), Limit())
        list(job.solved([read_texts(puzzle, texts[:stored], "board")], rows_of(job, file)))
    with RowFile(tmp_path / "rows.jsonl") as file:
        job.executor = LosingExecutor(is_lost)
        found = list(job.solved([read_texts(puzzle, texts, "board")], rows_of(job, file)))
    rows = [json.loads(line) for line in lines_of(job, found)]
    assert [row.get("length") for row in rows] == [1, 1, None, 1]
    assert [row.get("error") for row in rows] == [
        None,
        None,
        "left out: it has ended 5 workers (the test ended it)",
        None,
    ]

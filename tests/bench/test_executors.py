"""Benchmarks by an executor: the rows are those of one process, whatever becomes of a worker."""

import json

import pytest
from losing_executor import LosingExecutor

from puzzlelab.bench import runs
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core import registry
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.engine.worker_processes import WorkerProcesses
from puzzlelab.storage import networks

ONE, TWO, FOUR, ODD = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "0 2 3 1 5 6 4 7 8", "1 2 3 4 5 6 8 7 0"
NODES = Limit(nodes=1000)


@pytest.fixture
def suite():
    tiles = registry.load("tiles-3x3")
    entries = [SuiteEntry(board, level) for board, level in ((ONE, 1), (TWO, 2), (FOUR, 2), (ODD, None))]
    return Suite("some", tiles, tuple(entries))


@pytest.fixture(scope="module")
def workers():
    with WorkerProcesses(2) as executor:
        yield executor


def stored(folder):
    """The rows in a folder by file and board, without their seconds."""
    rows = {}
    for path in folder.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            if "batch" in row:
                continue
            rows[path.name, row["board"]] = {**row, "seconds": None}
    return rows


@pytest.mark.parametrize("batching", ["all", "level", "board"])
def test_the_rows_are_those_of_one_process(suite, workers, tmp_path, batching):
    pytest.importorskip("onnxruntime")
    solvers = [registry.parse_solver(text) for text in ("ida", "beam:width=3", "greedy:max_moves=20")]
    here = runs.run(suite, solvers, NODES, tmp_path / "here", batching=batching)
    there = runs.run(suite, solvers, NODES, tmp_path / "there", batching=batching, executor=workers)
    assert stored(tmp_path / "there") == stored(tmp_path / "here") != {}
    assert [answer.length for answer in there.answers] == [answer.length for answer in here.answers]


def test_a_batch_that_is_divided_has_a_time_for_each_part(suite, workers, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "BATCH", 3)
    solvers = [registry.parse_solver("ida")]
    runs.run(suite, solvers, NODES, tmp_path / "here", batching="all")
    run = runs.run(suite, solvers, NODES, tmp_path / "there", batching="all", executor=workers)
    assert stored(tmp_path / "there") == stored(tmp_path / "here")
    together = [answer for answer in run.answers if answer.row.seconds is None]
    assert sum({id(answer.batch): answer.batch.boards for answer in together}.values()) == len(together)


def test_boards_with_an_error_or_that_end_their_process_are_named_in_their_rows(suite, stub, tmp_path):
    def is_lost(*arguments):
        return any(TWO in each.written() for each in arguments if isinstance(each, Boards))

    run = runs.run(suite, [stub(lies=FOUR)], NODES, tmp_path / "out", executor=LosingExecutor(is_lost))
    assert [answer.length for answer in run.answers] == [1, None, None, None]
    one, two, four, odd = (answer.row for answer in run.answers)
    assert one.error is None
    assert "left out: it has ended 5 workers" in two.error
    assert four.error == "the stub fails here"
    assert (odd.error, odd.proof) == (None, "unsolvable")


@pytest.mark.slow
def test_a_network_with_a_path_is_found_by_workers_in_another_folder(suite, tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime")
    for ending in (".onnx", ".json"):
        (tmp_path / f"mine{ending}").write_bytes((networks.SHELF / f"tiles-3x3{ending}").read_bytes())
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv("PUZZLELAB_CACHE", str(tmp_path / "cache"))
    solvers = [registry.parse_solver("beam:estimate=net:mine:width=3")]
    with WorkerProcesses(1) as executor:
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert _where(executor) == ["elsewhere"]
        monkeypatch.chdir(tmp_path)
        run = runs.run(suite, solvers, NODES, executor=executor)
    assert [answer.length for answer in run.answers][:3] == [1, 2, 4]
    assert run.answers[0].row.options["estimate"] == "net:mine"


def _where(executor):
    """The folder that the worker processes are in: that of this process when they were started."""
    from pathlib import Path

    return [executor.submit(Path.absolute, Path()).result().value.name]

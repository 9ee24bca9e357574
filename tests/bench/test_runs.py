import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from puzzlelab.bench import runs
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core import registry
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import BadFile, BadInput, BadOption, PuzzlelabError, UnknownName, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Attempt, Solver, SolverSettings
from puzzlelab.core.views import Estimate
from puzzlelab.storage import networks
from puzzlelab.storage.outputs import only_writer, only_writer_in

Make = Callable[..., Solver]
ONE, TWO, FOUR = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "0 2 3 1 5 6 4 7 8"
HARD = "8 6 7 2 5 4 3 0 1"
NODES = Limit(nodes=100)


def lengths(run: BenchRun) -> list[int | None]:
    return [answer.length for answer in run.answers]


# --- solvers as text ---


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("ida", "ida", {}),
        ("ida:estimate=pdb-663", "ida", {"estimate": "pdb-663"}),
        ("ida:estimate=pdb:1,2,3/4,5,6/7,8", "ida", {"estimate": "pdb:1,2,3/4,5,6/7,8"}),
        ("ida:estimate=pdb:1,2,3/4,5,6/7,8:jobs=2", "ida", {"estimate": "pdb:1,2,3/4,5,6/7,8", "jobs": 2}),
        ("astar:weight=2.5:estimate=manhattan", "astar", {"weight": 2.5, "estimate": "manhattan"}),
        ("beam:width=null", "beam", {"width": None}),
        ("bfs:bidirectional=true", "bfs", {"bidirectional": True}),
        ("greedy:estimate=net:dust-8x6x5:averaged", "greedy", {"estimate": "net:dust-8x6x5:averaged"}),
        ("beam:prior=net:runs/one:averaged:width=5", "beam", {"prior": "net:runs/one:averaged", "width": 5}),
    ],
)
def test_a_text_tells_of_a_solver(text: str, name: str, options: dict[str, object]) -> None:
    solver = registry.parse_solver(text)
    assert solver.name == name
    assert {option: solver.options()[option] for option in options} == options


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("idda", UnknownName, "no solver 'idda'; did you mean 'ida'"),
        ("beam:1000", BadOption, "write name:option=value"),
        ("beam:widht=1000", BadOption, "did you mean 'width'"),
        ("beam:width=wide", BadOption, "'width' cannot be 'wide'"),
    ],
)
def test_a_text_that_tells_of_none_says_why(text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        registry.parse_solver(text)


def test_a_comma_and_a_letter_begin_the_next_solver() -> None:
    of_network = "greedy:estimate=net:runs/width=64,seed=2"
    found = runs.parse_solvers(["ida:estimate=pdb:1,2,3/4,5,6/7,8,beam:width=5, bfs", f"{of_network},astar:weight=2"])
    expected = ["ida:estimate=pdb:1,2,3/4,5,6/7,8", "beam:width=5", "bfs", of_network, "astar:weight=2"]
    assert found == [registry.parse_solver(text) for text in expected]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("ida", "ida:estimate=conflicts"),
        ("beam:width=5:estimate=manhattan", "beam:estimate=manhattan:width=5"),
        ("astar:estimate=manhattan:weight=2", "astar:estimate=manhattan:weight=2.0"),
        ("bfs:bidirectional=true", "bfs:bidirectional=true"),
        ("bfs:bidirectional=false", "bfs"),
        ("greedy", "greedy"),
        ("greedy:estimate=net", "greedy"),
        ("uct:playouts=50", "uct"),
        ("greedy:estimate=manhattan:avoid_repeats=true", "greedy:estimate=manhattan:avoid_repeats=true"),
        ("greedy:estimate=net:dust-8x6x5:averaged", "greedy:estimate=net:dust-8x6x5:averaged"),
        ("greedy:prior=net:averaged:max_moves=50", "greedy:prior=net:averaged:max_moves=50"),
        ("greedy:estimate=net:averaged:prior=net:averaged", "greedy:estimate=net:averaged:prior=net:averaged"),
        ("greedy:prior=net:least=0.5", "greedy:prior=net:least=0.5"),
        ("uct:policy=values", "uct:policy=values"),
        ("beam:width=5:prior=net", "beam:prior=net:width=5"),
        ("beam:prior=net:one:estimate=net:two", "beam:estimate=net:two:prior=net:one"),
        ("discrepancy:most=3", "discrepancy:most=3"),
    ],
)
def test_a_label_tells_of_the_solver_and_of_what_it_uses(text: str, label: str, suite: Suite) -> None:
    for solver in (registry.parse_solver(text), registry.parse_solver(label)):
        assert runs.solver_label(solver, suite.puzzle) == label
        short = runs.label_of(solver.name, solver.options())
        assert registry.parse_solver(short).options() == solver.options()


def test_the_label_of_a_solver_that_is_not_here_has_all_its_options() -> None:
    assert runs.label_of("elsewhere", {"depth": 3, "other": None, "quick": True}) == "elsewhere:depth=3:quick=true"


def test_files_of_rows_have_plain_and_different_names() -> None:
    labels = ["ida", "beam:width=5", "ida:estimate=pdb:1,2/3", "ida:estimate=pdb:1,2,3", "a:b=" + "c" * 200]
    names = [runs.file_stem(label) for label in labels]
    assert names[:2] == ["ida", "beam+width=5"]
    assert len(set(names)) == len(names)
    assert all(len(name) <= 80 and not set(name) & set(':/\\,*?"<>| ') for name in names)


# --- asking ---


def test_every_board_is_asked_of_every_solver(suite: Suite, stub: Make) -> None:
    run = runs.run(suite, [stub(), stub(extra=2)], NODES)
    assert list(run.by_solver) == [f"stub:extra={extra}:interrupts=:hangs=:lies=" for extra in (0, 2)]
    assert lengths(run) == [1, 2, 4, None, None, 3, 4, 6, None, None]
    assert [answer.proven for answer in run.answers[:5]] == [True, True, True, False, False]
    assert run.answers[4].row.proof == "unsolvable"
    assert not run.interrupted


@pytest.mark.parametrize("jobs", [1, 3])
def test_answers_that_are_there_are_not_asked_for_again(
    suite: Suite, stub: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture, jobs: int
) -> None:
    twice = replace(suite, entries=(*suite.entries, suite.entries[0]))
    first = runs.run(twice, [stub(), stub()], NODES, tmp_path, jobs)
    assert stub.asked.count(ONE) == 2  # type: ignore[attr-defined]
    stub.asked.clear()  # type: ignore[attr-defined]
    again = runs.run(twice, [stub()], NODES, tmp_path, jobs)
    assert stub.asked == []  # type: ignore[attr-defined]
    assert again == first == runs.read_run(tmp_path)
    assert [answer.entry for answer in again.answers] == list(twice.entries)
    (rows,) = tmp_path.glob("*.jsonl")
    rows.write_bytes(rows.read_bytes()[:-9] + bytes(100))  # half a row
    assert len(runs.read_run(tmp_path).answers) == len(twice.entries) - 1
    assert f"{rows}, line {len(twice.entries)}: its program was stopped" in caplog.text


def test_a_larger_limit_asks_again_where_one_was_reached(suite: Suite, stub: Make, tmp_path: Path) -> None:
    runs.run(suite, [stub()], NODES, tmp_path)
    stub.asked.clear()  # type: ignore[attr-defined]
    runs.run(suite, [stub()], Limit(nodes=200), tmp_path)
    assert stub.asked == [HARD]  # type: ignore[attr-defined]
    stored = runs.read_run(tmp_path)
    assert len(stored.answers) == len(suite.entries)
    assert stored.answers[3].row.limit["nodes"] == 200


def test_another_suite_is_refused_before_anything_is_asked(suite: Suite, stub: Make, tmp_path: Path) -> None:
    runs.run(suite, [stub()], NODES, tmp_path)
    stub.asked.clear()  # type: ignore[attr-defined]
    with pytest.raises(BadInput, match="give another --out"):
        runs.run(Suite("other", suite.puzzle, suite.entries[1:]), [stub()], NODES, tmp_path)
    assert stub.asked == []  # type: ignore[attr-defined]


def test_a_folder_has_one_writer(suite: Suite, stub: Make, tmp_path: Path) -> None:
    with only_writer_in(tmp_path), pytest.raises(BadInput, match=f"^another program is writing to {tmp_path}$"):
        runs.run(suite, [stub()], NODES, tmp_path)
    assert stub.asked == []  # type: ignore[attr-defined]
    assert not list(tmp_path.iterdir())
    runs.run(suite, [stub()], NODES, tmp_path)
    (rows,) = tmp_path.glob("*.jsonl")
    with only_writer(rows), pytest.raises(BadInput, match=re.escape(f"another program is writing to {rows}")):
        runs.run(suite, [stub()], NODES, tmp_path)


def test_a_solver_that_does_not_suit_is_refused_before_anything_is_asked(suite: Suite, stub: Make) -> None:
    class Needy(stub):  # type: ignore[misc, valid-type]
        needs = (Missing,)

    with pytest.raises(Unsupported, match="offers no view 'Missing'"):
        runs.run(suite, [stub(), Needy()], NODES)
    with pytest.raises(UnknownName, match="no estimate of tiles-3x3 'manhatan'"):
        runs.run(suite, [stub(), registry.parse_solver("ida:estimate=manhatan")], NODES)
    assert stub.asked == []  # type: ignore[attr-defined]


class Missing:
    """A view that no puzzle offers."""

    def __new__(cls) -> "Missing":
        raise NotImplementedError


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_what_is_there(suite: Suite, stub: Make, tmp_path: Path, jobs: int) -> None:
    solver = stub(interrupts=FOUR, hangs=HARD)
    run = runs.run(suite, [solver, stub(extra=2)], NODES, tmp_path, jobs)
    assert run.interrupted
    assert lengths(run)[:2] == [1, 2]
    assert {answer.entry.board for answer in run.answers}.isdisjoint({FOUR, HARD})
    assert runs.read_run(tmp_path).answers == run.answers
    assert len(run.by_solver) == 1


def test_a_solver_that_fails_on_one_board_goes_on_with_the_next(suite: Suite, stub: Make, tmp_path: Path) -> None:
    run = runs.run(suite, [stub(lies=TWO)], NODES, tmp_path)
    assert lengths(run) == [1, None, 4, None, None]
    assert run.answers[1].row.error == "the stub fails here"
    assert not run.answers[1].holds
    stub.asked.clear()  # type: ignore[attr-defined]
    runs.run(suite, [stub(lies=TWO)], NODES, tmp_path)
    assert set(stub.asked) == {TWO}  # type: ignore[attr-defined]


# --- many boards at once ---


class Many(SolverSettings):
    """Asks a stub about many boards at once; fails where one of several is `fails`, and stops at `interrupts`."""

    name: ClassVar[str] = "many"
    shares_work: ClassVar[bool] = True
    given: ClassVar[list[list[str]]] = []

    stub: Any = None
    fails: str = ""
    interrupts: str = ""

    def options(self) -> dict[str, Any]:
        return {"fails": self.fails}

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        return self.stub.attempts(instance, limit)  # type: ignore[no-any-return]

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        if limit.nodes == 1:
            return
        texts = boards.written()
        self.given.append(texts)
        if self.fails in texts:
            raise PuzzlelabError("many fails here")
        found = [list(self.stub.attempts(instance, limit))[-1] for instance in boards]
        results = [
            replace(result, moves=None, proof="none", stop="interrupted") if board == self.interrupts else result
            for board, result in zip(texts, found, strict=True)
        ]
        yield Answers.of(boards, results)


@pytest.fixture
def many(stub: Make) -> Callable[..., Solver]:
    Many.given.clear()
    return lambda **options: Many(stub=stub(), **options)


def test_boards_are_put_at_once_to_a_solver_that_batches(suite: Suite, many: Make, tmp_path: Path) -> None:
    assert lengths(runs.run(suite, [many()], NODES, jobs=2, batching="all")) == [1, 2, 4, None, None]
    assert sorted(len(boards) for boards in Many.given) == [1, 3]  # evenly
    Many.given.clear()
    first = runs.run(suite, [many()], NODES, tmp_path, batching="all")
    assert lengths(first) == [1, 2, 4, None, None]
    assert Many.given == [[ONE, TWO, FOUR, HARD]]
    again = runs.run(suite, [many()], NODES, tmp_path, batching="all")
    assert again == first == runs.read_run(tmp_path)
    assert len(Many.given) == 1
    runs.run(suite, [many()], Limit(nodes=200), tmp_path, batching="all")
    assert Many.given[1:] == [[HARD]]


def test_a_fault_of_one_board_takes_nothing_from_the_others(suite: Suite, many: Make) -> None:
    run = runs.run(suite, [many(fails=TWO)], NODES)
    assert lengths(run) == [1, None, 4, None, None]
    assert [answer.row.error for answer in run.answers] == [None, "many fails here", None, None, None]


def test_what_is_done_when_it_is_interrupted_is_kept(suite: Suite, many: Make, tmp_path: Path) -> None:
    run = runs.run(suite, [many(interrupts=TWO)], NODES, tmp_path, batching="all")
    assert run.interrupted
    assert lengths(run) == [1, 4, None, None]
    assert runs.read_run(tmp_path).answers == run.answers
    Many.given.clear()
    assert lengths(runs.run(suite, [many()], NODES, tmp_path)) == [1, 2, 4, None, None]
    assert Many.given == [[TWO]]


def test_answers_of_different_networks_are_not_mixed(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = {"net": "1111222233334444"}

    def find(puzzle: object, name: str | None = None) -> SimpleNamespace:
        scores = Estimate("toy", admissible=False, scores=lambda states: -states[:, 0].astype(float))
        return SimpleNamespace(name=network["net"], estimate=lambda averaged: scores)

    monkeypatch.setattr(networks, "find", find)
    few = Suite("few", suite.puzzle, suite.entries[:2])
    solver = registry.parse_solver("greedy:estimate=net:averaged:max_moves=5")
    first = runs.run(few, [solver], NODES, tmp_path)
    assert [answer.row.net for answer in first.answers] == ["1111222233334444"] * 2
    assert runs.read_run(tmp_path) == first
    network["net"] = "5555666677778888"
    second = runs.run(few, [solver], NODES, tmp_path)
    assert [answer.row.net for answer in second.answers] == ["5555666677778888"] * 2
    assert list(second.by_solver) == list(first.by_solver)
    both = runs.read_run(tmp_path).by_solver
    assert list(both) == [
        "greedy:estimate=net:1111222233334444:averaged:max_moves=5",
        "greedy:estimate=net:5555666677778888:averaged:max_moves=5",
    ]
    assert [len(answers) for answers in both.values()] == [2, 2]


# --- reading what was asked before ---


def test_solvers_stand_in_the_order_of_their_numbers_also_where_their_files_do_not(
    suite: Suite, tmp_path: Path
) -> None:
    texts = [f"beam:width={width}:estimate=manhattan" for width in (2, 16, 128)]
    runs.run(suite, [registry.parse_solver(text) for text in texts], NODES, tmp_path)
    labels = list(runs.read_run(tmp_path).by_solver)
    assert [int(re.search("width=([0-9]+)", label)[1]) for label in labels] == [2, 16, 128]
    for place, path in enumerate(sorted(tmp_path.glob("*.jsonl"))):
        path.rename(tmp_path / f"{place}.jsonl")  # the end of a long label is a hash in the name of its file
    assert list(runs.read_run(tmp_path).by_solver) == labels


def test_rows_are_replayed_when_they_are_read(suite: Suite, stub: Make, tmp_path: Path) -> None:
    runs.run(suite, [stub()], NODES, tmp_path)
    (path,) = tmp_path.glob("*.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1]["moves"] = ["U", "U"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    stored = runs.read_run(tmp_path)
    assert lengths(stored) == [1, None, 4, None, None]
    assert [answer.holds for answer in stored.answers] == [True, False, True, True, True]


def test_rows_of_other_boards_are_passed_over_and_garbage_is_told(suite: Suite, stub: Make, tmp_path: Path) -> None:
    runs.run(suite, [stub(width=width) for width in (16, 2, 100)], NODES, tmp_path)
    widths = [answers[0].row.options["width"] for answers in runs.read_run(tmp_path).by_solver.values()]
    assert widths == [2, 16, 100]  # in the order of the numbers
    row = next(tmp_path.glob("*.jsonl")).read_text().splitlines()[0]
    (tmp_path / "strange.jsonl").write_text(row.replace(ONE, "1 2 3 4 0 6 7 5 8") + "\n")
    assert len(runs.read_run(tmp_path).answers) == 3 * len(suite.entries)
    (tmp_path / "strange.jsonl").write_text("garbage\n")
    with pytest.raises(BadFile, match=r"strange\.jsonl, line 1"):
        runs.read_run(tmp_path)


def test_answers_of_batches_are_those_of_their_rows(tmp_path: Path) -> None:
    puzzle = registry.load("sudoku-9x9")
    texts = [puzzle.read("easy"), puzzle.read("inkala"), puzzle.read("11" + "." * 79), puzzle.read("." * 81)]
    entries = [SuiteEntry(puzzle.write(board.state)) for board in texts]
    suite = Suite("mixed", puzzle, tuple(entries * 400))
    fresh = runs.run(suite, runs.parse_solvers(["bands"]), Limit(), tmp_path)
    assert fresh.answers == runs.read_run(tmp_path).answers
    assert fresh.answers == runs.run(suite, runs.parse_solvers(["bands"]), Limit(), tmp_path).answers
    assert [answer.row.proof for answer in fresh.answers[:4]] == ["unique", "unique", "unsolvable", "several"]
    assert {answer.row.verified_by for answer in fresh.answers[400:405:4]} == {"kernels"}

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from puzzlelab.bench import history, results_report, runs, suites, tables
from puzzlelab.bench.suites import Suite
from puzzlelab.cli.main import app
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Solver

Make = Callable[..., Solver]
NEEDS = ("jinja2", "matplotlib")
MADE: list[tuple[Path, str]] = []


def report(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


@pytest.fixture
def needs() -> None:
    for package in NEEDS:
        pytest.importorskip(package)


@pytest.fixture
def made(needs: None, suite: Suite, stub: Make, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with one benchmark of two solvers, and the report of the command; made once for all tests.

    The first solver is never longer than the other.
    """
    if not MADE:
        folder = tmp_path_factory.mktemp("report") / "results"
        solvers = [stub(width=100), stub(width=10, extra=2)]
        runs.run(suite, solvers, Limit(nodes=100), folder / "a", command="bench <it>")
        out = folder.parent / "report.html"
        done = report(folder, "--out", out)
        assert done.exit_code == 0, done.stderr
        MADE.append((folder, out.read_text(encoding="utf-8")))
    return MADE[0]


# --- comparisons ---


def test_every_two_solvers_are_compared_in_both_directions(suite: Suite, stub: Make) -> None:
    run = runs.run(
        suite, [stub(width=100), stub(width=10, extra=2), stub(width=1, lies=suite.entries[0].board)], Limit(nodes=100)
    )
    made = tables.of_pairs(run)
    assert made is not None
    good, long, lying = (row[1:] for row in made.rows)
    assert good == ("", "3 / 2 / 0\n× 1\n1 to 1", "1 / 4 / 0\n× 1\n1 to 1")
    assert (long[0].split("\n")[0], lying[0].split("\n")[0]) == ("0 / 2 / 3", "0 / 4 / 1")
    assert "geometric mean" in made.remarks[0]
    assert tables.of_pairs(runs.BenchRun(run.suite, run.answers[:3])) is None


def test_a_quotient_of_times_is_a_geometric_mean_with_an_interval(suite: Suite, stub: Make) -> None:
    run = runs.run(suite, [stub()], Limit(nodes=100))

    def timed(*seconds: float) -> list[runs.BenchAnswer]:
        return [
            replace(answer, row=answer.row.model_copy(update={"seconds": each}))
            for answer, each in zip(run.answers, seconds, strict=False)
        ]

    counts, value, interval = tables.comparison(timed(2, 8), timed(1, 1), timed=True).split("\n")
    assert (counts, value) == ("0 / 2 / 0", "× 4")
    low, high = (float(end.replace(",", "")) for end in interval.split(" to "))
    assert low < 4 < high
    assert low * high == pytest.approx(16, rel=0.1)
    assert tables.comparison(timed(3), timed(1), timed=True) == "0 / 1 / 0\n× 3"  # one pair has no interval
    assert tables.comparison(timed(3), timed(1), timed=False) == "0 / 1 / 0"


def test_boards_that_fewer_solvers_solve_are_harder(suite: Suite, stub: Make) -> None:
    run = runs.run(suite, [stub(width=100), stub(width=10, extra=2)], Limit(nodes=100))
    boards = results_report.hardest(run, 3)
    assert [board["number"] for board in boards] == [4, 5, 1]
    expanded = "10 states expanded (geometric mean)"
    assert boards[0]["facts"] == [
        "solved by 0 of 2 solvers",
        expanded,
        "level 2",
        "best known: 31 moves, proven optimal",
    ]
    assert boards[1]["facts"][0] == "solved by 0 of 2 solvers"
    assert len(boards[1]["facts"]) == 2
    assert boards[2]["facts"][-1] == "best known: 1 moves, proven optimal"


# --- history ---


def test_the_history_has_each_command_that_added_rows(suite: Suite, stub: Make, tmp_path: Path) -> None:
    for command, solver in (("first", stub()), ("nothing new", stub()), ("second", stub(width=5))):
        runs.run(suite, [solver], Limit(nodes=100), tmp_path, command=command)
    records = history.read(tmp_path)
    assert [record["command"] for record in records] == ["first", "second"]
    assert {"puzzlelab", "Python", "numba"} <= records[0]["versions"].keys()
    assert len(runs.read_run(tmp_path).by_solver) == 2


def test_a_damaged_history_is_told_before_anything_is_run(suite: Suite, stub: Any, tmp_path: Path) -> None:
    suites.save(suite, tmp_path)
    (tmp_path / history.FILE).write_text("{", encoding="utf-8")
    with pytest.raises(BadFile, match=r"history\.json is damaged"):
        runs.run(suite, [stub()], Limit(nodes=100), tmp_path)
    assert stub().asked == []


# --- the report ---


def test_a_report_has_tables_plots_boards_and_what_was_run_and_asks_for_nothing_outside(made: tuple[Path, str]) -> None:
    _, page = made
    for words in ("stub", "Every solver against every other", "The hardest boards", "3 / 2 / 0", "bench &lt;it&gt;"):
        assert words in page
    assert page.count("data:image/svg+xml;base64,") >= 2 + results_report.HARDEST - 1
    assert "puzzlelab solve tiles-3x3 &#39;8 6 7 2 5 4 3 0 1&#39;" in page
    assert "jobs: no solver of this benchmark" in unescape(page)
    assert "<script" not in page
    assert not re.findall(r"(?:src|srcset|href)=\"(?!data:|#)", page)
    assert "default-src 'none'" in page


def test_equal_results_make_equal_bytes(made: tuple[Path, str]) -> None:
    folder, page = made
    assert results_report.render(results_report.collect(folder), "results") == page


def test_a_report_replaces_reports_and_nothing_else(needs: None, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    out.write_text("my notes", encoding="utf-8")
    with pytest.raises(BadFile, match="is no report"):
        results_report.check_out(out)
    assert isinstance(report(tmp_path, "--out", out).exception, BadFile)
    assert out.read_text(encoding="utf-8") == "my notes"
    out.unlink()
    for name in ("first", "second"):
        results_report.write([], name, out)
        assert f"Results in {name}" in out.read_text(encoding="utf-8")
    assert isinstance(report(tmp_path, "--out", tmp_path).exception, BadFile)


def test_a_damaged_folder_and_a_suite_without_answers_stop_no_other(needs: None, suite: Suite, tmp_path: Path) -> None:
    for name in "ab":
        suites.save(suite, tmp_path / name)
    (tmp_path / "b" / suites.SUITE_FILE).write_text("{", encoding="utf-8")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "config.toml").write_text('recipe = "imitation"\npuzzle = "tiles-3x3"\n', encoding="utf-8")
    lines = [f'{{"step": {step}, "seconds": {step}, "solved": 0.5, "moves": 21.5}}' for step in (60, 120)]
    (tmp_path / "c" / "metrics.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = report(tmp_path, "--out", tmp_path / "report.html")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: b: ")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for words in ("This folder could not be read", "There are no answers yet.", "Training of c", "not finished"):
        assert words in page
    assert "greedy play while it was learned" in page


def test_a_folder_without_results_is_told(needs: None, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there are no results"):
        results_report.collect(tmp_path)
    with pytest.raises(BadFile, match="is no folder"):
        results_report.collect(tmp_path / "missing")

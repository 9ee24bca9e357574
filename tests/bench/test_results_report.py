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
PAGES: list[str] = []


def report(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


@pytest.fixture
def results(suite: Suite, stub: Make, tmp_path: Path) -> Path:
    """A folder with one benchmark of two solvers; the first one is never longer than the other."""
    for package in NEEDS:
        pytest.importorskip(package)
    folder = tmp_path / "results"
    runs.run(suite, [stub(width=100), stub(width=10, extra=2)], Limit(nodes=100), folder / "a", command="bench <it>")
    return folder


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


@pytest.fixture
def page(results: Path, tmp_path: Path) -> str:
    """The report of the command, which is made once for all tests."""
    if not PAGES:
        done = report(results, "--out", tmp_path / "report.html")
        assert done.exit_code == 0, done.stderr
        PAGES.append((tmp_path / "report.html").read_text(encoding="utf-8"))
    return PAGES[0]


def test_a_report_has_tables_plots_boards_and_what_was_run(page: str) -> None:
    for words in ("stub", "Every solver against every other", "The hardest boards", "3 / 2 / 0", "bench &lt;it&gt;"):
        assert words in page
    assert page.count("data:image/svg+xml;base64,") >= 2 + results_report.HARDEST - 1
    assert "puzzlelab solve tiles-3x3 &#39;8 6 7 2 5 4 3 0 1&#39;" in page
    assert "jobs: no solver of this benchmark" in unescape(page)


def test_a_report_asks_for_nothing_outside(page: str) -> None:
    assert "<script" not in page
    assert not re.findall(r"(?:src|srcset|href)=\"(?!data:|#)", page)
    assert "default-src 'none'" in page


def test_equal_results_make_equal_bytes(results: Path) -> None:
    first, second = (results_report.collect(results) for _ in range(2))
    assert results_report.render(first, "results") == results_report.render(second, "results")


def test_a_report_replaces_reports_and_nothing_else(results: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    out.write_text("my notes", encoding="utf-8")
    with pytest.raises(BadFile, match="is no report"):
        results_report.check_out(out)
    assert isinstance(report(results, "--out", out).exception, BadFile)
    assert out.read_text(encoding="utf-8") == "my notes"
    out.unlink()
    for name in ("first", "second"):
        results_report.write([], name, out)
        assert f"Results in {name}" in out.read_text(encoding="utf-8")
    assert isinstance(report(results, "--out", tmp_path).exception, BadFile)


def test_a_damaged_folder_stops_no_other(results: Path, suite: Suite, stub: Make, tmp_path: Path) -> None:
    runs.run(suite, [stub()], Limit(nodes=100), results / "b")
    (results / "b" / suites.SUITE_FILE).write_text("{", encoding="utf-8")
    done = report(results, "--out", tmp_path / "report.html")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: b: ")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "This folder could not be read" in page
    assert "The hardest boards" in page


def test_a_folder_without_results_is_told(tmp_path: Path) -> None:
    for package in NEEDS:
        pytest.importorskip(package)
    with pytest.raises(BadInput, match="there are no results"):
        results_report.collect(tmp_path)
    with pytest.raises(BadFile, match="is no folder"):
        results_report.collect(tmp_path / "missing")


def test_a_suite_without_answers_is_a_section(suite: Suite, tmp_path: Path) -> None:
    for package in NEEDS:
        pytest.importorskip(package)
    suites.save(suite, tmp_path)
    assert "There are no answers yet." in results_report.render(results_report.collect(tmp_path), "results")


def test_a_training_run_is_a_section(tmp_path: Path) -> None:
    for package in (*NEEDS, "tomli_w"):
        pytest.importorskip(package)
    (tmp_path / "config.toml").write_text('recipe = "imitation"\npuzzle = "tiles-3x3"\nseed = 1\n', encoding="utf-8")
    lines = [f'{{"step": {step}, "seconds": {step}, "solved": 0.5, "moves": 21.5}}' for step in (60, 120)]
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    page = results_report.render(results_report.collect(tmp_path), "results")
    assert "Training of" in page
    assert "not finished" in page
    assert "greedy play while it was learned" in page

"""Solvers that answer many boards together: which seconds are measured, and what is shown of the others."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from rich.console import Console

from puzzlelab.bench import plots, runs, summaries, tables, times
from puzzlelab.bench.caveats import caveats
from puzzlelab.bench.charts import Chart
from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.bench.summaries import Summary
from puzzlelab.core.answers import Answers, BatchTime
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.storage.row import Row

FAST, SLOW = ("rrrrrr??", "bbbbbb??", "rrrrr???"), ("rr??????", "bb??????", "r???????")


def body(chart: Chart) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, chart.rows))


def level_seconds(run: BenchRun) -> list[tuple[int, float]]:
    return [(level, at.seconds.value) for levels in tables.levels(run).values() for level, (at, _) in levels.items()]


@pytest.fixture
def brush(painter: type[Any]) -> type[Any]:
    """Paints many boards together, in a second for each blank."""

    class Brush(painter):  # type: ignore[misc]
        name: ClassVar[str] = "brush"
        shares_work: ClassVar[bool] = True
        asked: ClassVar[list[list[str]]] = []

        def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
            texts = boards.written()
            if limit.nodes != 1:
                self.asked.append(texts)
            results = (list(self.attempts(each, limit))[-1] for each in boards)
            yield Answers.of(boards, results).solved_together(sum(text.count("?") for text in texts))

    Brush.asked.clear()
    return Brush


@pytest.fixture
def graded(stripe: Puzzle) -> Suite:
    """Boards of a fast and of a slow level, in turn."""
    pairs = zip(FAST, SLOW, strict=True)
    return Suite(
        "graded", stripe, tuple(SuiteEntry(board, level) for pair in pairs for level, board in enumerate(pair, 1))
    )


def shown(table: Any) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(table)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_a_batch_has_boards_of_one_level(graded: Suite, brush: type[Any]) -> None:
    run = runs.run(graded, [brush()], Limit())
    assert brush.asked == [list(FAST), list(SLOW)]
    assert level_seconds(run) == [
        (1, pytest.approx(7 / 3)),
        (2, pytest.approx(19 / 3)),
    ]
    made = plots.chart(run, "levels")
    assert [row[-1] for row in body(made)] == ["2.33", "6.33"]
    assert tuple(made.remarks) == (
        "brush: boards were answered in batches; seconds are the mean of whole batches, without a spread.",
    )


def test_a_batch_can_have_boards_of_one_number_of_clues(graded: Suite, brush: type[Any]) -> None:
    run = runs.run(graded, [brush()], Limit(), batching="clues")
    assert brush.asked == [[*FAST[:2]], [*SLOW[:2]], [FAST[2]], [SLOW[2]]]
    made = plots.chart(run, "clues")
    assert [(row[1], row[4]) for row in body(made)] == [("1", "7.00"), ("2", "6.00"), ("5", "3.00"), ("6", "2.00")]
    assert made.remarks[0].startswith("brush is slowest on boards with 1 clues: 7.00 s (median)")


def test_the_share_of_solved_boards_is_drawn_where_not_all_are_solved(stripes: Suite, painter: type[Any]) -> None:
    everything = plots.chart(runs.run(stripes, [painter()], Limit()), "clues")
    assert len(everything.panels) == 1
    made = plots.chart(runs.run(stripes, [painter(slow=4)], Limit()), "clues")
    shares, seconds = made.panels
    ((line,), (_, middle)) = shares.lines, shares.labels["ylim"]
    assert [share.number / share.total for share in line.y] == [1, 1, 0, 1, 1, 1]
    assert middle > 1
    assert "solved" in shares.labels["ylabel"]
    assert seconds.seconds == "y"


def test_each_board_can_be_answered_and_timed_alone(graded: Suite, brush: type[Any], tmp_path: Path) -> None:
    run = runs.run(graded, [brush()], Limit(), tmp_path, batching="board")
    assert [len(boards) for boards in brush.asked] == [1] * 6
    assert [answer.row.seconds for answer in run.answers] == [2, 6, 2, 6, 3, 7]
    assert '"batch"' not in (tmp_path / "brush.jsonl").read_text()
    (whole,) = summaries.summaries(run)
    assert (whole.percentiles[1], whole.seconds.value) == (4.5, pytest.approx(26 / 6))
    assert body(plots.chart(run, "bars"))[:2] == (("1", "2.00"), ("2", "6.00"))


def test_the_time_of_a_batch_stands_after_its_rows(graded: Suite, brush: type[Any], tmp_path: Path) -> None:
    run = runs.run(graded, [brush()], Limit(), tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "brush.jsonl").read_text().splitlines()]
    assert [line.get("batch", {}).get("seconds") for line in lines] == [*[None] * 3, 7, *[None] * 3, 19]
    assert not any("seconds" in line for line in lines)
    assert [answer.batch for answer in run.answers] == [BatchTime(3, 7.0), BatchTime(3, 19.0)] * 3


def test_what_is_no_measured_time_is_not_shown_as_one(graded: Suite, brush: type[Any], painter: type[Any]) -> None:
    run = runs.run(graded, [brush(), painter()], Limit(), batching="all")
    assert brush.asked == [[entry.board for entry in graded.entries]]
    assert [seconds for _, seconds in level_seconds(run)][:2] == pytest.approx([float("nan")] * 2, nan_ok=True)
    assert shown(tables.of_levels(run)).splitlines()[3].split()[-1] == "-"
    made = plots.chart(run, "levels")
    assert [row[-1] for row in body(made)[:2]] == ["-", "-"]
    without = (
        "brush: no seconds where its batches hold other boards too; "
        "bench --batch level, clues or board measures them again, into another --out."
    )
    assert tuple(made.remarks) == (without,)
    for kind in ("clues", "bars"):
        made = plots.chart(run, kind)
        assert without in made.remarks
        assert not any("brush" in cell for row in [made.header, *body(made)] for cell in row)
    assert without in caveats(run)


def test_a_plot_of_shares_alone_is_refused(graded: Suite, brush: type[Any]) -> None:
    run = runs.run(graded, [brush()], Limit(), batching="all")
    with pytest.raises(BadInput, match="no board of 'graded' was timed alone; bench --batch"):
        plots.chart(run, "bars")
    with pytest.raises(BadInput, match="batches of 'graded' hold boards of several numbers of clues; bench"):
        plots.chart(run, "clues")


def test_a_batch_has_a_mean_and_no_median(graded: Suite, brush: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.run(graded, [brush()], Limit())
    monkeypatch.setattr(times, "MAX_BOARDS_AS_BARS", 2)
    made = plots.chart(run, "bars")
    assert body(made) == (("brush", "6/6", "-", "-", "26.0"),)
    assert made.remarks[0].startswith("brush: boards were answered in batches")
    assert summaries.summaries(run)[0].seconds.value == pytest.approx(26 / 6)


def test_clues_that_are_not_known_are_no_batches(suite: Suite, brush: type[Any]) -> None:
    with pytest.raises(BadInput, match="tiles-3x3 does not say how many clues a board has: batches are by level"):
        runs.run(suite, [brush()], Limit(), batching="clues")


def test_boards_that_fill_batches_have_a_mean(graded: Suite) -> None:
    def answer(number: int, seconds: float | None = None, batch: BatchTime | None = None) -> BenchAnswer:
        entry = graded.entries[number]
        row = Row(puzzle="stripe", board=entry.board, solver="s", seconds=seconds)
        return BenchAnswer("s", entry, row, True, batch)

    one, equal, lost = BatchTime(2, 3.0), BatchTime(2, 3.0), None
    answers = [answer(number, None, one) for number in (0, 1)] + [answer(number, None, equal) for number in (2, 3)]
    answers.append(answer(4, 4.0))
    whole = Summary("s", answers, {})
    assert (whole.timed, whole.seconds.value) == ("whole batches", 2.0)
    for part in (answers[1:], [*answers, answer(5, None, lost)]):
        assert Summary("s", part, {}).timed == "parts of batches"
    assert Summary("s", answers[4:], {}).timed == "alone"

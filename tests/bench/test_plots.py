import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from puzzlelab.bench import plots, runs
from puzzlelab.bench.runs import Run
from puzzlelab.bench.suites import Entry, Suite
from puzzlelab.core.errors import BadFile, BadInput, UnknownName
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import Solver

Make = Callable[..., Solver]
ONE, TWO = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8"


@pytest.fixture
def run(suite: Suite, stub: Make) -> Run:
    """Two widths: the wider finds the optimum, the other makes two moves too many."""
    return runs.run(suite, [stub(width=100), stub(width=10, extra=2)], Limit(nodes=100))


@pytest.mark.parametrize("kind", plots.KINDS)
def test_every_kind_is_drawn_into_two_files(run: Run, kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    paths = plots.save(plots.chart(run, kind), tmp_path)
    assert [path.name for path in paths] == [f"{kind}.png", f"{kind}.svg"]
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in paths[1].read_bytes()[:1000]


def test_a_plot_is_the_same_file_each_time(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    texts = []
    for _ in range(2):
        _, path = plots.save(plots.chart(run, "levels"), tmp_path)
        texts.append(path.read_bytes())
    assert texts[0] == texts[1]


def test_lengths_are_counted_by_solver_beside_the_optimum(run: Run) -> None:
    made = plots.chart(run, "lengths")
    assert made.header[:2] == ("length", "optimum")
    assert made.body == (
        ("1", "1", "1", "0"),
        ("2", "1", "1", "0"),
        ("3", "0", "0", "1"),
        ("4", "1", "1", "1"),
        ("6", "0", "0", "1"),
        ("31", "1", "0", "0"),
    )


def test_levels_have_shares_with_intervals_and_excess(run: Run) -> None:
    made = plots.chart(run, "levels")
    assert [row[1:] for row in made.body] == [
        ("1", "2/2", "34-100 %", "0.00"),
        ("2", "1/2", "9-91 %", "0.00"),
        ("1", "2/2", "34-100 %", "2.00"),
        ("2", "1/2", "9-91 %", "2.00"),
    ]


def test_a_board_without_a_level_counts_at_its_optimum(suite: Suite, stub: Make) -> None:
    plain = Suite("plain", suite.puzzle, (Entry(ONE, known=1, known_is_optimal=True), Entry(TWO)))
    made = plots.chart(runs.run(plain, [stub()], Limit()), "levels")
    assert [row[1:3] for row in made.body] == [("1", "1/1"), ("2", "1/1")]


def test_bars_are_of_boards_where_there_are_few(run: Run) -> None:
    made = plots.chart(run, "bars")
    assert made.title == "small: seconds for each board"
    assert made.body[0] == ("1", "1.00", "1.00")
    assert made.body[3] == ("4", "1.00 unsolved", "1.00 unsolved")


def test_bars_are_of_solvers_where_boards_are_many(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(plots, "MOST_BARS", 2)
    made = plots.chart(run, "bars")
    assert made.header == ("solver", "solved", "median", "95th percentile", "total")
    assert [row[1:4] for row in made.body] == [("3/5", "1.00", "1.00")] * 2
    plots.save(made, tmp_path)


def test_widths_are_in_order_and_say_which_share_is_optimal(run: Run, suite: Suite, stub: Make) -> None:
    longer, exact = plots.chart(Run(run.suite, run.answers), "widths").body[::-1]
    assert (longer[1:5], exact[1:5]) == (("10", "0/4", "0-49 %", "2.00"), ("100", "3/4", "30-95 %", "0.00"))
    one = runs.run(suite, [stub(width=100), stub(width=10), stub(width=None)], Limit(nodes=100))
    assert [row[1] for row in plots.chart(one, "widths").body] == ["10", "100"]


def test_what_cannot_be_drawn_says_why(suite: Suite, stub: Make) -> None:
    puzzle = suite.puzzle
    without = runs.run(Suite("hard", puzzle, (Entry("8 6 7 2 5 4 3 0 1"),)), [stub(extra=2, width=5)], Limit(nodes=2))
    for kind, words in (
        ("lengths", "no board of 'hard' was solved"),
        ("levels", "no board of 'hard' has a level or a known optimum"),
        ("widths", "no board of 'hard' has a known optimum"),
    ):
        with pytest.raises(BadInput, match=words):
            plots.chart(without, kind)
    with pytest.raises(BadInput, match="no solver of this benchmark has a width"):
        plots.chart(runs.run(suite, [stub()], Limit(nodes=2)), "widths")
    with pytest.raises(BadInput, match="there are no answers to 'small' yet"):
        plots.chart(Run(suite, ()), "lengths")
    with pytest.raises(UnknownName, match="no kind of plot 'lenghts'; did you mean 'lengths'"):
        plots.chart(without, "lenghts")


def test_without_matplotlib_it_says_what_to_install(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadInput, match=r"pip install 'puzzlelab\[plot\]'"):
        plots.save(plots.chart(run, "lengths"), tmp_path)


def test_a_folder_that_cannot_be_written_is_told(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(BadFile, match="cannot write the plot"):
        plots.save(plots.chart(run, "lengths"), tmp_path / "missing")

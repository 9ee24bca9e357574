import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from puzzlelab.bench import charts, plots, runs, times
from puzzlelab.bench.charts import Chart, figure_of, save
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core.errors import BadFile, BadInput, UnknownName
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Solver

Make = Callable[..., Solver]
ONE, TWO, HARD = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "8 6 7 2 5 4 3 0 1"
NAN = float("nan")
FEW, MANY = Limit(nodes=2), Limit(nodes=100)


def body(chart: Chart) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, chart.rows))


def drawn(made: Chart, mark: float = 0.1) -> Any:
    pytest.importorskip("matplotlib")
    return figure_of(made, mark)


def marks(made: Chart, mark: float = 0.1) -> list[str]:
    """The names of the dashed lines in the panels of a chart."""
    lines = [line for axes in drawn(made, mark).axes for line in axes.get_lines()]
    return [str(line.get_label()) for line in lines if line.get_linestyle() == "--"]


def part(run: BenchRun, entries: tuple[SuiteEntry, ...]) -> BenchRun:
    """The answers to these boards alone."""
    return BenchRun(replace(run.suite, entries=entries), tuple(each for each in run.answers if each.entry in entries))


def changed(run: BenchRun, values: list[dict[str, object]]) -> BenchRun:
    """The run with these columns in its rows, one after the other."""
    pairs = zip(run.answers, values, strict=True)
    return replace(run, answers=tuple(replace(each, row=each.row.model_copy(update=new)) for each, new in pairs))


@pytest.fixture
def run(suite: Suite, stub: Make) -> BenchRun:
    """Two widths: the wider finds the optimum, the other makes two moves too many."""
    return runs.run(suite, [stub(width=100), stub(width=10, extra=2)], MANY)


@pytest.fixture
def short(stub: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels have only the options that are not as usual."""
    monkeypatch.setattr(runs, "_default_options", lambda name, *given: dict(stub().options()))


@pytest.fixture
def painted(stripes: Suite, painter: Make) -> BenchRun:
    """A solver of boards that are filled in, with one job and with four."""
    return runs.run(stripes, [painter(), painter(jobs=4)], Limit(seconds=9))


# --- files ---


@pytest.mark.parametrize("kind", plots.KINDS)
def test_every_kind_is_drawn_into_two_files(run: BenchRun, painted: BenchRun, kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    paths = save(plots.chart(painted if kind in ("jobs", "clues") else run, kind), tmp_path)
    assert [path.name for path in paths] == [f"{kind}.png", f"{kind}.svg"]
    assert paths[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in paths[1].read_bytes()[:1000]


def test_without_matplotlib_it_says_what_to_install(
    run: BenchRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadInput, match=r"pip install 'puzzlelab\[plot\]'"):
        save(plots.chart(run, "lengths"), tmp_path)


def test_images_are_replaced_by_equal_ones_and_other_files_are_not(run: BenchRun, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    chart = plots.chart(run, "lengths")
    first = [path.read_bytes() for path in save(chart, tmp_path)]
    assert [path.read_bytes() for path in save(chart, tmp_path)] == first
    (tmp_path / "lengths.svg").write_text("my notes")
    with pytest.raises(BadFile, match=r"lengths.svg exists already, and is no image"):
        save(chart, tmp_path)
    assert (tmp_path / "lengths.svg").read_text() == "my notes"
    assert len(list(tmp_path.iterdir())) == 2


# --- lengths ---


def test_lengths_are_counted_by_solver_beside_the_optimum(short: None, run: BenchRun) -> None:
    made = plots.chart(run, "lengths")
    assert made.header == ("length", "optimum", "stub:width=100", "stub:extra=2:width=10")
    assert body(made) == (
        ("1", "1", "1", "0"),
        ("2", "1", "1", "0"),
        ("3", "0", "0", "1"),
        ("4", "1", "1", "1"),
        ("6", "0", "0", "1"),
        ("31", "1", "0", "0"),
    )
    assert tuple(made.remarks) == (
        "stub:width=100: 2.33 moves on average over 3 boards.",
        "stub:extra=2:width=10: 4.33 moves on average over 3 boards.",
        "the optimum: 9.50 moves on average over 4 boards.",
    )


def test_without_a_known_optimum_there_is_no_column_for_it(suite: Suite, stub: Make) -> None:
    unknown = replace(suite, entries=tuple(replace(entry, known=None) for entry in suite.entries))
    made = plots.chart(runs.run(unknown, [stub(extra=2)], MANY), "lengths")
    assert (len(made.header), made.header[0]) == (2, "length")
    assert body(made)[0] == ("3", "1")


def test_lengths_of_one_solver_against_those_of_another(short: None, run: BenchRun) -> None:
    made = plots.chart(run, "lengths2d")
    assert made.header == ("moves of stub:width=100", "of stub:extra=2:width=10", "boards")
    assert body(made) == (("1", "3", "1"), ("2", "4", "1"), ("4", "6", "1"))
    assert tuple(made.remarks) == (
        "stub:extra=2:width=10 against stub:width=100, on 3 boards that both solved: "
        "equal on 0, shorter on 0, longer on 3; 2.00 moves longer on average.",
    )
    (axes,) = drawn(made).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("moves of stub:\nwidth=100", "moves of stub:\nextra=2:\nwidth=10")
    texts = [(text.get_position(), text.get_text()) for text in axes.texts]
    assert texts == [((1, 3), "1"), ((2, 4), "1"), ((4, 6), "1")]
    (diagonal,), (grid,) = axes.get_lines(), axes.collections
    assert grid.get_array().sum() == 3
    assert (axes.get_aspect(), axes.get_xlim()) == (1, axes.get_ylim())
    assert diagonal.get_zorder() < grid.get_zorder()  # no line crosses the numbers


def test_boards_that_stand_there_twice_count_twice(suite: Suite, stub: Make) -> None:
    twice = Suite("twice", suite.puzzle, (SuiteEntry(ONE), SuiteEntry(TWO), SuiteEntry(ONE)))
    made = plots.chart(runs.run(twice, [stub(), stub(extra=2)], Limit()), "lengths2d")
    assert body(made) == (("1", "3", "2"), ("2", "4", "1"))


def test_of_three_solvers_each_pair_is_drawn(short: None, suite: Suite, stub: Make) -> None:
    made = plots.chart(runs.run(suite, [stub(), stub(extra=2), stub(extra=4)], FEW), "lengths2d")
    assert [row[:4] for row in body(made) if row[2] in ("1", "3")] == [
        ("stub", "stub:extra=2", "1", "3"),
        ("stub", "stub:extra=4", "1", "5"),
        ("stub:extra=2", "stub:extra=4", "3", "5"),
    ]
    assert len(made.remarks) == len(drawn(made).axes) == 3


def test_solvers_can_be_chosen(short: None, suite: Suite, stub: Make) -> None:
    four = runs.run(suite, [stub(extra=extra, width=5) for extra in (0, 2, 4, 6)], FEW)
    with pytest.raises(BadInput, match="4 solvers have answered 'small', and lengths2d shows 3 at most: choose two by"):
        plots.chart(four, "lengths2d")
    two = plots.select_solvers(four, ["stub:extra=4", "stub:width=5:extra=2"])
    assert list(two.by_solver) == ["stub:extra=4:width=5", "stub:extra=2:width=5"]
    assert body(plots.chart(two, "lengths2d"))[0] == ("5", "3", "1")
    assert list(plots.select_solvers(four, ["stub"]).by_solver) == list(four.by_solver)
    with pytest.raises(UnknownName, match="no solver that has answered 'small', called 'stub:extra=3'; did you"):
        plots.select_solvers(four, ["stub:extra=3"])


def test_many_lengths_share_cells(suite: Suite, stub: Make) -> None:
    (axes, _) = drawn(plots.chart(runs.run(suite, [stub(), stub(extra=300)], FEW), "lengths2d")).axes
    (grid,) = axes.collections
    assert grid.get_array().shape[0] <= 60
    assert grid.get_array().sum() == 3


def test_one_solver_is_held_against_the_known_optimum(short: None, suite: Suite, stub: Make) -> None:
    made = plots.chart(runs.run(suite, [stub(extra=2)], FEW), "lengths2d")
    assert made.header == ("moves of the optimum", "of stub:extra=2", "boards")
    assert body(made) == (("1", "3", "1"), ("2", "4", "1"))
    assert made.remarks[0].startswith("stub:extra=2 against the optimum, on 2 boards that it solved: equal on 0, ")


def test_excess_is_counted_beside_what_is_not_solved(short: None, suite: Suite, stub: Make) -> None:
    run = runs.run(suite, [stub(), stub(extra=2), stub(extra=8)], MANY)
    made = plots.chart(run, "excess")
    assert made.header == ("moves more than the optimum", "stub", "stub:extra=2", "stub:extra=8")
    assert body(made) == (
        ("0", "3", "0", "0"),
        ("2", "0", "3", "0"),
        ("8", "0", "0", "3"),
        ("not solved", "1", "1", "1"),
    )
    assert tuple(made.remarks) == (
        "stub: 3 of 4 boards solved, 3 of them optimally; 0.00 moves more than the optimum on average.",
        "stub:extra=2: 3 of 4 boards solved, 0 of them optimally; 2.00 moves more than the optimum on average.",
        "stub:extra=8: 3 of 4 boards solved, 0 of them optimally; 8.00 moves more than the optimum on average.",
        "Boards that are left out, because their optimum is not known: 1.",
    )
    (axes,) = drawn(made).axes
    heights = [[bar.get_height() for bar in bars] for bars in axes.containers]
    assert heights == [[3, *[0] * 9, 1], [0, 0, 3, *[0] * 7, 1], [*[0] * 8, 3, 0, 1]]
    labels = {label.get_text(): label.get_position()[0] for label in axes.get_xticklabels()}
    assert (labels["0"], labels["8"], labels["not solved"]) == (0, 8, 10)


def test_a_solver_that_proved_all_gives_the_optima_and_is_not_drawn(short: None, suite: Suite, stub: Make) -> None:
    entries = tuple(SuiteEntry(entry.board) for entry in suite.entries[:3])
    run = runs.run(replace(suite, entries=entries), [stub(), stub(extra=2), stub(extra=4)], MANY)
    assert plots.chart(run, "excess").header[1:] == ("stub:extra=2", "stub:extra=4")
    chosen = plots.select_solvers(run, ["stub:extra=4"])
    assert body(plots.chart(chosen, "excess")) == (("4", "3"), ("not solved", "0"))
    alone = runs.run(replace(suite, entries=entries), [stub()], MANY)
    assert plots.chart(alone, "excess").header[1:] == ("stub",)
    unknown = runs.run(replace(suite, entries=entries), [stub(extra=2)], MANY)
    with pytest.raises(BadInput, match="no board of 'small' has a known optimum: run a solver that proves it too"):
        plots.chart(unknown, "excess")


# --- levels and widths ---


def test_levels_have_shares_with_intervals_and_excess(run: BenchRun, suite: Suite, stub: Make) -> None:
    assert [row[1:] for row in body(plots.chart(run, "levels"))] == [
        ("1", "2/2", "34-100 %", "0.00"),
        ("2", "1/2", "9-91 %", "0.00"),
        ("1", "2/2", "34-100 %", "2.00"),
        ("2", "1/2", "9-91 %", "2.00"),
    ]
    plain = Suite("plain", suite.puzzle, (SuiteEntry(ONE, known=1, known_is_optimal=True), SuiteEntry(TWO)))
    made = plots.chart(runs.run(plain, [stub()], Limit()), "levels")
    assert [row[1:3] for row in body(made)] == [("1", "1/1"), ("2", "1/1")]  # at its optimum


def test_the_excess_has_an_interval_and_says_what_it_is_over(suite: Suite, stub: Make) -> None:
    entries = tuple(SuiteEntry(board, 1, known, True) for board, known in ((ONE, 1), (TWO, 2), (ONE, 1)))
    sure = plots.chart(runs.run(Suite("sure", suite.puzzle, entries), [stub(extra=2)], Limit()), "levels")
    assert tuple(sure.remarks) == ("The excess is over the true optimum, of the boards that were solved.",)
    right = drawn(sure).axes[1]
    assert right.get_ylabel() == "moves more than the true optimum\n(mean, 95 % interval)"
    assert len(right.collections) == 2  # a band, and a line where there is one point
    loose = Suite("loose", suite.puzzle, (SuiteEntry(ONE, 1, 5),))
    made = plots.chart(runs.run(loose, [stub(extra=2)], Limit()), "levels")
    assert tuple(made.remarks) == ("The excess is over the shortest known, of the boards that were solved.",)
    assert body(made)[0][-1] == "-2.00"
    none = Suite("none", suite.puzzle, (SuiteEntry(ONE, 1), SuiteEntry(TWO, 2)))
    made = plots.chart(runs.run(none, [stub(extra=2)], Limit()), "levels")
    assert (len(drawn(made).axes), made.remarks) == (1, [])


@pytest.mark.parametrize(("levels", "panels"), [(2, 2), (3, 1)])
def test_the_excess_of_few_of_the_levels_is_not_drawn(suite: Suite, stub: Make, levels: int, panels: int) -> None:
    entries = (SuiteEntry(ONE, 1, 1, True), *(SuiteEntry(TWO, level) for level in range(2, levels + 1)))
    made = plots.chart(runs.run(Suite("few", suite.puzzle, entries), [stub(extra=2)], Limit()), "levels")
    assert len(drawn(made).axes) == panels


def test_the_axis_of_a_large_excess_is_logarithmic(suite: Suite, stub: Make) -> None:
    entries = tuple(SuiteEntry(ONE, level, 1, True) for level in range(1, 6))
    graded = runs.run(Suite("graded", suite.puzzle, entries), [stub()], Limit())
    far = changed(graded, [{"length": length} for length in (1, 3, 3, 61, 2)])
    assert [axes.get_yscale() for axes in drawn(plots.chart(far, "levels")).axes] == ["linear", "symlog"]


def test_levels_of_boards_that_are_filled_in_show_seconds(stripe: Puzzle, painter: Make) -> None:
    entries = (SuiteEntry("rr??????", 1), SuiteEntry("rrr?????", 1), SuiteEntry("rrrrr???", 2), SuiteEntry("r???????"))
    graded = runs.run(Suite("graded", stripe, entries), [painter(slow=3)], Limit(seconds=9))
    made = plots.chart(graded, "levels")
    assert made.header == ("solver", "level", "solved", "95 %", "seconds")
    assert [row[1:3] + row[4:] for row in body(made)] == [("1", "1/2", "4.55"), ("2", "1/1", "0.400")]
    assert drawn(made).axes[1].get_ylabel() == "seconds (log scale)"


def test_widths_are_lines_of_solvers_that_differ_in_nothing_else(short: None, suite: Suite, stub: Make) -> None:
    solvers = [stub(width=width, extra=extra) for width in (4, 2, None) for extra in (0, 2)]
    assert [row[:6] for row in body(plots.chart(runs.run(suite, solvers, MANY), "widths"))] == [
        ("stub", "2", "3/4", "75 %", "30-95 %", "0.00"),
        ("stub", "4", "3/4", "75 %", "30-95 %", "0.00"),
        ("stub:extra=2", "2", "0/4", "0 %", "0-49 %", "2.00"),
        ("stub:extra=2", "4", "0/4", "0 %", "0-49 %", "2.00"),
    ]


def test_playouts_are_drawn_where_no_solver_has_a_width(run: BenchRun) -> None:
    made = plots.chart(
        changed(run, [{"options": {"playouts": each.row.options["width"]}} for each in run.answers]), "widths"
    )
    assert made.title.endswith("optimal by playouts")
    assert made.header[1] == "playouts"
    assert [row[1] for row in body(made)] == ["10", "100"]
    assert drawn(made).axes[0].get_xlabel() == "playouts (log scale)"


def test_widths_show_the_excess_where_no_optimum_is_known(suite: Suite, stub: Make) -> None:
    entries = tuple(replace(entry, known_is_optimal=False) for entry in suite.entries)
    answers = runs.run(replace(suite, entries=entries), [stub(width=100, extra=2), stub(width=10, extra=4)], MANY)
    made = plots.chart(answers, "widths")
    assert made.title.endswith("excess by width")
    assert sorted((row[1], row[2], row[5]) for row in body(made)) == [("10", "-", "4.00"), ("100", "-", "2.00")]
    assert drawn(made).axes[0].get_ylabel().startswith("moves more than the shortest known")
    with pytest.raises(BadInput, match="published curves are shares of optima"):
        plots.chart(answers, "widths", {"somebody (2020)": [(10, 0.5, NAN)]})


def test_widths_are_drawn_beside_published_points(short: None, run: BenchRun) -> None:
    curves = {"somebody (2020)": [(10, 0.5, NAN), (1000, 0.976, 0.25)]}
    made = plots.chart(run, "widths", curves)
    assert body(made)[-2:] == (
        ("somebody (2020)", "10", "-", "50 %", "-", "-", "-"),
        ("somebody (2020)", "1000", "-", "97.6 %", "-", "-", "0.25"),
    )
    assert body(made)[:-2] == body(plots.chart(run, "widths"))
    figure = drawn(made)
    dashed = [
        [list(line.get_xydata().ravel()) for line in axes.get_lines() if line.get_linestyle() == "--"]
        for axes in figure.axes
    ]
    assert dashed == [[[10, 0.5, 1000, 0.976]], [[0.25, 0.976]]]
    assert len({line.get_color() for line in figure.axes[0].get_lines()}) == 3
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["stub", "stub:extra=2", "somebody (2020)"]
    assert [axes.get_xscale() for axes in figure.axes] == ["log", "log"]
    with pytest.raises(BadInput, match="bars does not show published curves: they are for widths"):
        plots.chart(run, "bars", curves)


# --- seconds ---


def test_bars_are_of_boards_where_there_are_few_and_of_solvers_where_they_are_many(
    run: BenchRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = plots.chart(run, "bars")
    assert made.title == "small: seconds for each board"
    assert body(made)[::3] == (("1", "1.00", "1.00"), ("4", "1.00 unsolved", "1.00 unsolved"))
    assert marks(made, 2) == ["2 s"]
    monkeypatch.setattr(times, "MAX_BOARDS_AS_BARS", 2)
    made = plots.chart(run, "bars")
    assert made.header == ("solver", "solved", "median", "95th percentile", "total")
    assert [row[1:4] for row in body(made)] == [("3/5", "1.00", "1.00")] * 2
    assert len(drawn(made).axes[0].patches) == 4


def test_few_boards_have_a_panel_each_with_a_bar_for_each_solver(painted: BenchRun, stripes: Suite) -> None:
    made = plots.chart(part(painted, stripes.entries[:2]), "bars")
    assert body(made) == (("1", "0.100", "0.0250"), ("2", "0.133", "0.0333"))
    panels = drawn(made).axes
    assert [axes.get_title() for axes in panels] == ["board 1: 2 clues", "board 2: 3 clues"]
    widths = [[bar.get_width() for bar in axes.patches] for axes in panels]
    assert widths == [pytest.approx([0.1, 0.025]), pytest.approx([0.133333, 0.033333])]
    names = [[label.get_text() for label in axes.get_yticklabels()] for axes in panels]
    assert names == [["painter", "painter:\njobs=4"], ["", ""]]
    assert [axes.get_ylim() for axes in panels] == [(1.5, -0.5)] * 2
    (axes,) = drawn(plots.chart(part(painted, (stripes.entries[0],) * 2), "bars")).axes  # one board, twice
    assert [label.get_text() for label in axes.get_yticklabels()] == names[0]


def test_a_figure_is_as_high_as_its_names_need(painted: BenchRun, stripes: Suite) -> None:
    one = part(painted, stripes.entries[:1])
    many = tuple(replace(one.answers[0], solver=f"painter:a=1:b=2:c={number}") for number in range(20))
    heights = [drawn(plots.chart(replace(one, answers=some), "bars")).get_figheight() for some in (many[:2], many)]
    assert heights[0] < 6 < 10 < heights[1]


@pytest.mark.parametrize(("mark", "names"), [(0.1, ["100 ms"]), (0.2, ["200 ms"]), (0, []), (1e-5, [])])
def test_the_line_of_100_ms_is_drawn_where_it_is_near_the_seconds(
    painted: BenchRun, mark: float, names: list[str]
) -> None:
    assert marks(plots.chart(painted, "clues"), mark) == names


def test_jobs_show_how_much_faster_more_of_them_are(painted: BenchRun) -> None:
    made = plots.chart(painted, "jobs")
    assert made.header == ("solver", "jobs", "boards", "seconds", "times as fast", "ideal")
    assert body(made) == (
        ("painter", "1", "12", "0.167", "1.00", "1.00"),
        ("painter", "4", "12", "0.0417", "4.00", "4.00"),
    )
    assert tuple(made.remarks) == ("painter is fastest with 4 jobs, 4.00 times as fast as with 1 (ideal: 4.00).",)
    left, right = drawn(made).axes
    speed, ideal = [[round(y, 3) for y in line.get_ydata()] for line in right.get_lines()]
    assert speed == ideal == [1, 4]
    assert [line.get_label() for line in left.get_lines()] == ["painter", "ideal", "100 ms"]


def test_jobs_that_lose_time_are_held_against_the_ideal(stripes: Suite, painter: Make) -> None:
    made = plots.chart(runs.run(stripes, [painter(jobs=jobs, lost=1.0) for jobs in (1, 2)], Limit()), "jobs")
    assert [row[1] for row in body(made)] == ["1", "2"]
    assert float(body(made)[1][4]) < 1 < float(body(made)[1][5])
    assert tuple(made.remarks) == ("painter:lost=1.0 is fastest with 1 job: more do not help it here.",)


def test_jobs_are_compared_on_the_boards_that_no_limit_ended(stripes: Suite, painter: Make) -> None:
    run = runs.run(stripes, [painter(slow=3), painter(slow=3, jobs=2)], Limit(seconds=9))
    assert [row[2] for row in body(plots.chart(run, "jobs"))] == ["10", "10"]
    with pytest.raises(BadInput, match="no board of 'stripes' was finished with every number of jobs"):
        plots.chart(part(run, stripes.entries[1:2]), "jobs")


def test_clues_find_the_peak(stripes: Suite, painter: Make) -> None:
    made = plots.chart(runs.run(stripes, [painter()], Limit()), "clues")
    assert [row[1:3] for row in body(made)] == [(str(clues), "2/2") for clues in range(2, 8)]
    assert [row[1] for row in body(made) if row[-1] == "peak"] == ["5"]
    (remark,) = made.remarks
    assert remark.startswith(
        "painter is slowest on boards with 5 clues: 0.400 s (median), where the boards have 2 to 7"
    )
    assert remark.endswith("Only 2 such: too few to rely on.")
    (axes,) = drawn(made).axes
    assert [line.get_xdata() for line in axes.get_lines() if line.get_marker() == "*"] == [[5]]


@pytest.mark.parametrize(
    ("ends", "labels"),
    [((0.015, 0.3), ["0.02", "0.05", "0.1", "0.2"]), ((1.0, 1e4), ["0", "1", "2", "3", "4"])],
)
def test_a_logarithmic_axis_has_labels_that_do_not_overlap(ends: tuple[float, float], labels: list[str]) -> None:
    pytest.importorskip("matplotlib")
    panel = charts.Panel([charts.Line("beam", ends, [0.5, 1.0])], {"xscale": "log"})
    figure = charts.figure_of(charts.Chart("times", ("name",), [], (), [panel]))
    figure.draw_without_rendering()
    axis = figure.axes[0].xaxis
    texts = [tick.label1.get_text() for tick in axis.get_major_ticks() if ends[0] <= tick.get_loc() <= ends[1]]
    assert [text.removeprefix(r"$\mathdefault{10^{").rstrip("}$") for text in texts] == labels
    assert not any(tick.label1.get_text() for tick in axis.get_minor_ticks())


def test_a_peak_of_few_boards_gives_way_to_one_of_many(stripe: Puzzle, painter: Make) -> None:
    many = ["rr??????", "rrr?????"] * 5 + ["rrrrr???"]
    made = plots.chart(runs.run(Suite("many", stripe, tuple(map(SuiteEntry, many))), [painter()], Limit()), "clues")
    assert [row[1] for row in body(made) if row[-1] == "peak"] == ["3"]
    assert "too few" not in made.remarks[0]
    line, circle, star, _ = drawn(made).axes[0].get_lines()
    assert (list(line.get_xdata()), list(circle.get_xdata()), list(star.get_xdata())) == ([2, 3], [5], [3])


def test_boards_with_equally_many_clues_have_no_peak(stripe: Puzzle, painter: Make) -> None:
    same = Suite("same", stripe, (SuiteEntry("rr??????"), SuiteEntry("bb??????")))
    made = plots.chart(runs.run(same, [painter()], Limit()), "clues")
    assert [row[-1] for row in body(made)] == [""]
    assert tuple(made.remarks) == ("painter: all boards have 2 clues, so there is no peak to find.",)


def test_times_that_differ_by_chance_have_no_peak(stripes: Suite, painter: Make) -> None:
    run = runs.run(stripes, [painter(peak=5)], Limit(seconds=9))
    chance = changed(run, [{"seconds": seconds} for seconds in (1.0, 1.0, 1.0, 9.0, 1.0, 1.0) * 2])
    assert plots.chart(chance, "clues").remarks[0].startswith("painter is slowest on boards with 5 clues")
    once = changed(chance, [{}] * 6 + [{"seconds": 1.0}] * 6)
    made = plots.chart(replace(run, answers=once.answers * 2), "clues")
    assert made.remarks[0].startswith("painter has no clear peak: where its median is greatest")
    assert {row[-1] for row in body(made)} == {""}


def test_effort_is_the_mean_length_by_seconds_of_the_boards_that_all_solved(
    short: None, suite: Suite, stub: Make
) -> None:
    solvers = [stub(width=width, extra=extra) for width, extra in ((4, 2), (2, 2), (None, 0))]
    made = plots.chart(runs.run(suite, solvers, MANY), "effort")
    assert [row[:5] for row in body(made)] == [
        ("stub:extra=2", "2", "4.33", "± 3.79", "2.00"),
        ("stub:extra=2", "4", "4.33", "± 3.79", "2.00"),
        ("stub", "-", "2.33", "± 3.79", "0.00"),
    ]
    (axes,) = drawn(made).axes
    optimum = [line.get_ydata()[0] for line in axes.get_lines() if line.get_label() == "the optimum"]
    assert optimum == [pytest.approx(7 / 3)]
    assert (axes.get_xscale(), axes.get_ylabel()) == ("log", "moves (mean, 95 % interval)")


# --- what cannot be drawn ---


def test_the_usual_kind_suits_the_puzzle(run: BenchRun, painted: BenchRun) -> None:
    assert (plots.default_kind(run), plots.default_kind(painted)) == ("lengths", "bars")
    for kind in ("lengths", "lengths2d", "effort"):
        with pytest.raises(BadInput, match="has equally many moves: draw bars or clues"):
            plots.chart(painted, kind)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("lengths", "no board of 'hard' was solved"),
        ("levels", "no board of 'hard' has a level or a known optimum"),
        ("widths", "no board of 'hard' has a known optimum"),
        ("effort", "no board of 'hard' was solved by every solver"),
        ("lengths2d", "only stub:extra=2:width=5.* has answered 'hard', and lengths2d holds one solver's"),
        ("clues", "tiles-3x3 does not say how many clues a board has"),
        ("jobs", r"several numbers of jobs; run one, as in --with permutation:jobs=1"),
        ("lenghts", "no kind of plot 'lenghts'; did you mean 'lengths'"),
    ],
)
def test_what_cannot_be_drawn_says_why(suite: Suite, stub: Make, kind: str, words: str) -> None:
    hard = Suite("hard", suite.puzzle, (SuiteEntry(HARD),))
    with pytest.raises(BadInput, match=words):
        plots.chart(runs.run(hard, [stub(extra=2, width=5)], FEW), kind)


def test_answers_that_are_not_there_cannot_be_drawn(suite: Suite, stub: Make) -> None:
    two = runs.run(Suite("hard", suite.puzzle, (SuiteEntry(HARD),)), [stub(), stub(extra=2)], FEW)
    with pytest.raises(BadInput, match="no board of 'hard' was solved by two solvers"):
        plots.chart(two, "lengths2d")
    with pytest.raises(BadInput, match="no solver of this benchmark has a width"):
        plots.chart(two, "widths")
    with pytest.raises(BadInput, match="there are no answers to 'small' yet"):
        plots.chart(BenchRun(suite, ()), "lengths")


def test_times_that_only_rounding_makes_different_are_drawn_at_one_place() -> None:
    pytest.importorskip("matplotlib")
    axes = charts.empty_figure("times").add_subplot()
    charts.draw_line(axes, "beam", [1e-5, (9e-6 + 1.1e-5) / 2], [0.5, 1.0])
    axes.set_xscale("log")  # would warn that the limits are identical
    (line,) = axes.lines
    assert line.get_xdata().tolist() == [1e-5, 1e-5]

"""A report of a folder of results as one HTML file, which needs nothing else: no other file, no script, no network.

`collect` reads benchmarks and training runs, `render` fills in the template `report.html`. Equal results make equal
bytes.
"""

from __future__ import annotations

import json
import math
import shlex
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from puzzlelab.bench import history, learning, level_table, plots, runs, selfplay_chart, tables
from puzzlelab.bench.caveats import caveats
from puzzlelab.bench.charts import INSTANT_SECONDS, Chart
from puzzlelab.bench.comparisons import Comparison, comparisons
from puzzlelab.bench.hardest_boards import HardBoard, hardest
from puzzlelab.bench.history import Record
from puzzlelab.bench.runs import BenchRun
from puzzlelab.bench.suites import SUITE_FILE
from puzzlelab.core.errors import BadFile, BadInput, PuzzlelabError
from puzzlelab.core.objective import objective_of
from puzzlelab.engine import report
from puzzlelab.storage.files import replace_file, writing
from puzzlelab.storage.outputs import check_replaceable
from puzzlelab.training.runs import Run
from puzzlelab.version import VERSION

if TYPE_CHECKING:
    from rich.table import Table

HARDEST = 6
"""Boards that are drawn for each benchmark."""
GENERATOR = '<meta name="generator" content="puzzlelab report">'
"""The line by which a report is known as one."""
MARKERS = (SUITE_FILE, Run(Path()).config.name)
"""The files by which a benchmark and a training run are found."""
MAX_ROWS = 200
"""The most lines of the numbers of a plot."""


@dataclass(frozen=True)
class TextTable:
    """A table as text."""

    title: str
    header: Sequence[str]
    """A heading may have several lines."""
    rows: Sequence[Sequence[str]]
    note: str = ""
    """A sentence below the table."""


@dataclass(frozen=True)
class ChartImage:
    """A plot in two versions, and its numbers."""

    kind: str
    title: str
    light: str
    """The address of an image, which holds the image itself."""
    dark: str
    numbers: TextTable
    remarks: Sequence[str]


@dataclass(frozen=True)
class BoardCard:
    """One of the hardest boards."""

    number: int
    text: str
    picture: str | None
    """The address of an image, which holds the image itself; None if the puzzle has no pictures."""
    drawing: str
    """The board as text."""
    facts: Sequence[str]
    command: str
    """Solves this board."""


@dataclass(frozen=True)
class Section:
    """A benchmark or a training run."""

    folder: str
    """Relative to the folder of the report."""
    title: str
    facts: Mapping[str, str]
    results: Sequence[TextTable] = ()
    sentences: Sequence[str] = ()
    drawings: Sequence[ChartImage] = ()
    not_drawn: Sequence[str] = ()
    """The reasons why some kinds of plot are missing, as sentences."""
    pairs: TextTable | None = None
    boards: Sequence[BoardCard] = ()
    options: TextTable | None = None
    records: Sequence[Record] = ()
    versions: Sequence[str] = ()
    """The versions of puzzlelab that wrote the rows."""
    settings: str = ""
    """The settings of a training run."""
    error: str = ""
    """The reason why the folder cannot be read, as a sentence; then the section has nothing else."""


@dataclass(frozen=True)
class Report:
    """A folder of results."""

    name: str
    sections: Sequence[Section]

    @property
    def errors(self) -> list[str]:
        """A sentence for each folder that cannot be read."""
        return [section.error for section in self.sections if section.error]


# --- reading ---


def collect(folder: Path) -> Report:
    """Collect all results in a folder and in those below it; raises `BadInput` if there are none, or no matplotlib."""
    if not folder.is_dir():
        raise BadFile(f"{folder} is no folder: give the folder of `bench --out`, or one that holds several")
    plots.empty_figure("")  # says what is missing before anything is read
    found = sorted({path.parent for name in MARKERS for path in folder.rglob(name)})
    if not found:
        raise BadInput(f"there are no results in {folder}: `puzzlelab bench ... --out {folder}` writes some")
    sections = []
    for number, each in enumerate(found):
        report.progress("report", number, len(found), each.name)
        sections.append(_section(each, _name(each, folder)))
    report.progress("report", len(found), len(found))
    return Report(folder.resolve().name, sections)


def _name(folder: Path, top: Path) -> str:
    return folder.relative_to(top).as_posix() if folder != top else top.resolve().name


def _section(folder: Path, name: str) -> Section:
    try:
        if (folder / SUITE_FILE).is_file():
            return _benchmark(runs.read_run(folder), name, history.read(folder))
        return _training(folder, name)
    except PuzzlelabError as error:
        return Section(name, name, {}, error=f"{name}: {error}")


def _benchmark(run: BenchRun, name: str, records: Sequence[Record]) -> Section:
    suite = run.suite
    facts = {
        "puzzle": suite.puzzle.name,
        "boards": f"{len(suite.entries):,}",
        "solvers": f"{len(run.by_solver)}",
        "hash of the suite": suite.hash,
    }
    if not run.answers:
        return Section(name, suite.name, facts, sentences=["There are no answers yet."], records=records)
    results = [_as_text(tables.table(run), "Results")]
    if by_level := level_table.table(run):
        results.append(_as_text(by_level, "Results by level"))
    drawings, not_drawn = [], []
    for kind in plots.KINDS:
        try:
            drawings.append(_drawing(plots.chart(run, kind)))
        except BadInput as reason:
            not_drawn.append(f"{kind}: {reason}.")
    return Section(
        folder=name,
        title=suite.name,
        facts=facts,
        results=results,
        sentences=caveats(run),
        drawings=drawings,
        not_drawn=not_drawn,
        pairs=_pairs(run),
        boards=[_card(run, board) for board in hardest(run, HARDEST)],
        options=_options(run),
        records=records,
        versions=sorted({answer.row.version for answer in run.answers} - {""}),
    )


def _training(folder: Path, name: str) -> Section:
    run = Run(folder)
    saved = run.saved_settings()
    facts = {"state": "finished" if run.done.exists() else "not finished"}
    facts |= {key: str(saved[key]) for key in ("recipe", "puzzle", "seed") if key in saved}
    charts: list[Callable[[], Chart]] = [lambda: learning.learning([folder])]
    if selfplay_chart.is_selfplay_run(folder):
        charts.append(lambda: selfplay_chart.elo(folder))
    drawings, not_drawn = [], []
    for chart in charts:
        try:
            drawings.append(_drawing(chart()))
        except BadInput as reason:
            not_drawn.append(f"{reason}.")
    settings = run.config.read_text(encoding="utf-8")
    return Section(name, f"Training of {name}", facts, drawings=drawings, not_drawn=not_drawn, settings=settings)


# --- tables ---


def _as_text(table: Table, title: str) -> TextTable:
    """Return the cells of a table of rich as plain text."""
    from rich.text import Text

    def plain(cell: object) -> str:
        return cell.plain if isinstance(cell, Text) else str(cell)

    columns = [[plain(cell) for cell in column.cells] for column in table.columns]
    return TextTable(title, [plain(column.header) for column in table.columns], list(zip(*columns, strict=True)))


def _pairs(run: BenchRun) -> TextTable | None:
    """Return every solver against every other one."""
    solvers = list(run.by_solver)
    if len(solvers) < 2:
        return None
    compared = comparisons(run)
    is_timed = any(each.seconds.count for each in compared.values())
    rows = [
        [
            tables.wrapped_label(one),
            *("" if one == other else _comparison(compared[one, other]) for other in solvers),
        ]
        for one in solvers
    ]
    kind = objective_of(run.suite.puzzle).kind
    what = (
        "a solution where the other has none"
        if tables.has_filled_answers(run.suite.puzzle)
        else {"moves": "the shorter solution", "cost": "the cheaper solution", "score": "the higher score"}[kind]
    )
    note = f"Each cell has the boards on which the solver of the line has {what}, is equal, or is worse."
    if is_timed:
        note += (
            " Below: its seconds divided by those of the solver of the column, on the boards that both solved "
            "(geometric mean, 95 % interval)."
        )
    return TextTable("Every solver against every other", ["", *map(tables.wrapped_label, solvers)], rows, note)


def _comparison(each: Comparison) -> str:
    counts = f"{each.better} / {each.equal} / {each.worse}"
    times = each.seconds
    if not times.count:
        return counts
    text = f"{counts}\n× {_factor(times.value)}"
    return text if math.isnan(times.low) else f"{text}\n{_factor(times.low)} to {_factor(times.high)}"


def _factor(value: float) -> str:
    """Return a factor with two digits that count."""
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"


def _options(run: BenchRun) -> TextTable:
    """Return all options of each solver, as its rows have them, and its network."""
    rows = []
    for solver, answers in run.by_solver.items():
        row = answers[0].row
        set_options = {name: value for name, value in row.options.items() if value is not None}
        options = ", ".join(
            f"{name} {value if isinstance(value, str) else json.dumps(value)}" for name, value in set_options.items()
        )
        rows.append([tables.wrapped_label(solver), row.solver, options or "none", row.net or "none"])
    return TextTable("Options and networks", ["solver", "name", "options", "network and hash"], rows)


# --- pictures ---


def _drawing(chart: Chart) -> ChartImage:
    body = chart.body if len(chart.body) <= MAX_ROWS else chart.body[:MAX_ROWS]
    note = "" if body is chart.body else f"The first {MAX_ROWS} of {len(chart.body):,} lines."
    header = [tables.wrapped_label(head) for head in chart.header]
    numbers = TextTable(f"Numbers of '{chart.kind}'", header, [list(row) for row in body], note)
    return ChartImage(
        chart.kind, chart.title, _plot(chart, "default"), _plot(chart, "dark_background"), numbers, chart.remarks
    )


def _plot(chart: Chart, style: str) -> str:
    """Return the address of an image of a chart in a style of matplotlib; its ground is that of the page."""
    from matplotlib import style as styles

    with styles.context([style, {"savefig.transparent": True}]):
        figure = plots.empty_figure(chart.title)
        chart.draw(figure, INSTANT_SECONDS)
        return _address(plots.image(figure, "svg"))


def _address(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg).decode('ascii')}"


def _card(run: BenchRun, board: HardBoard) -> BoardCard:
    puzzle = run.suite.puzzle
    instance = run.suite.instance(board.entry)
    text = puzzle.write(instance.state)
    svg = instance.svg()
    facts = [
        f"solved by {board.solved.count} of {board.solved.total} solvers",
        f"{tables.number(board.expanded)} states expanded (geometric mean)",
    ]
    if board.entry.level is not None:
        facts.append(f"level {board.entry.level}")
    if board.best is not None and not tables.has_filled_answers(puzzle):
        kind = objective_of(puzzle).kind
        value = f"{board.best.value} moves" if kind == "moves" else f"{kind} {board.best.value}"
        facts.append(f"best known: {value}, {'proven optimal' if board.best.optimal else 'not proven optimal'}")
    picture = None if svg is None else _address(svg.encode())
    command = shlex.join(["puzzlelab", "solve", puzzle.name, text])
    return BoardCard(board.number, text, picture, puzzle.draw(instance.state), facts, command)


# --- writing ---


def render(contents: Report) -> str:
    """Return the report as HTML; raises `BadInput` without jinja2."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise BadInput("reports need jinja2, which is not installed: pip install 'puzzlelab[plot]'") from None
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template("report.html").render(report=contents, version=VERSION)


def check_out(path: Path) -> None:
    """Check that a report may be written there: the file is new, empty, or a report already; raises `BadFile`."""
    if path.is_dir():
        raise BadFile(f"{path} is a folder: give the name of a file, such as {path / 'report.html'}")
    check_replaceable(path, lambda begin: GENERATOR.encode() in begin, "report")


def write(contents: Report, path: Path) -> None:
    """Write a report in one step; raises `BadFile`, also for a file that exists and is no report."""
    check_out(path)
    text = render(contents)
    with writing(path):
        replace_file(path, text)

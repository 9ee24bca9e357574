"""A report of a folder of results as one HTML file, which needs nothing else: no other file, no script, no network.

`collect` reads benchmarks and training runs, `render` fills in the template `report.html`. Equal results make equal
bytes.
"""

from __future__ import annotations

import json
import math
import shlex
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from puzzlelab.bench import history, plots, runs, seeds, tables, training_charts
from puzzlelab.bench.caveats import caveats
from puzzlelab.bench.charts import Chart, empty_figure, figure_of, image
from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.suites import SUITE_FILE
from puzzlelab.bench.summaries import Reference, Summary, has_filled_answers, references
from puzzlelab.bench.tables import TextTable
from puzzlelab.core.errors import BadFile, BadInput, PuzzlelabError
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.engine import report
from puzzlelab.runtime import libraries
from puzzlelab.storage.files import replace_file, writing
from puzzlelab.storage.outputs import check_ending, check_replaceable
from puzzlelab.training.runs import Run
from puzzlelab.version import VERSION

HARDEST = 6
"""Boards that are drawn for each benchmark."""
GENERATOR = '<meta name="generator" content="puzzlelab report">'
"""The line by which a report is known as one."""
MARKERS = (SUITE_FILE, Run(Path()).config.name)
"""The files by which a benchmark and a training run are found."""
MAX_ROWS = 200
"""The most lines of the numbers of a plot."""


HardBoard = dict[str, Any]
"""A hard board: its `number` in the suite, `text`, `picture` (None if the puzzle has none), `drawing` as text, `facts`,
and the `command` that solves it.
"""


Section = dict[str, Any]
"""What the template shows of a benchmark or a training run, by name; of a folder that cannot be read only its name and
the `error`, a sentence. Images are addresses that hold the image itself.
"""


# --- reading ---


def collect(folder: Path) -> list[Section]:
    """Collect all results in a folder and in those below it; raises `BadInput` if there are none, or no matplotlib."""
    if not folder.is_dir():
        raise BadFile(f"{folder} is no folder: give the folder of `bench --out`, or one that holds several")
    empty_figure("")  # says what is missing before anything is read
    found = sorted({_place(path.parent, folder) for name in MARKERS for path in folder.rglob(name)})
    if not found:
        raise BadInput(f"there are no results in {folder}: `puzzlelab bench ... --out {folder}` writes some")
    sections: list[Section] = []
    for number, each in enumerate(found):
        report.progress("report", number, len(found), each.name)
        name = each.relative_to(folder).as_posix() if each != folder else folder.resolve().name
        try:
            contents = _benchmark(each) if (each / SUITE_FILE).is_file() else _training(each)
        except PuzzlelabError as error:
            contents = {"title": name, "facts": {}, "error": f"{name}: {error}"}
        sections.append({"title": f"Training of {name}", "folder": name, **contents})
    report.progress("report", len(found), len(found))
    return sections


def _place(folder: Path, root: Path) -> Path:
    """Return the folder of the section of these results: the runs of a sweep have one together, unless it is above
    the root.
    """
    is_swept = folder != root and "=" in folder.name and Run(folder).begun and not Run(folder.parent).begun
    return folder.parent if is_swept else folder


def _benchmark(folder: Path) -> Section:
    run, records = runs.read_run(folder), history.read(folder)
    suite = run.suite
    facts = {
        "puzzle": suite.puzzle.name,
        "boards": f"{len(suite.entries):,}",
        "solvers": f"{len(run.by_solver)}",
        "hash of the suite": suite.hash,
    }
    section = {"title": suite.name, "facts": facts, "records": records}
    if not run.answers:
        return {**section, "sentences": ["There are no answers yet."]}
    return {
        **section,
        **_drawings({kind: partial(plots.chart, run, kind) for kind in plots.KINDS}),
        "results": [
            table for table in (tables.of_solvers(run), tables.of_levels(run), seeds.of_networks(run)) if table
        ],
        "sentences": caveats(run),
        "pairs": tables.of_pairs(run),
        "boards": hardest(run, HARDEST),
        "options": _options(run),
        "versions": sorted({answer.row.version for answer in run.answers} - {""}),
    }


def _training(folder: Path) -> Section:
    swept = seeds.runs_in(folder)
    folders, is_sweep = swept or [folder], bool(swept)
    run = Run(folders[0])
    saved = run.saved_settings()
    facts = {"state": "finished" if all(Run(each).done.exists() for each in folders) else "not finished"}
    facts |= {"runs": str(len(folders))} if is_sweep else {}
    facts |= {key: str(saved[key]) for key in ("recipe", "puzzle", "seed")[: 2 if is_sweep else 3] if key in saved}
    charts: dict[str, Callable[[], Chart]] = {"learning": lambda: training_charts.learning(folders)}
    if not is_sweep and training_charts.is_selfplay_run(folder):
        charts["elo"] = lambda: training_charts.elo(folder)
    return {
        "facts": facts,
        "results": seeds.tables_of_runs(folders) if is_sweep else [],
        "settings": run.config.read_text(encoding="utf-8"),
        **_drawings(charts),
    }


def _options(run: BenchRun) -> TextTable:
    """Return all options of each solver, as its rows have them, and its network."""
    rows = []
    for solver, answers in run.by_solver.items():
        row = answers[0].row
        options = ", ".join(
            f"{name} {value if isinstance(value, str) else json.dumps(value)}"
            for name, value in row.options.items()
            if value is not None
        )
        rows.append((tables.wrapped_label(solver), row.solver, options or "none", row.net or "none"))
    header = "solver", "name", "options", "network and hash"
    return TextTable("Options and networks", header, rows)


# --- pictures ---


def _drawings(charts: Mapping[str, Callable[[], Chart]]) -> Section:
    """Return the charts, each with its image on a light and on a dark ground, and why some cannot be drawn."""
    drawings, not_drawn = [], []
    for kind, make in charts.items():
        try:
            chart = make()
        except BadInput as reason:
            not_drawn.append(f"{kind}: {reason}.")
        else:
            drawings.append((chart, _plot(chart, "default"), _plot(chart, "dark_background")))
    return {"drawings": drawings, "not_drawn": not_drawn}


def _plot(chart: Chart, style: str) -> str:
    """Return the address of an image of a chart in a style of matplotlib; its ground is that of the page."""
    from matplotlib import style as styles

    with styles.context([style, {"savefig.transparent": True}]):
        return _address(image(figure_of(chart), "svg"))


def _address(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg).decode('ascii')}"


# --- the hardest boards ---


def hardest(run: BenchRun, count: int) -> list[HardBoard]:
    """Return up to this number of boards: first those that the fewest solvers solved, then those that took the most
    states. A board that occurs several times counts once.
    """
    numbers = {entry.board: number for number, entry in reversed(list(enumerate(run.suite.entries, start=1)))}
    boards: dict[int, list[BenchAnswer]] = defaultdict(list)
    for answer in run.answers:
        boards[numbers[answer.entry.board]].append(answer)
    solved = {number: sum(answer.length is not None for answer in of) / len(of) for number, of in boards.items()}
    expanded = {number: _expanded(answers) for number, answers in boards.items()}
    order = sorted(boards, key=lambda number: (solved[number], -expanded[number], number))
    known = references(run)
    return [_hard_board(run.suite.puzzle, number, Summary("", boards[number], known)) for number in order[:count]]


def _expanded(answers: Sequence[BenchAnswer]) -> float:
    """Return the geometric mean of the states expanded, so that each solver has the same weight."""
    return math.exp(np.mean([math.log(max(answer.row.expanded, 1)) for answer in answers]))


def _hard_board(puzzle: Puzzle, number: int, at: Summary) -> HardBoard:
    entry, kind = at.answers[0].entry, objective_of(puzzle).kind
    instance = puzzle.read(entry.board)
    text, svg = puzzle.write(instance.state), instance.svg()
    facts = [
        f"solved by {at.solved.number} of {at.solved.total} solvers",
        f"{tables.number(_expanded(at.answers))} states expanded (geometric mean)",
    ]
    if entry.level is not None:
        facts.append(f"level {entry.level}")
    found = [(answer.excess_over(0) or 0, answer.value) for answer in at.answers if answer.value is not None]
    best = at.references.get(entry.board) or (Reference(min(found)[1], False) if found else None)
    if best is not None and not has_filled_answers(puzzle):
        value = f"{best.value} moves" if kind == "moves" else f"{kind} {best.value}"
        facts.append(f"best known: {value}, {'proven optimal' if best.optimal else 'not proven optimal'}")
    return {
        "number": number,
        "text": text,
        "picture": None if svg is None else _address(svg.encode()),
        "drawing": puzzle.draw(instance.state),
        "facts": facts,
        "command": shlex.join(["puzzlelab", "solve", puzzle.name, text]),
    }


# --- writing ---


def render(sections: Sequence[Section], name: str) -> str:
    """Return the report of a folder of this name as HTML; raises `BadInput` without jinja2."""
    libraries.require("a report", ["jinja2"], "plot")
    from jinja2 import Environment, FileSystemLoader

    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["wrapped"] = tables.wrapped_label
    template = environment.get_template("report.html")
    return template.render(name=name, sections=sections, max_rows=MAX_ROWS, version=VERSION)


def check_out(path: Path) -> None:
    """Check that a report may be written there: the file is new, empty, or a report already; raises `BadFile`."""
    if path.is_dir():
        raise BadFile(f"{path} is a folder: give the name of a file, such as {path / 'report.html'}")
    check_ending(path, ("", ".html", ".htm"))
    check_replaceable(path, lambda begin: GENERATOR.encode() in begin, "report")


def write(sections: Sequence[Section], name: str, path: Path) -> None:
    """Write the report of a folder in one step; raises `BadFile`, also for a file that exists and is no report."""
    check_out(path)
    text = render(sections, name)
    with writing(path):
        replace_file(path, text)

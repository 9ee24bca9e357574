"""`puzzlelab generate`: generates boards of a requested difficulty."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from puzzlelab.cli.console import end_interrupted, print_table, say
from puzzlelab.cli.options import ExecutorName, FormName, PuzzleName, Threads, open_optional, status_in_words, taking
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadFile, BadOption

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle, State
    from puzzlelab.core.views import Tally
    from puzzlelab.engine.executor import Executor
    from puzzlelab.jobs.board_generation import GeneratorField
    from puzzlelab.jobs.board_writing import BoardLines

ScaleName = Annotated[
    str | None,
    typer.Option(
        help="The scale of difficulty (see `puzzlelab list PUZZLE`), by default the first one; "
        "`uniform`, where a puzzle has it, makes uniformly random boards."
    ),
]
LevelRange = Annotated[
    str | None,
    typer.Option(
        help="The level on that scale, or a range A-B with equally frequent levels. Without it the puzzle decides: "
        "tiles-4x4, for example, draws a level evenly, so that easy boards are as frequent as hard ones."
    ),
]
NEW_SEEDS = 1_000_000
"""Seeds that are drawn are below this number, so that they are short enough to read out."""
GENERATOR = "generator"
"""The key of the values of a generator's options in the context of the command."""


class GenerateCommand(TyperCommand):
    """The command, with additional options for the settings of the puzzles' own generators."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the function below, and one for each setting of a generator."""
        return [*super().get_params(ctx), *_generator_options()]


@cache
def _generator_options() -> Sequence[Any]:
    """Return the options for the settings of generators; the puzzles are imported for them."""
    from puzzlelab.jobs.board_generation import generator_fields

    def kind(field: GeneratorField) -> type:
        return bool if field.is_switch else str

    fields = generator_fields()
    added = {
        name: (f"--{field.off or name.replace('_', '-')}", kind(field), field.description)
        for name, field in fields.items()
    }
    typer_app = typer.Typer(add_completion=False)
    typer_app.command()(taking(added)(lambda **options: None))
    options = [option for option in get_command(typer_app).params if option.name in fields]
    for option in options:
        option.expose_value, option.callback = False, _store  # typer knows the parameters of the function alone
    return options


def _store(context: Any, option: Any, value: Any) -> None:
    """Store the value of a generator's option in the context of the command."""
    context.meta.setdefault(GENERATOR, {})[option.name] = value


app = typer.Typer(add_completion=False)


@app.command("generate", cls=GenerateCommand)
def generate(
    context: typer.Context,
    puzzle: PuzzleName,
    count: Annotated[int, typer.Option(min=1, help="How many boards.")] = 1,
    scale: ScaleName = None,
    level: LevelRange = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Equal seeds give equal boards. Without it, boards are new at each call; a file goes on with its own.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write to this file, or continue it; its ending says the form: .txt, .csv, .jsonl, .parquet, .html, "
            "or one of the puzzle's own."
        ),
    ] = None,
    form: FormName = None,
    jobs: Threads = None,
    executor: ExecutorName = None,
    histogram: Annotated[
        Path | None,
        typer.Option(help="Draw a histogram of the sizes of the boards in --out (.png or .svg)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each board.")] = False,
) -> None:
    """Generate boards, one a line. Easy levels may have few different boards, so that some are repeated.

    Standard error has the seed of the boards, which makes them again.
    """
    from puzzlelab.core import registry
    from puzzlelab.core.views import own_generator
    from puzzlelab.jobs.board_generation import board_batches, generator_fields
    from puzzlelab.jobs.board_writing import board_lines, kept_seed, states_in

    if json and (out is not None or form is not None):
        raise BadOption("--json prints boards as objects: give neither --out nor --as with it")
    loaded_puzzle = registry.load(puzzle)
    fields = generator_fields()
    values = {name: fields[name].setting(value) for name, value in context.meta[GENERATOR].items()}
    settings = {name: value for name, value in values.items() if value is not None}
    own = own_generator(loaded_puzzle)
    if histogram and (own is None or own.tally is None):
        raise BadOption(f"{loaded_puzzle.name} makes boards by scale and level only")
    if out is None:
        if histogram:
            raise BadOption("--histogram draws the boards of --out; name a file with --out")
        chosen = secrets.randbelow(NEW_SEEDS) if seed is None else seed
        with open_optional(executor, jobs) as workers:
            batches = board_batches(loaded_puzzle, scale, level, chosen, jobs, workers, settings)
            _tell_seed(chosen, seed)
            facts = {"scale": scale, "level": level, "seed": chosen} if json else None
            _print_boards(loaded_puzzle, batches(0, count), form, facts)
        return
    if histogram:
        _check_image(histogram)
    kept = kept_seed(out) if seed is None else seed
    chosen = secrets.randbelow(NEW_SEEDS) if kept is None else kept
    with open_optional(executor, jobs) as workers:
        lines = board_lines(loaded_puzzle, out, scale, level, chosen, jobs, workers, settings=settings, form=form)
        if histogram and lines.form.extent != "line":
            raise BadOption("--histogram reads the boards of files with a board a line: name such a file, or form")
        _write(lines, count, out, workers)
    _tell_seed(chosen, kept)
    if own is not None and own.tally is not None and lines.form.extent == "line":
        _summary(own.tally(states_in(loaded_puzzle, lines)), histogram)


def _print_boards(
    puzzle: Puzzle, parts: Iterator[tuple[State, State | None]], form: str | None, facts: Mapping[str, Any] | None
) -> None:
    """Print boards in a form, or as objects with these facts about their settings."""
    from puzzlelab.jobs.board_forms import USUAL, form_named, texts_in
    from puzzlelab.jobs.serialise import board_facts

    if facts is None:
        for text in texts_in(form_named(puzzle, form or USUAL), parts):
            print(text, end="", flush=True)
        return
    for each in board_facts(puzzle, (board for boards, _ in parts for board in boards), **facts):
        say(dumps(each))


def _tell_seed(chosen: int, given: int | None) -> None:
    """Print a seed that was drawn on standard error."""
    if given is None:
        typer.echo(f"seed {chosen}", err=True)


def _write(lines: BoardLines, count: int, out: Path, executor: Executor | None) -> None:
    """Write boards to a file, with progress; Ctrl-C keeps the boards so far."""
    import time

    from puzzlelab.engine import report
    from puzzlelab.jobs.board_writing import write_boards

    start, boards = time.perf_counter(), 0

    def show_progress(done: int) -> None:
        nonlocal boards
        boards = done
        report.progress("making", done, count, status_in_words(executor))

    with progress():
        try:
            existing = write_boards(lines, count, show_progress)
        except KeyboardInterrupt:
            end_interrupted(f"interrupted after {boards:,} of {count:,} boards; repeat the command to continue")
    if existing >= count:
        more = f", more than the {count:,} of --count" if existing > count else ""
        say(f"{out} has {existing:,} board{'s' * (existing > 1)} already{more}: nothing was changed")
    else:
        seconds = time.perf_counter() - start
        say(f"{count:,} board{'s' * (count > 1)} in {out}, {seconds:.3g} s")


def _check_image(path: Path) -> None:
    """Check before the work that the image can be drawn after it; raises `BadFile` or `BadInput`."""
    from puzzlelab.bench.charts import empty_figure
    from puzzlelab.storage.outputs import check_image

    if path.suffix not in (".png", ".svg"):
        raise BadFile(f"{path} is no image: its name must end in .png or .svg")
    if not path.parent.is_dir():
        raise BadFile(f"cannot write {path}: there is no folder {path.parent}")
    check_image(path)
    empty_figure("")


def _summary(tally: Tally, histogram: Path | None) -> None:
    """Print the number of boards of each level; draw the number of boards of each size."""
    counts, total = tally.counts, tally.counts.sum()
    rows = []
    for level, (smallest, largest) in tally.levels.items():
        level_counts = counts[smallest : largest + 1]
        if level_counts.sum():
            mean = (level_counts * range(smallest, largest + 1)).sum() / level_counts.sum()
            sizes = [smallest + offset for offset in level_counts.nonzero()[0]]
            boards, share = f"{level_counts.sum():,}", f"{level_counts.sum() / total:.1%}"
            rows.append((str(level), f"{sizes[0]}-{sizes[-1]}", boards, share, f"{mean:.2f}"))
    print_table(("level", tally.what, "boards", "share", f"mean {tally.what}"), rows)
    if histogram:
        from puzzlelab.bench.lengths import histogram as draw_histogram

        draw_histogram(counts, tally.what, "boards", histogram)
        say(str(histogram))

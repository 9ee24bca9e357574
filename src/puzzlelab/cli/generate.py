"""`puzzlelab generate`: new boards of an asked difficulty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import Parameter, Signature
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from puzzlelab.cli.console import INTERRUPTED, fail, output, progress

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.views import BoardGenerator, Tally

GENERATOR = "generator"
"""Where the context of the command keeps the settings of a generator."""


class GenerateCommand(TyperCommand):
    """The verb, with the options of the generators that puzzles have of their own."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The options of the function below, and one for each setting of a generator."""
        return [*super().get_params(ctx), *_generator_options()]


@cache
def _generator_options() -> Sequence[Any]:
    """The options, as typer makes them of a function that has a parameter for each."""
    from puzzlelab.analysis.board_generation import generator_fields

    def function(**options: Any) -> None: ...

    parameters = []
    for name, (puzzle, field) in generator_fields().items():
        extra = field.json_schema_extra
        off = extra.get("off") if isinstance(extra, dict) else None
        kind: Any = bool if field.annotation is bool else str | None
        option = typer.Option(
            f"--{off or name.replace('_', '-')}",
            help=f"{puzzle}: {field.description}.",
            expose_value=False,
            callback=_kept(off is not None),
        )
        default = False if kind is bool else None
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]))
    vars(function).update(__signature__=Signature(parameters), __annotations__={})
    own = typer.Typer(add_completion=False)
    own.command()(function)
    return [option for option in get_command(own).params if option.name in generator_fields()]


def _kept(off: bool) -> Callable[[typer.Context, typer.CallbackParam, Any], None]:
    """Keeps the value of a generator's option for the function below."""

    def keep(context: typer.Context, option: typer.CallbackParam, value: Any) -> None:
        if value not in (None, False):
            context.meta.setdefault(GENERATOR, {})[option.name] = False if off else value

    return keep


app = typer.Typer(add_completion=False)


@app.command("generate", cls=GenerateCommand)
def generate(
    context: typer.Context,
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4.")],
    count: Annotated[int, typer.Option(min=1, help="How many boards.")] = 1,
    scale: Annotated[str | None, typer.Option(help="The scale of difficulty (see `puzzlelab list PUZZLE`).")] = None,
    level: Annotated[
        str | None, typer.Option(help="The level on that scale, or a range A-B; its levels come up alike.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal boards.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Write to this file, or go on with it; generators of their own write .csv or .parquet too."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads; all cores if left out.")] = None,
    histogram: Annotated[
        Path | None,
        typer.Option(help="Draw how large the boards in --out are (.png or .svg), if a generator made them."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a board.")] = False,
) -> None:
    """Make boards, one a line; easy levels may hold few different boards, so that some come twice."""
    from puzzlelab import api
    from puzzlelab.analysis import board_generation
    from puzzlelab.analysis.serialise import board_facts
    from puzzlelab.core.errors import BadOption
    from puzzlelab.core.views import OwnGenerator

    if json and out is not None:
        raise BadOption("--json prints boards, and --out writes them to a file: give one of them")
    chosen = api.load(puzzle)
    made: Mapping[str, Any] = context.meta.get(GENERATOR, {})
    if histogram and chosen.view(OwnGenerator) is None:
        raise BadOption(f"{chosen.name} makes boards by scale and level only")
    if out is None:
        if histogram:
            raise BadOption("--histogram draws what --out holds; name a file with --out")
        boards = board_generation.boards(chosen, count, scale, level, seed, jobs, **made)
        for facts in board_facts(chosen, boards, scale, level, seed):
            typer.echo(dumps(facts) if json else facts["board"])
        return
    maker = board_generation.generator_of(chosen, scale, level, made)
    if maker is not None:
        _file(maker, count, seed, jobs, out, histogram)
    else:
        _lines_of(chosen, count, scale, level, seed, out)


def _file(
    generator: BoardGenerator, count: int, seed: int, jobs: int | None, out: Path, histogram: Path | None
) -> None:
    """Write a large file, with progress; Ctrl-C keeps what is there."""
    import time

    if histogram:
        _drawable(histogram)
    began, rows = time.perf_counter(), [0, 0]
    with progress("making", count) as bars:

        def told(done: int) -> None:
            rows[:] = rows[0] or done, done
            if bars.task_ids:
                bars.update(bars.task_ids[0], completed=done)

        try:
            generator.write(out, count, seed, jobs, told)
        except KeyboardInterrupt:
            fail(f"interrupted: {rows[1]:,} of {count:,} boards are there; the same command goes on from there")
            raise typer.Exit(INTERRUPTED) from None
    output().print(f"{count:,} board{'s' * (count > 1)} in {out}, {time.perf_counter() - began:.3g} s", markup=False)
    _summary(generator.tally(out), histogram)


def _drawable(path: Path) -> None:
    """Find out before the work whether an image can be drawn after it."""
    from puzzlelab.bench.plots import empty_figure
    from puzzlelab.core.errors import BadFile

    if path.suffix not in (".png", ".svg"):
        raise BadFile(f"{path} is no image: write .png or .svg")
    if not path.parent.is_dir():
        raise BadFile(f"cannot write {path}: there is no folder {path.parent}")
    empty_figure("")


def _summary(tally: Tally, histogram: Path | None) -> None:
    """How many boards there are of each level, as a table; how many of each size, as an image."""
    from rich.table import Table

    counts, total = tally.counts, tally.counts.sum()
    table = Table("level", tally.what, "boards", "share", f"mean {tally.what}", box=None)
    for level, (least, most) in tally.levels.items():
        part = counts[least : most + 1]
        if part.sum():
            mean = (part * range(least, most + 1)).sum() / part.sum()
            sizes = [least + place for place in part.nonzero()[0]]
            row = f"{sizes[0]}-{sizes[-1]}", f"{part.sum():,}", f"{part.sum() / total:.1%}", f"{mean:.2f}"
            table.add_row(str(level), *row)
    console = output()
    console.print(table)
    if histogram:
        from puzzlelab.bench import histograms

        histograms.draw(counts, tally.what, "boards", histogram)
        console.print(str(histogram), markup=False)


def _lines_of(puzzle: Puzzle, count: int, scale: str | None, level: str | None, seed: int, out: Path) -> None:
    """Write boards of any puzzle that has scales; Ctrl-C keeps what is there."""
    from puzzlelab.analysis.board_generation import sampler
    from puzzlelab.core.errors import BadFile
    from puzzlelab.core.views import scale_of

    name, _ = scale_of(puzzle, scale)
    made = sampler(puzzle, scale, level, seed)
    header = f"# puzzle: {puzzle.name}\n# {name} {level or 'any'}, seed {seed}\n"
    try:
        _lines(out, header, lambda number: puzzle.write(made(number)), count)
    except OSError as error:
        raise BadFile(f"cannot write {out}: {error.strerror}") from None
    except KeyboardInterrupt:
        fail(f"interrupted; {out} holds the boards made so far, and the same command goes on from there")
        raise


def _lines(out: Path, header: str, board: Callable[[int], str], count: int) -> None:
    """Write a file of one board a line, each as it is made; what is there under the same header is kept."""
    head, begun = header.encode(), out.read_bytes() if out.is_file() else b""
    # The last line has no end if the program was killed while it wrote it.
    made = begun[len(head) :].splitlines(keepends=True)[:count] if begun.startswith(head) else []
    whole = [line for line in made if line.endswith(b"\n")]
    with out.open("r+b" if whole else "wb") as file, progress("making", count) as bars:
        file.truncate(len(head) + sum(map(len, whole)) if whole else 0)
        file.seek(0, 2)
        file.write(b"" if whole else head)
        for i in range(len(whole), count):
            file.write(f"{board(i)}\n".encode())
            file.flush()
            if bars.task_ids:
                bars.update(bars.task_ids[0], completed=i + 1)

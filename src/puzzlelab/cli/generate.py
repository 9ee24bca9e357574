"""`puzzlelab generate`: new boards of an asked difficulty."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import INTERRUPTED, fail, output, progress

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle


def generate(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4.")],
    count: Annotated[int, typer.Option(min=1, help="How many boards.")] = 1,
    scale: Annotated[str | None, typer.Option(help="The scale of difficulty (see `puzzlelab list PUZZLE`).")] = None,
    level: Annotated[
        str | None, typer.Option(help="The level on that scale, or a range A-B; its levels come up alike.")
    ] = None,
    mix: Annotated[str | None, typer.Option(help="Sudoku: levels in these shares, even or doubling.")] = None,
    clues: Annotated[str | None, typer.Option(help="Sudoku: so many clues, or A-B.")] = None,
    minimal: Annotated[bool, typer.Option("--minimal", help="Sudoku: no clue can be left out (usual).")] = False,
    symmetry: Annotated[str | None, typer.Option(help="Sudoku: a pattern of clues such as half-turn.")] = None,
    hard: Annotated[int | None, typer.Option(help="Sudoku: climb so many steps towards more guesses.")] = None,
    allow_multiple: Annotated[
        bool, typer.Option("--allow-multiple", help="Sudoku: boards that may have several solutions.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal boards.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Write to this file; for Sudoku .csv, .parquet, .txt or .sdm, and gone on with if begun."),
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads; all cores if left out.")] = None,
    histogram: Annotated[
        Path | None, typer.Option(help="Sudoku: draw how many boards in --out have how many clues (.png or .svg).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a board.")] = False,
) -> None:
    """Make boards, one a line; easy levels may hold few different boards, so that some come twice."""
    from puzzlelab import api
    from puzzlelab.core import making
    from puzzlelab.core.errors import BadOption
    from puzzlelab.core.facts import board_facts

    if json and out is not None:
        raise BadOption("--json prints boards, and --out writes them to a file: give one of them")
    chosen = api.load(puzzle)
    made: dict[str, Any] = {"mix": mix, "clues": clues, "symmetry": symmetry, "hard": hard}
    made |= {"minimal": minimal or None, "unique": False if allow_multiple else None}
    if histogram and getattr(chosen, "generator", None) is None:
        raise BadOption(f"{chosen.name} makes boards by scale and level only")
    if out is None:
        if histogram:
            raise BadOption("--histogram draws what --out holds; name a file with --out")
        boards = making.boards(chosen, count, scale, level, seed, jobs, **made)
        for facts in board_facts(chosen, boards, scale, level, seed):
            typer.echo(dumps(facts) if json else facts["board"])
        return
    maker = making.generator_of(chosen, scale, level, made)
    if maker is not None:
        _file(maker, count, seed, jobs, out, histogram)
    else:
        _lines_of(chosen, count, scale, level, seed, out)


def _file(generator: Any, count: int, seed: int, jobs: int | None, out: Path, histogram: Path | None) -> None:
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
    counts, levels = generator.tally(out)
    _summary(counts, levels, histogram)


def _drawable(path: Path) -> None:
    """Find out before the work whether an image can be drawn after it."""
    from puzzlelab.bench.plots import empty_figure
    from puzzlelab.core.errors import BadFile

    if path.suffix not in (".png", ".svg"):
        raise BadFile(f"{path} is no image: write .png or .svg")
    if not path.parent.is_dir():
        raise BadFile(f"cannot write {path}: there is no folder {path.parent}")
    empty_figure("")


def _summary(counts: Any, levels: Mapping[int, tuple[int, int]], histogram: Path | None) -> None:
    """How many boards have how many clues, as a table by level and as an image."""
    from rich.table import Table

    table = Table("level", "clues", "boards", "share", "mean clues", box=None)
    for level, (least, most) in levels.items():
        part = counts[least : most + 1]
        if part.sum():
            mean = (part * range(least, most + 1)).sum() / part.sum()
            found = [least + place for place in part.nonzero()[0]]
            row = f"{found[0]}-{found[-1]}", f"{part.sum():,}", f"{part.sum() / counts.sum():.1%}", f"{mean:.2f}"
            table.add_row(str(level), *row)
    console = output()
    console.print(table)
    if histogram:
        from puzzlelab.bench import histograms

        histograms.draw(counts, "clues", "boards", histogram)
        console.print(str(histogram), markup=False)


def _lines_of(puzzle: Puzzle, count: int, scale: str | None, level: str | None, seed: int, out: Path) -> None:
    """Write boards of any puzzle that has scales; Ctrl-C keeps what is there."""
    from puzzlelab.core.errors import BadFile
    from puzzlelab.core.making import sampler
    from puzzlelab.core.puzzle import scale_of

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

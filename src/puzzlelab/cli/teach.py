"""`puzzlelab teach`: writes training samples, which are positions with the moves of a teacher."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import INTERRUPTED, fail, output, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlelab.experience.teachers import SampleSource

BEAM_OPTIONS = {"width": 100}
"""Options of the default teacher, a beam search."""
DEFAULT_COUNT = 100_000


def teach(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as dust-8x6x5.")],
    out: Annotated[Path, typer.Option(help="The folder of the samples; an existing one is continued.")],
    count: Annotated[
        int | None, typer.Option(min=1, help="The least number of samples (default 100,000); games are not split.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every state of a small puzzle, with all its optimal moves; no solver.")
    ] = False,
    walks: Annotated[
        int | None, typer.Option(help="Random walks of this length from the goal, reversed; no solver.")
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option("--with", help="The solver; by default beam, or with --exact the puzzle's usual one."),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="All optimal moves of each position, proven, not the solver's choice.")
    ] = False,
    width: Annotated[int | None, typer.Option(help="The width of the beam search (default 100).")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--set", help="Any other option of the solver: NAME=VALUE.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="The scale of the boards (see `puzzlelab list PUZZLE`); by default uniform.")
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="The level on that scale, or a range A-B of levels in turn.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal samples.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads; by default all cores.")] = None,
    shard: Annotated[int, typer.Option(min=1, help="Samples in one file; the last game is completed.")] = 100_000,
    time: Annotated[
        float | None, typer.Option(help="Seconds for a board (--exact: a position); results then depend on the speed.")
    ] = None,
    nodes: Annotated[int | None, typer.Option(help="States to expand for a board (--exact: a position).")] = None,
    branches: Annotated[
        int,
        typer.Option(
            "--branches", "--detours", min=0, help="Games beside each solution, one random move off its path."
        ),
    ] = 0,
) -> None:
    """Write samples (position, best moves, remaining moves, whether proven) as Parquet files."""
    from puzzlelab import api
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.settings import read_levels, read_options
    from puzzlelab.experience.schema import need_arrow
    from puzzlelab.experience.state_space import StateSpace
    from puzzlelab.experience.teachers import Teacher
    from puzzlelab.experience.walks import Walks

    need_arrow()
    loaded_puzzle = api.load(puzzle)
    solver_options = exact, solver, width, option, scale, level, time, nodes, branches
    if everything:
        _forbid_options("--all takes every state", walks is not None, *solver_options)
        space = StateSpace(loaded_puzzle, seed)
        _fill(space, out, min(count or space.count, space.count), shard, jobs)
        return
    if walks is not None:
        _forbid_options("--walks makes its own boards", *solver_options)
        _fill(Walks(loaded_puzzle, walks, seed), out, count or DEFAULT_COUNT, shard, jobs)
        return
    options: dict[str, Any] = {} if width is None else {"width": width}
    options |= read_options(option or ())
    name = solver or (None if exact else "beam")
    if name == "beam":
        options = BEAM_OPTIONS | options
    lowest, highest = read_levels(level) if level else (None, None)
    levels = (None,) if lowest is None or highest is None else tuple(range(lowest, highest + 1))
    teaching_solver = api.solver(name, loaded_puzzle, **options)
    teacher = Teacher(loaded_puzzle, teaching_solver, exact, scale or "", levels, seed, Limit(time, nodes), branches)
    _fill(teacher, out, count or DEFAULT_COUNT, shard, jobs)


def _forbid_options(reason: str, *options: object) -> None:
    """Raise `BadOption` if one of the options of solvers or boards is set."""
    from puzzlelab.core.errors import BadOption

    if any(options):
        raise BadOption(f"{reason}, and no solver: only --out, --count, --seed and --shard can be used with it")


def _fill(teacher: SampleSource, out: Path, count: int, shard: int, jobs: int | None) -> None:
    """Write the samples, with progress; Ctrl-C keeps the samples so far."""
    import time

    from puzzlelab.experience.shards import shard_paths
    from puzzlelab.experience.teachers import teach as fill

    start, rows = time.perf_counter(), [-1, 0]
    with progress("teaching", count) as bars:
        show_progress = _progress_callback(bars, rows, start)
        try:
            shards = fill(teacher, out, count, shard, jobs, show_progress)
        except KeyboardInterrupt:
            fail(f"interrupted after {rows[1]:,} of {count:,} samples; repeat the command to continue")
            raise typer.Exit(INTERRUPTED) from None
    seconds, new_rows = time.perf_counter() - start, shards.rows - rows[0]
    paths = shard_paths(out)
    size = sum(path.stat().st_size for path in paths)
    size_of_sample = f"{size / max(1, shards.rows):.1f} bytes a sample"
    files = f"{len(paths)} file{'s' * (len(paths) != 1)}, {size / 1e6:.3g} MB ({size_of_sample})"
    console = output()
    console.print(f"{shards.rows:,} samples of {shards.games:,} boards in {out}: {files}", markup=False)
    if new_rows:
        console.print(f"{new_rows:,} made now in {seconds:.3g} s, {60 * new_rows / seconds:,.0f} a minute")


def _progress_callback(bars: Any, rows: list[int], start: float) -> Callable[[int], None]:
    """A callback that shows the number of samples and their rate; `rows` stores the first and the last number."""
    import time

    def show(done: int) -> None:
        rows[:] = done if rows[0] < 0 else rows[0], done
        if bars.task_ids:
            rate = 60 * (done - rows[0]) / max(time.perf_counter() - start, 1e-9)
            bars.update(bars.task_ids[0], completed=done, description=f"teaching ({rate:,.0f} samples a minute)")

    return show

"""`puzzlelab teach`: many positions with what a solver does there, for networks to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import INTERRUPTED, fail, output, progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from puzzlelab.experience.teachers import SampleSource

USUAL = {"width": 100}
"""Options of the usual teacher, a beam."""
USUAL_COUNT = 100_000


def teach(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as dust-8x6x5.")],
    out: Annotated[Path, typer.Option(help="The folder of the samples; gone on with if it was begun.")],
    count: Annotated[
        int | None, typer.Option(min=1, help="At least so many samples (usually 100,000); games are kept whole.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every state of a small puzzle, with all its optimal moves; no solver.")
    ] = False,
    walks: Annotated[
        int | None, typer.Option(help="Random walks of so many moves from the goal, and the way back; no solver.")
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option("--with", help="The solver; beam, or with --exact the puzzle's usual one, if left out."),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="All optimal moves of each position, proven, not the solver's choice.")
    ] = False,
    width: Annotated[int | None, typer.Option(help="States that beam search keeps in a layer (usually 100).")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--set", help="Any other option of the solver: NAME=VALUE.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="Where boards come from (see `puzzlelab list PUZZLE`); uniform if there is one.")
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="The level on that scale, or a range A-B; its levels come in turn.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal samples.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Threads; all cores if left out.")] = None,
    shard: Annotated[int, typer.Option(min=1, help="Samples of one file, or as many more as end a game.")] = 100_000,
    time: Annotated[
        float | None, typer.Option(help="Seconds for a board (--exact: a position); then equal seeds may differ.")
    ] = None,
    nodes: Annotated[int | None, typer.Option(help="States to expand for a board (--exact: a position).")] = None,
    branches: Annotated[
        int,
        typer.Option(
            "--branches", "--detours", min=0, help="Games beside each solution, one random move off its path."
        ),
    ] = 0,
) -> None:
    """Write samples (position, moves to make, moves that remain, whether proven) as Parquet files."""
    from puzzlelab import api
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.settings import read_levels, read_options
    from puzzlelab.experience.schema import need_arrow
    from puzzlelab.experience.state_space import StateSpace
    from puzzlelab.experience.teachers import Teacher
    from puzzlelab.experience.walks import Walks

    need_arrow()
    chosen = api.load(puzzle)
    of_solver = exact, solver, width, option, scale, level, time, nodes, branches
    if everything:
        _alone("--all takes every state", walks is not None, *of_solver)
        space = StateSpace(chosen, seed)
        _fill(space, out, min(count or space.count, space.count), shard, jobs)
        return
    if walks is not None:
        _alone("--walks makes its own boards", *of_solver)
        _fill(Walks(chosen, walks, seed), out, count or USUAL_COUNT, shard, jobs)
        return
    options: dict[str, Any] = {} if width is None else {"width": width}
    options |= read_options(option or ())
    name = solver or (None if exact else "beam")
    if name == "beam":
        options = USUAL | options
    least, most = read_levels(level) if level else (None, None)
    levels = (None,) if least is None or most is None else tuple(range(least, most + 1))
    asked = api.solver(name, chosen, **options)
    teacher = Teacher(chosen, asked, exact, scale or "", levels, seed, Limit(time, nodes), branches)
    _fill(teacher, out, count or USUAL_COUNT, shard, jobs)


def _alone(words: str, *others: object) -> None:
    """See that nobody asks for a solver or for boards, where neither is needed."""
    from puzzlelab.core.errors import BadOption

    if any(others):
        raise BadOption(f"{words}, and no solver: beside it go --out, --count, --seed and --shard only")


def _fill(teacher: SampleSource, out: Path, count: int, shard: int, jobs: int | None) -> None:
    """Write the samples, with progress; Ctrl-C keeps what is there."""
    import time

    from puzzlelab.experience.shards import shard_paths
    from puzzlelab.experience.teachers import teach as fill

    began, rows = time.perf_counter(), [-1, 0]
    with progress("teaching", count) as bars:
        told = _told(bars, rows, began)
        try:
            shards = fill(teacher, out, count, shard, jobs, told)
        except KeyboardInterrupt:
            fail(f"interrupted: {rows[1]:,} of {count:,} samples are there; the same command goes on from there")
            raise typer.Exit(INTERRUPTED) from None
    seconds, made = time.perf_counter() - began, shards.rows - rows[0]
    paths = shard_paths(out)
    size = sum(path.stat().st_size for path in paths)
    each = f"{size / max(1, shards.rows):.1f} bytes a sample"
    files = f"{len(paths)} file{'s' * (len(paths) != 1)}, {size / 1e6:.3g} MB ({each})"
    console = output()
    console.print(f"{shards.rows:,} samples of {shards.games:,} boards in {out}: {files}", markup=False)
    if made:
        console.print(f"{made:,} made now in {seconds:.3g} s, {60 * made / seconds:,.0f} a minute")


def _told(bars: Any, rows: list[int], began: float) -> Callable[[int], None]:
    """Hears how many samples there are, and shows them with the rate; `rows` keeps the first and the last number."""
    import time

    def told(done: int) -> None:
        rows[:] = done if rows[0] < 0 else rows[0], done
        if bars.task_ids:
            rate = 60 * (done - rows[0]) / max(time.perf_counter() - began, 1e-9)
            bars.update(bars.task_ids[0], completed=done, description=f"teaching ({rate:,.0f} samples a minute)")

    return told

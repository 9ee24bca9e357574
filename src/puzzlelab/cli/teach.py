"""`puzzlelab teach`: writes training samples, which are positions with the moves of a teacher."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli import options
from puzzlelab.cli.console import end_interrupted, say
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver
    from puzzlelab.engine.executor import Executor
    from puzzlelab.experience.teachers import SampleSource

DEFAULT_WIDTH = 100
"""The width of the default teacher, a beam search."""
DEFAULT_COUNT = 100_000

Out = Annotated[Path, typer.Option(help="The folder of the samples; an existing one is continued.")]
Count = Annotated[
    int | None, typer.Option(min=1, help="The least number of samples (default 100,000); games are not split.")
]
Everything = Annotated[
    bool, typer.Option("--all", help="Every state of a small puzzle, with all its optimal moves; no solver.")
]
WalkLength = Annotated[int | None, typer.Option(help="Random walks of this length from the goal, reversed; no solver.")]
TeacherName = Annotated[
    str | None,
    typer.Option(
        "--with",
        help="The solver, alone or as NAME:OPTION=VALUE:...; by default beam, or with --exact the puzzle's usual one.",
    ),
]
Exact = Annotated[
    bool, typer.Option("--exact", help="All optimal moves of each position, proven, not the solver's choice.")
]
Tied = Annotated[
    bool, typer.Option("--tied", help="The moves of all equally short solutions that the beam finds, not of one.")
]
Width = Annotated[int | None, typer.Option(help="The width of the beam search (default 100).")]
ScaleName = Annotated[
    str | None, typer.Option(help="The scale of the boards (see `puzzlelab list PUZZLE`); by default uniform.")
]
Level = Annotated[str | None, typer.Option(help="The level on that scale, or a range A-B of levels in turn.")]
SampleSeed = Annotated[int, typer.Option(min=0, help="Equal seeds give equal samples.")]
ShardSize = Annotated[int, typer.Option(min=1, help="Samples in one file; the last game is completed.")]
PositionSeconds = Annotated[
    float | None, typer.Option(help="Seconds for a board (--exact: a position); results then depend on the speed.")
]
PositionNodes = Annotated[int | None, typer.Option(help="States to expand for a board (--exact: a position).")]
Branches = Annotated[
    int,
    typer.Option("--branches", "--detours", min=0, help="Games beside each solution, one random move off its path."),
]
Lists = Annotated[
    bool,
    typer.Option("--lists", help="States and moves as lists for other programs, and a data card beside them."),
]


def teach(
    puzzle: options.PuzzleName,
    out: Out,
    count: Count = None,
    everything: Everything = False,
    walks: WalkLength = None,
    solver: TeacherName = None,
    exact: Exact = False,
    tied: Tied = False,
    width: Width = None,
    option: options.OtherOptions = None,
    scale: ScaleName = None,
    level: Level = None,
    seed: SampleSeed = 0,
    jobs: options.Threads = None,
    executor: options.ExecutorName = None,
    shard: ShardSize = 100_000,
    time: PositionSeconds = None,
    nodes: PositionNodes = None,
    branches: Branches = 0,
    lists: Lists = False,
) -> None:
    """Write samples (position, best moves, remaining moves, whether proven) as Parquet files."""
    from puzzlelab.core import registry
    from puzzlelab.engine.parallel import cores
    from puzzlelab.experience.schema import need_arrow
    from puzzlelab.experience.state_space import StateSpace
    from puzzlelab.experience.teachers import Teacher, targets_of
    from puzzlelab.experience.walks import Walks

    need_arrow()
    loaded_puzzle = registry.load(puzzle)
    solver_options = exact, tied, solver, width, option, scale, level, time, nodes, branches
    source: SampleSource
    if everything:
        _forbid_options("--all takes every state", walks is not None, *solver_options)
        source = space = StateSpace(loaded_puzzle, seed)
        count = min(count or space.count, space.count)
    elif walks is not None:
        _forbid_options("--walks makes its own boards", *solver_options)
        source = Walks(loaded_puzzle, walks, seed)
    else:
        teaching_solver = _teaching_solver(loaded_puzzle, solver, exact, width, option)
        source = Teacher(
            loaded_puzzle,
            teaching_solver,
            targets_of(exact, tied),
            scale=scale or "",
            levels=_levels(level),
            seed=seed,
            limit=Limit(time, nodes),
            branches=branches,
        )
    with options.open_or_here(executor, jobs or cores()) as workers:
        _fill(source, out, count or DEFAULT_COUNT, shard, workers, lists)


def _teaching_solver(
    puzzle: Puzzle, name: str | None, exact: bool, width: int | None, option: list[str] | None
) -> Solver:
    """Return the solver of this name; by default a beam search, or with `exact` the usual solver of the puzzle."""
    name = name or (None if exact else "beam")
    return options.solver_of(puzzle, name, option, width=DEFAULT_WIDTH if width is None and name == "beam" else width)


def _levels(text: str | None) -> tuple[int | None, ...]:
    """Return the levels of the boards, in turn; None stands for any level."""
    from puzzlelab.core.settings import read_levels

    if not text:
        return (None,)
    lowest, highest = read_levels(text)
    return tuple(range(lowest, highest + 1))


def _forbid_options(reason: str, *others: object) -> None:
    """Raise `BadOption` if one of the options of solvers or boards is set."""
    if any(others):
        raise BadOption(f"{reason}, and no solver: only --out, --count, --seed and --shard can be used with it")


def _fill(source: SampleSource, out: Path, count: int, shard: int, executor: Executor, lists: bool) -> None:
    """Write the samples, with progress; Ctrl-C keeps the samples so far."""
    import time

    from puzzlelab.engine import report
    from puzzlelab.experience.shards import shard_paths
    from puzzlelab.experience.teachers import teach as fill

    start, first, last = time.perf_counter(), -1, 0

    def show_progress(done: int) -> None:
        nonlocal first, last
        first, last = done if first < 0 else first, done
        rate = f"{60 * (done - first) / max(time.perf_counter() - start, 1e-9):,.0f} samples a minute"
        report.progress("teaching", done, count, ", ".join(filter(None, [rate, executor.status()])))

    with progress():
        try:
            shards = fill(source, out, count, shard, executor, show_progress, lists)
        except KeyboardInterrupt:
            end_interrupted(f"interrupted after {last:,} of {count:,} samples; repeat the command to continue")
    seconds, new_rows = time.perf_counter() - start, shards.rows - first
    paths = shard_paths(out)
    size = sum(path.stat().st_size for path in paths)
    size_of_sample = f"{size / max(1, shards.rows):.1f} bytes a sample"
    files = f"{len(paths)} file{'s' * (len(paths) != 1)}, {size / 1e6:.3g} MB ({size_of_sample})"
    say(f"{shards.rows:,} samples of {shards.games:,} boards in {out}: {files}")
    if new_rows:
        say(f"{new_rows:,} made now in {seconds:.3g} s, {60 * new_rows / seconds:,.0f} a minute")

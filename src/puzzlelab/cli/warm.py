"""`puzzlelab warm`: compile every kernel once, so that later commands start at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import UNSOLVED, fail, say
from puzzlelab.cli.progress import progress
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit

if TYPE_CHECKING:
    from puzzlelab.core.boards import Instance
    from puzzlelab.core.puzzle import Puzzle
    from puzzlelab.core.solver import Solver

DEFAULT_PUZZLES = {"tiles-3x3": True, "tiles-4x4": True, "sudoku-9x9": True, "dust-8x6x5": False}
"""The default puzzles, and whether they are warmed with every estimate or only with the usual one."""
NODES, SECONDS = 300_000, 3.0
"""The limit of each search: enough to reach its later stages, and to grow its arrays."""
CHEAP_CELLS = 16
"""Tables of boards up to this size are built without --tables."""


def warm(
    puzzles: Annotated[list[str] | None, typer.Argument(help="Puzzles; by default some common ones.")] = None,
    tables: Annotated[bool, typer.Option("--tables", help="Also build the large tables of large boards.")] = False,
    pack: Annotated[
        Path | None, typer.Option("--pack", help="Write the kernels to this folder, for other machines.")
    ] = None,
    cpu: Annotated[
        str, typer.Option("--cpu", help="With --pack: the processor: x86-64-v3, x86-64-v2, x86-64 or generic.")
    ] = "x86-64-v3",
) -> None:
    """Compile the kernels of all solvers for these puzzles, and build their tables.

    With --pack, compile them for a generic processor. Set PUZZLELAB_KERNELS to that folder to use them. The exit code
    is 1 if something could not be kept.
    """
    if pack is not None:
        _make_pack(puzzles or [], pack, cpu)
        return
    from puzzlelab.core import registry
    from puzzlelab.engine import report
    from puzzlelab.engine.solving import solve, uninterrupted
    from puzzlelab.engine.user_cache import user_cache, write_failures

    limit = Limit(nodes=NODES, seconds=SECONDS)
    every_estimate = {
        registry.load(name): puzzles is not None or DEFAULT_PUZZLES[name] for name in puzzles or DEFAULT_PUZZLES
    }
    pairs = [pair for puzzle, every in every_estimate.items() for pair in _pairs(puzzle, tables, every)]
    with progress():
        for number, (solver, start) in enumerate(pairs):
            report.progress("compiling", number, len(pairs))
            uninterrupted(solve(solver, start, limit))
    if write_failures:
        path, reason = next(iter(write_failures.items()))
        fail(f"{len(write_failures)} files could not be kept, the first one is {path} ({reason})")
        raise typer.Exit(UNSOLVED)
    say(f"{len(pairs)} pairs of solver and estimate are warm in {user_cache()}")


def _make_pack(puzzles: list[str], folder: Path, cpu: str) -> None:
    """Compile in a child process, with an empty cache and for another processor."""
    import subprocess
    import sys

    from puzzlelab.engine.compiler import new_pack

    with new_pack(folder, cpu) as settings:
        command = [sys.executable, "-m", "puzzlelab", "warm", *puzzles]
        done = subprocess.run(command, env={**os.environ, **settings}, stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise typer.Exit(done.returncode)
    say(f"{len(list(folder.glob('*.kernel')))} kernels for {cpu} are in {folder}")


def _pairs(puzzle: Puzzle, tables: bool, every: bool) -> Iterator[tuple[Solver, Instance]]:
    """Yield every solver that suits the puzzle, with every estimate or the usual one, and a board for its search."""
    from puzzlelab.core.settings import fill
    from puzzlelab.core.solver import require
    from puzzlelab.core.views import Estimates
    from puzzlelab.engine import installed

    start = _start(puzzle)
    if start is None:
        return
    view = puzzle.view(Estimates)
    names: list[str | None] = list(view.estimates) if view and every else [None]
    if start.state.size > CHEAP_CELLS and not tables:
        names = [name for name in names if name != "pdb"]
    for _, solver_class in installed.solvers():
        required = {"depth": 40} if "depth" in solver_class.model_fields else {}
        runs_others = "of" in solver_class.model_fields  # a portfolio compiles nothing that they do not
        takes_estimates = "estimate" in solver_class.model_fields and not runs_others
        for estimate in names if takes_estimates else [None]:
            solver = fill(solver_class, {"estimate": estimate, **required})
            try:
                require(solver, puzzle)
            except Unsupported:
                break
            yield solver, start


def _start(puzzle: Puzzle) -> Instance | None:
    """Return a board of the puzzle: an example, or a random one."""
    from puzzlelab.core.boards import Instance
    from puzzlelab.core.puzzle import presentation_of
    from puzzlelab.core.seeds import generator
    from puzzlelab.core.views import Samples, scale_of

    examples, samples = presentation_of(puzzle).examples, puzzle.view(Samples)
    if examples:
        return puzzle.read(next(iter(examples)))
    if samples and samples.scales:
        return Instance(puzzle, scale_of(puzzle)[1].sample(generator(0), None, 1)[0])
    return None

"""`puzzlelab selfplay`: networks play, learn and compete, for ever; and `puzzlelab match`, which lets two compete."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from puzzlelab.cli.console import INTERRUPTED, fail, output, progress
from puzzlelab.cli.train import need_torch, settings_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from puzzlelab.training.selfplay.run_folder import SelfPlayRun

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Networks that play, learn and compete, for as long as you like.",
)

RunArgument = Annotated[Path, typer.Argument(help="The folder of the run; gone on with if it was begun.")]
ConfigOption = Annotated[
    Path | None, typer.Option(help="A TOML file of its settings, such as recipes/tiles-3x3-selfplay.toml.")
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="Any setting, as in self_play.playouts=25; may be given often.")
]


class Followed(StrEnum):
    """Whose games are learned from."""

    CHAMPION = "champion"
    LATEST = "latest"


@app.command()
def run(
    run: RunArgument,
    config: ConfigOption = None,
    option: SetOption = None,
    workers: Annotated[
        int, typer.Option(min=0, help="Generators; with 0 all programs take turns in one, which one seed repeats.")
    ] = 1,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after so long; without, run until Ctrl-C.")] = None,
) -> None:
    """Start generators, the trainer and the referee, and start again whichever is killed. Ctrl-C ends them all."""
    league, settings = _begun(run, config, option)
    with _at_work() as watch:
        from puzzlelab.training.selfplay import supervisor

        supervisor.run_all(league, settings, watch, workers, minutes)
    _told(league, settings)


@app.command()
def generate(
    run: RunArgument,
    follow: Annotated[Followed | None, typer.Option(help="Play with the champion, or with the newest network.")] = None,
    config: ConfigOption = None,
    option: SetOption = None,
) -> None:
    """Play games into the folder; several may do so at once, on several machines."""
    league, settings = _begun(run, config, option)
    with _at_work() as watch:
        from puzzlelab.training.selfplay import programs

        programs.generate(league, settings, None if follow is None else follow.value, watch)


@app.command()
def train(run: RunArgument, config: ConfigOption = None, option: SetOption = None) -> None:
    """Learn from the games in the folder, and put a new candidate there after each round."""
    league, settings = _begun(run, config, option)
    with _at_work() as watch:
        from puzzlelab.training.selfplay import programs

        programs.train(league, settings, watch)


@app.command()
def judge(run: RunArgument, config: ConfigOption = None, option: SetOption = None) -> None:
    """Let each candidate play against the champion, and take its place if it wins."""
    league, settings = _begun(run, config, option)
    with _at_work() as watch:
        from puzzlelab.training.selfplay import programs

        programs.judge(league, settings, watch)


@app.command()
def status(run: RunArgument) -> None:
    """Tell how a run stands: games, champions with their ratings, and what each program does or waits for.

    `puzzlelab plot RUN` draws the ratings over time.
    """
    _told(*_begun(run, None, None))


def match(
    run: RunArgument,
    a: Annotated[str, typer.Argument(help="champion, latest, the beginning of a hash, or a solver.")],
    b: Annotated[str, typer.Argument(help="The other player.")],
    games: Annotated[int, typer.Option(min=1, help="Boards, at most.")] = 400,
    shifts: Annotated[
        int | None, typer.Option(min=0, help="How hard they are; by default as the run has it now.")
    ] = None,
    early: Annotated[bool, typer.Option("--early", help="Stop as soon as it is clear who is better.")] = False,
    alone: Annotated[bool, typer.Option("--alone", help="Let networks play without a search.")] = False,
) -> None:
    """Let two players solve the same boards; who has the shorter solution wins. The result is kept in matches.jsonl.

    Exit code: 0 played, 2 something unreadable, 130 interrupted; the boards that were played count all the same.
    """
    league, settings = _begun(run, None, None)
    from puzzlelab.training.selfplay.matches import MatchLog, MatchRunner

    table, matches = MatchRunner.of(league, settings), MatchLog(league)
    one, other = table.resolve(a), table.resolve(b)
    with progress():
        number = len(matches.all()) + 1
        hard = table.scramble_length() if shifts is None else shifts
        found, interrupted = table.play(one, other, number, games, hard, early, alone)
    if found is not None:
        _print_match(found)
        matches.add(found)
    if interrupted:
        fail("interrupted: the boards that both had played are kept")
        raise typer.Exit(INTERRUPTED)


# --- shared ---


def _begun(run: Path, config: Path | None, changes: list[str] | None) -> tuple[SelfPlayRun, Any]:
    """The run, begun if it was not."""
    need_torch()
    from puzzlelab.training import recipe as recipes
    from puzzlelab.training.selfplay.run_folder import SelfPlayRun

    league = SelfPlayRun(run)
    settings = settings_from("selfplay", league, config, changes or [])
    recipes.find("selfplay").check(settings)
    league.begin(settings)
    return league, settings


def _at_work() -> Any:
    """Progress, and what ends the work gently: Ctrl-C, or the end of the program that started this one."""
    from contextlib import contextmanager

    from puzzlelab.training.processes import graceful_interrupt, stop_if_orphaned

    @contextmanager
    def working() -> Iterator[Callable[[], None]]:
        with progress(), graceful_interrupt() as go_on:

            def watch() -> None:
                go_on()
                stop_if_orphaned()

            try:
                yield watch
            except KeyboardInterrupt:
                fail("interrupted: all games and steps so far are kept; the same command goes on from there")
                raise typer.Exit(INTERRUPTED) from None

    return working()


def _told(league: SelfPlayRun, settings: Any) -> None:
    """Print how the run stands."""
    from rich.table import Table

    from puzzlelab.bench.selfplay_chart import HEADER, rows
    from puzzlelab.training.selfplay.status import StatusReader, ago

    facts, console = StatusReader(league, settings).read(), output()
    shown = Table(title=f"{league.folder}: {facts.puzzle}", show_header=False)
    shown.add_row("games", f"{facts.games:,}, {facts.games_per_minute:,.0f} a minute")
    if facts.won is not None:
        shown.add_row("won of late", f"{facts.won:.1%}")
    if facts.max_scramble_length:
        shown.add_row("shifts", f"{facts.scramble_length} of {facts.max_scramble_length}")
    shown.add_row(
        "samples", f"{facts.samples:,} in {facts.shards:,} shards, of {facts.samples_made:,} that there ever were"
    )
    shown.add_row("learning", f"step {facts.steps:,}" + _alone(facts.solved))
    shown.add_row("matches", f"{facts.matches:,}")
    console.print(shown)
    if facts.champions:
        reigns = Table(title="champions", caption=_anchors(facts.opponents))
        for name in HEADER:
            reigns.add_column(name, justify="left" if name == "network" else "right")
        for row in rows(facts):
            reigns.add_row(*row)
        console.print(reigns)
    doing = Table(title="programs")
    for name in ("program", "machine", "process", "what it does"):
        doing.add_column(name)
    for program in facts.programs:
        what = "ended unexpectedly" if program.gone else program.busy or f"waits for {program.waiting}"
        doing.add_row(program.name, program.machine, str(program.process), f"{what} ({ago(program.seconds)})")
    if facts.programs:
        console.print(doing)
    elif not facts.done:
        console.print(f"No program is at work: puzzlelab selfplay run {league.folder}", markup=False)
    for warning in facts.warnings:
        console.print(f"warning: {warning}", markup=False)
    if facts.done:
        console.print(f"All steps are made; play with the champion: --net {league.folder}", markup=False)


def _alone(solved: float | None) -> str:
    return "" if solved is None else f"; the newest network alone solves {solved:.1%} of the boards to examine by"


def _anchors(opponents: Any) -> str:
    """The ratings of those that never change."""
    return ", ".join(f"{name} has {rating:,.0f}" for name, rating in opponents)


def _print_match(found: Any) -> None:
    words = {
        "better": "the first is better",
        "worse": "the second is better",
        "neither": "they are as good as each other",
    }
    told = f" ({words[found.verdict]})" if found.verdict else ""
    output().print(
        f"{found.a} against {found.b}: {found.games} boards of {found.scramble_length} shifts, {found.wins_a} won, "
        f"{found.wins_b} lost, {found.draws} drawn, of which {found.aborted} aborted{told}",
        markup=False,
    )

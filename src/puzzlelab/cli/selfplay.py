"""`puzzlelab selfplay`: trains networks by self-play and matches; and `puzzlelab match`, a match of two players."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from puzzlelab.cli.console import end_interrupted, print_table, say
from puzzlelab.cli.options import ExecutorName, LearnerResources, open_or_here, resources_of
from puzzlelab.cli.progress import progress
from puzzlelab.cli.train import (
    ConfigFile,
    InitialNetwork,
    Restart,
    SettingTexts,
    Yes,
    confirm_restart,
    need_libraries,
)
from puzzlelab.core.errors import BadInput, BadOption, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from puzzlelab.training.runs import Run

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Train networks by self-play and matches, for as long as you like.",
)

RunArgument = Annotated[Path, typer.Argument(help="The folder of the run; an existing one is continued.")]


@app.command("run")
def run_all(
    run: RunArgument,
    config: ConfigFile = None,
    option: SettingTexts = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Generators (by default 1); with 0 all programs take turns in one process, reproducibly. "
            "With --executor local: its processes.",
        ),
    ] = None,
    executor: ExecutorName = None,
    resources: LearnerResources = None,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Stop after this time; by default run until Ctrl-C.")
    ] = None,
    init: InitialNetwork = None,
    restart: Restart = False,
    yes: Yes = False,
) -> None:
    """Start generators, the trainer and the referee, and restart those that are killed. Ctrl-C ends them all."""
    need_libraries()
    amounts = resources_of(resources, executor)
    if executor is not None and workers == 0:
        raise BadOption("with --workers 0 all programs take turns in one process: leave out --executor")
    selfplay_run, settings = _open_run(run, config, option, True, init, restart, yes)
    with _interruptible(by_share=True, learns=workers == 0) as watch, open_or_here(executor, workers) as opened:
        from puzzlelab.training.selfplay import programs

        generators = 1 if workers is None else workers
        programs.run_all(selfplay_run, settings, watch, opened, generators, minutes, amounts)
    _print_status(selfplay_run, settings)


@app.command()
def generate(
    run: RunArgument,
    follow: Annotated[
        Literal["champion", "latest"] | None, typer.Option(help="Play with the champion, or with the newest network.")
    ] = None,
    config: ConfigFile = None,
    option: SettingTexts = None,
) -> None:
    """Play games and write them to the folder; several generators can run at once, on several machines."""
    need_libraries("a generator of games", ["pyarrow"])
    selfplay_run, settings = _open_run(run, config, option)
    with _interruptible() as watch:
        from puzzlelab.training.selfplay import programs

        programs.generate(selfplay_run, settings, watch, open_or_here(None, None), follow)


@app.command()
def train(run: RunArgument, config: ConfigFile = None, option: SettingTexts = None) -> None:
    """Learn from the games in the folder, and write a new candidate network after each round."""
    selfplay_run, settings = _open_run(run, config, option, learns=True)
    with _interruptible(learns=True) as watch:
        from puzzlelab.training.selfplay import programs

        programs.train(selfplay_run, settings, watch, open_or_here(None, None))


@app.command()
def judge(run: RunArgument, config: ConfigFile = None, option: SettingTexts = None) -> None:
    """Let each candidate network play against the champion, and promote it if it wins."""
    selfplay_run, settings = _open_run(run, config, option)
    with _interruptible() as watch:
        from puzzlelab.training.selfplay import programs

        programs.judge(selfplay_run, settings, watch, open_or_here(None, None))


@app.command()
def status(run: RunArgument) -> None:
    """Show the state of a run: games, champions with their ratings, and what each program does or waits for.

    `puzzlelab plot RUN` draws the ratings over time.
    """
    _print_status(*_open_run(run))


def match(
    run: RunArgument,
    a: Annotated[str, typer.Argument(help="champion, latest, the beginning of a hash, or a solver.")],
    b: Annotated[str, typer.Argument(help="The other player.")],
    games: Annotated[int, typer.Option(min=1, help="The most boards.")] = 400,
    shifts: Annotated[
        int | None, typer.Option(min=0, help="Their difficulty; by default the current one of the run.")
    ] = None,
    early: Annotated[bool, typer.Option("--early", help="Stop as soon as one player is significantly better.")] = False,
    alone: Annotated[bool, typer.Option("--alone", help="Let networks play without a search.")] = False,
) -> None:
    """Let two players solve the same boards; the shorter solution wins. The result is appended to matches.jsonl.

    Exit code: 0 played, 2 something unreadable, 130, 143 or 129 ended by Ctrl-C, SIGTERM or SIGHUP; boards that both
    have played count nevertheless.
    """
    selfplay_run, settings = _open_run(run)
    from puzzlelab.engine.report import note
    from puzzlelab.training.selfplay.matches import MatchLog, MatchRunner

    runner, matches = MatchRunner(selfplay_run, settings, open_or_here(None, None)), MatchLog(selfplay_run)
    player_a, player_b = runner.resolve(a), runner.resolve(b)
    with progress(by_share=True):
        if player_a == player_b:
            note(f"{a} and {b} are one player, {player_a}, so that all boards are drawn")
        number = len(matches.all()) + 1
        difficulty = runner.scramble_length() if shifts is None else shifts
        result, interrupted = runner.play(player_a, player_b, number, games, difficulty, early, alone)
    if result is not None:
        _print_match(result)
        matches.add(result)
    if interrupted:
        end_interrupted("interrupted: the boards that both have played are saved")


# --- shared ---


def _open_run(
    run: Path,
    config: Path | None = None,
    changes: list[str] | None = None,
    learns: bool = False,
    init: str | None = None,
    restart: bool = False,
    yes: bool = False,
) -> tuple[Run, Any]:
    """Return the run, which is created if it does not exist yet, and its settings.

    Only a program that learns, and one that begins a run, need PyTorch.
    """
    from puzzlelab.core.settings import read_options
    from puzzlelab.training import recipe as recipes
    from puzzlelab.training.runs import Run
    from puzzlelab.training.train import settings_from

    selfplay_run = Run(run)
    if config is None and selfplay_run.begun:
        _require_selfplay(selfplay_run)
    if learns or changes or (config is not None and not selfplay_run.begun):
        need_libraries()
    values = {**read_options(changes or []), **({} if init is None else {"init": init})}
    settings = settings_from("selfplay", selfplay_run, config, values)
    if learns or not selfplay_run.begun:
        recipes.find("selfplay").check(settings)
    if restart and not yes:
        confirm_restart([run])
    return selfplay_run, selfplay_run.begin(settings, anew=restart)


def _require_selfplay(run: Run) -> None:
    """Raise `BadInput` for the run of another recipe."""
    recipe = run.saved_settings().get("recipe", "selfplay")
    if recipe != "selfplay":
        raise BadInput(
            f"{run.folder} is a run of the recipe '{shorten(str(recipe))}', and this command needs a run of self-play, "
            "which `puzzlelab selfplay run` makes"
        )


def _interruptible(by_share: bool = False, learns: bool = False) -> Any:
    """Return a context with progress bars; its callback ends the work at a signal.

    With `by_share` lines of progress go by the share that is done. What `learns` ends after the
    present step, so that its state can be saved; other work ends at once, because whole shards and matches are saved.
    """
    from contextlib import contextmanager, nullcontext

    from puzzlelab.runtime.signals import delayed

    @contextmanager
    def working() -> Iterator[Callable[[], None]]:
        with progress(by_share=by_share), delayed() if learns else nullcontext(lambda: None) as watch:
            try:
                yield watch
            except KeyboardInterrupt:
                end_interrupted("interrupted: all games and steps so far are saved; repeat the command to continue")

    return working()


def _print_status(selfplay_run: Run, settings: Any) -> None:
    """Print the state of the run."""
    from rich.table import Column

    from puzzlelab.bench.training_charts import CHAMPIONS, champions
    from puzzlelab.training.selfplay.status import StatusReader, ago

    run_status = StatusReader(selfplay_run, settings).read()
    facts = [("games", f"{run_status.games:,}, {run_status.games_per_minute:,.0f} a minute")]
    if run_status.won is not None:
        facts.append(("won recently", f"{run_status.won:.1%}"))
    if run_status.max_scramble_length:
        facts.append(("shifts", f"{run_status.scramble_length} of {run_status.max_scramble_length}"))
    samples = f"{run_status.samples:,} in {run_status.shards:,} shards, of {run_status.samples_made:,} generated so far"
    learning = f"step {run_status.steps:,}{_solved_text(run_status.solved)}"
    facts += [("samples", samples), ("learning", learning), ("matches", f"{run_status.matches:,}")]
    print_table((f"{selfplay_run.folder}: {run_status.puzzle}", ""), facts)
    if run_status.champions:
        say()
        print_table(
            [name if name == "network" else Column(name, justify="right") for name in CHAMPIONS],
            champions(run_status),
        )
        say(_anchors(run_status.opponents))
    programs = []
    for program in run_status.programs:
        activity = "ended unexpectedly" if program.gone else program.busy or f"waits for {program.waiting}"
        programs.append((program.name, program.machine, str(program.process), f"{activity} ({ago(program.seconds)})"))
    if programs:
        say()
        print_table(("program", "machine", "process", "what it does"), programs)
    elif not run_status.done:
        say(f"No program is running: puzzlelab selfplay run {selfplay_run.folder}")
    for warning in run_status.warnings:
        say(f"warning: {warning}")
    if run_status.done:
        say(f"Training is complete; play with the champion: --net {selfplay_run.folder}")


def _solved_text(solved: float | None) -> str:
    return "" if solved is None else f"; the newest network alone solves {solved:.1%} of the evaluation boards"


def _anchors(opponents: Any) -> str:
    """Return the ratings of the opponents that never change."""
    return ", ".join(f"{name} has {rating:,.0f}" for name, rating in opponents)


def _print_match(result: Any) -> None:
    verdicts = {
        "better": "the first is better",
        "worse": "the second is better",
        "neither": "they are as good as each other",
    }
    verdict = f" ({verdicts[result.verdict]})" if result.verdict else ""
    say(
        f"{result.a} against {result.b}: {result.games} boards of {result.scramble_length} shifts, "
        f"{result.wins_a} won, {result.wins_b} lost, {result.draws} drawn, of which {result.aborted} aborted{verdict}",
    )

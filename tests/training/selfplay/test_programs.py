"""All programs of a self-play run together: each game and each match is there once, whatever is killed."""

import json
import os
import platform
import signal
import time
from collections import Counter

import pytest

pytest.importorskip("torch")

from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.engine.worker_processes import WorkerProcesses
from puzzlelab.training import run_files
from puzzlelab.training.programs import RunProgram
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay import heartbeat, programs
from puzzlelab.training.selfplay.generator import play_games
from puzzlelab.training.selfplay.heartbeat import Heartbeat, forget_gone
from puzzlelab.training.selfplay.status import StatusReader, headline


@pytest.fixture
def begun(tmp_path, settings_of):
    """A run that has not made a step."""
    run, settings = Run(tmp_path / "run"), settings_of("evaluation.every=1000")
    run.begin(settings)
    return run, settings


def play(run, settings, executor, watch=lambda: None):
    run.begin(settings)
    programs.run_all(run, settings, watch, executor)


def check_all_there_once(run, steps):
    games = [json.loads(line) for line in run.game_log.read_text().splitlines()]
    matches = [json.loads(line) for line in run.matches.read_text().splitlines()]
    numbers = [game["number"] for game in games]
    assert sorted(numbers) == list(range(len(numbers)))
    assert set(Counter((match["a"], match["b"], match["alone"]) for match in matches).values()) == {1}
    assert json.loads((run.folder / "state.json").read_text())["step"] == steps
    assert run.network("champion") is not None
    assert run.done.exists()
    assert not list(run.programs.glob("*.json"))
    return games, matches


@pytest.fixture(params=["here", pytest.param("elsewhere", marks=pytest.mark.slow)])
def executor(request):
    """This process, which starts a process for each program; or one whose processes do not see the folder."""
    with ThisProcess() if request.param == "here" else WorkerProcesses(1) as opened:
        opened.shares_files = request.param == "here"
        yield opened


def test_a_run_comes_to_its_end_though_each_program_is_killed(executor, tiny, tmp_path, listener):
    run, killed = Run(tmp_path / "run"), set()

    def kill_each_once():
        if not run.game_log.exists():
            return
        for program in heartbeat.programs(run):
            if program.name not in killed and program.process != os.getpid():
                killed.add(program.name)
                os.kill(program.process, signal.SIGKILL)

    play(run, tiny, executor, kill_each_once)
    games, matches = check_all_there_once(run, 40)
    assert len(matches) >= 3
    assert sum("was lost (killed by signal 9), and is started again" in note for note in listener.notes) == len(killed)
    first = games[0]
    if run.has_network(first["network"]):  # a game depends on the run's seed and its number alone
        name = first["network"]
        _, again = play_games(tiny, 0, name, run.solver_option(name), first["scramble_length"])
        assert (again.won, again.moves, again.samples) == (first["won"], first["moves"], first["samples"])


def wait(run, watch, executor):
    with Heartbeat(run, "referee").running():
        time.sleep(1000)


def end_process(run, watch, executor):
    with Heartbeat(run, "referee").running():
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("work", [wait, end_process])
def test_a_program_that_is_killed_at_the_end_leaves_no_warning(begun, work, monkeypatch) -> None:
    run, settings = begun
    run.programs.mkdir()
    other = {"machine": "elsewhere", "process": 1, "run": "", "program": "generator", "busy": "plays", "waiting": ""}
    (run.programs / "generator-elsewhere-1.json").write_text(json.dumps({**other, "since": time.time()}))
    monkeypatch.setattr(programs, "programs_of", lambda *settings: [RunProgram("referee", work)])
    deadline = time.monotonic() + 300

    def end_when_it_works() -> None:
        assert time.monotonic() < deadline
        if list(run.programs.glob(f"referee-{platform.node()}-*.json")):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), ThisProcess() as executor:
        programs.run_all(run, settings, end_when_it_works, executor)
    status = StatusReader(run, settings).read()
    assert [program.machine for program in status.programs] == ["elsewhere"]
    assert status.warnings == []


# --- the step of the learner ---


def test_the_step_is_that_of_the_saved_state_before_the_first_evaluation(begun, compete) -> None:
    run, settings = begun
    assert StatusReader(run, settings).read().steps == 0

    def stop() -> None:
        if len(list(run.nets.glob("*.json"))) > 1:  # the second network is published after ten steps
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compete(run.folder, settings, stop)
    status, step = StatusReader(run, settings).read(), run_files.saved_step(run.folder)
    assert not run.metrics.exists() or not run.metrics.read_text()
    assert step >= 10
    assert status.steps == step
    assert f"step {step}" in headline(status)


@pytest.mark.parametrize("text", ["", "\0\0\0", "{"])
def test_a_status_file_that_a_power_cut_has_damaged_is_removed(begun, text) -> None:
    run, _ = begun
    run.programs.mkdir()
    (run.programs / "trainer-here-1.json").write_text(text)
    forget_gone(run)
    assert not list(run.programs.iterdir())

"""Self-play by an executor: each game and each match is there once, whatever is killed."""

import json
import os
import signal
from collections import Counter

import pytest

pytest.importorskip("torch")


from puzzlelab.engine.worker_processes import WorkerProcesses
from puzzlelab.training import remote_learner
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay import distributed_selfplay, supervisor
from puzzlelab.training.selfplay.distributed_selfplay import train_in
from puzzlelab.training.selfplay.generator import play_games


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(remote_learner, "EXCHANGE_SECONDS", 0.1)


@pytest.fixture
def executor():
    with WorkerProcesses(1) as opened:
        yield opened


def play(run, settings, executor, watch=lambda: None):
    run.begin(settings)
    supervisor.run_all(run, settings, watch, executor=executor)


def check_all_there_once(run, steps):
    games = [json.loads(line) for line in run.game_log.read_text().splitlines()]
    matches = [json.loads(line) for line in run.matches.read_text().splitlines()]
    numbers = [game["number"] for game in games]
    assert sorted(numbers) == list(range(len(numbers)))
    assert set(Counter((match["a"], match["b"], match["alone"]) for match in matches).values()) == {1}
    assert json.loads((run.folder / "state.json").read_text())["step"] == steps
    assert run.network("champion") is not None
    return games, matches


def test_a_run_comes_to_its_end(executor, tiny, tmp_path):
    run = Run(tmp_path / "run")
    play(run, tiny, executor)
    games, matches = check_all_there_once(run, 40)
    assert run.done.exists()
    assert len(matches) >= 3
    assert not list(run.programs.glob("*.json"))
    first = games[0]
    if run.has_network(first["network"]):  # a game depends on the run's seed and its number alone
        name = first["network"]
        _, again = play_games(tiny, 0, name, run.solver_option(name), first["scramble_length"])
        assert (again.won, again.moves, again.samples) == (first["won"], first["moves"], first["samples"])


@pytest.mark.slow
def test_a_driver_that_was_stopped_goes_on(executor, tiny, tmp_path):
    run = Run(tmp_path / "run")

    def stop_after_some_games():
        if run.game_log.exists() and run.game_log.read_text().count("\n") >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(run, tiny, executor, stop_after_some_games)
    before = run.game_log.read_text()
    play(run, tiny, executor)
    assert run.game_log.read_text().startswith(before)
    check_all_there_once(run, 40)


def train_and_tell(settings, folder, watch):
    (folder / "process").write_text(str(os.getpid()))
    train_in(settings, folder, watch)


@pytest.mark.slow
def test_a_trainer_that_is_killed_starts_again(executor, tiny, tmp_path, listener, monkeypatch):
    run, killed = Run(tmp_path / "run"), []
    monkeypatch.setattr(distributed_selfplay, "train_in", train_and_tell)

    def kill_the_trainer():
        if run.metrics.exists() and not killed:
            killed.append(int((run.folder / "process").read_text()))
            os.kill(killed[0], signal.SIGKILL)

    play(run, tiny, executor, kill_the_trainer)
    assert killed
    assert any("the learner was lost" in sentence for sentence in listener.notes)
    check_all_there_once(run, 40)

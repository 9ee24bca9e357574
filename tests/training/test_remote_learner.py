"""Learners in processes of their own give the run of a learner in this process, also where they are killed."""

import os
import signal

import pytest

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.engine.worker_processes import WorkerProcesses
from puzzlelab.training import processes, recipe, remote_learner
from puzzlelab.training.metrics import TIME_FIELDS, lines
from puzzlelab.training.remote_learner import LearnerWork, RemoteLearner
from puzzlelab.training.runs import Run


@pytest.fixture
def executor(monkeypatch):
    monkeypatch.setattr(remote_learner, "EXCHANGE_SECONDS", 0.1)
    with WorkerProcesses(1) as opened:
        yield opened


def metrics_of(run):
    return [{name: value for name, value in row.items() if name not in TIME_FIELDS} for row in lines(run.metrics)]


def end_process(folder, watch):
    os.kill(os.getpid(), signal.SIGKILL)


def count_up(folder, watch):
    path = folder / "latest"
    number = int(path.read_text()) if path.exists() else 0
    if number == 3:
        raise PuzzlelabError("three is enough")
    (folder / "process").write_text(str(os.getpid()))
    path.write_text(str(number + 1))
    while True:
        watch()


def exchange_until_over(learner):
    while not learner.exchange_if_due():
        pass


def test_a_learner_elsewhere_gives_the_same_run(executor, settings_of, tmp_path):
    pytest.importorskip("torch")
    imitation, settings = recipe.find("imitation"), settings_of()
    runs = Run(tmp_path / "here"), Run(tmp_path / "elsewhere")
    for run in runs:
        run.begin(settings)
    processes.train(imitation, "imitation", runs[0], settings, executor)
    processes.train_elsewhere(imitation, runs[1], settings, executor, {"cpu": 1.0})
    assert runs[1].done.read_text() == runs[0].done.read_text()
    assert metrics_of(runs[1]) == metrics_of(runs[0])
    assert runs[1].trained().name == runs[0].trained().name


def test_a_learner_that_is_lost_starts_again_from_the_folder(executor, tmp_path, listener):
    (tmp_path / "latest").write_text("1")
    learner = RemoteLearner(executor, tmp_path, LearnerWork(count_up, ()), {})
    while (tmp_path / "latest").read_text() != "2":
        learner.exchange_if_due()
    os.kill(int((tmp_path / "process").read_text()), signal.SIGKILL)
    while (tmp_path / "latest").read_text() != "3":
        learner.exchange_if_due()
    learner.stop()
    assert any("the learner was lost" in sentence for sentence in listener.notes)
    with pytest.raises(PuzzlelabError, match="three is enough"):
        exchange_until_over(learner)


def test_a_learner_that_ends_again_and_again_is_given_up(executor, tmp_path):
    learner = RemoteLearner(executor, tmp_path, LearnerWork(end_process, ()), {})
    with pytest.raises(PuzzlelabError, match="ends again and again"):
        exchange_until_over(learner)

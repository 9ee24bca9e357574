"""Trainings whose loss is no number: they end at once, and leave the last sound state as it was."""

import json

import pytest

pytest.importorskip("torch")

import torch

from puzzlelab.core.registry import load
from puzzlelab.training import losses, policy_value
from puzzlelab.training.learner import new_learner
from puzzlelab.training.recipe import Diverged
from puzzlelab.training.run_files import state_path
from puzzlelab.training.settings import LearnerSettings

TOO_FAST = (
    "learning.learning_rate=1e30",
    "learning.optimiser=sgd",
    "learning.max_grad_norm=0",
    "learning.warmup=0",
)


@pytest.fixture
def broken_later(monkeypatch):
    """`broken_later(step)`: lets the loss of the remaining moves be no number from this step on."""

    def at(step):
        calls = []

        def value_loss(*arguments):
            calls.append(None)
            return losses.value_loss(*arguments) * (torch.nan if len(calls) >= step else 1.0)

        monkeypatch.setattr(policy_value, "value_loss", value_loss)

    return at


def test_a_rate_that_is_too_great_ends_the_training_and_saves_nothing(tmp_path, settings_of, train) -> None:
    with pytest.raises(
        Diverged, match=r"the loss of step 2 is no number .* 9\.99328e\+29\); no state was saved: begin with"
    ):
        train(tmp_path / "run", settings_of(*TOO_FAST))
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert not {name for name in names if name.startswith("state") or name in ("champion", "done")}
    assert (tmp_path / "run" / "failure").read_text().startswith("the loss of step 2 is no number")


def test_the_last_sound_state_is_kept_and_gone_on_from(
    tmp_path, settings_of, train, stop_after, broken_later, imitated, same_runs, monkeypatch
) -> None:
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(folder, settings_of(), stop_after(folder, 1))
    state = state_path(folder, 10).read_bytes()
    broken_later(4)
    with pytest.raises(
        Diverged, match=r"step 14 .*its part cost_to_go_loss.*the state of step 10 is kept.*--init .*run:best"
    ):
        train(folder, settings_of())
    assert [path.name for path in folder.glob("state-*")] == ["state-10.safetensors"]
    assert state_path(folder, 10).read_bytes() == state
    for line in (folder / "metrics.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=pytest.fail)
    monkeypatch.undo()
    run = train(folder, settings_of())
    same_runs(run, imitated)
    assert not run.failure.exists()


def test_losses_are_fetched_before_a_state_is_saved(tmp_path, settings_of, train, broken_later, monkeypatch) -> None:
    """As on a graphics card, where no step waits for its loss."""
    monkeypatch.setattr("puzzlelab.training.learner.FETCHED_AT_ONCE", ())
    broken_later(5)
    changes = "learning.save_seconds=1e-9", "evaluation.every=50", "evaluation.boards=0", "evaluation.teacher_games=0"
    with pytest.raises(Diverged, match=r"the loss of step 5 .*; the state of step 4 is kept"):
        train(tmp_path / "run", settings_of(*changes))
    assert sorted(path.name for path in (tmp_path / "run").glob("state-*")) == [
        "state-3.safetensors",
        "state-4.safetensors",
    ]


def test_weights_that_are_no_numbers_are_not_saved() -> None:
    network = {"kind": "dense", "width": 4, "depth": 1, "heads": ["q"]}
    learner = new_learner(load("tiles-2x2"), network, LearnerSettings(), seed=0)
    learner.check_weights()
    with torch.no_grad():
        next(learner.model.module.parameters()).fill_(torch.inf)
    with pytest.raises(Diverged, match="weights of the network are no numbers after step 0"):
        learner.check_weights()

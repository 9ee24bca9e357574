"""Saved states: the last two are kept, damage of any kind is noticed, and a run continues from the state before."""

import json
import re

import pytest
from run_lines import untimed

pytest.importorskip("torch")

import torch
from safetensors.torch import save_file
from small_runs import PLAYED

from puzzlelab.core.errors import BadFile
from puzzlelab.training import metrics, recipe
from puzzlelab.training.run_files import saved_step
from puzzlelab.training.train_state import SavedStates


def tensors_of(step):
    return {"weights": torch.arange(64.0) + step, "turns": torch.tensor(step)}


@pytest.fixture
def saved(tmp_path):
    """A folder with the states of steps 5, 10 and 15, of which the last two are kept."""
    states = SavedStates(tmp_path)
    for step in (5, 10, 15):
        states.save(tensors_of(step), {"step": step, "metrics": 100 * step, "seconds": 0.5})
    return tmp_path


def empty(path):
    path.write_bytes(b"")


def half(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def zeros(path):
    path.write_bytes(bytes(path.stat().st_size))


def flip_tensor_bit(path):
    data = bytearray(path.read_bytes())
    data[-9] ^= 1
    path.write_bytes(data)


def change_value(path):
    data = path.read_bytes()
    assert b"1500" in data
    path.write_bytes(data.replace(b"1500", b"1400"))


DAMAGES = [empty, half, zeros, flip_tensor_bit, change_value]


def test_the_last_two_states_are_kept(saved) -> None:
    assert sorted(path.name for path in saved.iterdir()) == [
        "state-10.safetensors",
        "state-15.safetensors",
        "state.json",
    ]
    states = SavedStates(saved)
    tensors, values = states.load()
    assert values == {"step": 15, "metrics": 1500, "seconds": 0.5}
    assert torch.equal(tensors["weights"], tensors_of(15)["weights"])
    assert (states.oldest["step"], states.newest_step, saved_step(saved)) == (10, 15, 15)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_state_gives_way_to_the_one_before(saved, damage, caplog) -> None:
    damage(saved / "state-15.safetensors")
    states = SavedStates(saved)
    tensors, values = states.load()
    assert (values["step"], float(tensors["weights"][0])) == (10, 10.0)
    assert re.search(r"state-15\.safetensors .*\. The run continues from the state before it, of step 10", caplog.text)
    states.save(tensors_of(20), {"step": 20})
    assert sorted(path.name for path in saved.glob("*.safetensors")) == ["state-10.safetensors", "state-20.safetensors"]


@pytest.mark.parametrize("damage", DAMAGES[:4])
def test_without_a_good_state_it_is_said_what_to_do(saved, damage) -> None:
    for path in saved.glob("*.safetensors"):
        damage(path)
    with pytest.raises(BadFile, match=r"state-15.* and there is no state before it; --restart begins the run anew"):
        SavedStates(saved).load()


def test_what_a_killed_program_left_is_removed_and_the_note_beside_the_states_may_be_damaged(saved) -> None:
    (saved / "state-20.safetensors.12.34").write_bytes(b"half")
    (saved / "state.json").write_text("{")
    states = SavedStates(saved)
    assert states.load()[1]["step"] == 15
    states.save(tensors_of(20), {"step": 20})
    assert {path.name for path in saved.iterdir()} == {"state-15.safetensors", "state-20.safetensors", "state.json"}
    assert json.loads((saved / "state.json").read_text())["step"] == 20


def test_tensors_without_values_get_a_sentence(tmp_path) -> None:
    save_file(tensors_of(20), tmp_path / "state-20.safetensors")
    (tmp_path / "state.json").write_text('{"step": 20}')
    with pytest.raises(BadFile, match=r"the values of the state are missing, and .*; --restart begins the run anew"):
        SavedStates(tmp_path).load()


def test_values_without_tensors_get_a_sentence(tmp_path) -> None:
    assert SavedStates(tmp_path).load() is None
    (tmp_path / "state.json").write_text('{"step": 20}')
    with pytest.raises(BadFile, match="--restart begins the run anew"):
        SavedStates(tmp_path).load()


# --- whole runs ---


@pytest.mark.parametrize("name", ["imitation", pytest.param("dqn", marks=pytest.mark.slow)])
def test_a_run_whose_last_state_is_damaged_ends_with_the_same_network(
    tmp_path, settings_of, train, imitated, same_runs, stop_at, name, caplog
) -> None:
    changes, folder = ["learning.save_seconds=0.000001"], tmp_path / "parts"
    if name == "imitation":
        settings, whole = settings_of(*changes), imitated
    else:
        settings = recipe.settings_of("dqn", {**PLAYED, "network": {"kind": "dense", "heads": ["q"]}}, changes)
        whole = train(tmp_path / "whole", settings)
    for damage, step in ((flip_tensor_bit, 31), (empty, 12)):
        with pytest.raises(KeyboardInterrupt):
            train(folder, settings, stop_at(step))
        steps = sorted(int(path.stem.removeprefix("state-")) for path in folder.glob("state-*.safetensors"))
        assert len(steps) == 2
        damage(folder / f"state-{steps[1]}.safetensors")
        caplog.clear()
    parts = train(folder, settings)
    assert f"The run continues from the state before it, of step {steps[0]}" in caplog.text
    same_runs(parts, whole)


def test_metrics_that_were_lost_are_no_obstacle(tmp_path, settings_of, train, stop_after, caplog) -> None:
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(folder, settings_of(), stop_after(folder, 2))
    path = folder / "metrics.jsonl"
    lost = [line["step"] for line in list(metrics.lines(path))][-1]
    path.write_bytes(path.read_bytes()[:-5])
    run = train(folder, settings_of())
    assert "metrics.jsonl has lost its last lines" in caplog.text
    assert [line["step"] for line in untimed(run.metrics)] == [step for step in range(10, 61, 10) if step != lost]


def test_the_requests_of_the_learner_may_be_lost(tmp_path, settings_of, train, imitated, same_runs, stop_at) -> None:
    for text in ("", '{"first"'):
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "run", settings_of(), stop_at(10))
        (tmp_path / "run" / "progress.json").write_text(text)
    same_runs(train(tmp_path / "run", settings_of()), imitated)

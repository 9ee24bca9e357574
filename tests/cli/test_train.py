"""`puzzlelab train` as somebody at a terminal uses it: bad input, going on, beginning anew, and a power cut."""

import json
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import small_runs
from run_lines import untimed

pytest.importorskip("torch")


PLAYING = f"""
puzzle = "tiles-2x3"
seed = 5
parallel_games = 20
max_moves = 12
steps_per_move = 2
learning = {{ steps = 60, batch_size = 20, precision = "float32", save_seconds = 0.05 }}
{small_runs.PLAYING}"""
"""A small run of a recipe that plays for itself."""


@pytest.fixture
def config(tmp_path):
    """A file of the settings of a small run."""
    path = tmp_path / "small.toml"
    path.write_text(small_runs.IMITATION)
    return path


def command(*words):
    return [sys.executable, "-m", "puzzlelab", "train", "imitation", *map(str, words)]


@pytest.fixture
def trained(program, tmp_path, monkeypatch):
    """A finished run: (its folder, the command that made it, what this printed)."""
    monkeypatch.setenv("PUZZLELAB_PROGRESS", "")
    playing, run = tmp_path / "playing.toml", tmp_path / "run"
    playing.write_text(PLAYING)
    words = ("train", "dqn", "--config", playing, "--run", run)
    code, out, err = program(*words)
    assert code == 0, err
    return run, words, (out, err)


def test_a_run_with_a_link_is_not_removed(program, tmp_path, trained) -> None:
    (run, words, _), elsewhere = trained, tmp_path / "elsewhere"
    shutil.move(run / "nets", elsewhere)
    (elsewhere / "thesis.tex").write_text("precious")
    (run / "nets").symlink_to(elsewhere)
    before = sorted(path.name for path in [*run.iterdir(), *elsewhere.iterdir()])
    for more in ((), ("--restart", "--yes")):
        code, _, err = program(*words, *more)
        assert (code, "nets is a link, and a run changes only what is in its own folder" in err) == (2, True)
    assert sorted(path.name for path in [*run.iterdir(), *elsewhere.iterdir()]) == before


def test_training_is_told_in_lines_where_there_is_no_terminal(trained) -> None:
    told = [line for line in trained[2][1].splitlines() if line.startswith("training: ")]
    steps = [int(line.split()[1]) for line in told]
    assert steps == sorted(set(steps))
    assert {10, 60} < set(steps)
    assert all(" of 60 (" in line and "loss " in line and "samples/s" in line for line in told)
    assert "greedy solves" in told[-1]


def test_a_finished_run_is_not_run_again(program, trained) -> None:
    run, words, (out, _) = trained
    assert "trained: " in out
    before = (run / "metrics.jsonl").read_bytes()
    assert program(*words)[:2] == (0, out)
    assert (run / "metrics.jsonl").read_bytes() == before
    code, _, err = program(*words, "--set", "seed=6")
    assert (code, "was begun with other settings: seed is 5 there, not 6" in err) == (2, True)
    code, _, err = program(*words, "--set", "seed=6", "--restart", "--yes")
    assert code == 0, err
    assert (run / "metrics.jsonl").read_bytes() != before
    solved = program("solve", "tiles-2x3", "1 2 3 4 0 5", "--with", "greedy", "--net", run)
    assert solved[0] == 0, solved[2]


def test_a_run_goes_on_with_more_steps_and_its_best_network_is_named_and_begun_with(program, tmp_path, trained) -> None:
    run, words, _ = trained
    code, out, err = program(*words, "--set", "learning.steps=70")
    assert code == 0, err
    assert f"{run} goes on from step 60 with learning.steps=70" in err
    assert re.search(
        r"(best: the network of step|it is the best network by the evaluation too).*\n?.*4 other boards", out
    )
    best = (run / "best").read_text().strip()
    assert program("list", f"net:{run}:best")[1].startswith(f"{best}: dense for tiles-2x3, ")
    assert program("solve", "tiles-2x3", "1 2 3 4 0 5", "--with", "greedy", "--net", f"{run}:best")[0] == 0
    other = tmp_path / "other"
    begin = ("train", "dqn", "--config", words[3], "--run", other, "--set", "learning.steps=5")
    code, _, err = program(*begin, "--init", f"{run}:best")
    assert code == 0, err
    assert f'init = "{best}"' in (other / "config.toml").read_text()
    code, _, err = program(*begin, "--init", f"{run}:7")
    assert (code, "has no network '7': learning.snapshots says" in err) == (2, True)


@pytest.mark.slow
def test_a_run_that_is_killed_three_times_writes_the_same_metrics(program, tmp_path, config) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert program("train", "imitation", "--config", config, "--run", whole)[0] == 0
    chance = random.Random(1)
    for _ in range(3):
        with subprocess.Popen(command("--config", config, "--run", parts)) as process:
            state = parts / "state.json"
            before = state.stat().st_mtime if state.exists() else None
            ends = time.monotonic() + 300
            while time.monotonic() < ends and process.poll() is None:
                if state.exists() and state.stat().st_mtime != before:
                    break
                time.sleep(0.01)
            time.sleep(chance.random() * 0.2)
            process.kill()
    subprocess.run(command("--config", config, "--run", parts), check=True, timeout=300)
    assert untimed(parts / "metrics.jsonl") == untimed(whole / "metrics.jsonl")
    assert [line["step"] for line in untimed(parts / "metrics.jsonl")] == [10, 20, 30, 40, 50, 60]
    assert (parts / "champion").read_text() == (whole / "champion").read_text()


@pytest.mark.slow
def test_the_generator_of_a_killed_learner_ends_too(tmp_path, config) -> None:
    words = command("--config", config, "--run", tmp_path / "run", "--set", "learning.steps=1000000")
    with subprocess.Popen(words) as process:
        ends = time.monotonic() + 300
        while time.monotonic() < ends and not (tmp_path / "run" / "state.json").exists():
            time.sleep(0.05)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            pytest.skip("this system does not tell the children of a process")
        begun = [Path(f"/proc/{child}") for child in children.read_text().split()]
        process.kill()
    assert begun
    ends = time.monotonic() + 300
    while time.monotonic() < ends and any(child.exists() for child in begun):
        time.sleep(0.1)
    assert not any(child.exists() for child in begun)


def test_a_summary_shows_the_network_and_makes_no_run(program, tmp_path, config) -> None:
    code, table, errors = program("train", "imitation", "--config", config, "--summary", "--set", "network.depth=2")
    assert (code, errors) == (0, "")
    assert [line.split() for line in table.splitlines()[1:-1]] == [
        ["input", "0", "Input", "48", "0"],
        ["layers.0", "Linear", "8", "392"],
        ["layers.1", "ReLU", "8", "0"],
        ["layers.2", "Linear", "8", "72"],
        ["layers.3", "ReLU", "8", "0"],
        ["heads.each.policy", "Logits", "12", "108"],
        ["heads.each.cost_to_go.linear", "Linear", "1", "9"],
    ]
    assert table.splitlines()[-1] == "581 parameters; outputs: policy, cost_to_go"
    assert program("train", "imitation", "--config", config, "--run", tmp_path / "run", "--summary")[0] == 0
    assert not (tmp_path / "run").exists()


def test_the_layers_of_a_trained_network_are_listed(program) -> None:
    code, table, _ = program("list", "net:tiles-3x3-dqn")
    first, *_, last = table.splitlines()
    assert code == 0
    assert first == "ca63a778aea297f0: dense for tiles-3x3, 140,000 steps of dqn"
    assert last == "145,005 parameters; outputs: q"
    code, text, _ = program("list", "net:tiles-3x3-dqn", "--json")
    card = json.loads(text)
    assert card["layers"][1] == {"name": "layers.0", "kind": "Linear", "shape": [250], "parameters": 18250}
    assert card["parameters"] == sum(layer["parameters"] for layer in card["layers"]) == 145_005
    for name, said in [("net", "name the network: net:NAME"), ("net:tiles-3x3-dqm", "did you mean 'tiles-3x3-dqn'")]:
        code, _, errors = program("list", name)
        assert code == 2
        assert said in errors


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("network.width=100000000", "GB of memory"),
        ("network.width=1000000000000000000000", "too large for any memory"),
        ("data=" + "[" * 100_000, "the value of 'data' is nested too deeply"),
    ],
)
def test_sizes_and_depths_beyond_reason_get_a_sentence(program, tmp_path, config, change, words) -> None:
    code, _, err = program("train", "imitation", "--run", tmp_path / "run", "--config", config, "--set", change)
    assert (code, words in err, (tmp_path / "run").exists()) == (2, True, False)

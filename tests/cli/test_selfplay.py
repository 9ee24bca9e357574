"""`puzzlelab selfplay` and `match` as somebody at a terminal uses them: bad input, several at once, and power cuts."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

from small_runs import SELFPLAY

from puzzlelab.experience.schema import SelfPlaySamples
from puzzlelab.experience.shards import facts, numbers, read_shard, shard_path
from puzzlelab.training.runs import Run

CONFIG = f'recipe = "selfplay"\n{SELFPLAY}'


@pytest.fixture
def config(tmp_path):
    """A file of the settings of a small run."""
    path = tmp_path / "small.toml"
    path.write_text(CONFIG)
    return path


def test_a_run_its_state_and_matches_of_it(program, tmp_path, config) -> None:
    run = tmp_path / "[" / "x]"  # what ends bold text in a library that prints tables
    code, out, err = program("selfplay", "run", run, "--config", config, "--workers", 0)
    assert code == 0, err
    assert f"Training is complete; play with the champion: --net {run}" in out
    assert program("selfplay", "status", run)[:2] == (0, out)
    status = {
        "machine": "[/m]",
        "process": 1,
        "run": "",
        "program": "[/p]",
        "busy": "[/b] :x:",
        "waiting": "",
        "since": 0,
    }
    path = run / "programs" / "trainer-elsewhere-1.json"
    path.write_text(json.dumps(status))
    code, out, err = program("selfplay", "status", run)
    assert (code, err) == (0, "")
    assert all(text in out for text in ("[/m]", "[/p]", "[/b] :x:"))
    path.unlink()
    champion = (run / "champion").read_text().strip()
    code, out, err = program("match", run, "champion", "random", "--games", 6, "--shifts", 5)
    assert code == 0, err
    assert out.startswith(f"{champion} against random: 6 boards of 5 shifts, ")
    last = json.loads((run / "matches.jsonl").read_text().splitlines()[-1])
    assert (last["a"], last["b"], last["games"], last["scramble_length"]) == (champion, "random", 6, 5)
    code, out, err = program("match", run, "champion", champion[:6], "--games", 4, "--shifts", 5)
    assert (code, "0 won, 0 lost, 4 drawn" in out) == (0, True)
    assert f"champion and {champion[:6]} are one player, {champion}, so that all boards are drawn" in err
    code, _, err = program("match", run, "champion", "nobody")
    assert (code, "'nobody' is neither a network of" in err) == (2, True)
    solved = program("solve", "tiles-2x3", "1 2 3 4 0 5", "--with", "uct", "--net", run)
    assert solved[0] == 0, solved[2]
    code, out, err = program("plot", run)
    assert code == 0, err
    assert "self-competition" in out
    assert (run / "elo.svg").exists()
    assert program("plot", run, "--kind", "learning")[0] == 0
    assert "also 'elo'" in program("plot", run, "--kind", "bars")[2]
    words = ("selfplay", "run", run, "--set", "self_play.playouts=25")
    code, _, err = program(*words)
    assert (code, f"begin it anew: puzzlelab selfplay run {run} --restart" in err) == (2, True)
    assert program(*words, "--restart", "--yes", "--workers", 0, "--minutes", 0)[0] == 0
    assert "playouts = 25" in (run / "config.toml").read_text()


def test_two_on_one_folder_a_missing_champion_and_other_settings_are_told(program, tmp_path, config) -> None:
    run, league = tmp_path / "run", Run(tmp_path / "run")
    words = ("selfplay", "run", run, "--config", config, "--workers", 0)
    assert program(*words, "--minutes", 0)[0] == 0
    with league.exclusive("run"):
        code, _, err = program(*words)
    assert (code, f"another program is at work on {run} as its run" in err) == (2, True)
    league.write(league.champion, "0123456789abcdef\n")
    code, _, err = program(*words)
    assert (code, "whose files are not in" in err) == (2, True)
    assert program(*words, "--set", "seed=6")[0] == 0  # without a saved state the run takes other settings
    code, _, err = program(*words, "--set", "seed=5")
    assert (code, "seed is 6 there, not 5" in err) == (2, True)
    assert f"begin it anew: puzzlelab selfplay run {run} --restart" in err


@pytest.mark.slow
def test_whatever_is_killed_ten_times_the_run_goes_on_and_counts_right(tmp_path, config) -> None:
    run, chance = tmp_path / "run", random.Random(3)
    words = [sys.executable, "-m", "puzzlelab", "selfplay", "run", str(run), "--config", str(config)]
    words += ["--workers", "2", "--set", "learning.steps=100000", "--set", "replay.replay_ratio=50"]
    league = Run(run)
    with (tmp_path / "said").open("w") as said:
        process = subprocess.Popen(words, stderr=said)
        for kill in range(10):
            _grown(league, chance.random() * 1.0)
            if kill == 5:  # the one that watches over the others
                process.kill()
                process.wait()
                _ended(league)
                process = subprocess.Popen(words, stderr=said)
            else:
                _kill_one(league, chance)
        _grown(league, 2.0)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=300) == 130
    told = (tmp_path / "said").read_text()
    assert "was lost (killed by signal 9), and is started again" in told
    assert "Traceback" not in told
    games = {}
    for number in numbers(league.shards):  # a generator killed between the shard and its line leaves no line
        path = shard_path(league.shards, number)
        read_shard(path, SelfPlaySamples)
        games[number] = facts(path)[1]["played"]["games"]
    lines = [json.loads(line) for line in league.game_log.read_text().splitlines()]
    games |= {line["number"]: line["games"] for line in lines}  # a shard may have two lines, and counts once
    assert not list(league.programs.glob("*.json"))
    words = [sys.executable, "-m", "puzzlelab", "selfplay", "status", str(run)]
    status = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert f"{sum(games.values()):,}" in re.sub(r"\s+", " ", status)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=["SIGTERM", "SIGHUP"])
def test_a_signal_ends_all_programs_and_the_state_is_saved(tmp_path, config, number, code) -> None:
    run = tmp_path / "run"
    words = [sys.executable, "-m", "puzzlelab", "selfplay", "run", str(run), "--config", str(config)]
    words += ["--workers", "2", "--set", "learning.steps=100000", "--set", "learning.save_seconds=100000"]
    words += ["--set", "replay.replay_ratio=50", "--set", "replay.samples_per_candidate=1000000"]
    listening = dict.fromkeys((signal.SIGTERM, signal.SIGHUP), signal.SIG_DFL)
    process = subprocess.Popen(
        words,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: [signal.signal(*each) for each in listening.items()],
    )
    metrics = run / "metrics.jsonl"
    while not (metrics.exists() and metrics.stat().st_size):  # an evaluation, so steps were made
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert process.returncode == code
    assert "Traceback" not in err + "".join(log.read_text() for log in (run / "programs").glob("*.log"))
    assert not _at_work(Run(run))  # each removes its file
    assert "trainer did not end" in err or json.loads((run / "state.json").read_text())["step"] >= 10


def _grown(league, seconds) -> None:
    """Wait until more games were played, and then for so long."""
    before = league.game_log.stat().st_size if league.game_log.exists() else 0
    ends = time.monotonic() + 300
    while time.monotonic() < ends and not (league.game_log.exists() and league.game_log.stat().st_size > before):
        time.sleep(0.05)
    assert league.game_log.stat().st_size > before, "no game was played any more"
    time.sleep(seconds)


def _at_work(league):
    return [json.loads(path.read_text())["process"] for path in sorted(league.programs.glob("*.json"))]


def _kill_one(league, chance) -> None:
    living = [number for number in _at_work(league) if Path(f"/proc/{number}").exists()]
    os.kill(chance.choice(living), signal.SIGKILL)


def _ended(league) -> None:
    """Wait until the programs whose parent is gone have ended."""
    ends = time.monotonic() + 300
    while time.monotonic() < ends and any(Path(f"/proc/{number}").exists() for number in _at_work(league)):
        time.sleep(0.1)

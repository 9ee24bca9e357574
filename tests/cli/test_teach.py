"""`puzzlelab teach`: folders of samples that grow, stop and go on."""

import json
import re
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest
from sample_folders import samples_in

from puzzlelab.experience.shards import shard_paths
from puzzlelab.storage.outputs import only_writer_in

pytest.importorskip("pyarrow")

# A shell that starts the tests in the background has its children ignore Ctrl-C; this takes that back.
LISTENING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from puzzlelab.cli.main import run; run()"
)


@pytest.fixture
def program(program):
    """Runs `teach` with these words; returns (exit code, standard output, standard error)."""
    return partial(program, "teach")


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_folder_of_samples(program, tmp_path):
    code, out, err = program("tiles-3x3", "--out", tmp_path / "a", "--count", 2_500, "--shard", 1_000)
    samples = samples_in(tmp_path / "a")
    assert (code, err) == (0, "")
    assert 2_500 <= len(samples) < 2_600
    assert re.search(rf"{len(samples):,} samples of \d+ boards in \S+: 3 files, [\d.]+ MB", out)
    assert "a minute" in out
    settings = json.loads((tmp_path / "a" / "teacher.json").read_text())
    assert (settings["solver"], settings["options"]["width"], settings["seed"]) == ("beam", 100, 0)
    assert settings["targets"] == "the chosen move"


def test_one_seed_gives_one_content_whatever_the_jobs(program, tmp_path):
    for jobs in (1, 3):
        program("tiles-3x3", "--out", tmp_path / str(jobs), "--count", 3_000, "--shard", 1_000, "--jobs", jobs)
    assert contents(tmp_path / "1") == contents(tmp_path / "3")
    program("tiles-3x3", "--out", tmp_path / "other", "--count", 3_000, "--shard", 1_000, "--seed", 1)
    assert contents(tmp_path / "other") != contents(tmp_path / "1")


def test_more_samples_later_are_the_same_samples(program, tmp_path):
    words = ("--shard", 1_000, "--width", 30)
    program("tiles-3x3", "--out", tmp_path / "a", "--count", 4_000, *words)
    for count in (500, 2_700, 4_000, 4_000):
        code, out, _ = program("tiles-3x3", "--out", tmp_path / "b", "--count", count, *words)
        assert code == 0
    assert "made now" not in out
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_folder_of_other_files_is_left_alone(program, tmp_path):
    for name, sentence in (("photo.png", "holds photo.png, and no samples"), ("teacher.json", "does not say what")):
        folder = tmp_path / name.partition(".")[0]
        folder.mkdir()
        (folder / name).write_text('{"name": "Ms Smith"}')
        code, _, err = program("tiles-3x3", "--out", folder, "--count", 10)
        assert code == 2
        assert sentence in err
        assert contents(folder) == {name: b'{"name": "Ms Smith"}'}


def test_a_folder_has_one_writer(program, tmp_path):
    with only_writer_in(tmp_path):
        code, _, err = program("tiles-3x3", "--out", tmp_path, "--count", 10)
    assert (code, err) == (2, f"error: another program is writing to {tmp_path}\n")
    assert not list(tmp_path.iterdir())


def test_exact_samples_have_all_optimal_moves(program, tmp_path):
    code, _, err = program("tiles-3x3", "--out", tmp_path / "a", "--count", 100, "--exact")
    samples = samples_in(tmp_path / "a")
    assert (code, err) == (0, "")
    assert samples.proven.all()
    assert (samples.masks(4).sum(axis=1) > 1).any()
    settings = json.loads((tmp_path / "a" / "teacher.json").read_text())
    assert (settings["solver"], settings["targets"]) == ("ida", "all optimal moves")


def test_dust_by_a_solver_of_ones_own_choice(program, tmp_path):
    code, _, err = program("dust-4x3x3", "--out", tmp_path / "a", "--count", 60, "--exact", "--with", "bfs")
    samples = samples_in(tmp_path / "a")
    assert (code, err) == (0, "")
    assert samples.state.shape[1] == 12
    assert samples.proven.all()
    assert json.loads((tmp_path / "a" / "teacher.json").read_text())["scale"] == "uniform"


def test_detours_belong_to_their_games(program, tmp_path):
    code, _, err = program("tiles-3x3", "--out", tmp_path / "a", "--count", 500, "--with", "ida", "--detours", 2)
    samples = samples_in(tmp_path / "a")
    ends = np.flatnonzero(samples.remaining == 1)
    assert (code, err) == (0, "")
    assert samples.proven.all()
    assert (np.bincount(samples.game[ends]) == 3).all()
    assert json.loads((tmp_path / "a" / "teacher.json").read_text())["branches"] == 2


def test_every_state_of_a_small_puzzle(program, tmp_path):
    code, out, err = program("tiles-3x3", "--out", tmp_path / "a", "--all")
    samples = samples_in(tmp_path / "a")
    assert (code, err) == (0, "")
    assert len(np.unique(samples.state, axis=0)) == len(samples) == 181_439
    assert "181,439 samples of 181,439 boards" in out
    settings = json.loads((tmp_path / "a" / "teacher.json").read_text())
    assert (settings["boards"], settings["targets"]) == ("all", "all optimal moves")


def test_some_states_of_a_small_puzzle(program, tmp_path):
    for count in (100, 200, 200):
        code, _, _ = program("tiles-2x3", "--out", tmp_path / "a", "--all", "--count", count, "--shard", 80)
        assert code == 0
    program("tiles-2x3", "--out", tmp_path / "b", "--all", "--shard", 80)
    part, whole = (samples_in(tmp_path / name) for name in "ab")
    assert (len(part), len(whole)) == (200, 359)
    assert np.array_equal(part.state, whole.state[:200])


def test_walks_from_the_goal(program, tmp_path):
    for count in (100, 300):  # the second call goes on
        code, _, err = program("tiles-4x4", "--out", tmp_path / "a", "--walks", 20, "--count", count, "--seed", 3)
        assert (code, err) == (0, "")
    program("tiles-4x4", "--out", tmp_path / "b", "--walks", 20, "--count", 300, "--seed", 3)
    samples, at_once = (samples_in(tmp_path / name) for name in "ab")
    assert np.array_equal(samples.state, at_once.state)
    assert len(samples) >= 300
    assert samples.remaining.max() == 20
    settings = json.loads((tmp_path / "a" / "teacher.json").read_text())
    assert settings["boards"] == "walks of 20 moves from the goal"


def test_levels_of_a_scale(program, tmp_path):
    words = ("--scale", "distance", "--level", "4-6", "--set", "width=1000")
    code, _, _ = program("tiles-3x3", "--out", tmp_path / "a", "--count", 50, *words)
    samples = samples_in(tmp_path / "a")
    firsts = samples.remaining[np.unique(samples.game, return_index=True)[1]]
    assert code == 0
    assert firsts[:6].tolist() == [4, 5, 6, 4, 5, 6]


def test_other_settings_in_one_folder_are_refused(program, tmp_path):
    program("tiles-3x3", "--out", tmp_path / "a", "--count", 100)
    before = contents(tmp_path / "a")
    code, out, err = program("tiles-3x3", "--out", tmp_path / "a", "--count", 200, "--seed", 7)
    assert (code, out) == (2, "")
    assert "was begun with other settings: seed is 0 there, not 7" in err
    assert contents(tmp_path / "a") == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("sudoku-9x9",), "beam cannot solve sudoku-9x9|every solution of sudoku-9x9 has as many moves"),
        (("tiles-3x3", "--scale", "heat"), "there is no scale of tiles-3x3 'heat'"),
        (("tiles-3x3", "--level", "9-2"), "'9-2' is no range of levels"),
        (
            ("tiles-3x3", "--scale", "distance", "--level", "40"),
            "the scale 'distance' of tiles-3x3 has the levels 0 to 31, not 40",
        ),
        (("tiles-3x3", "--set", "depth=3"), "beam has no option 'depth'"),
        (("tiles-3x3", "--width", "0"), "the option 'width' cannot be '0'"),
        (("tiles-9x9",), "not 9"),
        (("tiles-3x3", "--all", "--width", "5"), "--all takes every state, and no solver"),
        (("tiles-3x3", "--all", "--branches", "1"), "--all takes every state, and no solver"),
        (("tiles-3x3", "--walks", "5", "--all"), "--all takes every state, and no solver"),
        (("tiles-3x3", "--walks", "5", "--with", "ida"), "--walks makes its own boards, and no solver"),
        (("tiles-3x3", "--walks", "0"), "a walk has 1 to 65,535 moves, not 0"),
        (("dust-8x6x5", "--walks", "5"), "moves of dust-8x6x5 cannot be undone, so that no walk leads from its goal"),
        (
            ("dust-8x6x5", "--all"),
            "the states of dust-8x6x5 cannot be found from its goals: its moves cannot be undone",
        ),
    ],
)
def test_what_cannot_be_used_is_explained(program, tmp_path, words, sentence):
    code, out, err = program(*words, "--out", tmp_path / "a", "--count", 10)
    assert (code, out) == (2, "")
    assert re.search(sentence, err)
    assert "Traceback" not in err


def test_a_file_in_the_place_of_the_folder(program, tmp_path):
    (tmp_path / "a").write_text("")
    code, _, err = program("tiles-3x3", "--out", tmp_path / "a", "--count", 10)
    assert code == 2
    assert "cannot write" in err


def begun(folder, count):
    """A process that teaches, once its first shard is there."""
    words = ["teach", "tiles-3x3", "--out", str(folder), "--count", str(count), "--shard", "1000", "--jobs", "2"]
    process = subprocess.Popen([sys.executable, "-c", LISTENING, *words], stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 300
    while not (folder.is_dir() and len(shard_paths(folder)) >= 2) and time.monotonic() < until:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    return process


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_complete_and_the_same_command_goes_on(program, tmp_path):
    process = begun(tmp_path / "a", 1_000_000)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    kept = len(samples_in(tmp_path / "a"))
    assert process.returncode == 130
    assert f"interrupted after {kept:,} of 1,000,000 samples; repeat the command to continue" in err
    assert "Traceback" not in err
    assert kept >= 2_000
    for folder in ("a", "b"):
        code, _, _ = program("tiles-3x3", "--out", tmp_path / folder, "--count", kept + 3_000, "--shard", 1_000)
        assert code == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.slow
def test_a_kill_loses_one_shard_at_most(program, tmp_path):
    process = begun(tmp_path / "a", 1_000_000)
    process.kill()
    process.communicate(timeout=300)
    kept = len(samples_in(tmp_path / "a"))
    assert kept >= 2_000
    for folder in ("a", "b"):
        code, _, _ = program("tiles-3x3", "--out", tmp_path / folder, "--count", kept + 3_000, "--shard", 1_000)
        assert code == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b")

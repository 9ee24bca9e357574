"""`puzzlelab teach`: folders of samples that grow, stop and go on."""

import json
import re
from functools import partial

import numpy as np
import pytest
from sample_folders import samples_in

from puzzlelab.experience.shards import read_shard
from puzzlelab.storage.outputs import only_writer_in

pytest.importorskip("pyarrow")


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


def test_a_folder_has_one_writer(program, tmp_path):
    with only_writer_in(tmp_path):
        code, _, err = program("tiles-3x3", "--out", tmp_path, "--count", 10)
    assert (code, err) == (2, f"error: another program is writing to {tmp_path}\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (("--tied",), {"solver": "beam", "targets": "all moves of tied solutions", "scale": "uniform"}),
        (("--exact",), {"solver": "ida", "targets": "all optimal moves", "scale": "uniform"}),
        (("--with", "ida", "--detours", 2), {"solver": "ida", "branches": 2}),
        (("--scale", "distance", "--level", "4-6"), {"scale": "distance", "levels": [4, 5, 6], "solver": "beam"}),
        (("--nodes", 10**5), {"limit": {"seconds": None, "nodes": 10**5, "memory": None}}),
        (("--walks", 20), {"boards": "walks of 20 moves from the goal"}),
    ],
)
def test_options_say_who_teaches_what(program, tmp_path, words, settings):
    code, _, err = program("tiles-3x3", "--out", tmp_path / "a", "--count", 60, *words)
    assert (code, err) == (0, "")
    assert len(samples_in(tmp_path / "a")) >= 60
    kept = json.loads((tmp_path / "a" / "teacher.json").read_text())
    assert kept | settings == kept


def test_some_states_of_a_small_puzzle(program, tmp_path):
    for count in (100, 200, 200):
        code, _, _ = program("tiles-2x3", "--out", tmp_path / "a", "--all", "--count", count, "--shard", 80)
        assert code == 0
    program("tiles-2x3", "--out", tmp_path / "b", "--all", "--shard", 80)
    part, whole = (samples_in(tmp_path / name) for name in "ab")
    assert (len(part), len(whole)) == (200, 359)
    assert np.array_equal(part.state, whole.state[:200])


def test_other_settings_in_one_folder_are_refused(program, tmp_path):
    program("tiles-3x3", "--out", tmp_path / "a", "--count", 100)
    before = contents(tmp_path / "a")
    code, out, err = program("tiles-3x3", "--out", tmp_path / "a", "--count", 200, "--seed", 7)
    assert (code, out) == (2, "")
    assert "was begun with other settings: seed is 0 there, not 7" in err
    assert contents(tmp_path / "a") == before


def test_lists_for_other_programs_are_the_same_samples(program, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    words = ("tiles-2x3", "--all", "--count", 150, "--shard", 60)
    assert program(*words, "--out", tmp_path / "plain")[0] == 0
    assert program(*words[:3], 100, *words[4:], "--lists", "--out", tmp_path / "lists")[0] == 0
    assert program(*words, "--lists", "--out", tmp_path / "lists")[0] == 0
    for name in ("shard-00000.parquet", "shard-00002.parquet"):
        plain, lists = (read_shard(tmp_path / folder / name) for folder in ("plain", "lists"))
        for column in plain.columns:
            assert np.array_equal(plain.columns[column], lists.columns[column])
        rows = parquet.read_table(tmp_path / "lists" / name).to_pylist()
        assert [row["state"] for row in rows] == plain.state.tolist()
        assert [row["moves"] for row in rows] == plain.masks(4).tolist()
    card = (tmp_path / "lists" / "README.md").read_text()
    assert card.startswith("---\nconfigs:\n- config_name: default\n")
    assert "\n  - split: train\n    path: shard-*.parquet\n---\n" in card
    assert "150 positions of 150 boards" in card
    assert all(f"| `{column}` |" in card for column in plain.columns)
    assert "`puzzlelab teach tiles-2x3 --lists`" in card
    assert "| `state` | list of 6 uint8 |" in card
    code, _, err = program(*words, "--out", tmp_path / "lists")
    assert code == 2
    assert 'columns is "lists" there, not "bytes"' in err

"""Folders of shards: whole games, one content whatever happened on the way, and a word for every fault."""

import json
import shutil
from itertools import pairwise

import numpy as np
import pytest
from sample_folders import samples_in

from puzzlelab import BadFile
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.schema import TrainingSamples, packed
from puzzlelab.experience.shards import Shards, read_settings, read_shard, shard_paths
from puzzlelab.experience.teachers import teach

pytest.importorskip("pyarrow")

SETTINGS = {"puzzle": "some", "seed": 0}


def games(first, end):
    """Game g has g % 4 samples, so that some have none."""
    game = np.repeat(np.arange(first, end), np.arange(first, end) % 4)
    state = np.stack([game % 251, game % 7], axis=1).astype(np.uint8)
    return TrainingSamples(game, state, packed(state % 2 == 0), state[:, 0].astype(np.uint16), state[:, 1] == 0)


def fill(folder, most, size=10, chunk=5, stop=None):
    """Add games until there are `most` samples, or `stop` games were added."""
    shards = Shards(folder, SETTINGS, size)
    first = shards.games
    while shards.rows < most and (stop is None or shards.games < first + stop):
        start = shards.games
        shards.append(games(start, start + chunk), start + chunk, most)
    shards.write()
    return shards


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_shards_hold_whole_games_in_order(tmp_path):
    fill(tmp_path, 100)
    whole = samples_in(tmp_path)
    assert len(whole) >= 100
    expected = games(0, 200).rows(0, len(whole))
    assert np.array_equal(whole.game, expected.game)
    parts = [read_shard(path) for path in shard_paths(tmp_path)]
    assert all(10 <= len(part) < 13 for part in parts[:-1])
    assert not any(set(a.game) & set(b.game) for a, b in pairwise(parts))


@pytest.mark.parametrize("chunk", [1, 2, 7, 64, 500])
def test_the_content_does_not_depend_on_how_the_work_was_cut(tmp_path, chunk):
    fill(tmp_path / "a", 100)
    fill(tmp_path / "b", 100, chunk=chunk)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_folder_that_is_gone_on_with_ends_as_if_never_left(tmp_path):
    fill(tmp_path / "a", 300)
    for most in (7, 30, 31, 100, 299, 300):
        fill(tmp_path / "b", most)
    while fill(tmp_path / "c", 300, chunk=3, stop=1).rows < 300:
        pass
    assert contents(tmp_path / "a") == contents(tmp_path / "b") == contents(tmp_path / "c")


def test_a_folder_whose_last_shard_is_exactly_full_goes_on_with_the_next(tmp_path):
    fill(tmp_path / "a", 60, size=6, chunk=4)
    sizes = [len(read_shard(path)) for path in shard_paths(tmp_path / "a")]
    assert sizes == [6] * 10  # four games in a row have 0, 1, 2 and 3 samples
    for most in range(6, 66, 6):
        fill(tmp_path / "b", most, size=6, chunk=4)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_what_a_kill_leaves_behind_does_no_harm(tmp_path):
    fill(tmp_path / "a", 100)
    fill(tmp_path / "b", 50)
    last = len(shard_paths(tmp_path / "b")) - 1
    (tmp_path / "b" / f"writing-{last:05}-x").write_bytes(b"half a shard")
    fill(tmp_path / "b", 100)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_other_settings_are_refused_with_what_differs(tmp_path):
    fill(tmp_path, 20)
    with pytest.raises(BadFile, match=r"was begun with other settings: seed is 0 there, not 1; more is null there"):
        Shards(tmp_path, {**SETTINGS, "seed": 1, "more": "x"}, 10)
    with pytest.raises(BadFile, match="shard is 10 there, not 20"):
        Shards(tmp_path, SETTINGS, 20)


def test_a_folder_in_which_nothing_was_written_takes_other_settings(tmp_path):
    Shards(tmp_path, SETTINGS, 10)
    Shards(tmp_path, {**SETTINGS, "seed": 1}, 10)
    assert json.loads((tmp_path / "teacher.json").read_text()) == {**SETTINGS, "seed": 1, "shard": 10}


@pytest.mark.parametrize("text", [None, "", "{", "[" * 100_000])
def test_settings_that_are_lost_are_those_of_the_shards(tmp_path, text):
    fill(tmp_path, 20)
    before, path = contents(tmp_path), tmp_path / "teacher.json"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(BadFile, match=r"no teacher\.json that says of what" if text is None else "does not say what"):
        Shards(tmp_path, {**SETTINGS, "seed": 1}, 10)
    Shards(tmp_path, SETTINGS, 10)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("text", ["{", "[1]", "", "[" * 100_000])
def test_settings_that_cannot_be_read_are_refused(tmp_path, text):
    (tmp_path / "teacher.json").write_text(text)
    with pytest.raises(BadFile, match=r"teacher\.json does not say what"):
        Shards(tmp_path, SETTINGS, 10)


def test_no_single_bit_of_a_shard_changes_its_samples(tmp_path):
    fill(tmp_path, 50)
    path = shard_paths(tmp_path)[1]
    good, data, refused = read_shard(path), path.read_bytes(), 0
    for place in range(0, len(data), 3):
        changed = bytearray(data)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            samples = read_shard(path)
        except BadFile:
            refused += 1
            continue
        for one, other in zip(samples.columns.values(), good.columns.values(), strict=True):
            assert np.array_equal(one, other), place
    assert refused > len(data) / 6


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "noise": lambda path: path.write_bytes(bytes(range(256)) * 9),
    "missing": lambda path: path.unlink(),
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "foreign": lambda path: shutil.copy(shard_paths(path.parent.parent / "foreign")[0], path),
    "another": lambda path: path.write_bytes(path.with_name("shard-00003.parquet").read_bytes()),
}


@pytest.mark.parametrize("numbers", [(0,), (1,), (-1,), (0, 2), (1, 2)])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_shard_is_made_again_and_the_others_stay(tmp_path, damage, numbers):
    folder = tmp_path / "a"
    teach(Games(), folder, 57, 10, ThisProcess())
    foreign = Shards(tmp_path / "foreign", {**Games().settings(), "seed": 1}, 10)
    foreign.append(games(0, 100), 100, 20)
    before, paths = contents(folder), shard_paths(folder)
    for number in numbers:
        DAMAGE[damage](paths[number])
    teach(Games(), folder, 57, 10, ThisProcess())
    for aside in folder.glob("*.damaged"):
        aside.rmdir() if damage == "folder" else aside.unlink()
    assert contents(folder) == before


class Games:
    """A teacher of the games of these tests."""

    name = "games"

    def settings(self):
        return SETTINGS

    count, chunk = None, 5

    def games(self, first, end, jobs=None):
        return games(first, end)


def test_a_short_shard_in_the_middle_is_filled(tmp_path):
    teach(Games(), tmp_path / "a", 15, 10, ThisProcess())
    teach(Games(), tmp_path / "b", 50, 10, ThisProcess())
    before, short = contents(tmp_path / "b"), shard_paths(tmp_path / "a")[-1]
    (tmp_path / "b" / short.name).write_bytes(short.read_bytes())
    teach(Games(), tmp_path / "b", 50, 10, ThisProcess())
    assert contents(tmp_path / "b") == before


def test_a_folder_that_is_none(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match="cannot write"):
        Shards(tmp_path / "file", SETTINGS, 10)
    with pytest.raises(BadFile, match=r"cannot read .*teacher\.json"):
        read_settings(tmp_path)


def test_every_shard_says_what_it_holds(tmp_path):
    import pyarrow.parquet as pq

    fill(tmp_path, 30)
    card = json.loads(pq.read_schema(shard_paths(tmp_path)[1]).metadata[b"puzzlelab"])
    first = json.loads(pq.read_schema(shard_paths(tmp_path)[0]).metadata[b"puzzlelab"])
    assert (card["puzzle"], card["seed"], card["dtype"]) == ("some", 0, "|u1")
    assert card["games"][0] == first["games"][1]

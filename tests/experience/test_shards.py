"""Folders of shards: whole games, one content whatever happened on the way, and a word for every fault."""

import json
from itertools import pairwise

import numpy as np
import pytest

from puzzlelab import BadFile
from puzzlelab.experience.schema import TrainingSamples, joined, packed
from puzzlelab.experience.shards import Shards, begin, read_shard, read_shards, shard_paths

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
    whole = joined(read_shards(tmp_path))
    assert len(whole) >= 100
    expected = games(0, 200).rows(0, len(whole))
    assert np.array_equal(whole.game, expected.game)
    parts = list(read_shards(tmp_path))
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


def test_a_complete_folder_is_left_alone(tmp_path):
    fill(tmp_path, 100)
    before = contents(tmp_path)
    shards = fill(tmp_path, 60)
    assert shards.rows >= 100
    assert contents(tmp_path) == before


def test_what_a_kill_leaves_behind_does_no_harm(tmp_path):
    fill(tmp_path / "a", 100)
    fill(tmp_path / "b", 50)
    (tmp_path / "b" / "writing").write_bytes(b"half a shard")
    fill(tmp_path / "b", 100)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_other_settings_are_refused_with_what_differs(tmp_path):
    fill(tmp_path, 20)
    with pytest.raises(BadFile, match=r"was begun with other settings: seed is 0 there, not 1; more is null there"):
        Shards(tmp_path, {**SETTINGS, "seed": 1, "more": "x"}, 10)
    with pytest.raises(BadFile, match="shard is 10 there, not 20"):
        Shards(tmp_path, SETTINGS, 20)


def test_a_folder_with_an_old_name_of_a_setting_is_continued(tmp_path):
    settings = {**SETTINGS, "branches": 2}
    Shards(tmp_path, settings, 10)
    path = tmp_path / "teacher.json"
    path.write_text(path.read_text().replace('"branches"', '"detours"'))
    (tmp_path / "shard-00000.parquet").touch()
    begin(tmp_path, {**settings, "shard": 10})
    with pytest.raises(BadFile, match="branches is 2 there, not 3"):
        begin(tmp_path, {**settings, "branches": 3, "shard": 10})


def test_a_folder_in_which_nothing_was_written_takes_other_settings(tmp_path):
    Shards(tmp_path, SETTINGS, 10)
    Shards(tmp_path, {**SETTINGS, "seed": 1}, 10)
    assert json.loads((tmp_path / "teacher.json").read_text()) == {**SETTINGS, "seed": 1, "shard": 10}


def test_shards_without_their_settings_are_refused(tmp_path):
    fill(tmp_path, 20)
    (tmp_path / "teacher.json").unlink()
    with pytest.raises(BadFile, match=r"holds shards, and no teacher\.json"):
        Shards(tmp_path, SETTINGS, 10)


@pytest.mark.parametrize("text", ["{", "[1]", ""])
def test_settings_that_cannot_be_read_are_refused(tmp_path, text):
    (tmp_path / "teacher.json").write_text(text)
    with pytest.raises(BadFile, match=r"teacher\.json does not say what"):
        Shards(tmp_path, SETTINGS, 10)


def test_a_damaged_shard_is_named(tmp_path):
    fill(tmp_path, 50)
    path = shard_paths(tmp_path)[1]
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(BadFile, match=r"shard-00001\.parquet is damaged: remove it and the shards after it"):
        Shards(tmp_path, SETTINGS, 10)
    with pytest.raises(BadFile, match=r"shard-00001\.parquet cannot be read"):
        read_shard(path)


def test_the_advice_about_a_damaged_shard_works(tmp_path):
    fill(tmp_path, 50)
    before = contents(tmp_path)
    for path in shard_paths(tmp_path)[1:]:
        path.unlink()
    fill(tmp_path, 50)
    assert contents(tmp_path) == before


def test_a_missing_shard_is_missed(tmp_path):
    fill(tmp_path, 50)
    shard_paths(tmp_path)[1].unlink()
    with pytest.raises(BadFile, match=r"shard-00002\.parquet begins with game"):
        Shards(tmp_path, SETTINGS, 10)


def test_a_short_shard_in_the_middle_is_refused(tmp_path):
    fill(tmp_path / "a", 15)
    fill(tmp_path / "b", 50)
    short = shard_paths(tmp_path / "a")[-1]
    (tmp_path / "b" / short.name).write_bytes(short.read_bytes())
    with pytest.raises(BadFile, match=r"shard-00001\.parquet has fewer than 10 samples, and is not the last one"):
        Shards(tmp_path / "b", SETTINGS, 10)


def test_a_folder_that_is_none(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match="cannot write"):
        Shards(tmp_path / "file", SETTINGS, 10)
    with pytest.raises(BadFile, match=r"cannot read .*teacher\.json"):
        next(read_shards(tmp_path))


def test_every_shard_says_what_it_holds(tmp_path):
    import pyarrow.parquet as pq

    fill(tmp_path, 30)
    card = json.loads(pq.read_schema(shard_paths(tmp_path)[1]).metadata[b"puzzlelab"])
    first = json.loads(pq.read_schema(shard_paths(tmp_path)[0]).metadata[b"puzzlelab"])
    assert (card["puzzle"], card["seed"], card["dtype"]) == ("some", 0, "|u1")
    assert card["games"][0] == first["games"][1]

"""Shards without a sample: they are told of after a minute, removed, and not made again."""

import pytest

pytest.importorskip("torch")

from puzzlelab.experience.schema import TrainingSamples, joined
from puzzlelab.experience.shards import numbers, shard_path
from puzzlelab.training.recipes.imitation import teacher_of
from puzzlelab.training.runs import Run
from puzzlelab.training.shard_loader import ShardLoader


@pytest.fixture
def loader(tmp_path, settings_of):
    """A loader of shards of 20 games, of a buffer of 300 samples."""
    (tmp_path / "shards").mkdir()
    settings = settings_of()
    return ShardLoader(Run(tmp_path), settings.data, 5, teacher_of(settings, 5).settings())


def test_empty_shards_are_removed_and_not_missed(loader, monkeypatch) -> None:
    for number in range(4):
        shard_path(loader.run.shards, number).touch()
    loader.remove_old_shards({"sizes": [3, 0, 0, 2]})
    assert numbers(loader.run.shards) == [0, 3]
    read = []
    monkeypatch.setattr(loader, "_read_missing", lambda: read.extend(loader._missing))
    loader.restore({"sizes": [3, 0, 0, 2]})
    assert read == [0, 3]


def test_empty_shards_are_told_of_once(loader, settings_of, listener, monkeypatch) -> None:
    monkeypatch.setattr("puzzlelab.training.shard_loader.EMPTY_SECONDS", -1.0)
    samples = teacher_of(settings_of(), 5).games(0, 20)
    empty = TrainingSamples(**{name: column[:0] for name, column in samples.columns.items()})
    shards = [empty, empty, empty, samples]
    monkeypatch.setattr(loader, "_load", lambda number: shards[number])
    assert loader.prepare(0)
    assert loader.sizes == [0, 0, 0, len(joined([samples]))]
    assert [sentence for sentence in listener.notes if "gave no sample" in sentence] == [
        "20 boards in a row gave no sample: either they are solved already, or beam with these options solves none of "
        "them"
    ]


def test_a_loader_that_goes_on_has_the_same_samples_in_the_same_places(loader, settings_of, monkeypatch) -> None:
    teacher, step = teacher_of(settings_of(), 5), 0
    shard_size = loader.data.shard_games
    monkeypatch.setattr(
        ShardLoader, "_load", lambda _, number: teacher.games(number * shard_size, (number + 1) * shard_size)
    )
    while loader.first_needed(loader.sizes) < 1:  # until the samples of the first shard have left the buffer
        step += 1
        assert loader.prepare(step)
    other = ShardLoader(loader.run, loader.data, loader.batch_size, loader.settings)
    other.restore(loader.state())
    assert other.ring.total == loader.ring.total > len(loader.ring)
    for name, column in loader.ring.columns.items():
        assert (other.ring.columns[name] == column).all()

import pytest

from puzzlelab.training import mirror
from puzzlelab.training.mirror import ChangedFiles, Changes, write_changes


@pytest.fixture
def folders(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    return one, other


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_what_has_changed_is_sent_once(folders):
    one, other = folders
    changed = ChangedFiles(one)
    (one / "nets").mkdir()
    (one / "nets" / "a.onnx").write_bytes(b"weights")
    (one / "champion").write_text("a\n")
    write_changes(other, changed.take())
    assert names(other) == ["champion", "nets/a.onnx"]
    assert changed.take() == Changes()
    (one / "champion").write_text("bc\n")
    changes = changed.take()
    assert (dict(changes.whole), changes.more, changes.removed) == ({"champion": b"bc\n"}, {}, ())


def test_of_a_file_that_grows_only_the_new_part_is_sent(folders):
    one, other = folders
    changed, path = ChangedFiles(one), one / "metrics.jsonl"
    path.write_text("first\n")
    write_changes(other, changed.take())
    path.write_text("first\nsecond\n")
    changes = changed.take()
    assert (changes.whole, changes.more) == ({}, {"metrics.jsonl": (6, b"second\n")})
    write_changes(other, changes)
    path.write_text("new\n")  # a learner that starts again cuts its metrics
    write_changes(other, changed.take())
    assert (other / "metrics.jsonl").read_text() == "new\n"


def test_a_file_is_removed_after_what_took_its_place_is_there(folders):
    one, other = folders
    changed = ChangedFiles(one)
    (one / "a.onnx").write_bytes(b"a")
    (one / "champion").write_text("a")
    write_changes(other, changed.take())
    (one / "a.onnx").unlink()
    (one / "b.onnx").write_bytes(b"b")
    (one / "champion").write_text("b!")
    write_changes(other, changed.take())
    assert names(other) == ["a.onnx", "b.onnx", "champion"]
    write_changes(other, changed.take())
    assert names(other) == ["b.onnx", "champion"]


def test_of_files_of_the_other_side_only_the_removal_counts(folders):
    one, _ = folders
    changed = ChangedFiles(one, lambda name: not name.startswith("shards/"))
    (one / "shards").mkdir()
    (one / "shards" / "shard-00000.parquet").write_bytes(b"samples")
    assert changed.take() == Changes()
    (one / "shards" / "shard-00000.parquet").unlink()
    changed.take()
    assert changed.take().removed == ("shards/shard-00000.parquet",)


@pytest.mark.parametrize(
    "name",
    [
        "learner.lock",
        "shards/writing-00001-x",
        "state-5.safetensors.1234.99",
        "latest.7.8",
    ],
)
def test_what_belongs_to_one_machine_stays_there(folders, name):
    one, _ = folders
    (one / name).parent.mkdir(exist_ok=True)
    (one / name).write_text("x")
    assert ChangedFiles(one).take() == Changes()


def test_files_that_name_others_are_read_first_and_written_last(folders, monkeypatch):
    one, other = folders
    for name in ("champion", "metrics.jsonl", "nets.onnx", "games.jsonl", "state-5.safetensors"):
        (one / name).write_text(name)
    (one / "tensorboard").mkdir()
    (one / "tensorboard" / "events.out.tfevents.1.2.3").write_text("events")
    changes = ChangedFiles(one).take()
    written = []
    monkeypatch.setattr("puzzlelab.training.mirror.replace_file", lambda path, content: written.append(path.name))
    write_changes(other, changes)
    order = [written.index(name) for name in ("metrics.jsonl", "state-5.safetensors", "champion")]
    assert order == sorted(order)
    assert written.index("nets.onnx") < written.index("games.jsonl")
    assert list(changes.whole)[:2] == ["champion", "games.jsonl"]
    assert "events.out.tfevents.1.2.3" in written


def test_a_network_that_is_published_meanwhile_comes_with_what_names_it(folders, monkeypatch):
    one, other = folders
    (one / "nets").mkdir()
    publish(one, "a")
    list_names = mirror._names

    def publish_after_listing(folder):
        found = list_names(folder)
        publish(folder, "b")
        return found

    changed = ChangedFiles(one)
    monkeypatch.setattr(mirror, "_names", publish_after_listing)
    write_changes(other, changed.take())
    assert (other / "nets" / (other / "latest").read_text()).exists()
    monkeypatch.undo()
    write_changes(other, changed.take())
    assert (other / "latest").read_text() == "b"
    assert names(other) == ["latest", "nets/a", "nets/b"]


def publish(run, name):
    (run / "nets" / name).write_bytes(b"weights")
    (run / "latest").write_text(name)

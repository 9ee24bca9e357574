"""Networks in files of one machine, as another machine finds them."""

import shutil
from dataclasses import dataclass

import pytest

from puzzlelab import load
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.engine.worker import published_networks, using
from puzzlelab.storage import networks
from puzzlelab.storage.networks import SHELF

TILES = load("tiles-3x3")


@dataclass
class Files:
    key: str
    contents: dict
    fetched: int = 0

    def value(self):
        self.fetched += 1
        return self.contents


class Publisher:
    shares_memory = False

    def publish(self, key, value):
        return Files(key, value)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Publishes what options name on a machine with the file run/mine, and goes to one without it."""
    pytest.importorskip("onnxruntime")
    home, other = tmp_path / "home", tmp_path / "other"
    (home / "run").mkdir(parents=True)
    other.mkdir()
    for ending in (".onnx", ".json"):
        shutil.copy(SHELF / f"tiles-3x3-values{ending}", home / "run" / f"mine{ending}")
    monkeypatch.setenv("PUZZLELAB_CACHE", str(tmp_path / "cache"))
    networks._load.cache_clear()

    def publish(**options):
        with monkeypatch.context() as there:
            there.chdir(home)
            published = published_networks(Publisher(), TILES, options)
        monkeypatch.chdir(other)
        return published

    return publish


def test_a_network_with_a_path_is_found_where_there_is_no_such_file(elsewhere):
    published = elsewhere(estimate="net:run/mine:averaged", prior="net")
    with pytest.raises(BadInput):
        networks.find(TILES, "net:run/mine")
    with using(published):
        assert networks.find(TILES, "net:run/mine").name == networks.find(TILES, "net:tiles-3x3-values").name
        assert networks.used(TILES, {"prior": "net:run/mine:averaged"})
    with pytest.raises(BadInput):
        networks.find(TILES, "net:run/mine")


def test_networks_of_solvers_of_a_portfolio_are_published(elsewhere):
    published = elsewhere(of=["beam:estimate=net:run/mine:width=5", "beam:width=3"])
    assert list(published) == ["run/mine"]


def test_networks_that_come_with_the_package_are_not_published(elsewhere):
    assert not elsewhere(prior="net", estimate="net:tiles-3x3-values")


def test_the_files_are_fetched_once_and_again_if_damaged(elsewhere, tmp_path, monkeypatch):
    from puzzlelab.engine import worker as module

    files = elsewhere(prior="net:run/mine")
    for _ in range(2):
        monkeypatch.setattr(module, "_checked", set())  # as in another process
        with using(files):
            pass
    assert files["run/mine"].fetched == 1
    for path in (tmp_path / "cache").rglob("*.onnx"):
        path.write_bytes(path.read_bytes()[:100])
    monkeypatch.setattr(module, "_checked", set())
    with using(files):
        assert networks.find(TILES, "net:run/mine")
    assert files["run/mine"].fetched == 2


def test_a_missing_file_is_an_error_of_the_driver(elsewhere):
    with pytest.raises(BadInput, match="nowhere"):
        elsewhere(prior="net:nowhere.onnx")


def test_a_cache_folder_that_cannot_be_written_is_a_sentence(elsewhere, tmp_path, monkeypatch):
    published = elsewhere(prior="net:run/mine")
    (tmp_path / "file").touch()
    monkeypatch.setenv("PUZZLELAB_CACHE", str(tmp_path / "file"))
    with pytest.raises(BadFile, match="cannot be kept"), using(published):
        pass

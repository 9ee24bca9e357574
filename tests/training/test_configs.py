"""The files of settings of the package are found by their names."""

from pathlib import Path

import pytest

from puzzlelab.core.errors import UnknownName
from puzzlelab.training.configs import FOLDER, config_file, names


def test_a_name_means_the_file_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert config_file(Path("tiles-3x3")) == FOLDER / "tiles-3x3.toml"
    assert set(names()) >= {"tiles-3x3", "dust-8x6x5", "000", "001", "002-8", "004-even"}


def test_a_file_of_the_user_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiles-3x3").write_text("")
    assert config_file(Path("tiles-3x3")) == Path("tiles-3x3")
    assert config_file(Path("mine.toml")) == Path("mine.toml")
    assert config_file(Path("folder/mine")) == Path("folder/mine")


def test_another_name_gets_the_nearest_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName, match="there is no configuration 'tiles-3x4'; did you mean 'tiles-"):
        config_file(Path("tiles-3x4"))

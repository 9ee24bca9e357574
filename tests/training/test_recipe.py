"""Settings of recipes, from files and changes."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.objectives import Runs

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile, BadOption, UnknownName, Unsupported
from puzzlelab.training import recipe
from puzzlelab.training.runs import read_toml


def test_changes_reach_into_tables() -> None:
    values = {"seed": 1, "data": {"buffer_size": 5}}
    changed = recipe.with_changes(
        values, ["data.buffer_size=7", "data.replay_ratio=2", "seed=3", "teacher.solver_options.width=9"]
    )
    assert changed == {
        "seed": 3,
        "data": {"buffer_size": 7, "replay_ratio": 2},
        "teacher": {"solver_options": {"width": 9}},
    }
    assert values == {"seed": 1, "data": {"buffer_size": 5}}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["data.bufer_size=7"], "data has no option 'bufer_size'; did you mean 'buffer_size'"),
        (["sed=7"], "imitation has no option 'sed'; did you mean 'seed'"),
        (["data.buffer_size=0"], "data: the option 'buffer_size' cannot be '0'"),
        (["recipe=dqn"], "these are settings of the recipe 'dqn', not of 'imitation'"),
        (["seed.x=1"], "sets a part of 'seed', which has no parts"),
        (["nothing"], "write NAME=VALUE"),
    ],
)
def test_bad_settings_get_a_sentence(settings_of, changes, words) -> None:
    with pytest.raises(BadOption, match=words):
        settings_of(*changes)


def test_an_unknown_recipe_gets_the_nearest() -> None:
    with pytest.raises(UnknownName, match="there is no recipe 'imitate'; did you mean 'imitation'"):
        recipe.find("imitate")


def test_a_byte_order_mark_before_toml_is_passed_over(tmp_path) -> None:
    path = tmp_path / "windows.toml"
    path.write_text("seed = 1\n", encoding="utf-8-sig")
    assert read_toml(path) == {"seed": 1}


def test_bad_toml_gets_its_place(tmp_path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text("seed = 1\nseed = \n")
    with pytest.raises(BadFile, match=r"is not TOML: .*line 2"):
        read_toml(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFile, match="is not TOML"):
        read_toml(path)
    with pytest.raises(BadFile, match="cannot read"):
        read_toml(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("name", "words"),
    [("value_iteration", "value iteration"), ("tabular", "tabular Q-learning"), ("selfplay", "self-play")],
)
def test_a_recipe_that_counts_moves_refuses_a_puzzle_with_a_score(monkeypatch, name, words) -> None:
    settings = recipe.settings_of(name, {"puzzle": "runs-12", "network": {"kind": "dense"}})
    monkeypatch.setattr(registry, "load", lambda name: Runs())
    with pytest.raises(Unsupported, match=f"^{words} counts moves, and the moves of runs-12 have a score"):
        recipe.find(name).check(settings)


def test_a_name_means_the_file_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert recipe.config_file(Path("tiles-3x3")) == recipe.CONFIGS / "tiles-3x3.toml"
    assert {path.stem for path in recipe.CONFIGS.glob("*.toml")} >= {
        "tiles-3x3",
        "dust-8x6x5",
        "000",
        "001",
        "002-8",
        "004-even",
    }


def test_a_file_of_the_user_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tiles-3x3").write_text("")
    assert recipe.config_file(Path("tiles-3x3")) == Path("tiles-3x3")
    assert recipe.config_file(Path("mine.toml")) == Path("mine.toml")
    assert recipe.config_file(Path("folder/mine")) == Path("folder/mine")


def test_a_run_of_the_same_name_is_no_file_of_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("001").mkdir()
    assert recipe.config_file(Path("001")) == recipe.CONFIGS / "001.toml"


def test_another_name_gets_the_nearest_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownName, match="there is no configuration 'tiles-3x4'; did you mean 'tiles-"):
        recipe.config_file(Path("tiles-3x4"))

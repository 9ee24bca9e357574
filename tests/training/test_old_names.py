"""Files with the old names of settings and fields: they load, and mean the same as files with the present names."""

import json
import shutil
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

from puzzlelab.core.errors import BadOption
from puzzlelab.training import recipe
from puzzlelab.training.runs import Run, read_toml
from puzzlelab.training.selfplay.game_log import GameLog
from puzzlelab.training.selfplay.heartbeat import programs
from puzzlelab.training.selfplay.matches import MatchLog
from puzzlelab.training.selfplay.run_folder import SelfPlayRun

ROOT = Path(__file__).parents[2]
OLD = [path for path in sorted((ROOT / "tests" / "data" / "old").glob("*.toml")) if "tiny" not in path.stem]


def present_of(path):
    """The present recipe, or where it has other settings by now, the old settings with the present names."""
    same_settings = path.parent / "today" / path.name
    return same_settings if same_settings.exists() else ROOT / "src" / "puzzlelab" / "configs" / path.name


def settings_in(path, *changes):
    values = read_toml(path)
    return recipe.settings_of(values["recipe"], values, changes)


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_an_old_recipe_gives_the_settings_of_the_present_one(path) -> None:
    present = present_of(path)
    assert read_toml(path) != read_toml(present)
    assert settings_in(path) == settings_in(present)


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_a_run_that_was_begun_with_an_old_recipe_continues_with_the_present_one(tmp_path, path) -> None:
    run = Run(tmp_path)
    shutil.copy(path, run.config)
    run.begin(settings_in(present_of(path)))
    assert recipe.settings_of(read_toml(path)["recipe"], run.saved_settings()) == settings_in(path)


@pytest.mark.parametrize("folder", ["tests/data/old", "src/puzzlelab/configs"])
@pytest.mark.parametrize("change", ["exam.boards=7", "evaluation.boards=7"])
def test_a_change_may_use_either_name(folder, change) -> None:
    settings = settings_in(ROOT / folder / "tiles-3x3-dqn.toml", change, "learning.rate=0.5", "exploring.rule=games")
    assert settings.evaluation.boards == 7
    assert settings.learning.learning_rate == 0.5
    assert settings.exploration.rule == "exponential"


def test_a_file_with_both_names_is_refused(tmp_path) -> None:
    path = tmp_path / "both.toml"
    path.write_text((ROOT / "src" / "puzzlelab" / "configs" / "tiles-4x4.toml").read_text() + "\n[exam]\nboards = 3\n")
    with pytest.raises(BadOption, match="'exam' is the old name of 'evaluation': give one of them"):
        settings_in(path)


def test_old_lines_of_games_and_matches_and_old_status_files_are_read(tmp_path) -> None:
    run = SelfPlayRun(tmp_path)
    run.programs.mkdir()
    game = {"number": 0, "network": "a", "shifts": 5, "games": 2, "won": 1, "moves": 4, "samples": 9}
    run.game_log.write_text(json.dumps({**game, "seconds": 1.0, "at": 2.0}) + "\n")
    match = {"a": "a", "b": "b", "games": 2, "wins_a": 1, "wins_b": 0, "aborted": 0, "solved_a": 2, "solved_b": 1}
    match |= {"verdict": "", "shifts": 7, "alone": False, "promoted": False, "at": 3.0, "date": "", "settings": {}}
    run.matches.write_text(json.dumps(match) + "\n")
    status = {"machine": "elsewhere", "process": 1, "run": "", "program": "trainer", "does": "learns", "waits": ""}
    (run.programs / "trainer-elsewhere-1.json").write_text(json.dumps({**status, "since": time.time()}))
    assert [entry.scramble_length for entry in GameLog(run.game_log, run.shards).new_entries()] == [5]
    assert [old.scramble_length for old in MatchLog(run).all()] == [7]
    assert [(program.busy, program.waiting) for program in programs(run)] == [("learns", "")]

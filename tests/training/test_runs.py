"""The folders of runs."""

import re
import shutil

import pytest

pytest.importorskip("torch")

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.training import recipe, runs
from puzzlelab.training.runs import Run
from puzzlelab.training.train import settings_from


def test_a_folder_remembers_its_settings(tmp_path, settings_of) -> None:
    run = Run(tmp_path / "run")
    run.begin(settings_of())
    before = run.config.read_bytes()
    assert recipe.settings_of("imitation", run.saved_settings()) == settings_of()
    run.begin(settings_of("learning.threads=2", "teacher.jobs=3"))  # the machine may be another
    assert run.config.read_bytes() == before


@pytest.fixture
def state(tmp_path, imitated):
    """The folder of a run with the settings and the saved states of one that is finished."""
    for name in ("config.toml", "done", *(path.name for path in imitated.folder.glob("state-*"))):
        (tmp_path / "run").mkdir(exist_ok=True)
        shutil.copy(imitated.folder / name, tmp_path / "run" / name)
    return Run(tmp_path / "run")


def test_other_settings_are_refused_with_what_differs(state, settings_of) -> None:
    run, settings = state, settings_of("data.keep_shards=true")
    run.begin(settings)
    saved = run.config.read_text(encoding="utf-8")
    advice = f"Give another folder, or begin it anew: puzzlelab train imitation --run {run.folder} --restart"
    with pytest.raises(BadInput, match=rf"teacher.walk_length is 0 there, not 7: what was .* on it. {advice}"):
        run.begin(settings_of("data.keep_shards=true", "teacher.walk_length=7"))
    run.config.write_text(saved.replace("walk_length = 0\n", ""), encoding="utf-8")
    run.begin(settings)  # a setting that is left out has its default
    run.config.write_text(saved.replace("walk_length = 0", "walks = 0"), encoding="utf-8")
    with pytest.raises(BadFile, match=f"{run.config}: teacher has no option 'walks'; known are .*; put the file back"):
        run.begin(settings)
    run.config.write_text(saved.replace('"imitation"', '"dqn"'), encoding="utf-8")
    with pytest.raises(BadInput, match='begun with other settings: recipe is "dqn" there, not "imitation"'):
        run.begin(settings)


@pytest.mark.parametrize("first", range(8))
def test_a_bit_of_the_settings_that_is_another_is_no_fault_or_is_told_with_the_file(state, first, settings_of) -> None:
    saved = state.config.read_bytes()
    for bit in range(first, 8 * len(saved), 8 * 13):
        damaged = bytearray(saved)
        damaged[bit // 8] ^= 1 << bit % 8
        state.config.write_bytes(damaged)
        said = []
        for read in (
            lambda: state.begin(settings_of()),
            lambda: settings_from("imitation", state, None, ()),
            lambda: settings_from("imitation", state, None, {"seed": 7}),
        ):
            try:
                read()
            except BadInput as error:
                said.append(str(error))
        told = re.compile(re.escape(str(state.folder)) + r"(?s:.*)(put the file back|[Gg]ive another)")
        assert [sentence for sentence in said if not told.search(sentence)] == []


def test_a_folder_of_something_else_is_left_alone(tmp_path, settings_of) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="is not empty, and holds no run"):
        Run(tmp_path).begin(settings_of())
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_folder_in_which_the_settings_were_just_being_written_is_begun(tmp_path, settings_of) -> None:
    (tmp_path / "config.toml.12.34").write_bytes(b"")
    run = Run(tmp_path)
    run.begin(settings_of())
    assert recipe.settings_of("imitation", run.saved_settings()) == settings_of()


def test_a_run_whose_removal_is_cut_short_is_not_done(tmp_path, settings_of, monkeypatch) -> None:
    run = Run(tmp_path / "run")
    run.begin(settings_of())
    run.shards.mkdir()
    run.write(run.done, "x")

    def killed(folder):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(runs.run_files, "remove", killed)
        with pytest.raises(KeyboardInterrupt):
            run.begin(settings_of("seed=6"), anew=True)
    assert (run.begun, run.done.exists()) == (True, False)
    run.begin(settings_of("seed=6"), anew=True)
    assert [path.name for path in run.folder.iterdir()] == ["config.toml"]
    assert run.saved_settings()["seed"] == 6


@pytest.mark.parametrize("text", ["", "\0\0", "[]", '{"first": 1}'])
def test_damaged_requests_count_as_none(tmp_path, text) -> None:
    run = Run(tmp_path)
    run.request_shards(3, 7)
    assert run.requested_shards() == (3, 7)
    (tmp_path / "progress.json").write_text(text)
    assert run.requested_shards() == (0, 0)

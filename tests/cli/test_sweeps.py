"""`puzzlelab train --seeds --grid`: a folder with runs, which is continued, drawn, and compared."""

import re
import shutil

import pytest
from run_lines import untimed

pytest.importorskip("torch")

from puzzlelab.bench import seeds
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.training import sweeps
from puzzlelab.training.runs import Run

SETTINGS = """\
puzzle = "tiles-2x2"
seed = 4
parallel_games = 20
max_moves = 12
curriculum = { scale = "uniform" }
learning = { steps = 30, save_seconds = 1000.0 }
evaluation = { every = 10, boards = 8, scale = "uniform", max_moves = 12, guide = "prior", teacher_games = 0 }
"""
NAMES = ["blend=1,seed=4", "blend=1,seed=5", "blend=0.2,seed=4", "blend=0.2,seed=5"]


@pytest.fixture
def words(tmp_path, monkeypatch):
    """The words of a command that trains by these settings."""
    monkeypatch.setenv("PUZZLELAB_PROGRESS", "")
    (tmp_path / "small.toml").write_text(SETTINGS)
    return ["train", "tabular", "--config", tmp_path / "small.toml"]


@pytest.fixture
def sweep(program, words, tmp_path):
    """A finished sweep: (its folder, its command, what this printed)."""
    folder = tmp_path / "sweep"
    command = [*words, "--run", folder, "--grid", "blend=1,0.2", "--seeds", 2]
    code, out, err = program(*command)
    assert code == 0, err
    return folder, command, (out, err)


def test_each_run_of_a_sweep_is_a_run_as_any_other(program, words, sweep, tmp_path) -> None:
    folder, _, (out, err) = sweep
    assert [path.name for path in seeds.runs_in(folder)] == sorted(NAMES)
    for number, name in enumerate(NAMES, start=1):
        assert f"run {number} of 4 ({name}): training: 30 of 30 (100%)" in err
    table = [re.split(r" {2,}", line.strip()) for line in out.splitlines()]
    assert table[1][:4] == ["setting", "seeds", "step", "solved"]
    assert [row[:3] for row in table[2:4]] == [["blend=1", "2", "30"], ["blend=0.2", "2", "30"]]
    values = [untimed(folder / name / "metrics.jsonl")[-1]["optimal"] for name in NAMES]
    middle, half_width = sum(values[2:]) / 2, 12.7062047 * abs(values[2] - values[3]) / 2
    assert f"{middle:.1%} ± {half_width:.1%}" in out
    assert table[4] == ["The last and the best network on other boards: mean over the seeds, and 95 % interval"]
    best = [Run(folder / name).measured()[0].other_boards["solved"] for name in NAMES[:2]]
    half_width = 12.7062047 * abs(best[0] - best[1]) / 2
    assert table[7][0].split()[:2] + table[7][1:2] + table[7][3:4] == [
        "blend=1",
        "2",
        f"{sum(best) / 2:.1%} ± {half_width:.1%}",
    ]
    assert f"4 of 4 runs are trained; play with one: --net {folder / NAMES[0]}" in out
    alone = tmp_path / "alone"
    assert program(*words, "--run", alone, "--set", "blend=0.2", "--set", "seed=5")[0] == 0
    assert (alone / "champion").read_text() == (folder / NAMES[3] / "champion").read_text()
    assert untimed(alone / "metrics.jsonl") == untimed(folder / NAMES[3] / "metrics.jsonl")


def test_the_same_command_continues_a_sweep(program, sweep, monkeypatch) -> None:
    folder, command, (out, _) = sweep
    before = {name: (folder / name / "champion").read_text() for name in NAMES}
    shutil.rmtree(folder / NAMES[2])
    (folder / NAMES[3] / "done").unlink()
    train, trained = sweeps.train, []

    def spied(recipe, settings, run, *rest, **more):
        trained.append(run.finished())
        if len(trained) == 3:
            raise KeyboardInterrupt
        return train(recipe, settings, run, *rest, **more)

    monkeypatch.setattr(sweeps, "train", spied)
    code, _, err = program(*command)
    assert (code, "repeat the command to continue" in err) == (130, True)
    code, again, _ = program(*command)
    assert (code, trained[3:]) == (0, [True, True, False, False])
    assert {name: (folder / name / "champion").read_text() for name in NAMES} == before
    assert [line.split()[:4] for line in again.splitlines()] == [line.split()[:4] for line in out.splitlines()]


def test_a_run_that_fails_does_not_end_the_others(program, words, tmp_path, monkeypatch) -> None:
    train = sweeps.train

    def failing(recipe, settings, run, *rest, **more):
        if settings.seed == 4:
            raise PuzzlelabError("the loss is no number")
        return train(recipe, settings, run, *rest, **more)

    monkeypatch.setattr(sweeps, "train", failing)
    folder = tmp_path / "sweep"
    code, out, err = program(*words, "--run", folder, "--seeds", 2)
    assert (code, (folder / "seed=5" / "done").exists()) == (2, True)
    assert "seed=4 failed, and the other runs go on: the loss is no number" in err
    assert "error: 1 of 2 runs failed, for the reasons above: seed=4" in err
    assert "1 of 2 runs are trained" in out


def test_a_run_that_another_program_finishes_meanwhile_has_not_failed(program, words, tmp_path, monkeypatch) -> None:
    train, busy = sweeps.train, ["another program is at work"]

    def elsewhere(*given, **more):
        trained = train(*given, **more)
        if busy:
            raise PuzzlelabError(busy.pop())
        return trained

    monkeypatch.setattr(sweeps, "train", elsewhere)
    code, out, err = program(*words, "--run", tmp_path / "sweep", "--seeds", 2)
    assert (code, "2 of 2 runs are trained" in out) == (0, True)
    assert "seed=4 failed, and the other runs go on: another program is at work" in err


def test_settings_that_cannot_be_begin_no_run(program, words, sweep, tmp_path) -> None:
    folder, command, _ = sweep
    new = tmp_path / "new"
    for more, said in [
        (["--run", new, "--grid", "blend=1,7"], "the option 'blend' cannot be '7'"),
        (["--run", new, "--seeds", 2, "--only", "learn"], "--only is for one run"),
        (["--seeds", 2], "name the folder of the run: --run FOLDER"),
        (["--run", folder / NAMES[0], "--seeds", 2], "holds a run: give the runs of a sweep another --run"),
    ]:
        code, _, err = program(*words, *more)
        assert (code, said in err, new.exists()) == (2, True, False), err
    shutil.rmtree(folder / NAMES[0])
    code, _, err = program(*command, "--set", "learning.batch_size=9")
    assert (code, "was begun with other settings" in err, (folder / NAMES[0]).exists()) == (2, True, False)


def test_seeds_of_one_setting_are_one_curve(program, sweep) -> None:
    pytest.importorskip("matplotlib")
    folder, *_ = sweep
    code, out, err = program("plot", folder)
    assert (code, err) == (0, "")
    cells = [re.split(r" {2,}", line.strip()) for line in out.splitlines()[2:8]]
    assert [row[:2] for row in cells] == [
        [f"blend={blend} (2 seeds)", step] for blend in ("0.2", "1") for step in ("10", "20", "30")
    ]
    solved = [untimed(folder / name / "metrics.jsonl")[-1]["solved"] for name in NAMES]
    assert cells[-1][3].startswith(f"{sum(solved[:2]) / 2:.1%} ± ")
    drawn = (folder / "learning.svg").read_text()
    assert {"blend=1 (2 seeds)", "blend=0.2 (2 seeds)"} <= set(re.findall(r"<!-- (blend.*?) -->", drawn))


def test_networks_of_several_seeds_are_compared_as_one(program, sweep, tmp_path) -> None:
    folder, *_ = sweep
    boards, out = ("bench", "tiles-2x2", "--levels", "1-4", "--scale", "distance", "--count", 2), tmp_path / "rows"
    code, table, err = program(*boards, "--net", folder, "--with", "greedy,bfs", "--out", out)
    assert code in (0, 1), err
    assert len(list(out.glob("*.jsonl"))) == 5
    over_seeds = table[table.index("Mean over the seeds of the networks") :].splitlines()
    assert [re.split(r" {2,}", line.strip())[:3] for line in over_seeds[2:4]] == [
        ["greedy", "blend=0.2", "2"],
        ["greedy", "blend=1", "2"],
    ]
    assert re.search(r"blend=1 +2 +100.0% ± 0.0% +2.50 ± 0.00 +0.00 ± 0.00", over_seeds[3])
    assert set(over_seeds[:4]) <= set(program("bench", "--out", out)[1].splitlines())
    two = [word for name in NAMES[1:3] for word in ("--net", folder / name)]
    assert "Mean over the seeds" not in program(*boards, *two)[1]  # which differ in more
    assert re.search(r"greedy +blend=1:best +2 +\d", program(*boards, "--net", f"{folder}:best")[1])
    pytest.importorskip("jinja2")
    code, said, err = program("report", tmp_path, "--out", tmp_path / "report.html")
    assert (code, said) == (0, f"{tmp_path / 'report.html'}: 2 results\n"), err
    text = (tmp_path / "report.html").read_text()
    assert "Training of sweep" in text
    assert "All settings of the first run" in text
    assert text.count("<caption>Mean over the seeds of the networks, and 95 % interval") == 1
    assert text.count("<caption>The last evaluation: mean over the seeds, and 95 % interval") == 1
    assert program("report", folder / NAMES[0], "--out", tmp_path / "one.html")[0] == 0

"""How training went, as figures and as a picture."""

import json
import re

import pytest

from puzzlelab import BadInput
from puzzlelab.bench import training_charts
from puzzlelab.bench.charts import figure_of

EXAMS = [
    {"step": 10, "loss": 3.0, "seconds": 30.0, "solved": 0.0},
    {"step": 15, "loss": 2.5, "seconds": 45.0},
    {"step": 20, "loss": 2.0, "seconds": 90.0, "solved": 0.25, "moves": 12.5},
    {"step": 1030, "loss": 1.0, "seconds": 150.0, "solved": 1.0, "moves": 11.0, "least": 10.0},
]


def body(chart):
    return tuple(map(tuple, chart.rows))


@pytest.fixture
def run(tmp_path):
    """`run(name, puzzle, lines)`: the folder of a run with these lines in its diary."""

    def made(name, puzzle="tiles-3x3", lines=EXAMS):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.toml").write_text(f'recipe = "dqn"\npuzzle = "{puzzle}"\n')
        if lines is not None:
            (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return folder

    return made


def test_each_examination_is_a_row(run):
    made = training_charts.learning([run("one"), run("two", lines=EXAMS[:1])])
    assert made.title == "tiles-3x3: greedy play while it was learned"
    assert body(made) == (
        ("one", "10", "0.5", "0.0%", "-", "-"),
        ("one", "20", "1.5", "25.0%", "12.50", "-"),
        ("one", "1,030", "2.5", "100.0%", "11.00", "10.00"),
        ("two", "10", "0.5", "0.0%", "-", "-"),
    )


def test_runs_of_several_seeds_are_their_mean_with_a_band_up_to_where_all_have_come(run):
    pytest.importorskip("matplotlib")
    later = [{**exam, "solved": 0.5, "seconds": 60.0} for exam in EXAMS[:3] if "solved" in exam]
    folders = [run("try-1"), run("try-2", lines=later), run("try-3", lines=None)]
    for seed, folder in enumerate(folders):
        with (folder / "config.toml").open("a") as file:
            file.write(f"seed = {seed}\n")
    made = training_charts.learning(folders)
    half_widths = 12.7062047 * 0.25, 12.7062047 * 0.125
    assert body(made) == (
        ("try (2 seeds)", "10", "0.8", f"25.0% ± {half_widths[0]:.1%}", "-", "-"),
        ("try (2 seeds)", "20", "1.2", f"37.5% ± {half_widths[1]:.1%}", "12.50 ± 0.00", "-"),
    )
    assert tuple(made.remarks) == (
        "try (2 seeds): up to the last step that all of its runs have reached",
        "try-3 has no evaluation yet, or none with boards",
    )
    left, _ = figure_of(made).axes
    (band,) = left.collections
    assert band.get_paths()[0].get_extents().y1 == pytest.approx(0.25 + half_widths[0], abs=1e-3)


@pytest.mark.parametrize(("lines", "names"), [(EXAMS, ["one", "optimum"]), (EXAMS[:3], ["one"])])
def test_the_optimum_is_a_line_where_it_is_known(run, lines, names):
    made = training_charts.learning([run("one", lines=lines)])
    assert [line.name for line in made.panels[1].lines] == names


@pytest.mark.parametrize("lines", [None, [], EXAMS[1:2]])
def test_a_run_without_an_examination(run, lines):
    with pytest.raises(BadInput, match="one has no evaluation yet"):
        training_charts.learning([run("one", lines=lines)])


def test_runs_of_different_puzzles_are_not_drawn_together(run):
    with pytest.raises(BadInput, match="these runs are of different puzzles: one tiles-3x3, two dust-4x3x3"):
        training_charts.learning([run("one"), run("two", "dust-4x3x3")])


def test_a_run_whose_settings_name_no_puzzle(run):
    folder = run("one")
    (folder / "config.toml").write_text('recipe = "dqn"\n')
    with pytest.raises(BadInput, match="names no puzzle: it was changed after training wrote it"):
        training_charts.learning([folder])


def test_the_command_draws_runs_side_by_side(run, program):
    pytest.importorskip("matplotlib")
    one, two = run("one"), run("two")
    code, out, err = program("plot", one, two)
    assert (code, err) == (0, "")
    assert re.search(r"two +1,030 +2.5 +100.0% +11.00 +10.00", out)
    assert (one / "learning.png").stat().st_size > 10_000
    assert {"one", "two"} <= set(re.findall(r"<!-- (\w+) -->", (one / "learning.svg").read_text()))

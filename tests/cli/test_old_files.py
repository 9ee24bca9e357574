"""Files that earlier versions wrote still load: rows, benchmarks, recipes and the folders of runs."""

import json
import shutil
from pathlib import Path

import pytest

OLD = Path(__file__).parents[1] / "data" / "old"
UCT = ("--with", "uct", "--estimate", "manhattan", "--set", "playouts=20", "--out")


@pytest.fixture
def copied(tmp_path):
    """Copies a file or a folder of an earlier version, so that tests may add to it."""

    def copy(name):
        place = tmp_path / name
        (shutil.copytree if (OLD / name).is_dir() else shutil.copy)(OLD / name, place)
        return place

    return copy


def test_rows_are_verified(program) -> None:
    code, out, err = program("verify", OLD / "rows.jsonl")
    assert (code, err) == (0, "")
    assert "5 of 5" in out


def test_rows_in_parquet_are_verified(program) -> None:
    pytest.importorskip("pyarrow")
    code, out, err = program("verify", OLD / "rows.parquet")
    assert (code, err) == (0, "")
    assert "5 of 5" in out


def test_rows_cards_and_samples_have_the_version_that_wrote_them(program, tmp_path) -> None:
    from puzzlelab.core.version import VERSION

    board, rows = "1 2 3 4 5 6 7 0 8", tmp_path / "rows.jsonl"
    assert program("solve", "tiles-3x3", board, "--with", "bfs", "--out", rows)[0] == 0
    assert json.loads(rows.read_text())["version"] == VERSION
    assert all(json.loads(line)["version"] for line in (OLD / "rows.jsonl").read_text().splitlines())
    for card in OLD.rglob("nets/*.json"):
        assert json.loads(card.read_text())["version"]
    pq = pytest.importorskip("pyarrow.parquet")
    table = tmp_path / "rows.parquet"
    assert program("solve", "tiles-3x3", board, "--with", "bfs", "--out", table)[0] == 0
    assert pq.read_table(table)["version"].to_pylist() == [VERSION]
    samples = tmp_path / "samples"
    assert program("teach", "tiles-2x2", "--out", samples, "--all")[0] == 0
    (shard,) = samples.rglob("*.parquet")
    assert json.loads(pq.read_schema(shard).metadata[b"puzzlelab"])["version"] == VERSION


def test_a_row_with_old_names_of_options_answers_the_same_question(program, copied) -> None:
    rows = copied("rows.jsonl")
    before = rows.read_text()
    board = "1 2 3 4 5 6 0 7 8"
    code, out, _ = program("solve", "tiles-3x3", board, *UCT, rows, "--set", "exploration=2", "--set", "decay=0.99")
    assert code == 0
    assert "2 moves" in out
    assert rows.read_text() == before


def test_a_benchmark_is_read_and_not_run_again(program, copied) -> None:
    folder = copied("bench")
    before = {path.name: path.read_text() for path in folder.iterdir()}
    solvers = "ida,uct:estimate=manhattan:exploration=2:playouts=20"
    code, out, _ = program("bench", "tiles-2x3", "--scale", "uniform", "--count", 3, "--with", solvers, "--out", folder)
    assert code == 0
    assert "3 of 3" in out or "100" in out
    assert {path.name: path.read_text() for path in folder.iterdir()} == before


def test_training_goes_on_from_the_state_of_a_run(program, copied) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("tomli_w")
    run = copied("dqn")
    (run / "done").unlink()
    code, out, err = program("train", "dqn", "--run", run, "--config", OLD / "dqn-tiny.toml")
    assert code == 0, err
    assert (run / "done").read_text() == (OLD / "dqn" / "done").read_text()
    board = "1 2 3 4 0 5"
    code, out, _ = program("solve", "tiles-2x3", board, "--with", "greedy", "--set", f"prior=net:{run}")
    assert code in (0, 1)
    assert "greedy" in out


def test_a_run_of_self_competition_is_shown(program, copied) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("pyarrow")
    run = copied("selfplay")
    code, out, err = program("selfplay", "status", run)
    assert (code, err) == (0, "")
    assert "tiles-2x2" in out
    assert "champions" in out
    assert program("selfplay", "run", run, "--config", OLD / "selfplay-tiny.toml")[0] == 0


@pytest.mark.parametrize("path", sorted(OLD.glob("*.toml")), ids=lambda path: path.stem)
def test_settings_of_recipes_load(path) -> None:
    pytest.importorskip("torch")
    from puzzlelab.training import recipe
    from puzzlelab.training.runs import read_toml

    values = read_toml(path)
    settings = recipe.settings_of(values["recipe"], values)
    assert settings.puzzle == values["puzzle"]
    assert recipe.settings_of(values["recipe"], settings.model_dump(exclude_none=True)) == settings

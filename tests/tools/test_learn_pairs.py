"""The program that learns the estimate of pairs, on small boards."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from puzzlelab.puzzles.tiles.pairs import alike_pairs, near_pairs

PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks" / "learn_pairs.py"


@pytest.fixture
def program() -> ModuleType:
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("learn_pairs", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(program: ModuleType, monkeypatch: pytest.MonkeyPatch, *options: object) -> None:
    """Run it with these options."""
    monkeypatch.setattr(sys, "argv", ["learn_pairs.py", *map(str, options)])
    program.main()


def test_it_goes_on_where_it_was_and_one_size_begins_with_the_weights_of_another(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "PART", 10)
    small, large = tmp_path / "3", tmp_path / "4"
    asked = (3, small, "--boards", 20, "--width", 32, "--jobs", 1)
    run(program, monkeypatch, *asked, "--rounds", 1)
    first = np.load(small / "weights-0.npz")
    assert first["weights"].shape == (near_pairs(3).weights,)
    assert first["weights"][0] == 0
    assert "boards to 20: 10 of 10 solved" in capsys.readouterr().out

    run(program, monkeypatch, *asked, "--rounds", 2)
    out = capsys.readouterr().out
    assert "boards to 20:" not in out
    assert "boards to 40: 10 of 10 solved" in out
    (small / "part-20.npz").unlink()
    (small / "weights-1.npz").unlink()
    run(program, monkeypatch, *asked, "--rounds", 2)
    assert "boards to 30:" in capsys.readouterr().out

    known = program.begin(program.Tiles(4, 4), small / "weights-0.npz")
    (alike, codes), pairs = alike_pairs(4), near_pairs(4)
    shared = dict(zip(first["codes"].tolist(), first["shared"], strict=True))
    expected = [round(float(shared.get(code, 0.0)) * program.UNITS) for code in codes[alike[5]].tolist()]
    assert known["weights"][pairs.place[5]].tolist() == expected
    assert len(set(expected)) > 5
    run(program, monkeypatch, 4, large, "--like", small / "weights-0.npz", "--boards", 10, "--rounds", 1, "--jobs", 1)
    assert (large / "weights-0.npz").exists()


def test_boards_that_no_beam_solves_end_it_with_a_sentence(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(program, "solution", lambda *_: None)
    with pytest.raises(SystemExit, match="no board of this part was solved; begin with --like"):
        run(program, monkeypatch, 3, tmp_path, "--boards", 50, "--jobs", 1)

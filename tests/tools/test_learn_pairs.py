"""The program that learns the estimate of pairs, on small boards."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from puzzlelab.engine.batch_rules import estimated
from puzzlelab.puzzles.tiles.pairs import alike_pairs, near_pairs

PROGRAM = Path(__file__).resolve().parents[2] / "benchmarks" / "learn_pairs.py"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program as a module, with short rounds."""
    spec = importlib.util.spec_from_file_location("learn_pairs", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "learn_pairs", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROUND", 10)
    return module


def run(program: ModuleType, monkeypatch: pytest.MonkeyPatch, *options: object) -> None:
    """Run it with these options."""
    monkeypatch.setattr(sys, "argv", ["learn_pairs.py", *map(str, options)])
    program.main()


def test_it_goes_on_where_it_was_and_knows_what_it_would_know_without_a_stop(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts, whole = tmp_path / "parts", tmp_path / "whole"
    run(program, monkeypatch, 3, parts, "--boards", 10, "--width", 32, "--jobs", 1)
    first = np.load(parts / "weights.npz")["weights"]
    assert "10 boards: 10 of 10 solved" in capsys.readouterr().out
    run(program, monkeypatch, 3, parts, "--boards", 20, "--width", 32, "--jobs", 1)
    assert "20 boards: 10 of 10 solved" in capsys.readouterr().out
    run(program, monkeypatch, 3, parts, "--boards", 20, "--jobs", 1)
    assert capsys.readouterr().out == ""
    run(program, monkeypatch, 3, whole, "--boards", 20, "--width", 32, "--jobs", 2)
    for name in ("learned.npz", "weights.npz"):
        one, other = np.load(parts / name), np.load(whole / name)
        assert all(np.array_equal(one[key], other[key]) for key in one.files)
    assert first.shape == (near_pairs(3).weights,)
    assert (first != one["weights"]).any()
    assert one["weights"][0] == 0


def test_a_lesson_is_a_state_of_a_solution_with_other_states_of_its_layer(program: ModuleType) -> None:
    puzzle = program.Tiles(3, 3)
    exact = program.chosen_estimate(puzzle, "exact")
    found = program.lessons(puzzle, program.chosen_estimate(puzzle, None), 64, 1)
    states = program.rules_of(program.board(puzzle, 1)).decode(found.states)
    assert found.moves > found.left[0]
    assert found.left.tolist() == sorted(found.left.tolist(), reverse=True)
    assert (estimated(puzzle, exact, states) <= found.left).all()
    for state, rivals, left in zip(found.states, found.rivals, found.left, strict=True):
        assert rivals.shape == (program.RIVALS, 10)
        assert (rivals != state).any(axis=1).all()
        assert (np.sort(rivals[:, :9]) == np.arange(9)).all()
        others = program.rules_of(program.board(puzzle, 1)).decode(rivals)
        assert ((estimated(puzzle, exact, others) - left) % 2 == 0).all()


def test_one_size_begins_with_what_another_has_learned(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    small, large = tmp_path / "3", tmp_path / "4"
    run(program, monkeypatch, 3, small, "--boards", 40, "--width", 32, "--jobs", 1)
    known = program.stored(small)
    begun = program.first(4, known)
    (own, shared, trios, _), there = program.parts(4), program.parts(3)
    known_codes = dict(zip(alike_pairs(3)[1].tolist(), known.mean[there[0] : there[1]].tolist(), strict=True))
    expected = [known_codes.get(code, 0.0) for code in alike_pairs(4)[1].tolist()]
    assert begun.parameters[own:shared].tolist() == expected
    assert np.count_nonzero(expected) > 5
    assert begun.parameters[shared:trios].tolist() == known.mean[there[1] : there[2]].tolist()
    assert not begun.parameters[:own].any()
    puzzle = program.Tiles(4, 4)
    goal = np.array([puzzle.goal], np.uint8)
    assert abs(estimated(puzzle, program.estimate_of(begun), goal)[0]) < 0.1
    run(program, monkeypatch, 4, large, "--like", small, "--boards", 10, "--width", 64, "--jobs", 1)
    assert program.stored(large).boards == 10
    with pytest.raises(SystemExit, match="has what was learned of 4x4 tiles"):
        run(program, monkeypatch, 3, large)
    with pytest.raises(SystemExit, match="nowhere has no learned.npz: nothing was learned there"):
        run(program, monkeypatch, 4, tmp_path / "5", "--like", tmp_path / "nowhere")


def test_boards_that_no_beam_solves_end_it_with_a_sentence(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(program, "lessons", lambda *_: None)
    with pytest.raises(SystemExit, match="no board of this round was solved; begin with --like"):
        run(program, monkeypatch, 3, tmp_path, "--boards", 50, "--jobs", 1)


def test_an_interruption_says_how_it_goes_on(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "lessons", interrupted)
    with pytest.raises(SystemExit) as ended:
        run(program, monkeypatch, 3, tmp_path, "--jobs", 1)
    assert ended.value.code == 130
    assert "started again, it goes on after the last whole round" in capsys.readouterr().out


def test_a_file_of_weights_is_learned_further(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    run(program, monkeypatch, 3, one, "--boards", 20, "--width", 32, "--jobs", 1)
    known, again = program.stored(one), program.revived(3, one / "weights.npz")
    assert again.boards == known.boards == 20
    for name, value in program.weights(known).items():
        assert np.array_equal(program.weights(again)[name], value)
    run(program, monkeypatch, 3, other, "--like", one / "weights.npz", "--boards", 30, "--width", 32, "--jobs", 1)
    assert "30 boards: 10 of 10 solved" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="has no weights of 4x4 tiles"):
        run(program, monkeypatch, 4, tmp_path / "four", "--like", one / "weights.npz")
    for content in (b"", b"no weights", (one / "weights.npz").read_bytes()[:900], (one / "alike.npz").read_bytes()):
        damaged = tmp_path / "damaged.npz"
        damaged.write_bytes(content)
        with pytest.raises(SystemExit, match="has no weights of 3x3 tiles"):
            run(program, monkeypatch, 3, tmp_path / "three", "--like", damaged)


@pytest.mark.parametrize("side", [1, 2, 9])
def test_a_size_without_pairs_is_refused(
    side: int, program: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(program, monkeypatch, side, tmp_path)
    assert "argument side: invalid" in capsys.readouterr().err

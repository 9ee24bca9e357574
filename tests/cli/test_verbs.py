"""The smaller verbs, as they are typed: check, generate, list, warm."""

import json
import subprocess
from types import SimpleNamespace

import pytest
from typed_boards import FAR, ODD, ONE

from puzzlelab import load
from puzzlelab.cli.main import VERBS
from puzzlelab.core.result import Result
from puzzlelab.core.views import Estimates, Samples, levels_of
from puzzlelab.engine.compiler import kernel_folder
from puzzlelab.version import VERSION

# --- the program ----------------------------------------------------------------------------------


def test_help_names_every_verb_and_each_explains_itself(program):
    assert program("--version") == (0, f"puzzlelab {VERSION}\n", "")
    code, out, _ = program("-h")
    assert (code, program("--help")[1]) == (0, out)
    for verb in VERBS:
        assert f" {verb} " in out
        code, said, _ = program(verb, "--help")
        assert (code, f" {verb} [OPTIONS]" in said) == (0, True)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("solve", "tiles-3x3", FAR, "--seed=3"), "--seed (a setting is written --set seed=VALUE)"),
        (("solve", "tiles-3x3", FAR, "--tme=3"), "--tme (Possible options: --time)"),
        (("check", "tiles-3x3", FAR, "--seed=3"), "No such option: --seed"),
    ],
)
def test_an_option_that_does_not_exist_is_advised_on_only_where_one_resembles_it(program, words, advice):
    code, _, err = program(*words)
    assert code == 2
    assert f"{advice}  " in err


# --- check ----------------------------------------------------------------------------------------


def test_check_shows_a_board_and_how_hard_it_is(program):
    code, out, err = program("check", "tiles-3x3", FAR)
    assert (code, err) == (0, "")
    assert out.startswith(f"{FAR}\n8 6 7\n2 5 4\n3 . 1\nno objection was found\n")
    assert "\nlevel: 23 (" in out
    assert "\ndistance: 31 (" in out


def test_check_as_json_has_an_object_for_each_board(program):
    code, out, err = program("check", "tiles-3x3", "--json", stdin=f"{ODD}\nx\n{ONE}\n".encode())
    odd, wrong, one = map(json.loads, out.splitlines())
    assert code == 2
    assert err.startswith("error: standard input, line 2: ")
    assert (odd["board"], odd["ok"], odd["unsolvable"]) == (ODD, False, True)
    assert (wrong["puzzle"], wrong["board"]) == ("tiles-3x3", "x")
    assert wrong["error"] in err
    assert (one["board"], one["ok"], one["objections"], one["difficulty"]["distance"]) == (ONE, True, [], 1)


# --- generate -------------------------------------------------------------------------------------


def generated(program, *words):
    code, out, err = program("generate", *words)
    assert (code, err) == (0, "")
    return out.splitlines()


def test_generate_makes_equal_boards_from_equal_seeds(program):
    words = ("tiles-4x4", "--count", 5)
    assert generated(program, *words, "--seed", 3) == generated(program, *words, "--seed", 3)
    assert generated(program, *words, "--seed", 3) != generated(program, *words, "--seed", 4)
    assert generated(program, "tiles-4x4", "--count", 2, "--seed", 0) == generated(program, *words, "--seed", 0)[:2]


def test_generate_goes_through_a_range_in_turn(program):
    puzzle = load("tiles-3x3")
    boards = generated(program, "tiles-3x3", "--level", "5-7", "--count", 7, "--seed", 0)
    levels = [levels_of(puzzle, puzzle.read(board).state[None])[0]["level"] for board in boards]
    assert levels == [5, 6, 7, 5, 6, 7, 5]


def test_generate_as_json_says_how_to_make_each_board_again(program):
    words = ("tiles-3x3", "--level", "5-6", "--count", 2, "--seed", 3)
    first, second = map(json.loads, generated(program, *words, "--json"))
    assert [first["board"], second["board"]] == generated(program, *words)
    del first["board"]
    assert first == {"puzzle": "tiles-3x3", "scale": "level", "level": "5-6", "seed": 3, "number": 1}
    assert second["number"] == 2


def test_generate_writes_files_that_solve_reads(program, tmp_path):
    path = tmp_path / "boards.txt"
    words = ("generate", "tiles-3x3", "--scale", "distance", "--level", "4-6", "--count", 3, "--seed", 2)
    assert program(*words, "--out", path)[0] == 0
    lines = path.read_text().splitlines()
    assert lines[0] == "# puzzle: tiles-3x3"
    assert "distance 4-6, seed 2" in lines[1]
    assert lines[2:] == program(*words)[1].splitlines()
    _, out, _ = program("solve", "tiles-3x3", "--file", path, "--json")
    assert [json.loads(row)["length"] for row in out.splitlines()] == [4, 5, 6]


# --- list and warm --------------------------------------------------------------------------------


def test_list_of_one_puzzle_names_its_estimates_and_scales(program):
    assert all(word in program("list")[1] for word in ("tiles-3x3", "astar", "depth-first"))
    code, out, _ = program("list", "tiles-3x3")
    assert code == 0
    for word in ("manhattan", "conflicts (usual)", "exact", "level", "distance", "0-31", "in-place", "ida (usual)"):
        assert word in out
    assert "exact" not in program("list", "tiles-4x4")[1]


def test_list_as_json(program):
    everything = json.loads(program("list", "--json")[1])
    assert "tiles" in [each["family"] for each in everything["puzzles"]]
    assert everything["version"] == VERSION
    code, out, err = program("list", "tiles-3x3", "--json")
    assert (code, err, len(out.splitlines())) == (0, "", 1)
    assert json.loads(out)["usual_solver"] == {"name": "ida", "options": {"upper": "beam"}}


def without_searches(monkeypatch, stand_in):
    """Have `warm` call this in the place of every search, in a process that could keep everything so far."""
    for name in ("tiles-2x2", "dust-8x6x5", "sudoku-9x9"):
        load(name).view(Samples)  # or modules that are imported meanwhile would keep the stand-in
    monkeypatch.setattr("puzzlelab.engine.solving.solve", stand_in)
    monkeypatch.setattr("puzzlelab.engine.user_cache.write_failures", {})


def warmed(program, monkeypatch, *words):
    """What `warm` would compile, as pairs of a solver and its estimate; nothing is."""
    pairs = []

    def keep(solver, start, limit):
        pairs.append((solver.name, getattr(solver, "estimate", None)))
        return Result(None)

    without_searches(monkeypatch, keep)
    code, out, _ = program("warm", *words)
    assert code == 0
    assert out.startswith(f"{len(pairs)} pairs of solver and estimate are warm in ")
    return pairs


def test_warm_goes_through_every_solver_with_every_estimate(program, monkeypatch):
    pairs = warmed(program, monkeypatch, "tiles-2x2")
    guided = {"astar", "beam", "depth-first", "greedy", "ida", "shortest", "uct"}
    estimates = set(load("tiles-2x2").view(Estimates).estimates)
    assert len(estimates) > 4
    assert {name for name, estimate in pairs if estimate} == guided
    assert all({given for name, given in pairs if name == solver} == estimates for solver in guided)
    assert [pair for pair in pairs if pair[0] not in guided] == [
        *(("bfs", None), ("lines", None), ("portfolio", None), ("random", None))
    ]


def test_warm_without_a_name_takes_the_usual_puzzles_and_leaves_large_tables(program, monkeypatch):
    pairs = warmed(program, monkeypatch)
    assert {"bfs", "dancing-links", "halves"} <= {name for name, _ in pairs}
    assert {("ida", "pdb"), ("ida", "conflicts"), ("beam", None)} <= set(pairs)
    with_tables = warmed(program, monkeypatch, "--tables", "tiles-5x5")
    assert ("ida", "pdb") in with_tables
    assert ("ida", "pdb") not in warmed(program, monkeypatch, "tiles-5x5")


def test_warm_leaves_machine_code(program, monkeypatch):
    monkeypatch.setattr("puzzlelab.core.registry.solver_names", lambda: ["bfs"])
    monkeypatch.setattr("puzzlelab.engine.user_cache.write_failures", {})
    code, out, _ = program("warm", "tiles-2x2")
    assert code == 0
    assert out.startswith("1 pairs of solver and estimate are warm in ")
    assert list(kernel_folder().rglob("*bfs_kernels.step*.kernel"))


def test_warm_says_what_could_not_be_kept(program, monkeypatch, tmp_path):
    without_searches(monkeypatch, lambda *_: Result(None))
    failures = {tmp_path / "a": "No space left on device", tmp_path / "b": "x"}
    monkeypatch.setattr("puzzlelab.engine.user_cache.write_failures", failures)
    code, out, errors = program("warm", "tiles-2x2")
    assert (code, out) == (1, "")
    assert errors == (
        f"error: 2 files could not be kept, the first one is {tmp_path / 'a'} (No space left on device)\n"
    )


def test_a_pack_that_cannot_be_written_is_said(program, monkeypatch, tmp_path):
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=0))
    (tmp_path / "file").write_text("a file")
    code, _, errors = program("warm", "tiles-2x2", "--pack", tmp_path / "file")
    assert (code, errors) == (2, f"error: cannot write {tmp_path / 'file'}: File exists\n")


@pytest.mark.slow
def test_the_demo_solves_and_proves(program):
    code, out, _ = program("demo")
    assert code == 0
    assert "shortest, proven" in out
    assert "the shortest (moves are U, D, L, R: the way the tile slides): " in out
    assert "the only one, proven" in out
    assert "beam:estimate=net:width=10" in out
    assert "puzzlelab solve tiles-4x4" in out

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption, BrokenPlugin, UnknownName
from puzzlelab.engine import installed
from puzzlelab.solvers.astar import Astar


def test_the_families_and_solvers_of_the_package_are_found() -> None:
    assert "tiles" in registry.families()
    assert {"astar", "beam", "bfs", "depth-first", "ida"} <= set(registry.solver_names())
    assert not [name for name in [*registry.families(), *registry.solver_names()] if name.startswith("_")]


@pytest.mark.parametrize("name", registry.families())
def test_every_family_says_what_it_is(name: str) -> None:
    about = registry.family(name).about
    assert "\n" not in about
    assert about.endswith(".")


@pytest.mark.parametrize("name", registry.solver_names())
def test_every_solver_is_made_by_its_name(name: str) -> None:
    solver = registry.make_solver(name, {})
    assert solver.name == name
    assert solver == registry.make_solver(name.replace("-", "_"), {})


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tile-3x3", "there is no puzzle 'tile'; did you mean 'tiles'?"),
        ("", "there is no puzzle ''; known are "),
        ("-", "there is no puzzle '-'"),
        ("chess", "there is no puzzle 'chess'"),
        ("../../etc", "there is no puzzle '../../etc'"),
        ("x" * 10**6, f"there is no puzzle '{'x' * 40}...'"),
    ],
)
def test_an_unknown_puzzle_is_told_the_nearest(name: str, words: str) -> None:
    with pytest.raises(UnknownName) as caught:
        registry.load(name)
    assert str(caught.value).startswith(words)
    with pytest.raises(UnknownName):
        registry.family(name)


@pytest.mark.parametrize(("name", "near"), [("aster", "astar"), ("depthfirst", "depth-first"), ("BFS", "")])
def test_an_unknown_solver_is_told_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UnknownName, match=f"there is no solver '{name}'; .*{near}"):
        registry.make_solver(name, {})


@pytest.mark.parametrize(("name", "own"), registry.OTHER_NAMES.items())
def test_a_solver_has_other_names(name: str, own: str) -> None:
    assert registry.make_solver(name.upper(), {}) == registry.make_solver(own, {})
    assert registry.solver_class(name).name == own
    assert own in registry.SOLVERS.own
    assert name not in registry.SOLVERS.own


def test_options_reach_the_solver_and_none_leaves_them() -> None:
    assert registry.make_solver("astar", {"weight": 2, "estimate": None}) == Astar(weight=2)
    with pytest.raises(BadOption, match="astar has no option 'wait'; did you mean 'weight'"):
        registry.make_solver("astar", {"wait": 2})


PLUGIN = """
from dataclasses import dataclass
from typing import ClassVar

from puzzlelab.core.puzzle import Family
from puzzlelab.core.settings import Settings

@dataclass(frozen=True)
class Lamp:
    name: str

class Guess(Settings):
    name: ClassVar[str] = "guess"
    tries: int = 3

FAMILY = Family("A puzzle of somebody else.", lambda rest: Lamp(f"lamps-{rest}"), ("lamps-3",))
"""


def test_plug_ins_are_found_by_their_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plugged) -> None:
    (tmp_path / "lamps_of_a_test.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    plugged("puzzlelab.puzzles", "lamps", "lamps_of_a_test:FAMILY")
    plugged("puzzlelab.solvers", "guess", "lamps_of_a_test:Guess")
    assert "lamps" in registry.families()
    assert "guess" in registry.solver_names()
    assert registry.load("lamps-3").name == "lamps-3"
    assert registry.family("lamps").about == "A puzzle of somebody else."
    assert registry.make_solver("guess", {"tries": 5}).options() == {"tries": 5}
    monkeypatch.delitem(sys.modules, "lamps_of_a_test")


def test_a_plug_in_cannot_take_a_name_of_the_package(plugged) -> None:
    plugged("puzzlelab.solvers", "astar", "lamps_of_a_test:Guess")
    assert registry.make_solver("astar", {}) == Astar()


LISTING = """
import sys
from puzzlelab.core import registry
assert registry.families() and registry.solver_names()
print([name for name in sys.modules if name.startswith(("puzzlelab.puzzles.", "puzzlelab.solvers.", "torch", "numba"))])
"""


def test_listing_imports_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", LISTING], capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


BROKEN = {
    "from puzzlelab import Exampel": "cannot be used: ImportError: cannot import name 'Exampel' from 'puzzlelab'",
    "import no_such_module": "cannot be used: ModuleNotFoundError: No module named 'no_such_module'",
    "FAMILY = (": "cannot be used: SyntaxError: ",
    "{}['key']": "cannot be used: KeyError: 'key'",
    "raise SystemExit(3)": "cannot be used: SystemExit: 3",
    "family = 1": "cannot be used: broken_of_a_test has no FAMILY",
    "FAMILY = 'lamps'": "cannot be used: FAMILY in broken_of_a_test is no Family",
}


@pytest.fixture
def broken(tmp_path, monkeypatch, plugged):
    """`broken(text)`: a plug-in with this text is installed as the puzzle and the solver `oops`."""

    def install(text: str) -> None:
        (tmp_path / "broken_of_a_test.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(installed, "_told", set())
        plugged("puzzlelab.puzzles", "oops", "broken_of_a_test:FAMILY")
        plugged("puzzlelab.solvers", "oops", "broken_of_a_test:Guess")

    yield install
    sys.modules.pop("broken_of_a_test", None)


@pytest.mark.parametrize("text", BROKEN)
def test_a_plug_in_that_cannot_be_used_gets_a_sentence(broken, text) -> None:
    broken(text)
    with pytest.raises(BrokenPlugin, match=f"^the plug-in 'oops' {re.escape(BROKEN[text])}"):
        registry.load("oops-3")
    with pytest.raises(BrokenPlugin, match="^the plug-in 'oops' cannot be used: "):
        registry.make_solver("oops", {})


def test_a_plug_in_that_cannot_be_used_is_left_out_with_one_note(broken, listener) -> None:
    broken("import no_such_module")
    for _ in range(2):
        names = {name for name, _ in installed.families()}
        assert names >= {"dust", "sudoku", "tiles"}
        assert "oops" not in names
        solvers = {name for name, _ in installed.solvers()}
        assert solvers >= {"astar", "halves"}
        assert "oops" not in solvers
    sentence = f"the plug-in 'oops' {BROKEN['import no_such_module']}. It is left out."
    assert listener.notes == [sentence]


def test_the_package_of_a_broken_plug_in_is_named(tmp_path: Path) -> None:
    about = tmp_path / "oops_puzzles-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: oops-puzzles\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[puzzlelab.puzzles]\noops = oops_missing:FAMILY\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}

    def program(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "puzzlelab", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)

    reason = "ModuleNotFoundError: No module named 'oops_missing'"
    sentence = f"the plug-in 'oops' of the package oops-puzzles cannot be used: {reason}"
    listed = program("list")
    assert (listed.returncode, listed.stderr.strip()) == (0, f"{sentence}. It is left out.")
    assert "tiles-4x4" in listed.stdout
    asked = program("list", "oops-3")
    assert (asked.returncode, asked.stdout, asked.stderr.strip()) == (2, "", f"error: {sentence}")

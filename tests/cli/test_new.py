"""`puzzlelab new`: the packages that it makes work as they are, and nothing is left where it cannot make one."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from puzzlelab.cli import new

ROOT = Path(__file__).parents[2]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def types_of_libraries(tmp_path_factory):
    """A folder in which mypy keeps what it has read: PyTorch alone takes it half a minute."""
    return tmp_path_factory.mktemp("types")


def run(folder, *words, **variables):
    """Run a module of Python in the folder of a package; its output, if it succeeds."""
    path = f"src{os.pathsep}{ROOT / 'src'}"
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    environment.pop("PYTHONSAFEPATH", None)
    command = [sys.executable, "-m", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_puzzle_is_made_and_the_next_commands_are_named(program, here):
    code, out, err = program("new", "puzzle", "ring_of_lamps")
    files, _, following = out.partition("\n\nNext:\n")
    assert (code, err) == (0, "")
    assert files.splitlines() == [f"ring_of_lamps/{path}" for path in contents(here / "ring_of_lamps")]
    assert contents(here / "ring_of_lamps") == [
        "README.md",
        "pyproject.toml",
        "recipes/ring_of_lamps.toml",
        "src/ring_of_lamps/__init__.py",
        "src/ring_of_lamps/kernels.py",
        "src/ring_of_lamps/page/ring_of_lamps.js",
        "src/ring_of_lamps/py.typed",
        "src/ring_of_lamps/rules.py",
        "tests/test_ring_of_lamps.py",
    ]
    assert [line.split("#")[0].strip() for line in following.splitlines()] == [
        "pip install -e ring_of_lamps",
        'puzzlelab solve ring_of_lamps-8 "5 2 8 1 6 3 7 4" --steps',
        "pytest ring_of_lamps",
        "puzzlelab train imitation --config ring_of_lamps/recipes/ring_of_lamps.toml --run runs/ring_of_lamps",
        "puzzlelab web --open",
    ]


def test_a_solver_is_made_in_a_folder_of_another_name(program, here):
    code, out, _ = program("new", "solver", "hill_climb", "--folder", "plug ins/mine")
    assert code == 0
    assert "pip install -e 'plug ins/mine'" in out
    assert "--with hill-climb" in out
    assert contents(here / "plug ins" / "mine") == [
        "README.md",
        "pyproject.toml",
        "src/hill_climb/__init__.py",
        "src/hill_climb/py.typed",
        "tests/test_hill_climb.py",
    ]


@pytest.mark.parametrize(
    ("kind", "entry"),
    [
        ("puzzle", ("puzzles", "ring_of_lamps", "FAMILY")),
        ("solver", ("solvers", "ring-of-lamps", "SOLVER")),
        ("architecture", ("architectures", "ring_of_lamps", "ARCHITECTURE")),
    ],
)
def test_the_project_names_its_entry_point_and_no_placeholder_stays(program, here, kind, entry):
    program("new", kind, "ring_of_lamps")
    project = tomllib.loads((here / "ring_of_lamps" / "pyproject.toml").read_text())["project"]
    group, name, value = entry
    assert project["entry-points"] == {f"puzzlelab.{group}": {name: f"ring_of_lamps:{value}"}}
    assert project["name"] == "puzzlelab-ring-of-lamps"
    text = "".join(f"{path}{path.read_text() if path.is_file() else ''}" for path in here.rglob("*"))
    assert not any(word in text for word in ("__name__", "__Name__", "__dashed__", "__folder__", ".template"))


@pytest.mark.parametrize(("kind", "puzzle"), [("puzzle", "ring_of_lamps-8"), ("architecture", "tiles-3x3")])
def test_the_recipe_is_one(program, here, kind, puzzle):
    pytest.importorskip("torch")
    from puzzlelab.training.recipes.imitation import ImitationSettings

    program("new", kind, "ring_of_lamps")
    text = (here / "ring_of_lamps" / "recipes" / "ring_of_lamps.toml").read_text()
    assert ImitationSettings.model_validate(tomllib.loads(text)).puzzle == puzzle


def test_an_empty_folder_is_filled_and_a_full_one_is_not(program, here):
    (here / "lamps").mkdir()
    assert program("new", "puzzle", "lamps")[0] == 0
    before = contents(here)
    sentence = "error: lamps holds README.md already: give an empty folder, or a new name, with --folder\n"
    assert program("new", "puzzle", "lamps") == (2, "", sentence)
    assert contents(here) == before


@pytest.mark.parametrize(
    ("error", "there"),
    [(OSError(28, "No space left on device"), True), (KeyboardInterrupt(), False)],
    ids=["a full disk in an empty folder", "Ctrl-C in a new folder"],
)
def test_nothing_half_written_stays(program, here, monkeypatch, error, there):
    if there:
        (here / "deep" / "lamps").mkdir(parents=True)
    before, real = sorted(here.rglob("*")), Path.write_text

    def write(path, *arguments, **options):
        if path.suffix == ".toml" and "recipes" in path.parts:
            raise error
        return real(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", write)
    code, out, err = program("new", "puzzle", "lamps", "--folder", "deep/lamps")
    assert (code, out) == ((2, "") if isinstance(error, OSError) else (130, ""))
    assert "No space left on device" in err or isinstance(error, KeyboardInterrupt)
    assert sorted(here.rglob("*")) == before


def test_the_page_has_the_same_rules(program, here):
    if (node := shutil.which("node")) is None:
        pytest.skip("there is no Node.js")
    program("new", "puzzle", "lamps")
    module = (here / "lamps" / "src" / "lamps" / "page" / "lamps.js").read_text()
    assert module.count("import ") == 1
    script = (
        'const rules = new Rules("lamps-5"); const state = rules.read("3 1 4 2 5"); const moves = rules.legal(state);\n'
        "const children = moves.map((move) => rules.write(rules.apply(state, move)));\n"
        "const solved = [state, rules.goal].map((each) => rules.solved(each));\n"
        'console.log(JSON.stringify([moves, children, ...solved, nameOf(valuesOf("lamps-5"))]));'
    )
    code = module.replace('import { el } from "../dom.js";', "") + script
    said = subprocess.run([node, "--input-type=module", "-e", code], capture_output=True, text=True, check=True).stdout
    children = '["1 3 4 2 5","4 1 3 2 5","2 4 1 3 5","5 2 4 1 3"]'
    assert said.strip() == f'[["2","3","4","5"],{children},false,true,"lamps-5"]'


@pytest.mark.parametrize(
    ("kind", "name"), [("puzzle", "e"), ("solver", "a_long_name_of_24_letter"), ("architecture", "e")]
)
def test_the_files_are_formatted(program, here, kind, name):
    pytest.importorskip("ruff")
    program("new", kind, name)
    run(here / name, "ruff", "check", "--no-cache", ".")
    run(here / name, "ruff", "format", "--check", "--no-cache", ".")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["puzzle", "solver", "architecture"])
def test_the_types_are_right(program, here, kind, types_of_libraries):
    pytest.importorskip("mypy")
    program("new", kind, "ring_of_lamps")
    kept = {"MYPY_CACHE_DIR": str(types_of_libraries)}
    assert "no issues found" in run(here, "mypy", "--strict", "ring_of_lamps", **kept)
    assert "no issues found" in run(here / "ring_of_lamps", "mypy", **kept)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["puzzle", "solver"])
def test_the_tests_of_the_package_pass(program, here, kind):
    program("new", kind, "ring_of_lamps")
    assert " passed" in run(here / "ring_of_lamps", "pytest", "-q", "-p", "no:cacheprovider")


@pytest.mark.slow
def test_an_architecture_is_trained_as_it_is(program, here):
    """Its own tests pass where it is installed, which are of a run of two processes."""
    pytest.importorskip("torch")
    assert "puzzlelab train imitation --config lamps/recipes/lamps.toml" in program("new", "architecture", "lamps")[1]
    installed = here / "lamps" / "src" / "lamps-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: lamps\nVersion: 1\n")
    (installed / "entry_points.txt").write_text("[puzzlelab.architectures]\nlamps = lamps:ARCHITECTURE\n")
    assert "4 passed" in run(here / "lamps", "pytest", "-q", "-p", "no:cacheprovider")


def test_an_architecture_cannot_have_the_name_of_another(program, here):
    sentence = "error: there is an architecture 'dense' already; give another name\n"
    assert program("new", "architecture", "dense") == (2, "", sentence)


@pytest.mark.slow
def test_without_kernels_the_tests_of_compiled_rules_are_skipped(program, here):
    program("new", "puzzle", "ring_of_lamps")
    rules = here / "ring_of_lamps" / "src" / "ring_of_lamps" / "rules.py"
    rules.write_text(rules.read_text().replace('    KernelRules: "ring_of_lamps.kernels:rules",\n', ""))
    said = run(here / "ring_of_lamps", "pytest", "-q", "-rs", "-p", "no:cacheprovider")
    assert "4 skipped" in said.splitlines()[-1]
    assert "KernelRules is not in VIEWS" in said


def test_templates_are_in_the_package():
    folder = Path(new.__file__).parents[1] / "templates"
    assert {path.name for path in folder.iterdir()} == {"architecture", "puzzle", "solver"}
    assert all(path.suffix == new.ENDING for path in folder.rglob("*") if path.is_file())

"""The program starts without what only some verbs need: modules are named, and no time is measured."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(find_spec("coverage") is not None, reason="coverage and Numba import more with it")
HEAVY = {
    *("torch", "onnxruntime", "onnx", "ray", "fastapi", "uvicorn", "pyarrow", "matplotlib", "tensorboard", "asyncio"),
    "scipy.optimize",
}
"""What no answer to a board needs."""
LEARNING = ("torch", "onnx", "safetensors")
"""What only training needs."""
IN_VAIN = ("rich", "multiprocessing", "concurrent.futures.process")
"""What a `solve` whose output is no terminal does not need either."""

COMPILER = ("numba.np.arraymath", "numba.np.linalg", "numba.typed.typeddict")
"""What Numba imports before it compiles."""


RUN = """
import json, sys
from puzzlelab.cli.main import run
for words, expected in {calls}:
    sys.argv[1:] = words
    try:
        run()
    except SystemExit as ended:
        assert ended.code == expected, (words, ended.code)
    print(json.dumps([*sys.modules]))
"""
"""Runs commands one after the other, and prints after each what is imported by then."""


def modules_after(*commands: tuple[str, ...], codes: tuple[int, ...] | None = None, then: str = "") -> list[set[str]]:
    """The modules that one process has imported after each of these commands and the code that comes after them."""
    calls = [*zip(map(list, commands), codes or [0] * len(commands), strict=True)]
    return [set(json.loads(line)) for line in lines_of(RUN.format(calls=calls) + then) if line.startswith('["')]


def lines_of(code: str) -> list[str]:
    """The lines that a program with this code prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def imported(*words: str) -> set[str]:
    """The modules that a command has imported when it ends; where it had to compile, those of the next time."""
    (modules,) = modules_after(words)
    return modules_after(words)[0] if modules & set(COMPILER) else modules


def ours(modules: set[str], folder: str) -> set[str]:
    """The modules of one of the package's folders, or of the part of it that this names."""
    return {name.removeprefix(f"puzzlelab.{folder}.") for name in modules if name.startswith(f"puzzlelab.{folder}.")}


def test_nothing_heavy_is_imported() -> None:
    first = (["--version"], ["verify", "--help"], ["solve", "--help"])
    later = (["--help"], ["train", "--help"], ["list", "tiles-3x3"], ["list", "sudoku-9x9", "--json"])
    _, help_of_verify, help_of_solve, *_, last = modules_after(*first, *later)
    assert ours(help_of_verify, "cli") == {"main", "console", "progress", "verify", "options"}
    assert not help_of_solve & {"numba", "numpy", *HEAVY}
    assert not ours(help_of_solve, "puzzles") | ours(help_of_solve, "solvers")
    assert not last & set(HEAVY)


@pytest.mark.parametrize(
    ("puzzle", "board", "solvers"),
    [
        ("tiles-3x3", "1 2 3 4 5 6 7 0 8", {"ida"}),
        pytest.param("sudoku-9x9", "wikipedia", set(), marks=pytest.mark.slow),
    ],
    ids=["tiles", "sudoku"],
)
def test_a_solve_imports_what_its_answer_needs(puzzle, board, solvers) -> None:
    modules = imported("solve", puzzle, board)
    assert not modules & {*HEAVY, *IN_VAIN, *COMPILER}
    assert {name.partition(".")[0] for name in ours(modules, "puzzles")} == {puzzle.partition("-")[0]}
    general = {name for name in ours(modules, "solvers") if not name.startswith("_")}
    assert general <= solvers
    assert ours(modules, "cli") == {"main", "console", "progress", "solve", "options", "answers", "several"}


EIGHT, FIFTEEN = "1 2 3 4 5 6 7 0 8", "5 1 2 4 9 6 3 8 13 10 7 11 0 14 15 12"


def test_networks_are_evaluated_without_what_trains_them_also_by_the_page(tmp_path, run_folder) -> None:
    bench = ("bench", "tiles-3x3", "--scale", "level", "--levels", "3", "--count", "2", "--net", "best")
    page = (
        "from puzzlelab.web import tasks\nfrom puzzlelab.web.task_context import TaskContext\n"
        "context = TaskContext(lambda *_: None, lambda: False, 10**9)\n"
        f"request = {{'puzzle': 'tiles-3x3', 'board': '{EIGHT}', 'moves': None, 'net': None}}\n"
        "assert tasks.scores(request, context)['steps']\nprint(json.dumps([*sys.modules]))"
    )
    first, *others = modules_after(
        ("solve", "tiles-4x4", FIFTEEN, "--with", "greedy", "--show-scores"),
        ("solve", "tiles-3x3", EIGHT, "--with", "uct", "--set", "playouts=5"),
        ("solve", "tiles-3x3", EIGHT, "--with", "astar", "--set", "estimate=net:tiles-3x3-values"),
        ("solve", "sudoku-9x9", "easy", "--with", "greedy"),
        ("hint", "tiles-3x3", "1 2 3 4 5 6 0 7 8", "--with", "astar", "--set", "estimate=net"),
        (*bench, "--with", "beam", "--out", str(tmp_path)),
        ("match", str(run_folder), "champion", "beam:width=10", "--games", "2", "--shifts", "3"),
        ("selfplay", "status", str(run_folder)),
        codes=(0, 0, 0, 0, 1, 0, 0, 0),  # the hint is not proven
        then=page,
    )
    assert "onnxruntime" in first
    assert [modules & set(LEARNING) for modules in (first, *others)] == [set()] * 9


@pytest.fixture
def run_folder(tmp_path) -> Path:
    """The folder of a run of self-play whose champion is a network of the package."""
    root, name = Path(__file__).parents[2], "tiles-3x3"
    shelf = root / "src" / "puzzlelab" / "pretrained"
    champion = json.loads((shelf / f"{name}.json").read_text())["name"]
    nets = tmp_path / "run" / "nets"
    nets.mkdir(parents=True)
    for ending in (".json", ".onnx"):
        shutil.copy(shelf / f"{name}{ending}", nets / f"{champion}{ending}")
    shutil.copy(root / "src" / "puzzlelab" / "configs" / "tiles-3x3-selfplay.toml", nets.parent / "config.toml")
    for file in ("champion", "latest"):
        (nets.parent / file).write_text(f"{champion}\n")
    return nets.parent


def test_without_pytorch_a_sentence_says_what_to_install(tmp_path) -> None:
    calls = {
        ("train", "imitation", "--run", "run"): "training",
        ("selfplay", "run", "run", "--config", "run.toml"): "training",
        ("list", "net:tiles-3x3"): "the list of a network's layers",
    }
    code = RUN.format(calls=[(list(words), 2) for words in calls])
    code = f"import sys; sys.modules['torch'] = None\n{code}"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    sentence = "error: {} needs torch, which is not installed: pip install 'puzzlelab[learn]'\n"
    assert (done.returncode, done.stderr) == (0, "".join(map(sentence.format, calls.values())))
    assert not list(tmp_path.iterdir())


def test_asking_for_a_view_imports_no_compiler() -> None:
    code = (
        "import sys, puzzlelab\n"
        "from puzzlelab.core.views import Estimates, Planes, Samples\n"
        "for name in ('tiles-3x3', 'sudoku-9x9', 'dust-6x5x4'):\n"
        "    views = [puzzlelab.load(name).view(view) is not None for view in (Estimates, Planes, Samples)]\n"
        "    print(views, 'numba' in sys.modules)"
    )
    assert lines_of(code) == [f"[{has_estimates}, True, True] False" for has_estimates in (True, False, True)]


@pytest.mark.parametrize(("safe", "expected"), [("-P", "data"), ("", "the module of the folder")])
def test_child_processes_import_no_module_of_the_working_folder(tmp_path: Path, safe: str, expected: str) -> None:
    (tmp_path / "subject.py").write_text("print('the module of the folder')")
    child = "try:\n    import subject\nexcept ImportError:\n    print('data')"
    code = (
        f"import sys; sys.path += {sys.path!r}\n"
        "import subprocess\n"
        "from puzzlelab.cli.main import set_up_process\n"
        f"set_up_process(); subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    )
    words = [sys.executable, *filter(None, [safe]), "-c", code]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected  # without -P, the program itself can import what is there

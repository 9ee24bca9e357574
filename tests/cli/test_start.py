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
HEAVY = (
    "torch",
    "onnxruntime",
    "onnx",
    "ray",
    "fastapi",
    "uvicorn",
    "pyarrow",
    "matplotlib",
    "tensorboard",
    "asyncio",
    "scipy",
)
"""What no answer to a board needs."""
LEARNING = ("torch", "onnx", "safetensors")
"""What only training needs."""
IN_VAIN = ("rich", "multiprocessing", "concurrent.futures.process")
"""What a `solve` whose output is no terminal does not need either."""

COMPILER = ("numba.np.arraymath", "numba.np.linalg", "numba.typed.typeddict")
"""What Numba imports before it compiles."""


def imported(*arguments: str) -> set[str]:
    """The modules that the program has imported when it ends; where it had to compile, those of the next time."""
    modules = modules_of(*arguments)
    return modules_of(*arguments) if modules & set(COMPILER) else modules


def modules_of(*arguments: str, expected: int = 0) -> set[str]:
    """The modules that the program has imported when it ends, with this exit code."""
    return modules_after(
        f"sys.argv[1:] = {list(arguments)}\n"
        "from puzzlelab.cli.main import run\n"
        "try:\n    run()\nexcept SystemExit as ended:\n    code = ended.code",
        expected,
    )


def modules_after(code: str, expected: int = 0) -> set[str]:
    """The modules that a program with this code has imported at its end; it sets `code`, which is compared."""
    program = f"import json, sys; code = 0\n{code}\nprint(json.dumps([code, *sys.modules]))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    ended, *modules = json.loads(found.stdout.splitlines()[-1])
    assert ended == expected, found.stderr
    return set(modules)


def ours(modules: set[str], folder: str) -> set[str]:
    """The modules of one of the package's folders, or of the part of it that this names."""
    return {name.removeprefix(f"puzzlelab.{folder}.") for name in modules if name.startswith(f"puzzlelab.{folder}.")}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["train", "--help"],
        ["list", "tiles-3x3"],
        ["list", "sudoku-9x9", "--json"],
    ],
    ids=["help", "train help", "list", "list as JSON"],
)
def test_nothing_heavy_is_imported(arguments) -> None:
    assert not imported(*arguments) & set(HEAVY)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["solve", "--help"]], ids=" ".join)
def test_help_needs_no_compiler_and_no_puzzle(arguments) -> None:
    modules = imported(*arguments)
    assert not modules & {"numba", "numpy", *HEAVY}
    assert not ours(modules, "puzzles") | ours(modules, "solvers")


@pytest.mark.parametrize(
    ("verb", "files"),
    [
        ("solve", {"solve", "options"}),
        ("verify", {"verify", "options"}),
    ],
)
def test_one_verb_imports_no_other(verb, files) -> None:
    assert ours(imported(verb, "--help"), "cli") == {"main", "console", "progress", *files}


@pytest.mark.parametrize(
    ("puzzle", "board", "solvers"),
    [("tiles-3x3", "1 2 3 4 5 6 7 0 8", {"ida"}), ("sudoku-9x9", "wikipedia", set())],
    ids=["tiles", "sudoku"],
)
def test_a_solve_imports_what_its_answer_needs(puzzle, board, solvers) -> None:
    modules = imported("solve", puzzle, board)
    assert not modules & {*HEAVY, *IN_VAIN}
    assert {name.partition(".")[0] for name in ours(modules, "puzzles")} == {puzzle.partition("-")[0]}
    general = {name for name in ours(modules, "solvers") if not name.startswith("_")}
    assert general <= solvers
    assert ours(modules, "cli") == {
        "main",
        "console",
        "progress",
        "solve",
        "options",
        "answers",
    }


EIGHT, FIFTEEN = "1 2 3 4 5 6 7 0 8", "5 1 2 4 9 6 3 8 13 10 7 11 0 14 15 12"


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "tiles-4x4", FIFTEEN, "--with", "greedy", "--show-scores"),
        ("solve", "tiles-3x3", EIGHT, "--with", "uct", "--set", "playouts=5"),
        ("solve", "tiles-3x3", EIGHT, "--with", "astar", "--set", "estimate=net:tiles-3x3-values"),
        ("solve", "sudoku-9x9", "easy", "--with", "greedy"),
        ("hint", "tiles-3x3", "1 2 3 4 5 6 0 7 8", "--with", "astar", "--set", "estimate=net"),
        ("bench", "tiles-3x3", "--scale", "level", "--levels", "3", "--count", "2", "--net", "best", "--with", "beam"),
    ],
    ids=["greedy", "uct", "astar", "candidates", "hint", "bench"],
)
def test_networks_are_evaluated_without_what_trains_them(arguments, tmp_path) -> None:
    out = ("--out", str(tmp_path)) if arguments[0] == "bench" else ()
    modules = modules_of(*arguments, *out, expected=int(arguments[0] == "hint"))  # which is not proven
    assert "onnxruntime" in modules
    assert not modules & set(LEARNING)


def test_the_page_shows_what_a_network_thinks_without_what_trains_it() -> None:
    request = {"puzzle": "tiles-3x3", "board": EIGHT, "moves": None, "net": None}
    modules = modules_after(
        "from puzzlelab.web import tasks\nfrom puzzlelab.web.task_context import TaskContext\n"
        "context = TaskContext(lambda *_: None, lambda: False, 10**9)\n"
        f"assert tasks.scores({request}, context)['steps']"
    )
    assert "onnxruntime" in modules
    assert not modules & set(LEARNING)


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


@pytest.mark.parametrize("command", ["match", "status"])
def test_what_plays_for_a_run_imports_nothing_that_trains(command, run_folder) -> None:
    words = {
        "match": ("match", run_folder, "champion", "beam:width=10", "--games", "2", "--shifts", "3"),
        "status": ("selfplay", "status", run_folder),
    }[command]
    assert not modules_of(*map(str, words)) & set(LEARNING)


@pytest.mark.parametrize(
    ("words", "purpose"),
    [
        (("train", "imitation", "--run", "run"), "training"),
        (("selfplay", "run", "run", "--config", "run.toml"), "training"),
        (("list", "net:tiles-3x3"), "the list of a network's layers"),
    ],
    ids=["train", "selfplay", "layers"],
)
def test_without_pytorch_a_sentence_says_what_to_install(words, purpose, tmp_path) -> None:
    code = (
        f"import sys; sys.modules['torch'] = None; sys.argv[1:] = {list(words)}\n"
        "from puzzlelab.cli.main import run\nrun()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    sentence = f"error: {purpose} needs torch, which is not installed: pip install 'puzzlelab[learn]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)
    assert not list(tmp_path.iterdir())


def test_kernels_that_are_there_are_loaded_without_the_compiler() -> None:
    words = ("solve", "tiles-3x3", "1 2 3 4 5 6 7 0 8")
    imported(*words)
    assert not imported(*words) & set(COMPILER)


@pytest.mark.parametrize("puzzle", ["tiles-3x3", "sudoku-9x9", "dust-6x5x4"])
def test_asking_for_a_view_imports_no_compiler(puzzle) -> None:
    code = (
        "import sys, puzzlelab\n"
        "from puzzlelab.core.views import Estimates, Planes, Samples\n"
        f"puzzle = puzzlelab.load('{puzzle}')\n"
        "print([puzzle.view(view) is not None for view in (Estimates, Planes, Samples)], 'numba' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == f"[{puzzle != 'sudoku-9x9'}, True, True] False\n"


@pytest.mark.parametrize(("safe", "expected"), [("-P", "data"), ("", "the module of the folder")])
def test_child_processes_import_no_module_of_the_working_folder(tmp_path: Path, safe: str, expected: str) -> None:
    (tmp_path / "subject.py").write_text("print('the module of the folder')")
    child = "try:\n    import subject\nexcept ImportError:\n    print('data')"
    code = (
        f"import sys; sys.path += {sys.path!r}\n"
        "import subprocess\n"
        "from puzzlelab.runtime.quick_start import start_quickly\n"
        f"start_quickly(); subprocess.run([sys.executable, '-c', {child!r}], check=True)"
    )
    words = [sys.executable, *filter(None, [safe]), "-c", code]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected  # without -P, the program itself can import what is there

"""The program starts without what only some verbs need."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "ray", "fastapi", "uvicorn", "pyarrow", "matplotlib", "scipy.optimize", "tensorboard")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["train", "--help"],
        ["list", "tiles-3x3"],
        ["list", "sudoku-9x9", "--json"],
        ["solve", "tiles-3x3", "1 2 3 4 5 6 7 0 8"],
    ],
    ids=["help", "train help", "list", "list as JSON", "solve"],
)
def test_nothing_heavy_is_imported(arguments) -> None:
    code = (
        "import sys; sys.argv[1:] = " + repr(arguments) + "\n"
        "from puzzlelab.cli.main import run\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        f"print('imported', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "imported []"

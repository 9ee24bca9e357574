"""Run the quick tests as another machine would: another processor, no home, no PyTorch, a busy machine, another Python.

`python tests/elsewhere.py` runs them at every place but those that have to be installed; `busy no-home` at these two;
`commit` one of 32 shares of their files at one place; the commit's hash chooses both. Words after `--` go to
pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUICK = "not slow and not browser and not cluster and not tools"
PYTEST = ("-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-m", QUICK)
SHARES = 32
"""Of the test files, for a commit: whole files, because tests of one file share kernels, which some places compile."""
TESTED = "plot,learn,gym,web,sat,dev"


@dataclass(frozen=True)
class Place:
    """What is different there."""

    variables: dict[str, str] = field(default_factory=dict)
    """Of the environment."""
    busy_loops: int = 0
    """Programs that compute beside the tests, which then have a low priority."""
    homeless: bool = False
    """A file stands where the home should be: a folder without permissions could still be written by the superuser."""
    without: tuple[str, ...] = ()
    """Libraries that cannot be imported there, as if they were not installed."""
    python: str = ""
    """An environment of its own for this Python, which takes minutes to install."""
    installs: tuple[str, ...] = ("-e", f".[{TESTED}]")


def _foreign_locale() -> str:
    """Turkish, in which an upper-case i is no I, where the system has it."""
    said = (
        subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout
        if os.name == "posix"
        else ""
    )
    return next((name for name in said.split() if name.startswith("tr_TR.")), "C")


PLACES = {
    # The name of a processor alone would keep the features of the one that compiles.
    "old-processor": Place({"NUMBA_CPU_NAME": "x86-64-v2", "NUMBA_CPU_FEATURES": "", "ATEN_CPU_CAPABILITY": "default"}),
    "avx2": Place({"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "", "ATEN_CPU_CAPABILITY": "avx2"}),
    "one-thread": Place(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")),
    "busy": Place(busy_loops=2),
    "abroad": Place({"TZ": "Pacific/Auckland", "LC_ALL": _foreign_locale()}),
    "no-home": Place(homeless=True),
    "no-torch": Place(without=("torch",)),
    "light": Place(python="python3", installs=("-e", ".", "pytest", "pytest-xdist", "hypothesis")),
    "python3.12": Place(python="python3.12"),
    "python3.13": Place(python="python3.13"),
}
HERE = [name for name, place in PLACES.items() if not place.python]
"""The places that need no installation."""
WITHOUT = """
import sys
from importlib.machinery import PathFinder

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        return None if fullname.partition(".")[0] in {names} else super().find_spec(fullname, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
"""
"""A `sitecustomize.py`, which Python runs at each start: libraries of these names are not found."""
OF_A_HOME = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "PUZZLELAB_CACHE")


def main(words: list[str]) -> int:
    """Run the tests at the places that are named; 0 if they passed at each."""
    cut = words.index("--") if "--" in words else len(words)
    names, more = words[:cut] or HERE, words[cut + 1 :]
    if names == ["commit"]:
        place, files = chosen()
        names, more = [place], [*files, *more]
    if unknown := [name for name in names if name not in PLACES]:
        print(f"there is no place {', '.join(unknown)}; there are {', '.join(PLACES)}")
        return 2
    failed = []
    for name in names:
        print(f"the quick tests at the place '{name}'", flush=True)
        with at(PLACES[name]) as (command, environment):
            if subprocess.run([*command, *PYTEST, *more], cwd=ROOT, env=environment, check=False).returncode:
                failed.append(name)
    print(f"failed at {', '.join(failed)}" if failed else f"passed at {', '.join(names)}")
    return int(bool(failed))


def chosen() -> tuple[str, list[str]]:
    """The place and the share of the test files that the commit's hash chooses, so that CI comes to all of them."""
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    share, place = divmod(int(told, 16), len(HERE))
    files = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/**/test_*.py"))
    return HERE[place], files[share % SHARES :: SHARES]


@contextmanager
def at(place: Place) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The command that starts Python there, and its environment; busy loops run until the end."""
    environment = {**os.environ, **place.variables}
    command = [sys.executable]
    with tempfile.TemporaryDirectory() as folder:
        if place.homeless:
            home = Path(folder) / "home"
            home.write_text("a file")
            environment = {name: value for name, value in environment.items() if name not in OF_A_HOME}
            environment["HOME"] = str(home)
        if place.without:
            (Path(folder) / "sitecustomize.py").write_text(WITHOUT.replace("{names}", repr(place.without)))
            earlier = environment.get("PYTHONPATH")
            environment["PYTHONPATH"] = os.pathsep.join([folder, *([earlier] if earlier else [])])
        if place.python:
            command = [_installed(place, Path(folder))]
        if place.busy_loops:
            command = ["nice", "-n", "3", *command]  # with 10 the tests would take half an hour
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(place.busy_loops)]
        try:
            yield command, environment
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()


def _installed(place: Place, folder: Path) -> str:
    """The Python of a new environment in this folder."""
    python = shutil.which(place.python)
    if python is None:
        sys.exit(f"{place.python} is not installed")
    subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
    inside = str(folder / "venv" / "bin" / "python")
    pip = [inside, "-m", "pip", "--disable-pip-version-check", "install", "-q", "-c", "constraints.txt"]
    print(f"installing {' '.join(place.installs)} for {place.python}", flush=True)
    subprocess.run([*pip, *place.installs], cwd=ROOT, check=True)
    return inside


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

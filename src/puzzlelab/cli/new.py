"""`puzzlelab new`: makes the package of a new puzzle, solver or architecture, which works as it is.

The files are those of `puzzlelab/templates`, with the new name in the place of `__name__`, `__Name__` (of the class),
`__dashed__` (with hyphens) and `__folder__`. Their names end in `.template`, so that no tool takes them for code.
"""

from __future__ import annotations

import ast
import keyword
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from puzzlelab.cli.console import say
from puzzlelab.core.errors import BadFile, BadOption, shorten

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Make the package of a new puzzle, solver or architecture, which works as it is and is there to be changed.",
)

ENDING = ".template"
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
LONGEST_NAME = 24
"""Longer ones would break the lines of the files."""

PackageName = Annotated[str, typer.Argument(metavar="NAME", help="Its name: small letters, digits and _.")]
Folder = Annotated[Path | None, typer.Option(help="The folder to make; by default one of that name here.")]


@app.command()
def puzzle(name: PackageName, folder: Folder = None) -> None:
    """Make the package of a puzzle: its rules, a lower bound, random boards, compiled rules, tests and a recipe."""
    place = _make("puzzle", name, folder)
    _say_what_is_next(
        f"pip install -e {place}",
        f'puzzlelab solve {name}-8 "5 2 8 1 6 3 7 4" --steps',
        f"pytest {place}",
        f"puzzlelab train imitation --config {place}/recipes/{name}.toml --run runs/{name}",
        "puzzlelab web --open",
    )


@app.command()
def solver(name: PackageName, folder: Folder = None) -> None:
    """Make the package of a solver: a search with an estimate, its options and limits, and tests."""
    place = _make("solver", name, folder)
    _say_what_is_next(
        f"pip install -e {place}",
        f'puzzlelab solve tiles-3x3 "8 6 7 2 5 4 3 0 1" --with {_dashed(name)}',
        f"pytest {place}",
        f"puzzlelab bench tiles-3x3 --scale uniform --count 20 --with {_dashed(name)},astar",
    )


@app.command()
def architecture(name: PackageName, folder: Folder = None) -> None:
    """Make the package of an architecture of networks: its layers, its settings, tests and a recipe."""
    place = _make("architecture", name, folder)
    trained = f"puzzlelab train imitation --config {place}/recipes/{name}.toml"
    _say_what_is_next(
        f"pip install -e {place}",
        f"{trained} --summary",
        f"{trained} --run runs/{name}",
        f"pytest {place}",
        f"puzzlelab bench tiles-3x3 --scale uniform --count 100 --net runs/{name} --with greedy,beam:width=10",
    )


def _say_what_is_next(*commands: str) -> None:
    say("\n".join(["", "Next:", *(f"  {command}" for command in commands)]))


# --- the names ---


def _dashed(name: str) -> str:
    """Return the name as solvers and packages write it."""
    return name.replace("_", "-")


def _class_name(name: str) -> str:
    """Return the name of the class: `RingOfLamps` for `ring_of_lamps`."""
    return "".join(part.capitalize() for part in name.split("_"))


def _check_name(name: str, folder: Path, templates: Mapping[str, str]) -> None:
    """Raise `BadOption` for a name that no package can have, or that another one has."""
    from puzzlelab.core import registry
    from puzzlelab.nets.network import ARCHITECTURES

    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise BadOption(
            f"'{shorten(name)}' is no name for a package: write at most {LONGEST_NAME} small letters, digits and _, "
            "and begin with a letter, as in ring_of_lamps"
        )
    if keyword.iskeyword(name) or keyword.iskeyword(_class_name(name)):
        taken = f"'{name}' is a word of Python"
    elif name in registry.families():
        taken = f"there is a puzzle '{name}' already"
    elif _dashed(name) in registry.solver_names():
        taken = f"there is a solver '{_dashed(name)}' already"
    elif name in ARCHITECTURES.names():
        taken = f"there is an architecture '{name}' already"
    elif name in sys.stdlib_module_names or name == "test":  # the list leaves out the tests of Python itself
        taken = f"'{name}' is a module of Python"
    elif _is_installed(name, folder):
        taken = f"there is an installed package '{name}' already"
    elif any(_class_name(name) in _identifiers(text) for path, text in templates.items() if path.endswith(".py")):
        taken = f"its class would be '{_class_name(name)}', which the files use for something else"
    else:
        return
    raise BadOption(f"{taken}; give another name")


def _identifiers(code: str) -> set[str]:
    """Return the variables, functions, classes and imported names in a file of Python, not words of comments and
    texts.
    """
    names = set()
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Name(id=name) | ast.alias(asname=str(name)):
                names.add(name)
            case ast.alias(name=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name.partition(".")[0])
    return names


def _is_installed(name: str, folder: Path) -> bool:
    """Tell whether an `import` finds this module; the folder that is to be filled is none."""
    from importlib.util import find_spec

    spec = find_spec(name)
    if spec is None or spec.origin is not None:
        return spec is not None
    return any(Path(place).resolve() != folder for place in spec.submodule_search_locations or ())


# --- the files ---


def _make(kind: str, name: str, folder: Path | None) -> str:
    """Make the files, and print their names; return the folder as commands write it.

    Raises `BadOption` for a name that cannot be used, and `BadFile` for a folder that cannot be filled. After an error
    nothing is there that was not there before.
    """
    from puzzlelab.version import PACKAGE

    given = folder or Path(name)
    target = given.resolve()
    templates = _read_templates(PACKAGE / "templates" / kind)
    _check_name(name, target, templates)
    words = {"__name__": name, "__Name__": _class_name(name), "__dashed__": _dashed(name), "__folder__": str(given)}
    files = {_filled(path, words): _filled(text, words) for path, text in templates.items()}
    with _new_folder(target, given):
        for path, text in files.items():
            file = target / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
    say("\n".join(str(given / path) for path in sorted(files)))
    return shlex.quote(str(given))


def _read_templates(folder: Path) -> dict[str, str]:
    """Return the path of each file of the package in its folder, and its text, both with placeholders."""
    return {
        path.relative_to(folder).as_posix().removesuffix(ENDING): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob(f"*{ENDING}"))
    }


def _filled(text: str, words: Mapping[str, str]) -> str:
    for placeholder, word in words.items():
        text = text.replace(placeholder, word)
    return text


@contextmanager
def _new_folder(folder: Path, given: Path) -> Iterator[None]:
    """Make a folder to fill, or take an empty one; after an error it is removed, or emptied. Raises `BadFile`."""
    from puzzlelab.storage.files import writing

    with writing(given):
        if folder.exists() and not folder.is_dir():
            raise BadFile(f"{given} is a file: give the name of a new folder with --folder")
        contents = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
        if contents:
            raise BadFile(f"{given} holds {contents[0]} already: give an empty folder, or a new name, with --folder")
        made = [path for path in (folder, *folder.parents) if not path.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            yield
        except BaseException:
            for path in [made[-1]] if made else folder.iterdir():
                _remove(path)
            raise


def _remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it; what cannot be removed stays."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)

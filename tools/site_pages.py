"""An extension of Sphinx for the site of puzzlelab.

It writes the pages of commands, of solvers with their options and of recipes with their settings from the program
itself, turns links to files outside of the pages into plain
text, and lets docstrings mark code as Markdown does, by single backticks.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from pydantic import BaseModel
    from sphinx.application import Sphinx

COMMANDS, SOLVERS, SETTINGS = "reference/commands.md", "reference/solvers.md", "reference/settings.md"
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./(?!reference/)[^)]+\)")
"""A link to a file that is no page of the site."""
COLON = "\N{MODIFIER LETTER COLON}"
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)(\w?)")
"""Code between single backticks, and a letter that follows at once."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", unlink_files)
    app.connect("autodoc-process-docstring", mark_code)
    app.connect("autodoc-process-docstring", hide_colon, priority=400)  # before napoleon, whose priority is 500
    app.connect("autodoc-process-docstring", show_colon, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx) -> None:
    """Write the pages that are made from the program."""
    for name, text in ((COMMANDS, commands()), (SOLVERS, solvers()), (SETTINGS, settings())):
        path = Path(app.srcdir) / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def commands() -> str:
    """The page of all commands with their options."""
    import typer
    from typer.cli import get_docs_for_click

    from puzzlelab.cli.main import app as program

    group = typer.main.get_command(program)
    context = typer.Context(group, info_name="puzzlelab")
    return str(get_docs_for_click(obj=group, ctx=context, name="puzzlelab", title="Command line"))


def solvers() -> str:
    """The page of all solvers with their options."""
    from puzzlelab.core import registry

    parts = [
        "# Solvers\n",
        "The options of each solver: as `--set NAME=VALUE`, in a text such as `beam:width=100`, or in Python as "
        '`puzzlelab.solver("beam", width=100)`. [Solving](/solving.md) describes the most important ones.\n',
    ]
    for name in sorted(registry.solver_names()):
        model = registry.solver_class(name)
        parts += [f"## {name}\n", f"{_sentence(model)}\n", *_table(model)]
    return "\n".join(parts)


def settings() -> str:
    """The page of all recipes with their settings."""
    from puzzlelab.training import recipe

    parts = [
        "# Recipes\n",
        "The settings of each recipe of `puzzlelab train RECIPE`, in a TOML file (`--config`) or as "
        "`--set NAME=VALUE`. "
        "`puzzlelab selfplay` has the recipe `selfplay`. The settings of `network` are those of the kind of network. "
        "[Networks](/learning.md) describes the recipes.\n",
    ]
    for name in recipe.RECIPES.names():
        model = recipe.find(name).settings
        parts += [f"## {name}\n", f"{_sentence(model)}\n", *_table(model)]
    return "\n".join(parts)


def _sentence(model: type) -> str:
    """The docstring of a class, as Markdown."""
    return " ".join((model.__doc__ or "").split("\n\n")[0].split())


def _table(model: type[BaseModel]) -> list[str]:
    rows = [
        f"| `{name}` | {default} | {kind} | {meaning} |" for name, default, kind, meaning in _fields(model, None, "")
    ]
    if not rows:
        return ["No options.\n"]
    return ["| name | default | values | meaning |", "| --- | --- | --- | --- |", *rows, ""]


def _fields(model: type[BaseModel], defaults: Any, prefix: str) -> Iterator[tuple[str, str, str, str]]:
    """Name, default, values and meaning of each setting, those of nested settings too."""
    from pydantic import BaseModel

    meanings = _meanings(model)
    for name, field in model.model_fields.items():
        required = defaults is None and field.is_required()
        default = None if required else field.get_default(call_default_factory=True)
        default = default if defaults is None else getattr(defaults, name)
        nested = field.annotation
        if isinstance(nested, type) and issubclass(nested, BaseModel):
            yield from _fields(nested, default, f"{prefix}{name}.")
        else:
            shown = "required" if required else f"`{default}`".replace("|", "\\|")
            yield f"{prefix}{name}", shown, _values(nested, field.metadata), meanings.get(name, "")


def _meanings(model: type) -> dict[str, str]:
    """The text below each field in the sources, of the class and of those that it extends."""
    from sphinx.pycode import ModuleAnalyzer

    found: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if each.__module__.startswith("puzzlelab."):
            documented = ModuleAnalyzer.for_module(each.__module__).find_attr_docs()
            found |= {
                name: " ".join(" ".join(lines).split()).replace("|", "\\|")
                for (owner, name), lines in documented.items()
                if owner == each.__name__
            }
    return found


def _values(annotation: Any, bounds: list[Any]) -> str:
    """The type of a setting in words, with its bounds."""
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(annotation))
    if get_origin(annotation) in (Union, types.UnionType):
        return " or ".join(_values(each, []) for each in get_args(annotation))
    if annotation is type(None):
        return "none"
    words = {bool: "true or false", int: "whole number", float: "number", str: "text"}
    words |= {tuple: "list", dict: "table"}
    text = words.get(get_origin(annotation) or annotation) or getattr(annotation, "__name__", "values").lower()
    signs = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    limits = [
        f"{words} {_bound(getattr(each, sign))}"
        for each in bounds
        for sign, words in signs.items()
        if hasattr(each, sign)
    ]
    return ", ".join([text, *limits])


def _bound(value: float) -> str:
    """A bound in full; a large power of two as one."""
    if isinstance(value, int) and value > 1 << 30 and value.bit_count() == 1:
        return f"2^{value.bit_length() - 1}"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def unlink_files(app: Sphinx, page: str, source: list[str]) -> None:
    """Turn links to files outside of the pages into their texts."""
    source[0] = OUTSIDE.sub(r"\1", source[0])


def hide_colon(app: Sphinx, kind: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Keep napoleon from taking the beginning of a sentence about an attribute for its type."""
    if kind in ("attribute", "property", "data") and lines:
        lines[0] = lines[0].replace(":", COLON)


def show_colon(app: Sphinx, kind: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Undo `hide_colon`."""
    lines[:] = [line.replace(COLON, ":") for line in lines]


def mark_code(app: Sphinx, kind: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Mark code in a docstring as reStructuredText does."""
    lines[:] = [
        CODE.sub(lambda found: f"``{found[1]}``" + (f"\\ {found[2]}" if found[2] else ""), line) for line in lines
    ]

"""An extension of Sphinx for the site of puzzlelab.

It writes the page of the command line from the program itself, turns links to files outside of the pages into plain
text, and lets docstrings mark code as Markdown does, by single backticks.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

COMMANDS = "reference/commands.md"
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./(?!reference/)[^)]+\)")
"""A link to a file that is no page of the site."""
COLON = "\N{MODIFIER LETTER COLON}"
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)(\w?)")
"""Code between single backticks, and a letter that follows at once."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_commands)
    app.connect("source-read", unlink_files)
    app.connect("autodoc-process-docstring", mark_code)
    app.connect("autodoc-process-docstring", hide_colon, priority=400)  # before napoleon, whose priority is 500
    app.connect("autodoc-process-docstring", show_colon, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_commands(app: Sphinx) -> None:
    """Write the page of all commands with their options."""
    import typer
    from typer.cli import get_docs_for_click

    from puzzlelab.cli.main import app as program

    group = typer.main.get_command(program)
    context = typer.Context(group, info_name="puzzlelab")
    text = get_docs_for_click(obj=group, ctx=context, name="puzzlelab", title="Command line")
    path = Path(app.srcdir) / COMMANDS
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


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

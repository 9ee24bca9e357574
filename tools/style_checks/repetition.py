"""A check of repetition: blocks of ten lines of the same shape in two places of one folder.

The shape of a line is its tokens, with a placeholder for every name, text and number. A line that only declares a name
(a field with its type, a name in the list of an import) keeps its names, because nothing else tells it from others.
Passed over are docstrings, comments, blank lines, lone punctuation and the first line of each import.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from style_checks.modules import Module

FOLDER = "solvers"
LINES = 10
"""The least length of a block."""
LAYOUT = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}

PLACEHOLDER = "_"
"""Stands for a name, a text or a number."""
VALUES = {"False", "None", "True"}
"""Keywords that are values, as numbers are."""


class Line(NamedTuple):
    """A line of code that counts."""

    number: int
    shape: str


@dataclass(frozen=True)
class Block:
    """A run of lines in two files, or twice in one; `first` and `second` are indices into their lines."""

    first: int
    second: int
    length: int


def alike_blocks(code: list[Module]) -> Iterator[str]:
    """Pairs of places in `solvers` with ten or more lines of the same shape."""
    files = {module.place: counting_lines(module) for module in code if module.folder == FOLDER}
    for (one, other), blocks in sorted(_blocks(files).items()):
        for block in blocks:
            yield f"{_place(one, files[one], block.first, block)} ~ {_place(other, files[other], block.second, block)}"


def _place(name: str, lines: list[Line], start: int, block: Block) -> str:
    return f"{name}:{lines[start].number}-{lines[start + block.length - 1].number}"


def _blocks(files: Mapping[str, list[Line]]) -> dict[tuple[str, str], list[Block]]:
    """The blocks of each pair of files; a pair of equal names stands for one file."""
    windows: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, lines in files.items():
        for start in range(len(lines) - LINES + 1):
            windows[tuple(line.shape for line in lines[start : start + LINES])].append((name, start))
    starts: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    for places in windows.values():
        for (one, first), (other, second) in combinations(places, 2):
            starts[one, other].add((first, second))
    return {pair: list(_joined(pair[0] == pair[1], each)) for pair, each in starts.items()}


def _joined(same_file: bool, starts: Iterable[tuple[int, int]]) -> Iterator[Block]:
    """One block for windows that follow each other; in one file, only blocks that do not overlap themselves."""
    remaining = set(starts)
    for first, second in sorted(remaining):
        if (first - 1, second - 1) in remaining:
            continue
        length = LINES
        while (first + length - LINES + 1, second + length - LINES + 1) in remaining:
            length += 1
        if not same_file or second - first >= LINES:
            yield Block(first, second, length)


def counting_lines(module: Module) -> list[Line]:
    """The lines of a file that count, with their shapes."""
    passed, literal = _passed_over(module.tree), _declarations(module.tree)
    tokens: dict[int, list[str]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        number = token.start[0]
        if token.type not in LAYOUT and number not in passed:
            tokens[number].append(token.string if number in literal else _shape(token))
    lines = [Line(number, " ".join(shapes)) for number, shapes in sorted(tokens.items())]
    return [line for line in lines if re.search(r"\w", line.shape)]


def _shape(token: tokenize.TokenInfo) -> str:
    named = token.type == tokenize.NAME and (not keyword.iskeyword(token.string) or token.string in VALUES)
    return PLACEHOLDER if named or token.type in (tokenize.STRING, tokenize.NUMBER) else token.string


def _passed_over(tree: ast.Module) -> set[int]:
    """The numbers of the lines of docstrings, and of the first line of each import."""
    passed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            passed.add(node.lineno)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            passed |= _lines(node)
    return passed


def _declarations(tree: ast.Module) -> set[int]:
    """The numbers of the lines of fields without a value, and of imports."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign | ast.ImportFrom))
    fields = (node for node in nodes if isinstance(node, ast.ImportFrom) or node.value is None)
    return {number for node in fields for number in _lines(node)}


def _lines(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))

"""The reasons of the steps of logic that units of every kind allow, as sentences; all things are given by their names.

Cells are named as `r3c5`, digits as `7`, units as `row 3`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def joined(words: Sequence[str], last: str = " and ") -> str:
    """Join words: 'a', 'a and b', 'a, b and c'."""
    return last.join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def removed_text(candidates: Iterable[tuple[str, str]]) -> str:
    """Return what a step rules out, given as (cell, digit) in the order of the board.

    >>> removed_text([("r3c4", "5"), ("r3c5", "5"), ("r3c6", "5"), ("r3c6", "7")])
    'r3c4 and r3c5 cannot be 5, and r3c6 cannot be 5 or 7'
    """
    digits: dict[str, list[str]] = {}
    for cell, digit in candidates:
        digits.setdefault(cell, []).append(digit)
    cells: dict[tuple[str, ...], list[str]] = {}
    for cell, removed in digits.items():
        cells.setdefault(tuple(removed), []).append(cell)
    parts = [f"{joined(each)} cannot be {joined(removed, ' or ')}" for removed, each in cells.items()]
    return joined(parts, ", and ")


def full_house(cell: str, digit: str, unit: str) -> str:
    """Explain the last blank cell of a unit."""
    return f"{cell} must be {digit}: it is the last blank cell of {unit}"


def hidden_single(cell: str, digit: str, unit: str) -> str:
    """Explain a digit with one place left in a unit."""
    return f"{digit} has one place left in {unit}: {cell}"


def naked_single(cell: str, digit: str) -> str:
    """Explain a cell with one candidate."""
    return f"{cell} must be {digit}: no other candidate is left there"


def locked(digit: str, base: str, cover: str, removed: str) -> str:
    """Explain a digit that is locked in what the unit `base` shares with the unit `cover`."""
    return f"in {base} all places of {digit} are in {cover} too, so {removed}"


def seen_by_all(digit: str, base: str, removed: str) -> str:
    """Explain cells that share a unit with each place of a digit in the unit `base`, though not always the same one."""
    return f"all places of {digit} in {base} rule it out in the same cells, so {removed}"


def naked_subset(cells: str, digits: str, unit: str, removed: str) -> str:
    """Explain as many cells as they have candidates together."""
    return f"{cells} have no other candidates than {digits}, so these digits are in these cells of {unit}: {removed}"


def hidden_subset(cells: str, digits: str, unit: str, removed: str) -> str:
    """Explain as many digits as they have places together in a unit."""
    return f"{digits} have no other places in {unit} than {cells}, so these cells hold nothing else: {removed}"


def fish(digit: str, base: str, cover: str, removed: str, units: str = "units") -> str:
    """Explain some units `base` in which all places of a digit are in as many units `cover` across."""
    return (
        f"in {base} all places of {digit} are in {cover}: as many {units}, so each of these has its {digit} there, and "
        f"{removed}"
    )

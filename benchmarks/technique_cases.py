"""Checks the techniques of Sudoku by a library of cases: `python benchmarks/technique_cases.py FILE [--only CODE ...]`.

A line `:technique:candidates:givens:deleted:eliminations:placements:extra:` is a case: the board of `givens` (a digit
after a `+` was placed, it is no clue) without the candidates `deleted` (each is a digit, a row and a column), and what
one step of that technique does there. A case is right if a step of the technique exists that does exactly this; where
the number of the technique ends in `-x`, if none does. The table counts the cases of each technique; with
`--failures`, each case that is not right follows, with the steps that were found.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.puzzles.sudoku.logic.basic_fish import BASE
from puzzlelab.puzzles.sudoku.logic.catalog import FAMILIES, family_of, steps_of
from puzzlelab.puzzles.sudoku.logic.position import ALL, Position, new_position, set_up
from puzzlelab.puzzles.sudoku.logic.steps import Evidence, new_found
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

MOST_STEPS = 20_000
"""Steps that are looked for in one position."""

TECHNIQUES = {
    "0000": Technique.FULL_HOUSE,
    "0002": Technique.HIDDEN_SINGLE,
    "0003": Technique.NAKED_SINGLE,
    "0100": Technique.POINTING,
    "0101": Technique.CLAIMING,
    "0110": Technique.LOCKED_PAIR,
    "0111": Technique.LOCKED_TRIPLE,
    "0200": Technique.NAKED_PAIR,
    "0201": Technique.NAKED_TRIPLE,
    "0202": Technique.NAKED_QUADRUPLE,
    "0210": Technique.HIDDEN_PAIR,
    "0211": Technique.HIDDEN_TRIPLE,
    "0212": Technique.HIDDEN_QUADRUPLE,
    "0300": Technique.X_WING,
    "0301": Technique.SWORDFISH,
    "0302": Technique.JELLYFISH,
    "0310": Technique.FINNED_X_WING,
    "0311": Technique.FINNED_SWORDFISH,
    "0312": Technique.FINNED_JELLYFISH,
    "0320": Technique.SASHIMI_X_WING,
    "0321": Technique.SASHIMI_SWORDFISH,
    "0322": Technique.SASHIMI_JELLYFISH,
    "0330": Technique.FRANKEN_X_WING,
    "0331": Technique.FRANKEN_SWORDFISH,
    "0332": Technique.FRANKEN_JELLYFISH,
    "0340": Technique.FINNED_FRANKEN_X_WING,
    "0341": Technique.FINNED_FRANKEN_SWORDFISH,
    "0342": Technique.FINNED_FRANKEN_JELLYFISH,
    "0350": Technique.MUTANT_X_WING,
    "0351": Technique.MUTANT_SWORDFISH,
    "0352": Technique.MUTANT_JELLYFISH,
    "0360": Technique.FINNED_MUTANT_X_WING,
    "0361": Technique.FINNED_MUTANT_SWORDFISH,
    "0362": Technique.FINNED_MUTANT_JELLYFISH,
    "0363": Technique.FINNED_MUTANT_SQUIRMBAG,
    "0364": Technique.FINNED_MUTANT_WHALE,
    "0400": Technique.SKYSCRAPER,
    "0401": Technique.TWO_STRING_KITE,
    "0402": Technique.EMPTY_RECTANGLE,
    "0403": Technique.TURBOT_FISH,
    "0404": Technique.DUAL_TWO_STRING_KITE,
    "0405": Technique.DUAL_EMPTY_RECTANGLE,
    "0500": Technique.SIMPLE_COLOURS_TRAP,
    "0501": Technique.SIMPLE_COLOURS_WRAP,
    "0502": Technique.MULTI_COLOURS_1,
    "0503": Technique.MULTI_COLOURS_2,
    "0600": Technique.UNIQUE_RECTANGLE_1,
    "0601": Technique.UNIQUE_RECTANGLE_2,
    "0602": Technique.UNIQUE_RECTANGLE_3,
    "0603": Technique.UNIQUE_RECTANGLE_4,
    "0604": Technique.UNIQUE_RECTANGLE_5,
    "0605": Technique.UNIQUE_RECTANGLE_6,
    "0606": Technique.HIDDEN_RECTANGLE,
    "0607": Technique.AVOIDABLE_RECTANGLE_1,
    "0608": Technique.AVOIDABLE_RECTANGLE_2,
    "0610": Technique.BUG_1,
    "0701": Technique.X_CHAIN,
    "0702": Technique.XY_CHAIN,
    "0703": Technique.REMOTE_PAIR,
    "0706": Technique.CONTINUOUS_NICE_LOOP,
    "0707": Technique.DISCONTINUOUS_NICE_LOOP,
    "0708": Technique.AIC,
    "0709": Technique.GROUPED_CONTINUOUS_NICE_LOOP,
    "0710": Technique.GROUPED_DISCONTINUOUS_NICE_LOOP,
    "0711": Technique.GROUPED_AIC,
    "0800": Technique.XY_WING,
    "0801": Technique.XYZ_WING,
    "0803": Technique.W_WING,
    "0901": Technique.ALS_XZ,
    "0902": Technique.ALS_XY_WING,
    "0903": Technique.ALS_CHAIN,
    "0904": Technique.DEATH_BLOSSOM,
    "1101": Technique.SUE_DE_COQ,
    "1201": Technique.TEMPLATE_SET,
    "1202": Technique.TEMPLATE_DELETE,
}
"""The techniques by the first four digits of their number in the library; a fifth one is a 1 for siamese fish, two with
the same base units."""
FINNED = (Technique.FINNED_X_WING, Technique.FINNED_SWORDFISH, Technique.FINNED_JELLYFISH)
SASHIMI = (Technique.SASHIMI_X_WING, Technique.SASHIMI_SWORDFISH, Technique.SASHIMI_JELLYFISH)
PARTNERS = {**dict(zip(FINNED, SASHIMI, strict=True)), **dict(zip(SASHIMI, FINNED, strict=True))}
"""The other kind of fish that may be one of two siamese ones."""


@dataclass(frozen=True)
class Case:
    """A position, and what a step of a technique does there."""

    line: str
    code: str
    """The number of the technique, and how it is varied: `0310`, `0606-1`, `0610-x`."""
    board: str
    """81 signs: digits, and `0` for blanks."""
    placed: tuple[int, ...]
    """The cells of digits that are no clues."""
    deleted: tuple[int, ...]
    """Candidates, as the next ones: 9 * cell + digit, digits from 0."""
    eliminations: tuple[int, ...]
    placements: tuple[int, ...]

    @property
    def technique(self) -> Technique | None:
        """The technique, if it has a name here."""
        return TECHNIQUES.get(self.code[:4])

    @property
    def is_siamese(self) -> bool:
        """Whether its step is two fish at once."""
        return self.code[4:5] == "1"

    @property
    def is_absent(self) -> bool:
        """Whether there is to be no such step."""
        return self.code.endswith("-x")


# --- reading ---


def read_cases(text: str, codes: Sequence[str]) -> list[Case]:
    """Read the cases whose numbers begin with one of these."""
    lines = [line.strip() for line in text.splitlines() if line.startswith(":")]
    return [read_case(line) for line in lines if line[1:].startswith(tuple(codes))]


def read_case(line: str) -> Case:
    """Read a line."""
    _, code, _, givens, deleted, eliminations, placements, *_ = line.split(":") + [""] * 6
    signs = re.findall(r"\+?[\d.]", givens)
    if len(signs) != 81:
        raise BadInput(f"this line of the library has no board of 81 signs: {line[:60]}")
    board = "".join(sign[-1] for sign in signs).replace(".", "0")
    placed = tuple(cell for cell, sign in enumerate(signs) if sign[0] == "+")
    return Case(line, code, board, placed, *map(read_candidates, (deleted, eliminations, placements)))


def read_candidates(text: str) -> tuple[int, ...]:
    """Read candidates such as '537': a digit, its row and its column."""
    parts = [tuple(map(int, word)) for word in text.split()]
    return tuple(sorted(81 * row + 9 * column + digit - 91 for digit, row, column in parts))


def position_of(case: Case) -> Position:
    """Return the position of a case."""
    candidates = np.full(81, ALL, np.uint16)
    for candidate in case.deleted:
        candidates[candidate // 9] &= ALL ^ (1 << candidate % 9)
    position = new_position()
    set_up(position, np.array(list(case.board), np.uint8), candidates)
    position.givens[list(case.placed)] = 0
    return position


# --- judging ---


def steps_for(case: Case) -> list[Evidence]:
    """Return the steps of the technique of a case that are possible in its position."""
    position, found, technique = position_of(case), new_found(MOST_STEPS), case.technique
    wanted = {technique, PARTNERS.get(technique) if case.is_siamese and technique else None}
    families = [name for name in FAMILIES if wanted & set(family_of(name).SENTENCES)]
    steps = [step for name in families for step in steps_of(name, position, found)]
    return [step for step in steps if step.technique in wanted]


def is_right(case: Case, steps: Sequence[Evidence]) -> bool:
    """Tell whether the steps of its technique are as a case says."""
    if case.is_absent:
        return not any(not case.eliminations or set(step.removed) & set(case.eliminations) for step in steps)
    does = [(set(step.removed), set(step.placed)) for step in steps]
    if case.is_siamese:
        does += [
            (set(one.removed) | set(two.removed), set()) for one, two in combinations(steps, 2) if are_siamese(one, two)
        ]
    return (set(case.eliminations), set(case.placements)) in does


def are_siamese(one: Evidence, two: Evidence) -> bool:
    """Tell whether two fish have the same base units."""
    return set(one.by_role("units", BASE)) == set(two.by_role("units", BASE))


# --- printing ---


def candidates_text(candidates: Sequence[int]) -> str:
    """Return candidates as the library writes them."""
    return " ".join(f"{each % 9 + 1}{each // 81 + 1}{each // 9 % 9 + 1}" for each in candidates)


def step_text(step: Evidence) -> str:
    """Return what a step does, and the cells and units that it rests on."""
    cells, units = ([f"{role}:{operand}" for role, operand in marks] for marks in (step.cells, step.units))
    does = f"{candidates_text(step.removed)}:{candidates_text(step.placed)}"
    return " ".join([does, "cells", *cells, "units", *units])


def table_of(results: Sequence[tuple[Case, bool]]) -> Table:
    """Return the counts of cases by the number of the technique."""
    table = Table("number", "technique", "cases", "right")
    for code in sorted({case.code for case, _ in results}):
        own = [(case, right) for case, right in results if case.code == code]
        technique = own[0][0].technique
        table.add_row(
            code, "-" if technique is None else technique.title, str(len(own)), str(sum(right for _, right in own))
        )
    table.add_row("", "all", str(len(results)), str(sum(right for _, right in results)))
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="the library")
    parser.add_argument("--only", nargs="+", default=[""], metavar="CODE", help="how the techniques' numbers begin")
    parser.add_argument("--failures", action="store_true", help="print the cases that are not right")
    options = parser.parse_args(arguments)
    console, began, results = Console(width=140), time.perf_counter(), []
    try:
        for case in read_cases(options.file.read_text(), options.only):
            steps = steps_for(case)
            results.append((case, is_right(case, steps)))
            if options.failures and not results[-1][1]:
                console.print(
                    f"[bold]{escape(case.line)}", *(escape(step_text(step)) for step in steps[:20]), sep="\n  "
                )
    except (PuzzlelabError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    console.print(table_of(results), f"{time.perf_counter() - began:.1f} seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())

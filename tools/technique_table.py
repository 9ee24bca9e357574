"""Writes the table of docs/sudoku-techniques.md: every technique that is found, what it is, and its ratings.

`python tools/technique_table.py` writes it into the page; tests/tools/test_docs.py holds the page to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import surface
from puzzlelab.puzzles.sudoku.logic.catalog import FAMILIES, family_of
from puzzlelab.puzzles.sudoku.logic.rating import Entry
from puzzlelab.puzzles.sudoku.logic.scales import SCALES
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

PAGE = Path(__file__).resolve().parents[1] / "docs" / "sudoku-techniques.md"
BEGIN, END = "<!-- begin: tools/technique_table.py -->\n", "<!-- end: tools/technique_table.py -->\n"
FISH = {"X_WING": "two", "SWORDFISH": "three", "JELLYFISH": "four", "SQUIRMBAG": "five", "WHALE": "six"}
"""Fish, and their sizes."""
SHAPES = {
    "": "{} rows have all their places of a digit in as many columns, or columns in rows",
    "FINNED_": "a fish of {} lines but for some places, the fins; what sees all of them is removed",
    "SASHIMI_": "a finned fish of {} lines, of which one has a single place beside the fins",
    "FRANKEN_": "a fish of {} units; boxes may stand for lines",
    "FINNED_FRANKEN_": "a franken fish of {} units with fins",
    "MUTANT_": "a fish of {} units; rows, columns and boxes may stand on both sides",
    "FINNED_MUTANT_": "a mutant fish of {} units with fins",
}
SETS = {"PAIR": "two", "TRIPLE": "three", "QUADRUPLE": "four"}
KINDS = {
    "NAKED_": "{} cells of a unit have as many candidates in all, which no other cell of it can hold",
    "HIDDEN_": "{} digits have as many places in a unit, which can hold no other digit",
    "LOCKED_": "a naked subset of {} cells that a box and a line share",
    "DIRECT_HIDDEN_": "a hidden subset of {} digits that makes a hidden single at once",
}
NETS = {
    "CELL": "all candidates of a cell lead to the same",
    "REGION": "all places of a digit in a unit lead to the same",
    "CONTRADICTION": "an assumption leads to a candidate that is both on and off",
    "DOUBLE": "a candidate leads to the same whether it is on or off",
}
LEVELS = {
    "": "",
    "DYNAMIC_": ", by singles that appear on the way",
    "DYNAMIC_PLUS_": ", by patterns that appear on the way",
    "NESTED_": ", by chains that appear on the way",
}
ABOUT = {
    "FULL_HOUSE": "the last blank cell of a unit",
    "HIDDEN_SINGLE": "a digit has one place left in a unit",
    "NAKED_SINGLE": "a cell has one candidate left",
    "POINTING": "a box has all places of a digit in one line, so the rest of the line cannot hold it",
    "CLAIMING": "a line has all places of a digit in one box, so the rest of the box cannot hold it",
    "DIRECT_POINTING": "pointing that makes a hidden single at once",
    "DIRECT_CLAIMING": "claiming that makes a hidden single at once",
    "SKYSCRAPER": "two parallel lines have two places of a digit each, one of each in the same line across",
    "TWO_STRING_KITE": "a row and a column have two places of a digit each, one of each in the same box",
    "TURBOT_FISH": "two units have two places of a digit each, one of each in the same unit; none of the two above",
    "EMPTY_RECTANGLE": "a box has its places of a digit in a row and a column; a link begins in one of these",
    "DUAL_TWO_STRING_KITE": "two kites at the same two cells of a box",
    "DUAL_EMPTY_RECTANGLE": "two empty rectangles of one box",
    "STRONG_LINKS": "two or three units need a digit and are joined by units that have room for one",
    "SIMPLE_COLOURS_TRAP": "links of a digit in two colours, of which one is true; what sees both is removed",
    "SIMPLE_COLOURS_WRAP": "two cells of one colour see each other, so this colour is false",
    "MULTI_COLOURS_1": "colours of two sets of links see each other, so one of the two others is true",
    "MULTI_COLOURS_2": "a colour sees both colours of another set of links, so it is false",
    "XY_WING": "a cell with two candidates sees two cells that share one with it each, and a third with each other",
    "XYZ_WING": "the same with three candidates in the first cell, one of which is the third digit",
    "W_WING": "two cells have the same two candidates, and a unit needs one of these where it sees one of the cells",
    "WXYZ_WING": "three cells of a unit with four candidates, and a cell with two of these",
    "VWXYZ_WING": "four cells of a unit with five candidates, and a cell with two of these",
    "UVWXYZ_WING": "five cells of a unit with six candidates, and a cell with two of these",
    "TUVWXYZ_WING": "six cells of a unit with seven candidates, and a cell with two of these",
    "REMOTE_PAIR": "a chain of cells with the same two candidates",
    "UNIQUE_RECTANGLE_1": "three cells of a rectangle in two boxes hold two digits only, so the fourth holds another",
    "UNIQUE_RECTANGLE_2": "the other candidates of two neighbours are one digit, and one of them holds it",
    "UNIQUE_RECTANGLE_3": "the other candidates of two neighbours act as a cell of a naked or hidden subset",
    "UNIQUE_RECTANGLE_4": "one of the two digits has no other place in a unit of two neighbours",
    "UNIQUE_RECTANGLE_5": "the other candidates of opposite or three corners are one digit",
    "UNIQUE_RECTANGLE_6": "one of the two digits has no other place in parallel sides; opposite corners have others",
    "HIDDEN_RECTANGLE": "one of the two digits has no other place in both sides that meet at a corner",
    "AVOIDABLE_RECTANGLE_1": "type 1 where some corners were filled, but are no clues",
    "AVOIDABLE_RECTANGLE_2": "type 2 or 5 where some corners were filled, but are no clues",
    "UNIQUE_LOOP_1": "type 1 for a closed path of six and more cells",
    "UNIQUE_LOOP_2": "type 2 for such a loop",
    "UNIQUE_LOOP_3": "type 3 for such a loop",
    "UNIQUE_LOOP_4": "type 4 for such a loop",
    "BUG_1": "all blank cells but one have two candidates, and all digits two places in each unit",
    "BUG_2": "several cells have more, all the same digit, and one of them holds it",
    "BUG_3": "several cells have more, which act as a cell of a naked subset",
    "BUG_4": "two cells have more, and one other digit has no other place in their unit",
    "ALIGNED_PAIR": "two cells cannot hold what would leave a cell that both see without a candidate",
    "X_CHAIN": "a chain of strong and weak links of one digit, of whose ends one is true",
    "XY_CHAIN": "a chain of cells with two candidates, of whose ends one is true",
    "AIC": "a chain of strong and weak links of any digits, of whose ends one is true",
    "CONTINUOUS_NICE_LOOP": "such a chain that is closed: of each two neighbours one is true",
    "DISCONTINUOUS_NICE_LOOP": "such a chain that proves one candidate, or refutes one",
    "GROUPED_AIC": "a chain with groups: places of a digit where a box crosses a line, or in an almost locked set",
    "GROUPED_CONTINUOUS_NICE_LOOP": "a closed chain with groups",
    "GROUPED_DISCONTINUOUS_NICE_LOOP": "a chain with groups that proves or refutes one candidate",
    "ALS_XZ": "two almost locked sets (one candidate more than cells) share a digit that only one can hold",
    "ALS_XY_WING": "three almost locked sets, of which one is linked with both others so",
    "ALS_CHAIN": "four and more almost locked sets, each linked with the next so",
    "DEATH_BLOSSOM": "each candidate of a cell takes a digit from an almost locked set; these have another in common",
    "SUE_DE_COQ": "cells of a box and a line that cross have as many digits as cells, none of them twice",
    "TEMPLATE_SET": "all ways to place a digit on the board use a cell",
    "TEMPLATE_DELETE": "no way to place a digit on the board uses a cell",
    "X_CYCLE": "a closed chain of one digit",
    "Y_CYCLE": "a closed chain of cells with two candidates",
    "XY_CYCLE": "a closed chain of any links",
    "FORCING_X_CHAIN": "a chain of one digit whose assumption leads to its opposite",
    "FORCING_CHAIN": "a chain of any links whose assumption leads to its opposite",
    "NISHIO": "a digit in a cell leaves it without a place in a unit, by links of this digit",
    **{f"{shape}{name}": about.format(size) for shape, about in SHAPES.items() for name, size in FISH.items()},
    **{f"{kind}{name}": about.format(size) for kind, about in KINDS.items() for name, size in SETS.items()},
    **{
        f"{level}{name}_FORCING_CHAIN": f"{about}{how}" for level, how in LEVELS.items() for name, about in NETS.items()
    },
}
"""What each technique is; the smallest part of it that tells it from the others."""


def techniques() -> list[Technique]:
    """Return the techniques that a family finds, or a direct form of it, in the order of their numbers."""
    return sorted({technique for name in FAMILIES for technique in family_of(name).SENTENCES})


@cache
def searches_of(scale: str) -> list[Entry]:
    """Return the searches of a scale."""
    return SCALES[scale](True)


def rating(technique: Technique, scale: str) -> str:
    """Return the lowest rating of a technique on a scale, or its score."""
    ratings = [entry.ratings[technique] for entry in searches_of(scale) if technique in entry.ratings]
    if not ratings:
        return ""
    return f"{min(ratings)}" if scale == "hodoku" else f"{min(ratings) / 10}"


def rows() -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table."""
    for technique in techniques():
        title = technique.title[0].upper() + technique.title[1:]
        yield title, f"`{technique.label}`", ABOUT[technique.name], *(rating(technique, scale) for scale in SCALES)


def table() -> str:
    """Return the table in Markdown."""
    titles = ("technique", "name in options", "what it is", *SCALES)
    lines = (titles, ("---",) * len(titles), *rows())
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    surface.write(PAGE, BEGIN, END, table())

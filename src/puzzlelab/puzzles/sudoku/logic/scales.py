"""The scales: for those of Sudoku Explainer the order in which techniques are tried, and the rating of each.

`121` is Sudoku Explainer 1.2.1, the scale that forums quote; `118` is Sukaku Explainer 1.18.1 by its default settings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from puzzlelab.puzzles.sudoku.logic import aligned, bug, hodoku, loops
from puzzlelab.puzzles.sudoku.logic.basic_fish import basic_fish
from puzzlelab.puzzles.sudoku.logic.forcing import forcing_chains
from puzzlelab.puzzles.sudoku.logic.forcing_closure import DYNAMIC, MULTIPLE, NISHIO_NETS, PATTERNS
from puzzlelab.puzzles.sudoku.logic.forcing_nested import (
    NESTED_CHAINS,
    NESTED_DYNAMIC,
    NESTED_MULTIPLE,
    NESTED_PATTERNS,
    nested_nets,
)
from puzzlelab.puzzles.sudoku.logic.forcing_nets import nets, nets_of
from puzzlelab.puzzles.sudoku.logic.locked import locked
from puzzlelab.puzzles.sudoku.logic.long_wings import long_wings
from puzzlelab.puzzles.sudoku.logic.position import ALL
from puzzlelab.puzzles.sudoku.logic.rating import BoardRating, Entry, rate
from puzzlelab.puzzles.sudoku.logic.singles import FULL_HOUSES, HIDDEN_SINGLES, NAKED_SINGLES, Singles
from puzzlelab.puzzles.sudoku.logic.strong_links import strong_links
from puzzlelab.puzzles.sudoku.logic.subsets import subsets
from puzzlelab.puzzles.sudoku.logic.techniques import Technique
from puzzlelab.puzzles.sudoku.logic.wings import Wings

NETS = ((NISHIO_NETS, 75), (MULTIPLE, 80), (DYNAMIC, 85), (PATTERNS, 90))
NESTED = ((NESTED_CHAINS, 95), (NESTED_MULTIPLE, 100), (NESTED_DYNAMIC, 105), (NESTED_PATTERNS, 110))
"""The levels of nets, and the rating of the shortest ones, in tenths."""

LONG_WINGS = {
    Technique.WXYZ_WING: 55,
    Technique.VWXYZ_WING: 62,
    Technique.UVWXYZ_WING: 66,
    Technique.TUVWXYZ_WING: 70,
}


def rate_on(
    boards: NDArray[np.uint8],
    scale: str = "121",
    uniqueness: bool = True,
    most: float = math.inf,
    candidates: NDArray[np.uint16] | None = None,
) -> list[BoardRating]:
    """Return the ratings of `boards: uint8[B, 81]`, with all candidates or with those of `candidates: uint16[B, 81]`.

    `uniqueness` allows techniques that rest on the only solution.
    Searches whose steps are all rated above `most` are left out, so that harder boards have no complete rating.
    """
    entries = SCALES[scale](uniqueness)
    allowed = [each for each in entries if min(each.ratings.values()) <= 10 * most]
    return rate(boards, np.full(boards.shape, ALL, np.uint16) if candidates is None else candidates, allowed)


def _locked(technique: Technique, tenths: int) -> Entry:
    return Entry(locked(technique), {technique: tenths})


def _subsets(technique: Technique, tenths: int) -> Entry:
    return Entry(subsets(technique), {technique: tenths})


def _fish(technique: Technique, tenths: int) -> Entry:
    return Entry(basic_fish(technique), {technique: tenths})


def _easiest() -> list[Entry]:
    """Return what both scales begin with."""
    return [
        Entry(Singles(FULL_HOUSES | HIDDEN_SINGLES), {Technique.FULL_HOUSE: 10, Technique.HIDDEN_SINGLE: 12}),
        _locked(Technique.DIRECT_POINTING, 17),
        _locked(Technique.DIRECT_CLAIMING, 19),
        _subsets(Technique.DIRECT_HIDDEN_PAIR, 20),
        Entry(Singles(NAKED_SINGLES), {Technique.NAKED_SINGLE: 23}),
        _subsets(Technique.DIRECT_HIDDEN_TRIPLE, 25),
        _locked(Technique.POINTING, 26),
        _locked(Technique.CLAIMING, 28),
        _subsets(Technique.NAKED_PAIR, 30),
        _fish(Technique.X_WING, 32),
        _subsets(Technique.HIDDEN_PAIR, 34),
        _subsets(Technique.NAKED_TRIPLE, 36),
        _fish(Technique.SWORDFISH, 38),
        _subsets(Technique.HIDDEN_TRIPLE, 40),
    ]


def _wings() -> list[Entry]:
    return [Entry(Wings(2), {Technique.XY_WING: 42}), Entry(Wings(3), {Technique.XYZ_WING: 44})]


def _loops(hidden_bonus: int) -> Entry:
    return Entry(loops.family(hidden_bonus), dict.fromkeys(loops.SENTENCES, 45))


def _graves() -> Entry:
    [graves] = bug.families()
    types = {Technique.BUG_1: 56, Technique.BUG_2: 57, Technique.BUG_4: 57, Technique.BUG_3: 58}
    return Entry(graves, types)


def _aligned_pairs() -> Entry:
    [pairs] = aligned.families()
    return Entry(pairs, {Technique.ALIGNED_PAIR: 62})


def _chains() -> list[Entry]:
    """Return what both scales end with; the length of a chain is added."""
    simple = {
        Technique.X_CYCLE: 65,
        Technique.Y_CYCLE: 65,
        Technique.FORCING_X_CHAIN: 66,
        Technique.XY_CYCLE: 70,
        Technique.FORCING_CHAIN: 70,
    }
    return [
        Entry(forcing_chains(), simple),
        *(Entry(nets(level), dict.fromkeys([Technique.NISHIO, *nets_of(level)], tenths)) for level, tenths in NETS),
        *(
            Entry(nested_nets(level), dict.fromkeys(nets_of(level), tenths), is_last_resort=True)
            for level, tenths in NESTED
        ),
    ]


def explainer_121(uniqueness: bool) -> Sequence[Entry]:
    """Return the searches of Sudoku Explainer 1.2.1."""
    return [
        *_easiest(),
        *_wings(),
        *([_loops(1)] if uniqueness else []),
        _subsets(Technique.NAKED_QUADRUPLE, 50),
        _fish(Technique.JELLYFISH, 52),
        _subsets(Technique.HIDDEN_QUADRUPLE, 54),
        *([_graves()] if uniqueness else []),
        _aligned_pairs(),
        *_chains(),
    ]


def _two_strong_links() -> list[Entry]:
    tenths = {Technique.SKYSCRAPER: 40, Technique.TWO_STRING_KITE: 41, Technique.TURBOT_FISH: 42}
    return [
        *(Entry(strong_links(each), {each: tenths[each]}) for each in tenths),
        Entry(strong_links(Technique.STRONG_LINKS), {Technique.STRONG_LINKS: 43}),
    ]


def explainer_118(uniqueness: bool) -> Sequence[Entry]:
    """Return the searches of Sukaku Explainer 1.18.1."""
    wings = [Entry(long_wings(each), {each: tenths}) for each, tenths in LONG_WINGS.items()]
    return [
        *_easiest(),
        *_two_strong_links(),
        *_wings(),
        *([_loops(1)] if uniqueness else []),
        _subsets(Technique.NAKED_QUADRUPLE, 50),
        _fish(Technique.JELLYFISH, 52),
        _subsets(Technique.HIDDEN_QUADRUPLE, 54),
        Entry(strong_links(Technique.STRONG_LINKS, 3, has_groups=False), {Technique.STRONG_LINKS: 54}),
        Entry(strong_links(Technique.STRONG_LINKS, 3), {Technique.STRONG_LINKS: 55}),
        *wings[:1],
        *([_graves()] if uniqueness else []),
        *wings[1:],
        *_chains(),
    ]


SCALES: Mapping[str, Callable[[bool], Sequence[Entry]]] = {
    "121": explainer_121,
    "118": explainer_118,
    "hodoku": hodoku.searches,
}

"""The scale of HoDoKu: the order in which techniques are tried, their scores and levels, as its manual describes them.

Each step adds the score of its technique. The level of a board is the highest of the levels of its techniques, or a
higher one where the sum is above what a level may have. Where its techniques end HoDoKu goes on with forcing chains,
and then guesses; such boards have no score here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from puzzlelab.puzzles.sudoku.logic import (
    aic,
    als,
    blossoms,
    bug,
    colouring,
    empty_rectangle,
    finned_fish,
    remote_pairs,
    sue_de_coq,
)
from puzzlelab.puzzles.sudoku.logic import uniqueness as uniqueness_patterns
from puzzlelab.puzzles.sudoku.logic.basic_fish import FISH, basic_fish
from puzzlelab.puzzles.sudoku.logic.locked import locked, locked_subsets
from puzzlelab.puzzles.sudoku.logic.oldest_singles import OldestSingles
from puzzlelab.puzzles.sudoku.logic.rating import Entry
from puzzlelab.puzzles.sudoku.logic.strong_links import TWO, strong_links
from puzzlelab.puzzles.sudoku.logic.subsets import subsets
from puzzlelab.puzzles.sudoku.logic.techniques import Technique
from puzzlelab.puzzles.sudoku.logic.wings import LinkedWings, Wings

LONGEST = 10
"""Strong links of an X-chain or XY-chain."""
ALL_STEPS = 1000
"""Steps of a search that are compared where the first one is not the one that HoDoKu takes."""
LEVELS: Mapping[str, float] = {"Easy": 800, "Medium": 1000, "Hard": 1600, "Unfair": 1800, "Extreme": math.inf}
"""Level -> the most that the scores of a board of this level add up to."""
SCORES = {
    "Easy": {Technique.FULL_HOUSE: 4, Technique.NAKED_SINGLE: 4, Technique.HIDDEN_SINGLE: 14},
    "Medium": {
        Technique.LOCKED_PAIR: 40,
        Technique.LOCKED_TRIPLE: 60,
        Technique.POINTING: 50,
        Technique.CLAIMING: 50,
        Technique.NAKED_PAIR: 60,
        Technique.NAKED_TRIPLE: 80,
        Technique.HIDDEN_PAIR: 70,
        Technique.HIDDEN_TRIPLE: 100,
    },
    "Hard": {
        Technique.NAKED_QUADRUPLE: 120,
        Technique.HIDDEN_QUADRUPLE: 150,
        Technique.X_WING: 140,
        Technique.SWORDFISH: 150,
        Technique.JELLYFISH: 160,
        Technique.REMOTE_PAIR: 110,
        Technique.BUG_1: 100,
        Technique.SKYSCRAPER: 130,
        Technique.TWO_STRING_KITE: 150,
        Technique.TURBOT_FISH: 120,
        Technique.EMPTY_RECTANGLE: 120,
        Technique.W_WING: 150,
        Technique.XY_WING: 160,
        Technique.XYZ_WING: 180,
        Technique.UNIQUE_RECTANGLE_1: 100,
        Technique.UNIQUE_RECTANGLE_2: 100,
        Technique.UNIQUE_RECTANGLE_3: 100,
        Technique.UNIQUE_RECTANGLE_4: 100,
        Technique.UNIQUE_RECTANGLE_5: 100,
        Technique.UNIQUE_RECTANGLE_6: 100,
        Technique.HIDDEN_RECTANGLE: 100,
        Technique.AVOIDABLE_RECTANGLE_1: 100,
        Technique.AVOIDABLE_RECTANGLE_2: 100,
        Technique.FINNED_X_WING: 130,
        Technique.SASHIMI_X_WING: 150,
        Technique.SIMPLE_COLOURS_TRAP: 150,
        Technique.SIMPLE_COLOURS_WRAP: 150,
        Technique.MULTI_COLOURS_1: 200,
        Technique.MULTI_COLOURS_2: 200,
    },
    "Unfair": {
        Technique.FINNED_SWORDFISH: 200,
        Technique.SASHIMI_SWORDFISH: 240,
        Technique.FINNED_JELLYFISH: 250,
        Technique.SASHIMI_JELLYFISH: 280,
        Technique.SUE_DE_COQ: 250,
        Technique.X_CHAIN: 260,
        Technique.XY_CHAIN: 260,
        Technique.AIC: 280,
        Technique.CONTINUOUS_NICE_LOOP: 280,
        Technique.DISCONTINUOUS_NICE_LOOP: 280,
        Technique.GROUPED_AIC: 300,
        Technique.GROUPED_CONTINUOUS_NICE_LOOP: 300,
        Technique.GROUPED_DISCONTINUOUS_NICE_LOOP: 300,
        Technique.ALS_XZ: 300,
        Technique.ALS_XY_WING: 320,
        Technique.ALS_CHAIN: 340,
        Technique.DEATH_BLOSSOM: 360,
    },
}
"""Level -> the scores of its techniques."""
SCORE = {technique: score for scores in SCORES.values() for technique, score in scores.items()}


SUBSETS = (
    Technique.NAKED_PAIR,
    Technique.NAKED_TRIPLE,
    Technique.HIDDEN_PAIR,
    Technique.HIDDEN_TRIPLE,
    Technique.NAKED_QUADRUPLE,
    Technique.HIDDEN_QUADRUPLE,
)
RECTANGLES = (
    Technique.UNIQUE_RECTANGLE_1,
    Technique.UNIQUE_RECTANGLE_2,
    Technique.UNIQUE_RECTANGLE_3,
    Technique.UNIQUE_RECTANGLE_4,
    Technique.UNIQUE_RECTANGLE_5,
    Technique.UNIQUE_RECTANGLE_6,
    Technique.HIDDEN_RECTANGLE,
    Technique.AVOIDABLE_RECTANGLE_1,
    Technique.AVOIDABLE_RECTANGLE_2,
)
FINNED_FISH = (
    (Technique.FINNED_X_WING, Technique.SASHIMI_X_WING),
    (Technique.FINNED_SWORDFISH, Technique.SASHIMI_SWORDFISH),
    (Technique.FINNED_JELLYFISH, Technique.SASHIMI_JELLYFISH),
)
COLOURS = tuple(
    (each,)
    for each in (
        Technique.SIMPLE_COLOURS_TRAP,
        Technique.SIMPLE_COLOURS_WRAP,
        Technique.MULTI_COLOURS_1,
        Technique.MULTI_COLOURS_2,
    )
)
CHAINS = (
    (Technique.X_CHAIN,),
    (Technique.XY_CHAIN,),
    (Technique.CONTINUOUS_NICE_LOOP, Technique.DISCONTINUOUS_NICE_LOOP, Technique.AIC),
    (
        Technique.GROUPED_CONTINUOUS_NICE_LOOP,
        Technique.GROUPED_DISCONTINUOUS_NICE_LOOP,
        Technique.GROUPED_AIC,
    ),
)
SETS = ((Technique.ALS_XZ,), (Technique.ALS_XY_WING,), (Technique.ALS_CHAIN,), (Technique.DEATH_BLOSSOM,))


def total(steps: Mapping[Technique, int]) -> int:
    """Return the sum of the scores of so many steps by technique."""
    return sum(SCORE[technique] * count for technique, count in steps.items())


def level(steps: Mapping[Technique, int]) -> str:
    """Return the level of a board with so many steps by technique."""
    names = list(LEVELS)
    hardest = max((names.index(name) for name, scores in SCORES.items() if scores.keys() & steps.keys()), default=0)
    return next(name for name in names[hardest:] if total(steps) <= LEVELS[name])


def searches(uniqueness: bool) -> Sequence[Entry]:
    """Return the searches of HoDoKu in its order."""
    [rectangles] = uniqueness_patterns.families()
    return [
        _entry(OldestSingles(), *SCORES["Easy"]),
        *(_entry(locked_subsets(each), each) for each in (Technique.LOCKED_PAIR, Technique.LOCKED_TRIPLE)),
        *(_entry(locked(each), each) for each in (Technique.POINTING, Technique.CLAIMING)),
        *(_entry(subsets(each), each) for each in SUBSETS),
        *_compared(map(basic_fish, FISH), zip(FISH)),
        *(_entry(each, Technique.REMOTE_PAIR) for each in remote_pairs.families()),
        *(_entry(each, Technique.BUG_1, looks_at=ALL_STEPS) for each in bug.families() if uniqueness),
        *(_entry(strong_links(each), each) for each in TWO),
        _entry(empty_rectangle.families()[0], Technique.EMPTY_RECTANGLE),
        _entry(LinkedWings(), Technique.W_WING),
        *_compared((Wings(2), Wings(3)), ((Technique.XY_WING,), (Technique.XYZ_WING,))),
        *(_entry(rectangles, each, looks_at=ALL_STEPS) for each in RECTANGLES if uniqueness),
        *_finned_fish(),
        *_compared(colouring.families(), COLOURS),
        *(_entry(each, Technique.SUE_DE_COQ) for each in sue_de_coq.families()),
        *_compared(_chains(), CHAINS),
        *_compared((*als.families(), *blossoms.families()), SETS),
    ]


def _entry(family: Any, *techniques: Technique, looks_at: int = 1) -> Entry:
    return Entry(family, {each: SCORE[each] for each in techniques}, looks_at)


def _compared(families: Iterable[Any], techniques: Iterable[Sequence[Technique]]) -> Iterable[Entry]:
    """Return searches all steps of which are compared, with the techniques of each."""
    return (_entry(family, *own, looks_at=ALL_STEPS) for family, own in zip(families, techniques, strict=True))


def _chains() -> Sequence[aic.Chains]:
    """Return the searches for chains of one digit, of cells with two candidates, of both, and with groups."""
    one_digit, two_values, *others = [each._replace(is_strict=1) for each in aic.families()[: len(CHAINS)]]
    return [one_digit._replace(longest=LONGEST), two_values._replace(longest=LONGEST), *others]


def _finned_fish() -> Iterable[Entry]:
    """Return the searches for finned fish of each size, and then for sashimi ones."""
    for family, kinds in zip(finned_fish.families(), FINNED_FISH, strict=True):
        for technique in kinds:
            yield _entry(family, technique, looks_at=ALL_STEPS)

"""The scale of HoDoKu: which singles come first, how levels and scores follow from the steps, and known boards."""

from __future__ import annotations

import numpy as np
from logic_positions import BANK, position_of, solution_of
from numpy.typing import NDArray

from puzzlelab import load
from puzzlelab.puzzles.sudoku.logic.hodoku import level, searches, total
from puzzlelab.puzzles.sudoku.logic.oldest_singles import OldestSingles
from puzzlelab.puzzles.sudoku.logic.position import play
from puzzlelab.puzzles.sudoku.logic.scales import rate_on
from puzzlelab.puzzles.sudoku.logic.steps import chosen_step, evidence_of, find_steps, new_found, take_step
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EASY = "003020600900305001001806400008102900700000008006708200002609500800203009005010300"
KNOWN = {4: ("Easy", 228), 5: ("Easy", 192), 6: ("Easy", 196), 9: ("Medium", 634), 10: ("Easy", 360)}
"""Number of a board of `BANK` -> the level and score that HoDoKu 2.2.0 gives."""
CHOICES = {
    ".5..3..7...7...8..6.42.75.9..........7.5.6.4.5.28.97.3..6...2....5.9.4..72.....96": ("Unfair", 1684),
    "8...3.....3...9..2.61.8..73..2....9....7.6....7....5..35..1.46.4..9...2.....7...1": ("Extreme", 1890),
    "...........7.1.2..8..6.3..1..59.83......4.....2.....5...17625..5.......8.6.....2.": ("Unfair", 1322),
    "1...732.6..7.1....2.3..571.4.5......73.....58......3.4.213..8.5....9.4..3.456...2": ("Unfair", 1396),
    ".7.....5.1.85.97.4.9.....6...3.8.2..8.......39.46.35.8..98.74...4..5..8.5...3...7": ("Extreme", 3430),
    "1....96..2....6..9.4.....1.5..39.48..8.6.5.7..92.87..1.2.....5.7..5....8..39....7": ("Extreme", 3214),
}
"""Boards of the Sudoku Exchange bank whose score depends on which of several steps comes first: XY-wings, XY-chains
that may have ten strong links, chains that come to a cell twice, chains that remove as many, chains that end in a
group, and the cells of Sue de Coq."""


def boards(*texts: str) -> NDArray[np.uint8]:
    """Return boards as `uint8[B, 81]`."""
    return np.stack([load("sudoku-9x9").read(text).state for text in texts])


def test_naked_singles_come_before_hidden_ones_and_full_houses_before_both() -> None:
    position, found, order = position_of(EASY), new_found(1), list[Technique]()
    while not (position.values == solution_of(EASY)).all():
        find_steps(OldestSingles(), position, found)
        order += [step.technique for step in evidence_of(found)]
        take_step(position, found, 0)
    assert len(order) == EASY.count("0")
    assert order[0] == Technique.NAKED_SINGLE
    assert order[-1] == Technique.FULL_HOUSE


def test_the_oldest_single_comes_first() -> None:
    position, found = position_of("0" * 81), new_found(1)
    removed = [9 * cell + digit for cell in (80, 0) for digit in range(9) if digit != 4]
    play(position, np.zeros(0, np.int64), np.array(removed))
    find_steps(OldestSingles(), position, found)
    assert evidence_of(found)[0].placed == (9 * 80 + 4,)


def test_scores_add_up_and_lift_the_level() -> None:
    singles = {Technique.FULL_HOUSE: 1, Technique.NAKED_SINGLE: 2, Technique.HIDDEN_SINGLE: 3}
    assert (total(singles), level(singles)) == (54, "Easy")
    assert level({Technique.HIDDEN_SINGLE: 58}) == "Medium", "812 are more than an easy board may have"
    assert level({Technique.XY_WING: 1}) == "Hard"
    assert level({Technique.NAKED_PAIR: 40}) == "Extreme"
    assert (total({}), level({})) == (0, "Easy")


def test_each_technique_has_one_search_and_uniqueness_can_be_left_out() -> None:
    names = [technique for entry in searches(uniqueness=True) for technique in entry.ratings]
    assert len(names) == len(set(names))
    assert not any(technique.assumes_unique for entry in searches(uniqueness=False) for technique in entry.ratings)


def test_of_compared_steps_the_one_that_removes_most_is_applied() -> None:
    position, found = position_of(BANK[9]), new_found(99)
    [record] = [entry.family for entry in searches(uniqueness=True) if Technique.POINTING in entry.ratings]
    find_steps(record, position, found)
    removed = [len(step.removed) for step in evidence_of(found)]
    tenths = np.full(len(Technique), -1)
    assert chosen_step(found, tenths) == -1
    tenths[Technique.POINTING] = 50
    assert removed[chosen_step(found, tenths)] == max(removed) > min(removed)


def test_boards_have_the_level_and_the_score_of_hodoku() -> None:
    for expected, rating in zip(
        KNOWN.values(), rate_on(boards(*(BANK[each] for each in KNOWN)), "hodoku"), strict=True
    ):
        assert (level(rating.techniques), total(rating.techniques)) == expected


def test_of_several_steps_the_one_that_hodoku_takes_comes_first() -> None:
    ratings = rate_on(boards(*CHOICES), "hodoku")
    assert [(level(each.techniques), total(each.techniques)) for each in ratings] == list(CHOICES.values())

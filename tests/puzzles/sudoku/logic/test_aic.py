"""Chains: what they remove in known positions, how they are explained, and that no step is wrong."""

from __future__ import annotations

import pytest
from logic_positions import BANK, check_soundness, position_of, steps_in

from puzzlelab.puzzles.sudoku.logic.aic import families
from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.chain_links import are_linked_weakly, build
from puzzlelab.puzzles.sudoku.logic.steps import Evidence
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

TWINS = "026030190193060002800090063030407010000000000008309600061928040085000900970000081"
PAIRS = "302006000050009002900245003601002000020050010000100907500094008800500030000800009"
GROUPS = "080900000051004087000380050010000802004000900508000010090048000170600490000002030"


def removed(step: Evidence) -> str:
    """Return the removed candidates as words such as '537': the digit, row and column."""
    return " ".join(f"{each % 9 + 1}{each // 81 + 1}{each // 9 % 9 + 1}" for each in step.removed)


CASES = {
    Technique.X_CHAIN: (PAIRS, "117 127 187 197"),
    Technique.XY_CHAIN: (TWINS, "514 524 534 536 556 596"),
    Technique.AIC: (PAIRS, "677 678 685"),
    Technique.CONTINUOUS_NICE_LOOP: (TWINS, "514 524 534 436 536 556 486 496 596"),
    Technique.DISCONTINUOUS_NICE_LOOP: (
        "050060200403000056006005001035006090647020500019800060500600400900000603004000010",
        "184 284 484 784",
    ),
    Technique.GROUPED_AIC: (GROUPS, "341 343 355 356"),
    Technique.GROUPED_CONTINUOUS_NICE_LOOP: (
        "000050000700000001005904800204030107003491500000705000001000700500306008320000069",
        "225 235 275 278 279 285",
    ),
    Technique.GROUPED_DISCONTINUOUS_NICE_LOOP: (GROUPS, "589"),
}


@pytest.mark.parametrize("technique", CASES)
def test_each_kind_of_chain_is_found(technique: Technique) -> None:
    board, expected = CASES[technique]
    assert expected in [removed(step) for step in steps_in("aic", board) if step.technique == technique]


def test_the_shortest_chain_comes_first() -> None:
    steps = [step for step in steps_in("aic", PAIRS) if step.technique == Technique.X_CHAIN]
    lengths = [len(step.nodes) for step in steps]
    assert lengths == sorted(lengths)
    assert lengths[0] == 4


def test_a_chain_alternates_between_strong_and_weak_links() -> None:
    for step in steps_in("aic", GROUPS):
        chain = [link for link in step.links if link.end == link.start + 1]
        assert [link.is_strong for link in chain] == [i % 2 == 0 for i in range(len(step.nodes) - 1)]
        assert [node.is_on for node in step.nodes] == [i % 2 == 1 for i in range(len(step.nodes))]


def test_each_grouped_chain_has_a_group_or_a_set() -> None:
    grouped = [step for step in steps_in("aic", GROUPS) if step.technique.name.startswith("GROUPED")]
    assert grouped
    assert all(step.cells or any(len(node.candidates) > 1 for node in step.nodes) for step in grouped)


def test_candidates_of_one_cell_or_unit_are_linked_weakly() -> None:
    family = families()[2]
    build(family.graph, position_of(TWINS), family.kind)
    five, four, other = (family.graph.singles[cell, digit] for cell, digit in ((5, 4), (5, 3), (14, 4)))
    assert are_linked_weakly(family.graph, five, four)
    assert are_linked_weakly(family.graph, five, other)
    assert not are_linked_weakly(family.graph, four, other)


def test_the_sentences_follow_the_chain() -> None:
    told = {step.technique: sentence(step, "aic") for step in reversed(steps_in("aic", TWINS))}
    assert told[Technique.XY_CHAIN] == (
        "r1c6 is 4 or r2c6 is 4: if r1c6 is not 4, then r1c6 is 5, so r2c6 is not 5, so r2c6 is 4; "
        "therefore r3c6, r8c6 and r9c6 cannot be 4"
    )
    assert told[Technique.CONTINUOUS_NICE_LOOP].startswith(
        "a loop in which one of each two neighbours is true: if r1c6 is not 4, then r1c6 is 5, so r2c6 is not 5"
    )
    (grouped, *_) = [step for step in steps_in("aic", GROUPS) if step.technique == Technique.GROUPED_AIC]
    assert sentence(grouped, "aic").startswith(
        "r5c2 is 3 or one of r4c5 and r4c6 is 3: if r5c2 is not 3, then r6c2 is 3, so none of r4c1 and r4c3 is 3"
    )


def test_almost_locked_sets_link_their_groups() -> None:
    with_sets = [step for step in steps_in("aic", GROUPS) if step.cells]
    assert removed(with_sets[0]) == "221"
    assert sentence(with_sets[0], "aic") == (
        "r2c1 is 3 or one of r2c4 and r2c7 is 2: if r2c1 is not 3, then r2c7 is 3, so r2c7 is not 6, so one of r2c4 "
        "and r2c7 is 2 (these cells together lack one of their digits at most: r2c4 and r2c7); therefore r2c1 cannot "
        "be 2"
    )
    for step in with_sets:
        sets = {role: step.by_role("cells", role) for role, _ in step.cells}
        assert all(len(cells) > 1 for cells in sets.values())


def test_no_chain_is_wrong() -> None:
    assert check_soundness("aic", BANK[::6]) > 100

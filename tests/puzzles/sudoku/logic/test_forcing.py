"""Cycles and forcing chains: which one is the shortest, what it removes, and how it is explained."""

from __future__ import annotations

import pytest
from logic_positions import BANK, check_soundness, position_of, steps_in

from puzzlelab.puzzles.sudoku.logic.catalog import sentence
from puzzlelab.puzzles.sudoku.logic.forcing import families
from puzzlelab.puzzles.sudoku.logic.forcing_links import lengthened
from puzzlelab.puzzles.sudoku.logic.steps import evidence_of, find_steps, new_found, removed_text
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

POSITIONS = (
    (
        Technique.X_CYCLE,
        65,
        "050030670007065800604207509060000000073506040502809763006000200005692407720050396",
        "144 444 446 148 149 159 171 371 871 172 372 872 174 474 475 476",
        "r7c6 and r8c1 cannot be 8",
    ),
    (
        Technique.Y_CYCLE,
        68,
        "302716090150389702900245103601072000720050016405160927513694278800527031200831009",
        "842 857 698",
        "r1c7, r4c7 and r4c8 cannot be 4, and r3c2 cannot be 8",
    ),
    (
        Technique.XY_CYCLE,
        70,
        "080905004951264387400380059719536842034800905508409013090048000172653498840092030",
        "613 755 673 177 677 777 678 197 697",
        "r1c7 cannot be 2",
    ),
    (
        Technique.FORCING_X_CHAIN,
        66,
        "302716090150389702900245103601072000720050016405160927513694278800527031200831009",
        "698",
        "r4c2 cannot be 8",
    ),
    (
        Technique.FORCING_CHAIN,
        71,
        "302716090150389702900245103601072000720050016405160927513694278800527631200831009",
        "417 832 842 447 448 857 492 493",
        "r1c2 cannot be 8",
    ),
)
BASES = {
    Technique.X_CYCLE: 65,
    Technique.Y_CYCLE: 65,
    Technique.FORCING_X_CHAIN: 66,
    Technique.XY_CYCLE: 70,
    Technique.FORCING_CHAIN: 70,
}


@pytest.mark.parametrize(("technique", "rating", "board", "removed", "effect"), POSITIONS)
def test_the_easiest_chain(technique: Technique, rating: int, board: str, removed: str, effect: str) -> None:
    found = new_found(1)
    find_steps(families()[0], position_of(board, removed), found)
    (step,) = evidence_of(found)
    assert (step.technique, BASES[technique] + lengthened(0, step.length), removed_text(step.removed)) == (
        technique,
        rating,
        effect,
    )
    assert [node.is_on for node in step.nodes] == [i % 2 == 0 for i in range(len(step.nodes))]
    if technique in (Technique.X_CYCLE, Technique.Y_CYCLE, Technique.XY_CYCLE):
        assert sentence(step, "forcing").endswith(f"What sees one of each kind is not: {effect}")
        assert (step.links[-1].start, step.links[-1].end) == (len(step.nodes) - 1, 0)
    else:
        assert step.nodes[0].candidates == step.nodes[-1].candidates == step.removed


def test_a_chain_from_off_to_on_places_a_digit() -> None:
    board = "857642931090073000300809000023700610978361452000020003189437526245006387736285100"
    found = new_found(1)
    find_steps(families()[0], position_of(board, "423 429 438 461"), found)
    (step,) = evidence_of(found)
    assert sentence(step, "forcing") == (
        "If r2c1<>4, it follows that r2c1=4: r2c1<>4 -> r2c8=4 -> r3c9<>4 -> r3c9=5 -> r3c5<>5 -> r3c5=1 -> r3c2<>1 -> "
        "r3c2=6 -> r2c1<>6 -> r2c1=4. The assumption contradicts itself, so r2c1=4"
    )
    assert (step.placed, step.length) == ((84,), 8)


def test_all_steps_of_a_position_begin_with_different_assumptions() -> None:
    _, _, board, removed, _ = POSITIONS[0]
    steps = steps_in("forcing", board, removed)
    assert {step.technique for step in steps} >= {Technique.X_CYCLE, Technique.FORCING_X_CHAIN, Technique.FORCING_CHAIN}
    assert min(step.length for step in steps) == 4


def test_no_chain_is_wrong() -> None:
    assert check_soundness("forcing", BANK) > 1000

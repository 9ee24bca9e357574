"""The solver `logic`: what it proves, and where it ends."""

import pytest

from puzzlelab import Instance, Limit, load, solve, solver
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

PUZZLE = load("sudoku-9x9")
EASY = PUZZLE.read("easy")
NEVER = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4........."


def test_a_board_that_logic_solves_has_no_other_solution():
    result = solve(EASY, "logic")
    assert (result.proof, result.final) == ("unique", solve(EASY).final)
    assert result.expanded == len(result.moves)


def test_with_techniques_that_assume_one_solution_nothing_is_proven():
    result = solve(EASY, "logic", uniqueness=True)
    assert (result.proof, result.reason) == ("none", "its steps assume that there is one solution")


def test_where_no_step_is_known_it_says_so(easiest_search):
    result = solve(PUZZLE.read("." * 81), "logic")
    assert (result.moves, result.proof, result.stop) == (None, "none", "dead end")
    assert result.reason == "no step of logic is known after 0 steps, which write 0 digits"


@pytest.mark.parametrize("board", ["11" + "." * 79, NEVER])
def test_no_solution_is_claimed_for_a_board_without_one(board):
    result = solve(PUZZLE.read(board), "logic")
    assert result.moves is None


def test_a_contradiction_is_a_proof():
    solution = set(solve(EASY).moves)
    wrong = [PUZZLE.apply(EASY.state, move) for move in PUZZLE.legal(EASY.state).nonzero()[0] if move not in solution]
    boards = [Instance(PUZZLE, state) for state in wrong if PUZZLE.objection(state) is None]
    results = [solve(board, "logic") for board in boards]
    assert {(result.moves, result.proof) for result in results} == {(None, "unsolvable")}
    assert results[0].reason.startswith("after ")


def test_it_ends_at_its_limit():
    result = solve(EASY, "logic", limit=Limit(nodes=3))
    assert (result.moves, result.stop, len(result.tried)) == (None, "nodes", 3)
    assert solve(EASY, "logic", limit=Limit(seconds=1e-9)).stop == "time"


def test_it_explains_each_step():
    lines = [*solver("logic").explain(EASY)]
    assert lines[0] == "  1. hidden single (1.2): 2 has one place left in box 1: r2c3"
    assert lines[-1] == PUZZLE.draw(solve(EASY).final.state)


def test_other_sizes_are_solved_by_the_logic_of_their_units():
    board = load("sudoku-4x4").read("small")
    result = solve(board, "logic")
    assert (result.proof, result.final) == ("unique", solve(board).final)


def test_techniques_that_assume_one_solution():
    assert not [each for each in Technique if each.assumes_unique and "CHAIN" in each.name]

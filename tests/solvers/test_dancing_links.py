"""Dancing links: Knuth's example, random covers against brute force, known counts, hard and large Sudoku, limits."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.solvers.known import NINE, SOLVED

from puzzlelab import Instance, Limit
from puzzlelab.core.cover import ExactCover
from puzzlelab.core.views import Cover
from puzzlelab.engine.kernels import IMPROVED, RUNNING
from puzzlelab.solvers.dancing_links import DancingLinks, machine
from puzzlelab.solvers.integer import Integer
from puzzlelab.solvers.sat import Sat


@dataclass(frozen=True)
class Picking:
    """A cover as a puzzle: pick options until it is solved. A state is `uint8[O]`, 1 for an option that is picked."""

    name = "picking"
    options: ExactCover

    def view(self, kind):
        return self if kind is Cover else None

    def write(self, state):
        return "".join(map(str, state.tolist()))

    def cover(self):
        return self.options

    def chosen(self, state):
        return np.flatnonzero(state)

    def board(self, *picked):
        return Instance(self, np.isin(np.arange(self.options.options), picked).astype(np.uint8))


def read(text):
    """The cover of 'ab bc|a b|c': its options, its primary items and its secondary items."""
    options, primary, secondary = text.split("|")
    return Picking(ExactCover.of(options.split(), primary.split(), secondary.split()))


def found(solver, board):
    """All solutions, each as the options that come to those of the board."""
    return [result.moves for result in solver.solutions(board, Limit()) if getattr(result, "moves", None) is not None]


def brute_force(cover, picked):
    """The same by trying every set of options that have a primary item."""
    items = [set(cover.option(option).tolist()) for option in range(cover.options)]
    useful = [o for o in range(cover.options) if o not in picked and min(items[o]) < cover.primary]
    sets = [c for size in range(len(useful) + 1) for c in combinations(useful, size)]
    return {chosen for chosen in sets if _exact(cover, [items[o] for o in (*chosen, *picked)])}


def _exact(cover, options):
    covered = [item for option in options for item in option]
    return len(set(covered)) == len(covered) and set(range(cover.primary)) <= set(covered)


@st.composite
def boards(draw):
    """Covers of up to 7 items and 9 options, with up to two options picked, which may clash."""
    items = draw(st.integers(1, 7))
    primary = draw(st.integers(1, items))
    option = st.sets(st.integers(0, items - 1), min_size=1, max_size=4)
    options = draw(st.lists(option, min_size=1, max_size=9))
    picked = draw(st.sets(st.integers(0, len(options) - 1), max_size=2))
    return Picking(ExactCover.of(options, range(primary), range(primary, items))).board(*picked)


def test_the_example_of_knuth():
    # The Art of Computer Programming, 7.2.2.1, (5) and (6): a d f, b g and c e
    assert found(DancingLinks(), read("ce adg bcf adf bg deg|a b c d e f g|").board()) == [(0, 3, 4)]


def test_a_secondary_item_is_covered_at_most_once():
    assert found(DancingLinks(), read("ax bx a b|a b|x").board()) == [(0, 3), (1, 2), (2, 3)]


def test_an_option_without_a_primary_item_is_never_needed():
    assert found(DancingLinks(), read("a x|a|x").board()) == [(0,)]
    assert found(DancingLinks(), read("a ax x|a|x").board(2)) == [(0,)]


@given(boards())
def test_all_solutions_are_found_once(board):
    expected = brute_force(board.puzzle.cover(), board.puzzle.chosen(board.state).tolist())
    for solver in (DancingLinks(), Sat()):
        solutions = found(solver, board)
        assert len(solutions) == len(expected)
        assert set(solutions) == expected


@given(boards())
def test_the_proof_is_right(board):
    expected = brute_force(board.puzzle.cover(), board.puzzle.chosen(board.state).tolist())
    proof = {0: "unsolvable", 1: "unique"}.get(len(expected), "several")
    for solver in (DancingLinks(), Sat(), Integer()):
        *_, last = solver.attempts(board, Limit())
        assert (last.proof, last.stop) == (proof, "done")
        assert last.moves in expected or not expected


# --- Sudoku ---


# --- limits ---


def test_the_answer_does_not_depend_on_how_the_work_is_sliced():
    board = NINE.read(list(SOLVED)[2])
    whole = machine(NINE.cover(), NINE.chosen(board.state))
    assert whole.step(10**9) == IMPROVED
    sliced = machine(NINE.cover(), NINE.chosen(board.state))
    while sliced.step(1) == RUNNING:
        pass
    assert sliced.solution(sliced.record) == whole.solution(whole.record)
    assert sliced.control.expanded == whole.control.expanded > 64

"""Conformance checks of the views that tell something about one state; each is called at a board that `at` names.

Shapes: B = states in a batch, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np

from puzzlelab.conformance.calls import CheckedPuzzle, calling, kind_of, must, must_be_array
from puzzlelab.core.puzzle import Drawings, State
from puzzlelab.core.views import (
    Candidates,
    Cover,
    Legality,
    Planes,
    Rewards,
    Steps,
    equivalence,
)

MOST_SINGLE = 100
"""Legal moves, and about as many others, that are tested one by one at a state."""
MOST_STEP = 1 << 40
"""The greatest cost or number of points of a move, of which a search adds up many in 64 bits."""


def check_views(puzzle: CheckedPuzzle, state: State) -> None:
    """Check every view of `CHECKS` that the puzzle has at one state."""
    with puzzle.at(state):
        legal = np.flatnonzero(puzzle.legal(state)).tolist()
        for kind, check in CHECKS.items():
            view: Any = puzzle.view(kind)
            if view is not None:
                check(puzzle, view, state, legal)


def _check_legality(puzzle: CheckedPuzzle, view: Legality, state: State, legal: list[int]) -> None:
    """Check that single moves are legal if `legal` names them, or an equivalent one that has the same effect."""
    names = np.full(puzzle.move_count, -1)
    names[legal] = legal
    if (canonical_of := view.canonical_moves) is not None:
        call, gives = "`canonical_moves`", (np.int64, (1, puzzle.move_count))
        names = puzzle.of_state(call, lambda one: canonical_of(one[None]).copy(), state, gives=gives)[0]
        must(np.array_equal(names[legal], legal), f"{call} must map each move that is `legal` to itself")
        must(set(names.tolist()) <= {-1, *legal}, f"{call} must give moves that are `legal`, or -1")
    others = np.setdiff1d(np.arange(puzzle.move_count), legal)
    for move in [*legal[:MOST_SINGLE], *others[:: max(1, len(others) // MOST_SINGLE)].tolist()]:
        name, stands_for = puzzle.write_move(move), int(names[move])
        agree = puzzle.of_state("`is_legal`", view.is_legal, state, move, move=move) == (stands_for >= 0)
        expected = "`legal`" if canonical_of is None else "`canonical_moves`"
        must(agree, f"`is_legal` and {expected} disagree on move {name}")
        if stands_for not in (-1, move):
            same = np.array_equal(puzzle.apply(state, move), puzzle.apply(state, stands_for))
            must(
                same, f"`canonical_moves` maps move {name} to {puzzle.write_move(stands_for)}, which has another effect"
            )


def _check_steps(puzzle: CheckedPuzzle, view: Steps, state: State, legal: list[int]) -> None:
    """Check that a move has a cost of at least 0, or points, and the same at a second call."""
    has_points = view.points is not None
    name, function, least = ("`points`", view.points, -MOST_STEP) if has_points else ("`cost`", view.cost, 0)
    assert function is not None
    for move in {*legal[:2], *legal[-1:]}:
        call, after = f"{name} of move {puzzle.write_move(move)}", puzzle.apply(state, move)
        step, again = (puzzle.of_state(name, function, state, move, after, move=move) for _ in range(2))
        is_int = isinstance(step, int | np.integer) and bool(step >= least)
        must(is_int, f"{call} must give {'an int' if has_points else 'an int of at least 0'}, not {step}")
        must(step <= MOST_STEP, f"{call} must give an int of at most {MOST_STEP:,}, not {step}")
        must(step == again, f"{call} gives {step}, and {again} the second time")


def _check_cover(puzzle: CheckedPuzzle, view: Cover, state: State, legal: list[int]) -> None:
    """Check that chosen options are options, and that a board without objection is solved when they cover all primary
    items.
    """
    with calling("`cover`"):
        cover = view.cover()
        must(cover is view.cover(), "`cover` must give the same object at each call")
    chosen = puzzle.of_state("`chosen`", view.chosen, state)
    fits = isinstance(chosen, np.ndarray) and chosen.ndim == 1 and chosen.dtype.kind in "iu"
    must(fits, f"`chosen` must give int64[K], not {kind_of(chosen)}")
    options = chosen.tolist()
    known = len(set(options)) == len(options) and all(0 <= option < cover.options for option in options)
    must(known, f"`chosen` must give numbers of options, 0 to {cover.options - 1}, each once")
    if puzzle.objection(state) is None:
        items = [item for option in options for item in cover.option(option).tolist()]
        must(len(set(items)) == len(items), "two of the options that `chosen` gives cover the same item")
        covered = set(range(cover.primary)) <= set(items)
        words = "covers every primary item" if covered else "leaves a primary item uncovered"
        must(puzzle.solved(state) == covered, f"`chosen` {words}, and `solved` is {puzzle.solved(state)}")
    for move in legal[:1]:
        if (option := cover.option_of.get(move)) is not None:
            same = set(view.chosen(puzzle.apply(state, move)).tolist()) == {*options, option}
            must(same, f"after move {puzzle.write_move(move)}, `chosen` must also give its option, {option}")


def _check_candidates(puzzle: CheckedPuzzle, view: Candidates, state: State, legal: list[int]) -> None:
    """Check that the candidates are the legal moves, and that `written` undoes `digits`."""
    candidates = puzzle.of_state("`candidates`", view.candidates, state)
    must(np.flatnonzero(candidates).tolist() == legal, "`candidates` and `legal` disagree")
    written = view.written(puzzle.of_state("`digits`", view.digits, state)[None])
    must(np.array_equal(written, state[None]), "`written` does not undo `digits`")
    with calling("`write_cell`"):
        texts = {view.write_cell(cell) for cell in range(len(candidates))}
    must(len(texts) == len(candidates), "`write_cell` writes two cells alike")


def _check_planes(puzzle: CheckedPuzzle, view: Planes, state: State, legal: list[int]) -> None:
    """Check that planes have their size and are finite, and that a state has the same ones in a batch."""
    states = np.stack([state, *(puzzle.apply(state, move) for move in legal[:1])])
    with calling("`planes`"):
        planes, alone = view.planes(states), view.planes(state[None])
    must_be_array(planes, "`planes`", np.float32, (len(states), view.input_size))
    must(bool(np.isfinite(planes).all()), "`planes` must give finite numbers")
    must(np.array_equal(planes[:1], alone), "`planes` gives other numbers for the board alone than in a batch")
    cells = 1 if view.grid is None else math.prod(view.grid)
    words = f"{view.input_size} numbers are not the same number for each of {cells} cells of `grid`"
    must(view.input_size % cells == 0, f"`planes`: {words}")
    _check_images(puzzle, view, state, legal)


def _check_images(puzzle: CheckedPuzzle, view: Planes, state: State, legal: list[int]) -> None:
    """Check the images of a state by its symmetries, and in an isomorphic puzzle."""
    children = {move: puzzle.apply(state, move) for move in {*legal[:1], *legal[-1:]}}
    with calling("`symmetries`"):
        symmetries = view.symmetries(state[None])
        afters = {move: view.symmetries(child[None]) for move, child in children.items()}
    must(len(symmetries) > 0, "`symmetries` must give at least the board itself")
    images = [
        ("a symmetry", puzzle, states[0], moves, {move: after[number][0][0] for move, after in afters.items()})
        for number, (states, moves) in enumerate(symmetries)
    ]
    if (other := view.isomorphism) is not None:
        image = puzzle.of_state("`states_of`", lambda one: other.states_of(one[None]).copy(), state)[0]
        after = {move: other.states_of(puzzle.apply(state, move)[None])[0] for move in legal}
        images.append(("the map to an isomorphic puzzle", CheckedPuzzle(other.puzzle), image, other.moves, after))
    for kind, its_puzzle, image, moves, after in images:
        # Of several equivalent moves `legal` names one, and an image may name another
        mask, equivalent = its_puzzle.legal(image), equivalence(its_puzzle)
        named = moves[legal] if equivalent is None else equivalent(image[None])[0, moves[legal]]
        kept = (named >= 0).all() and mask[named].all() and np.count_nonzero(mask) == len(legal)
        must(bool(kept), f"{kind} does not keep which moves are legal")
        must(its_puzzle.solved(image) == puzzle.solved(state), f"{kind} does not keep whether it is solved")
        for move, child in after.items():
            same = np.array_equal(its_puzzle.apply(image, int(moves[move])), child)
            must(same, f"{kind} does not map the board after move {puzzle.write_move(move)} to that after its image")


def _check_rewards(puzzle: CheckedPuzzle, view: Rewards, state: State, legal: list[int]) -> None:
    """Check that every reward scheme gives a finite number for each transition."""
    after = np.stack([puzzle.apply(state, move) for move in legal[:2]]) if legal else state[None]
    before = np.repeat(state[None], len(after), axis=0)
    for name in view.rewards:
        with calling(f"the reward '{name}'"):
            rewards = view.reward(name, before.copy(), after.copy())
        must_be_array(rewards, f"the reward '{name}'", np.float64, (len(after),))
        must(bool(np.isfinite(rewards).all()), f"the reward '{name}' must give finite numbers")


def _check_drawings(puzzle: CheckedPuzzle, view: Drawings, state: State, legal: list[int]) -> None:
    """Check that the drawing of a board is XML."""
    picture = puzzle.of_state("`svg`", view.svg, state)
    with calling("reading the drawing of `svg` as XML"):
        ElementTree.fromstring(picture)


CHECKS: Mapping[type, Callable[[CheckedPuzzle, Any, State, list[int]], None]] = {
    Legality: _check_legality,
    Steps: _check_steps,
    Cover: _check_cover,
    Candidates: _check_candidates,
    Planes: _check_planes,
    Rewards: _check_rewards,
    Drawings: _check_drawings,
}
"""The check of each view that tells something about one state whose legal moves are given, in the order in which most
puzzles have them.
"""

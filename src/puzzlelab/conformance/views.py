"""Conformance checks of the views of a puzzle at one state; `conformance_rules` has those that every puzzle passes.

Shapes: B = states in a batch, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import CheckedPuzzle, calling, kind_of, must, must_be_array
from puzzlelab.core.puzzle import Drawings, State
from puzzlelab.core.views import (
    Candidates,
    Cover,
    Isomorphism,
    Legality,
    Planes,
    Rewards,
    Steps,
    equivalence,
)

MOST_EQUIVALENT = 8
"""Moves of a state that are compared with the equivalent ones that `legal` names."""

MOST_SINGLE = 100
"""Legal moves, and about as many others, that are tested one by one at a state."""
MOST_STEP = 1 << 40
"""The greatest cost or number of points of a move, of which a search adds up many in 64 bits."""


def check_views(puzzle: CheckedPuzzle, state: State, legal: list[int]) -> None:
    """Check the views that tell something about one state, whose legal moves are `legal`."""
    if (planes := puzzle.view(Planes)) is not None:
        if planes.isomorphism is not None:
            _check_isomorphism(puzzle, planes.isomorphism, state)
        _check_planes(puzzle, planes, state, legal)
        _check_symmetries(puzzle, planes, state, legal)
    if (legality := puzzle.view(Legality)) is not None:
        if legality.canonical_moves is None:
            _check_single_moves(puzzle, legality, state, legal)
        else:
            _check_equivalent_moves(puzzle, legality, legality.canonical_moves, state, legal)
    if (cover := puzzle.view(Cover)) is not None:
        _check_cover(puzzle, cover, state, legal)
    if (candidates := puzzle.view(Candidates)) is not None:
        _check_candidates(puzzle, candidates, state)
    if (rewards := puzzle.view(Rewards)) is not None:
        _check_rewards(puzzle, rewards, state, legal)
    _check_steps(puzzle, state, legal)
    if (drawing := puzzle.view(Drawings)) is not None:
        picture = puzzle.of_state("`svg`", drawing.svg, state)
        with calling(f"{puzzle.at(state)}: reading the drawing of `svg` as XML"):
            ElementTree.fromstring(picture)


def _check_isomorphism(puzzle: CheckedPuzzle, view: Isomorphism, state: State) -> None:
    """Check that the image has the images of the legal moves, that these lead to the images of the children, and that
    it is solved if the state is.
    """
    where, other, moves = puzzle.at(state), CheckedPuzzle(view.puzzle), view.moves
    image = puzzle.of_state("`states_of`", lambda one: view.states_of(one[None]).copy(), state)[0]
    legal = puzzle.legal(state)
    must(np.array_equal(other.legal(image)[moves], legal), f"{where}: its image has other legal moves")
    must(other.solved(image) == puzzle.solved(state), f"{where}: only one of the board and its image is solved")
    for move in np.flatnonzero(legal).tolist():
        after = view.states_of(puzzle.apply(state, move)[None])[0]
        same = np.array_equal(other.apply(image, int(moves[move])), after)
        must(same, f"{where}: move {puzzle.named(move)} does not lead to the image of its board")


def _check_planes(puzzle: CheckedPuzzle, view: Planes, state: State, legal: list[int]) -> None:
    """Check that planes have their size and are finite, and that a state has the same ones in a batch."""
    where, size = f"{puzzle.at(state)}: `planes`", view.input_size
    states = np.stack([state, *(puzzle.apply(state, move) for move in legal[:1])])
    with calling(where):
        planes, alone = view.planes(states), view.planes(state[None])
    must_be_array(planes, where, np.float32, (len(states), size))
    must(bool(np.isfinite(planes).all()), f"{where} must give finite numbers")
    must(np.array_equal(planes[:1], alone), f"{where} gives other numbers for the board alone than in a batch")
    if view.grid is not None:
        cells = math.prod(view.grid)
        must(size % cells == 0, f"{where}: {size} numbers are not the same number for each of {cells} cells of `grid`")


def _check_symmetries(puzzle: CheckedPuzzle, view: Planes, state: State, legal: list[int]) -> None:
    """Check that in every symmetric image the same moves are legal, and lead to the image of the child.

    Of several equivalent moves `legal` names one, and an image may name another.
    """
    where, equivalent = puzzle.at(state), equivalence(puzzle)
    children = {move: puzzle.apply(state, move) for move in {*legal[:1], *legal[-1:]}}
    with calling(f"{where}: `symmetries`"):
        symmetries = view.symmetries(state[None])
        images = {move: view.symmetries(child[None]) for move, child in children.items()}
    must(len(symmetries) > 0, f"{where}: `symmetries` must give at least the board itself")
    for number, (states, moves) in enumerate(symmetries):
        image = states[0]
        with calling(f"{where}: a board of `symmetries`"):
            mask = puzzle.legal(image)
            named = moves[legal] if equivalent is None else equivalent(image[None])[0, moves[legal]]
            kept = bool((named >= 0).all() and mask[named].all()) and np.count_nonzero(mask) == len(legal)
        must(kept, f"{where}: a symmetry does not keep which moves are legal")
        must(puzzle.solved(image) == puzzle.solved(state), f"{where}: a symmetry does not keep whether it is solved")
        for move in children:
            same = np.array_equal(puzzle.apply(image, int(moves[move])), images[move][number][0][0])
            must(same, f"{where}: a symmetry of the board is none of the board after move {puzzle.named(move)}")


def _check_equivalent_moves(
    puzzle: CheckedPuzzle,
    view: Legality,
    canonical_of: Callable[[State], NDArray[np.int64]],
    state: State,
    legal: list[int],
) -> None:
    """Check that legal moves stand for themselves, and that another move is illegal, or has the effect of its legal
    one.
    """
    call = "`canonical_moves`"
    canonical = puzzle.of_state(call, lambda one: canonical_of(one[None]).copy(), state)
    where = puzzle.at(state, call)
    must_be_array(canonical, where, np.int64, (1, puzzle.move_count))
    names = canonical[0]
    same = np.array_equal(names[legal], legal)
    must(same, f"{where} must map each move that is `legal` to itself")
    must(set(names.tolist()) <= {-1, *legal}, f"{where} must give moves that are `legal`, or -1")
    others = np.setdiff1d(np.flatnonzero(names >= 0), legal)[:MOST_EQUIVALENT]
    for move in [*others.tolist(), *np.flatnonzero(names < 0)[:MOST_EQUIVALENT].tolist()]:
        name = puzzle.named(move)
        agree = puzzle.of_state("`is_legal`", view.is_legal, state, move, move=move) == (names[move] >= 0)
        must(agree, f"{where} and `is_legal` disagree on move {name}")
        if names[move] >= 0:
            same = np.array_equal(puzzle.apply(state, move), puzzle.apply(state, int(names[move])))
            must(same, f"{where} maps move {name} to {puzzle.named(int(names[move]))}, which has another effect")


def _check_single_moves(puzzle: CheckedPuzzle, view: Legality, state: State, legal: list[int]) -> None:
    """Check that single moves are legal if and only if `legal` names them."""
    others = np.setdiff1d(np.arange(puzzle.move_count), legal)
    for move in [*legal[:MOST_SINGLE], *others[:: max(1, len(others) // MOST_SINGLE)].tolist()]:
        agree = puzzle.of_state("`is_legal`", view.is_legal, state, move, move=move) == (move in legal)
        must(agree, f"{puzzle.at(state)}: `is_legal` and `legal` disagree on move {puzzle.named(move)}")


def _check_cover(puzzle: CheckedPuzzle, view: Cover, state: State, legal: list[int]) -> None:
    """Check that chosen options are options, and that a board without objection is solved when they cover all primary
    items.
    """
    where = puzzle.at(state)
    with calling(f"{where}: `cover`"):
        cover = view.cover()
        must(cover is view.cover(), f"{puzzle.name}: `cover` must give the same object at each call")
    chosen = puzzle.of_state("`chosen`", view.chosen, state)
    fits = isinstance(chosen, np.ndarray) and chosen.ndim == 1 and chosen.dtype.kind in "iu"
    must(fits, f"{where}: `chosen` must give int64[K], not {kind_of(chosen)}")
    options = chosen.tolist()
    known = len(set(options)) == len(options) and all(0 <= option < cover.options for option in options)
    must(known, f"{where}: `chosen` must give numbers of options, 0 to {cover.options - 1}, each once")
    if puzzle.objection(state) is None:
        items = [item for option in options for item in cover.option(option).tolist()]
        must(len(set(items)) == len(items), f"{where}: two of the options that `chosen` gives cover the same item")
        covered = set(range(cover.primary)) <= set(items)
        words = "covers every primary item" if covered else "leaves a primary item uncovered"
        must(puzzle.solved(state) == covered, f"{where}: `chosen` {words}, and `solved` is {puzzle.solved(state)}")
    for move in legal[:1]:
        if (option := cover.option_of.get(move)) is not None:
            after = view.chosen(puzzle.apply(state, move)).tolist()
            same = set(after) == {*options, option}
            must(same, f"{where}: after move {puzzle.named(move)}, `chosen` must also give its option, {option}")


def _check_candidates(puzzle: CheckedPuzzle, view: Candidates, state: State) -> None:
    """Check that the candidates are the legal moves, and that `written` undoes `digits`."""
    where = puzzle.at(state)
    candidates = puzzle.of_state("`candidates`", view.candidates, state)
    must(np.array_equal(candidates.reshape(-1), puzzle.legal(state)), f"{where}: `candidates` and `legal` disagree")
    written = view.written(puzzle.of_state("`digits`", view.digits, state)[None])
    must(np.array_equal(written, state[None]), f"{where}: `written` does not undo `digits`")
    with calling(f"{puzzle.name}: `write_cell`"):
        texts = {view.write_cell(cell) for cell in range(len(candidates))}
    must(len(texts) == len(candidates), f"{puzzle.name}: `write_cell` writes two cells alike")


def _check_steps(puzzle: CheckedPuzzle, state: State, legal: list[int]) -> None:
    """Check that a move has a cost of at least 0, or points, where the puzzle has those, and the same at a second
    call.
    """
    steps = puzzle.view(Steps)
    if steps is None:
        return
    call, function, least = "`cost`", steps.cost, 0
    if steps.points is not None:
        call, function, least = "`points`", steps.points, -MOST_STEP
    assert function is not None
    for move in {*legal[:2], *legal[-1:]}:
        after, where = puzzle.apply(state, move), puzzle.at(state, call, move)
        step, again = (puzzle.of_state(call, function, state, move, after, move=move) for _ in range(2))
        is_int = isinstance(step, int | np.integer) and step >= least
        expected = "an int of at least 0" if least == 0 else "an int"
        must(is_int, f"{where} must give {expected}, not {step}")
        must(step <= MOST_STEP, f"{where} must give an int of at most {MOST_STEP:,}, not {step}")
        must(step == again, f"{where} gives {step}, and {again} the second time")


def _check_rewards(puzzle: CheckedPuzzle, view: Rewards, state: State, legal: list[int]) -> None:
    """Check that every reward scheme gives a finite number for each transition."""
    after = np.stack([puzzle.apply(state, move) for move in legal[:2]]) if legal else state[None]
    before = np.repeat(state[None], len(after), axis=0)
    for name in view.rewards:
        where = f"{puzzle.at(state)}: the reward '{name}'"
        with calling(where):
            rewards = view.reward(name, before.copy(), after.copy())
        must_be_array(rewards, where, np.float64, (len(after),))
        must(bool(np.isfinite(rewards).all()), f"{where} must give finite numbers")

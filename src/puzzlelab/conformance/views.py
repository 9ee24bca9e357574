"""Conformance checks of the views of a board, and of what commands show of a puzzle: notation, examples, solvers, name.

Shapes: B = states in a batch, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np

from puzzlelab.conformance.calls import CheckedPuzzle, must, must_be
from puzzlelab.conformance.estimates import KnownSolutions
from puzzlelab.conformance.rules import check_identity
from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.puzzle import Drawings, Example, Notation, Presentation, State, board_after
from puzzlelab.core.solver import require
from puzzlelab.core.views import Candidates, Cover, Legality, Planes, Rewards, Steps, equivalence

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
    names, expected = np.full(puzzle.move_count, -1), "`legal`"
    names[legal] = legal
    if view.canonical_moves is not None:
        expected = "`canonical_moves`"
        names = puzzle.call(expected, view.canonical_moves, state[None], gives=f"int64[1, {puzzle.move_count}]")[0]
        must(np.array_equal(names[legal], legal), "`canonical_moves` must map each move that is `legal` to itself")
        must(set(names.tolist()) <= {-1, *legal}, "`canonical_moves` must give moves that are `legal`, or -1")
    others = np.setdiff1d(np.arange(puzzle.move_count), legal)
    for move in [*legal[:MOST_SINGLE], *others[:: max(1, len(others) // MOST_SINGLE)].tolist()]:
        name, stands_for = puzzle.write_move(move), int(names[move])
        agree = puzzle.call("`is_legal`", view.is_legal, state, move) == (stands_for >= 0)
        must(agree, f"`is_legal` and {expected} disagree on move {name}")
        if stands_for not in (-1, move):
            same = np.array_equal(puzzle.apply(state, move), puzzle.apply(state, stands_for))
            other = puzzle.write_move(stands_for)
            must(same, f"`canonical_moves` maps move {name} to {other}, which has another effect")


def _check_steps(puzzle: CheckedPuzzle, view: Steps, state: State, legal: list[int]) -> None:
    """Check that a move has a cost of at least 0, or points, and the same at a second call."""
    name, function, least = ("`cost`", view.cost, 0) if view.points is None else ("`points`", view.points, -MOST_STEP)
    assert function is not None
    for move in {*legal[:2], *legal[-1:]}:
        after = puzzle.apply(state, move)
        step, again = (puzzle.call(name, function, state, move, after) for _ in range(2))
        is_int = isinstance(step, int | np.integer) and least <= step <= MOST_STEP
        call = f"{name} of move {puzzle.write_move(move)}"
        must(is_int, f"{call} must give an int from {least:,} to {MOST_STEP:,}, not {step}")
        must(step == again, f"{call} gives {step}, and {again} the second time")


def _check_cover(puzzle: CheckedPuzzle, view: Cover, state: State, legal: list[int]) -> None:
    """Check that chosen options are options, and that a board without objection is solved when they cover all primary
    items.
    """
    cover, again = (puzzle.call("`cover`", view.cover) for _ in range(2))
    must(cover is again, "`cover` must give the same object at each call")
    options = puzzle.call("`chosen`", view.chosen, state, gives="int[K]").tolist()
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
    candidates = puzzle.call("`candidates`", view.candidates, state)
    must(np.flatnonzero(candidates).tolist() == legal, "`candidates` and `legal` disagree")
    written = view.written(puzzle.call("`digits`", view.digits, state)[None])
    must(np.array_equal(written, state[None]), "`written` does not undo `digits`")
    texts = {view.write_cell(cell) for cell in range(len(candidates))}
    must(len(texts) == len(candidates), "`write_cell` writes two cells alike")


def _check_planes(puzzle: CheckedPuzzle, view: Planes, state: State, legal: list[int]) -> None:
    """Check that planes have their size and are finite, and that a state has the same ones in a batch."""
    states = np.stack([state, *(puzzle.apply(state, move) for move in legal[:1])])
    planes, alone = (
        puzzle.call("`planes`", view.planes, batch, gives=f"float32[{len(batch)}, {view.input_size}]")
        for batch in (states, state[None])
    )
    must(bool(np.isfinite(planes).all()), "`planes` must give finite numbers")
    must(np.array_equal(planes[:1], alone), "`planes` gives other numbers for the board alone than in a batch")
    cells = 1 if view.grid is None else math.prod(view.grid)
    words = f"{view.input_size} numbers are not the same number for each of {cells} cells of `grid`"
    must(view.input_size % cells == 0, f"`planes`: {words}")
    _check_images(puzzle, view, state, legal)


def _check_images(puzzle: CheckedPuzzle, view: Planes, state: State, legal: list[int]) -> None:
    """Check the images of a state by its symmetries, and in an isomorphic puzzle."""
    children = {move: puzzle.apply(state, move) for move in legal}
    symmetries = puzzle.call("`symmetries`", view.symmetries, state[None])
    must(len(symmetries) > 0, "`symmetries` must give at least the board itself")
    afters = {move: view.symmetries(children[move][None]) for move in {*legal[:1], *legal[-1:]}}
    images = [
        ("a symmetry", puzzle, states[0], moves, {move: after[number][0][0] for move, after in afters.items()})
        for number, (states, moves) in enumerate(symmetries)
    ]
    if (other := view.isomorphism) is not None:
        image = puzzle.call("`states_of`", other.states_of, state[None])[0]
        after = {move: other.states_of(child[None])[0] for move, child in children.items()}
        images.append(("the map to an isomorphic puzzle", check_identity(other.puzzle), image, other.moves, after))
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
    after = np.stack([puzzle.apply(state, move) for move in legal[:2]] or [state])
    before = np.repeat(state[None], len(after), axis=0)
    for name in view.rewards:
        scheme = f"the reward '{name}'"
        rewards = puzzle.call(scheme, partial(view.reward, name), before, after, gives=f"float64[{len(after)}]")
        must(bool(np.isfinite(rewards).all()), f"{scheme} must give finite numbers")


def _check_drawings(puzzle: CheckedPuzzle, view: Drawings, state: State, legal: list[int]) -> None:
    """Check that the drawing of a board is XML."""
    with puzzle.at(state, call="reading the drawing of `svg` as XML"):
        ElementTree.fromstring(puzzle.call("`svg`", view.svg, state))


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


# --- the puzzle as it is shown ---


def check_notation_view(puzzle: CheckedPuzzle, state: State, solutions: KnownSolutions) -> None:
    """Check that the view `Notation` reads and writes what `read` and `write` do, one board and many."""
    notation = puzzle.view(Notation)
    if notation is None:
        return
    text = puzzle.write(state)
    with puzzle.at(state):
        again = puzzle.call("`Notation.read`", notation.read, text)
        must(np.array_equal(again, state), "`Notation.read` reads another board in what `write` writes")
        lines = np.frombuffer(text.encode("ascii", "replace"), np.uint8)[None]
        if notation.write_lines is not None:
            lines = puzzle.call("`write_lines`", notation.write_lines, state[None], gives=f"uint8[1, {len(text)}]")
            must(lines.tobytes() == text.encode(), f"`write_lines` writes {lines.tobytes()!r}, and `write` {text!r}")
        if notation.read_lines is not None:
            states, is_board = notation.read_lines(lines)
            must_be(is_board, "bool[1]", "what `read_lines` says of lines must be")
            must_be(states, f"{state.dtype}[1, {len(state)}]", "`read_lines` must give")
            same = not is_board[0] or np.array_equal(states[0], puzzle.read(text).state)
            must(same, "`read_lines` reads another board than `read`")
        if notation.settling is not None:
            board = puzzle.call("`read` of the puzzle of `Notation.settling`", notation.settling[0].read, text)
            must(np.array_equal(board.state, state), "the puzzle of `Notation.settling` reads another board")
    for row in list(solutions.rows(1))[-1:]:
        board, moves = solutions.states[row], solutions.moves[row]
        pair = board[None], board_after(puzzle, board, moves)[None]
        for name, write in notation.with_solutions.items():
            written = puzzle.call(f"the notation '{name}'", write, *pair, gives=str)
            must(written.endswith("\n"), f"the notation '{name}' must end the text of each board with a line end")


def check_presentation(puzzle: CheckedPuzzle, state: State) -> None:
    """Check that what the view `Presentation` names exists, and that its functions work at a state."""
    shown = puzzle.view(Presentation)
    if shown is None:
        return
    for name, example in shown.examples.items():
        what = f"{puzzle.name}: the example '{name}'"
        must_be(example, Example, f"{what} must be")
        call = f"`read` for the example '{name}'"
        named, written = (puzzle.call(call, puzzle.puzzle.read, text, gives=Instance) for text in (name, example.board))
        words = f"{puzzle.write(named.state)} by its name, and {puzzle.write(written.state)} by its board"
        must(named == written, f"{what} is {words}")
    for solver in shown.provers:
        puzzle.call("`Presentation.provers`", lambda chosen=solver: registry.make_solver(*chosen))
    if shown.usual_solver is not None:
        with puzzle.at(call="`Presentation.usual_solver`"):
            require(registry.make_solver(*shown.usual_solver), puzzle.puzzle)
    warnings = puzzle.call("`Presentation.warnings`", shown.warnings, state[None])
    fits = all(isinstance(sentence, str) for sentences in warnings.values() for sentence in sentences)
    words = f"must give sentences for the place 0 of one board, not {warnings}"
    must(fits and set(warnings) <= {0}, f"{puzzle.name}: `Presentation.warnings` {words}")


def check_name(puzzle: CheckedPuzzle) -> None:
    """Check that the registry, if it knows the family of this name, makes an equal puzzle each time, with an equal
    hash.
    """
    if puzzle.name.partition("-")[0] not in registry.families():
        return
    for _ in range(2):
        again = puzzle.call("loading its name, whose family is known,", lambda: registry.load(puzzle.name))
        must(again == puzzle.puzzle, f"the name '{puzzle.name}' loads a puzzle that is not equal to this one")
        must(hash(again) == hash(puzzle.puzzle), f"{puzzle.name}: equal puzzles must have equal hashes")

"""Conformance checks of a puzzle's rules: notation, moves and goals, and that compiled rules equal the plain ones.

Shapes: S = length of a state, M = number of moves, G = number of goals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from puzzlelab.conformance.calls import CheckedPuzzle, calling, kind_of, must
from puzzlelab.conformance.views import check_views
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, ConformanceError
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import KernelRules, Reversible, is_legal
from puzzlelab.engine import kernels
from puzzlelab.engine.search_rules import rules_of, runner

NOISE = ("", "?", "x" * 50, "-1", "9" * 30, "\0", "1 2 3 \n 4", "[[[", "½ ¾", "a b c d")
"""Texts that `read` and `read_move` must either parse or reject with `BadBoard`."""
MOST_GOALS = 200
"""Goals that are checked one by one."""


def check_identity(puzzle: CheckedPuzzle) -> None:
    """Check that the name and the number of moves have their types, and that the puzzle can be hashed."""
    with calling("`name` or `move_count`"):
        name, count = puzzle.name, puzzle.move_count
    must(isinstance(name, str) and bool(name), f"`name` must be a text, not {kind_of(name)}")
    fits = isinstance(count, int) and count > 0
    must(fits, f"{puzzle.name}: `move_count` must be an int of at least 1, not {kind_of(count)}")
    with calling(f"{puzzle.name}: `hash`"):
        hash(puzzle.puzzle)


def check_texts(puzzle: CheckedPuzzle, like: State) -> None:
    """Check that the notation of every move is read back; of other texts, some may be boards, and none breaks `read`.

    `like: [S]` is a state of the puzzle.
    """
    count = puzzle.move_count
    for move in range(count):
        text = puzzle.write_move(move)
        try:
            again = puzzle.read_move(text)
        except BadBoard as error:
            raise ConformanceError(
                f"{puzzle.name}: move {move} is written '{text}' and not read back: {error}"
            ) from error
        must(again == move, f"{puzzle.name}: move {move} is written '{text}' and not read back, but as move {again}")
    for text in NOISE:
        try:
            move = puzzle.read_move(text)
        except BadBoard:
            continue
        must(0 <= move < count, f"{puzzle.name}: `read_move` of the text '{text}' gives {move}, which is no move")
    for text in NOISE:
        try:
            state = puzzle.read(text).state
        except BadBoard:
            continue
        call = f"{puzzle.name}: `read` of the text '{text}'"
        must(state.shape == like.shape, f"{call} gives {kind_of(state)}, and other boards are {kind_of(like)}")
        check_notation(puzzle, state)
        puzzle.legal(state)


def check_goals(puzzle: CheckedPuzzle, like: State) -> State | None:
    """Return the goals `[G, S]` of a puzzle with the view `Reversible`, checked; None for other puzzles.

    `like: [S]` is a state of the puzzle.
    """
    view = puzzle.view(Reversible)
    if view is None:
        return None
    with calling(f"{puzzle.name}: `goals`"):
        goals = view.goals()
    fits = isinstance(goals, np.ndarray) and goals.ndim == 2 and goals.shape[1:] == like.shape and len(goals) > 0
    expected = f"one row of {like.size} numbers for each goal, {like.dtype}[G, {like.size}]"
    must(fits and goals.dtype == like.dtype, f"{puzzle.name}: `goals` must give {expected}, not {kind_of(goals)}")
    for goal in goals[:MOST_GOALS]:
        _check_solved_twice(puzzle, goal)
        must(puzzle.solved(goal), f"{puzzle.at(goal)}: `goals` gives this board, and `solved` is False for it")
        check_notation(puzzle, goal)
    return goals


def check_state(puzzle: CheckedPuzzle, state: State) -> None:
    """Check notation, drawing, moves and views of one state."""
    check_notation(puzzle, state)
    puzzle.draw(state)
    legal = _check_twice(puzzle, state)
    for move in {*legal[:1], *legal[-1:]}:
        puzzle.draw(state, move)
    objection = puzzle.objection(state)
    if puzzle.solved(state):
        must(objection is None, f"{puzzle.at(state)}: the board is solved, and `objection` says '{objection}'")
    children = []
    for move in legal:
        child = puzzle.apply(state, move)
        children.append((move, child, child.copy()))
    for move, child, copy in children:
        if not np.array_equal(child, copy):
            raise ConformanceError(f"{puzzle.at(state, '`apply`', move)} gives an array that a later call changes")
        _check_inverse(puzzle, state, move, child)
    check_views(puzzle, state, legal)
    if puzzle.view(KernelRules) is not None:
        _check_kernels(puzzle, state)


def _check_twice(puzzle: CheckedPuzzle, state: State) -> list[int]:
    """Return the legal moves; a second call of `legal`, `apply` and `solved` gives what the first one gives."""
    legal, again = (np.flatnonzero(puzzle.legal(state)).tolist() for _ in range(2))
    if legal != again:
        first, second = (" ".join(map(puzzle.named, moves)) or "no move" for moves in (legal, again))
        raise ConformanceError(f"{puzzle.at(state)}: `legal` gives {first}, and {second} the second time")
    _check_solved_twice(puzzle, state)
    for move in legal:
        after, repeated = puzzle.apply(state, move).copy(), puzzle.apply(state, move)
        if not np.array_equal(after, repeated):
            texts = f"{after.tolist()}, and {repeated.tolist()} the second time"
            raise ConformanceError(f"{puzzle.at(state, '`apply`', move)} gives {texts}")
    return legal


def _check_solved_twice(puzzle: CheckedPuzzle, state: State) -> None:
    first, second = puzzle.solved(state), puzzle.solved(state)
    must(first == second, f"{puzzle.at(state)}: `solved` gives {first}, and {second} the second time")


def check_notation(puzzle: CheckedPuzzle, state: State) -> None:
    """Check that the canonical notation is one line, and is read as the same state."""
    text = puzzle.write(state)
    where = puzzle.at(state)
    one_line = len(text.splitlines()) == 1 and text == text.rstrip("\r\n")
    must(one_line, f"{where}: the canonical notation must be one line")
    try:
        again = puzzle.read(text).state
    except BadBoard as error:
        raise ConformanceError(f"{where}: the board is not read as it was written: {error}") from error
    must(np.array_equal(again, state), f"{where}: the board is not read as it was written, but as {again.tolist()}")
    same = again.dtype == state.dtype
    must(same, f"{where}: the board is not read as it was written: {kind_of(again)} in the place of {kind_of(state)}")


def _check_inverse(puzzle: CheckedPuzzle, state: State, move: int, child: State) -> None:
    """Check that the inverse of a move is legal after it, and leads back."""
    view = puzzle.view(Reversible)
    if view is None:
        return
    where = f"{puzzle.at(state)}: move {puzzle.named(move)}"
    with calling(f"{where}: `inverse`"):
        back = view.inverse(move)
    is_move = isinstance(back, int) and 0 <= back < puzzle.move_count
    must(is_move, f"{where}: `inverse` must give a move, not {kind_of(back)}")
    undone = is_legal(puzzle, child, back) and np.array_equal(puzzle.apply(child, back), state)
    must(undone, f"{where} is not undone by its inverse {puzzle.named(back)}")


# --- compiled rules ---


def _check_kernels(puzzle: CheckedPuzzle, state: State) -> None:
    """Check that the compiled rules give what the plain rules give, and that both conversions of states can be
    undone.
    """
    where, rules = puzzle.at(state), rules_of(Instance(puzzle, state))
    with calling(f"{where}: `encode` or `decode` of the compiled rules"):
        working = rules.encode(state[None])[0].astype(rules.dtype)
        decoded = rules.decode(working[None])[0]
    must(np.array_equal(decoded, state), f"{where}: decode does not undo encode")
    same = decoded.dtype == state.dtype
    must(same, f"{where}: decode does not undo encode: {kind_of(decoded)} in the place of {kind_of(state)}")
    moves = np.zeros(puzzle.move_count, np.int32)
    children = np.zeros((puzzle.move_count, rules.size), rules.dtype)
    again = np.zeros(rules.size, rules.dtype)
    words = np.zeros(rules.words, np.uint64)
    with calling(f"{where}: a kernel of the rules"):
        survey: Callable[..., Any] = runner(kernels.survey, rules)
        count, done = survey(rules.tables, working, moves, children, words, again)
    must(bool(done) == puzzle.solved(state), f"{where}: kernels and rules disagree on whether it is solved")
    must(np.array_equal(again, working), f"{where}: unpack does not undo pack")
    expected = np.flatnonzero(puzzle.legal(state)).tolist()
    must(sorted(moves[:count].tolist()) == expected, f"{where}: kernels and rules disagree on the legal moves")
    for i, move in enumerate(moves[:count].tolist()):
        after, child = puzzle.apply(state, move), rules.decode(children[i][None])[0]
        must(np.array_equal(child, after), f"{where}: kernels and rules disagree on move {puzzle.named(move)}")
        back = int(kernels.inverse(rules.tables, move))
        undone = back < 0 or (is_legal(puzzle, after, back) and np.array_equal(puzzle.apply(after, back), state))
        must(undone, f"{where}: move {puzzle.named(move)} is not undone by its inverse in the kernels, move {back}")

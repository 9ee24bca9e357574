"""Conformance checks of a puzzle's rules: notation, moves and goals; compiled rules and batch rules equal plain ones.

Shapes: B = states in a batch, S = length of a state, M = number of moves, G = number of goals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import CheckedPuzzle, called, calling, kind_of, must, must_be_array
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, ConformanceError
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import BatchRules, KernelRules, Reversible, is_legal
from puzzlelab.engine import kernels
from puzzlelab.engine.search_rules import rules_of, runner

NOISE = ("", "?", "x" * 50, "-1", "9" * 30, "\0", "1 2 3 \n 4", "[[[", "½ ¾", "a b c d")
"""Texts that `read` and `read_move` must either parse or reject with `BadBoard`."""
MOST_GOALS, MOST_STATES = 200, 2_000
"""Goals that are checked one by one, and states at which batch rules are compared with the plain ones."""


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
    for move in range(puzzle.move_count):
        text = puzzle.write_move(move)
        unread = f"{puzzle.name}: move {move} is written '{text}' and not read back"
        try:
            again = puzzle.read_move(text)
        except BadBoard as error:
            raise ConformanceError(f"{unread}: {error}") from error
        must(again == move, f"{unread}, but as move {again}")
    for text in NOISE:
        with suppress(BadBoard):
            move = puzzle.read_move(text)
            call = f"{puzzle.name}: `read_move` of the text '{text}'"
            must(0 <= move < puzzle.move_count, f"{call} gives {move}, which is no move")
        with suppress(BadBoard):
            state = puzzle.read(text).state
            call = f"{puzzle.name}: `read` of the text '{text}'"
            must(state.shape == like.shape, f"{call} gives {kind_of(state)}, and other boards are {kind_of(like)}")
            check_notation(puzzle, state)
            puzzle.legal(state)


def check_notation(puzzle: CheckedPuzzle, state: State) -> None:
    """Check that the canonical notation is one line, and is read as the same state."""
    text = puzzle.write(state)
    with puzzle.at(state):
        one_line = len(text.splitlines()) == 1 and text == text.rstrip("\r\n")
        must(one_line, "the canonical notation must be one line")
        try:
            again = puzzle.read(text).state
        except BadBoard as error:
            raise ConformanceError(f"the board is not read as it was written: {error}") from error
        _must_equal(again, state, "the board is not read as it was written")


def _must_equal(again: State, state: State, failure: str) -> None:
    """Raise `ConformanceError` unless a state came back with its numbers and its type."""
    must(np.array_equal(again, state), f"{failure}, but as {again.tolist()}")
    must(again.dtype == state.dtype, f"{failure}: {kind_of(again)} in the place of {kind_of(state)}")


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
        with puzzle.at(goal):
            must(_solved(puzzle, goal), "`goals` gives this board, and `solved` is False for it")
        check_notation(puzzle, goal)
    return goals


def check_state(puzzle: CheckedPuzzle, state: State) -> None:
    """Check the notation, the drawing, and every move of one state, by all rules that the puzzle has."""
    check_notation(puzzle, state)
    puzzle.draw(state)
    with puzzle.at(state):
        legal = _legal(puzzle, state)
        objection = puzzle.objection(state)
        must(
            not _solved(puzzle, state) or objection is None, f"the board is solved, and `objection` says '{objection}'"
        )
        _check_moves(puzzle, state, legal)
        if puzzle.view(KernelRules) is not None:
            _check_kernels(puzzle, state, legal)


def _legal(puzzle: CheckedPuzzle, state: State) -> list[int]:
    """Return the legal moves, which are the same at a second call."""
    legal, again = (np.flatnonzero(puzzle.legal(state)).tolist() for _ in range(2))
    if legal != again:
        first, second = (" ".join(map(puzzle.write_move, moves)) or "no move" for moves in (legal, again))
        must(False, f"`legal` gives {first}, and {second} the second time")
    return legal


def _solved(puzzle: CheckedPuzzle, state: State) -> bool:
    """Tell whether the state is solved, which is the same at a second call."""
    first, second = puzzle.solved(state), puzzle.solved(state)
    must(first == second, f"`solved` gives {first}, and {second} the second time")
    return first


def _check_moves(puzzle: CheckedPuzzle, state: State, legal: list[int]) -> None:
    """Check that a move can be drawn, gives the same at each call, and is undone by its inverse."""
    view = puzzle.view(Reversible)
    for move in {*legal[:1], *legal[-1:]}:
        puzzle.draw(state, move)
    made = [(move, child, child.copy()) for move in legal for child in [puzzle.apply(state, move)]]
    for move, child, first in made:
        call = f"`apply` of move {puzzle.write_move(move)} gives"
        must(np.array_equal(child, first), f"{call} an array that a later call changes")
        again = puzzle.apply(state, move)
        must(np.array_equal(again, first), f"{call} {first.tolist()}, and {again.tolist()} the second time")
        if view is not None:
            with calling(f"`inverse` of move {puzzle.write_move(move)}"):
                back = view.inverse(move)
            is_move = isinstance(back, int) and 0 <= back < puzzle.move_count
            must(is_move, f"`inverse` of move {puzzle.write_move(move)} must give a move, not {kind_of(back)}")
            words = f"move {puzzle.write_move(move)} is not undone by its inverse {puzzle.write_move(back)}"
            must(_is_undone(puzzle, state, first, back), words)


def _is_undone(puzzle: CheckedPuzzle, state: State, child: State, back: int) -> bool:
    return is_legal(puzzle, child, back) and np.array_equal(puzzle.apply(child, back), state)


# --- compiled rules ---


def _check_kernels(puzzle: CheckedPuzzle, state: State, legal: list[int]) -> None:
    """Check that the compiled rules give what the plain rules give, and that conversions of states can be undone."""
    rules = rules_of(Instance(puzzle, state))
    with calling("`encode` or `decode` of the compiled rules"):
        working = rules.encode(state[None])[0].astype(rules.dtype)
        decoded = rules.decode(working[None])[0]
    _must_equal(decoded, state, "decode does not undo encode")
    moves = np.zeros(puzzle.move_count, np.int32)
    children = np.zeros((puzzle.move_count, rules.size), rules.dtype)
    again, words = np.zeros(rules.size, rules.dtype), np.zeros(rules.words, np.uint64)
    with calling("a kernel of the rules"):
        survey: Callable[..., Any] = runner(kernels.survey, rules)
        count, done = survey(rules.tables, working, moves, children, words, again)
    must(bool(done) == puzzle.solved(state), "kernels and rules disagree on whether it is solved")
    must(np.array_equal(again, working), "unpack does not undo pack")
    must(sorted(moves[:count].tolist()) == legal, "kernels and rules disagree on the legal moves")
    for i, move in enumerate(moves[:count].tolist()):
        after, child = puzzle.apply(state, move), rules.decode(children[i][None])[0]
        must(np.array_equal(child, after), f"kernels and rules disagree on move {puzzle.write_move(move)}")
        back = int(kernels.inverse(rules.tables, move))
        undone = back < 0 or _is_undone(puzzle, state, after, back)
        must(undone, f"move {puzzle.write_move(move)} is not undone by its inverse in the kernels, move {back}")


# --- rules for batches ---


def check_batch_rules(puzzle: CheckedPuzzle, boards: Sequence[State]) -> None:
    """Compare the view `BatchRules` with the plain rules on these states, together and one alone."""
    rules = puzzle.view(BatchRules)
    if rules is None:
        return
    states = np.stack(boards[:MOST_STATES])
    plain = np.array([puzzle.legal(state) for state in states])
    done = np.array([puzzle.solved(state) for state in states])
    for first in (0, len(states) - 1):
        _compare(puzzle, "legal", rules.legal, states[first:], expected=plain[first:])
        _compare(puzzle, "solved", rules.solved, states[first:], expected=done[first:])
    owner, moves = np.nonzero(plain)
    if not owner.size:
        return
    before, pairs = states[owner], list(zip(states[owner], moves.tolist(), strict=True))
    after = np.array([puzzle.apply(state, move) for state, move in pairs])
    _compare(puzzle, "apply", rules.apply, before, moves, expected=after)
    _compare(puzzle, "solved", rules.solved, after, expected=np.array([puzzle.solved(state) for state in after]))
    objective = objective_of(puzzle)
    if objective.kind != "moves":
        is_there = rules.costs is not None
        must(is_there, f"{puzzle.name}: its moves have a {objective.kind}, and `costs` of its batch rules is missing")
        steps = np.array([objective.step(*pair, child) for pair, child in zip(pairs, after, strict=True)])
        steps *= -1 if objective.kind == "score" else 1
        _compare(puzzle, "costs", rules.costs, before, moves, after, expected=steps)


def _compare(puzzle: CheckedPuzzle, name: str, rule: Any, states: State, *rest: Any, expected: NDArray[Any]) -> None:
    """Raise `ConformanceError` at the first state for which a rule gives something else than the plain one."""
    call = f"{puzzle.name}: `{name}` of its batch rules"
    given = called(call, rule, states, *rest)
    must_be_array(given, f"{call}, for {len(states)} states,", expected.dtype, expected.shape)
    for row in np.flatnonzero((given != expected).reshape(len(states), -1).any(axis=1))[:1].tolist():
        move = f" of move {puzzle.write_move(int(rest[0][row]))}" if rest else ""
        batch, plain = given[row].tolist(), expected[row].tolist()
        with puzzle.at(states[row]):
            must(False, f"`{name}`{move} gives {batch} by the batch rules, and {plain} by the plain ones")

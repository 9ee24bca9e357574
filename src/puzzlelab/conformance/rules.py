"""Conformance checks of a puzzle's rules: notation, moves and goals; compiled rules and batch rules equal plain ones.

Shapes: B = states in a batch, S = length of a state, M = number of moves, G = number of goals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import CheckedPuzzle, kind_of, must, must_be
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import BatchRules, KernelRules, Reversible, is_legal
from puzzlelab.engine import kernels
from puzzlelab.engine.search_rules import rules_of, runner

NOISE = ("", "?", "x" * 50, "-1", "9" * 30, "\0", "1 2 3 \n 4", "[[[", "½ ¾", "a b c d")
"""Texts that `read` and `read_move` must either parse or reject with `BadBoard`."""
MOST_GOALS, MOST_STATES = 200, 2_000
"""Goals that are checked one by one, and states at which batch rules are compared with the plain ones."""


def check_identity(puzzle: Puzzle) -> CheckedPuzzle:
    """Return the puzzle for further checks: its name and its number of moves have their types, and it can be hashed."""
    with CheckedPuzzle(puzzle, "the puzzle", 0).at(call="`name` or `move_count`"):
        name, count = puzzle.name, puzzle.move_count
    must_be(name, str, "`name` must be")
    must_be(count, int, f"{name}: `move_count` must be")
    must(count > 0, f"{name}: `move_count` must be an int of at least 1, not {count}")
    checked = CheckedPuzzle(puzzle, name, count)
    checked.call("`hash`", hash, puzzle)
    return checked


def check_texts(puzzle: CheckedPuzzle, like: State) -> None:
    """Check that the notation of every move is read back; of other texts, some may be boards, and none breaks `read`.

    `like: [S]` is a state of the puzzle.
    """
    for move in range(puzzle.move_count):
        text = puzzle.write_move(move)
        again = puzzle.read_move(text)
        must(
            again == move, f"{puzzle.name}: `write_move` of {move} is '{text}', and `read_move` of '{text}' is {again}"
        )
    for text in NOISE:
        with suppress(BadBoard):
            move = puzzle.call("`read_move`", puzzle.puzzle.read_move, text, gives=int, passed=BadBoard)
            is_move = 0 <= move < puzzle.move_count
            must(is_move, f"{puzzle.name}: `read_move` of '{text}' gives {move}, which is no move")
        with suppress(BadBoard):
            board = puzzle.call("`read`", puzzle.puzzle.read, text, gives=Instance, passed=BadBoard)
            must_be(board.state, f"T[{len(like)}]", f"{puzzle.name}: the state that `read` gives for '{text}' must be")
            check_notation(puzzle, board.state)
            puzzle.legal(board.state)


def check_notation(puzzle: CheckedPuzzle, state: State) -> None:
    """Check that the canonical notation is one line, and is read as the same state."""
    text = puzzle.write(state)
    with puzzle.at(state):
        must(text.splitlines() == [text], "the canonical notation must be one line")
        board = puzzle.call("`read` of what `write` gives", lambda one: puzzle.puzzle.read(text), state, gives=Instance)
        must(board.puzzle == puzzle.puzzle, f"`read` of '{text}' gives a board of another puzzle")
        must_be_same(board.state, state, "the board is not read as it was written")


def must_be_same(again: State, state: State, failure: str) -> None:
    """Raise `ConformanceError` unless a state came back with its numbers and its type."""
    same = np.array_equal(again, state) and again.dtype == state.dtype
    must(same, f"{failure}, but as {again.tolist()}, {kind_of(again)} in the place of {kind_of(state)}")


def check_goals(puzzle: CheckedPuzzle, like: State) -> State | None:
    """Return the goals `[G, S]` of a puzzle with the view `Reversible`, checked; None for other puzzles.

    `like: [S]` is a state of the puzzle.
    """
    view = puzzle.view(Reversible)
    if view is None:
        return None
    goals = puzzle.call("`goals`", view.goals, gives=f"{like.dtype}[G, {len(like)}]")
    must(len(goals) > 0, f"{puzzle.name}: `goals` must give one row for each goal, and gives none")
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
        legal, again = (np.flatnonzero(puzzle.legal(state)).tolist() for _ in range(2))
        names, others = (" ".join(map(puzzle.write_move, moves)) or "no move" for moves in (legal, again))
        must(names == others, f"`legal` gives {names}, and {others} the second time")
        says, is_solved = puzzle.objection(state), _solved(puzzle, state)
        must(says is None or not is_solved, f"the board is solved, and `objection` says '{says}'")
        _check_moves(puzzle, state, legal)
        if puzzle.view(KernelRules) is not None:
            _check_kernels(puzzle, state, legal)


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
            back = puzzle.call("`inverse`", view.inverse, move, gives=int)
            is_move = 0 <= back < puzzle.move_count
            must(is_move, f"`inverse` of move {puzzle.write_move(move)} must give a move, not the number {back}")
            _must_be_undone(puzzle, state, first, move, back)


def _must_be_undone(puzzle: CheckedPuzzle, state: State, child: State, move: int, back: int, note: str = "") -> None:
    """Raise `ConformanceError` unless the move `back` leads from a child to its state."""
    undone = is_legal(puzzle, child, back) and np.array_equal(puzzle.apply(child, back), state)
    must(undone, f"move {puzzle.write_move(move)} is not undone by its inverse{note} {puzzle.write_move(back)}")


# --- compiled rules ---


def _check_kernels(puzzle: CheckedPuzzle, state: State, legal: list[int]) -> None:
    """Check that the compiled rules give what the plain rules give, and that conversions of states can be undone."""
    rules = rules_of(Instance(puzzle, state))
    with puzzle.at(state, call="`encode` or `decode` of the compiled rules"):
        working = rules.encode(state[None])[0].astype(rules.dtype)
        decoded = rules.decode(working[None])[0]
    must_be_same(decoded, state, "decode does not undo encode")
    moves = np.zeros(puzzle.move_count, np.int32)
    children = np.zeros((puzzle.move_count, rules.size), rules.dtype)
    again, words = np.zeros(rules.size, rules.dtype), np.zeros(rules.words, np.uint64)
    with puzzle.at(state, call="a kernel of the rules"):
        survey: Callable[..., Any] = runner(kernels.survey, rules)
        count, done = survey(rules.tables, working, moves, children, words, again)
    must(bool(done) == puzzle.solved(state), "kernels and rules disagree on whether it is solved")
    must(np.array_equal(again, working), "unpack does not undo pack")
    must(sorted(moves[:count].tolist()) == legal, "kernels and rules disagree on the legal moves")
    for i, move in enumerate(moves[:count].tolist()):
        after, child = puzzle.apply(state, move), rules.decode(children[i][None])[0]
        must(np.array_equal(child, after), f"kernels and rules disagree on move {puzzle.write_move(move)}")
        if (back := int(kernels.inverse(rules.tables, move))) >= 0:
            _must_be_undone(puzzle, state, after, move, back, " in the kernels,")


# --- rules for batches ---


def check_batch_rules(puzzle: CheckedPuzzle, boards: Sequence[State]) -> None:
    """Compare the view `BatchRules` with the plain rules on these states, together and one alone."""
    rules = puzzle.view(BatchRules)
    if rules is None:
        return
    states = np.stack(boards[:MOST_STATES])
    plain = np.array([puzzle.legal(state) for state in states])
    owner, moves = np.nonzero(plain)
    before, pairs = states[owner], list(zip(states[owner], moves.tolist(), strict=True))
    after = np.array([puzzle.apply(*pair) for pair in pairs], states.dtype).reshape(before.shape)
    every: list[tuple[str, Any, tuple[State, ...], Any]] = [
        ("legal", rules.legal, (states,), plain),
        ("apply", rules.apply, (before, moves), after),
        *(("solved", rules.solved, (each,), np.array([*map(puzzle.solved, each)], bool)) for each in (states, after)),
    ]
    objective = objective_of(puzzle)
    if objective.kind != "moves":
        is_there = rules.costs is not None
        must(is_there, f"{puzzle.name}: its moves have a {objective.kind}, and `costs` of its batch rules is missing")
        steps = np.array([objective.step(*pair, child) for pair, child in zip(pairs, after, strict=True)], np.int64)
        every.append(("costs", rules.costs, (before, moves, after), -steps if objective.kind == "score" else steps))
    for name, rule, arguments, expected in every:
        for first in range(0, len(expected), max(1, len(expected) - 1)):
            _compare(puzzle, name, rule, [argument[first:] for argument in arguments], expected[first:])


def _compare(puzzle: CheckedPuzzle, name: str, rule: Any, arguments: list[State], expected: NDArray[Any]) -> None:
    """Raise `ConformanceError` at the first state for which a rule gives something else than the plain one."""
    given = puzzle.call(f"`{name}` of the batch rules", rule, *arguments, gives=kind_of(expected))
    for row in np.flatnonzero((given != expected).reshape(len(expected), -1).any(axis=1))[:1].tolist():
        move = f" of move {puzzle.write_move(int(arguments[1][row]))}" if arguments[1:] else ""
        batch, plain = given[row].tolist(), expected[row].tolist()
        with puzzle.at(arguments[0][row]):
            must(False, f"`{name}`{move} gives {batch} by the batch rules, and {plain} by the plain ones")

"""Conformance checks at one board: notation, moves and goals by every kind of rules, and each view of a board.

Shapes: B = states in a batch, S = length of a state, M = number of moves, G = number of goals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import CheckedPuzzle, kind_of, must, must_be, must_be_same
from puzzlelab.core import views
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Drawings, Puzzle, State
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
        must(again == move, f"{puzzle.name}: `write_move` of {move} is '{text}', which `read_move` reads as {again}")
    for text in NOISE:
        with suppress(BadBoard):
            move = puzzle.call("`read_move`", puzzle.puzzle.read_move, text, gives=int, passed=BadBoard)
            must(0 <= move < puzzle.move_count, f"{puzzle.name}: `read_move` of '{text}' gives {move}, no move")
        with suppress(BadBoard):
            board = puzzle.call("`read`", puzzle.puzzle.read, text, gives=Instance, passed=BadBoard)
            must_be(board.state, f"T[{len(like)}]", f"{puzzle.name}: the state that `read` gives for '{text}' must be")
            puzzle.must_read_back(board.state)
            puzzle.legal(board.state)


def check_goals(puzzle: CheckedPuzzle, like: State) -> State | None:
    """Return the goals `[G, S]` of a puzzle with the view `Reversible`, checked; None for other puzzles.

    `like: [S]` is a state of the puzzle.
    """
    view = puzzle.view(views.Reversible)
    if view is None:
        return None
    goals = puzzle.call("`goals`", view.goals, gives=f"{like.dtype}[G, {len(like)}]")
    must(len(goals) > 0, f"{puzzle.name}: `goals` must give one row for each goal, and gives none")
    for goal in goals[:MOST_GOALS]:
        with puzzle.at(goal):
            must(puzzle.solved(goal), "`goals` gives this board, and `solved` is False for it")
        puzzle.must_read_back(goal)
    return goals


def check_state(puzzle: CheckedPuzzle, state: State) -> None:
    """Check the notation, the drawing, every move by all rules that the puzzle has, and its views, at one state."""
    puzzle.must_read_back(state)
    puzzle.draw(state)
    with puzzle.at(state):
        legal = np.flatnonzero(puzzle.twice(puzzle.legal, state)).tolist()
        says, is_solved = puzzle.objection(state), puzzle.twice(puzzle.solved, state)
        must(says is None or not is_solved, f"the board is solved, and `objection` says '{says}'")
        _check_moves(puzzle, state, legal)
        if puzzle.view(views.KernelRules) is not None:
            _check_kernels(puzzle, state, legal)
        for kind, check in CHECKS.items():
            view: Any = puzzle.view(kind)
            if view is not None:
                check(puzzle, view, state, legal)


def _check_moves(puzzle: CheckedPuzzle, state: State, legal: list[int]) -> None:
    """Check that a move can be drawn, gives the same at each call, and is undone by its inverse."""
    view = puzzle.view(views.Reversible)
    for move in {*legal[:1], *legal[-1:]}:
        puzzle.draw(state, move)
    made = [(move, child, child.copy()) for move in legal for child in [puzzle.apply(state, move)]]
    for move, child, first in made:
        name = puzzle.write_move(move)
        must(np.array_equal(child, first), f"`apply` of move {name} gives an array that a later call changes")
        puzzle.twice(puzzle.apply, state, move)
        if view is not None:
            back = puzzle.call("`inverse`", view.inverse, move, gives=int)
            must(0 <= back < puzzle.move_count, f"`inverse` of move {name} must give a move, not the number {back}")
            _must_be_undone(puzzle, state, first, move, back)


def _must_be_undone(puzzle: CheckedPuzzle, state: State, child: State, move: int, back: int, note: str = "") -> None:
    """Raise `ConformanceError` unless the move `back` leads from a child to its state."""
    undone = views.is_legal(puzzle, child, back) and np.array_equal(puzzle.apply(child, back), state)
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
    if rules.merge is not None:
        _check_merged(puzzle, rules, state, legal)


def _check_merged(puzzle: CheckedPuzzle, rules: views.KernelRules, state: State, legal: list[int]) -> None:
    """Check that a board with the pieces that `merge` makes the same is as good as the board itself."""
    with puzzle.at(state, call="`merge` or `decode` of the compiled rules"):
        merged = rules.starts(state[None])
        other = rules.decode(merged)[0]
        again = rules.starts(other[None])
    must(np.array_equal(again, merged), "decode does not undo merge")
    must(puzzle.solved(other) == puzzle.solved(state), "merge does not keep whether the board is solved")
    must(np.flatnonzero(puzzle.legal(other)).tolist() == legal, "merge does not keep which moves are legal")
    for move in legal:
        children = np.stack([puzzle.apply(board, move) for board in (state, other)])
        one, two = rules.starts(children)
        must(np.array_equal(one, two), f"merged boards are not the same any more after move {puzzle.write_move(move)}")


# --- rules for batches ---


def check_batch_rules(puzzle: CheckedPuzzle, boards: Sequence[State]) -> None:
    """Compare the view `BatchRules` with the plain rules on these states, together and one alone."""
    rules = puzzle.view(views.BatchRules)
    if rules is None:
        return
    states = np.stack(boards[:MOST_STATES])
    plain = np.array([puzzle.legal(state) for state in states])
    owner, moves = np.nonzero(plain)
    before, pairs = states[owner], list(zip(states[owner], moves.tolist(), strict=True))
    after = np.array([puzzle.apply(*pair) for pair in pairs], states.dtype).reshape(before.shape)
    _compare(puzzle, "legal", rules.legal, plain, states)
    _compare(puzzle, "apply", rules.apply, after, before, moves)
    for each in (states, after):
        _compare(puzzle, "solved", rules.solved, np.array([*map(puzzle.solved, each)], bool), each)
    objective = objective_of(puzzle)
    if objective.kind != "moves":
        must(rules.costs is not None, f"{puzzle.name}: moves have a {objective.kind}, and batch rules lack `costs`")
        steps = np.array([objective.step(*pair, child) for pair, child in zip(pairs, after, strict=True)], np.int64)
        costs = -steps if objective.kind == "score" else steps
        _compare(puzzle, "costs", rules.costs, costs, before, moves, after)


def _compare(puzzle: CheckedPuzzle, name: str, rule: Any, plain: NDArray[Any], *arguments: State) -> None:
    """Raise `ConformanceError` at the first state for which a rule gives something else than the `plain` one, for all
    states together or for the last one alone.
    """

    def difference(row: int) -> str:
        move = f" of move {puzzle.write_move(int(moves[0][row]))}" if moves else ""
        return f"`{name}`{move} gives {given[row]} by the batch rules, and {expected[row]} by the plain ones"

    for first in range(0, len(plain), max(1, len(plain) - 1)):
        expected, states, *moves = (array[first:] for array in (plain, *arguments))
        given = puzzle.call(f"`{name}` of the batch rules", rule, states, *moves, gives=kind_of(expected))
        same = (given == expected).reshape(len(expected), -1).all(axis=1)
        puzzle.must_hold(same, states, difference)


# --- views of a board ---

MOST_SINGLE = 100
"""Legal moves, and about as many others, that are tested one by one at a state."""
MOST_STEP = 1 << 40
"""The greatest cost or number of points of a move, of which a search adds up many in 64 bits."""


def _check_legality(puzzle: CheckedPuzzle, view: views.Legality, state: State, legal: list[int]) -> None:
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


def _check_steps(puzzle: CheckedPuzzle, view: views.Steps, state: State, legal: list[int]) -> None:
    """Check that a move has a cost of at least 0, or points, and the same at a second call."""
    name, function, least = ("`cost`", view.cost, 0) if view.points is None else ("`points`", view.points, -MOST_STEP)
    assert function is not None
    for move in {*legal[:2], *legal[-1:]}:
        after = puzzle.apply(state, move)
        call = f"{name} of move {puzzle.write_move(move)}"
        step, again = (puzzle.call(name, function, state, move, after) for _ in range(2))
        is_int = isinstance(step, int | np.integer) and least <= step <= MOST_STEP
        must(is_int, f"{call} must give an int from {least:,} to {MOST_STEP:,}, not {step}")
        must(step == again, f"{call} gives {step}, and {again} the second time")


def _check_cover(puzzle: CheckedPuzzle, view: views.Cover, state: State, legal: list[int]) -> None:
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


def _check_candidates(puzzle: CheckedPuzzle, view: views.Candidates, state: State, legal: list[int]) -> None:
    """Check that the candidates are the legal moves, and that `digits` undoes `written`."""
    candidates = puzzle.call("`candidates`", view.candidates, state)
    must(np.flatnonzero(candidates).tolist() == legal, "`candidates` and `legal` disagree")
    digits = puzzle.call("`digits`", view.digits, state)
    written = view.written(digits[None])[0]
    must(np.array_equal(puzzle.call("`digits`", view.digits, written), digits), "`digits` does not undo `written`")
    texts = {view.write_cell(cell) for cell in range(len(candidates))}
    must(len(texts) == len(candidates), "`write_cell` writes two cells alike")


def _check_planes(puzzle: CheckedPuzzle, view: views.Planes, state: State, legal: list[int]) -> None:
    """Check that planes have their size and are finite, and that a state has the same ones in a batch.

    Images of the board by a symmetry, or in an isomorphic puzzle, must have the same rules.
    """
    moves = [*legal[:1], *legal[1:][-1:]]
    states = np.stack([state, *(puzzle.apply(state, move) for move in moves)])
    planes, alone = (
        puzzle.call("`planes`", view.planes, batch, gives=f"float32[{len(batch)}, {view.input_size}]")
        for batch in (states, state[None])
    )
    must(bool(np.isfinite(planes).all()), "`planes` must give finite numbers")
    must(np.array_equal(planes[:1], alone), "`planes` gives other numbers for the board alone than in a batch")
    cells = 1 if view.grid is None else math.prod(view.grid)
    must(view.input_size % cells == 0, f"{view.input_size} inputs do not fit the {cells} cells of `grid`")
    if view.grid is not None:
        places = [] if view.cell_at is None else sorted(view.cell_at.ravel().tolist())
        must(places == list(range(cells)), f"`cell_at` must hold each of the {cells} cells of `grid` once")
    symmetries = puzzle.call("`symmetries`", view.symmetries, states)
    must(len(symmetries) > 0, "`symmetries` must give at least the board itself")
    every = [("a symmetry", puzzle, images, names) for images, names in symmetries]
    if (other := view.isomorphism) is not None:
        images = puzzle.call("`states_of`", other.states_of, states)
        every.append(("the map to an isomorphic puzzle", check_identity(other.puzzle), images, other.moves))
    for kind, its_puzzle, (image, *after), names in every:
        # Of several equivalent moves `legal` names one, and an image may name another
        mask, equivalent = its_puzzle.legal(image), views.equivalence(its_puzzle)
        named = names[legal] if equivalent is None else equivalent(image[None])[0, names[legal]]
        kept = (named >= 0).all() and mask[named].all() and np.count_nonzero(mask) == len(legal)
        must(bool(kept), f"{kind} does not keep which moves are legal")
        must(its_puzzle.solved(image) == puzzle.solved(state), f"{kind} does not keep whether it is solved")
        for move, child in zip(moves, after, strict=True):
            same = np.array_equal(its_puzzle.apply(image, int(names[move])), child)
            must(same, f"{kind} does not map the board after move {puzzle.write_move(move)} to that after its image")


def _check_rewards(puzzle: CheckedPuzzle, view: views.Rewards, state: State, legal: list[int]) -> None:
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
    views.Legality: _check_legality,
    views.Steps: _check_steps,
    views.Cover: _check_cover,
    views.Candidates: _check_candidates,
    views.Planes: _check_planes,
    views.Rewards: _check_rewards,
    Drawings: _check_drawings,
}
"""The check of each view that tells something about one state whose legal moves are given, in the order in which most
puzzles have them.
"""

"""Conformance checks for puzzles and solvers; they are public, so that plug-ins can use them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from puzzlelab.core.errors import BadBoard, ConformanceError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.result import Result
from puzzlelab.core.solver import BatchSolver, Solver, ability, portions, solve, solve_all
from puzzlelab.core.verify import verify
from puzzlelab.core.views import Isomorphism, KernelRules, Planes, Reversible, Samples, is_legal, scale_of
from puzzlelab.engine.interpreted_kernels import rules_of, runner
from puzzlelab.engine.kernels import survey

NOISE = ("", "?", "x" * 50, "-1", "9" * 30, "\0", "1 2 3 \n 4", "[[[", "½ ¾", "a b c d")
"""Texts that `read` must either parse or reject with `BadBoard`."""


def _must(holds: bool, sentence: str) -> None:
    if not holds:
        raise ConformanceError(sentence)


def check_puzzle(puzzle: Puzzle, starts: Sequence[Instance] = (), seed: int = 0, steps: int = 60) -> None:
    """Raise `ConformanceError` with a sentence if the puzzle violates its protocols.

    Walks at random from each start (or from sampled boards) and checks: notation reads what it writes, moves have
    names, `apply` leaves its argument alone, illegal texts are `BadBoard`s, kernels equal the plain rules, moves are
    undone by their inverses, symmetries keep legality, the map to an isomorphic puzzle commutes with the rules.
    """
    random = np.random.default_rng(seed)
    starts = list(starts) or _sampled(puzzle, random)
    _must(bool(starts), f"{puzzle.name} needs a start: it has no scale to sample from")
    _must(hash(puzzle) == hash(puzzle), f"{puzzle.name} must be hashable")
    for move in range(puzzle.move_count):
        text = puzzle.write_move(move)
        _must(puzzle.read_move(text) == move, f"{puzzle.name}: move {move} is written '{text}' and not read back")
    for text in NOISE:
        with suppress(BadBoard):
            puzzle.read(text)
    for start in starts:
        state = start.state
        for _ in range(steps):
            _check_state(puzzle, state)
            moves = np.flatnonzero(puzzle.legal(state))
            if moves.size == 0:
                break
            state = puzzle.apply(state, int(random.choice(moves)))


def _sampled(puzzle: Puzzle, random: np.random.Generator) -> list[Instance]:
    samples = puzzle.view(Samples)
    if samples is None or not samples.scales:
        return []
    _, scale = scale_of(puzzle)
    return [Instance(puzzle, scale.sample(random, None)) for _ in range(3)]


def _check_state(puzzle: Puzzle, state: State) -> None:
    where = f"{puzzle.name} at {puzzle.write(state)}"
    text = puzzle.write(state)
    _must("\n" not in text, f"{where}: the canonical notation must be one line")
    _must(np.array_equal(puzzle.read(text).state, state), f"{where}: the board is not read as it was written")
    _must(bool(puzzle.draw(state)), f"{where}: there is no drawing")
    mask = puzzle.legal(state)
    _must(mask.shape == (puzzle.move_count,), f"{where}: `legal` must have one entry a move")
    before = state.copy()
    for move in np.flatnonzero(mask).tolist():
        child = puzzle.apply(state, move)
        _must(np.array_equal(state, before), f"{where}: move {puzzle.write_move(move)} changed its argument")
        if (reversible := puzzle.view(Reversible)) is not None:
            back = puzzle.apply(child, reversible.inverse(move))
            _must(np.array_equal(back, state), f"{where}: move {puzzle.write_move(move)} is not undone by its inverse")
    if (isomorphism := puzzle.view(Isomorphism)) is not None:
        _check_isomorphism(puzzle, isomorphism, state, where)
    if (planes := puzzle.view(Planes)) is not None:
        _check_planes(puzzle, planes, state, where)
    if puzzle.view(KernelRules) is not None:
        _check_kernels(puzzle, Instance(puzzle, state), where)


def _check_isomorphism(puzzle: Puzzle, isomorphism: Isomorphism, state: State, where: str) -> None:
    """The image has the images of the legal moves, they lead to the images of the children, and it is solved alike."""
    other, moves, image = isomorphism.puzzle, isomorphism.moves, isomorphism.states_of(state[None])[0]
    legal = puzzle.legal(state)
    _must(np.array_equal(other.legal(image)[moves], legal), f"{where}: its image has other legal moves")
    _must(other.solved(image) == puzzle.solved(state), f"{where}: only one of the board and its image is solved")
    for move in np.flatnonzero(legal).tolist():
        after = isomorphism.states_of(puzzle.apply(state, move)[None])[0]
        same = np.array_equal(other.apply(image, int(moves[move])), after)
        _must(same, f"{where}: move {puzzle.write_move(move)} does not lead to the image of its board")


def _check_planes(puzzle: Puzzle, view: Planes, state: State, where: str) -> None:
    """Planes have their size; in every symmetric image the same moves are legal, and lead to the image of the child.

    Of several equivalent moves `legal` names one, and an image may name another: `is_legal` accepts all of them.
    """
    planes = view.planes(state[None])
    _must(planes.shape == (1, view.input_size), f"{where}: planes must have {view.input_size} numbers")
    legal = np.flatnonzero(puzzle.legal(state)).tolist()
    children = {move: view.symmetries(puzzle.apply(state, move)[None]) for move in {*legal[:1], *legal[-1:]}}
    for number, (states, moves) in enumerate(view.symmetries(state[None])):
        image = states[0]
        kept = all(is_legal(puzzle, image, move) for move in moves[legal].tolist())
        kept = kept and np.count_nonzero(puzzle.legal(image)) == len(legal)
        _must(kept, f"{where}: a symmetry does not keep which moves are legal")
        for move, images in children.items():
            same = np.array_equal(puzzle.apply(image, int(moves[move])), images[number][0][0])
            _must(same, f"{where}: a symmetry of the board is none of the board after move {puzzle.write_move(move)}")


def survey_of(rules: KernelRules) -> Callable[..., Any]:
    """`kernels.survey`, interpreted for plain rules and compiled for others."""
    return runner(survey, rules)


def _check_kernels(puzzle: Puzzle, instance: Instance, where: str) -> None:
    rules, state = rules_of(instance), instance.state
    working = rules.encode(state[None])[0].astype(rules.dtype)
    _must(np.array_equal(rules.decode(working[None])[0], state), f"{where}: decode does not undo encode")
    moves = np.zeros(puzzle.move_count, np.int32)
    children = np.zeros((puzzle.move_count, rules.size), rules.dtype)
    again = np.zeros(rules.size, rules.dtype)
    words = np.zeros(rules.words, np.uint64)
    count, done = survey_of(rules)(rules.tables, working, moves, children, words, again)
    _must(bool(done) == puzzle.solved(state), f"{where}: kernels and rules disagree on whether it is solved")
    _must(np.array_equal(again, working), f"{where}: unpack does not undo pack")
    expected = np.flatnonzero(puzzle.legal(state)).tolist()
    _must(sorted(moves[:count].tolist()) == expected, f"{where}: kernels and rules disagree on the legal moves")
    for i, move in enumerate(moves[:count].tolist()):
        child = rules.decode(children[i][None])[0]
        same = np.array_equal(child, puzzle.apply(state, move))
        _must(same, f"{where}: kernels and rules disagree on move {puzzle.write_move(move)}")


def check_solver(solver: Solver, instances: Sequence[tuple[Instance, int | None]], limit: Limit | None = None) -> None:
    """Raise `ConformanceError` with a sentence if the solver violates its protocols on these boards.

    Each board comes with the length of its shortest solution, None if it has none. Checks: attempts only get better,
    counts only grow, answers hold, proofs are true, the same board has the same answer, a limit of one node holds, and
    a `BatchSolver` gives the same results in a batch as for single boards.
    """
    alone: list[Result] = []
    for instance, optimum in instances:
        results: list[Result] = []
        expanded = -1
        for attempt in solver.attempts(instance, limit or Limit()):
            _must(attempt.expanded >= expanded, f"{solver.name}: the count of expanded states fell")
            expanded = attempt.expanded
            if isinstance(attempt, Result):
                results.append(attempt)
        _must(bool(results), f"{solver.name} ended on {instance!r} without a result")
        _check_results(solver, instance, optimum, results)
        again = solve(solver, instance, limit or Limit())
        _must(again.moves == results[-1].moves, f"{solver.name} answers {instance!r} differently each time")
        short = solve(solver, instance, Limit(nodes=1))
        _must(short.expanded <= 1, f"{solver.name} does not keep a limit of one node")
        alone.append(again)
    if ability(solver, BatchSolver):
        _check_batches(solver, [instance for instance, _ in instances], alone, limit or Limit())


def _check_batches(solver: Solver, instances: Sequence[Instance], alone: Sequence[Result], limit: Limit) -> None:
    together = [result for batch in portions(solver, instances) for result in solve_all(solver, batch, limit)]
    for instance, one, other in zip(instances, alone, together, strict=True):
        same = replace(one, seconds=0.0) == replace(other, seconds=0.0)
        _must(same, f"{solver.name} answers {instance!r} differently among other boards")


def _check_results(solver: Solver, instance: Instance, optimum: int | None, results: list[Result]) -> None:
    lengths = [result.length for result in results if result.length is not None]
    _must(lengths == sorted(lengths, reverse=True), f"{solver.name}: results on {instance!r} do not get better")
    for result in results:
        verdict = verify(instance, result)
        _must(verdict.holds, f"{solver.name} on {instance!r}: {verdict.reason}")
        if optimum is None:
            _must(result.moves is None, f"{solver.name} solved {instance!r}, which cannot be solved")
            continue
        _must(result.proof != "unsolvable", f"{solver.name} calls {instance!r} unsolvable")
        _must(
            result.lower_bound <= optimum,
            f"{solver.name} on {instance!r}: its lower bound exceeds the optimum {optimum}",
        )
        if result.proof == "optimal":
            _must(result.length == optimum, f"{solver.name} on {instance!r}: {result.length} is called optimal")

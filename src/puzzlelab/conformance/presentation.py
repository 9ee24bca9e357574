"""Conformance checks of what commands show of a puzzle, and of what names refer to: examples, solvers, the puzzle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from puzzlelab.conformance.calls import CheckedPuzzle, calling, kind_of, must, must_be_array
from puzzlelab.conformance.distances import SolvableStates
from puzzlelab.core import registry
from puzzlelab.core.boards import BatchNotation
from puzzlelab.core.errors import BadBoard, BadInput, ConformanceError
from puzzlelab.core.puzzle import Example, Presentation, State
from puzzlelab.core.solver import Solver, require


def _check_batch_notation(puzzle: CheckedPuzzle, state: State) -> None:
    """Check that the view `BatchNotation` writes what `write` writes, and reads it as `read` does."""
    notation = puzzle.view(BatchNotation)
    if notation is None:
        return
    text = puzzle.write(state)
    lines = puzzle.of_state("`write_lines`", lambda one: notation.write_lines(one[None]).copy(), state)
    where = puzzle.at(state)
    must_be_array(lines, f"{where}: `write_lines`", np.uint8, (1, len(text)))
    must(lines.tobytes() == text.encode(), f"{where}: `write_lines` writes {lines.tobytes()!r}, and `write` {text!r}")
    states, is_board = puzzle.of_state("`read_lines`", lambda one: notation.read_lines(lines), state)
    must_be_array(is_board, f"{where}: what `read_lines` says of lines", np.bool_, (1,))
    must_be_array(states, f"{where}: `read_lines`", state.dtype.type, (1, len(state)))
    same = not is_board[0] or np.array_equal(states[0], puzzle.read(text).state)
    must(same, f"{where}: `read_lines` reads another board than `read`")


def check_presentation(puzzle: CheckedPuzzle, state: State, solvable: SolvableStates) -> None:
    """Check that what the view `Presentation` names exists, and that its functions work at a state."""
    _check_batch_notation(puzzle, state)
    shown = puzzle.view(Presentation)
    if shown is None:
        return
    for name, example in shown.examples.items():
        _check_example(puzzle, name, example)
    if shown.usual_solver is not None:
        solver = _solver(puzzle, "usual_solver", *shown.usual_solver)
        with calling(f"{puzzle.name}: `Presentation.usual_solver`"):
            require(solver, puzzle.puzzle)
    for name, options in shown.provers:
        _solver(puzzle, "provers", name, options)
    _check_notations(puzzle, shown, solvable)
    call = "`Presentation.warnings`"
    warnings = puzzle.of_state(call, lambda board: dict(shown.warnings(board[None])), state)
    sentences = [sentence for each in warnings.values() for sentence in each]
    fits = set(warnings) <= {0} and all(isinstance(sentence, str) for sentence in sentences)
    must(fits, f"{puzzle.at(state)}: {call} must give sentences for the place 0 of one board, not {warnings}")
    if shown.lenient is not None:
        with calling(f"{puzzle.name}: the puzzle of `Presentation.lenient`"):
            same = np.array_equal(shown.lenient.puzzle.read(puzzle.write(state)).state, state)
        must(same, f"{puzzle.at(state)}: the puzzle of `Presentation.lenient` reads another board")


def _check_example(puzzle: CheckedPuzzle, name: str, example: Example) -> None:
    """Check that `read` takes the name of an example and its board, and reads the same from both."""
    must(
        isinstance(example, Example), f"{puzzle.name}: the example '{name}' must be an Example, not {kind_of(example)}"
    )
    boards = []
    for text, what in ((name, "its name"), (example.board, f"its board '{example.board}'")):
        try:
            boards.append(puzzle.read(text))
        except BadBoard as error:
            raise ConformanceError(
                f"{puzzle.name}: the example '{name}': `read` does not take {what}: {error}"
            ) from error
    named, written = (puzzle.write(board.state) for board in boards)
    must(
        boards[0] == boards[1],
        f"{puzzle.name}: the example '{name}' is {named} by its name, and {written} by its board",
    )


def _solver(puzzle: CheckedPuzzle, field: str, name: str, options: Mapping[str, Any]) -> Solver:
    try:
        return registry.make_solver(name, options)
    except BadInput as error:
        raise ConformanceError(f"{puzzle.name}: `Presentation.{field}` cannot be used: {error}") from error


def _check_notations(puzzle: CheckedPuzzle, shown: Presentation, solvable: SolvableStates) -> None:
    """Check that each notation is a text of a board together with its solution, where a solution is known."""
    if not len(solvable.states):
        return
    row = len(solvable.states) - 1
    board, solution = solvable.states[row], solvable.goal(row)
    for name, notation in shown.notations.items():
        text = puzzle.of_state(f"the notation '{name}'", notation, board.copy(), solution.copy())
        fits = isinstance(text, str) and bool(text)
        must(fits, f"{puzzle.at(board)}: the notation '{name}' must give a text, not {kind_of(text)}")


def check_name(puzzle: CheckedPuzzle) -> None:
    """Check that the registry, if it knows the family of this name, makes an equal puzzle each time, with an equal
    hash.
    """
    family = puzzle.name.partition("-")[0]
    if family not in registry.families():
        return
    try:
        puzzles = registry.load(puzzle.name), registry.load(puzzle.name)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise ConformanceError(
            f"the name '{puzzle.name}' does not load, though '{family}' is known: {reason}"
        ) from error
    for again in puzzles:
        must(again == puzzle.puzzle, f"the name '{puzzle.name}' loads a puzzle that is not equal to this one")
        must(hash(again) == hash(puzzle.puzzle), f"{puzzle.name}: equal puzzles must have equal hashes")

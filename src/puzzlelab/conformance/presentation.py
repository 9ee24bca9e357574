"""Conformance checks of what commands show of a puzzle, and of what names refer to: examples, solvers, the puzzle."""

from __future__ import annotations

import numpy as np

from puzzlelab.conformance.calls import CheckedPuzzle, calling, kind_of, must, must_be_array
from puzzlelab.conformance.solutions import KnownSolutions
from puzzlelab.core import registry
from puzzlelab.core.errors import BadBoard, ConformanceError
from puzzlelab.core.puzzle import Example, Notation, Presentation, State, board_after
from puzzlelab.core.solver import require


def check_notation(puzzle: CheckedPuzzle, state: State, solutions: KnownSolutions) -> None:
    """Check that the view `Notation` reads and writes what `read` and `write` do, one board and many."""
    notation = puzzle.view(Notation)
    if notation is None:
        return
    text = puzzle.write(state)
    with puzzle.at(state), calling("`Notation.read`"):
        must(np.array_equal(notation.read(text), state), "`Notation.read` reads another board in what `write` writes")
    with puzzle.at(state):
        _check_lines(puzzle, notation, state, text)
        if notation.settling is not None:
            with calling("the puzzle of `Notation.settling`"):
                same = np.array_equal(notation.settling[0].read(text).state, state)
            must(same, "the puzzle of `Notation.settling` reads another board")
    for row in list(solutions.rows(1))[-1:]:
        board = solutions.states[row]
        solution = board_after(puzzle, board, solutions.moves[row])
        for name, write in notation.with_solutions.items():
            what = f"the notation '{name}'"
            written = puzzle.of_state(what, lambda one: write(one[None], solution[None]), board, gives=str)  # noqa: B023
            must(written.endswith("\n"), f"{what} must end the text of each board with a line end")


def _check_lines(puzzle: CheckedPuzzle, notation: Notation, state: State, text: str) -> None:
    """Check that many boards are written as `write` writes one, and read as `read` does."""
    lines = np.frombuffer(text.encode("ascii", "replace"), np.uint8)[None]
    if (write_lines := notation.write_lines) is not None:
        gives = (np.uint8, (1, len(text)))
        lines = puzzle.of_state("`write_lines`", lambda one: write_lines(one[None]).copy(), state, gives=gives)
        must(lines.tobytes() == text.encode(), f"`write_lines` writes {lines.tobytes()!r}, and `write` {text!r}")
    if notation.read_lines is not None:
        with calling("`read_lines`"):
            states, is_board = notation.read_lines(lines)
        must_be_array(is_board, "what `read_lines` says of lines", np.bool_, (1,))
        must_be_array(states, "`read_lines`", state.dtype.type, (1, len(state)))
        same = not is_board[0] or np.array_equal(states[0], puzzle.read(text).state)
        must(same, "`read_lines` reads another board than `read`")


def check_presentation(puzzle: CheckedPuzzle, state: State) -> None:
    """Check that what the view `Presentation` names exists, and that its functions work at a state."""
    shown = puzzle.view(Presentation)
    if shown is None:
        return
    for name, example in shown.examples.items():
        _check_example(puzzle, name, example)
    usual = [] if shown.usual_solver is None else [("usual_solver", *shown.usual_solver)]
    for field, name, options in [*usual, *(("provers", *prover) for prover in shown.provers)]:
        with calling(f"{puzzle.name}: `Presentation.{field}`"):
            solver = registry.make_solver(name, options)
            if field == "usual_solver":
                require(solver, puzzle.puzzle)
    with puzzle.at(state):
        warnings = puzzle.of_state("`Presentation.warnings`", lambda one: dict(shown.warnings(one[None])), state)
        fits = all(isinstance(sentence, str) for sentences in warnings.values() for sentence in sentences)
        words = f"must give sentences for the place 0 of one board, not {warnings}"
        must(fits and set(warnings) <= {0}, f"`Presentation.warnings` {words}")


def _check_example(puzzle: CheckedPuzzle, name: str, example: Example) -> None:
    """Check that `read` takes the name of an example and its board, and reads the same from both."""
    where = f"{puzzle.name}: the example '{name}'"
    must(isinstance(example, Example), f"{where} must be an Example, not {kind_of(example)}")
    boards = []
    for text, words in ((name, "its name"), (example.board, f"its board '{example.board}'")):
        try:
            boards.append(puzzle.read(text))
        except BadBoard as error:
            raise ConformanceError(f"{where}: `read` does not take {words}: {error}") from error
    named, written = (puzzle.write(board.state) for board in boards)
    must(boards[0] == boards[1], f"{where} is {named} by its name, and {written} by its board")


def check_name(puzzle: CheckedPuzzle) -> None:
    """Check that the registry, if it knows the family of this name, makes an equal puzzle each time, with an equal
    hash.
    """
    family = puzzle.name.partition("-")[0]
    if family not in registry.families():
        return
    for _ in range(2):
        with calling(f"loading the name '{puzzle.name}', whose family '{family}' is known,"):
            again = registry.load(puzzle.name)
        must(again == puzzle.puzzle, f"the name '{puzzle.name}' loads a puzzle that is not equal to this one")
        must(hash(again) == hash(puzzle.puzzle), f"{puzzle.name}: equal puzzles must have equal hashes")

"""What `solve` prints of its answers, and the exit code that they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from puzzlelab.cli.console import INTERRUPTED, SOLVED, UNREADABLE, UNSOLVED, ErrorTally, fail

if TYPE_CHECKING:
    from puzzlelab.analysis.solve_job import BoardInput
    from puzzlelab.cli.console import Console
    from puzzlelab.core.puzzle import Puzzle, State
    from puzzlelab.core.row import Row
    from puzzlelab.core.solver import Solver


@dataclass
class SolveReport:
    """What was printed so far, and the exit code that it comes to."""

    console: Console
    puzzle: Puzzle
    solver: Solver
    many: bool
    """Whether there is more than one board."""
    json: bool = False
    steps: bool = False
    scores: bool = False
    """Whether a network's percentages are shown at each move."""
    notation: Callable[[State, State], str] | None = None
    """The way to write a solution, where nothing else is wanted."""
    faults: ErrorTally = field(default_factory=ErrorTally)
    counts: Counter[str] = field(default_factory=Counter)
    length: int = 0
    """Moves of all solutions so far."""
    seconds: float = 0.0
    answered: int = 0
    interrupted: bool = False

    def _header(self) -> None:
        """What is solved how, once, before the first answer."""
        from puzzlelab.core.puzzle import presentation_of

        note = presentation_of(self.puzzle).move_note
        name = f"{self.puzzle.name} by {self.solver.name}"
        shown = note and (self.steps or self.scores or not _shows_board(self.puzzle))
        self.console.print(f"{name} (moves are {note})" if shown else name)

    def show(self, given: BoardInput, row: Row) -> None:
        """Print one row."""
        self.counts["error"] += row.error is not None
        self.counts["solved"] += row.moves is not None
        self.counts[row.proof] += 1
        self.counts["interrupted"] += row.stop == "interrupted"
        self.counts["asked"] += 1
        self.length += row.length or 0
        self.seconds += row.seconds
        if row.error:
            self.faults.tell(given.where, row.error)
        if self.json:
            print(row.to_json(), flush=True)
        elif not row.error:
            self._answer(given, row)

    def _answer(self, given: BoardInput, row: Row) -> None:
        from puzzlelab.core.verify import verify

        if self.notation:
            self._notated(given, row, self.notation)
            return
        self.answered += 1
        if self.answered == 1:
            self._header()
        if self.many:
            several = "\n" in given.text
            self.console.print(f"\n{given.where}: {row.board if several else given.text}", markup=False)
        if row.moves is None:
            self.console.print(_unsolved(row))
            return
        instance = self.puzzle.read(row.board)
        verdict = verify(instance, row.result(self.puzzle))
        if not verdict.holds:
            fail(f"this row does not hold: {verdict.reason}")
            self.counts["error"] += 1
            return
        proof = _proof(row, self.puzzle)
        self.console.print(f"{_moves(row.length or 0)}, {proof}, {row.seconds:.3g} s, {row.expanded:,} states expanded")
        if self.scores:
            self._scores(row)
        elif self.steps:
            self._steps(row)
        elif _shows_board(self.puzzle):
            self._board(row)
        else:
            self.console.print(" ".join(row.moves))

    def _notated(self, given: BoardInput, row: Row, notation: Callable[[State, State], str]) -> None:
        """The solution as `--as` wants it; what has none is told beside it."""
        if row.moves is None:
            fail(f"{given.where}: {_unsolved(row)}" if given.where else _unsolved(row))
        else:
            print(notation(*self._ends(row)), flush=True)

    def _ends(self, row: Row) -> tuple[State, State]:
        """The board before and after all moves."""
        from puzzlelab.core.solver import board_after

        puzzle = self.puzzle
        state = puzzle.read(row.board).state
        return state, board_after(puzzle, state, row.result(puzzle).moves or ())

    def _board(self, row: Row) -> None:
        """The board at the end; on one line where there are many."""
        puzzle = self.puzzle
        _, state = self._ends(row)
        self.console.print(puzzle.write(state) if self.many else puzzle.draw(state), markup=False)

    def _steps(self, row: Row) -> None:
        """How the solver tells it, or every board on the way, as people would play it."""
        from puzzlelab.core.solver import Explains, ability
        from puzzlelab.core.views import Samples

        puzzle = self.puzzle
        explains = ability(self.solver, Explains)
        if explains is not None:
            for line in explains.explain(puzzle.read(row.board)):
                self.console.print(line, markup=False)
            return
        state = puzzle.read(row.board).state
        if (samples := puzzle.view(Samples)) is not None:
            standing = ", ".join(f"{scale} {value}" for scale, value in samples.difficulty(state).items())
            self.console.print(f"difficulty of this board: {standing}")
        for title, drawing in _frames(puzzle, state, row.moves or ()):
            self.console.print(f"\n{title}{drawing}", markup=False)

    def _scores(self, row: Row) -> None:
        """Every board on the way with a network's percentages, and the move that was made."""
        from puzzlelab.cli.move_scores import frames

        state, moves = self.puzzle.read(row.board).state, row.result(self.puzzle).moves or ()
        for frame in frames(self.puzzle, state, moves, row.options):
            self.console.print(frame, markup=False)

    def summary(self, boards: int) -> int:
        """Print what it all came to; return the exit code."""
        counts = self.counts
        self.faults.end()
        if self.many and not self.json and not self.notation:
            self._totals(boards)
        if counts["interrupted"] or self.interrupted:
            done = counts["asked"] - counts["interrupted"]
            fail(
                f"interrupted: {done} of {boards} boards are done; with the same --out the next call goes on from there"
            )
            return INTERRUPTED
        if counts["error"]:
            return UNREADABLE
        return SOLVED if counts["solved"] == boards else UNSOLVED

    def _totals(self, boards: int) -> None:
        counts = self.counts
        proven = "unique" if _shows_board(self.puzzle) else "optimal"
        parts = [f"{counts['solved']} of {boards} solved", f"{counts[proven]} proven {proven}"]
        if counts["unsolvable"]:
            parts.append(f"{counts['unsolvable']} proven unsolvable")
        if counts["error"]:
            parts.append(f"{counts['error']} unreadable")
        if counts["solved"]:
            parts.append(f"{self.length / counts['solved']:.2f} moves on average")
        self.console.print(f"\n{', '.join(parts)}, {self.seconds:.3g} s")


def _frames(puzzle: Puzzle, state: State, moves: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A title and a drawing for every board: after each move or, where a puzzle can mark what a move does, before."""
    from puzzlelab.core.puzzle import presentation_of

    marked = presentation_of(puzzle).marks_moves
    if not marked:
        yield "", puzzle.draw(state)
    for number, name in enumerate(moves, start=1):
        move = puzzle.read_move(name)
        before, state = state, puzzle.apply(state, move)
        yield f"{number}. {name}\n", puzzle.draw(before, mark=move) if marked else puzzle.draw(state)
    if marked:
        yield "", puzzle.draw(state)


def _shows_board(puzzle: Puzzle) -> bool:
    """Whether an answer is the board at its end, rather than its moves."""
    from puzzlelab.core.puzzle import presentation_of

    return presentation_of(puzzle).answer_is_board


def _moves(length: int) -> str:
    return f"{length} move{'' if length == 1 else 's'}"


def _at_least(bound: int) -> str:
    return f"at least {_moves(bound)} {'is' if bound == 1 else 'are'} needed"


def _proof(row: Row, puzzle: Puzzle) -> str:
    if row.proof == "none" and row.reason:
        return row.reason
    if row.proof == "none" and _shows_board(puzzle):
        return "not proven to be the only solution"
    if row.proof == "none":
        return f"not proven optimal ({_at_least(row.lower_bound)})"
    return f"proven {row.proof}"


def _unsolved(row: Row) -> str:
    if row.proof == "unsolvable":
        return f"proven unsolvable: {row.reason}"
    ended = {"time": "the time is up", "nodes": "the limit of nodes is reached", "memory": "the memory is used up"}
    why = row.reason or ended.get(row.stop, row.stop)
    bound = f"{_at_least(row.lower_bound)}; " if row.lower_bound else ""
    return f"not solved: {why} ({bound}{row.expanded:,} states expanded)"

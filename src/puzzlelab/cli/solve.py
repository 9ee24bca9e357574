"""`puzzlelab solve`: boards in, proven moves out."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from puzzlelab.cli.console import (
    INTERRUPTED,
    SOLVED,
    UNREADABLE,
    UNSOLVED,
    Faults,
    Given,
    Settle,
    fail,
    given_boards,
    marks_moves,
    output,
    progress,
    settling,
    spare_linear_algebra,
)

if TYPE_CHECKING:
    from rich.console import Console

    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Puzzle, State
    from puzzlelab.core.row import Row, RowFile
    from puzzlelab.core.solver import Solver

LONGEST_BOARD = 4096
"""Characters that a board may need; of what is longer, a row keeps the beginning."""


@dataclass
class Work:
    """One call of the verb: what is asked, and of whom."""

    puzzle: Puzzle
    solver: Solver
    limit: Limit
    jobs: int = 1
    over: threading.Event = field(default_factory=threading.Event)

    def answer(self, given: Given) -> Row:
        """The row of one board; a board that cannot be read has the error in it."""
        from puzzlelab.core.boards import text_of
        from puzzlelab.core.errors import BadBoard
        from puzzlelab.core.row import row_of
        from puzzlelab.core.solver import solve as run

        try:
            instance = self.puzzle.read(given.text)
        except BadBoard as error:
            return self.question(given).model_copy(update={"error": str(error)})
        result = run(self.solver, instance, self.limit, lambda attempt: self.over.is_set())
        return row_of(instance, self.solver, self.limit, result, board=text_of(instance, given.text))

    def question(self, given: Given) -> Row:
        """A row without an answer."""
        from puzzlelab.core.errors import shorten
        from puzzlelab.core.row import unanswered

        text = given.text if len(given.text) <= LONGEST_BOARD else shorten(given.text)
        return unanswered(self.puzzle, text, self.solver, self.limit)

    def held(self, given: Given, file: RowFile) -> Row | None:
        """The row of this board that a file holds already."""
        from puzzlelab.core.boards import Files, text_of
        from puzzlelab.core.errors import BadBoard

        question = self.question(given)
        if isinstance(self.puzzle, Files):
            with suppress(BadBoard):
                question = question.model_copy(update={"board": text_of(self.puzzle.read(given.text), given.text)})
        return file.take(question, self.limit)

    def answers(self, boards: list[Given], file: RowFile | None) -> Iterator[tuple[Given, Row]]:
        """Every board with its row, in order; those that the file holds already are taken from there."""
        from puzzlelab.core.parallel import ordered_map

        held = [self.held(given, file) if file else None for given in boards]
        asked = (given for given, row in zip(boards, held, strict=True) if row is None)
        fresh = ordered_map(self.answer, asked, self.jobs, on_interrupt=self.over.set)
        for given, row in zip(boards, held, strict=True):
            if row is None:
                row = next(fresh)
                if row.stop != "interrupted" and file is not None:
                    file.append([row])
            yield given, row


def solve(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4 (see `puzzlelab list`).")],
    board: Annotated[list[str] | None, typer.Argument(help="Boards; none means --file or standard input.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A file of one board a line; - is standard input.")
    ] = None,
    solver: Annotated[
        str | None, typer.Option("--with", help="The solver; the puzzle's usual one if left out.")
    ] = None,
    estimate: Annotated[
        str | None, typer.Option(help="The estimate of remaining moves, such as manhattan or pdb.")
    ] = None,
    weight: Annotated[float | None, typer.Option(help="What the estimate counts in A*; 1 is optimal.")] = None,
    width: Annotated[int | None, typer.Option(help="States that beam search keeps in a layer.")] = None,
    depth: Annotated[int | None, typer.Option(help="The most moves that depth-first search looks for.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--set", help="Any other option of the solver: NAME=VALUE.")
    ] = None,
    time: Annotated[float | None, typer.Option(help="Seconds for each board.")] = None,
    nodes: Annotated[int | None, typer.Option(help="States to expand for each board.")] = None,
    memory: Annotated[str | None, typer.Option(help="Most memory of the process, such as 2G.")] = None,
    jobs: Annotated[
        int, typer.Option(min=1, help="Boards to solve at once; for one board, the solver's own jobs.")
    ] = 1,
    steps: Annotated[
        bool, typer.Option("--steps", help="Show the board at each move, or how the solver came to its answer.")
    ] = False,
    settle: Settle = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON row a board.")] = False,
    notation: Annotated[
        str | None, typer.Option("--as", help="Sudoku: print solutions as line, grid, pair or csv, and nothing else.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Append rows to this file; boards that it answers are skipped.")
    ] = None,
) -> None:
    """Solve boards, and say how good the answers are.

    Exit code: 0 all solved, 1 something unsolved or proven unsolvable, 2 something unreadable.
    """
    spare_linear_algebra()
    from puzzlelab import api
    from puzzlelab.core.limit import Limit, read_memory
    from puzzlelab.core.row import RowFile
    from puzzlelab.core.settings import read_options
    from puzzlelab.core.solver import require

    chosen = settling(api.load(puzzle), settle)
    named = {"estimate": estimate, "weight": weight, "width": width, "depth": depth}
    options = {name: value for name, value in named.items() if value is not None} | read_options(option or ())
    limit = Limit(time, nodes, None if memory is None else read_memory(memory))
    asked = api.solver(solver, chosen, **options)
    require(asked, chosen)
    boards = given_boards(chosen, board or [], file)
    if jobs > 1 and len(boards) == 1 and "jobs" in asked.options() and "jobs" not in options:
        asked = api.solver(solver, chosen, **options, jobs=jobs)
    work = Work(chosen, asked, limit, jobs)
    shown = Shown(output(), work, json=json, steps=steps, many=len(boards) > 1, notation=_notation(chosen, notation))
    quiet = json or notation is not None
    with progress("solving" if len(boards) > 1 else "", len(boards), shown=not quiet or out is not None) as bars:
        try:
            for given, row in work.answers(boards, RowFile(out) if out else None):
                shown.show(given, row)
                if bars.task_ids:
                    bars.advance(bars.task_ids[0])
                if row.stop == "interrupted":
                    break
        except KeyboardInterrupt:
            shown.interrupted = True
    raise typer.Exit(shown.summary(len(boards)))


def _notation(puzzle: Puzzle, name: str | None) -> Callable[[State, State], str] | None:
    """The way to write a solution that `--as` names."""
    from puzzlelab.core.errors import UnknownName

    known: Mapping[str, Callable[[State, State], str]] = getattr(puzzle, "notations", {})
    if name is not None and name not in known:
        raise UnknownName(f"notation of {puzzle.name}", name, known)
    return known[name] if name else None


class Shown:
    """What was printed so far, and the exit code that it comes to."""

    def __init__(
        self,
        console: Console,
        work: Work,
        json: bool,
        steps: bool,
        many: bool,
        notation: Callable[[State, State], str] | None = None,
    ) -> None:
        self.console, self.work, self.json, self.steps, self.many = console, work, json, steps, many
        self.notation, self.faults = notation, Faults()
        self.counts: Counter[str] = Counter()
        self.length, self.seconds, self.answered, self.interrupted = 0, 0.0, 0, False

    def _header(self) -> None:
        """What is solved how, once, before the first answer."""
        note = getattr(self.work.puzzle, "move_note", "")
        name = f"{self.work.puzzle.name} by {self.work.solver.name}"
        shown = note and (self.steps or not _shows_board(self.work.puzzle))
        self.console.print(f"{name} (moves are {note})" if shown else name)

    def show(self, given: Given, row: Row) -> None:
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

    def _answer(self, given: Given, row: Row) -> None:
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
        instance = self.work.puzzle.read(row.board)
        verdict = verify(instance, row.result(self.work.puzzle))
        if not verdict.holds:
            fail(f"this row does not hold: {verdict.reason}")
            self.counts["error"] += 1
            return
        proof = _proof(row, self.work.puzzle)
        self.console.print(f"{_moves(row.length or 0)}, {proof}, {row.seconds:.3g} s, {row.expanded:,} states expanded")
        if self.steps:
            self._steps(row)
        elif _shows_board(self.work.puzzle):
            self._board(row)
        else:
            self.console.print(" ".join(row.moves))

    def _notated(self, given: Given, row: Row, notation: Callable[[State, State], str]) -> None:
        """The solution as `--as` wants it; what has none is told beside it."""
        if row.moves is None:
            fail(f"{given.where}: {_unsolved(row)}" if given.where else _unsolved(row))
        else:
            print(notation(*self._ends(row)), flush=True)

    def _ends(self, row: Row) -> tuple[State, State]:
        """The board before and after all moves."""
        from puzzlelab.core.solver import board_after

        puzzle = self.work.puzzle
        state = puzzle.read(row.board).state
        return state, board_after(puzzle, state, row.result(puzzle).moves or ())

    def _board(self, row: Row) -> None:
        """The board at the end; on one line where there are many."""
        puzzle = self.work.puzzle
        _, state = self._ends(row)
        self.console.print(puzzle.write(state) if self.many else puzzle.draw(state), markup=False)

    def _steps(self, row: Row) -> None:
        """How the solver tells it, or every board on the way, as people would play it."""
        puzzle = self.work.puzzle
        story = getattr(self.work.solver, "story", None)
        if story is not None:
            for line in story(puzzle.read(row.board)):
                self.console.print(line, markup=False)
            return
        state = puzzle.read(row.board).state
        if hasattr(puzzle, "difficulty"):
            standing = ", ".join(f"{scale} {value}" for scale, value in puzzle.difficulty(state).items())
            self.console.print(f"difficulty of this board: {standing}")
        for title, drawing in _frames(puzzle, state, row.moves or ()):
            self.console.print(f"\n{title}{drawing}", markup=False)

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
        proven = "unique" if _shows_board(self.work.puzzle) else "optimal"
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
    marked = marks_moves(puzzle)
    if not marked:
        yield "", puzzle.draw(state)
    for number, name in enumerate(moves, start=1):
        move = puzzle.read_move(name)
        before, state = state, puzzle.apply(state, move)
        yield f"{number}. {name}\n", puzzle.draw(before, move) if marked else puzzle.draw(state)  # type: ignore[call-arg]
    if marked:
        yield "", puzzle.draw(state)


def _shows_board(puzzle: Puzzle) -> bool:
    """Whether an answer is the board at its end, rather than its moves."""
    return getattr(puzzle, "shows_board", False)


def _moves(length: int) -> str:
    return f"{length} move{'' if length == 1 else 's'}"


def _proof(row: Row, puzzle: Puzzle) -> str:
    if row.proof == "none" and row.reason:
        return row.reason
    if row.proof == "none" and _shows_board(puzzle):
        return "not proven to be the only solution"
    if row.proof == "none":
        return f"not proven optimal (at least {_moves(row.lower_bound)} are needed)"
    return f"proven {row.proof}"


def _unsolved(row: Row) -> str:
    if row.proof == "unsolvable":
        return f"proven unsolvable: {row.reason}"
    ended = {"time": "the time is up", "nodes": "the limit of nodes is reached", "memory": "the memory is used up"}
    why = row.reason or ended.get(row.stop, row.stop)
    bound = f"at least {_moves(row.lower_bound)} are needed; " if row.lower_bound else ""
    return f"not solved: {why} ({bound}{row.expanded:,} states expanded)"

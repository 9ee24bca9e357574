"""Prints the answers of `puzzlelab solve`, and determines its exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.cli.console import SOLVED, UNSOLVED, ErrorTally, end_interrupted, fail, say
from puzzlelab.cli.several import SeveralTally
from puzzlelab.core.answers import PROOFS, Answers
from puzzlelab.core.boards import Instance
from puzzlelab.core.logic import numbered
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import BoardForm, Drawings, Presentation, Puzzle, State, board_after, presentation_of
from puzzlelab.core.result import IN_CIRCLES, Result, bound_in_words, circles_in_words, value_in_words
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Candidates, levels_of
from puzzlelab.engine.report import note
from puzzlelab.jobs.references import compared
from puzzlelab.jobs.solve_job import SolveJob
from puzzlelab.text.moves import MoveNotation

if TYPE_CHECKING:
    from pathlib import Path

    from puzzlelab.jobs.job_rows import JobRows
    from puzzlelab.jobs.solve_parts import SolvedPart

MOST_MOVES = 8
"""The most moves that are listed beside a board."""
LIMITS = {
    "time": "the time is up",
    "nodes": "the limit of nodes is reached",
    "memory": "the memory is used up",
    "interrupted": "interrupted",
}
"""Why a search ended before it was done."""
BETTER = {"moves": "shorter", "cost": "cheaper", "score": "better"}
"""The adjective of a solution that has fewer moves, a lower cost, or a higher score."""


def improvements() -> Callable[[str, Attempt], None]:
    """Return a function that reports each better solution of the board at a place on standard error."""
    best: dict[str, Result] = {}

    def see(where: str, attempt: Attempt) -> None:
        if not isinstance(attempt, Result) or attempt.length is None:
            return
        if where not in best or attempt.is_better_than(best[where]):
            best[where] = attempt
            costs = f"{round(attempt.seconds or 0.0, 6):.3g} s, {attempt.expanded:,} states expanded"
            bound = f"{bound_in_words(attempt)}, " if bound_in_words(attempt) else ""
            text = f"solution: {value_in_words(attempt)}, {bound}{costs}"
            note(f"{where}: {text}" if where else text)

    return see


@dataclass
class SolveReport:
    """The report of answers, which prints them as they come, then a summary; counts them for the exit code."""

    job: SolveJob
    moves: MoveNotation
    many: bool
    """Whether there is more than one board."""
    json: bool = False
    steps: bool = False
    scores: bool = False
    """Whether a network's percentages are shown at each move."""
    summary_only: bool = False
    """Whether only interrupted answers are shown, because a file gets the others."""
    unique: bool = False
    """Whether a board that is not proven to have one solution gives exit code 1."""
    form: BoardForm | None = None
    """The form of solutions; if set, nothing else is printed."""
    picture: Path | None = None
    """The file in which the solution of the only board is drawn."""
    _solutions: list[tuple[State, State | None]] = field(default_factory=list)
    """The boards that are not printed yet, with their solutions, or these alone."""
    errors: ErrorTally = field(default_factory=ErrorTally)
    counts: Counter[str] = field(default_factory=Counter)
    references: ErrorTally = field(default_factory=partial(ErrorTally, "boards beside which a wrong solution stands"))
    solutions: SeveralTally = field(default_factory=SeveralTally)
    total: int = 0
    """Moves of all solutions so far, or their cost or score."""
    seconds: float = 0.0
    interrupted: bool = False
    has_header: bool = False
    """Whether the puzzle and the solver were printed."""

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle of the boards."""
        return self.job.puzzle

    @cached_property
    def presentation(self) -> Presentation:
        """How the puzzle is shown."""
        return presentation_of(self.puzzle)

    @cached_property
    def _rows(self) -> JobRows:
        """The rows of the boards."""
        from puzzlelab.jobs.job_rows import JobRows

        return JobRows(self.puzzle, self.job.solver, self.job.limit)

    @cached_property
    def kind(self) -> str:
        """The kind of the objective: moves, their cost, or a score."""
        return objective_of(self.puzzle).kind

    def show(self, solved: SolvedPart) -> None:
        """Print the answers to consecutive boards."""
        answers, _ = solved
        boards = answers.boards
        self.counts["boards"] += len(boards)
        self.errors.tell_boards(boards)
        if self.json:
            print(*self._rows.json_texts(solved), sep="", end="", flush=True)
        elif self.form:
            self._in_form(answers, self.form)
        elif not self.summary_only:
            self._answers(answers, boards.is_readable)
        if self.picture is not None and answers.is_solved.any():
            self._draw(answers[0], self.picture)
        self._count(answers)
        self._compare(answers)
        if self.interrupted and self.summary_only and not self.json and not self.form:
            self._answers(answers, answers.is_stopped_by("interrupted"))

    def _draw(self, result: Result, path: Path) -> None:
        from puzzlelab.jobs.pictures import write_picture

        write_picture(result, path, self.moves)
        note(f"the solution is drawn in {path}")

    def _answers(self, answers: Answers, which: NDArray[np.bool_]) -> None:
        """Print some of the answers for people."""
        for place in which.nonzero()[0].tolist():
            self._answer(answers.boards.texts[place], answers.boards.where(place), answers[place])

    def _count(self, answers: Answers) -> None:
        is_solved = answers.is_solved
        self.counts["solved"] += int(is_solved.sum())
        self.counts["interrupted"] += int(answers.is_stopped_by("interrupted").sum())
        for proof in PROOFS:
            self.counts[proof] += int(answers.is_proven(proof).sum())
        reasons = [fields.get("reason", "") for fields in answers.rare.values()]
        self.counts["in circles"] += sum(reason.endswith(IN_CIRCLES) for reason in reasons)
        if self.kind == "moves":
            self.total += int(answers.lengths[is_solved].sum())
        else:
            self.total += sum(fields.get(self.kind, 0) for fields in answers.rare.values())
        self.seconds += answers.total_seconds
        self.interrupted |= self.counts["interrupted"] > 0

    def _compare(self, answers: Answers) -> None:
        """Compare the solutions beside the boards with the answers, and print where they differ."""
        beside = compared(answers.boards, answers, answers.is_proven("unique"))
        for place, error in beside.errors.items():
            self.references.tell(answers.boards.where(place), error)
        self.solutions.add(answers, beside.holds)

    def _answer(self, text: str, where: str, result: Result) -> None:
        """Print one answer for people."""
        if not self.has_header:
            self._header()
            self.has_header = True
        if self.many:
            shown = self.puzzle.write(result.board.state) if "\n" in text else text
            say(f"\n{where}: {shown}")
        if result.moves is None:
            say(_unsolved(result))
            if self.steps and result.tried:
                self._explain(result)
            return
        seconds = "" if result.seconds is None else f"{round(result.seconds, 6):.3g} s, "
        say(f"{value_in_words(result)}, {self._proof(result)}, {seconds}{result.expanded:,} states expanded")
        if self.scores:
            self._scores(result)
        elif self.steps:
            self._steps(result)
        elif self.presentation.answer_is_board:
            last = result.final.state
            say(self.puzzle.write(last) if self.many else self.puzzle.draw(last))
        else:
            say(self.moves.write(result.board.state, result.moves))

    def _header(self) -> None:
        """Print the puzzle and the solver before the first answer."""
        moves_are_shown = self.steps or self.scores or not self.presentation.answer_is_board
        say(f"{self.puzzle.name} by {self.job.solver.name}{self.moves.note if moves_are_shown else ''}")

    def _proof(self, result: Result) -> str:
        if result.proof == "several":
            return "it has more than one solution; this is one of them"
        if result.proof != "none":
            return f"proven {result.proof}"
        if result.reason:
            return result.reason
        if self.presentation.answer_is_board:
            return "not proven to be the only solution"
        better = BETTER[self.kind]
        why = {
            "patience": f"no {better} one came soon after it; --time 60 searches longer",
            **LIMITS,
        }
        more = "; ".join(filter(None, [bound_in_words(result), why.get(result.stop)]))
        return f"not proven optimal{f' ({more})' if more else ''}"

    def _in_form(self, answers: Answers, form: BoardForm) -> None:
        """Print the solutions in a form, and an empty line for a board without one; a document is printed at the end.

        Prints an error for each board without one.
        """
        boards, is_document, text = answers.boards, form.extent == "document", ""
        for place in (boards.is_readable & ~answers.is_solved).nonzero()[0].tolist():
            self._tell_unsolved(boards.where(place), answers[place])
        for states, ends in answers.ends_by_run():
            if ends is None:
                text += "" if is_document else len(states) * "\n"
            elif is_document:
                self._solutions.append((states, ends) if form.has_solutions else (ends, None))
            else:
                text += form.write(states, ends) if form.has_solutions else form.write(ends, None)
        print(text, end="", flush=True)

    def _tell_unsolved(self, where: str, result: Result) -> None:
        sentence = _unsolved(result)
        fail(f"{where}: {sentence}" if where else sentence)

    def _steps(self, result: Result) -> None:
        """Print the solver's explanation or, without one, the steps of logic, or the board at each move."""
        if self._explain(result):
            return
        [levels] = levels_of(self.puzzle, result.board.state[None])
        if text := ", ".join(f"{scale} {value}" for scale, value in levels.items()):
            say(f"difficulty of this board: {text}")
        if self.puzzle.view(Candidates) is not None:
            result = self._by_logic(result)
            if not result.moves:
                return
        for title, drawing in self._drawings(result):
            say(f"\n{title}{drawing}")

    def _explain(self, result: Result) -> bool:
        """Print the solver's explanation or, without one, the steps of logic to the solution; tell whether it did."""
        sentences = self.job.solver.explain(result.board)
        for line in sentences or ():
            say(line)
        return sentences is not None

    def _by_logic(self, result: Result) -> Result:
        """Print the steps of logic to the solution, and return the rest of the solution where they end before."""
        from puzzlelab.analysis.logic_steps import way_to

        steps, rest = way_to(result)
        for line in numbered(steps):
            say(line)
        written = [move for step in steps for move in step.placements]
        position = Instance(self.puzzle, board_after(self.puzzle, result.board.state, written))
        say(
            "no step of logic is known here; the other cells are from the solution"
            if rest
            else self.puzzle.draw(position.state)
        )
        return replace(result, moves=tuple(rest), instance=position)

    def _drawings(self, result: Result) -> Iterator[tuple[str, str]]:
        """Yield a title and a drawing for every board: after each move or, if a drawing marks it, before each."""
        puzzle, moves, states = self.puzzle, result.moves or (), list(result.states())
        names = self.moves.names(states[0], moves)
        titles = [f"{number}. {name}\n" for number, name in enumerate(names, start=1)]
        if moves and puzzle.draw(states[0], moves[0]) != puzzle.draw(states[0]):
            marks: list[int | None] = [*moves, None]
            yield from zip([*titles, ""], map(puzzle.draw, states, marks), strict=True)
        else:
            yield from zip(["", *titles], map(puzzle.draw, states), strict=True)

    def _scores(self, result: Result) -> None:
        """Print the board at each move with the percentages of a network, and the move."""
        for frame in _score_frames(result, self.moves, self.job.solver.options_for(self.puzzle)):
            say(frame)

    def summary(self, boards: int | None) -> int:
        """Print the summary; return the exit code. `boards` is their number, if all were read."""
        if self.form:  # of a document, which has all of them
            from puzzlelab.jobs.board_forms import texts_in

            print(*texts_in(self.form, self._solutions), sep="", end="", flush=True)
        counts = self.counts
        is_done = counts["solved"] == counts["boards"] and not self.references.count
        if self.unique and counts["unique"] < counts["boards"]:
            is_done = False
        self.references.end()
        code = self.errors.end(SOLVED if is_done else UNSOLVED)
        if self.many and not self.json and not self.form:
            self._totals(counts["boards"] if boards is None else boards)
        if self.many or self.json or self.form:
            self.solutions.tell()
            if self.unique:
                self.solutions.tell_unknown()
        if self.interrupted:
            done = counts["boards"] - counts["interrupted"]
            of = "" if boards is None else f"of {boards} "
            several = f": {done} {of}boards are done; with the same --out the next call goes on from there"
            end_interrupted(f"interrupted{several if self.many else ''}")
        return code

    def _totals(self, boards: int) -> None:
        counts = self.counts
        proven = "unique" if self.presentation.answer_is_board else "optimal"
        parts = [f"{counts['solved']} of {boards} solved", f"{counts[proven]} proven {proven}"]
        if counts["several"]:
            parts.append(f"{counts['several']} with several solutions")
        if counts["unsolvable"]:
            parts.append(f"{counts['unsolvable']} proven unsolvable")
        if self.errors.count:
            parts.append(f"{self.errors.count} unreadable")
        if counts["solved"]:
            mean = f"{self.total / counts['solved']:.2f}"
            parts.append(f"{mean} moves on average" if self.kind == "moves" else f"a {self.kind} of {mean} on average")
        gap = "" if self.summary_only else "\n"
        say(f"{gap}{', '.join(parts)}, {self.seconds:.3g} s")
        if counts["in circles"]:
            say(circles_in_words(self.job.solver.name, counts["in circles"], boards))


def _unsolved(result: Result) -> str:
    if result.proof == "unsolvable":
        return f"proven unsolvable: {result.reason}"
    why = result.reason or LIMITS.get(result.stop, result.stop)
    bound = f"{bound_in_words(result)}; " if result.lower_bound or result.upper_bound is not None else ""
    return f"not solved: {why} ({bound}{result.expanded:,} states expanded)"


# --- what a network thinks of the moves ---


def _score_frames(result: Result, notation: MoveNotation, options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the network's name; then, for each move, the board with the network's percentages, and the move.

    `options` are the solver's; see `analysis.state_evaluation`.
    """
    from puzzlelab.analysis.state_evaluation import network_shown, shares

    puzzle, moves = result.board.puzzle, result.moves or ()
    name, network = network_shown(puzzle, options)
    yield f"in brackets: per cent, by the network {network.name}"
    if not moves:
        return
    boards = np.array(list(result.states())[:-1])
    probabilities = shares(puzzle, name, network, boards)
    for number, (board, move, share) in enumerate(zip(boards, moves, probabilities, strict=True), start=1):
        yield f"\n{_draw(notation, board, share)}\nmove {number}: {notation.name(board, move)}"


def _draw(notation: MoveNotation, state: State, share: NDArray[np.float64]) -> str:
    """Draw the board with percentages in its cells or, without such a drawing, the moves with theirs beside it."""
    puzzle = notation.puzzle
    drawing = puzzle.view(Drawings)
    if drawing is not None and drawing.with_scores is not None:
        return drawing.with_scores(state, share)
    first, *rest = puzzle.draw(state).splitlines()
    width = max(map(len, (first, *rest)))
    return "\n".join([f"{first:<{width}}   {_list_moves(notation, state, share)}", *rest])


def _list_moves(notation: MoveNotation, state: State, share: NDArray[np.float64]) -> str:
    """Return the moves with their percentages, the most probable first."""
    moves = sorted(np.flatnonzero(np.isfinite(share)).tolist(), key=lambda move: -share[move])
    names = [f"{notation.name(state, move)} {100 * share[move]:.0f} %" for move in moves[:MOST_MOVES]]
    return "  ".join(names) + (f"  and {len(moves) - MOST_MOVES} more" if len(moves) > MOST_MOVES else "")

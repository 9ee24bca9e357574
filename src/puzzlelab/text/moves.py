"""Reads and writes the moves of a game, in any form that its puzzle has for them (its view `MoveForms`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, UnknownName, Unsupported, shorten
from puzzlelab.core.puzzle import (
    MoveForm,
    MoveForms,
    Puzzle,
    State,
    names_of,
    presentation_of,
    read_moves,
    states_along,
)
from puzzlelab.core.views import Reversible, is_legal


@dataclass(frozen=True)
class MoveNotation:
    """The notation of moves that was chosen: a form in which they are written, and a convention of letters."""

    puzzle: Puzzle
    form: MoveForm
    letters: str = ""
    """The convention; empty for a puzzle whose moves have one form."""

    @property
    def note(self) -> str:
        """The end of a title, which says what a move is; empty if the puzzle says nothing about it."""
        return f" (moves are {self.form.about})" if self.form.about else ""

    def names(self, state: State, moves: Sequence[int]) -> list[str]:
        """Return the name of each of the legal moves that are made one after the other from a state on."""
        return self.form.names(state, moves)

    def name(self, state: State, move: int) -> str:
        """Return the name of a legal move at a state."""
        return self.form.names(state, [move])[0]

    def write(self, state: State, moves: Sequence[int]) -> str:
        """Return the text of legal moves from a state on."""
        return self.form.join(self.form.names(state, moves))

    def read(self, instance: Instance, text: str) -> list[int]:
        """Return the moves in a text, in any form. Those of a puzzle with several forms are legal.

        Raises `BadBoard` with the number of an invalid one.
        """
        forms = self.puzzle.view(MoveForms)
        if forms is None:
            return read_moves(self.puzzle, [word for word in re.split(r"[\s;]+", text) if word])
        moves = forms.read(instance.state, text, self.letters)
        usual = next(iter(forms.by_name(self.letters).values()))
        for _ in positions_of(instance, moves, lambda state, move: usual.names(state, [move])[0]):
            pass
        return moves


def positions_of(
    instance: Instance, moves: Sequence[int], name: Callable[[State, int], str] | None = None
) -> Iterator[Instance]:
    """Yield every position of a game by the plain rules, the start first.

    Raises `BadBoard` with the number of an illegal move, and with what `name` calls it, by default its own name.
    """
    puzzle = instance.puzzle
    for step, state in enumerate(states_along(puzzle, instance.state, moves)):
        yield Instance(puzzle, state)
        if step < len(moves) and not is_legal(puzzle, state, moves[step]):
            called = puzzle.write_move(moves[step]) if name is None else name(state, moves[step])
            raise BadBoard(f"{called} cannot be made", f"move {step + 1} of {len(moves)}")


def move_notation(puzzle: Puzzle, form: str | None = None, letters: str | None = None) -> MoveNotation:
    """Return the notation of moves with this form and this convention of letters, by default the usual ones.

    A form that belongs to one convention chooses it. Raises `UnknownName`, or `Unsupported` for a puzzle whose moves
    have one form.
    """
    forms = puzzle.view(MoveForms)
    if forms is None:
        if (name := form or letters) is not None:
            raise Unsupported(f"moves of {puzzle.name} have one form: '{shorten(name)}' cannot be chosen")
        return MoveNotation(
            puzzle, MoveForm(presentation_of(puzzle).move_note, lambda state, moves: names_of(puzzle, moves))
        )
    if letters is not None and letters not in forms.letters:
        raise UnknownName(f"convention of letters of {puzzle.name}", letters, forms.letters)
    conventions = forms.letters if letters is None else (letters,)
    known = dict[str, MoveForm]()
    for convention in conventions:
        known |= (by_name := forms.by_name(convention))
        if form is None or form in by_name:
            return MoveNotation(puzzle, by_name[form or next(iter(by_name))], convention)
    raise UnknownName(f"form of moves of {puzzle.name}", str(form), known)


def forms_in_words(puzzle: Puzzle) -> dict[str, dict[str, str]]:
    """Return convention -> form -> what a move is in it; empty for a puzzle whose moves have one form."""
    forms = puzzle.view(MoveForms)
    if forms is None:
        return {}
    return {letters: {name: form.about for name, form in forms.by_name(letters).items()} for letters in forms.letters}


def read_game(instance: Instance, text: str, letters: str | None = None) -> list[int]:
    """Return the moves of a game from a board on, in any form; raises `BadBoard` with the number of an invalid one."""
    return move_notation(instance.puzzle, None, letters).read(instance, text)


def read_texts(instance: Instance, texts: Sequence[str], letters: str | None = None) -> list[int]:
    """Return the moves of a row in texts that are not all names of moves; whether they are legal is not tested.

    Raises `BadBoard` with the number of an invalid one.
    """
    notation, forms = move_notation(instance.puzzle, None, letters), instance.puzzle.view(MoveForms)
    if forms is None or not all(text.strip() for text in texts):
        return read_moves(instance.puzzle, texts)
    return forms.read(instance.state, " ".join(texts), notation.letters)


def scrambled(notation: MoveNotation, text: str) -> tuple[Instance, list[int]]:
    """Return the board after the moves in a text from the goal on, and the moves that undo them.

    Raises:
        BadBoard: with the number of a move that is none, or cannot be made.
        Unsupported: if moves of the puzzle cannot be undone, or it has several goals.
    """
    puzzle = notation.puzzle
    view = puzzle.view(Reversible)
    if view is None or len(view.goals()) != 1:
        raise Unsupported(f"{puzzle.name} has no single goal from which moves lead to a board and back")
    goal = Instance(puzzle, view.goals()[0])
    moves = notation.read(goal, text)
    *_, board = positions_of(goal, moves)
    return board, [view.inverse(move) for move in reversed(moves)]

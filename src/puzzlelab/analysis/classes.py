"""Which boards are the same up to a symmetry, by their canonical forms; needs the view `Symmetries`."""

from __future__ import annotations

from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.views import Symmetries


def symmetries_of(puzzle: Puzzle) -> Symmetries:
    """Return the view `Symmetries` of a puzzle; raises `Unsupported` if it has none."""
    view = puzzle.view(Symmetries)
    if view is None:
        raise Unsupported(f"{puzzle.name} has no canonical form of its boards")
    return view


def canonical_boards(boards: Boards) -> Boards:
    """Return the canonical form of each of these boards, with the same numbers.

    Raises `Unsupported` if the puzzle has none, or if that of a board takes too much memory.
    """
    states = symmetries_of(boards.puzzle).canonical(boards.states)
    return Boards(boards.puzzle, states, boards.numbers, source=boards.source)


class FirstOfClass:
    """The first board of each class of boards that are the same up to a symmetry."""

    def __init__(self) -> None:
        self.first: dict[bytes, str] = {}
        """The canonical form of each class, and the place of its first board in words."""

    def places(self, boards: Boards, forms: Boards) -> list[str | None]:
        """Return for each of these boards, whose canonical `forms` are given, None if it is the first of its class.

        For others return the place of the first one.
        """
        found = list[str | None]()
        for place, form in enumerate(forms.states):
            key, where = form.tobytes(), boards.where(place) or "the first board"
            found.append(self.first.get(key))
            self.first.setdefault(key, where)
        return found

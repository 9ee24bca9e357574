"""The forms in which moves of tiles are written and read: letters, counts, words, and the numbers of the tiles.

Letters and words are the way of the tile, or that of the blank, which is the opposite one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.core.errors import BadBoard, shorten
from puzzlelab.core.puzzle import MoveForm, MoveForms, move_numbers

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Board, Tiles

TILE, BLANK = LETTERS = ("tile", "blank")
"""The conventions of letters."""
WORDS = ("up", "down", "left", "right")
WAY = {TILE: "the way the tile slides", BLANK: "the way the blank moves"}
TOKENS = {
    "words": re.compile("(up|down|left|right)([0-9]{0,3})", re.IGNORECASE),
    "small letters": re.compile("([udlr])([0-9]{0,3})"),
    "capitals": re.compile("([UDLR])([0-9]{0,3})"),
}
"""Matches a move and its count; words come first, because they begin as letters do."""


def forms(puzzle: Tiles) -> MoveForms:
    """Return the view `MoveForms`."""
    return MoveForms(LETTERS, lambda letters: _by_name(puzzle, letters), lambda *given: _read(puzzle, *given))


# --- writing ---


def _by_name(puzzle: Tiles, letters: str) -> Mapping[str, MoveForm]:
    """Return the forms under a convention."""
    way = WAY[letters] + "; R2: two cells in one move" * puzzle.is_multi
    tile = "the tile that slides" + ", of several the farthest from the blank" * puzzle.is_multi

    def names(state: Board, moves: Sequence[int]) -> list[str]:
        written = [puzzle.write_move(move) for move in moves]
        return written if letters == TILE else [_turned(name) for name in written]

    def words(state: Board, moves: Sequence[int]) -> list[str]:
        return [_word(name) for name in names(state, moves)]

    def small(state: Board, moves: Sequence[int]) -> list[str]:
        return [name.lower() for name in names(state, moves)]

    of_both = {
        "letters": MoveForm(f"U, D, L, R: {way}", names),
        "counts": MoveForm(
            f"U, D, L, R{', and how often' * (not puzzle.is_multi)}: {way}",
            names,
            "".join if puzzle.is_multi else _with_counts,
        ),
        "words": MoveForm(f"up, down, left, right: {way}", words),
    }
    if len({*puzzle.pieces}) == puzzle.cells:  # equal tiles are no names of moves
        of_both["numbers"] = MoveForm(f"numbers: {tile}", lambda *given: _tiles(puzzle, *given))
    return of_both if letters == TILE else of_both | {"blank": MoveForm(f"u, d, l, r: {way}", small, "".join)}


def _turned(name: str) -> str:
    """Return the name of the opposite way, such as L2 for R2."""
    return {"U": "D", "D": "U", "L": "R", "R": "L"}[name[0]] + name[1:]


def _word(name: str) -> str:
    word = next(word for word in WORDS if word[0].upper() == name[0])
    return word + name[1:]


def _with_counts(names: Sequence[str]) -> str:
    runs = [(name, len(list(run))) for name, run in groupby(names)]
    return "".join(f"{name}{count if count > 1 else ''}" for name, count in runs)


def _tiles(puzzle: Tiles, state: Board, moves: Sequence[int]) -> list[str]:
    """Return the number of the tile that stands where the blank goes, for each move."""
    names = []
    for move in moves:
        after = puzzle.apply(state, move)
        names.append(str(state[after.argmin()]))
        state = after
    return names


# --- reading ---


def _read(puzzle: Tiles, state: Board, text: str, letters: str) -> list[int]:
    """Return the moves in a text of letters, words or numbers."""
    words = [word for word in re.split(r"[\s,;]+", text) if word]
    kinds = [_kind(word) for word in words]
    for number, (word, kind) in enumerate(zip(words, kinds, strict=True), start=1):
        if kind != kinds[0]:
            sentence = f"'{shorten(word)}' is written in {kind}, and the moves before it in {kinds[0]}"
            more = "; a count stands right behind its letter, as in R2" if "numbers" in (kind, kinds[0]) else ""
            raise BadBoard(sentence + more, f"move {number} of {len(words)}")
    moves = list[int]()
    for number, word in enumerate(words, start=1):
        try:
            if kinds[0] == "numbers":
                moves.append(_move_of_tile(puzzle, state, word))
                state = puzzle.apply(state, moves[-1])
            else:
                moves += _moves_in(puzzle, word, kinds[0], letters)
        except BadBoard as error:
            raise BadBoard(str(error), f"move {number} of {len(words)}") from None
    return moves


def _kind(word: str) -> str:
    """Return what a word is written in: a key of `TOKENS`, or numbers."""
    if re.fullmatch("[0-9]+", word):
        return "numbers"
    if TOKENS["words"].match(word):
        return "words"
    return "small letters" if word[0].islower() else "capitals"


def _moves_in(puzzle: Tiles, word: str, kind: str, letters: str) -> list[int]:
    """Return the moves in a text without spaces, such as `R2U2LD` or `left`."""
    moves, at, most = list[int](), 0, max(puzzle.rows, puzzle.columns) - 1
    while at < len(word):
        token = TOKENS[kind].match(word, at)
        place = f"character {at + 1}" if at else ""
        if token is None:
            wrong = shorten(word[at] if at else word)
            raise BadBoard(f"'{wrong}' is no move; moves are U, D, L and R, {WAY[letters]}", place)
        count = int(token[2] or 1)
        if not 1 <= count <= most:
            raise BadBoard(f"'{token[0]}' is no move: 1 to {most} tiles of {puzzle.name} slide one way", place)
        letter = token[1][0].upper()
        moves += _moves_of(puzzle, letter if letters == TILE else _turned(letter), count)
        at = token.end()
    return moves


def _moves_of(puzzle: Tiles, letter: str, count: int) -> list[int]:
    """Return the move that slides this many tiles, or as many moves where each slides one."""
    numbers = move_numbers(puzzle)
    together = numbers.get(f"{letter}{count}")
    return [numbers[letter]] * count if together is None else [together]


def _move_of_tile(puzzle: Tiles, state: Board, word: str) -> int:
    """Return the move in which the tile of this number goes to the place of the blank, or to that beside it."""
    cells = np.flatnonzero(state == int(word[:9])) if word.strip("0") else np.zeros(0, int)
    if not len(cells):
        raise BadBoard(f"there is no tile {shorten(word)}; tiles are 1 to {puzzle.pieces[-1]}")
    if len(cells) > 1:
        raise BadBoard(f"tile {shorten(word)} is there {len(cells)} times; write moves as letters or words")
    blank, tile = (np.array(divmod(int(cell), puzzle.columns)) for cell in (state.argmin(), cells[0]))
    down, right = (blank - tile).tolist()
    if down == 0 or right == 0:
        letter = ("D" if down > 0 else "U") if right == 0 else ("R" if right > 0 else "L")
        moves = _moves_of(puzzle, letter, abs(down + right))
        if len(moves) == 1:
            return moves[0]
    raise BadBoard(f"tile {word} cannot slide on {shorten(puzzle.write(state))}")

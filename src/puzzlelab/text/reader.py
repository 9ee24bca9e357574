"""Reads boards from any text: of a puzzle that is named, or of the one that the text is most likely a board of.

What is not in the notation of its puzzle is read through these functions, whether it comes from a file, an argument,
standard input, Python or the page, so that all say the same where something is no board.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice, zip_longest

from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadInput, PuzzlelabError, shorten
from puzzlelab.core.puzzle import Family, Notation, Puzzle, State
from puzzlelab.text.documents import link_in, texts_in
from puzzlelab.text.grids import TextGrid, grids, plain
from puzzlelab.text.rows import is_ruler
from puzzlelab.text.splitting import LONGEST_BOARD, LONGEST_DOCUMENT, BoardText, Splitter

MOST_BOARDS = 20_000
"""Boards of a text whose puzzle is guessed."""
MOST_LINK_PARTS = 200
"""Parts of a link that are tried."""
MOST_GUESSES = 40
"""Lines and blocks of lines from which the puzzle of a text is guessed."""
SHORTEST_WORD = 9
"""The fewest characters of a line from which the puzzle is guessed; shorter lines are rows, or numbers."""
KNOWN_SIGNS = re.compile(r"[\s\w.*?~|/\\+=,;:#\"'`<>\[\](){}&%-]", re.ASCII)
WRONG_COUNT = re.compile(r"[\d,]+ cells given")
"""Matches the sentence about a text whose number of cells is wrong."""
STRANGE = re.compile(r"'[\[|+&/{<\"]")
"""The beginning of a sentence about a sign of another form, in which cells are wrong too."""
EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")
BETWEEN = re.compile(r"\n[^\S\n]*\n|^[-=]{5,}$|^[^\S\n]*(?:#|//|%|;).*$|^.*[^\W\d_]{4}.*$", re.MULTILINE)
"""The pattern of what stands between blocks of lines."""
ANY_FAMILY = Family("", registry.load, ())

Reading = tuple[str, str]
"""The name of a puzzle and a board in its own notation."""


# --- boards of a puzzle ---


def other_form(puzzle: Puzzle, text: str, error: BadBoard) -> State | None:
    """Return the state of the one board in a text that is not in the puzzle's own notation; None if there is none.

    Args:
        puzzle: the puzzle.
        text: the text.
        error: what its notation says of the text.

    Raises:
        BadBoard: with the place of what is wrong, or with all boards that the text may be.
    """
    if len(text) > LONGEST_DOCUMENT or not text.strip():
        return None
    if link := link_in(text):
        return _of_link(puzzle, link)
    errors = list[BadBoard]()
    states = _meanings(text, [_family(puzzle)], puzzle, errors)
    if len(states) == 1:
        return next(iter(states.values()))
    if states:
        shown = " or ".join(shorten(board) for _, board in [*states][:4])
        raise BadBoard(f"this may be {shown}: write each row as a line")
    boards = list(islice(splitter_of(puzzle).split(text.split("\n")), 2))
    if len(boards) > 1 and all(_reads(puzzle, board) for board in boards):
        raise BadBoard("several boards are in this text; one is expected here")
    if len(boards) == 1 and boards[0].text.strip() not in ("", text.strip()):
        return read_board(puzzle, boards[0]).state
    if errors and STRANGE.match(str(error).removeprefix(f"{error.place}: ")):
        raise errors[0]
    if "|" in text and WRONG_COUNT.match(str(error)) and (uneven := _uneven_row(text)) is not None:
        raise uneven
    return None


def widened(puzzle: Puzzle, text: str) -> Puzzle:
    """Return the wider puzzle if a board in a text says more than one of `puzzle` can, and else `puzzle`."""
    wider = _wider(puzzle)
    return registry.load(wider) if wider and any(_says_more(puzzle, part) for part in _parts(puzzle, text)) else puzzle


def _parts(puzzle: Puzzle, text: str) -> Iterator[BoardText]:
    return splitter_of(puzzle).split(text.split("\n"))


def _says_more(puzzle: Puzzle, board: BoardText) -> bool:
    with suppress(BadBoard):
        readings = _family(puzzle).from_text(board.text.strip(), puzzle.name)
        return any(name == _wider(puzzle) for name, _ in readings)
    return False


def _wider(puzzle: Puzzle) -> str:
    notation = puzzle.view(Notation)
    return "" if notation is None else notation.wider


def read_board(puzzle: Puzzle, board: BoardText) -> Instance:
    """Read the board of a text that a splitter gave; raises `BadBoard`."""
    _check_owner(puzzle, board.puzzle)
    return puzzle.read(board.text)


def _reads(puzzle: Puzzle, board: BoardText) -> bool:
    with suppress(BadBoard):
        read_board(puzzle, board)
        return True
    return False


def splitter_of(puzzle: Puzzle) -> Splitter:
    """Return what splits texts into boards of this puzzle."""
    notation = puzzle.view(Notation)

    def looks(text: str) -> bool:
        try:
            return bool(_meanings(text, [_family(puzzle)], puzzle, []))
        except BadBoard:
            return True

    return Splitter(notation, _family(puzzle), looks)


def _family(puzzle: Puzzle) -> Family:
    name = puzzle.name.partition("-")[0]
    return registry.family(name) if name in registry.families() else ANY_FAMILY


def _meanings(
    text: str, families: Iterable[Family], puzzle: Puzzle | None, errors: list[BadBoard]
) -> dict[Reading, State]:
    """Return the boards that a whole text may be, with their states: those of its first form that is any.

    Args:
        text: the text.
        families: the families whose boards it may have.
        puzzle: the puzzle, or None where it is guessed.
        errors: gets what speaks against boards.

    Raises:
        BadBoard: for a text in a form of other programs that is no board, or none of this puzzle.
    """
    if len(text) > LONGEST_BOARD and not text.startswith("{"):
        return {}
    families, name = list(families), None if puzzle is None else puzzle.name
    of_grids = (
        [each for grid in group for family in families for each in _from_grid(family, grid, name, errors)]
        for group in grids(plain(text))
    )
    for readings in chain([_of_other_programs(text, families, puzzle)], of_grids):
        states = dict[Reading, State]()
        for found, board in readings:
            try:
                chosen = registry.load(found) if puzzle is None else puzzle
                state = chosen.read(board).state if puzzle is None else _own_notation(puzzle).read(board)
                states[chosen.name, chosen.write(state)] = state
            except BadInput as error:
                looks = f"this looks like {found}, but it is none: " if puzzle is None else ""
                errors.append(BadBoard(f"{looks}{error}"))
        if states:
            return states
    return {}


def _own_notation(puzzle: Puzzle) -> Notation:
    notation = puzzle.view(Notation)
    assert notation is not None
    return notation


def _of_other_programs(text: str, families: Iterable[Family], puzzle: Puzzle | None) -> list[Reading]:
    """Return what the families say of a text in a form of other programs; raises `BadBoard` for other puzzles."""
    name = None if puzzle is None else puzzle.name
    readings = [each for family in families for each in family.from_text(text.strip(), name)]
    if puzzle is not None:
        for owner, _ in readings:
            _check_owner(puzzle, owner)
    return readings


def _check_owner(puzzle: Puzzle, name: str | None) -> None:
    """Raise `BadBoard` for a board that is said to be of another puzzle, unless this one is wider."""
    if name not in (None, puzzle.name) and _wider(registry.load(str(name))) != puzzle.name:
        raise BadBoard(f"this is a board of {shorten(str(name))}, not of {puzzle.name}")


def _from_grid(family: Family, grid: TextGrid, name: str | None, errors: list[BadBoard]) -> list[Reading]:
    try:
        return list(family.from_grid(grid, name))
    except BadBoard as error:
        errors.append(error)
        return []


def _uneven_row(text: str) -> BadBoard | None:
    """Return the error for the first row that is longer or shorter than most; None if rows are equal, or differ much.

    Spaces count as cells between bars alone.
    """
    lines = [line.rstrip() for line in plain(text).split("\n") if line.strip() and not is_ruler(line)]
    is_drawn = all("|" in line for line in lines)
    rows = lines if is_drawn else ["".join(line.split()) for line in lines]
    lengths = sorted(map(len, rows))
    usual = lengths[len(lengths) // 2] if rows else 0
    count = lengths.count(usual)
    if not (len(rows) > 2 and len(rows) > count > len(rows) // 2):
        return None
    place, row = next((place, row) for place, row in enumerate(rows, start=1) if len(row) != usual)
    what, where = ("signs", f"row {place} of the grid") if is_drawn else ("cells", f"row {place}")
    return BadBoard(f"{len(row)} {what}; most rows have {usual}", where)


def _of_link(puzzle: Puzzle, link: str) -> State:
    for name, text in islice(_link_parts(link), MOST_LINK_PARTS):
        if name is not None:
            return read_board(puzzle, BoardText(1, text, (), name)).state
        _of_other_programs(text, [_family(puzzle)], puzzle)
        with suppress(BadBoard):
            return puzzle.read(text).state
    raise _no_board_in_link(link)


def _link_parts(link: str) -> Iterator[tuple[str | None, str]]:
    """Yield the texts in a link, each followed by the parts of it that look like a board."""
    for name, text in texts_in(link, [family.packed for family in registry.usable_families() if family.packed]):
        yield name, text
        yield from ((None, part) for part in re.findall(r"[0-9A-Pa-p.*_-]{16,}", text))


def _no_board_in_link(link: str) -> BadBoard:
    return BadBoard(f"the link '{shorten(link)}' has no board in it; copy the board itself")


# --- boards of any puzzle ---


def read_any(text: str, hint: str | None = None) -> list[Instance]:
    """Return the boards in a text in any form, of the puzzle `hint` if they can be, else of the one that it looks like.

    Raises:
        BadBoard: with the place of what is not understood.
    """
    _check_length(text)
    error: BadInput | None = None
    if hint:
        try:
            boards = read_all(widened(registry.load(hint), text), text)
        except BadBoard as wrong:
            error = wrong
        else:
            is_parted = len(boards) < 2 or EMPTY_LINE.search(text.strip())
            others = [] if is_parted else _readings(text, [])
            if others:
                raise BadBoard(
                    f"this may be {len(boards)} boards of {hint}, or {others[0][0]}: leave a line between boards"
                )
            return boards
    names = _guessed(text, error)
    puzzles = {puzzle.name: puzzle for puzzle in (widened(registry.load(name), text) for name in names)}
    return [board for each in puzzles.values() for board in read_all(each, text, len(puzzles) > 1, is_guess=True)]


def _check_length(text: str) -> None:
    if len(text) > LONGEST_DOCUMENT:
        raise BadBoard(f"{len(text):,} characters are too many; at most {LONGEST_DOCUMENT:,} are read")
    if not text.strip():
        raise BadBoard("there is nothing to read; give a board, or a link to one")


def read_all(puzzle: Puzzle, text: str, others: bool = False, is_guess: bool = False) -> list[Instance]:
    """Return the boards of a puzzle in a text, at least one.

    Args:
        puzzle: the puzzle.
        text: the text.
        others: whether boards of other puzzles are passed over.
        is_guess: whether the puzzle was guessed, so that most lines must be boards.

    Raises:
        BadBoard: with the place of what is no board.
    """
    _check_length(text)
    parts, boards, lines = splitter_of(puzzle), list[Instance](), 0
    for part in parts.split(text.split("\n")):
        if others and part.puzzle not in (None, puzzle.name):
            continue
        try:
            boards.append(read_board(puzzle, part))
        except BadBoard as error:
            if part.text.strip() == text.strip():
                raise
            raise BadBoard(str(error), f"line {part.line}") from None
        lines += 1 + part.text.count("\n")
        if len(boards) > MOST_BOARDS:
            raise BadBoard(f"more than {MOST_BOARDS:,} boards are in this text; give them as a file of a named puzzle")
    if not boards or (is_guess and parts.words > 3 + 2 * lines):
        raise BadBoard(f"no board of {puzzle.name} is found in '{shorten(text.strip())}'")
    return boards


def guess(text: str) -> Puzzle | None:
    """Return the puzzle that a text is most likely a board of, or None."""
    with suppress(BadInput):
        return registry.load(_guessed(text, None)[0]) if len(text) <= LONGEST_DOCUMENT and text.strip() else None
    return None


def _guessed(text: str, error: BadInput | None) -> list[str]:
    """Return the names of the puzzles of the boards in a text; raises `error`, or says itself that there are none."""
    errors = list[BadBoard]()
    if link := link_in(text):
        for name, part in islice(_link_parts(link), MOST_LINK_PARTS):
            if name is not None:
                return [registry.load(name).name]
            if found := _readings(part, errors):
                return [found[0][0]]
        raise error or _no_board_in_link(link)
    families = list(registry.usable_families())
    family = Family(
        "",
        registry.load,
        (),
        from_text=lambda text, name: _of_other_programs(text, families, None),
        columns=[[*chain(*groups)] for groups in zip_longest(*(each.columns for each in families), fillvalue=())],
    )
    parts = list(islice(Splitter(None, family, lambda text: False).split(text.split("\n")), MOST_BOARDS))
    if owners := dict.fromkeys(part.puzzle for part in parts if part.puzzle):
        return [registry.load(owner).name for owner in owners if owner]
    for place, candidate in enumerate(_candidates(text, parts)):
        if link_in(candidate):
            return _guessed(candidate, error)
        try:
            readings = _readings(candidate, errors if place == 0 else [])
        except BadBoard as wrong:
            if place == 0:
                raise error or wrong from None
            continue
        if place == 0 and readings:
            readings += [each for each in _board_of_each_block(text) if each not in readings]
        names = dict.fromkeys(name for name, _ in readings)
        if len(readings) > 1:
            shown = " or ".join(f"{name} ({shorten(board)})" for name, board in readings[:4])
            raise error or BadBoard(
                f"this may be {shown}: choose the puzzle first, or write each row as a line, the upper one first"
            )
        if names:
            return [next(iter(names))]
    raise error or _not_understood(text, errors)


def _board_of_each_block(text: str) -> list[Reading]:
    """Return the board of the first block of lines between empty ones, if all of them are boards of one puzzle."""
    blocks = [block for block in EMPTY_LINE.split(text.strip()) if "\n" in block.strip()]
    found = [_readings(block, []) for block in blocks] if len(blocks) > 1 else []
    is_same = len({readings[0][0] if readings else str(place) for place, readings in enumerate(found)}) == 1
    return found[0][:1] if is_same else []


def _candidates(text: str, parts: Sequence[BoardText]) -> Iterator[str]:
    """Yield the whole text, and then lines and blocks of it that may be boards."""
    yield text
    lines = (part.text for part in parts if len(part.text.strip()) >= SHORTEST_WORD)
    blocks = (block for block in BETWEEN.split(text) if "\n" in block)
    rows = [line for line in text.split("\n") if line.strip()]
    squares = ("\n".join(rows[:count]) for count in {len(rows[0].split()), len("".join(rows[0].split()))})
    by_turns = chain.from_iterable(zip_longest(chain(blocks, squares), lines))
    for candidate in islice(filter(None, by_turns), MOST_GUESSES):
        yield candidate
        word = max(re.split(r"[:,;\s]+", candidate.replace("+", "")), key=len)
        if "\n" not in candidate and len(word) >= 2 * SHORTEST_WORD - 2 and word != candidate:
            yield word


def _readings(text: str, errors: list[BadBoard]) -> list[Reading]:
    """Return the boards of puzzles that a text may be; see `_meanings`."""
    return _of_one_kind([*_meanings(text, registry.usable_families(), None, errors)])


def _of_one_kind(readings: list[Reading]) -> list[Reading]:
    """Return the readings without those of another variant of a puzzle, such as other boxes, with the same board."""
    return [*{(name.partition(":")[0], board): (name, board) for name, board in reversed(readings)}.values()][::-1]


# --- what is not understood ---


def _not_understood(text: str, errors: Sequence[BadBoard]) -> PuzzlelabError:
    """Return an error that says what is wrong, with the place."""
    strange = {sign for sign in set(text) if not _is_known(sign)}
    for number, line in enumerate(text.splitlines(), start=1):
        for column, sign in enumerate(line, start=1):
            if sign in strange:
                return BadBoard(f"'{sign}' is not understood", f"line {number}, column {column}")
    if errors:
        return errors[0]
    if (uneven := _uneven_row(text)) is not None:
        return uneven
    first = next(line.strip() for line in text.splitlines() if line.strip())
    return BadBoard(
        f"no board is found in '{shorten(first)}' ({len(first)} signs); name its puzzle first, as in tiles-4x4"
    )


def _is_known(sign: str) -> bool:
    """Tell whether boards have such a sign, or it is a picture, such as a coloured square."""
    is_usual = KNOWN_SIGNS.match(sign) or KNOWN_SIGNS.match(plain(sign) or " ")
    return bool(is_usual) or unicodedata.category(sign) == "So"

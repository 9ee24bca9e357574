"""What a benchmark asks: boards of one puzzle, with what is known of each. Knows no solver.

A suite is a text file, one of those that come with the package, or sampled. In a file, lines that start with `#` and
empty lines are passed over; the others have columns with a TAB between them: the board, then if known its length in
moves, then `opt` where that is proven the least and `ub` where it is only the shortest known. More columns are passed
over. A puzzle with the view `MultilineNotation` says itself what is a board: CSV, or grids that are drawn.
A line `# puzzle: tiles-4x4` says whose boards they are.
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import dropwhile, islice, takewhile
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from puzzlelab.core import registry
from puzzlelab.core.board_files import BoardText, boards, text_of
from puzzlelab.core.errors import BadBoard, BadFile, BadInput, UnknownName, shorten
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import Samples, scale_of
from puzzlelab.engine import report

DATA = Path(__file__).parent / "data"
STORED = "suite.json"
PROVEN = ("opt", "optimal", "proven")
TABLED = "distance"
"""The name of a scale whose level is the least number of moves, which the puzzle looks up in a table."""
OPTIMA = (TABLED, "optimum")
"""The names of scales whose level is the least number of moves."""
GUESSED_FROM = 10
"""Boards that are looked at where a file does not say its puzzle."""
LONGEST_BLOCK = 64
"""Lines that a drawn board needs at most."""


@dataclass(frozen=True)
class SuiteEntry:
    """One board of a suite, and what is known of it."""

    board: str
    """The text as it was given; the canonical one where the puzzle is a `MultilineNotation`."""
    level: int | None = None
    """How hard it is, on the scale that it was sampled on."""
    known: int | None = None
    """The least number of moves that anybody knows."""
    known_is_optimal: bool = False
    """Whether no solution is shorter than `known`."""


@dataclass(frozen=True)
class Suite:
    """Boards of one puzzle, in an order."""

    name: str
    puzzle: Puzzle
    entries: tuple[SuiteEntry, ...]
    faults: tuple[str, ...] = ()
    """A sentence for each line that could not be read, with its file and place."""

    @cached_property
    def hash(self) -> str:
        """16 hexadecimal digits that differ for another puzzle, other boards or another order."""
        text = "\n".join([self.puzzle.name, *(entry.board for entry in self.entries)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def instance(self, entry: SuiteEntry) -> Instance:
        """The board of an entry, ready to be solved."""
        return self.puzzle.read(entry.board)


# --- files ---


def shipped() -> dict[str, Path]:
    """The suites that come with the package, by name."""
    return {path.stem: path for path in sorted(DATA.glob("*.txt"))}


def find(name: str, puzzle: Puzzle | None = None) -> Suite:
    """The suite in the file of this name, or the one of this name that comes with the package."""
    path, known = Path(name), shipped()
    if path.is_file() or (name not in known and (path.exists() or path.suffix or len(path.parts) > 1)):
        return read(path, puzzle)
    if name not in known:
        raise UnknownName("suite or file", name, known)
    return read(known[name], puzzle)


def read(path: Path, puzzle: Puzzle | None = None) -> Suite:
    """The suite in a file; without a puzzle, the one that the file names, or that its boards are of.

    What cannot be read becomes one of the suite's `faults`. Raises `BadFile` for a file that cannot be read or holds
    nothing, and `BadInput` where the puzzle cannot be told.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as lines:
            if puzzle is not None:
                return _suite(path, lines, puzzle)
            kept = list(lines)
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    return _suite(path, kept, _puzzle_of(path, kept))


def _suite(path: Path, lines: Iterable[str], puzzle: Puzzle) -> Suite:
    told: list[tuple[int, SuiteEntry]] = []
    entries: list[SuiteEntry] = []
    faults: list[str] = []
    for found in boards(puzzle, lines):
        if found.text or any(found.columns):
            try:
                told.append((found.line, _told(found)))
            except BadInput as error:
                faults.append(f"{path}, line {found.line}: {error}")
    for line, entry in told:
        try:
            entries.append(_read(puzzle, entry))
        except BadBoard as error:
            faults.append(f"{path}, line {line}: {error}")
    if not entries and not faults:
        raise BadFile(f"{path} holds no boards")
    return Suite(path.stem, puzzle, tuple(entries), tuple(faults))


def _told(found: BoardText) -> SuiteEntry:
    """What a line says; raises `BadInput` for columns that say nothing."""
    length, flag = (*found.columns, "", "")[:2]
    if length in ("", "-"):
        return SuiteEntry(found.text)
    if not re.fullmatch(r"[0-9]{1,9}", length):
        raise BadInput(f"'{shorten(length)}' in the second column is no length")
    return SuiteEntry(found.text, known=int(length), known_is_optimal=flag.lower() in PROVEN)


def _read(puzzle: Puzzle, entry: SuiteEntry) -> SuiteEntry:
    """The entry with its board as it is kept; raises `BadBoard`."""
    return replace(entry, board=text_of(puzzle.read(entry.board), entry.board))


def _puzzle_of(path: Path, lines: Sequence[str]) -> Puzzle:
    """The puzzle that a line `# puzzle: NAME` names, or that one of the first boards might be of."""
    for line in lines:
        if says := re.match(r"#\s*puzzle:\s*(\S+)", line):
            return registry.load(says[1])
    texts = [line.partition("\t")[0].strip() for line in lines if line.strip() and not line.startswith("#")]
    if not texts:
        raise BadFile(f"{path} holds no boards")
    for text in (*texts[:GUESSED_FROM], _block(lines)):
        for puzzle in guesses(text):
            return puzzle
    raise BadInput(f"{path} does not say whose boards it holds; name the puzzle first, as in: bench tiles-4x4 {path}")


def _block(lines: Iterable[str]) -> str:
    """The first lines up to an empty one, as a board that takes several."""
    said = (line for line in lines if not line.startswith("#"))
    begun = dropwhile(lambda line: not line.strip(), said)
    return "".join(takewhile(str.strip, islice(begun, LONGEST_BLOCK)))


def guesses(board: str) -> Iterator[Puzzle]:
    """The puzzles that this board might be of, by each family's own `guess(text) -> Puzzle | None`."""
    for name in registry.families():
        puzzle = registry.family(name).guess(board)
        if puzzle is not None:
            yield puzzle


def at_level(suite: Suite, level: int) -> Suite:
    """The suite with all its boards at this level."""
    return replace(suite, entries=tuple(replace(entry, level=level) for entry in suite.entries))


def join(suites: Sequence[Suite]) -> Suite:
    """One suite of all these; raises `BadInput` unless they are of one puzzle."""
    first = suites[0]
    for other in suites[1:]:
        if other.puzzle != first.puzzle:
            raise BadInput(f"one benchmark is of one puzzle, not of {first.puzzle.name} and {other.puzzle.name}")
    entries = tuple(entry for suite in suites for entry in suite.entries)
    faults = tuple(fault for suite in suites for fault in suite.faults)
    return replace(first, name="+".join(suite.name for suite in suites), entries=entries, faults=faults)


# --- samples ---


def sample(puzzle: Puzzle, levels: tuple[int, int] | None, scale: str | None, count: int, seed: int) -> Suite:
    """`count` random boards of each level, the same for the same seed whatever the other levels are.

    Without levels, `count` boards as the scale gives them. Where the optimum is the level, or stands in a table, the
    entries know it. Raises `Unsupported` for a puzzle that cannot make boards,
    `UnknownName` for an unknown scale and `BadOption` for a level that does not exist.
    """
    name, chosen = scale_of(puzzle, scale)
    wanted: Sequence[int | None] = range(levels[0], levels[1] + 1) if levels else (None,)
    entries: list[SuiteEntry] = []
    for level in wanted:
        for number in range(count):
            state = chosen.sample(generator(seed, level or 0, number), level)
            optimum = level if name in OPTIMA and level is not None else _distance(puzzle, state)
            entries.append(SuiteEntry(puzzle.write(state), level, optimum, optimum is not None))
            report.progress(f"boards of {puzzle.name}", len(entries), len(wanted) * count)
    span = f" {levels[0]}-{levels[1]}" if levels else ""
    return Suite(f"{puzzle.name} {name}{span}, seed {seed}", puzzle, tuple(entries))


def _distance(puzzle: Puzzle, state: State) -> int | None:
    """The least number of moves, for a puzzle that has a table of them, and so a scale of this name."""
    samples = puzzle.view(Samples)
    if samples is None or TABLED not in samples.scales:
        return None
    return samples.difficulty(state).get(TABLED)


# --- beside the rows ---


@dataclass(frozen=True)
class _Stored:
    name: str
    puzzle: str
    hash: str
    boards: tuple[SuiteEntry, ...]


def save(suite: Suite, folder: Path) -> None:
    """Write the suite beside its rows; raises `BadInput` where the folder holds the rows of another one."""
    path = folder / STORED
    if path.exists():
        held = reopen(folder)
        if held.hash != suite.hash:
            raise BadInput(
                f"{folder} holds results of '{held.name}' ({len(held.entries)} boards of {held.puzzle.name}, "
                f"hash {held.hash}), not of '{suite.name}' (hash {suite.hash}); give another --out"
            )
    stored = _Stored(suite.name, suite.puzzle.name, suite.hash, suite.entries)
    aside = path.with_name(f"{STORED}.{os.getpid()}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(TypeAdapter(_Stored).dump_json(stored, indent=1) + b"\n")
        aside.replace(path)
    except OSError as error:
        raise BadFile(f"cannot write {path}: {error.strerror}") from None


def reopen(folder: Path) -> Suite:
    """The suite whose rows lie in this folder; raises `BadFile` where there is none."""
    path = folder / STORED
    try:
        stored = TypeAdapter(_Stored).validate_json(path.read_bytes())
    except OSError as error:
        raise BadFile(f"{folder} holds no benchmark: cannot read {path}: {error.strerror}") from None
    except ValidationError as error:
        raise BadFile(f"{path} is no suite of a benchmark ({shorten(error.errors()[0]['msg'], 80)})") from None
    suite = Suite(stored.name, registry.load(stored.puzzle), stored.boards)
    if suite.hash != stored.hash:
        raise BadFile(f"{path} was changed: its boards have the hash {suite.hash}, not {stored.hash}")
    return suite

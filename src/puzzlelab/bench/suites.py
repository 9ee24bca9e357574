"""Suites of benchmarks: boards of one puzzle with their known lengths. Independent of solvers.

A suite is a text file, one of the package, an example of the puzzle, or sampled. In a file, lines that start with `#`
and empty lines are ignored; the others have columns with TABs between them: the board, then optionally its length in
moves, then `opt` if that length is proven optimal and `ub` if it is only an upper bound. Further columns are ignored. A
puzzle with the view `Notation` reads boards in its own way: CSV, or grids that are drawn. A line `# puzzle: tiles-4x4`
names the puzzle, and a line `# level: 7` the level of the boards below it. The file may be packed by gzip.
"""

import hashlib
import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from puzzlelab.bench import Batching
from puzzlelab.core import registry
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import BadBoard, BadFile, BadInput, UnknownName, as_unicode, shorten
from puzzlelab.core.puzzle import Puzzle, State, presentation_of
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import Samples, levels_of, scale_of
from puzzlelab.engine import report
from puzzlelab.experience.state_space import label_states
from puzzlelab.storage.board_files import board_lines
from puzzlelab.storage.files import make_folder, read_regular, replace_file, writing
from puzzlelab.text.board_blocks import read_texts, row_texts
from puzzlelab.text.reader import guess, splitter_of
from puzzlelab.text.splitting import BoardText

DATA = Path(__file__).parent / "data"
PACKED = ".gz"
"""The ending of a packed file."""
LEVEL = re.compile(r"#\s*level:\s*([0-9]{1,9})\s*$")
"""The pattern of a line that tells the level of the boards below it."""
SUITE_FILE = "suite.json"
PROVEN = ("opt", "optimal", "proven")
DISTANCE_SCALE = "distance"
"""The name of a scale whose level is the optimal length, which the puzzle looks up in a table."""
OPTIMUM_SCALES = (DISTANCE_SCALE, "optimum")
"""The names of scales whose level is the optimal length."""
LINES_TO_GUESS_FROM = 100
"""Lines that are read to guess the puzzle of a file that does not name it."""


@dataclass(frozen=True)
class SuiteEntry:
    """One board of a suite with its known length."""

    board: str
    """The text of the file; the canonical text if the puzzle has the view `Notation`."""
    level: int | None = None
    """The level of difficulty on the scale of the sample."""
    known: int | None = None
    """The shortest known length in moves."""
    known_is_optimal: bool = False
    """Whether `known` is proven optimal."""


@dataclass(frozen=True)
class Suite:
    """An ordered list of boards of one puzzle."""

    name: str
    puzzle: Puzzle
    entries: tuple[SuiteEntry, ...]
    faults: tuple[str, ...] = ()
    """A sentence for each line that could not be read, with its file and line number."""

    @cached_property
    def hash(self) -> str:
        """16 hexadecimal digits of a hash of the puzzle, the boards and their order."""
        text = "\n".join([self.puzzle.name, *(entry.board for entry in self.entries)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def instance(self, entry: SuiteEntry) -> Instance:
        """Return the board of an entry, ready to be solved."""
        return self.puzzle.read(entry.board)

    def boards(self, entries: Sequence[SuiteEntry]) -> Boards:
        """Return the boards of these entries, ready to be solved; raises `BadBoard`."""
        of_suite = read_texts(self.puzzle, [entry.board for entry in entries], "")
        for error in of_suite.errors.values():
            raise BadBoard(error)
        return of_suite


# --- files ---


def packaged() -> dict[str, Path]:
    """Return the suites of the package by name."""
    return {_name_of(path): path for path in sorted(DATA.glob("*.txt*"))}


def _name_of(path: Path) -> str:
    """Return the name of the suite in a file: that of the file without its endings."""
    return Path(path.name.removesuffix(PACKED)).stem


def find(name: str, puzzle: Puzzle | None = None) -> Suite:
    """Return the suite in the file of this name, that of the package, or the example of the puzzle, in this order."""
    path, packaged_paths, examples = Path(name), packaged(), presentation_of(puzzle).examples if puzzle else {}
    names = [*packaged_paths, *examples]
    if path.is_file() or (name not in names and (path.exists() or path.suffix or len(path.parts) > 1)):
        return read(path, puzzle)
    if name in packaged_paths:
        return read(packaged_paths[name], puzzle)
    if puzzle is None or name not in examples:
        raise UnknownName("suite, file or example" if puzzle else "suite or file", name, names)
    board = puzzle.read(examples[name].board)
    return Suite(name, puzzle, (SuiteEntry(puzzle.write(board.state)),))


def read(path: Path, puzzle: Puzzle | None = None) -> Suite:
    """Return the suite in a file; if no puzzle is given, it is the one that the file names, or guessed from the boards.

    A line that cannot be read becomes one of the suite's `faults`. Raises `BadFile` for a file that cannot be read or
    is empty, and `BadInput` if the puzzle cannot be guessed.
    """
    lines = list(board_lines(path))
    if puzzle is None:
        puzzle = _puzzle_of(path, lines)
    numbered_entries: list[tuple[int, SuiteEntry]] = []
    entries: list[SuiteEntry] = []
    faults: list[str] = []
    level_of_line = _levels(lines)
    for board_text in splitter_of(puzzle).split(lines):
        if board_text.text or any(board_text.columns):
            try:
                entry = replace(_read_columns(board_text), level=level_of_line(board_text.line))
                numbered_entries.append((board_text.line, entry))
            except BadInput as error:
                faults.append(f"{path}, line {board_text.line}: {error}")
    block = read_texts(puzzle, [entry.board for _, entry in numbered_entries], "")
    for place, ((line, entry), text) in enumerate(zip(numbered_entries, row_texts(block), strict=True)):
        if place in block.errors:
            faults.append(f"{path}, line {line}: {block.errors[place]}")
        else:
            entries.append(entry if text == entry.board else replace(entry, board=text))
    if not entries and not faults:
        raise BadFile(f"{path} holds no boards")
    return Suite(as_unicode(_name_of(path)), puzzle, tuple(entries), tuple(faults))


def _levels(lines: Sequence[str]) -> Callable[[int], int | None]:
    """Return the function from the number of a line to the level of its board, None where no line before tells it."""
    told = [(number, int(match[1])) for number, line in enumerate(lines, 1) if (match := LEVEL.match(line))]
    numbers, levels = [number for number, _ in told], [None, *(level for _, level in told)]
    return lambda line: levels[bisect(numbers, line)]


def _read_columns(board_text: BoardText) -> SuiteEntry:
    """Return the entry of a line; raises `BadInput` for columns that cannot be read."""
    length, flag = (*board_text.columns, "", "")[:2]
    if length in ("", "-"):
        return SuiteEntry(board_text.text)
    if not re.fullmatch(r"[0-9]{1,9}", length):
        raise BadInput(f"'{shorten(length)}' in the second column is no length")
    return SuiteEntry(board_text.text, known=int(length), known_is_optimal=flag.lower() in PROVEN)


def _puzzle_of(path: Path, lines: Sequence[str]) -> Puzzle:
    """Return the puzzle of the line `# puzzle: NAME`, else the first guess for one of the first boards."""
    for line in lines:
        if match := re.match(r"#\s*puzzle:\s*(\S+)", line):
            return registry.load(match[1])
    if not any(line.strip() and not line.startswith("#") for line in lines):
        raise BadFile(f"{path} holds no boards")
    puzzle = guess("".join(lines[:LINES_TO_GUESS_FROM]))
    if puzzle is None:
        raise BadInput(f"{path} does not say whose boards it holds; name the puzzle first: bench tiles-4x4 {path}")
    return puzzle


def at_level(suite: Suite, level: int) -> Suite:
    """Return the suite with all its boards at this level."""
    return replace(suite, entries=tuple(replace(entry, level=level) for entry in suite.entries))


def join(suites: Sequence[Suite]) -> Suite:
    """Return all boards of several suites as one; raises `BadInput` unless they are of one puzzle."""
    first = suites[0]
    for other in suites[1:]:
        if other.puzzle != first.puzzle:
            raise BadInput(f"one benchmark is of one puzzle, not of {first.puzzle.name} and {other.puzzle.name}")
    entries = tuple(entry for suite in suites for entry in suite.entries)
    faults = tuple(fault for suite in suites for fault in suite.faults)
    return replace(first, name="+".join(suite.name for suite in suites), entries=entries, faults=faults)


# --- samples ---


def sample(puzzle: Puzzle, levels: tuple[int, int] | None, scale: str | None, count: int, seed: int) -> Suite:
    """Sample `count` boards of each level; for equal seeds a level has equal boards, whatever the other levels are.

    Without levels, `count` boards of the scale. If the level is the optimal length, or the puzzle has a table of it,
    the entries contain it. Raises `Unsupported` for a puzzle without a generator, `UnknownName` for an unknown scale
    and `BadOption` for a level that does not exist.
    """
    name, sampler = scale_of(puzzle, scale)
    level_values: Sequence[int | None] = range(levels[0], levels[1] + 1) if levels else (None,)
    entries: list[SuiteEntry] = []
    for level in level_values:
        for number in range(count):
            state = sampler.sample(generator(seed, level or 0, number), level, 1)[0]
            optimum = level if name in OPTIMUM_SCALES and level is not None else _distance(puzzle, state)
            entries.append(SuiteEntry(puzzle.write(state), level, optimum, optimum is not None))
            report.progress(f"boards of {puzzle.name}", len(entries), len(level_values) * count)
    span = f" {levels[0]}-{levels[1]}" if levels else ""
    return Suite(f"{puzzle.name} {name}{span}, seed {seed}", puzzle, tuple(entries))


def every_board(puzzle: Puzzle) -> Suite:
    """Return every board that can be solved, with its true distance as its level.

    Raises `Unsupported` where moves cannot be undone, and `BadInput` where there are too many boards.
    """
    boards, distances, _ = label_states(puzzle)
    entries = [
        SuiteEntry(puzzle.write(board), distance, distance, known_is_optimal=True)
        for board, distance in zip(boards, distances.tolist(), strict=True)
    ]
    return Suite(f"{puzzle.name}, all boards", puzzle, tuple(entries))


def clue_count(puzzle: Puzzle, board: str) -> int | None:
    """Return the number of clues of a board; None if the puzzle's `difficulty` does not contain it."""
    return levels_of(puzzle, puzzle.read(board).state[None])[0].get("clues")


def _distance(puzzle: Puzzle, state: State) -> int | None:
    """Return the optimal length, for a puzzle that has a table of it, and so a scale of this name."""
    samples = puzzle.view(Samples)
    if samples is None or DISTANCE_SCALE not in samples.scales:
        return None
    return levels_of(puzzle, state[None])[0].get(DISTANCE_SCALE)


# --- the boards that a solver gets together ---


def batches(suite: Suite, indices: Sequence[int], batching: Batching, size: int, parts: int = 1) -> Iterator[list[int]]:
    """Yield the indices of boards in batches of at most `size`, whose boards have this in common.

    The boards that have it in common are in at least `parts` batches of equal size, if there are enough. Only the time
    of a whole batch is measured. So there is a time by level only if every batch has boards of one level, and a time by
    the number of clues only if every batch has boards of one such number. Raises `BadInput` if the number of clues is
    not known.
    """
    groups: dict[object, list[int]] = defaultdict(list)
    for index in indices:
        groups[_in_common(suite, index, batching)].append(index)
    for group in groups.values():
        step = min(size, -(-len(group) // parts) or 1)
        yield from (group[start : start + step] for start in range(0, len(group), step))


def _in_common(suite: Suite, index: int, batching: Batching) -> object:
    entry = suite.entries[index]
    if batching == "clues":
        clues = clue_count(suite.puzzle, entry.board)
        if clues is None:
            raise BadInput(f"{suite.puzzle.name} does not say how many clues a board has: batches are by level")
        return entry.level, clues
    return {"all": None, "board": index, "level": entry.level}[batching]


# --- the suite of a folder of rows ---


@dataclass(frozen=True)
class _Stored:
    name: str
    puzzle: str
    hash: str
    boards: tuple[SuiteEntry, ...]


def save(suite: Suite, folder: Path) -> None:
    """Write the suite into the folder of its rows; raises `BadInput` if the folder holds another suite."""
    path = folder / SUITE_FILE
    if path.exists():
        old = read_stored(folder)
        if old.hash != suite.hash:
            raise BadInput(
                f"{folder} holds results of '{old.name}' ({len(old.entries)} boards of {old.puzzle.name}, "
                f"hash {old.hash}), not of '{suite.name}' (hash {suite.hash}); give another --out"
            )
    stored = _Stored(suite.name, suite.puzzle.name, suite.hash, suite.entries)
    with writing(path):
        make_folder(folder)
        replace_file(path, TypeAdapter(_Stored).dump_json(stored, indent=1) + b"\n")


def read_stored(folder: Path) -> Suite:
    """Return the suite of the rows in this folder; raises `BadFile` if there is none."""
    path = folder / SUITE_FILE
    try:
        stored = TypeAdapter(_Stored).validate_json(read_regular(path))
    except OSError as error:
        raise BadFile(f"{folder} holds no benchmark: cannot read {path}: {error.strerror}") from None
    except ValidationError as error:
        raise BadFile(f"{path} is no suite of a benchmark ({shorten(error.errors()[0]['msg'], 80)})") from None
    suite = Suite(stored.name, registry.load(stored.puzzle), stored.boards)
    if suite.hash != stored.hash:
        raise BadFile(f"{path} was changed: its boards have the hash {suite.hash}, not {stored.hash}")
    return suite

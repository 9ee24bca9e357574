"""Boards with their solutions to learn from, made by the puzzle's generator or read from files.

Shapes: P = boards, N = cells, D = digits, B = slots.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar
from zipfile import BadZipFile

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadFile, BadInput, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, board_after
from puzzlelab.core.registry import usual_solver
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.core.views import BoardGenerator, own_generator
from puzzlelab.engine import candidate_logits, report
from puzzlelab.engine.solving import solve, uninterrupted
from puzzlelab.nets.form import candidates_of
from puzzlelab.nets.network import NetworkSettings
from puzzlelab.storage.board_files import board_lines
from puzzlelab.storage.files import replacing, writing
from puzzlelab.training import run_files
from puzzlelab.training.learner import Learner, check_network, new_learner
from puzzlelab.training.recipe import Watch
from puzzlelab.training.runs import Run
from puzzlelab.training.settings import RecipeSettings

GENERATION, ORDER, SYMMETRY = 3, 4, 5
"""The branches of the run's seed that generate boards, order them, and draw their symmetries."""
BOARDS_FILE = "boards.npz"
"""The file with the boards in the folder of a run."""
PARTS_FOLDER = "boards"
"""The folder with parts of these boards, until all are made."""
BOARDS_OF_PART = 20_000
"""The least number of boards in a part that is not the last one."""


class BoardSource(Settings):
    """Boards of one kind: `count` from the generator with the options `generator`, or the first `count` of a file."""

    count: int = Field(ge=1)
    generator: dict[str, Any] = Field(default_factory=dict)
    """Options of `puzzlelab generate`, such as minimal = true, or mix = "doubling" and unique = false."""
    file: str = ""
    """A file of boards with exactly one solution each."""


class SupervisedSettings(RecipeSettings):
    """The settings of every recipe that learns from boards with their solutions."""

    samples_from: ClassVar[tuple[str, ...]] = (*RecipeSettings.samples_from, "boards")
    boards: tuple[BoardSource, ...] = Field(min_length=1)
    """Where the boards come from: tables with `count` and `generator`, or with `file`."""
    augment: bool = True
    """Whether boards are shown under random symmetries of the puzzle; useless for a network with these symmetries."""


Labelled = NDArray[np.int8]
"""`int8[P, 2, N]`: the clues of each board, and its solution, as digits from 0, -1 for a blank cell."""


def check_settings(settings: SupervisedSettings) -> NetworkSettings:
    """Return the settings of the network; raises `BadInput` for settings that cannot be trained with."""
    puzzle = registry.load(settings.puzzle)
    candidates_of(puzzle)
    for source in settings.boards:
        if source.file and source.generator:
            raise BadInput("boards are read from a file or generated: give 'file' or 'generator', not both")
        if not source.file:
            _generator_settings(puzzle, source)
    return check_network(puzzle, settings)


def _generator_settings(puzzle: Puzzle, source: BoardSource) -> BoardGenerator:
    own = own_generator(puzzle)
    if own is None:
        raise Unsupported(f"{puzzle.name} has no generator of boards: give files of them")
    return own.settings(**source.generator, **own.fixed)


def boards_of_run(run: Run, puzzle: Puzzle, settings: SupervisedSettings, watch: Watch = lambda: None) -> Labelled:
    """Return the boards of a run, which are kept in its folder once they are made: generating a million takes minutes.

    Generated boards are kept in parts until all of them are made, so that a program that is ended continues. `watch` is
    called again and again meanwhile, and may raise. Raises `BadInput`, and `BadFile` for a damaged file.
    """
    path, total = run.folder / BOARDS_FILE, sum(source.count for source in settings.boards)
    if path.exists():
        boards = _load(path)
        if boards is None or len(boards) != total:
            raise BadFile(f"{path} is damaged: delete it, and it is made again")
        return boards
    boards = load_boards(puzzle, settings.boards, settings.seed, run.folder / PARTS_FOLDER, watch)
    _save(path, boards)
    run_files.remove_folder(run.folder, PARTS_FOLDER)
    return boards


def load_boards(
    puzzle: Puzzle,
    sources: tuple[BoardSource, ...],
    seed: int,
    folder: Path,
    watch: Watch = lambda: None,
) -> Labelled:
    """Return the boards of all sources, the same for the same seed; raises `BadInput`.

    Generated boards are kept in parts in `folder`, from which the next call continues.
    """
    parts, total = [], sum(source.count for source in sources)
    done = 0
    for number, source in enumerate(sources):
        branch = int(generator(seed, GENERATION, number).integers(2**62))
        stem = folder / f"source-{number}"
        with closing(_read(puzzle, source) if source.file else _in_parts(puzzle, source, branch, stem)) as stream:
            for part in stream:
                parts.append(part)
                done += len(part)
                report.progress("boards to learn from", done, total)
                watch()
    return np.concatenate(parts)


def _in_parts(puzzle: Puzzle, source: BoardSource, seed: int, stem: Path) -> Generator[Labelled, None, None]:
    """Yield generated boards: first those of the files `<stem>-<first board>.npz`, then new ones, which are saved
    there.

    A file that is damaged is made again. The last part is saved also if the work is ended.
    """
    done = 0
    while (part := _load(_part_path(stem, done))) is not None and len(part):
        done += len(part)
        yield part
    unsaved: list[Labelled] = []
    try:
        for part in _generate(puzzle, source, seed, done):
            unsaved.append(part)
            if sum(map(len, unsaved)) >= BOARDS_OF_PART:
                done += _save(_part_path(stem, done), np.concatenate(unsaved))
                unsaved = []
            yield part
    finally:
        if unsaved:
            _save(_part_path(stem, done), np.concatenate(unsaved))


def _part_path(stem: Path, first: int) -> Path:
    return stem.with_name(f"{stem.name}-{first:09}.npz")


def _load(path: Path) -> Labelled | None:
    """Return the boards in a file; None if it is missing or damaged. The array has a checksum in it."""
    try:
        with np.load(path) as arrays:
            boards: Labelled = arrays["boards"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, RuntimeError, TypeError, AttributeError):
        return None
    return boards if boards.ndim == 3 and boards.shape[1] == 2 and boards.dtype == np.int8 else None


def _save(path: Path, boards: Labelled) -> int:
    """Write boards to a file in one step; their number. Raises `BadFile`."""
    with writing(path):
        path.parent.mkdir(exist_ok=True)
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez(file, boards=boards)
    return len(boards)


def _generate(puzzle: Puzzle, source: BoardSource, seed: int, first: int) -> Iterator[Labelled]:
    """Yield the boards from number `first` on."""
    for boards, solutions in _generator_settings(puzzle, source).batches(source.count, seed, first):
        yield _labelled(puzzle, boards, solutions)


def _read(puzzle: Puzzle, source: BoardSource) -> Generator[Labelled, None, None]:
    """Yield the boards of a file with their only solutions; raises `BadInput` for a board with none or several."""
    name, options = usual_solver(puzzle)
    solver = registry.make_solver(name, options)
    for line, text in _texts(puzzle, source):
        try:
            state = puzzle.read(text).state
        except BadBoard as error:
            raise BadInput(f"{source.file}, line {line}: {error}") from None
        result = uninterrupted(solve(solver, Instance(puzzle, state), Limit()))
        if result.moves is None or result.proof != "unique":
            raise BadInput(f"{source.file}, line {line}: this board does not have exactly one solution")
        solved = board_after(puzzle, state, result.moves)
        yield _labelled(puzzle, state[None], solved[None])


def _texts(puzzle: Puzzle, source: BoardSource) -> list[tuple[int, str]]:
    """Return the boards of a file, each with its line; raises `BadInput` where there are too few."""
    from puzzlelab.text.reader import splitter_of

    texts = [
        (board.line, board.text) for board in splitter_of(puzzle).split(board_lines(Path(source.file))) if board.text
    ]
    if len(texts) < source.count:
        raise BadInput(f"{source.file} holds {len(texts)} boards, not {source.count}")
    return texts[: source.count]


def check_files(settings: SupervisedSettings) -> None:
    """Raise `BadInput` for a file of boards that is missing or too short: a run reads it once, and keeps its boards."""
    for source in settings.boards:
        if source.file:
            _texts(registry.load(settings.puzzle), source)


def _labelled(puzzle: Puzzle, boards: NDArray[Any], solutions: NDArray[Any]) -> Labelled:
    digits = candidates_of(puzzle).digits
    pairs = [[digits(board), digits(solution)] for board, solution in zip(boards, solutions, strict=True)]
    return np.array(pairs).astype(np.int8)


class BoardPool:
    """The boards in play, one in each slot: its remaining candidates and its solution.

    A finished board is replaced by the next one. Each epoch has a random order of its own, and shows each board, if
    wanted, under a random symmetry.
    """

    def __init__(self, puzzle: Puzzle, boards: Labelled, slots: int, seed: int, augment: bool = True) -> None:
        self.boards, self.seed = boards, seed
        view = candidates_of(puzzle)
        self.random_symmetry = view.random_symmetry if augment else None
        self.digits = np.arange(view.units.all.shape[1])
        self.taken = 0
        """The number of boards that were put into slots so far."""
        self.solutions = np.empty((slots, boards.shape[2]), np.int8)
        """[B, N]."""
        self.candidates = np.empty((*self.solutions.shape, len(self.digits)), bool)
        """[B, N, D]."""
        self._epoch = -1
        self._order = np.empty(0, np.int64)
        self.replace(np.ones(slots, bool))

    @property
    def solution_candidates(self) -> NDArray[np.bool_]:
        """`bool[B, N, D]`: the candidates of the solutions."""
        mask: NDArray[np.bool_] = self.solutions[..., None] == self.digits
        return mask

    def replace(self, finished: NDArray[np.bool_]) -> None:
        """Put new boards into these slots `bool[B]`."""
        for slot in np.flatnonzero(finished):
            clues, self.solutions[slot] = self._next()
            self.candidates[slot] = candidate_logits.all_candidates(clues, len(self.digits))

    def _next(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        epoch, index = divmod(self.taken, len(self.boards))
        if epoch != self._epoch:
            self._epoch, self._order = epoch, generator(self.seed, ORDER, epoch).permutation(len(self.boards))
        clues, solution = self.boards[self._order[index]]
        if self.random_symmetry is not None:
            cells, digits = self.random_symmetry(generator(self.seed, SYMMETRY, self.taken))
            clues, solution = (np.append(digits, -1)[array[cells]].astype(np.int8) for array in (clues, solution))
        self.taken += 1
        return clues, solution

    # --- saving ---

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """Return all that `restore` needs beside the boards."""
        arrays = {"solutions": self.solutions, "candidates": self.candidates}
        return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}, {"taken": self.taken}

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """Load a saved state."""
        self.solutions, self.candidates = tensors["solutions"].numpy().copy(), tensors["candidates"].numpy().copy()
        self.taken = int(values["taken"])


def new_parts(run: Run, settings: SupervisedSettings, watch: Watch) -> tuple[Learner, BoardPool]:
    """Return the learner of a run before its first step, and the boards that it learns from."""
    puzzle = registry.load(settings.puzzle)
    learner = new_learner(puzzle, settings.network, settings.learning, settings.seed)
    boards = boards_of_run(run, puzzle, settings, watch)
    return learner, BoardPool(puzzle, boards, settings.learning.batch_size, settings.seed, settings.augment)

"""Boards with their solutions to learn from, made by the puzzle's generator or read from a file; and those in play.

Shapes: P = boards, N = cells, D = digits, B = slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.errors import BadBoard, BadFile, BadInput, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.networks import NetworkOptions
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.core.solver import board_after, solve, usual_solver
from puzzlelab.core.views import BoardGenerator, OwnGenerator, RandomSymmetry
from puzzlelab.engine import candidate_logits, report
from puzzlelab.nets.device import device
from puzzlelab.nets.model import candidates_of
from puzzlelab.nets.network import NetworkSettings
from puzzlelab.training import learner
from puzzlelab.training.evaluation import EvalSettings
from puzzlelab.training.learner import Learner, LearnerSettings

MAKE, ORDER, IMAGE = 3, 4, 5
"""The branches of the run's seed that make boards, put them in order, and choose their images."""


class BoardSource(Settings):
    """Boards of one kind: `count` from the generator, which is told `make`, or the first `count` of a file."""

    count: int = Field(ge=1)
    make: dict[str, Any] = Field(default_factory=dict)
    """Such as minimal = true, or mix = "doubling" and unique = false: the words of `puzzlelab generate`."""
    file: str = ""
    """A file of boards that have one solution each."""


class SupervisedSettings(Settings):
    """What every recipe says that learns from boards with their solutions."""

    puzzle: str
    seed: int = Field(default=0, ge=0)
    network: NetworkOptions
    puzzles: tuple[BoardSource, ...] = Field(min_length=1)
    augment: bool = True
    """Whether boards are shown as their images in the puzzle's symmetries; not needed by a network that has them."""
    learning: LearnerSettings = LearnerSettings()
    exam: EvalSettings = EvalSettings()


@dataclass(frozen=True)
class LabelledBoards:
    """Boards, and a solution of each, as digits from 0, -1 for blank."""

    given: NDArray[np.int8]
    """[P, N]."""
    answer: NDArray[np.int8]
    """[P, N]."""


def check(settings: SupervisedSettings) -> NetworkSettings:
    """The settings of the network; raises `BadInput` for what cannot be had."""
    puzzle = registry.load(settings.puzzle)
    candidates_of(puzzle)
    for portion in settings.puzzles:
        if portion.file and portion.make:
            raise BadInput("boards are read from a file or made: give 'file' or 'make', not both")
        if not portion.file:
            _settings(puzzle, portion)
    device(settings.learning.device)
    return learner.checked(puzzle, settings.network)


def begin(settings: SupervisedSettings) -> tuple[Learner, BoardPool]:
    """A learner with random weights, and the first boards in play."""
    puzzle = registry.load(settings.puzzle)
    student = learner.new(puzzle, settings.network, settings.learning, settings.seed)
    boards = load(puzzle, settings.puzzles, settings.seed)
    return student, BoardPool(puzzle, boards, settings.learning.batch, settings.seed, settings.augment)


def _settings(puzzle: Puzzle, portion: BoardSource) -> BoardGenerator:
    own = puzzle.view(OwnGenerator)
    if own is None:
        raise Unsupported(f"{puzzle.name} has no generator of boards: give files of them")
    return own.settings(**portion.make)


def load(puzzle: Puzzle, portions: tuple[BoardSource, ...], seed: int) -> LabelledBoards:
    """All boards, the same for the same seed; raises `BadInput`."""
    parts, total = [], sum(portion.count for portion in portions)
    done = 0
    for number, portion in enumerate(portions):
        branch = int(generator(seed, MAKE, number).integers(2**62))
        for part in _read(puzzle, portion) if portion.file else _made(puzzle, portion, branch):
            parts.append(part)
            done += len(part.given)
            report.progress("boards to learn from", done, total)
    return LabelledBoards(
        np.concatenate([part.given for part in parts]), np.concatenate([part.answer for part in parts])
    )


def _made(puzzle: Puzzle, portion: BoardSource, seed: int) -> Any:
    for puzzles, solutions in _settings(puzzle, portion).batches(portion.count, seed, 1):
        yield LabelledBoards(_digits(puzzle, puzzles), _digits(puzzle, solutions))


def _read(puzzle: Puzzle, portion: BoardSource) -> Any:
    """The boards of a file with their only solutions; raises `BadInput` for a board that has none or several."""
    from puzzlelab.core.board_files import boards

    name, options = usual_solver(puzzle)
    solver = registry.make_solver(name, options)
    try:
        with Path(portion.file).open(encoding="utf-8-sig", errors="replace") as lines:
            texts = [(found.line, found.text) for found in boards(puzzle, lines) if found.text]
    except OSError as error:
        raise BadFile(f"cannot read {portion.file}: {error.strerror}") from None
    if len(texts) < portion.count:
        raise BadInput(f"{portion.file} holds {len(texts)} boards, not {portion.count}")
    for line, text in texts[: portion.count]:
        try:
            state = puzzle.read(text).state
        except BadBoard as error:
            raise BadInput(f"{portion.file}, line {line}: {error}") from None
        result = solve(solver, Instance(puzzle, state), Limit())
        if result.moves is None or result.proof != "unique":
            raise BadInput(f"{portion.file}, line {line}: this board does not have exactly one solution")
        solved = board_after(puzzle, state, result.moves)
        yield LabelledBoards(_digits(puzzle, state[None]), _digits(puzzle, solved[None]))


def _digits(puzzle: Puzzle, states: NDArray[Any]) -> NDArray[np.int8]:
    view = candidates_of(puzzle)
    return np.stack([view.digits(state) for state in states]).astype(np.int8)


class BoardPool:
    """Boards in play, one in each slot: what is left of each, and its solution. Who has ended makes room for the next.

    The boards come in an order of their own in each round through all of them, each, if wanted, as its image in a
    random symmetry.
    """

    def __init__(self, puzzle: Puzzle, quizzes: LabelledBoards, slots: int, seed: int, augment: bool = True) -> None:
        self.quizzes, self.seed = quizzes, seed
        self.symmetry = puzzle.view(RandomSymmetry) if augment else None
        self.digits = np.arange(candidates_of(puzzle).units.all.shape[1])
        self.taken = 0
        """Boards that were put into slots so far."""
        self.answer = np.empty((slots, quizzes.given.shape[1]), np.int8)
        """[B, N]."""
        self.left = np.empty((*self.answer.shape, len(self.digits)), bool)
        """[B, N, D]."""
        self._rounds = -1
        self._order = np.empty(0, np.int64)
        self.renew(np.ones(slots, bool))

    @property
    def right(self) -> NDArray[np.bool_]:
        """`bool[B, N, D]`: the candidates of the solutions."""
        found: NDArray[np.bool_] = self.answer[..., None] == self.digits
        return found

    def renew(self, ended: NDArray[np.bool_]) -> None:
        """New boards in these slots `bool[B]`."""
        for slot in np.flatnonzero(ended):
            given, self.answer[slot] = self._next()
            self.left[slot] = candidate_logits.all_candidates(given, len(self.digits))

    def _next(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        number, place = divmod(self.taken, len(self.quizzes.given))
        if number != self._rounds:
            self._rounds, self._order = number, generator(self.seed, ORDER, number).permutation(len(self.quizzes.given))
        board = self._order[place]
        given, answer = self.quizzes.given[board], self.quizzes.answer[board]
        if self.symmetry is not None:
            cells, names = self.symmetry.random_symmetry(generator(self.seed, IMAGE, self.taken))
            given, answer = (np.append(names, -1)[array[cells]].astype(np.int8) for array in (given, answer))
        self.taken += 1
        return given, answer

    # --- keeping ---

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """All that `restore` needs beside the boards."""
        arrays = {"answer": torch.from_numpy(self.answer.copy()), "left": torch.from_numpy(self.left.copy())}
        return arrays, {"taken": self.taken}

    def restore(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
        """Become the pool that gave this state."""
        self.answer, self.left = tensors["answer"].numpy().copy(), tensors["left"].numpy().copy()
        self.taken = int(told["taken"])

"""Self-competition: a network plays by search, learns from what the search found, and competes with what it was.

AlphaZero for puzzles of one player, where a game is won by nobody: of two networks that solve the same board, the one
with the shorter solution wins. Sources: Silver et al., "A general reinforcement learning algorithm" (2018); the
document on puzzles with UCT search (2020).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from puzzlelab.core import networks, registry
from puzzlelab.core.errors import BadOption
from puzzlelab.core.networks import NetworkOptions
from puzzlelab.core.settings import Settings
from puzzlelab.experience.curriculum import CurriculumSettings, StartSampler
from puzzlelab.nets.device import device
from puzzlelab.training import learner
from puzzlelab.training.evaluation import EvalSettings
from puzzlelab.training.learner import LearnerSettings
from puzzlelab.training.losses import Distance
from puzzlelab.training.runs import Run


class GameSettings(Settings):
    """How games are played; the words are those of the solver `uct`."""

    games: int = Field(default=256, ge=1)
    """That are played side by side, and make a shard."""
    playouts: int = Field(default=50, ge=1)
    decay: float = Field(default=0.035, gt=0, le=10)
    exploration: float = Field(default=0.1, ge=0)
    policy: Literal["visits", "values"] = "visits"
    temperature: float = Field(default=0.0, ge=0)
    noise: float = Field(default=0.25, ge=0, le=1)
    concentration: float = Field(default=1.0, gt=0)
    max_moves: int = Field(default=100, ge=1)
    """After which a game is aborted."""
    patience: float = Field(default=2.0, gt=0)
    """A board that so many random moves scrambled is given up after this many times as many."""


class WindowSettings(Settings):
    """Which samples are learned from."""

    newest: int = Field(default=500_000, ge=1)
    """So many are kept."""
    round: int = Field(default=500_000, ge=1)
    """So many are drawn between two candidates."""
    reuse: float = Field(default=8.0, gt=0)
    """How often a sample is drawn, on average, before the learner waits for more."""


class MatchSettings(Settings):
    """When a candidate becomes the champion: if it is better with its search or, where that does not say, without."""

    games: int = Field(default=400, ge=1)
    """Boards of a match, at most."""
    portion: int = Field(default=100, ge=1)
    """Boards that are played at once; after each portion a match may be decided."""
    better: float = Field(default=0.6, gt=0.5, lt=1)
    """The share of the games with a winner that a better player wins, or loses to one."""
    error: float = Field(default=0.05, gt=0, lt=0.5)
    """How often a match may be decided wrongly between players who are as much apart as that, or not at all."""
    opponents: tuple[str, ...] = ("random",)
    """Solvers that never change, against which every champion plays: the first one's rating is 0."""
    ladder: int = Field(default=100, ge=1)
    """Boards of each of these matches."""


class SelfPlaySettings(Settings):
    """Every setting of the recipe."""

    recipe: Literal["selfplay"] = "selfplay"
    puzzle: str
    seed: int = Field(default=0, ge=0)
    network: NetworkOptions
    """With the head `remaining`, and `moves` unless the policy is `values`."""
    follow: Literal["champion", "latest"] = "champion"
    """Whose games are learned from."""
    remaining: float = Field(default=0.1, ge=0)
    """What the remaining moves count in the loss."""
    moves: float = Field(default=1.0, ge=0)
    """What the scores of moves count."""
    distance: Distance = "huber"
    middle: float = 10.0
    """What the network says of everything at the beginning."""
    spread: float = Field(default=10.0, gt=0)
    """In which unit it thinks."""
    augment: bool = True
    """Whether samples are shown as their images in the puzzle's symmetries, and with their symbols exchanged."""
    starts: CurriculumSettings = CurriculumSettings()
    playing: GameSettings = GameSettings()
    samples: WindowSettings = WindowSettings()
    match: MatchSettings = MatchSettings()
    learning: LearnerSettings = LearnerSettings(schedule="constant")
    exam: EvalSettings = EvalSettings(games=0)
    """By the scores of moves, if it does not say otherwise and the network has them."""


@dataclass(frozen=True)
class SelfPlayRecipe:
    """All programs of a run, as `selfplay run` starts them."""

    settings = SelfPlaySettings

    def check(self, settings: SelfPlaySettings) -> None:
        puzzle = registry.load(settings.puzzle)
        StartSampler.of(puzzle, settings.starts)
        if settings.starts.grows == "evenly":
            raise BadOption("games of self-competition become harder as they are won (starts.grows), not evenly")
        device(settings.learning.device)
        heads = learner.checked(puzzle, settings.network).heads
        needed = {networks.ESTIMATES[0], *(("policy",) if settings.playing.policy == "visits" else ())}
        if lacking := sorted(needed - set(heads)):
            raise BadOption(f"this recipe needs the head '{lacking[0]}', and the network has {' and '.join(heads)}")
        for text in settings.match.opponents:
            registry.parse_solver(text)

    def learn(self, run: Run, settings: SelfPlaySettings, watch: Callable[[], None]) -> None:
        from puzzlelab.training.selfplay import supervisor
        from puzzlelab.training.selfplay.run_folder import SelfPlayRun

        supervisor.run_all(SelfPlayRun(run.folder), settings, watch)


RECIPE = SelfPlayRecipe()

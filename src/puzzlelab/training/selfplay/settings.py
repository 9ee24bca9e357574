"""The settings of self-play: how games are played, learned from and compared."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from puzzlelab.core.settings import Settings, WhenContinued
from puzzlelab.experience.curriculum import CurriculumSettings
from puzzlelab.training.evaluation import EvalSettings
from puzzlelab.training.runs import Follow
from puzzlelab.training.settings import BoardBytes, Distance, LearnerSettings, PolicyValueSettings


class GameSettings(Settings):
    """The way in which games are played; most options are those of the solver `uct`."""

    parallel_games: int = Field(default=256, ge=1)
    """The number of games played side by side, which make a shard."""
    playouts: int = Field(default=50, ge=1)
    """Playouts at each position."""
    step_discount: float = Field(default=0.035, gt=0, le=10)
    """The value of a state with n remaining moves is exp(-step_discount * n)."""
    c_puct: float = Field(default=0.1, ge=0)
    """The weight of the prior in the choice of a child."""
    policy: Literal["visits", "values"] = "visits"
    """The source of the prior: the network's scores of moves, or the estimates of all children."""
    temperature: float = Field(default=0.0, ge=0)
    """The temperature at which moves are drawn by their visits; 0: the move with the most visits."""
    dirichlet_fraction: float = Field(default=0.25, ge=0, le=1)
    """The share of Dirichlet noise in the prior at the root."""
    dirichlet_alpha: float = Field(default=1.0, gt=0)
    """The parameter of that noise; the smaller, the more uneven."""
    root: Literal["puct", "halving"] = "puct"
    """The choice at the root: by PUCT, or by sequential halving, which draws moves by Gumbel noise and has neither
    temperature nor Dirichlet noise.
    """
    considered: int = Field(default=16, ge=1)
    """The most moves among which sequential halving begins."""
    value_scale: float = Field(default=10.0, gt=0)
    """The weight of values against priors in sequential halving."""
    gumbel_noise: float = Field(default=1.0, ge=0)
    """The scale of the Gumbel noise of sequential halving."""
    max_moves: int = Field(default=100, ge=1)
    """The move limit of a game."""
    max_moves_factor: float = Field(default=2.0, gt=0)
    """The move limit of a scrambled board as a multiple of its scramble length."""


class WindowSettings(Settings):
    """The window of newest samples that batches are drawn from."""

    capacity: int = Field(default=500_000, ge=1)
    """The number of samples that are kept."""
    samples_per_candidate: int = Field(default=500_000, ge=1)
    """The number of samples drawn between two candidate networks."""
    replay_ratio: float = Field(default=8.0, gt=0)
    """The number of times that a sample is drawn, on average, before the trainer waits for more samples."""


class MatchSettings(Settings):
    """The match after which a candidate network replaces the champion: if it wins with its search or, where both are
    equal, without.
    """

    max_boards: int = Field(default=400, ge=1)
    """The greatest number of boards of a match."""
    batch_size: int = Field(default=100, ge=1)
    """The number of boards played at once; the sequential test may end a match after each batch."""
    better_win_rate: float = Field(default=0.6, gt=0.5, lt=1)
    """The win rate of a better player, among the games with a winner, in the sequential test."""
    error_rate: float = Field(default=0.05, gt=0, lt=0.5)
    """The probability of a wrong verdict of the sequential test."""
    opponents: tuple[str, ...] = ("random",)
    """Fixed solvers that every champion plays against; the rating of the first one is 0."""
    opponent_boards: int = Field(default=100, ge=1)
    """The number of boards of each match against a fixed solver."""


class SelfPlaySettings(PolicyValueSettings):
    """Every setting of the recipe; the network needs the head `cost_to_go`, and `policy` if games follow visits."""

    samples_from: ClassVar[tuple[str, ...]] = (
        *("puzzle", "seed", "recipe", "network", "init", "output_mean", "output_scale"),
        *("self_play", "follow", "match", "curriculum"),
    )
    recipe: str = "selfplay"
    learning: LearnerSettings = LearnerSettings(schedule="constant")
    evaluation: EvalSettings = EvalSettings(teacher_games=0)
    """Guided by the scores of moves by default, if the network has them."""
    cost_to_go_weight: float = Field(default=0.1, ge=0)
    policy_weight: float = Field(default=1.0, ge=0)
    distance: Distance = "huber"
    """The measure of the difference between a predicted value and its target."""
    follow: Follow = "champion"
    """The network that plays: the champion, or the latest one."""
    output_mean: float = 10.0
    """The remaining moves that the untrained network predicts."""
    output_scale: float = Field(default=10.0, gt=0)
    """The unit of the network's output layer."""
    curriculum: Annotated[
        CurriculumSettings,
        WhenContinued(reason="the difficulty is found from all games so far"),
    ] = CurriculumSettings()
    self_play: GameSettings = GameSettings()
    replay: WindowSettings = WindowSettings()
    match: MatchSettings = MatchSettings()

    def memory_needs(self, board: BoardBytes) -> dict[str, int]:
        """Return the least bytes of memory for each setting that is a number of boards."""
        games, kept = self.self_play.parallel_games * board.played, self.replay.capacity * board.state
        return {**super().memory_needs(board), "self_play.parallel_games": games, "replay.capacity": kept}

"""Self-play: a network plays by tree search, learns from the results of the search, and competes with earlier networks.

AlphaZero for single-player puzzles, where no opponent can be beaten: of two networks that solve the same board, the one
with the shorter solution wins. Sources: Silver et al., "A general reinforcement learning algorithm" (2018); the
document on puzzles with UCT search (2020).
"""

from __future__ import annotations

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.engine.executor import Executor
from puzzlelab.experience.curriculum import StartSampler
from puzzlelab.storage import networks
from puzzlelab.training.recipe import NO_CALLBACKS, Callbacks, Recipe, Watch
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay import programs
from puzzlelab.training.selfplay.settings import SelfPlaySettings


def check(settings: SelfPlaySettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with."""
    from puzzlelab.training.evaluation import check_player
    from puzzlelab.training.learner import check_network
    from puzzlelab.training.losses import loss_of

    puzzle = registry.load(settings.puzzle)
    require_counted_moves(puzzle, "self-play")
    StartSampler.of(puzzle, settings.curriculum)
    loss_of(settings.distance)
    if settings.curriculum.growth not in ("never", "wins"):
        raise BadOption(
            f"in self-play the difficulty grows with games won, not by '{settings.curriculum.growth}': "
            "curriculum.growth=wins"
        )
    heads = check_network(puzzle, settings, prefers_prior=True).heads
    needed = {networks.ESTIMATES[0], *(("policy",) if settings.self_play.policy == "visits" else ())}
    if missing := sorted(needed - set(heads)):
        raise BadOption(f"this recipe needs the head '{missing[0]}', and the network has {' and '.join(heads)}")
    for solver in settings.match.opponents:
        check_player(registry.parse_solver(solver), puzzle)


def learn(
    run: Run, settings: SelfPlaySettings, watch: Watch, executor: Executor, callbacks: Callbacks = NO_CALLBACKS
) -> None:
    """Run all programs, as `selfplay run` does."""
    programs.run_all(run, settings, watch, executor)


NO_CALLS = (
    "self-play learns in a process of its own, which cannot call functions of this one: leave out on_step and "
    "on_evaluation, and read metrics.jsonl in the folder of the run"
)
RECIPE = Recipe(SelfPlaySettings, check, learn, refuses_callbacks=NO_CALLS)
"""All programs of a run."""

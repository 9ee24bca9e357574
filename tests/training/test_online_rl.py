"""What recipes share that play for themselves: what they refuse, what they tell, and what they keep."""

import numpy as np
import pytest

pytest.importorskip("torch")


from puzzlelab.core import registry
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.curriculum import CurriculumSettings
from puzzlelab.training import online_rl
from puzzlelab.training.learner import new_learner
from puzzlelab.training.recipes.dqn import Dqn, DqnSettings
from puzzlelab.training.settings import LearnerSettings

NETWORK = {"kind": "dense", "width": 4, "depth": 1}


@pytest.mark.parametrize("dueling", [False, True])
@pytest.mark.parametrize(("kind", "name"), [("dense", "tiles-3x3"), ("exchangeable", "dust-4x3x3")])
def test_the_output_of_an_untrained_network_is_the_given_mean(kind, name, dueling) -> None:
    puzzle = registry.load(name)
    network = {"kind": kind, "width": 4, "depth": 1, "heads": ["q", "cost_to_go"], "dueling": dueling}
    learner = new_learner(puzzle, network, LearnerSettings(), seed=0)
    online_rl.set_output_scale(learner, -12.0, 3.0)
    states = np.zeros((2, puzzle.goals().shape[1] if name == "tiles-3x3" else 12), np.uint8)
    for model in (learner.model, learner.ema_model):
        said = model.outputs(states)
        assert np.allclose(said["q"], -12.0)
        assert np.allclose(said["cost_to_go"], -12.0)


def test_metrics_are_those_since_the_last_call() -> None:
    settings = DqnSettings(
        puzzle="tiles-2x2",
        network={**NETWORK, "heads": ["q"]},
        parallel_games=4,
        curriculum=CurriculumSettings(random_walk_share=1, initial_difficulty=2),
    )
    play = online_rl.OnlineLearning.of(Dqn(registry.load("tiles-2x2"), settings), ThisProcess()).play
    play.games.tally[:], play.games.final_estimates[:] = [8, 6, 40, 10], 4
    play.games.length_counts[[2, 3, 6, 10]] = [1, 3, 3, 1]
    of_games = {"games": 8, "won": 0.75, "length": 5.0, "random_moves": 1.25, "final_estimate": 0.5}
    of_games |= {"length_low": 2, "length_high": 10}
    found = {"difficulty": 2, **of_games, "epsilon": 0.1, "turns": 0}
    assert play.metrics() == found
    assert play.metrics() == {"difficulty": 2, "games": 0, "epsilon": 0.1, "turns": 0}


def test_checks_of_a_curriculum_count_all_and_tell_the_last() -> None:
    curriculum = CurriculumSettings(
        scale="walk-to-level",
        initial_difficulty=1,
        max_difficulty=1,
        growth="evaluations",
        evaluation_interval=1,
        evaluation_boards=4,
    )
    network = {**NETWORK, "heads": ["q"]}
    settings = DqnSettings(puzzle="tiles-2x3", network=network, parallel_games=4, max_moves=3, curriculum=curriculum)
    play = online_rl.OnlineLearning.of(Dqn(registry.load("tiles-2x3"), settings), ThisProcess()).play
    play.check_policy()
    assert play.checks == {}  # no game has ended
    solved = []
    for number in (1, 2):
        play.games.start_sampler.ended(1, 0)
        play.check_policy()
        solved.append(round(4 * play.checks["check_solved"]))
        assert play.checks["checks"] == number
        assert play.checks["finishes"] == sum(solved)
        assert play.checks["check_level"] >= 0
    assert play.metrics().items() >= play.checks.items()


def test_parts_whose_names_begin_alike_are_not_mixed_up() -> None:
    kept = online_rl.to_tensors({"games": {"states": np.arange(3)}, "games_of": {"states": np.arange(5)}})
    assert online_rl.arrays_of(kept, "games")["states"].tolist() == [0, 1, 2]
    assert online_rl.arrays_of(kept, "games_of")["states"].tolist() == [0, 1, 2, 3, 4]

"""The environment for Stable-Baselines3, with a stand-in for its base class where it is not installed."""

import importlib
import importlib.util
import pickle
import re
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium

from puzzlelab import BadOption, load, solve
from puzzlelab.core.views import Planes

ROOT = Path(__file__).parents[1]
FAR, NEARLY = "8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 7 0 8"
"""31 moves from the goal, and one: L."""
INSTALLED = importlib.util.find_spec("stable_baselines3") is not None
needs_the_real_one = pytest.mark.skipif(not INSTALLED, reason="could not import 'stable_baselines3'")
GOAL = "1 2 3 4 5 6 7 8 0"
U, D, L, R = range(4)


class VecEnv:
    """What an environment inherits from the `VecEnv` of Stable-Baselines3."""

    def __init__(self, num_envs, observation_space, action_space):
        self.num_envs, self.observation_space, self.action_space = num_envs, observation_space, action_space
        self.render_mode = self.get_attr("render_mode")[0]
        self._reset_seeds()
        self._reset_options()

    def _reset_seeds(self):
        self._seeds = [None] * self.num_envs

    def _reset_options(self):
        self.set_options()

    def seed(self, seed=None):
        self._seeds = [seed + row for row in range(self.num_envs)]
        return self._seeds

    def set_options(self, options=None):
        self._options = [options or {}] * self.num_envs if isinstance(options, dict | None) else options

    def step(self, actions):
        self.step_async(actions)
        return self.step_wait()


@pytest.fixture(scope="module", autouse=True)
def sb3():
    """The module, imported with the stand-in or with Stable-Baselines3."""
    with pytest.MonkeyPatch.context() as patch:
        if not INSTALLED:
            for name in ("", ".common", ".common.vec_env", ".common.monitor"):
                patch.setitem(sys.modules, f"stable_baselines3{name}", ModuleType(f"stable_baselines3{name}"))
            sys.modules["stable_baselines3.common.vec_env"].VecEnv = VecEnv
            sys.modules["stable_baselines3.common.monitor"].Monitor = type("Monitor", (), {})
        patch.delitem(sys.modules, "puzzlelab.sb3", raising=False)
        yield importlib.import_module("puzzlelab.sb3")
        sys.modules.pop("puzzlelab.sb3")


def methods(count, puzzle="tiles-3x3", **options):
    return sys.modules["puzzlelab.sb3"].vector_env(puzzle, count, **options)


def step(env, actions):
    return env.step(np.array(actions))


def planes(*boards):
    puzzle = load("tiles-3x3")
    return puzzle.view(Planes).planes(np.array([puzzle.read(board).state for board in boards]))


def text(env, row):
    return env.get_attr("puzzle")[0].write(env.get_attr("instance", row)[0].state)


# --- episodes -------------------------------------------------------------------------------------------------------


def test_after_an_end_comes_the_first_board_of_the_next_episode_in_the_same_step():
    env = methods(3, max_moves=9)
    env.seed(1)
    env.set_options([{"board": NEARLY}, {"board": NEARLY}, {"board": FAR}])
    assert np.array_equal(env.reset(), planes(NEARLY, NEARLY, FAR))
    observations, rewards, ends, infos = step(env, [L, R, U])
    assert (rewards.dtype, rewards.tolist(), ends.tolist()) == (np.float32, [-1, -1, -1], [True, False, False])
    assert np.array_equal(infos[0]["terminal_observation"], planes(GOAL)[0])
    assert np.array_equal(observations, planes(*(text(env, row) for row in range(3))))
    assert text(env, 0) not in (NEARLY, GOAL)
    assert infos[1:] == [{}, {}]
    first = text(env, 0)
    masks = env.env_method("action_masks")
    observations, rewards, ends, infos = step(env, [int(mask.argmax()) for mask in masks])
    assert (rewards.tolist(), ends.any(), infos) == ([-1, -1, -1], False, [{}, {}, {}])
    assert text(env, 0) != first  # the first move of the new episode was made
    assert np.array_equal(observations, planes(*(text(env, row) for row in range(3))))


def test_infos_say_how_an_episode_ended():
    env = methods(2, max_moves=2, reward="goal")
    env.set_options([{"board": NEARLY}, {"board": FAR}])
    env.reset()
    assert step(env, [U, D])[2].tolist() == [False, False]
    _, rewards, ends, infos = step(env, [L, D])
    assert (rewards.tolist(), ends.tolist()) == ([10, -1], [True, True])
    assert [info["TimeLimit.truncated"] for info in infos] == [False, True]
    assert [(info["is_success"], info["solved"], info["dead_end"]) for info in infos] == [
        (True, True, False),
        (False, False, False),
    ]
    assert [(info["episode"]["r"], info["episode"]["l"], info["moves"]) for info in infos] == [(0, 2, 2), (-2, 2, 2)]
    assert all(info["episode"]["t"] >= 0 for info in infos)


# --- seeds and options ----------------------------------------------------------------------------------------------


def test_one_seed_is_one_course():
    starts = []
    for seed in (3, 3, 4):
        env = methods(20, puzzle="tiles-2x3")
        env.seed(seed)
        starts += [env.reset().tobytes(), env.reset().tobytes()]  # a seed is for one reset
    assert starts[:2] == starts[2:4]
    assert len(set(starts)) == 4


def test_options_are_for_one_reset():
    env = methods(2)
    env.set_options({"board": NEARLY})
    assert np.array_equal(env.reset(), planes(NEARLY, NEARLY))
    assert not np.array_equal(env.reset(), planes(NEARLY, NEARLY))
    env.set_options({"board": NEARLY})
    env.set_options()
    assert not np.array_equal(env.reset(), planes(NEARLY, NEARLY))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([{"board": NEARLY}, {"level": 3}], "a board, or a scale and a level, not both"),
        ([{"level": 2}, {"level": 3}], "'level' cannot be '[2, 3]'"),
        ([{"board": NEARLY}, {}], "a list of 2 texts"),
        ([{"board": NEARLY}], "a dictionary, or a list of 2 dictionaries"),
    ],
)
def test_options_that_cannot_be(options, words):
    env = methods(2)
    env.set_options(options)
    with pytest.raises(BadOption, match=re.escape(words)):
        env.reset()


# --- single boards --------------------------------------------------------------------------------------------------


def test_boards_are_addressed_by_their_rows():
    env = methods(3, render_mode="ansi")
    env.set_options([{"board": FAR}, {"board": NEARLY}, {"board": GOAL}])
    env.reset()
    drawn = env.env_method("render")
    assert drawn[1] == "1 2 3\n4 5 6\n7 . 8"
    assert env.env_method("render", indices=1) == [drawn[1]]
    assert env.env_method("render", indices=[2, 0]) == [drawn[2], drawn[0]]
    assert [mask.tolist() for mask in env.env_method("action_masks", indices=[1])] == [[False, True, True, True]]
    assert [method().tolist() for method in env.get_attr("action_masks", 1)] == [[False, True, True, True]]
    assert env.get_attr("render_mode") == ["ansi"] * 3
    assert env.get_attr("action_space", range(2)) == [gymnasium.spaces.Discrete(4)] * 2


def test_attributes_that_are_set_change_what_comes_next():
    env = methods(3, scale="distance", level=3)
    env.reset()
    env.set_attr("max_moves", 1)
    env.set_attr("level", 12)
    assert (env.get_attr("level"), env.get_attr("max_moves")) == ([12] * 3, [1] * 3)
    assert step(env, [0, 0, 0])[2].tolist() == [True] * 3  # so that all boards are new
    assert [solve(board).length for board in env.get_attr("instance")] == [12] * 3
    for wrong in ({"attr_name": "colour", "value": "red"}, {"attr_name": "level", "value": 20, "indices": [0, 2]}):
        with pytest.raises(BadOption, match="'colour' cannot be set; known are|all 3 boards share 'level'"):
            env.set_attr(**wrong)
    with pytest.raises(AttributeError, match="colour"):
        env.get_attr("colour")
    with pytest.raises(AttributeError, match="no_method"):
        env.env_method("no_method")


def test_all_are_of_one_class_and_can_be_pickled(sb3):
    env = methods(3)
    env.seed(1)
    env.reset()
    assert isinstance(env, methods(2).__class__)
    other = pickle.loads(pickle.dumps(env))
    moves = np.stack(env.env_method("action_masks")).argmax(axis=1)
    for ours, theirs in zip(step(env, moves)[:3], step(other, moves)[:3], strict=True):
        assert np.array_equal(ours, theirs)
    assert env.env_is_wrapped(sb3.Monitor, indices=[0, 1]) == [True, True]
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3


def test_a_vector_environment_of_an_id_needs_the_mode_of_stable_baselines(sb3):
    make = partial(gymnasium.make_vec, "puzzlelab/Tiles-v0", 3, rows=2, columns=3)
    assert sb3.PuzzleVecEnv(make(autoreset_mode="SameStep")).get_attr("spec")[0].id == "puzzlelab/Tiles-v0"
    with pytest.raises(BadOption, match="needs an environment with autoreset_mode='SameStep'"):
        sb3.PuzzleVecEnv(make())


def test_pictures_of_all_boards():
    env = methods(2, render_mode="rgb_array")
    env.reset()
    assert [(image.dtype, image.ndim) for image in env.get_images()] == [(np.uint8, 3)] * 2
    with pytest.warns(UserWarning, match="render_mode='rgb_array'"):
        assert methods(2).get_images() == [None, None]


# --- what is missing ------------------------------------------------------------------------------------------------


def test_without_stable_baselines_a_sentence_says_what_is_missing():
    code = "import sys; sys.modules['stable_baselines3'] = None; import puzzlelab.gym; print(1); import puzzlelab.sb3"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "1\n"  # the module for Gymnasium needs none
    assert "BadInput: puzzlelab.sb3 needs stable_baselines3, which is not installed: pip install" in done.stderr


# --- with Stable-Baselines3 -----------------------------------------------------------------------------------------


@needs_the_real_one
def test_it_is_an_environment_of_stable_baselines():
    from stable_baselines3.common.vec_env import VecEnv

    env = methods(3, "tiles-2x3", render_mode="rgb_array", max_moves=5)
    assert isinstance(env, VecEnv)
    assert (env.num_envs, env.action_space.n, env.observation_space.shape) == (3, 4, (30,))
    assert (env.has_attr("action_masks"), env.has_attr("action_mask")) == (True, False)
    assert env.unwrapped is env
    env.reset()
    assert env.render().shape[2] == 3


@needs_the_real_one
@pytest.mark.parametrize(
    ("name", "board"), [("tiles-2x3", "1 2 3 4 0 5"), ("sudoku-4x4", "12..3412 21.4 4321".replace(" ", ""))]
)
def test_it_plays_like_the_environments_of_stable_baselines(name, board):
    from stable_baselines3.common.vec_env import DummyVecEnv

    options = {"board": board, "max_moves": 6, "reward": "goal"}
    one = partial(gymnasium.make, "puzzlelab/Puzzle-v0", puzzle=name, **options)
    envs = [methods(5, name, **options), DummyVecEnv([one] * 5)]
    starts = [env.reset() for env in envs]
    assert np.array_equal(*starts)
    random, ended = np.random.default_rng(0), 0
    for _ in range(40):
        ours, theirs = (np.stack(env.env_method("action_masks")) for env in envs)
        assert np.array_equal(ours, theirs)
        moves = (random.random(ours.shape) * (ours + 0.1)).argmax(axis=1)  # a few of them illegal
        ours, theirs = (env.step(moves) for env in envs)
        for one_array, other_array in zip(ours[:3], theirs[:3], strict=True):
            assert (one_array.dtype, one_array.tolist()) == (other_array.dtype, other_array.tolist())
        for row in np.flatnonzero(ours[2]):
            ended += 1
            one_info, other_info = ours[3][row], theirs[3][row]
            for name in other_info.keys() - {"action_mask"}:
                assert np.array_equal(one_info[name], other_info[name]), name
    assert ended > 10


@needs_the_real_one
def test_callbacks_that_evaluate_see_a_monitor_and_the_same_kind_of_environment():
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import EvalCallback

    env, other = (methods(count, "tiles-2x3", max_moves=5) for count in (4, 2))
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=32, n_epochs=1, device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.learn(64, callback=EvalCallback(other, eval_freq=8, n_eval_episodes=2, verbose=0))


def test_maskable_ppo_makes_legal_moves_only():
    sb3_contrib = pytest.importorskip("sb3_contrib")
    one = gymnasium.make("puzzlelab/Tiles-v0", rows=2, columns=3, reward="goal", max_moves=20)
    for env in (one, methods(20, "tiles-2x3", reward="goal", max_moves=20)):
        paid = []
        model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=20, batch_size=20, n_epochs=1, seed=0, device="cpu")
        model.learn(400, callback=lambda values, _, paid=paid: paid.extend(values["rewards"]) or True)
        assert len(paid) >= 400
        assert min(paid) == -1  # an illegal move costs 10


def test_the_code_of_the_page_runs():
    for library in ("stable_baselines3", "sb3_contrib"):
        pytest.importorskip(library)
    page = (ROOT / "docs" / "gymnasium.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```py\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 5
    names = {}
    for block in blocks:
        if "torchrl" in block:
            continue
        exec(compile(block, "docs/gymnasium.md", "exec"), names)
    assert names["boards"].num_envs == 100

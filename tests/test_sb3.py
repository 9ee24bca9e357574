"""The environment for Stable-Baselines3: its methods alone, and with Stable-Baselines3 where it is installed."""

import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium")

import gymnasium

import puzzlelab.sb3
from puzzlelab import BadBoard, BadInput, BadOption, load
from puzzlelab.core.views import Planes, is_legal
from puzzlelab.gym import PuzzleVectorEnv
from puzzlelab.sb3 import VecEnvMethods

ROOT = Path(__file__).parents[1]
FAR, NEARLY = "8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 7 0 8"
"""31 moves from the goal, and one: L."""
GOAL = "1 2 3 4 5 6 7 8 0"
U, D, L, R = range(4)


def methods(count, **options):
    return VecEnvMethods(PuzzleVectorEnv(count, **options))


def step(env, actions):
    env.step_async(np.array(actions))
    return env.step_wait()


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


def test_moves_before_the_first_board_are_refused():
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        step(methods(2), [U, U])
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        methods(2).env_method("action_masks")


# --- seeds and options ----------------------------------------------------------------------------------------------


def course(env, seed, steps=30):
    assert list(env.seed(seed)) == [seed] * env.num_envs
    random, found = np.random.default_rng(0), [env.reset().tobytes()]
    for _ in range(steps):
        masks = np.stack(env.env_method("action_masks"))
        observations, _, ends, _ = step(env, (random.random(masks.shape) * masks).argmax(axis=1))
        found.append((observations.tobytes(), ends.tobytes()))
    return found


def test_one_seed_is_one_course():
    one, other = (methods(20, puzzle="tiles-2x3", max_moves=8) for _ in range(2))
    assert course(one, 3) == course(other, 3)
    assert course(one, 3) != course(one, 4)
    assert one.reset().tobytes() != one.reset().tobytes()  # a seed is for one reset


def test_options_are_for_one_reset():
    env = methods(2)
    env.set_options({"board": NEARLY})
    assert np.array_equal(env.reset(), planes(NEARLY, NEARLY))
    assert not np.array_equal(env.reset(), planes(NEARLY, NEARLY))
    env.set_options({"board": NEARLY})
    env.set_options()
    assert not np.array_equal(env.reset(), planes(NEARLY, NEARLY))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"boards": NEARLY}, BadOption, "no option 'boards'; did you mean 'board'"),
        ([{"board": NEARLY}, {"level": 3}], BadOption, "reset has no option 'level'"),
        ([{"board": NEARLY}, {}], BadOption, "a list of 2 texts"),
        ([{"board": NEARLY}], BadOption, "a list of 2 texts"),
        ({"board": "1 2 3"}, BadBoard, "3"),
    ],
)
def test_options_that_cannot_be(options, error, words):
    env = methods(2)
    env.set_options(options)
    with pytest.raises(error, match=re.escape(words)):
        env.reset()


# --- single boards --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tiles-3x3", "dust-4x3x3"])
def test_masks_are_those_of_the_plain_rules(name):
    env = methods(5, puzzle=name, max_moves=3)
    env.seed(1)
    env.reset()
    puzzle = load(name)
    for move in range(4):
        masks = env.env_method("action_masks")
        states = [instance.state for instance in env.get_attr("instance")]
        assert [mask.tolist() for mask in masks] == [
            [is_legal(puzzle, state, move) for move in range(puzzle.move_count)] for state in states
        ]
        assert all(mask.dtype == bool for mask in masks)
        assert [method().tolist() for method in env.get_attr("action_masks")] == [mask.tolist() for mask in masks]
        step(env, [move] * 5)


def test_boards_are_addressed_by_their_rows():
    env = methods(3, render_mode="ansi")
    env.set_options([{"board": FAR}, {"board": NEARLY}, {"board": GOAL}])
    env.reset()
    drawn = env.env_method("render")
    assert drawn[1] == "1 2 3\n4 5 6\n7 . 8"
    assert env.env_method("render", indices=1) == [drawn[1]]
    assert env.env_method("render", indices=[2, 0]) == [drawn[2], drawn[0]]
    assert [mask.tolist() for mask in env.env_method("action_masks", indices=[1])] == [[False, True, True, True]]
    assert env.get_attr("render_mode") == ["ansi"] * 3
    assert env.get_attr("action_space", range(2)) == [gymnasium.spaces.Discrete(4)] * 2


def test_attributes_are_kept_for_each_board():
    env = methods(3)
    with pytest.raises(AttributeError, match="colour"):
        env.get_attr("colour")
    env.set_attr("colour", "red")
    env.set_attr("colour", "blue", indices=[0, 2])
    assert env.get_attr("colour") == ["blue", "red", "blue"]
    with pytest.raises(AttributeError, match="no_method"):
        env.env_method("no_method")


def test_pictures_of_all_boards():
    env = methods(2, render_mode="rgb_array")
    env.reset()
    assert [(image.dtype, image.ndim) for image in env.get_images()] == [(np.uint8, 3)] * 2
    with pytest.warns(UserWarning, match="render_mode='rgb_array'"):
        assert methods(2).get_images() == [None, None]


# --- what is missing ------------------------------------------------------------------------------------------------


def test_without_stable_baselines_a_sentence_says_what_is_missing(monkeypatch):
    for name in ("stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        BadInput, match="needs stable_baselines3, which is not installed: pip install stable-baselines3"
    ):
        puzzlelab.sb3.vector_env("tiles-2x3", 2)


def test_the_module_alone_imports_no_stable_baselines():
    code = "import sys, puzzlelab.sb3; print(*{'stable_baselines3', 'torch', 'numba'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout, done.returncode) == ("\n", 0), done.stderr


# --- with Stable-Baselines3 -----------------------------------------------------------------------------------------


def test_it_is_an_environment_of_stable_baselines():
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    env = puzzlelab.sb3.vector_env("tiles-2x3", 3, render_mode="rgb_array", max_moves=5)
    assert isinstance(env, vec_env.VecEnv)
    assert (env.num_envs, env.action_space.n, env.observation_space.shape) == (3, 4, (30,))
    assert (env.has_attr("action_masks"), env.has_attr("action_mask")) == (True, False)
    assert env.unwrapped is env
    env.reset()
    assert env.render().shape[2] == 3
    same = puzzlelab.sb3.adapt(gymnasium.make_vec("puzzlelab/Tiles-v0", 3, rows=2, columns=3))
    assert same.observation_space == env.observation_space
    assert same.get_attr("spec")[0].id == "puzzlelab/Tiles-v0"


@pytest.mark.parametrize(
    ("name", "board"), [("tiles-2x3", "1 2 3 4 0 5"), ("sudoku-4x4", "12..3412 21.4 4321".replace(" ", ""))]
)
def test_it_plays_like_the_environments_of_stable_baselines(name, board):
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    options = {"board": board, "max_moves": 6, "reward": "goal"}
    one = partial(gymnasium.make, "puzzlelab/Puzzle-v0", puzzle=name, **options)
    envs = [puzzlelab.sb3.vector_env(name, 5, **options), vec_env.DummyVecEnv([one] * 5)]
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


def test_maskable_ppo_makes_legal_moves_only():
    sb3_contrib = pytest.importorskip("sb3_contrib")
    one = gymnasium.make("puzzlelab/Tiles-v0", rows=2, columns=3, reward="goal", max_moves=20)
    for env in (one, puzzlelab.sb3.vector_env("tiles-2x3", 20, reward="goal", max_moves=20)):
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
    assert len(blocks) == 3
    names = {}
    for block in blocks:
        exec(compile(block, "docs/gymnasium.md", "exec"), names)
    assert names["boards"].num_envs == 1000

"""Gymnasium's environments: what they show, allow, pay and end, held against the plain rules; and many at once."""

import importlib.util
import pickle
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("gymnasium")

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import puzzlelab.gym
from puzzlelab import BadBoard, BadInput, BadOption, Instance, UnknownName, Unsupported, load, solve
from puzzlelab._gym_game import EnvironmentSettings
from puzzlelab.core import registry
from puzzlelab.core.puzzle import Drawings
from puzzlelab.core.views import Estimates, Planes, is_legal
from puzzlelab.engine.batch_rules import apply_moves
from puzzlelab.experience import rewards
from puzzlelab.gym import EnvironmentOptions, PuzzleEnv, PuzzleVectorEnv

ROOT = Path(__file__).parents[1]
GRID = "12..3412 21.4 4321".replace(" ", "")
"""A Sudoku of 4x4 with one solution; r1c3=3 leaves three cells, of which none can be filled."""
GAMES = {
    "Tiles": {"rows": 3, "columns": 3},
    "Dust": {"width": 4, "height": 3, "colours": 3},
    "Sudoku": {"box_rows": 2, "box_columns": 2, "board": "1.3............."},
}
NEARLY = "1 2 3 4 5 6 7 0 8"
"""One move from the goal: L solves, and U cannot be made."""
U, D, L, R = range(4)


def make(name, **asked):
    return gymnasium.make(f"puzzlelab/{name}-v0", **asked)


def many(name, count, **asked):
    return gymnasium.make_vec(f"puzzlelab/{name}-v0", count, "vector_entry_point", **asked)


def script(folder, name):
    spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def played(env, seed, steps=30):
    """All that an environment says in an episode of random moves that can be made, as texts."""
    observation, info = env.reset(seed=seed)
    random, said = np.random.default_rng(seed), [str((observation, info))]
    for _ in range(steps):
        if not info["action_mask"].any():
            break
        *told, info = env.step(random.choice(np.flatnonzero(info["action_mask"])))
        said.append(str((told, info)))
    return said


# --- that they are there --------------------------------------------------------------------------------------------


def test_every_family_has_an_id_and_any_puzzle_has_one_too():
    ours = {name for name in gymnasium.registry if name.startswith("puzzlelab/")}
    assert ours >= {f"puzzlelab/{name}-v0" for name in ("Tiles", "Dust", "Sudoku", "Puzzle")}
    assert len(ours) == len(registry.families()) + 1


@pytest.mark.parametrize(
    ("name", "asked"),
    [*GAMES.items(), *(("Puzzle", asked) for asked in ({"observation": "state"}, {"puzzle": "sudoku-9x9"}))],
)
def test_gymnasium_finds_nothing_wrong(name, asked, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # it tries all render modes, also the window
    check_env(make(name, **asked).unwrapped, skip_render_check=name == "Puzzle")


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)


def test_one_call_imports_and_makes_it_and_an_import_alone_compiles_nothing():
    heavy = "print(*{'numba', 'torch', 'matplotlib', 'scipy'} & set(sys.modules))"
    done = python(
        f"import sys, gymnasium, puzzlelab.gym; {heavy}; del sys.modules['puzzlelab.gym']; gymnasium.registry.clear();"
        "print(gymnasium.make('puzzlelab.gym:puzzlelab/Tiles-v0', rows=2, columns=3).action_space)"
    )
    assert done.stdout.splitlines() == ["", "Discrete(4)"], done.stderr


def test_without_gymnasium_a_sentence_says_what_is_missing():
    done = python("import sys; sys.modules['gymnasium'] = None; import puzzlelab.gym")
    assert "BadInput: environments need gymnasium" in done.stderr
    assert "pip install 'puzzlelab[gym]'" in done.stderr


def test_an_environment_can_be_made_again_from_its_written_description():
    text = make("Tiles", rows=2, columns=3, max_moves=7).spec.to_json()
    again = gymnasium.make(EnvSpec.from_json(text))
    assert again.unwrapped.puzzle.name == "tiles-2x3"
    assert played(again, 3) == played(make("Tiles", rows=2, columns=3, max_moves=7), 3)


# --- one board ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "asked", "puzzle", "seen"),
    [
        ("Tiles", {"rows": 2, "columns": 3}, "tiles-2x3", 30),
        ("Tiles", {}, "tiles-4x4", 240),
        ("Tiles", {"rows": 3, "columns": 3, "goal": range(9)}, "tiles-3x3:blank-first", 72),
        ("Dust", {"width": 4, "height": 3, "colours": 3}, "dust-4x3x3", 48),
        ("Sudoku", {"box_rows": 3, "box_columns": 2}, "sudoku-6x6:boxes=3x2", 216),
        ("Puzzle", {}, "tiles-3x3", 72),
        ("Puzzle", {"puzzle": "sudoku-4x4"}, "sudoku-4x4", 64),
        ("Puzzle", {"puzzle": load("dust-6x5x4")}, "dust-6x5x4", 150),
    ],
)
def test_spaces_follow_from_the_puzzle(name, asked, puzzle, seen):
    env = make(name, **asked).unwrapped
    assert env.puzzle == load(puzzle)
    assert env.action_space == gymnasium.spaces.Discrete(env.puzzle.move_count)
    assert env.observation_space == gymnasium.spaces.Box(0, 1, (seen,), np.float32)


def test_a_state_is_seen_as_it_is():
    env = make("Puzzle", observation="state", board=NEARLY)
    assert env.observation_space == gymnasium.spaces.Box(0, 255, (9,), np.uint8)
    assert env.reset()[0].tolist() == [1, 2, 3, 4, 5, 6, 7, 0, 8]
    assert env.step(R)[0].tolist() == [1, 2, 3, 4, 5, 6, 0, 7, 8]


@pytest.mark.parametrize(
    ("name", "board", "seen"),
    [
        ("tiles-2x3", "1 2 3 4 0 5", {"1": [[1, 0, 0], [0, 0, 0]], "5": [[0, 0, 0], [0, 0, 1]]}),
        (
            "dust-4x3x3",
            ".R.. / .GR. / BGRG",
            {".": [[1, 0, 1, 1], [1, 0, 0, 1], [0] * 4], "G": [[0] * 4, [0, 1, 0, 0], [0, 1, 0, 1]]},
        ),
        ("sudoku-4x4", "1..." * 3 + "...4", {"4": [[0] * 4] * 3 + [[0, 0, 0, 1]]}),
    ],
)
def test_an_image_shows_the_board_as_people_see_it(name, board, seen):
    env = make("Puzzle", puzzle=name, board=board, observation="image")
    image, _ = env.reset()
    assert image in env.observation_space
    flat, _ = make("Puzzle", puzzle=name, board=board).reset()
    assert sorted(image.ravel()) == sorted(flat)
    signs = ".RGB" if name.startswith("dust") else "123456789"
    for sign, plane in seen.items():
        assert image[signs.index(sign)].tolist() == plane


@pytest.mark.parametrize("name", ["tiles-3x3", "dust-8x6x5", "sudoku-9x9"])
def test_one_seed_is_one_game(name):
    one, other = make("Puzzle", puzzle=name), make("Puzzle", puzzle=name)
    assert played(one, 5) == played(other, 5)
    assert played(one, 5) != played(other, 6)
    again = [str(env.reset()) for env in (one, other)]
    assert again[0] != again[1]  # no seed goes on with the numbers of the last one


@pytest.mark.parametrize("maker", [make, partial(many, count=3)], ids=["one", "many"])
def test_level_and_limit_can_change_while_it_plays(maker):
    env = maker(name="Tiles", rows=3, columns=3, scale="distance", level=3).unwrapped
    puzzle, action = env.puzzle, 0 if isinstance(env, PuzzleEnv) else [0, 0, 0]

    def distance():
        board = env.instance if isinstance(env, PuzzleEnv) else env.instance(2)
        return solve(board).length

    env.reset(seed=1, options={"level": 20})
    assert distance() == 20
    env.reset()
    assert distance() == 3  # an option of a reset is for this reset
    env.set_wrapper_attr("level", 12) if isinstance(env, PuzzleEnv) else env.set_attr("level", 12)
    assert (env.level, env.scale) == (12, "distance")
    env.reset()
    assert distance() == 12
    env.max_moves = 1
    assert np.all(env.step(action)[3])
    if isinstance(env, PuzzleVectorEnv):
        env.step(action)  # which starts new boards
        assert distance() == 12
        with pytest.raises(BadOption, match="'reward' cannot be set; known are board, level, max_moves, scale"):
            env.set_attr("reward", "goal")
    env.level, env.scale, env.board = None, None, NEARLY
    env.reset()
    assert distance() == 1
    with pytest.raises(BadOption, match="not with both"):
        env.level = 5
    env.board, env.scale = None, "level"
    for wrong in ({"level": 99}, {"scale": "level", "level": 99}):
        with pytest.raises(BadOption, match=re.escape(f"'level' of {puzzle.name} has the levels 1 to 22, not 99")):
            env.reset(options=wrong)
    with pytest.raises(BadOption, match="not 99"):
        env.level = 99
    with pytest.raises(BadOption, match="a board, or a scale and a level, not both"):
        env.reset(options={"board": NEARLY, "level": 3})
    env.reset()


def reset(env, seed):
    env.reset(seed=seed)
    return env.instance


@settings(max_examples=20)
@given(name=st.sampled_from(["tiles-2x3", "tiles-3x3", "dust-6x5x4", "sudoku-9x9"]), seed=st.integers(0, 2**31))
def test_masks_and_moves_are_those_of_the_plain_rules(name, seed):
    env = PuzzleEnv(puzzle=name)
    puzzle, random = env.puzzle, np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    for count in range(1, 12):
        before = env.instance.state
        mask = [is_legal(puzzle, before, move) for move in range(puzzle.move_count)]
        assert info["action_mask"].dtype == np.int8
        assert info["action_mask"].tolist() == mask
        assert (env.action_masks().dtype, env.action_masks().tolist()) == (bool, mask)
        assert np.array_equal(observation, puzzle.view(Planes).planes(before[None])[0])
        move = int(random.integers(puzzle.move_count) if random.random() < 0.3 else random.choice(np.flatnonzero(mask)))
        observation, reward, terminated, truncated, info = env.step(move)
        after = puzzle.apply(before, move) if mask[move] else before
        assert env.instance == Instance(puzzle, after)
        assert (reward, truncated, info["moves"]) == (-1.0, False, count)
        assert info["solved"] == puzzle.solved(after)
        assert terminated == (info["solved"] or info["dead_end"])
        if terminated:
            break


def test_all_cells_of_a_cluster_may_be_clicked():
    env = make("Dust", width=3, height=2, colours=2, board="R R G / R G G")
    assert env.reset()[1]["action_mask"].tolist() == [1] * 6
    assert env.get_wrapper_attr("action_masks")().tolist() == [True] * 6  # as sb3-contrib finds it, behind wrappers
    one, other = (env.unwrapped.puzzle.apply(env.unwrapped.instance.state, cell) for cell in (0, 1))
    assert np.array_equal(one, other)
    env.step(1)  # a cell of the cluster that `legal` does not name
    assert np.array_equal(env.unwrapped.instance.state, one)


# --- what is paid, and when it ends ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "max_moves", "told"), [(L, 9, (10, True, False)), (L, 1, (10, True, False)), (R, 1, (-1, False, True))]
)
def test_a_solved_board_ends_the_episode_even_at_the_last_move(move, max_moves, told):
    env = make("Puzzle", board=NEARLY, reward="goal", max_moves=max_moves)
    env.reset()
    *_, info = step = env.step(move)
    assert step[1:4] == told
    assert (info["solved"], info["dead_end"]) == (move == L, False)


@pytest.mark.parametrize("name", ["tiles-3x3", "dust-4x3x3"])
def test_every_scheme_of_a_puzzle_pays_what_it_says(name):
    puzzle = load(name)
    offered = [
        reward.replace("ESTIMATE", next(iter(puzzle.view(Estimates).estimates))) for reward in rewards.available(puzzle)
    ]
    assert len(offered) >= 5
    for reward in offered:
        env = PuzzleEnv(puzzle=name, reward=reward, discount=0.9)
        env.reset(seed=4)
        for move in range(4):
            before = env.instance.state[None]
            allowed = np.array([is_legal(puzzle, before[0], move)])
            _, paid, _, _, info = env.step(move)
            made = apply_moves(puzzle, before, np.array([move]))
            made = made._replace(states=env.instance.state[None], allowed=allowed, solved=np.array([info["solved"]]))
            assert paid == pytest.approx(rewards.make(puzzle, reward, 0.9)(before, made)[0])


def test_a_dead_end_ends_the_episode_and_says_so():
    env = make("Sudoku", box_rows=2, box_columns=2, board=GRID).unwrapped
    assert env.reset()[1]["dead_end"] is False
    _, _, terminated, truncated, info = env.step(env.puzzle.read_move("r1c3=3"))
    assert (terminated, truncated, info["solved"], info["dead_end"]) == (True, False, False, True)
    assert info["action_mask"].all()  # never empty: what comes next is ignored


@pytest.mark.parametrize(
    ("asked", "most"),
    [
        ({"max_moves": 3}, 3),
        ({}, 100),
        ({"puzzle": "tiles-4x4"}, 160),
        ({"puzzle": "sudoku-4x4", "board": "." * 16}, 160),
    ],
)
def test_too_many_moves_truncate(asked, most):
    env = PuzzleEnv(**asked)
    env.reset(seed=0)
    impossible = int(np.argmin(env.step(0)[4]["action_mask"]))
    for count in range(2, most + 1):
        _, _, terminated, truncated, info = env.step(impossible)
        assert (terminated, truncated, info["moves"]) == (False, count == most, count)
    assert env.reset()[1]["moves"] == 0


# --- pictures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_texts_and_pictures_are_those_of_the_puzzle_and_pictures_change_with_a_move(name):
    env = make(name, render_mode="ansi", **GAMES[name]).unwrapped
    state = reset(env, 2).state
    assert env.render() == env.puzzle.draw(state)
    assert make(name, **GAMES[name]).unwrapped.render() is None
    env = make(name, render_mode="rgb_array", **GAMES[name]).unwrapped
    _, info = env.reset(seed=2)
    before = env.render()
    size = re.search(r'width="(\d+)" height="(\d+)"', env.puzzle.view(Drawings).svg(env.instance.state))
    assert (before.dtype, before.shape) == (np.uint8, (int(size[2]), int(size[1]), 3))
    assert np.array_equal(before, env.render())
    env.step(int(np.argmax(info["action_mask"])))
    assert (env.render() != before).any()


def test_pictures_show_what_is_written_on_tiles():
    env = make("Puzzle", render_mode="rgb_array").unwrapped
    pictures = []
    for board in ("8 6 7 2 5 4 3 0 1", "6 8 7 2 5 4 3 1 0"):
        env.reset(options={"board": board})
        pictures.append(env.render())
    first, second = (picture[:60, :60] for picture in pictures)  # a tile that lies where it does not belong
    assert (first != second).any()
    assert first[0, 0].tolist() == [255, 255, 255]  # a round corner, on white


@pytest.mark.parametrize("missing", ["resvg_py", "matplotlib", "PIL"])
def test_pictures_say_what_they_need(missing, monkeypatch):
    env = make("Puzzle", render_mode="rgb_array").unwrapped
    env.reset(seed=0)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(BadInput, match=rf"a picture needs {missing}.*pip install 'puzzlelab\[gym\]'"):
        env.render()


# --- what cannot be -------------------------------------------------------------------------------------------------


def test_editors_know_every_option():
    hints = {**get_type_hints(EnvironmentOptions), "render_mode": get_type_hints(PuzzleEnv.__init__)["render_mode"]}
    fields = EnvironmentSettings.model_fields
    assert hints == {name: field.annotation for name, field in fields.items()}
    assert EnvironmentOptions.__required_keys__ == set()


@pytest.mark.parametrize(
    ("name", "asked", "error", "words"),
    [
        ("Tiles", {"row": 3}, BadOption, "unexpected keyword argument 'row'; did you mean 'rows'"),
        ("Tiles", {"rewards": "goal"}, BadOption, "unexpected keyword argument 'rewards'; did you mean 'reward'"),
        ("Dust", {"colour": 3}, BadOption, "unexpected keyword argument 'colour'; did you mean 'colours'"),
        ("Tiles", {"puzzle": "tiles-3x3"}, BadOption, "unexpected keyword argument 'puzzle'"),
        ("Puzzle", {"puzle": "tiles-3x3"}, BadOption, "unexpected keyword argument 'puzle'; did you mean 'puzzle'"),
        ("Puzzle", {"puzzle": 5}, BadOption, "'puzzle' is a name such as tiles-3x3, or a puzzle, not 5"),
        ("Puzzle", {"puzzle": "tile-3x3"}, UnknownName, "did you mean 'tiles'"),
        ("Tiles", {"rows": 30}, BadOption, "2 to 12 rows and columns, not 30"),
        ("Tiles", {"rows": "three"}, BadOption, "Tiles cannot be made of rows='three'"),
        ("Puzzle", {"reward": "move"}, UnknownName, "did you mean 'moves'"),
        ("Puzzle", {"discount": 2}, BadOption, "'discount' cannot be '2'"),
        ("Puzzle", {"max_moves": 0}, BadOption, "'max_moves' cannot be '0'"),
        ("Puzzle", {"observation": "plane"}, BadOption, "'observation' cannot be 'plane'"),
        ("Puzzle", {"scale": "unifrom"}, UnknownName, "did you mean 'uniform'"),
        ("Puzzle", {"board": "1 2 3"}, BadBoard, "3"),
        ("Puzzle", {"board": NEARLY, "level": 3}, BadOption, "not with both"),
        ("Puzzle", {"level": 30}, BadOption, "has the levels 1 to 22, not 30"),
        ("Puzzle", {"puzzle": "sudoku-9x9:candidates", "observation": "state"}, Unsupported, "board=TEXT"),
        ("Lights", {"observation": "image"}, Unsupported, "the planes of lights-3 are no grid; its observation can be"),
        ("Lights", {"level": 0}, BadOption, "a random walk from the goal has 1 move or more, not 0"),
        ("Plain", {"observation": "planes"}, Unsupported, "corridor-9 has no planes; its observation can be 'state'"),
        ("Plain", {"render_mode": "rgb_array"}, Unsupported, "draws no pictures; its render_mode can be 'ansi'"),
    ],
)
@pytest.mark.parametrize("maker", [make, partial(many, count=3)], ids=["one", "many"])
def test_what_cannot_be_asked_for(maker, name, asked, error, words, corridor):
    own = {"Plain": corridor, "Lights": lambda: script("examples", "lights_out").LightsOut(3)}
    if name in own:
        name, asked = "Puzzle", {"puzzle": own[name](), **asked}
    with pytest.raises(error, match=re.escape(words)) as caught:
        maker(name=name, **asked)
    assert isinstance(caught.value, TypeError) == ("unexpected keyword" in words)


def test_many_are_one_at_least_and_open_no_window():
    with pytest.raises(BadOption, match="1 board or more, not 0"):
        PuzzleVectorEnv(0)
    with pytest.raises(BadOption, match="option 'render_mode' cannot be 'human': Input should be 'ansi' or 'rgb_arr"):
        many("Puzzle", 2, render_mode="human")
    assert many("Puzzle", 2).metadata["render_modes"] == ["ansi", "rgb_array"]


@pytest.mark.parametrize("action", [-1, 4, 1.5, [1], None])
def test_what_is_no_move(action):
    env = PuzzleEnv()
    env.reset(seed=0)
    with pytest.raises(BadInput, match="from 0 to 3; there is no|whole number"):
        env.step(action)


@pytest.mark.parametrize("env", [PuzzleEnv(), PuzzleVectorEnv(2)], ids=["one", "many"])
def test_what_a_reset_cannot_do(env):
    with pytest.raises(BadOption, match="reset has no option 'boards'; did you mean 'board'"):
        env.reset(options={"boards": NEARLY})
    with pytest.raises(BadOption, match="reset takes as 'board' a text"):
        env.reset(options={"board": [NEARLY] * 3})
    with pytest.raises(BadBoard, match="is missing"):
        env.reset(options={"board": "1 2 3 4 5 6 7 8 8"})


@pytest.mark.parametrize(("env", "action"), [(PuzzleEnv(), 0), (PuzzleVectorEnv(2), [0, 0])], ids=["one", "many"])
def test_no_move_before_the_first_board(env, action):
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.step(action)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.action_masks()
    if isinstance(env, PuzzleVectorEnv):
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
            env.reset(options={"reset_mask": np.array([True, False])})


# --- many boards at once --------------------------------------------------------------------------------------------


def equal(ours, theirs):
    """Whether both told the same, rewards to the precision of 32 bits."""
    for one, other in zip(ours[:-1], theirs[:-1], strict=True):
        assert np.array_equal(one, other)
    equal_infos(ours[-1], theirs[-1])


def equal_infos(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name, values in theirs.items():
        if isinstance(values, dict):
            equal_infos(ours[name], values)
        elif values.dtype == object:
            for one, other in zip(ours[name], values, strict=True):
                assert np.array_equal(one, other), name
        else:
            assert ours[name].dtype == values.dtype, name
            assert np.array_equal(ours[name], values), name


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize(
    ("name", "board", "asked"),
    [
        ("tiles-2x3", "1 2 3 4 0 5", {"reward": "potential:manhattan"}),
        ("tiles-3x3", NEARLY, {"observation": "state", "reward": "level"}),
        ("dust-4x3x3", "R G B R / G R R R / B B G G", {"reward": "cleared-squared", "observation": "image"}),
        ("sudoku-4x4", GRID, {"reward": "goal"}),
    ],
)
def test_many_are_like_as_many_single_ones(name, board, asked, mode):
    asked = {"puzzle": name, "board": board, "max_moves": 9, **asked}
    ours = many("Puzzle", 6, **asked, autoreset_mode=mode)
    theirs = gymnasium.make_vec(
        "puzzlelab/Puzzle-v0", 6, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **asked
    )
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"] is AutoresetMode(mode)
    assert ours.autoreset_mode is theirs.autoreset_mode
    told = ours.reset(seed=0)
    equal(told, theirs.reset(seed=0))
    random, ended = np.random.default_rng(0), np.zeros(3, int)
    for _ in range(60):
        mask = ours.action_masks()
        assert mask.any(axis=1).all()
        moves = random.integers(mask.shape[1], size=6)  # some that cannot be made
        wise = random.random(6) < 0.8
        moves[wise] = (random.random(mask.shape) * mask).argmax(axis=1)[wise]
        told = ours.step(moves)
        equal(told, theirs.step(moves))
        last = told[-1].get("final_info", told[-1])
        ended += [last["solved"].sum(), last["dead_end"].sum(), told[3].sum()]
        if mode == "Disabled" and (over := told[2] | told[3]).any():
            observations, infos = ours.reset(options={"reset_mask": over})
            expected, expected_infos = theirs.reset(options={"reset_mask": over})
            assert np.array_equal(observations, expected)
            for info in expected_infos:  # ours tells of the other rows too
                assert np.array_equal(infos[info][over], expected_infos[info][over])
    assert ended[0] > 0
    assert (ended[1] > 0) == (name == "sudoku-4x4")


def test_a_mode_is_one_of_gymnasium_and_disabled_waits_for_a_reset():
    with pytest.raises(BadOption, match="'autoreset_mode' is one of NextStep, SameStep, Disabled, not never"):
        many("Puzzle", 2, autoreset_mode="never")
    env = many("Puzzle", 2, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(options={"board": NEARLY})
    assert env.step([L, U])[2].tolist() == [True, False]
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset_mask"):
        env.step([L, L])
    env.reset()
    env.step([L, L])


def test_a_new_board_comes_a_step_after_the_end():
    env = many("Tiles", 3, rows=3, columns=3)
    env.reset(seed=1, options={"board": [NEARLY, NEARLY, "8 6 7 2 5 4 3 0 1"]})
    boards = [env.instance(row) for row in range(3)]
    observations, paid, terminated, truncated, infos = env.step([L, R, R])
    assert terminated.tolist() == infos["solved"].tolist() == [True, False, False]
    assert env.instance(0).state.tolist() == [*range(1, 9), 0]
    observations, paid, terminated, truncated, infos = env.step([L, L, L])
    assert (paid.tolist(), infos["moves"].tolist()) == ([0, -1, -1], [0, 2, 2])
    assert (terminated.any(), truncated.any(), infos["solved"].any()) == (False, False, False)
    assert env.instance(0) not in (boards[0], env.puzzle.read("1 2 3 4 5 6 7 8 0"))
    assert [env.instance(row) for row in (1, 2)] == boards[1:]
    assert np.array_equal(observations[0], env.puzzle.view(Planes).planes(env.instance(0).state[None])[0])


def test_some_rows_may_be_reset_at_once():
    env = many("Tiles", 3, rows=3, columns=3, max_moves=9)
    env.reset(seed=1, options={"board": NEARLY})
    boards = [env.instance(row) for row in range(3)]
    env.step([L, R, U])
    rows = np.array([True, True, False])
    observations, infos = env.reset(options={"reset_mask": rows})
    assert infos["moves"].tolist() == [0, 0, 1]
    assert boards == [env.puzzle.read(NEARLY)] * 3
    states = np.array([env.instance(row).state for row in range(3)])
    assert np.array_equal(observations, env.puzzle.view(Planes).planes(states))
    masks = [[is_legal(env.puzzle, state, move) for move in range(4)] for state in states]
    assert env.action_masks().tolist() == infos["action_mask"].tolist() == masks
    moves = env.action_masks().argmax(axis=1)
    after = [env.puzzle.apply(state, move).tolist() for state, move in zip(states, moves, strict=True)]
    paid = env.step(moves)[1]  # the row that had ended makes its move too
    assert [env.instance(row).state.tolist() for row in range(3)] == after
    assert paid.tolist() == [-1, -1, -1]


def test_rows_may_be_reset_to_boards_of_ones_own():
    env = many("Puzzle", 3)
    env.reset(seed=1)
    last = env.instance(1)
    env.reset(options={"reset_mask": np.array([True, False, True]), "board": [NEARLY, "8 6 7 2 5 4 3 0 1"]})
    assert [env.puzzle.write(env.instance(row).state) for row in (0, 2)] == [NEARLY, "8 6 7 2 5 4 3 0 1"]
    assert env.instance(1) == last
    env = many("Sudoku", 2, box_rows=2, box_columns=2, board=GRID)
    env.reset()
    infos = env.reset(options={"reset_mask": np.array([False, True]), "board": "123" + GRID[3:]})[1]
    assert (infos["dead_end"].tolist(), infos["solved"].tolist()) == ([False, True], [False, False])


@pytest.mark.parametrize("rows", [[True, False], np.ones(3, bool), np.zeros(2, bool), np.ones(2, int)])
def test_what_is_no_choice_of_rows(rows):
    env = many("Puzzle", 2)
    env.reset(seed=0)
    with pytest.raises(BadOption, match="an array of 2 booleans, one of which at least is True"):
        env.reset(options={"reset_mask": rows})
    with pytest.raises(BadOption, match="reset has no option 'reset_mask'"):
        make("Puzzle").reset(options={"reset_mask": rows})


def test_one_seed_is_one_course_of_many_games():
    def course(seed):
        env = many("Dust", 20, width=3, height=2, colours=2)
        infos = env.reset(seed=seed)[1]
        random, said = np.random.default_rng(0), []
        for _ in range(20):
            told = env.step((random.random((20, 6)) * infos["action_mask"]).argmax(axis=1))
            infos = told[-1]
            said.append(told[0].tobytes())
        return said

    assert course(3) == course(3)
    assert course(3) != course(4)


def test_what_was_told_is_not_changed_by_later_steps():
    env = many("Puzzle", 4, observation="state")
    observations, infos = env.reset(seed=0)
    before = observations.tobytes(), str(infos)
    for move in range(4):
        env.step([move] * 4)
    assert (observations.tobytes(), str(infos)) == before


def test_many_are_rendered_one_by_one():
    env = many("Puzzle", 2, render_mode="ansi")
    env.reset(options={"board": [NEARLY, "8 6 7 2 5 4 3 0 1"]})
    assert env.render() == ("1 2 3\n4 5 6\n7 . 8", "8 6 7\n2 5 4\n3 . 1")
    assert env.render_row(1) == "8 6 7\n2 5 4\n3 . 1"
    assert many("Puzzle", 2).render() is None
    assert many("Puzzle", 2).render_row(0) is None


@pytest.mark.parametrize("observation", ["planes", "state", "image"])
def test_an_environment_can_be_pickled_in_the_middle_of_a_game(observation):
    env = PuzzleVectorEnv(3, puzzle="tiles-3x3", reward="potential:manhattan", observation=observation)
    env.reset(seed=1)
    other = pickle.loads(pickle.dumps(env))
    for _ in range(5):
        moves = env.action_masks().argmax(axis=1)
        equal(env.step(moves), other.step(moves))


# --- puzzles of plain rules, and plug-ins ---------------------------------------------------------------------------


def test_plain_rules_are_enough(corridor):
    env = make("Puzzle", puzzle=corridor(5), board="2", render_mode="ansi")
    check_env(make("Puzzle", puzzle=corridor(5), board="2").unwrapped)
    observation, info = env.reset()
    assert env.observation_space == gymnasium.spaces.Box(-(2**15), 2**15 - 1, (1,), np.int16)
    assert (observation.tolist(), info["action_mask"].tolist(), env.render()) == ([2], [1, 1], "..o...")
    assert env.metadata["render_modes"] == ["ansi"]
    assert [env.step(0)[2] for _ in range(2)] == [False, True]
    team = many("Puzzle", 2, puzzle=corridor(5), board="1")
    team.reset()
    assert team.step([0, 1])[2].tolist() == [True, False]


@pytest.mark.parametrize("maker", [make, partial(many, count=20)], ids=["one", "many"])
def test_moves_that_can_be_undone_make_boards_by_walks_from_the_goal(maker):
    env = maker(name="Puzzle", puzzle=script("examples", "lights_out").LightsOut(3)).unwrapped
    check_env(env) if isinstance(env, PuzzleEnv) else None
    infos = env.reset(seed=1)[1]
    assert not np.any(infos["solved"])
    again = env.reset(seed=2)[0]
    assert np.array_equal(again, env.reset(seed=2)[0])
    env.level = 1
    lamps = np.atleast_2d(env.reset()[0]).sum(axis=1)
    assert set(lamps) <= {3, 4, 5}  # a corner, a side or the middle was pressed
    env.level = 4
    assert not np.any([env.reset()[1]["solved"] for _ in range(20)])  # two lamps pressed twice are left out


@pytest.mark.parametrize(("kind", "least"), [(bool, 0), (np.uint16, 0), (np.float32, np.finfo(np.float32).min)])
def test_states_of_every_type_have_a_space(corridor, kind, least):
    class Typed(corridor):
        def read(self, text):
            return Instance(self, super().read(text).state.astype(kind))

    env = make("Puzzle", puzzle=Typed(), board="1")
    assert (env.observation_space.dtype, env.observation_space.low.tolist()) == (np.dtype(kind), [least])
    assert env.reset()[0] in env.observation_space


def test_a_plug_in_gets_an_id_with_no_other_edit(plugged, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples")
    plugged("puzzlelab.puzzles", "lights", "lights_out:FAMILY")
    puzzlelab.gym.register()
    try:
        env = make("Lights", size=3, board="*** *** ***")
        env.reset()
        ends = [env.step(lamp)[2] for lamp in (0, 2, 4, 6, 8)]
        with pytest.raises(BadOption, match="keyword argument 'sise'; did you mean 'size'"):
            make("Lights", sise=3)
    finally:
        del gymnasium.registry["puzzlelab/Lights-v0"]
    assert ends == [False] * 4 + [True]


# --- TorchRL --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Tiles", "Dust", "Sudoku", "Puzzle"])
def test_torchrl_finds_nothing_wrong(name):
    torchrl, utils = pytest.importorskip("torchrl.envs"), pytest.importorskip("torchrl.envs.utils")
    utils.check_env_specs(torchrl.GymEnv(f"puzzlelab/{name}-v0", observation="image"))
    utils.check_env_specs(torchrl.GymWrapper(make(name)))
    for mode in ("SameStep", "Disabled"):
        env = torchrl.GymWrapper(many(name, 3, max_moves=4, autoreset_mode=mode))
        utils.check_env_specs(env)
        env.rollout(10, break_when_any_done=False)


def test_the_code_of_the_page_for_torchrl_runs():
    pytest.importorskip("torchrl")
    page = (ROOT / "docs" / "gymnasium.md").read_text(encoding="utf-8")
    (block,) = (each for each in re.findall(r"^```py\n(.*?)^```$", page, re.DOTALL | re.MULTILINE) if "torchrl" in each)
    exec(compile(block, "docs/gymnasium.md", "exec"), {"gymnasium": gymnasium})


# --- the example, and the benchmark ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gymnasium_dqn", "gymnasium_ppo", "gymnasium_cnn"])
def test_the_example_says_what_it_needs(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    with pytest.raises(SystemExit, match="pip install stable-baselines3"):
        script("examples", name).main(1)


def test_the_example_with_onnx_says_what_it_needs(monkeypatch, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    with pytest.raises(SystemExit, match="pip install stable-baselines3"):
        script("examples", "gymnasium_onnx").main(str(tmp_path / "x.onnx"), 1)


@pytest.mark.slow
def test_the_example_learns():
    pytest.importorskip("stable_baselines3")
    example = script("examples", "gymnasium_dqn")
    model = example.learner()
    assert example.solved(model) < 0.1
    assert example.solved(model.learn(1_000_000, callback=lambda *_: model.num_timesteps < 40_000)) > 0.5

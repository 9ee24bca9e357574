"""The compiled rules and estimates equal the plain ones; the bounds never exceed the true distance."""

# ruff: noqa: D103
import numpy as np
import pytest
from pocket_cube import PocketCube
from pocket_cube.coordinates import decode, encode
from pocket_cube.distances import FARTHEST, cubes_at, distances, make_table, table
from pocket_cube.estimates import CubeEstimates
from pocket_cube.kernels import CUBES
from pocket_cube.rules import MOVES

from puzzlelab import BadOption, Instance, UnknownName, solve
from puzzlelab.core.registry import parse_solver
from puzzlelab.core.views import Planes, Samples, levels_of
from puzzlelab.engine.batch_rules import apply_moves, estimated, random_walks

KERNELS, PLAIN = PocketCube(), PocketCube("plain")


@pytest.fixture(scope="module")
def cubes():
    """`uint8[500, 14]`."""
    return cubes_at(np.random.default_rng(2).integers(CUBES, size=500))


def test_every_cube_has_numbers_of_its_own():
    places = np.arange(0, CUBES, 97)
    states = cubes_at(places)
    numbers = encode(states).astype(np.int64)
    assert np.array_equal(numbers[:, 0] * 729 + numbers[:, 1], places)
    twisted = states.copy()
    twisted[:, 7] = (twisted[:, 7] + 1) % 3  # those that cannot be solved have numbers too
    assert np.array_equal(decode(encode(twisted)), twisted)


def test_kernels_make_the_same_moves(cubes):
    for move in range(len(MOVES)):
        moves = np.full(len(cubes), move)
        assert np.array_equal(apply_moves(KERNELS, cubes, moves).states, PLAIN.apply(cubes, move))


def test_no_walk_turns_a_face_twice_in_a_row():
    starts, random = np.repeat(KERNELS.goals(), 100, axis=0), np.random.default_rng(0)
    assert (distances(random_walks(KERNELS, starts, np.full(100, 1), random)) == 1).all()


@pytest.mark.parametrize("name", CubeEstimates.estimates)
def test_estimates_are_the_same_in_both_forms_and_admissible(cubes, name):
    compiled, plain = (estimated(each, CubeEstimates(each).estimate(name), cubes) for each in (KERNELS, PLAIN))
    assert np.array_equal(compiled, plain)
    assert (plain <= distances(cubes)).all()
    assert plain.max() >= 5


def test_the_default_estimate_is_the_larger_of_two(cubes):
    values = {
        name: estimated(KERNELS, CubeEstimates(KERNELS).estimate(name), cubes) for name in CubeEstimates.estimates
    }
    assert np.array_equal(values["corners"], np.maximum(values["permutation"], values["twists"]))
    assert np.array_equal(values["exact"], distances(cubes))
    with pytest.raises(UnknownName, match="corners"):
        CubeEstimates(KERNELS).estimate("corner")


def test_the_table_of_distances(published):
    assert np.bincount(make_table()).tolist() == published
    assert table().max() == FARTHEST
    assert np.array_equal(table(), make_table())


def test_a_distance_is_one_more_than_that_of_the_best_child(cubes):
    children = np.stack([distances(PLAIN.apply(cubes, move)) for move in range(len(MOVES))])
    unsolved = distances(cubes) > 0
    assert np.array_equal(children.min(axis=0)[unsolved] + 1, distances(cubes)[unsolved])


@pytest.mark.parametrize("solver", ["bfs:bidirectional=true", "astar", "astar:estimate=exact", "ida", "beam"])
def test_solvers_prove_the_distance(solver):
    random = np.random.default_rng(3)
    for level in range(FARTHEST + 1):
        board = Instance(KERNELS, KERNELS.view(Samples).scales["distance"].sample(random, level, 1)[0])
        result = solve(board, parse_solver(solver))
        assert (result.length, result.proof) == (level, "optimal")


def test_scales_hit_their_level():
    scales, random = KERNELS.view(Samples).scales, np.random.default_rng(4)
    for level in range(FARTHEST + 1):
        state = scales["distance"].sample(random, level, 1)[0]
        assert levels_of(KERNELS, state[None])[0] == {"distance": level}
        assert scales["distance"].measure(state[None]).tolist() == [level]
    assert distances(scales["walk"].sample(random, 3, 50)).max() <= 3
    assert np.array_equal(scales["walk"].sample(random, 0, 1)[0], KERNELS.goals()[0])
    drawn = distances(scales["uniform"].sample(random, None, 300))
    assert 8 < drawn.mean() < 9.5  # the mean of all cubes is 8.76
    with pytest.raises(BadOption, match="farthest are 11"):
        scales["distance"].sample(random, 12, 1)


def test_six_images_are_as_far_from_the_goal(cubes):
    images = KERNELS.view(Planes).symmetries(cubes)
    assert len(images) == 6
    assert np.array_equal(images[0][0], cubes)
    assert len({image.tobytes() for image, _ in images}) == 6
    for image, _ in images:
        assert np.array_equal(distances(image), distances(cubes))


def test_planes_have_a_one_for_each_place(cubes):
    planes = KERNELS.view(Planes).planes(cubes)
    assert planes.shape == (500, 147)
    assert (planes.reshape(500, 7, 21).sum(axis=2) == 1).all()
    assert len(np.unique(planes, axis=0)) == len(np.unique(cubes, axis=0))

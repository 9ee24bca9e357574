"""Sweeps: the runs of a grid and of some seeds, by the names of their folders."""

from types import SimpleNamespace

import pytest

from puzzlelab import BadInput
from puzzlelab.training import recipe, sweeps

VALUES = {"puzzle": "tiles-2x3", "seed": 7, "network": {"kind": "dense"}}


def settings_with(changes):
    pytest.importorskip("torch")
    return recipe.settings_of("dqn", VALUES, changes)


def planned(*grid, seeds=None, **changes):
    return sweeps.plan(settings_with, changes, grid, seeds)


def test_there_is_a_run_for_each_combination_and_seed() -> None:
    runs = planned("learning.learning_rate=1e-3,3e-4", "discount=1,0.9", seeds=2, reward="goal")
    assert list(runs) == [
        f"learning_rate={rate},discount={discount},seed={seed}"
        for rate in ("0.001", "0.0003")
        for discount in ("1", "0.9")
        for seed in (7, 8)
    ]
    last = runs["learning_rate=0.0003,discount=0.9,seed=8"]
    assert (last.learning.learning_rate, last.discount, last.seed, last.reward) == (0.0003, 0.9, 8, "goal")
    assert list(planned(seeds=3)) == ["seed=7", "seed=8", "seed=9"]
    assert list(planned("seed=1,4")) == ["seed=1", "seed=4"]


@pytest.mark.parametrize(
    ("grid", "names"),
    [
        ('reward=goal,"goal + 0.1*cleared"', ["reward=goal", "reward=goal+0.1_cleared-d8288e97"]),
        ('reward="goal","goal + cleared","a/b"', ["reward=goal", "reward=goal+cleared", "reward=a_b-c14cddc0"]),
        ("network.filters=[64,64],[32]", ["filters=64,64", "filters=32"]),
        ('network={"kind":"dense","width":8}', ["network=kind=dense,width=8"]),
        ('x="","' + "long " * 20 + '"', ["x=", "x=longlonglonglonglonglonglonglonglonglong-ca75507b"]),
        ("a.width=1", ["width=1"]),
        ("a.b=1e8,0.00001,0.1234567", ["b=100000000.0", "b=1e-05", "b=0.1234567"]),
    ],
)
def test_names_of_folders_can_be_read_and_are_safe(grid, names) -> None:
    def texts_of(changes):
        return SimpleNamespace(model_dump_json=lambda: str(changes))

    found = list(sweeps.plan(texts_of, {}, [grid], None))
    assert all(set(name).isdisjoint('/\\ "*:<>|?') for name in found)
    assert found == names


@pytest.mark.parametrize(
    ("grid", "seeds", "words"),
    [
        (["seed=1,2"], 2, "--seeds and --grid both set the seed"),
        (["reward=goal,moves"], None, "--set and --grid both set 'reward'"),
        (["discount=1,1.0"], None, "two values of --grid are alike"),
        (["discount=1,2"], None, "the option 'discount' cannot be '2'"),
        (["learning.stepz=1"], None, "did you mean 'steps'"),
        (["discount"], None, "'discount' is no --grid; write NAME=VALUE,VALUE"),
        (["discount="], None, "'discount=' is no --grid"),
        (["reward=goal,,moves"], None, "has an empty value"),
        (["discount=1", "discount=0.9"], None, "--grid sets 'discount' twice"),
        (["horizon=" + ",".join(map(str, range(1, 102)))], 10, "this sweep has 1,010 runs, and 1,000 are the most"),
    ],
)
def test_what_is_no_sweep_is_refused_before_any_run(grid, seeds, words) -> None:
    with pytest.raises(BadInput) as caught:
        planned(*grid, seeds=seeds, reward="moves")
    assert words in str(caught.value)

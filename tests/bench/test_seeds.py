"""Runs that differ in the seed alone, and the names of what they have in common."""

from pathlib import Path

import pytest

from puzzlelab.bench import seeds
from puzzlelab.bench.summaries import Mean

NAN = float("nan")


@pytest.mark.parametrize(
    ("runs", "labels"),
    [
        ({"eight-1": (1, 64), "eight-2": (2, 64), "wide": (1, 512)}, ["eight (2 seeds)", "wide"]),
        ({"width=64,seed=1": (1, 64), "width=64,seed=2": (2, 64)}, ["width=64 (2 seeds)"]),
        ({"seed=1": (1, 64), "seed=2": (2, 64)}, ["runs (2 seeds)"]),
        (
            {"one": (1, 64), "two": (2, 64), "three": (1, 8), "four": (2, 8)},
            ["runs (2 seeds)", "three, four (2 seeds)"],
        ),
        ({"one": (1, 64), "copy": (1, 64)}, ["one", "copy"]),
        ({"a/same": (1, 64), "b/same": (1, 8)}, ["same", "runs/b/same"]),
        ({"x-1:best": (1, 64), "x-2:best": (2, 64)}, ["x:best (2 seeds)"]),
    ],
)
def test_settings_are_named_by_the_folders_of_their_runs(runs, labels) -> None:
    members = {Path("runs") / name: {"seed": seed, "network": {"width": width}} for name, (seed, width) in runs.items()}
    assert [setting.label for setting in seeds.grouped(members)] == labels


def test_a_mean_is_written_with_its_interval_where_it_has_one() -> None:
    values = [Mean(0.5, 0.25), Mean(0.5, NAN), Mean(NAN, NAN)]
    assert [seeds.over_seeds("{:.1%}".format, value) for value in values] == ["50.0% ± 25.0%", "50.0%", "-"]

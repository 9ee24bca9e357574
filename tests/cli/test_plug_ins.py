"""Puzzles of others: the verbs work for them with no other edit."""

import sys
from pathlib import Path

import pytest

from puzzlelab.cli import generate
from puzzlelab.jobs import board_generation

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def queens(plugged, monkeypatch):
    """Queens as `pip install ./examples` installs it."""
    monkeypatch.syspath_prepend(EXAMPLES)
    plugged("puzzlelab.puzzles", "queens", "queens:FAMILY")
    yield
    sys.modules.pop("queens", None)


@pytest.mark.usefixtures("queens")
def test_the_usual_solver_of_queens_solves_and_counts(program):
    assert program("count", "queens-6", "." * 36)[:2] == (0, "4\n")
    assert program("list", "queens-6")[1].startswith("queens-6: 36 moves\n")  # without a note on moves
    code, out, _ = program("solve", "queens-6", "." * 36)
    assert code == 0
    assert out.count("Q") == 6


TOY = """
from pathlib import Path

import numpy as np
from pydantic import Field

from puzzlelab import Family, Instance, Scale
from puzzlelab.core.settings import Settings
from puzzlelab.core.views import OwnGenerator, Samples, Tally


class Lamps(Settings):
    lit: int = Field(default=1, description="so many lamps are lit")
    broken: bool = Field(default=False, description="one lamp is broken")

    @classmethod
    def fields(cls):
        return cls.model_fields

    @classmethod
    def of_scale(cls, scale, level, options):
        return cls(**options)

    def batches(self, count, seed=0, first=0):
        board = np.array([1] * self.lit + [0] * (4 - self.lit - self.broken) + [2] * self.broken, np.uint8)
        yield np.stack([board] * (count - first)), np.zeros((count - first, 4), np.uint8)


class Street:
    name = "street-4"
    generator = OwnGenerator(Lamps)
    scales = {"any": Scale("any street", lambda random, level, count: np.zeros((count, 4), np.uint8))}

    def write(self, state):
        return "".join(".*x"[lamp] for lamp in state)

    def view(self, kind):
        return self if kind is Samples else None


FAMILY = Family("Lamps of a street.", lambda rest: Street(), ("street-4",))
"""


@pytest.fixture
def street(tmp_path, plugged, monkeypatch):
    """A puzzle with a generator that has settings of its own."""
    (tmp_path / "street_of_a_test.py").write_text(TOY)
    monkeypatch.syspath_prepend(tmp_path)
    plugged("puzzlelab.puzzles", "street", "street_of_a_test:FAMILY")
    generate._generator_options.cache_clear()
    yield
    generate._generator_options.cache_clear()
    sys.modules.pop("street_of_a_test", None)


@pytest.mark.usefixtures("street")
def test_settings_of_a_generator_are_options_of_generate(program):
    assert program("generate", "street-4", "--seed", 0, "--lit", 2) == (0, "**..\n", "")
    assert program("generate", "street-4", "--seed", 0, "--broken") == (0, "*..x\n", "")
    assert "lit" in board_generation.generator_fields()
    code, _, err = program("generate", "street-4", "--lit", "many")
    assert (code, err.splitlines()[0][:40]) == (2, "error: lamps: the option 'lit' cannot be 'many'"[:40])
    assert program("generate", "tiles-3x3", "--lit", 2) == (
        2,
        "",
        "error: tiles-3x3 makes boards by scale and level only\n",
    )

"""The rules of the page's module are those of Python. Skipped where there is no Node.js, which runs the module here."""

# ruff: noqa: D103
import json
import shutil
import subprocess
from importlib import resources

import numpy as np
import pytest
from pocket_cube import PocketCube
from pocket_cube.distances import cubes_at
from pocket_cube.kernels import CUBES
from pocket_cube.rules import MOVES

from puzzlelab import BadBoard

CUBE = PocketCube()
SCRIPT = """
const { boards, texts } = JSON.parse(process.argv[1]);
const rules = new CubeRules();
const told = (work) => { try { return work(); } catch (error) { return error.message; } };
const played = boards.map((text) => {
  const state = rules.read(text);
  const children = rules.legal(state).map((move) => rules.write(rules.apply(state, move)));
  return { written: rules.write(state), solved: rules.solved(state), children };
});
const objections = texts.map((text) => told(() => rules.objection(rules.read(text))?.text ?? null));
console.log(JSON.stringify({ moves: MOVES, played, objections }));
"""
NO_CUBES = [
    "UUUR RRRR FFFF DDDD LLLL BBBB",
    "UUUR URRR FFFF DDDD LLLL BBBB",
    "UUUU DRRR FFFF DRDD LLLL BBBB",
    "RUUU URRR FFFF DDDD LLLL BBBB",
    "UUUU FRRR FLFF DDDD BLLL BRBB",
    "RRRR FFFF UUUU LLLL BBBB DDDD",
]
TWISTED = "UUUF URRR FRFF DDDD LLLL BBBB"


@pytest.fixture(scope="module")
def page():
    """What the module says of some boards and texts, and the boards."""
    if (node := shutil.which("node")) is None:
        pytest.skip("there is no Node.js")
    boards = [CUBE.write(state) for state in cubes_at(np.random.default_rng(5).integers(CUBES, size=50))]
    boards += ["R U2 F'", CUBE.write(CUBE.goals()[0])]
    module = resources.files("pocket_cube").joinpath("page", "cube-rules.js").read_text(encoding="utf-8")
    asked = json.dumps({"boards": boards, "texts": [*NO_CUBES, TWISTED, *boards]})
    command = [node, "--input-type=module", "-e", module + SCRIPT, asked]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(said.stdout), boards


def test_the_page_makes_the_same_moves(page):
    said, boards = page
    assert said["moves"] == list(MOVES)
    for text, played in zip(boards, said["played"], strict=True):
        state = CUBE.read(text).state
        assert played["written"] == CUBE.write(state)
        assert played["solved"] == CUBE.solved(state)
        assert played["children"] == [CUBE.write(CUBE.apply(state, move)) for move in range(len(MOVES))]


def test_the_page_has_the_same_objections(page):
    expected: list[str | None] = []
    for text in NO_CUBES:
        with pytest.raises(BadBoard) as told:
            CUBE.read(text)
        expected.append(str(told.value))
    expected.append(CUBE.objection(CUBE.read(TWISTED).state))
    said, boards = page
    assert said["objections"] == expected + [None] * len(boards)

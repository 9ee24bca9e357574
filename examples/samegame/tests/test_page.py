"""The rules of the page's module are those of Python. Skipped where there is no Node.js, which runs the module here."""

# ruff: noqa: D103
import json
import shutil
import subprocess
from importlib import resources

import numpy as np
import pytest
from samegame import SameGame
from samegame.drawing import FILLS

from puzzlelab import BadBoard

PUZZLES = [SameGame(8, 8, 4), SameGame(5, 3, 2), SameGame(1, 7, 3), SameGame(7, 1, 2), SameGame(16, 16, 9)]
SCRIPT = """
const answers = JSON.parse(process.argv[1]).map(({ puzzle, boards, texts }) => {
  const rules = SameGameRules.named(puzzle);
  const played = boards.map((text) => {
    const state = rules.read(text);
    const moves = rules.legal(state);
    const children = moves.map((move) => rules.apply(state, move));
    return {
      written: rules.write(state),
      over: rules.solved(state),
      moves,
      points: children.map(({ score }) => score),
      children: children.map((child) => rules.write(child)),
    };
  });
  const objections = texts.map((text) => {
    try {
      const unrest = rules.unrest(rules.read(text));
      return unrest && { text: unrest.text, settled: rules.write(rules.settled(rules.read(text))) };
    } catch { return "unreadable"; }
  });
  return { played, objections };
});
console.log(JSON.stringify(answers));
"""
BOARDS = ["../..", "1.\n2.", " aA/BB ", "/11/22/"]
NO_BOARDS = ["..1/1.1", "13/11", "10/11", "11", "x1/11", ""]
TINY = SameGame(2, 2, 2)


def games(puzzle: SameGame) -> list[str]:
    """The boards of two random games."""
    random, boards = np.random.default_rng(7), []
    for _ in range(2):
        state = random.integers(1, puzzle.colours + 1, puzzle.cells, np.uint8)
        boards.append(state)
        while not puzzle.solved(state):
            state = puzzle.apply(state, int(random.choice(np.flatnonzero(puzzle.legal(state)))))
            boards.append(state)
    return [puzzle.write(state) for state in boards]


def loose(puzzle: SameGame) -> list[str]:
    """Boards most of which are not at rest."""
    random = np.random.default_rng(8)
    return [
        puzzle.write(random.integers(1, puzzle.colours + 1, puzzle.cells) * (random.random(puzzle.cells) < share))
        for share in (0.0, 0.1, 0.3, 0.6, 0.9)
    ]


@pytest.fixture(scope="module")
def answers():
    """What the module says of the boards and texts of each puzzle."""
    if (node := shutil.which("node")) is None:
        pytest.skip("there is no Node.js")
    asked = [{"puzzle": each.name, "boards": games(each), "texts": loose(each)} for each in PUZZLES]
    asked += [{"puzzle": TINY.name, "boards": [], "texts": [*BOARDS, *NO_BOARDS]}]
    module = resources.files("samegame").joinpath("page", "samegame-rules.js").read_text(encoding="utf-8")
    command = [node, "--input-type=module", "-e", module + SCRIPT, json.dumps(asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


@pytest.mark.parametrize("number", range(len(PUZZLES)), ids=[each.name for each in PUZZLES])
def test_the_page_plays_by_the_same_rules(answers, number: int) -> None:
    puzzle = PUZZLES[number]
    for text, played in zip(games(puzzle), answers[number]["played"], strict=True):
        state = puzzle.read(text).state
        moves = np.flatnonzero(puzzle.legal(state)).tolist()
        children = [puzzle.apply(state, move) for move in moves]
        assert played["written"] == puzzle.write(state)
        assert played["over"] == puzzle.solved(state)
        assert played["moves"] == [puzzle.write_move(move) for move in moves]
        assert played["children"] == [puzzle.write(child) for child in children]
        assert played["points"] == [puzzle.points(state, *each) for each in zip(moves, children, strict=True)]


@pytest.mark.parametrize("number", range(len(PUZZLES)), ids=[each.name for each in PUZZLES])
def test_the_page_objects_to_the_same_boards(answers, number: int) -> None:
    puzzle = PUZZLES[number]
    for text, objection in zip(loose(puzzle), answers[number]["objections"], strict=True):
        assert (objection is None) == (objection_of(puzzle, text) is None)
        if objection is not None:
            assert objection["text"] == objection_of(puzzle, text)
            assert objection_of(puzzle, objection["settled"]) is None


def test_the_page_reads_the_same_texts(answers) -> None:
    unreadable = [objection == "unreadable" for objection in answers[-1]["objections"]]
    assert unreadable == [objection_of(TINY, text) is not None for text in [*BOARDS, *NO_BOARDS]]
    assert unreadable == [False] * len(BOARDS) + [True] * len(NO_BOARDS)


def objection_of(puzzle: SameGame, text: str) -> str | None:
    """Why Python does not read a board."""
    try:
        puzzle.read(text)
    except BadBoard as error:
        return str(error)
    return None


def test_each_colour_has_a_name_and_a_fill_on_the_page() -> None:
    folder = resources.files("samegame").joinpath("page")
    style = folder.joinpath("samegame.css").read_text(encoding="utf-8")
    assert all(f".samegame-c{number} rect {{ fill: {fill}; }}" in style for number, fill in enumerate(FILLS, 1))

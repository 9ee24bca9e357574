"""Readers of texts for `fuzz.py`: boards, names, moves, options, numbers, requests and links.

A reader gets bytes. It reads them as a value, or raises a `BadInput`; every other exception is a fault, and so is a
value that is not the same after it was written and read again.
"""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput
from puzzlelab.core.limit import read_memory
from puzzlelab.core.puzzle import Puzzle, presentation_of
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings, read_levels, read_options
from puzzlelab.core.solver import require
from puzzlelab.core.views import Estimates, Samples, scale_of
from puzzlelab.storage.lines import lines_of
from puzzlelab.text.reader import splitter_of
from puzzlelab.version import PACKAGE

STATIC = PACKAGE / "web" / "static"
PUZZLES = (
    "tiles-2x2",
    "tiles-3x3",
    "tiles-4x4",
    "tiles-2x7",
    "tiles-8x8",
    "tiles-3x3:blank-first",
    "dust-4x3x3",
    "dust-8x6x5",
    "dust-16x16x2",
    "sudoku-4x4",
    "sudoku-6x6:boxes=3x2",
    "sudoku-9x9",
    "sudoku-25x25",
)


@dataclass(frozen=True)
class Reader:
    """A way in which puzzlelab reads bytes of others."""

    name: str
    examples: Sequence[bytes]
    """Valid inputs."""
    read: Callable[[bytes, Path], object]
    """Reads the bytes, with a folder for files; raises `BadInput` where they mean nothing."""
    refusal: type[Exception] = BadInput


def as_text(data: bytes) -> str:
    """The bytes as an argument of a command: Python keeps what is no UTF-8 as surrogates."""
    return data.decode("utf-8", "surrogateescape")


# --- boards, moves, names -------------------------------------------------------------------------------------------


def sampled(puzzle: Puzzle, count: int = 4) -> list[np.ndarray[Any, Any]]:
    """Some boards of a puzzle: examples, random ones, or one with a single clue where it has neither."""
    samples = puzzle.view(Samples)
    states = [puzzle.read(name).state for name in presentation_of(puzzle).examples][:count]
    if samples and samples.scales:
        states += [scale_of(puzzle)[1].sample(generator(number), None, 1)[0] for number in range(count)]
    size = int(puzzle.name.partition(":")[0].rpartition("x")[2])
    return states or [puzzle.read("1" + "." * (size**2 - 1)).state]


def notations(puzzle: Puzzle, state: np.ndarray[Any, Any]) -> Iterator[str]:
    """A board in all the ways in which it is read."""
    text = puzzle.write(state)
    yield text
    yield puzzle.draw(state)
    yield str(state.tolist())
    yield " ".join(map(str, state.tolist()))
    yield text.replace(" ", ",")
    yield f"{text},{text}"
    yield f"{text} {text}"
    side = round(state.size**0.5)
    yield str(state.reshape(side, -1).tolist()) if state.size % side == 0 else text
    yield "\n".join(text[begin : begin + side] for begin in range(0, len(text), side))


def read_board(puzzle: Puzzle) -> Callable[[bytes, Path], object]:
    """A board from its text."""

    def read(data: bytes, folder: Path) -> object:
        text = as_text(data)
        state = puzzle.read(text).state
        written = puzzle.write(state)
        again = puzzle.read(written).state
        assert np.array_equal(again, state), "another board when it is written and read again"
        assert again.dtype == state.dtype
        assert "\n" not in written
        puzzle.draw(state)
        puzzle.objection(state)
        puzzle.solved(state)
        for move in np.flatnonzero(puzzle.legal(state))[:3].tolist():
            puzzle.apply(state, move)
            assert puzzle.read_move(puzzle.write_move(move)) == move
        return state

    return read


def read_board_file(puzzle: Puzzle) -> Callable[[bytes, Path], object]:
    """All boards of a file, each of which is read or refused; no line is lost and none is read twice."""

    def read(data: bytes, folder: Path) -> object:
        path = folder / "boards.txt"
        path.write_bytes(data)
        read_count, last = 0, 0
        for board in splitter_of(puzzle).split(lines_of(path)):
            assert board.line >= last, "lines are out of order"
            last = board.line
            with suppress(BadInput):
                puzzle.read(board.text)
                read_count += 1
        return read_count

    return read


def read_move(puzzle: Puzzle) -> Callable[[bytes, Path], object]:
    """Moves from their text."""

    def read(data: bytes, folder: Path) -> object:
        from puzzlelab.analysis.game_analysis import read_game

        moves = read_game(puzzle, as_text(data))
        assert read_game(puzzle, " ".join(map(puzzle.write_move, moves))) == moves
        return moves

    return read


def read_name(data: bytes, folder: Path) -> object:
    """The name of a puzzle."""
    puzzle = registry.load(as_text(data))
    assert registry.load(puzzle.name) == puzzle
    assert registry.load(puzzle.name).name == puzzle.name
    return puzzle


# --- options --------------------------------------------------------------------------------------------------------


@cache
def puzzle_of(name: str) -> Puzzle:
    """The puzzle of this name."""
    return registry.load(name)


def read_solver(data: bytes, folder: Path) -> object:
    """The text of a solver, as `bench --with` has it, for each family of puzzles."""
    from puzzlelab.core.limit import Limit
    from puzzlelab.storage.row import Row, unanswered

    solver = registry.parse_solver(as_text(data))
    for name in ("tiles-3x3", "dust-4x3x3", "sudoku-4x4"):
        puzzle = puzzle_of(name)
        try:
            require(solver, puzzle)
            options = solver.options_for(puzzle)
            row = unanswered(puzzle, "", solver, Limit(seconds=1.0))
        except BadInput:
            continue
        assert Row.model_validate_json(row.to_json()).question == row.question
        assert isinstance(json.dumps(dict(options)), str)
    return solver


def read_estimate(data: bytes, folder: Path) -> object:
    """The name of an estimate."""
    view = puzzle_of("tiles-3x3").view(Estimates)
    assert view is not None
    return view.estimate(as_text(data))


def read_option(data: bytes, folder: Path) -> object:
    """Options of the form NAME=VALUE, one a line, for every solver."""
    options = read_options(as_text(data).split("\n"))
    accepted = []
    for name in registry.solver_names():
        with suppress(BadInput):
            accepted.append(registry.make_solver(name, options))
    return accepted


def read_numbers(data: bytes, folder: Path) -> object:
    """A range of levels, and an amount of memory."""
    text = as_text(data)
    refused = 0
    for read in (read_levels, read_memory):
        try:
            read(text)
        except BadInput:
            refused += 1
    if refused == 2:
        raise BadInput("neither")
    return text


def read_reward(data: bytes, folder: Path) -> object:
    """The name of a reward."""
    from puzzlelab.experience import rewards

    made = []
    for name in ("tiles-3x3", "dust-4x3x3"):
        with suppress(BadInput):
            made.append(rewards.make(puzzle_of(name), as_text(data)))
    if not made:
        raise BadInput("a reward of neither puzzle")
    return made


@cache
def recipes() -> list[bytes]:
    """The recipes of the repository."""
    return [
        path.read_bytes()
        for path in sorted((Path(__file__).parents[1] / "src" / "puzzlelab" / "configs").glob("*.toml"))
    ]


def settings_of(values: dict[str, Any], changes: Sequence[str] = ()) -> Settings:
    """The settings of a recipe, checked as `puzzlelab train` does before it begins."""
    from puzzlelab.training import recipe

    name = values.get("recipe")
    if not isinstance(name, str):
        raise BadInput("no recipe")
    settings: Settings = recipe.settings_of(name, values, changes)
    recipe.find(name).check(settings)
    return settings


def read_recipe(data: bytes, folder: Path) -> object:
    """The file of `train --config`; its settings are written as those of a run, and read again."""
    from puzzlelab.training.runs import Run, read_toml

    path = folder / "recipe.toml"
    path.write_bytes(data)
    settings = settings_of(read_toml(path))
    shutil.rmtree(folder / "run", ignore_errors=True)
    run = Run(folder / "run")
    run.begin(settings)
    run.begin(settings)
    assert type(settings)(**run.saved_settings()) == settings, "other settings when they are written and read again"
    return settings


SMALL_RECIPE = {
    "recipe": "imitation",
    "puzzle": "dust-4x3x3",
    "network": {"kind": "exchangeable", "width": 8, "depth": 2, "pooled": 4},
    "teacher": {"solver": "beam", "solver_options": {"width": 3}},
}


def read_change(data: bytes, folder: Path) -> object:
    """What `train --set` changes, one a line."""
    return settings_of(SMALL_RECIPE, as_text(data).split("\n"))


# --- the page -------------------------------------------------------------------------------------------------------


def read_request(data: bytes, folder: Path) -> object:
    """A request of the page that needs no search: the name of the task, and its parameters."""
    from puzzlelab.web.task_context import TaskContext
    from puzzlelab.web.tasks import TASKS

    name, _, query = as_text(data).partition("?")
    parameters: dict[str, Any] = dict(parse_qsl(query, errors="surrogateescape", max_num_fields=None))
    if name not in ("list_all", "frames", "picture") or "puzzle" not in parameters:
        raise BadInput("another request")
    parameters = {"board": "", "drawn": True, **parameters, "lower_bound": 0}
    answer = TASKS[name](parameters, TaskContext(lambda kind, value: None, lambda: False, 2**31))
    return json.dumps(answer)


def read_body(data: bytes, folder: Path) -> object:
    """The body of a request to solve."""
    from pydantic import ValidationError

    from puzzlelab.web.schemas import SolveRequest

    try:
        request = SolveRequest.model_validate_json(data)
    except ValidationError as error:
        raise BadInput(str(error.errors()[0]["msg"])) from None
    assert SolveRequest.model_validate_json(request.model_dump_json()) == request
    return request


NODE = """
import { createInterface } from "node:readline";
const address = await import(`${process.argv[1]}/address.js`);
const families = {};
for (const name of ["tiles", "dust", "sudoku"]) families[name] = await import(`${process.argv[1]}/puzzles/${name}.js`);
function links(text) {
  const link = address.read(text);
  const isStep = link.step === undefined || Number.isSafeInteger(link.step);
  if (!Array.isArray(link.moves) || !isStep) throw new TypeError("no link");
  return null;
}
function board(puzzle, text) {
  const game = families[puzzle.split("-")[0]].createGame({ puzzle });
  const state = game.read(text);
  const written = game.write(state);
  if (game.write(game.read(written)) !== written) throw new TypeError("another board when it is read again");
  game.objection(state);
  return written;
}
for await (const line of createInterface({ input: process.stdin })) {
  const [puzzle, text] = JSON.parse(line);
  try { console.log(JSON.stringify([puzzle ? board(puzzle, text) : links(text), null, null])); }
  catch (error) { console.log(JSON.stringify([null, error.constructor.name, error.message])); }
}
"""
"""Answers each line `[puzzle, text]` with `[what was written, kind of the error, its message]`."""


@cache
def node() -> subprocess.Popen[str] | None:
    """A program that runs scripts of the page; None where there is no node."""
    program = shutil.which("node")
    if program is None:
        return None
    words = [program, "--input-type=module", "--eval", NODE, str(STATIC)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    atexit.register(process.kill)
    return process


def _in_page(puzzle: str, text: str) -> str | None:
    process = node()
    assert process is not None
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps([puzzle, text]) + "\n")
    process.stdin.flush()
    written, kind, message = json.loads(process.stdout.readline())
    if kind == "Error":
        raise BadInput(message)
    assert kind is None, f"{kind}: {message}"
    return None if written is None else str(written)


def read_link(data: bytes, folder: Path) -> object:
    """The part of an address after #."""
    return _in_page("", data.decode("utf-8", "replace"))


def read_board_in_page(puzzle: Puzzle) -> Callable[[bytes, Path], object]:
    """A board as the page reads it; where Python reads it too, it is the same one."""

    def read(data: bytes, folder: Path) -> object:
        text = data.decode("utf-8", "replace")
        written = _in_page(puzzle.name, text)
        with suppress(BadInput):
            assert puzzle.write(puzzle.read(text).state) == written, "another board than Python reads"
        return written

    return read


# --- all of them ----------------------------------------------------------------------------------------------------


def board_readers() -> Iterator[Reader]:
    """Those of boards and moves."""
    for name in PUZZLES:
        puzzle = puzzle_of(name)
        states = sampled(puzzle)
        texts = [text.encode() for state in states for text in notations(puzzle, state)]
        yield Reader(f"board of {name}", texts, read_board(puzzle))
        if node() is not None:
            yield Reader(f"board in the page of {name}", texts, read_board_in_page(puzzle))
    for name in ("tiles-3x3", "dust-4x3x3", "dust-8x6x5", "sudoku-4x4", "sudoku-9x9"):
        puzzle = puzzle_of(name)
        states = sampled(puzzle)
        lines = "\n".join(f"{puzzle.write(state)}\t{number}\topt" for number, state in enumerate(states))
        drawn = "\n\n".join(map(puzzle.draw, states))
        files = [f"# puzzle: {name}\n{lines}\n", f"\ufeff{drawn}\n", f"puzzle,solution\n{lines}\n".replace("\t", ",")]
        yield Reader(f"file of boards of {name}", [text.encode() for text in files], read_board_file(puzzle))
        moves = [puzzle.write_move(int(move)) for move in np.flatnonzero(puzzle.legal(states[0]))]
        yield Reader(f"moves of {name}", [" ".join(moves).encode(), moves[0].encode()], read_move(puzzle))


def text_readers() -> Iterator[Reader]:
    """All readers of texts."""
    yield from board_readers()
    names = [*PUZZLES, "tiles-2x3:goal=5,1,2,0,4,3", "sudoku-12x12:boxes=3x4", "tiles-4x4:goal=0,1"]
    yield Reader("name of a puzzle", [name.encode() for name in names], read_name)
    solvers = registry.solver_names()
    solvers += ["astar:weight=2:estimate=pdb", "beam:width=10:estimate=net:tiles-3x3", "depth-first:depth=40"]
    solvers += ["portfolio:solvers=ida", "uct:playouts=50:prior=net", "greedy:prior=net:averaged:max_moves=50"]
    yield Reader("text of a solver", [text.encode() for text in solvers], read_solver)
    estimates = ["manhattan", "conflicts", "pdb", "pdb-44", "pdb:1,2,3,4/5,6,7,8", "net", "net:tiles-3x3:averaged"]
    yield Reader("name of an estimate", [text.encode() for text in estimates], read_estimate)
    options = [b"weight=2", b"width=10\nestimate=pdb", b'prior="net"', b"playouts=50\njobs=1", b"max_moves=null"]
    yield Reader("options", options, read_option)
    yield Reader("levels and memory", [b"10-20", b"15", b"2G", b"512MiB", b"1000000"], read_numbers)
    yield Reader("reward", [b"moves", b"goal + 0.1*cleared", b"0.5*win", b"potential:manhattan"], read_reward)
    yield Reader("recipe", recipes(), read_recipe)
    changes = [b"learning.steps=10", b"network.width=16\nnetwork.depth=1", b'puzzle="dust-5x5x3"', b"data.buffer=100"]
    yield Reader("changes of a recipe", changes, read_change)
    queries: list[dict[str, Any]] = [
        {"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1", "moves": "D D L"},
        {"puzzle": "dust-4x3x3", "board": "331233122213", "moves": "0,0"},
        {"puzzle": "sudoku-4x4", "board": "1...............", "moves": "r1c2=2"},
    ]
    requests = [f"{task}?{urlencode(query)}" for task in ("list_all", "frames", "picture") for query in queries]
    yield Reader("request", [text.encode() for text in requests], read_request)
    bodies = [{"puzzle": query["puzzle"], "boards": [query["board"]], "time": 0.5, "nodes": 10} for query in queries]
    yield Reader("body of a request", [json.dumps(body).encode() for body in bodies], read_body)
    if node() is not None:
        links = [f"#{urlencode({**query, 'mode': 'watch', 'with': 'ida', 'step': 3})}" for query in queries]
        yield Reader("link", [text.encode() for text in links], read_link)

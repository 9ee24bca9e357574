"""Each way to break the contract of a puzzle is named by a sentence that an author understands."""

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

from puzzlelab import BadBoard, BadOption, Estimate, Example, Family, Instance, Presentation, Scale, State, UnknownName
from puzzlelab import check_puzzle as check
from puzzlelab.core.errors import ConformanceError
from puzzlelab.core.puzzle import BoardForm, Drawings, Forms, MoveForm, MoveForms, Notation
from puzzlelab.core.registry import load
from puzzlelab.core.views import BatchRules, Estimates, Legality, Planes, Reversible, Rewards, Samples, Steps, singly
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import implements
from puzzlelab.puzzles.dust.rules import Dust
from puzzlelab.puzzles.sudoku.rules import Sudoku
from puzzlelab.puzzles.tiles import estimate_kernels
from puzzlelab.puzzles.tiles.kernels import TilesTables
from puzzlelab.puzzles.tiles.rules import Tiles

# --- a puzzle that is right, and its wrong variants -------------------------------------------------------------------


def turns(states: State) -> State:
    """The true distance of each of `states: uint8[B, S]`."""
    return np.minimum(states, 5 - states).sum(axis=1).astype(np.int64)


def board_of(random: np.random.Generator, level: int | None) -> State:
    """A board of this distance."""
    if level is not None and not 0 <= level <= 6:
        raise BadOption(f"no board is {level} turns from the goal")
    while True:
        state = random.integers(0, 5, 3).astype(np.uint8)
        if level is None or turns(state[None])[0] == level:
            return state


@dataclass(frozen=True)
class Dials:
    """Three dials with the digits 0 to 4 are to be turned to 0; a move turns one of them by one."""

    VIEWS: ClassVar[tuple[type, ...]] = (Estimates, Planes, Reversible, Rewards, Samples)
    PRESENTATION: ClassVar[Presentation] = Presentation(
        usual_solver=("bfs", {"bidirectional": True}),
        provers=(("ida", {"estimate": "turns"}),),
        examples={"far": Example("2 2 2", "as far from the goal as a board can be")},
    )
    notation: ClassVar[Mapping[str, Any]] = {}
    numbers = staticmethod(lambda moves: list(map(str, moves)))
    read_numbers = staticmethod(lambda text: list(map(int, text.split())))
    pair = staticmethod(lambda boards, ends: f"{boards.tolist()} -> {ends}\n")
    name: ClassVar[str] = "dials-3"
    move_count: ClassVar[int] = 6
    input_size: ClassVar[int] = 3
    cost: ClassVar[Any] = None
    points: ClassVar[Any] = None
    grid: ClassVar[tuple[int, int]] = (1, 3)
    cell_at: ClassVar[Any] = np.array([[0, 1, 2]])
    symbols: ClassVar[None] = None
    isomorphism: ClassVar[None] = None
    estimates: ClassVar[Mapping[str, str]] = {"turns": "turns of each dial"}
    rewards: ClassVar[Mapping[str, str]] = {"turned": "turns that came nearer"}
    generator: ClassVar[None] = None
    scales: ClassVar[Mapping[str, Scale]] = {"turns": Scale("turns from the goal", singly(board_of), (0, 6), turns)}

    def legal(self, state: State) -> State:
        return np.ones(6, bool)

    def apply(self, state: State, move: int) -> State:
        after = state.copy()
        after[move // 2] = (state[move // 2] + (1, 4)[move % 2]) % 5
        return after

    def solved(self, state: State) -> bool:
        return not state.any()

    def objection(self, state: State) -> str | None:
        return None

    def goals(self) -> State:
        return np.zeros((1, 3), np.uint8)

    def inverse(self, move: int) -> int:
        return move ^ 1

    def read(self, text: str) -> Instance:
        words = self.PRESENTATION.examples[text].board.split() if text in self.PRESENTATION.examples else text.split()
        if len(words) != 3 or not set(words) <= set("01234"):
            raise BadBoard("three digits from 0 to 4")
        return Instance(self, np.array(words, np.uint8))

    def write(self, state: State) -> str:
        return " ".join(map(str, state.tolist()))

    def draw(self, state: State, mark: int | None = None) -> str:
        return "".join(f"[{digit}]" for digit in state)

    def write_move(self, move: int) -> str:
        return "abc"[move // 2] + "+-"[move % 2]

    def read_move(self, text: str) -> int:
        names = ["a+", "a-", "b+", "b-", "c+", "c-"]
        if text not in names:
            raise BadBoard("no move")
        return names.index(text)

    def estimate(self, name: str | None = None) -> Estimate:
        if name not in (None, "turns"):
            raise UnknownName("estimate", str(name), ["turns"])
        return Estimate("turns", admissible=True, scores=turns)

    def difficulty(self, states: State) -> Mapping[str, State]:
        return {"turns": turns(states)}

    def planes(self, states: State) -> State:
        return states.astype(np.float32)

    def symmetries(self, states: State) -> tuple[tuple[State, State], ...]:
        return (states, np.arange(6)), (states[:, ::-1], np.array([4, 5, 2, 3, 0, 1]))

    def reward(self, name: str, before: State, after: State) -> State:
        return (turns(before) - turns(after)).astype(np.float64)

    def svg(self, state: State) -> str:
        return f"<svg xmlns='http://www.w3.org/2000/svg'><text>{self.write(state)}</text></svg>"

    def view(self, kind: type) -> Any:
        if kind is Drawings:
            return Drawings(self.svg)
        if kind is Steps and kind in self.VIEWS:
            return Steps(self.cost, self.points)
        if kind is Notation:
            notation = Notation((1, 3), frozenset("01234"), lambda text: Dials().read(text).state)
            return replace(notation, **self.notation)
        if kind is Forms:
            return Forms({"pair": BoardForm("the board and its solution", self.pair)})
        if kind is MoveForms:
            form = MoveForm("numbers", lambda state, moves: self.numbers(moves))
            return MoveForms(("usual",), lambda letters: {"numbers": form}, lambda *given: self.read_numbers(given[1]))
        return self.PRESENTATION if kind is Presentation else self if kind in self.VIEWS else None


def variant(**parts: Any) -> Dials:
    """The puzzle with other parts."""
    return type("Variant", (Dials,), parts)()


def shown(**parts: Any) -> dict[str, Any]:
    """Another presentation."""
    return {"PRESENTATION": replace(Dials.PRESENTATION, **parts)}


def scaled(scale: Scale, **parts: Any) -> dict[str, Any]:
    """Another scale."""
    return {"scales": {"turns": scale}, **parts}


def sampled(board: Callable[..., State], levels: Any = (0, 6), measure: Any = turns, **parts: Any) -> dict[str, Any]:
    """Another sampler of single boards."""
    return scaled(Scale(ABOUT, singly(board), levels, measure), **parts)


def priced(cost: Callable[[int], Any], *views: type, **parts: Any) -> dict[str, Any]:
    """With a cost of each move."""
    return {"VIEWS": (Steps, *views), "cost": lambda self, state, move, after: cost(move), **parts}


def rich(points: Any, *views: type, **parts: Any) -> dict[str, Any]:
    """With points for each move."""
    return {"VIEWS": (Steps, *views), "points": lambda self, state, move, after: points, **parts}


def noted(**parts: Any) -> dict[str, Any]:
    """With another notation."""
    return {"notation": parts}


def paired(write: Callable[..., Any]) -> dict[str, Any]:
    """With another form of a board and its solution."""
    return {"pair": staticmethod(write)}


def guessed(scores: Callable[[State], Any], **parts: Any) -> dict[str, Any]:
    """Another estimate that is marked admissible."""
    return {"estimate": lambda self, name=None: Estimate("turns", admissible=True, scores=scores), **parts}


def one_way(**parts: Any) -> dict[str, Any]:
    """Without the way back."""
    return {"VIEWS": (Estimates, Samples), **parts}


def batched(*views: type, **functions: Any) -> dict[str, Any]:
    """With rules for batches, of which these functions are others, and with these views."""
    rules = BatchRules(**{"legal": legal_of_all, "apply": apply_to_all, "solved": solved_of_all, **functions})

    def view(self: Dials, kind: type) -> Any:
        if kind is Steps and kind in views:
            return Steps(self.cost)
        return rules if kind is BatchRules else self if kind in views else Dials.view(self, kind)

    return {"view": view}


def legal_of_all(states: State) -> State:
    return np.ones((len(states), 6), bool)


def apply_to_all(states: State, moves: State) -> State:
    after, every = states.copy(), np.arange(len(states))
    after[every, moves // 2] = (after[every, moves // 2] + np.where(moves % 2, 4, 1)) % 5
    return after


def solved_of_all(states: State) -> State:
    return ~states.any(axis=1)


def all_written_into(states: State, moves: State) -> State:
    states[:] = apply_to_all(states, moves)
    return states


def raising(*arguments: Any) -> Any:
    raise KeyError("x")


def written_into(self: Dials, state: State, move: int) -> State:
    state[move // 2] = (state[move // 2] + (1, 4)[move % 2]) % 5
    return state


def smuggled_into(self: Dials, state: State, move: int) -> State:
    after = Dials.apply(self, state, move)
    state.setflags(write=True)
    state[:] = after
    return after


BUFFER = np.zeros(3, np.uint8)


def into_one_array(self: Dials, state: State, move: int) -> State:
    BUFFER[:] = Dials.apply(self, state, move)
    return BUFFER


def scores_that_write(states: State) -> State:
    values = turns(states)
    states[:] = 0
    return values


RANDOM = np.random.default_rng(1)
COUNTER = count()
ABOUT = "turns from the goal"
NO_COST = "`cost` of move a+ must give an int from 0 to 1,099,511,627,776, not"

RULES: dict[str, tuple[dict[str, Any], str]] = {
    "solved is False at the goal": ({"solved": lambda self, state: False}, "this board, and `solved` is False for it"),
    "solved gives a number of NumPy": ({"solved": lambda self, state: state.sum() == 0}, "or False, not a NumPy bool"),
    "one of two goals is not solved": (
        {"goals": lambda self: np.array([[0, 0, 0], [0, 0, 1]], np.uint8)},
        "dials-3 at 0 0 1: `goals` gives this board, and `solved` is False for it",
    ),
    "a goal is missing": (
        {"solved": lambda self, state: not state[:2].any(), "VIEWS": (Reversible,), "PRESENTATION": Presentation()},
        "the board is solved, and `goals` does not give it",
    ),
    "goals of another type": ({"goals": lambda self: np.zeros((1, 3), np.int64)}, "give uint8[G, 3], not int64[1, 3]"),
    "a single goal": ({"goals": lambda self: np.zeros(3, np.uint8)}, "`goals` must give uint8[G, 3], not uint8[3]"),
    "apply writes into its argument": ({"apply": written_into}, "writes into its argument, which must stay as it is"),
    "apply makes its argument writable": ({"apply": smuggled_into}, "changed its argument, which must stay as it is"),
    "apply gives its argument": ({"apply": lambda self, state, move: state[:]}, "shares memory with its argument"),
    "apply gives one array each time": ({"apply": into_one_array, "VIEWS": ()}, "an array that a later call changes"),
    "apply gives another type": (
        {"apply": lambda self, state, move: Dials.apply(self, state, move).astype(np.int64)},
        "`apply` of move a+ must give uint8[3], not int64[3]",
    ),
    "apply raises": ({"apply": lambda self, state, move: raising()}, "2 2 2: `apply` of move a+ raised KeyError: 'x'"),
    "legal raises": ({"legal": raising}, "dials-3 at 2 2 2: `legal` raised KeyError: 'x'"),
    "legal gives numbers": ({"legal": lambda self, state: np.arange(6)}, "`legal` must give bool[6], not int64[6]"),
    "legal moves at random": ({"legal": lambda self, state: RANDOM.random(6) < 0.5}, " the second time"),
    "legal moves of a hidden counter": (
        {"legal": lambda self, state: np.arange(6) != next(COUNTER) % 2},
        "dials-3 at 2 2 2: `legal` gives [False  True",
    ),
    "a move at random": (
        {"apply": lambda self, state, move: RANDOM.integers(0, 5, 3).astype(np.uint8)},
        " the second time",
    ),
    "solved at random": ({"solved": lambda self, state: next(COUNTER) % 2 == 0}, " the second time"),
    "no way back": ({"legal": lambda self, state: np.array([False, True] * 3)}, "a- is not undone by its inverse a+"),
    "an inverse that is no move": ({"inverse": lambda self, move: move + 6}, "a+ must give a move, not the number 6"),
    "a false objection": (
        {"objection": lambda self, state: "two dials differ" if state[0] != state[1] else None},
        "dials-3: `objection` says 'two dials differ' at 4 0 0, whose solution a+ has length 1",
    ),
    "an objection to a goal": ({"objection": lambda self, state: "no"}, "says 'no' at 0 0 0, which is solved"),
    "an objection without words": ({"objection": lambda self, state: ""}, "give a sentence or None, not the text ''"),
    "a name of another type": ({"name": 7}, "`name` must be a text, not the number 7"),
    "a number of moves of another type": ({"move_count": 6.0}, "`move_count` must be an int, not the number 6.0"),
    "equal names of moves": ({"write_move": lambda self, move: "a+"}, "of 1 is 'a+', which `read_move` reads as 0"),
    "any text is a move": ({"read_move": lambda self, text: int(text)}, "`read_move` of 'a+' raised ValueError"),
    "a text that breaks read_move": (
        {"read_move": lambda self, text: {self.write_move(move): move for move in range(6)}[text]},
        "dials-3: `read_move` of '' raised KeyError: ''; for a text that cannot be read, raise BadBoard",
    ),
    "a text that breaks read": (
        {
            "read": lambda self, text: Instance(self, np.array(list(map(int, text or "000")), np.uint8)),
            "write": lambda self, state: "".join(map(str, state.tolist())),
        },
        "`read` of '?' raised ValueError: invalid literal",
    ),
    "read gives a state": ({"read": lambda self, text: Dials.read(self, text).state}, "class Instance, not uint8[3]"),
    "read gives another type": (
        {"read": lambda self, text: Instance(self, Dials.read(self, text).state.astype(np.int64))},
        "the board is not read as it was written, but as [0, 0, 0], int64[3] in the place of uint8[3]",
    ),
    "a board is not read": (
        {"write": lambda self, state: "-".join(map(str, state.tolist()))},
        "dials-3 at 0-0-0: `read` of what `write` gives raised BadBoard: three digits from 0 to 4",
    ),
    "a board is written as another": ({"write": lambda self, state: "1 1 1"}, "is not read as it was written"),
    "a notation of two lines": ({"write": lambda self, state: Dials.write(self, state) + "\n"}, "must be one line"),
    "no drawing": ({"draw": lambda self, state, mark=None: ""}, "`draw` must give a text, not the text ''"),
    "no move is undone": ({"inverse": lambda self, move: move}, "is not undone by its inverse"),
    "a mask too long": ({"legal": lambda self, state: np.ones(7, bool)}, "`legal` must give bool[6], not bool[7]"),
    "no mark can be drawn": (
        {"draw": lambda self, state, mark=None: self.write(state) if mark is None else raising()},
        "`draw` with the mark of move a+ raised KeyError",
    ),
    "a view that fails": ({"view": lambda self, kind: raising()}, "dials-3: `view` of Reversible raised KeyError"),
}


ESTIMATES: dict[str, tuple[dict[str, Any], str]] = {
    "three times the distance": (guessed(lambda states: 3 * turns(states)), "3 at 0 0 4, whose solution c+ has"),
    "three times the distance and a random factor": (
        guessed(lambda states: 3 * turns(states) * RANDOM.random(len(states))),
        "dials-3 at 2 2 2: the estimate 'turns' gives",
    ),
    "three times the distance, without a way back": (
        one_way(**guessed(lambda states: 3 * turns(states))),
        "gives 3 at 0 0 1, whose solution c- has length 1",
    ),
    "too large on two boards": (
        guessed(lambda states: turns(states) + (states == [1, 2, 3]).all(axis=1)),
        "gives 6 at 1 2 3, whose solution c+ b- b- a- c+ has length 5",
    ),
    "not 0 at the goal": (guessed(lambda states: np.maximum(1, turns(states))), "gives 1 at 0 0 0, which is solved"),
    "a random estimate": (guessed(lambda states: RANDOM.random(len(states)) * turns(states)), "for the board alone"),
    "an estimate that the batch changes": (
        guessed(lambda states: turns(states) / len(states)),
        "in a batch, and 6 for the board alone",
    ),
    "no number": (guessed(lambda states: np.where(turns(states) > 5, np.nan, 0.0)), "give finite numbers, not nan"),
    "one number for all": (guessed(lambda states: turns(states).max()), "must give float[11], not a NumPy int64"),
    "an estimate for each dial": (guessed(lambda states: states), "must give float[11], not uint8[11, 3]"),
    "an estimate that raises": (guessed(raising), "at 2 2 2: the estimate 'turns' for 11 boards raised KeyError: 'x'"),
    "an estimate that writes": (guessed(scores_that_write), "boards changed its argument, which must stay as it is"),
    "a listed estimate that is not there": (
        {
            "estimates": {"turns": "", "table": ""},
            "estimate": lambda self, name=None: {"turns": ESTIMATE}[name or "turns"],
        },
        "`estimate` of 'table' raised KeyError: 'table'",
    ),
    "a default estimate that is not found by its name": (
        {"estimate": lambda self, name=None: Estimate(f"{name}-1", admissible=True, scores=turns)},
        "`estimate` gives 'None-1', and 'None-1-1' for that name",
    ),
    "no estimate": ({"estimate": lambda self, name=None: turns}, "an object of the class Estimate, not a function"),
    "more than the cost": (
        priced(lambda move: move % 2, Estimates, Reversible, **guessed(turns)),
        "gives 1 at 0 0 4, whose solution c+ has cost 0",
    ),
    "less than the points": (rich(2, Estimates, Reversible, **guessed(turns)), "gives 1 at 0 0 4, whose solution c+"),
}
ESTIMATE = Estimate("turns", admissible=True, scores=turns)

SCALES: dict[str, tuple[dict[str, Any], str]] = {
    "another difficulty of many boards": (
        {"difficulty": lambda self, states: {"turns": turns(states) + (len(states) > 1)}},
        "`difficulty` gives {'turns': ",
    ),
    "a sampler that misses its level": (sampled(lambda random, level: board_of(random, None)), "was asked for level"),
    "a sampler that misses its level by one": (
        sampled(lambda random, level: board_of(random, level and level - 1)),
        "was asked for level",
    ),
    "a level that only difficulty knows": (
        sampled(lambda random, level: board_of(random, None), measure=None),
        "was asked for level",
    ),
    "another difficulty than measure": (
        scaled(Dials.scales["turns"], difficulty=lambda self, states: {"turns": np.full(len(states), 9)}),
        "on the scale 'turns' `measure` gives",
    ),
    "difficulties of another type": (
        {"difficulty": lambda self, states: {"turns": int(turns(states)[0])}},
        "`difficulty` of 'turns' must give int64[12], not the number",
    ),
    "a sampler with a seed of its own": (
        sampled(lambda random, level: board_of(RANDOM, level)),
        "the scale 'turns' makes different boards from equal seeds",
    ),
    "a sampler of levels alone": (sampled(lambda random, level: board_of(random, level + 0)), "`sample` of the scale"),
    "a sampler without levels": (
        sampled(lambda random, level: board_of(random, None if level is None else 9)),
        "the scale 'turns' makes no board of the levels [6, ",
    ),
    "a sampler without boards": (sampled(lambda random, level: board_of(random, 9)), "makes no board without a"),
    "boards that cannot be solved": (
        {
            **sampled(lambda random, level: np.array([4, 0, 0], np.uint8), None, None),
            "VIEWS": (Samples,),
            "legal": lambda self, state: np.full(6, state[0] != 4),
            "objection": lambda self, state: "the first dial is stuck" if state[0] == 4 else None,
        },
        "without a level gives this board, which cannot be solved: the first dial is stuck",
    ),
    "boards of two axes": (sampled(lambda random, level: board_of(random, level)[None]), "S], not uint8[12, 1, 3]"),
    "a measure of one board": (
        sampled(board_of, measure=lambda states: int(turns(states)[0])),
        "`measure` of the scale 'turns' must give int[12], not the number",
    ),
    "levels from high to low": (sampled(board_of, (6, 0)), "least and the greatest level"),
    "boards that are too few": (
        scaled(Scale(ABOUT, lambda random, level, count: singly(board_of)(random, level, count - 1), (0, 6), turns)),
        "without a level, for 12 boards, must give T[12, S], not uint8[11, 3]",
    ),
    "boards of another type": (
        sampled(lambda random, level: board_of(random, level).astype(np.int64)),
        "uint8[3] in the place of int64[3]",
    ),
    "a scale by its name alone": (scaled(ABOUT), "scale 'turns' must be an object of the class Scale, not the text"),
}

PRESENTATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "an example whose name is not read": (
        {"read": lambda self, text: Dials.read(self, "-" if text == "far" else text)},
        "dials-3: `read` for the example 'far' of 'far' raised BadBoard: three digits from 0 to 4",
    ),
    "an example whose board is not read": (
        {
            **shown(examples={"far": Example("2 2 9", "")}),
            "read": lambda self, text: Dials.read(self, text.replace("far", "2 2 2")),
        },
        "dials-3: `read` for the example 'far' of '2 2 9' raised BadBoard: three digits from 0 to 4",
    ),
    "an example of two boards": (
        {"read": lambda self, text: Dials.read(self, text.replace("far", "1 1 1"))},
        "the example 'far' is <dials-3: 1 1 1> by its name",
    ),
    "an example that is a text": (shown(examples={"far": "2 2 2"}), "be an object of the class Example, not the text"),
    "an unknown solver": (shown(usual_solver=("idb", {})), "there is no solver 'idb'; did you mean 'ida'?"),
    "an unknown option of a solver": (shown(usual_solver=("bfs", {"both": True})), "bfs has no option 'both'"),
    "a solver for other puzzles": (shown(usual_solver=("dancing-links", {})), "dancing-links cannot solve dials-3"),
    "an unknown prover": (shown(provers=(("idb", {}),)), "raised UnknownName: there is no solver 'idb'"),
    "a list of examples": (shown(examples=[Example("2 2 2", "")]), "'list' object has no attribute 'items'"),
    "warnings that fail": (shown(warnings=raising), "`Presentation.warnings` raised KeyError"),
    "warnings without a place": (
        shown(warnings=lambda states: {len(states): ["a board that is none"]}),
        "`Presentation.warnings` gives {1: ",
    ),
}

NOTATIONS: dict[str, tuple[dict[str, Any], str]] = {
    "a notation that reads another board": (
        noted(read=lambda text: (Dials().read(text).state + 1) % 5),
        "`Notation.read` reads another board in what `write` writes",
    ),
    "a form that fails": (paired(raising), "form 'pair' raised KeyError"),
    "a form without a text": (paired(lambda boards, ends: boards.copy()), "must give a text, not uint8[1, 3]"),
    "a form of moves that fails": ({"numbers": raising}, "form 'numbers' of moves raised KeyError"),
    "moves that are read otherwise": (
        {"read_numbers": staticmethod(lambda text: [1])},
        "`MoveForms.read` reads other moves in '",
    ),
    "a form without the end of a line": (paired(lambda boards, ends: "1 2 3"), "the form 'pair' must end the"),
    "a puzzle that lets boards settle and reads otherwise": (
        noted(settling=(variant(read=lambda self, text: Dials.read(self, "0 0 0")), str)),
        "the puzzle of `Notation.settling` reads another board",
    ),
}

VIEWS: dict[str, tuple[dict[str, Any], str]] = {
    "a drawing that is no XML": ({"svg": lambda self, state: "<svg>"}, "drawing of `svg` as XML raised ParseError"),
    "planes of another type": ({"planes": lambda self, states: states.astype(np.float64)}, "3], not float64[3, 3]"),
    "planes that the batch changes": (
        {"planes": lambda self, states: (states / len(states)).astype(np.float32)},
        "`planes` gives other numbers for the board alone than in a batch",
    ),
    "planes that are no grid": ({"grid": (2, 2)}, "3 inputs do not fit the 4 cells of `grid`"),
    "places without a cell": ({"cell_at": np.array([[0, 1, 1]])}, "`cell_at` must hold each of the 3 cells of `grid`"),
    "symmetries without moves": ({"symmetries": lambda self, states: (states,)}, "values to unpack (expected 2)"),
    "a cost below 0": (priced(lambda move: -1), f"dials-3 at 2 2 2: {NO_COST} -1"),
    "a cost that is no number": (priced(lambda move: None), f"{NO_COST} None"),
    "a cost that is not a number": (priced(lambda move: float("nan")), f"{NO_COST} nan"),
    "a cost that no integer of 64 bits holds": (priced(lambda move: 10**30), f"{NO_COST} 1000"),
    "a cost of another type": (priced(lambda move: 1e30), f"{NO_COST} 1e+30"),
    "a cost that changes": (priced(lambda move: next(COUNTER)), " the second time"),
    "points that are no integer": (rich(0.5), "an int from -1,099,511,627,776 to 1,099,511,627,776, not 0.5"),
    "a symmetry without names of moves": (
        {"symmetries": lambda self, states: ((states, np.arange(6)), (states[:, ::-1], np.arange(6)))},
        "a symmetry does not map the board after move a+",
    ),
    "a symmetry that solves": (
        {"symmetries": lambda self, states: ((states, np.arange(6)), (0 * states, np.arange(6)))},
        "a symmetry does not keep whether it is solved",
    ),
    "a reward for the batch": ({"reward": lambda self, name, before, after: np.float64(1)}, "not a NumPy float64"),
    "a reward without a number": (
        {"reward": lambda self, name, before, after: np.full(len(after), np.inf)},
        "the reward 'turned' must give finite numbers",
    ),
}

PRICED: dict[str, Any] = {"cost": lambda self, state, move, after: 2, "PRESENTATION": Presentation()}
BATCHES: dict[str, tuple[dict[str, Any], str]] = {
    "a batch with a legal move too few": (
        batched(legal=lambda states: legal_of_all(states) & (np.arange(6) > 0)),
        "dials-3 at 2 2 2: `legal` gives [False  True",
    ),
    "a batch with the legal moves of its first board": (
        batched(legal=lambda states: np.ones(6, bool)),
        "`legal` of the batch rules must give bool[31, 6], not bool[6]",
    ),
    "a batch with another move": (
        batched(apply=lambda states, moves: apply_to_all(states, moves ^ 1)),
        "at 2 2 2: `apply` of move a+ gives [1 2 2] by the batch rules, and [3 2 2] by",
    ),
    "a batch of another type": (
        batched(apply=lambda states, moves: apply_to_all(states, moves).astype(np.int64)),
        "`apply` of the batch rules must give uint8[186, 3], not int64[186, 3]",
    ),
    "a batch that is written into": (batched(apply=all_written_into), "its argument, which must stay as it is"),
    "a batch that is never solved": (
        batched(solved=lambda states: np.zeros(len(states), bool)),
        "at 0 0 0: `solved` gives False by the batch rules",
    ),
    "a batch that is solved together": (
        batched(solved=lambda states: np.full(len(states), not states.any())),
        "at 0 0 0: `solved` gives False by the batch rules",
    ),
    "a batch that raises": (batched(solved=raising), "at 2 2 2: `solved` of the batch rules raised KeyError: 'x'"),
    "a batch without costs": ({**PRICED, **batched(Steps)}, "moves have a cost, and batch rules lack `costs`"),
    "a batch of other costs": (
        {**PRICED, **batched(Steps, costs=lambda states, moves, after: 1 + moves % 2)},
        "`costs` of move a+ gives 1 by the batch rules, and 2",
    ),
}

EVERY = {**RULES, **ESTIMATES, **SCALES, **PRESENTATIONS, **NOTATIONS, **VIEWS, **BATCHES}


def fault(puzzle: Any, start: str = "2 2 2") -> str:
    """What the check says."""
    board = Dials().read(start) if isinstance(puzzle, Dials) else puzzle.read(start)
    with pytest.raises(ConformanceError) as caught:
        check(puzzle, [Instance(puzzle, board.state)], steps=30)
    return str(caught.value)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        one_way(),
        {"VIEWS": (), "PRESENTATION": Presentation()},
        {"VIEWS": (Samples,), "PRESENTATION": Presentation()},
        batched(),
        {**PRICED, **batched(Steps, costs=lambda states, moves, after: np.full(len(states), 2))},
    ],
    ids=["all views", "one way", "no view", "samples", "batches", "batches with costs"],
)
def test_the_right_puzzle_passes(parts: dict[str, Any]) -> None:
    check(variant(**parts), [variant(**parts).read("2 2 2")])


def test_the_right_puzzle_makes_its_own_starts() -> None:
    check(Dials())


def test_costs_and_points_of_the_right_puzzle_pass() -> None:
    most = guessed(lambda states: np.full(len(states), 10**6))
    for parts in (priced(lambda move: 2, Estimates, Reversible), rich(2, Estimates, Reversible, **most)):
        puzzle = variant(PRESENTATION=Presentation(), **parts)
        check(puzzle, [puzzle.read("2 2 2")])


@pytest.mark.parametrize(("parts", "sentence"), EVERY.values(), ids=EVERY)
def test_each_mistake_is_named(parts: dict[str, Any], sentence: str) -> None:
    assert sentence in fault(variant(**parts))


def walk_of(random: np.random.Generator, level: int | None) -> State:
    """The board after so many random moves, none of which undoes the last one; it may be nearer than that."""
    state, last = np.zeros(3, np.uint8), -1
    for _ in range(int(random.integers(9)) if level is None else level):
        last = int(random.choice([move for move in range(6) if move != last ^ 1 or last < 0]))
        state = Dials().apply(state, last)
    return state


@pytest.mark.parametrize("seed", range(4))
def test_random_moves_that_are_no_distance_are_found_with_every_seed(seed: int) -> None:
    """Without `measure`, only `difficulty` knows that the sampler misses its level, as some boards do not."""
    puzzle = variant(**sampled(walk_of, (0, 8), None))
    with pytest.raises(ConformanceError, match=r"the scale 'turns' was asked for level \d, and gives"):
        check(puzzle, [puzzle.read("2 2 2")], seed=seed)


def test_the_error_keeps_what_the_puzzle_raised() -> None:
    puzzle = variant(legal=raising)
    with pytest.raises(ConformanceError) as caught:
        check(puzzle, [puzzle.read("2 2 2")])
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_estimate_may_guess_if_it_is_not_marked_admissible() -> None:
    guess = Estimate("turns", admissible=False, scores=lambda states: 3.0 * turns(states))
    puzzle = variant(estimate=lambda self, name=None: guess, PRESENTATION=Presentation())
    check(puzzle, [puzzle.read("2 2 2")])


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        (["2 2 2"], "a start must be a board, as `puzzle.read` gives it, not the text '2 2 2'"),
        ("2 2 2", "a start must be a board, as `puzzle.read` gives it, not the text '2'"),
        (Dials().read("2 2 2"), "the boards to start from must be a list of boards, not an Instance"),
    ],
)
def test_starts_that_are_no_boards_are_refused(starts: Any, words: str) -> None:
    with pytest.raises(BadOption, match=words):
        check(Dials(), starts)


# --- which estimates are checked --------------------------------------------------------------------------------------


class TilesOfTest(Tiles):
    """Sliding tiles that note which of their estimates have their tables made."""

    estimates: ClassVar[Mapping[str, str]] = {"a": "", "b": "", "c": ""}
    cheap: ClassVar[tuple[str, ...]] = ()
    made: ClassVar[set[str]] = set()

    @property
    def name(self) -> str:
        return "test-tiles"

    def estimate(self, name: str | None = None) -> Estimate:
        def kernel() -> Any:
            self.made.add(name or "a")
            return estimate_kernels.misplaced(self)

        return Estimate(name or "a", admissible=True, kernel=kernel, is_cheap=(name or "a") in self.cheap)

    def view(self, kind: type) -> Any:
        return self if kind is Estimates else super().view(kind)


@pytest.mark.parametrize(
    ("columns", "cheap", "names", "expected"),
    [(4, ("b",), None, "abc"), (5, ("b",), None, "b"), (5, (), None, "abc"), (5, ("b",), ["c"], "c")],
)
def test_of_large_puzzles_only_cheap_bounds_are_built(
    monkeypatch: pytest.MonkeyPatch, columns: int, cheap: tuple[str, ...], names: list[str] | None, expected: str
) -> None:
    monkeypatch.setattr(TilesOfTest, "cheap", cheap)
    monkeypatch.setattr(TilesOfTest, "made", set())
    puzzle = TilesOfTest(4, columns)
    check(puzzle, [Instance(puzzle, puzzle.goals()[0])], steps=3, estimates=names)
    assert puzzle.made == set(expected)


def test_the_name_of_an_estimate_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownName, match="turn"):
        check(Dials(), estimates=["turn"])


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def installed(plugged: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], Any]], None]:
    """Installs a family `dials` with this function from a name to a puzzle."""

    def install(make: Callable[[str], Any]) -> None:
        module = ModuleType("dials_of_test")
        vars(module)["FAMILY"] = Family("Dials.", make, ("dials-3",))
        monkeypatch.setitem(sys.modules, "dials_of_test", module)
        plugged("puzzlelab.puzzles", "dials", "dials_of_test:FAMILY")

    return install


def refusing(rest: str) -> Any:
    raise BadOption(f"there are no {rest} dials")


def test_a_name_that_loads_an_equal_puzzle_passes(installed: Any) -> None:
    installed(lambda rest: Dials())
    check(Dials())


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (refusing, "dials-3: loading its name, whose family is known, raised BadOption: there are no 3 dials"),
        (lambda rest: load("tiles-2x2"), "the name 'dials-3' loads a puzzle that is not equal to this one"),
    ],
)
def test_a_name_that_does_not_load_is_named(installed: Any, make: Callable[[str], Any], sentence: str) -> None:
    installed(make)
    assert sentence in fault(Dials())


def test_equal_puzzles_have_equal_hashes(installed: Any) -> None:
    class Unstable(Dials):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Unstable)

        def __hash__(self) -> int:
            return id(self)

    installed(lambda rest: Unstable())
    assert "dials-3: equal puzzles must have equal hashes" in fault(Unstable())


# --- compiled rules and estimates -------------------------------------------------------------------------------------


class WrongMisplaced(NamedTuple):
    """The tables of `misplaced`, with an estimate after a move that is wrong by one."""

    geometry: TilesTables


@implements(kernels.evaluate, WrongMisplaced)
def _misplaced(estimate: Any, state: Any, memo: Any) -> Any:
    total = 0
    for cell in range(state.size - 1):
        if state[cell] != cell and state[cell] != estimate.geometry.home:
            total += 1
    return total


@implements(kernels.evaluate_move, WrongMisplaced)
def _wrong_after_move(estimate: Any, state: Any, move: Any, value: Any, memo: Any, delta: Any, most: Any) -> Any:
    return value


class TilesWithWrongEstimate(Tiles):
    """Sliding tiles whose compiled estimate does not change from move to move."""

    estimates: ClassVar[Mapping[str, str]] = {"misplaced": ""}

    @property
    def name(self) -> str:
        return "test-tiles"

    def estimate(self, name: str | None = None) -> Estimate:
        tables = WrongMisplaced(estimate_kernels.misplaced(self).geometry)
        return Estimate("misplaced", admissible=True, kernel=lambda: tables)

    def view(self, kind: type) -> Any:
        return self if kind is Estimates else super().view(kind)


def test_a_wrong_incremental_estimate_is_named() -> None:
    puzzle = TilesWithWrongEstimate(2, 3)
    sentence = "the estimate 'misplaced' by `evaluate_move` is 0 after move D, and 1 by `evaluate`"
    assert f"test-tiles at 1 2 3 4 5 0: {sentence}" in fault(puzzle, "1 2 3 4 5 0")


class Forgetful(NamedTuple):
    """The tables of `misplaced`, with a memo that is not filled for a known state."""

    geometry: TilesTables


@implements(kernels.evaluate, Forgetful)
def _counted(estimate: Any, state: Any, memo: Any) -> Any:
    memo[0] = _misplaced(estimate, state, memo)
    return memo[0]


@implements(kernels.evaluate_move, Forgetful)
def _counted_after_move(estimate: Any, state: Any, move: Any, value: Any, memo: Any, delta: Any, most: Any) -> Any:
    piece, source, blank = estimate_kernels.moving(estimate.geometry, state, move)
    delta[0] = memo[0] + (piece != blank) - (piece != source)
    return delta[0]


@implements(kernels.swap_delta, Forgetful)
def _swap_counts(estimate: Any, memo: Any, delta: Any) -> None:
    memo[0], delta[0] = delta[0], memo[0]


@implements(kernels.remember, Forgetful)
def _forget(estimate: Any, state: Any, memo: Any) -> Any:
    return True


class ForgetfulTiles(TilesWithWrongEstimate):
    """Sliding tiles whose compiled estimate says that it has filled the memo."""

    def estimate(self, name: str | None = None) -> Estimate:
        tables = Forgetful(estimate_kernels.misplaced(self).geometry)
        return Estimate("misplaced", admissible=True, kernel=lambda: tables)


def test_a_wrong_memo_of_a_known_estimate_is_named() -> None:
    sentence = "the estimate 'misplaced' by `evaluate_move` and the memo of `remember` is 2 after move D, and 1 by"
    assert f"test-tiles at 1 2 3 4 5 0: {sentence}" in fault(ForgetfulTiles(2, 3), "1 2 3 4 5 0")


def test_a_wrong_inverse_of_the_kernels_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kernels._MEANINGS[kernels.inverse], TilesTables, lambda tables, move: move)
    assert "move D is not undone by its inverse in the kernels, D" in fault(load("tiles-2x3"), "1 2 3 4 5 0")


# --- other views ------------------------------------------------------------------------------------------------------


class WrongSudoku(Sudoku):
    """Sudoku that tests single moves, or reads and writes boards, in a wrong way."""

    kind: ClassVar[Any] = None
    change: ClassVar[Any] = None

    def is_legal(self, state: State, move: int) -> bool:
        return bool(move != self.change and super().is_legal(state, move))

    def view(self, kind: type) -> Any:
        if kind is Notation:
            changes = self.change(super().view(kind)) if self.kind is kind else {}
            return replace(super().view(kind), **changes)
        return Legality(self.is_legal) if kind is Legality is self.kind else None


def reading_lines(change: Callable[[State, State], tuple[State, State]]) -> Callable[[Notation], dict[str, Any]]:
    """A notation whose `read_lines` is changed."""
    return lambda notation: {"read_lines": lambda lines: change(*notation.read_lines(lines))}


@pytest.mark.parametrize(
    ("kind", "change", "sentence"),
    [
        (Legality, 4, "`is_legal` and `legal` disagree on move r1c2=1"),
        (Notation, reading_lines(lambda states, found: (states, found.astype(np.uint8))), "be bool[1], not uint8[1]"),
        (Notation, reading_lines(lambda states, found: (states[:, :3], found)), "must give uint8[1, 16], not uint8"),
        (Notation, reading_lines(lambda states, found: (states + states, found)), "reads another board than `read`"),
        (
            Notation,
            lambda notation: {"write_lines": lambda states: notation.write_lines(states) + 1},
            "`write_lines` writes b'//45",
        ),
    ],
)
def test_wrong_single_moves_and_lines_are_named(
    monkeypatch: pytest.MonkeyPatch, kind: type, change: Any, sentence: str
) -> None:
    monkeypatch.setattr(WrongSudoku, "kind", kind)
    monkeypatch.setattr(WrongSudoku, "change", change if kind is Legality else staticmethod(change))
    assert sentence in fault(WrongSudoku(2, 2), "..34" + 12 * ".")


class WrongDust(Dust):
    """Dust with a wrong view of its equivalent moves."""

    names: ClassVar[Any] = None

    def canonical_moves(self, states: State) -> State:
        names: State = self.names(super().view(Legality).canonical_moves(states))
        return names

    def is_legal(self, state: State, move: int) -> bool:
        return bool(super().view(Legality).is_legal(state, move))

    def view(self, kind: type) -> Any:
        if kind is Legality:
            return Legality(self.is_legal, self.canonical_moves)
        return super().view(kind) if kind is Notation else None


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (lambda names: names.astype(np.int32), "`canonical_moves` must give int64[1, 6], not int32[1, 6]"),
        (lambda names: names * 0 - 1, "`canonical_moves` must map each move that is `legal` to itself"),
        (lambda names: np.where(names < 0, 5, names), "`canonical_moves` must give moves that are `legal`, or -1"),
        (lambda names: np.where(np.arange(names.size) == names, names, -1), "`canonical_moves` disagree on move 0,1"),
        (lambda names: np.where(np.arange(names.size) == 1, 2, names), "move 0,1 to 1,0, which has another effect"),
    ],
)
def test_wrong_equivalent_moves_are_named(monkeypatch: pytest.MonkeyPatch, names: Any, sentence: str) -> None:
    monkeypatch.setattr(WrongDust, "names", staticmethod(names))
    assert sentence in fault(WrongDust(3, 2, 2), "110000" if "or -1" in sentence else "112222")


@pytest.fixture(scope="module")
def queens() -> Callable[[str], Any]:
    spec = importlib.util.spec_from_file_location(
        "queens_of_test", Path(__file__).parents[2] / "examples" / "queens.py"
    )
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules["queens_of_test"] = found
    spec.loader.exec_module(found)
    make: Callable[[str], Any] = found.FAMILY.make
    return make


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        (lambda state: state == 1, "`chosen` must give int[K], not bool[16]"),
        (lambda state: np.flatnonzero(state) + 12, "`chosen` must give numbers of options, 0 to 15, each once"),
        (lambda state: np.append(np.flatnonzero(state), [1, 2]), "options that `chosen` gives cover the same item"),
        (lambda state: np.flatnonzero(state)[:1], "`chosen` leaves a primary item uncovered, and `solved` is True"),
        (lambda state: np.flatnonzero(state)[:0], "`chosen` must also give its option"),
    ],
)
def test_a_wrong_cover_is_named(queens: Callable[[str], Any], chosen: Callable[[State], Any], sentence: str) -> None:
    puzzle = queens("4")
    object.__setattr__(puzzle, "chosen", chosen)
    solved, begun = ".Q.....QQ.....Q.", "." * 16
    board = solved if "True" in sentence or "numbers" in sentence else begun
    assert sentence in fault(puzzle, board)


def test_wrong_candidates_are_named() -> None:
    puzzle = load("sudoku-4x4")
    object.__setattr__(puzzle, "written", lambda digits: digits.astype(np.uint8))
    assert "`digits` does not undo `written`" in fault(puzzle, "." * 16)
    puzzle = load("sudoku-4x4")
    right = puzzle.candidates
    object.__setattr__(puzzle, "candidates", lambda state: right(state) & (np.arange(4) > 0))
    object.__setattr__(puzzle, "legal", lambda state: right(state).reshape(-1))
    assert "`candidates` and `legal` disagree" in fault(puzzle, "." * 16)

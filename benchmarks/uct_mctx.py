"""Playouts a second of UCT beside mctx, DeepMind's search in JAX: `python benchmarks/uct_mctx.py [--games G] ...`.

Both play so many games at once on the CPU, with the same network of the package and as many playouts a move. Counted
are all that mctx makes. Of ours those are counted whose leaf the network scored, and in another line all of them: a
playout that ends at a goal needs no network, and on the 8-puzzle most do. mctx runs once on one thread, as puzzlelab
does, and once on all cores, each time compiled before a clock starts, with its own settings for PUCT but no noise. It
knows nothing of ends: a solved state stays as it is, and is worth nothing more. JAX and ONNX Runtime multiply in
float32. All take turns in one run on one machine; a ratio is of two turns of one round. Needs `pip install mctx onnx`.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from puzzlelab import load
from puzzlelab.core.puzzle import State
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import KernelRules, Planes, scale_of
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.solvers.uct import Uct
from puzzlelab.storage import networks
from uct_speed import Games

PUZZLES = ("tiles-4x4", "tiles-3x3")
"""Those whose network is made of the layers that `answers` knows."""
COMPARED = 256
"""Boards by which the two forms of the network are compared."""
CLOSE = 1e-4
"""What they may differ by."""
NEVER = -1e30
"""The score of a move that cannot be made."""
DISCOUNT = float(np.exp(-Uct().step_discount))
"""What a value is worth a move earlier."""
Array = Any
"""Of NumPy or of JAX."""


class Rates(NamedTuple):
    """Playouts a second."""

    clock: float
    cpu: float
    """A second of the processor's time, which other work on the machine does not take away."""


def rates(turn: Callable[[], int], seconds: float) -> Rates:
    """Of turns that return how many playouts they made."""
    done, began, spent = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        done += turn()
    return Rates(done / (time.perf_counter() - began), done / (time.process_time() - spent))


# --- the same game and network, for arrays of NumPy and of JAX ------------------------------------------------------
# Shapes: B = boards, N = cells, F = numbers of a board's planes.


def sources(puzzle: Tiles) -> NDArray[np.int64]:
    """`int64[N, 4]`: the cell whose tile slides into the blank, for each cell of the blank and each move.

    Where the move cannot be made it is the blank's own.
    """
    source: NDArray[np.int64] = puzzle.view(KernelRules).tables.source.astype(np.int64)
    return np.where(source < puzzle.cells, source, np.arange(puzzle.cells)[:, None])


def slid(xp: Any, boards: Array, moves: Array, source: Array) -> Array:
    """`[B, N]`: the boards after a move each; `xp` is the module that made the arrays."""
    cells, blank = xp.arange(boards.shape[1]), (boards == 0).argmax(axis=1)
    there = source[blank, moves][:, None]
    tile = xp.take_along_axis(boards, there, axis=1)
    return xp.where(cells == blank[:, None], tile, xp.where(cells == there, 0, boards)).astype(boards.dtype)


def planes(xp: Any, boards: Array) -> Array:
    """`float32[B, F]`, as the networks of tiles take them."""
    one_hot = boards[..., None] == xp.arange(1, boards.shape[1])
    return one_hot.reshape(len(boards), -1).astype("float32")


def answers(weights: Mapping[str, Array], inputs: Array) -> tuple[Array, Array]:
    """(`[B, 4]` scores of moves, `[B]` remaining moves) of a stack of layers or residual blocks."""

    def linear(name: str, features: Array) -> Array:
        return features @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def positive(features: Array) -> Array:
        return features * (features > 0)

    def normal(name: str, features: Array) -> Array:
        shifted = features - features.mean(axis=-1, keepdims=True)
        spread = ((shifted**2).mean(axis=-1, keepdims=True) + 1e-5) ** 0.5
        return shifted / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    features = inputs
    for name in [f"layers.{place}" for place in sorted({int(key.split(".")[1]) for key in weights if key[0] == "l"})]:
        if f"{name}.weight" in weights:
            features = positive(linear(name, features))
        else:
            inner = positive(linear(f"{name}.layer.1", normal(f"{name}.layer.0", features)))
            features = features + linear(f"{name}.layer.3", inner)
    head = "heads.each.cost_to_go"
    remaining = linear(f"{head}.linear", features)[:, 0] * weights[f"{head}.scale"] + weights[f"{head}.offset"]
    return linear("heads.each.policy", features), remaining


def weights_of(puzzle: str) -> dict[str, NDArray[np.float32]]:
    """The weights of the network that comes with the package for a puzzle."""
    import onnx
    from onnx import numpy_helper

    program = onnx.load_model(networks.SHELF / f"{puzzle}.onnx")
    return {each.name: numpy_helper.to_array(each) for each in program.graph.initializer}


# --- mctx, in a process of its own ----------------------------------------------------------------------------------


class Peer:
    """So many games at once that mctx plays, for ever."""

    def __init__(self, puzzle: Tiles, count: int, playouts: int) -> None:
        import jax

        self.puzzle, self.random, self.playouts, self.turns = puzzle, generator(0), playouts, 0
        self.key, self.jit, self.xp = jax.random.key, jax.jit, jax.numpy
        self.source, self.goal = self.xp.asarray(sources(puzzle)), self.xp.asarray(puzzle.goals()[0])
        self.weights = {name: self.xp.asarray(each) for name, each in weights_of(puzzle.name).items()}
        self.play = jax.jit(self._play)
        self.boards = np.stack([self.board() for _ in range(count)])

    def board(self) -> State:
        """A random board."""
        return scale_of(self.puzzle)[1].sample(self.random, None, 1)[0]

    def said(self, boards: State) -> list[NDArray[np.float32]]:
        """What the network says of boards."""
        found = self.jit(lambda weights, boards: answers(weights, planes(self.xp, boards)))(self.weights, boards)
        return [np.asarray(each) for each in found]

    def turn(self) -> int:
        """Make a move in each game; the playouts that were made for it."""
        self.turns += 1
        self.boards = np.array(self.play(self.weights, self.key(self.turns), self.boards))
        for game in np.flatnonzero((self.boards == self.puzzle.goals()).all(axis=1)).tolist():
            self.boards[game] = self.board()
        return len(self.boards) * self.playouts

    def _play(self, weights: Any, key: Array, boards: Array) -> Array:
        """The boards after the moves that mctx chooses."""
        import mctx

        scores, values = self._judged(weights, boards)
        found = mctx.muzero_policy(
            weights,
            key,
            mctx.RootFnOutput(prior_logits=scores, value=values, embedding=boards),
            self._step,
            num_simulations=self.playouts,
            invalid_actions=scores == NEVER,
            dirichlet_fraction=0.0,
            temperature=0.0,
        )
        return slid(self.xp, boards, found.action, self.source)

    def _judged(self, weights: Any, boards: Array) -> tuple[Array, Array]:
        """The network's scores of moves, and the values of boards."""
        scores, remaining = answers(weights, planes(self.xp, boards))
        blank = (boards == 0).argmax(axis=1)
        can = self.source[blank] != blank[:, None]
        return self.xp.where(can, scores, NEVER), DISCOUNT ** self.xp.maximum(remaining, 0.0)

    def _step(self, weights: Any, _key: Array, moves: Array, boards: Array) -> tuple[Any, Array]:
        """A move each in the tree."""
        import mctx

        before = (boards == self.goal).all(axis=1)
        after = self.xp.where(before[:, None], boards, slid(self.xp, boards, moves, self.source))
        over = (after == self.goal).all(axis=1)
        scores, values = self._judged(weights, after)
        reward = self.xp.where(over & ~before, DISCOUNT, 0.0)
        discount = self.xp.where(over, 0.0, DISCOUNT)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=scores, value=values), after


def serve(pipe: Connection, alone: bool, boards: State, puzzle: str, games: int, playouts: int) -> None:
    """Say what the network tells of boards, and then the rates of turns of so many seconds, as they are asked for."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    if alone:
        os.environ |= {"PJRT_NPROC": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    peer = Peer(load(puzzle), games, playouts)
    pipe.send(peer.said(boards))
    peer.turn()  # compiled before a clock starts
    with suppress(EOFError):  # nobody asks any more
        while True:
            pipe.send(rates(peer.turn, pipe.recv()))


# --- measuring --------------------------------------------------------------------------------------------------------


class Far:
    """mctx in another process, where JAX is told how many threads it may use."""

    def __init__(self, alone: bool, boards: State, *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, there = context.Pipe()
        self.process = context.Process(target=serve, args=(there, alone, boards, *arguments), daemon=True)
        self.process.start()
        there.close()
        self.said: list[NDArray[np.float32]] = self.pipe.recv()

    def rates(self, seconds: float) -> Rates:
        """Of a turn of so many seconds."""
        self.pipe.send(seconds)
        rates: Rates = self.pipe.recv()
        return rates


def said(puzzle: Tiles, boards: State) -> list[NDArray[np.float32]]:
    """What the network says of boards in ONNX Runtime."""
    model: Any = networks.find(puzzle)
    found = model.evaluate((puzzle.view(Planes).planes(boards),))
    return [found[name] for name in ("policy", "cost_to_go")]


def apart(one: list[NDArray[np.float32]], other: list[NDArray[np.float32]]) -> float:
    """The greatest difference between two networks' answers."""
    return max(float(np.abs(a - b).max()) for a, b in zip(one, other, strict=True))


def show(rates_by_way: dict[str, list[Rates]], title: str) -> None:
    """The median rates, and the ratios of puzzlelab to mctx within each round."""
    shown = Table("way", "playouts/s", "a CPU second", title=title)
    for way, each in rates_by_way.items():
        shown.add_row(way, *(f"{statistics.median(column):,.0f}" for column in zip(*each, strict=True)))
    console = Console()
    console.print(shown)
    for own in (way for way in rates_by_way if way.startswith("puzzlelab")):
        for other in (way for way in rates_by_way if way.startswith("mctx")):
            pairs = list(zip(rates_by_way[own], rates_by_way[other], strict=True))
            clock = sorted(a.clock / b.clock for a, b in pairs)
            cpu = statistics.median(a.cpu / b.cpu for a, b in pairs)
            spread = f"from {clock[0]:.2f} to {clock[-1]:.2f}; a CPU second {cpu:.2f}"
            console.print(f"{own} : {other} = {statistics.median(clock):.2f} ({spread})", soft_wrap=True)


def main() -> int:
    """Measure all in turns, and print the rates and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--puzzle", default=PUZZLES[0], choices=PUZZLES, help="(tiles-4x4)")
    parser.add_argument("--games", type=int, default=256, help="games at once (256)")
    parser.add_argument("--playouts", type=int, default=50, help="playouts a move (50)")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each turn (4)")
    parser.add_argument("--turns", type=int, default=5, help="of each way (5)")
    arguments = parser.parse_args()
    if importlib.util.find_spec("mctx") is None:
        print("this benchmark needs mctx: pip install mctx", file=sys.stderr)
        return 2
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the CPU is what is compared
    puzzle, settings = load(arguments.puzzle), (arguments.puzzle, arguments.games, arguments.playouts)
    games = Games(puzzle, arguments.games, arguments.playouts)
    boards = np.stack([games.board() for _ in range(COMPARED)])
    peers = {
        f"mctx, {name}": Far(alone, boards, *settings) for name, alone in (("one thread", True), ("all cores", False))
    }
    difference = max(apart(said(puzzle, boards), peer.said) for peer in peers.values())
    if difference > CLOSE:
        print(
            f"the network says something else in JAX than in ONNX Runtime: up to {difference:.2g} apart",
            file=sys.stderr,
        )
        return 1
    ways = {
        "puzzlelab, scored": lambda seconds: rates(games.turn, seconds),
        "puzzlelab, all": lambda seconds: rates(games.playouts, seconds),
        **{name: peer.rates for name, peer in peers.items()},
    }
    for way in ways.values():
        way(1.0)  # machine code and network are there before a clock starts
    rates_by_way: dict[str, list[Rates]] = {name: [] for name in ways}
    for _ in range(arguments.turns):
        for name, way in ways.items():
            rates_by_way[name].append(way(arguments.seconds))
    show(rates_by_way, f"{arguments.puzzle}, {arguments.games} games at once, {arguments.playouts} playouts a move")
    print(f"what the network says in JAX and in ONNX Runtime is at most {difference:.1g} apart on {COMPARED} boards")
    return 0


if __name__ == "__main__":
    sys.exit(main())

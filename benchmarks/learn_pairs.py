"""Learn the estimate `pairs` of square sliding tiles: `python benchmarks/learn_pairs.py SIDE FOLDER [--rounds N] ...`.

A round solves boards by a beam that the estimate of the round before guides, at first the usual lower bound; from the
states of all solutions of the last rounds, and the moves that each had left, it fits the weights. Three of four boards
are uniformly random, the others end a random walk from the goal, of one to eight moves a cell. Boards that take
unusually many moves are left out. Parts of a round, and its weights, lie in the folder; started again, the program goes
on after the last of them. What the package holds as `src/puzzlelab/puzzles/tiles/pairs-5x5.npz` is the `weights-N.npz`
of a last round.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import Estimate, scale_of
from puzzlelab.engine.batch_rules_kernels import begin_all
from puzzlelab.engine.parallel import ordered_map
from puzzlelab.engine.search_rules import chosen_estimate
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles.estimate_kernels import manhattan
from puzzlelab.puzzles.tiles.kernels import rules
from puzzlelab.puzzles.tiles.pairs import alike_pairs, near_pairs, pair_tables
from puzzlelab.puzzles.tiles.pairs_kernels import UNITS, fit
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.solvers.beam import Beam
from puzzlelab.storage.files import replacing

PART = 50
"""Boards of one file."""
LAST_ROUNDS = 12
"""The rounds whose solutions are learned."""
RATES = (0.01, 0.005, 0.002)
"""Of each pass over the states."""


def board(puzzle: Tiles, number: int) -> Instance:
    """The board of this number: three of four are uniformly random."""
    random = generator(number)
    if number % 4:
        return Instance(puzzle, scale_of(puzzle, "uniform")[1].sample(random, None, 1)[0])
    moves = int(random.integers(puzzle.cells, 8 * puzzle.cells))
    return Instance(puzzle, scale_of(puzzle, "walk")[1].sample(random, moves, 1)[0])


def distances(puzzle: Tiles, states: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The Manhattan distances of working states."""
    values = np.empty(len(states))
    begin_all(manhattan(puzzle), states, np.empty(1, np.int64), values)
    return values.astype(np.float32)


def solution(puzzle: Tiles, estimate: Estimate, width: int, instance: Instance) -> NDArray[np.uint8] | None:
    """The working states of a solution, without the goal, or None."""
    encode = rules(puzzle).encode
    most = 40 + 3 * int(distances(puzzle, encode(instance.state[None]))[0]) // 2
    found = solve(Beam(width=width, estimate=estimate), instance, Limit(nodes=width * most))
    if not found.moves or len(found.moves) > most:
        return None
    states = [instance.state]
    for move in found.moves[:-1]:
        states.append(puzzle.apply(states[-1], move))
    return encode(np.array(states))


def save(path: Path, **arrays: Any) -> None:
    """Write a file in one step."""
    with replacing(path) as whole, whole.open("wb") as file:
        np.savez_compressed(file, **arrays)


def solve_round(folder: Path, puzzle: Tiles, estimate: Estimate, numbers: range, width: int, jobs: int) -> None:
    """Solve the boards of these numbers, as far as they are not in the folder."""
    began = time.time()
    for first in range(numbers.start, numbers.stop, PART):
        path = folder / f"part-{first}.npz"
        if path.exists():
            continue
        starts = [board(puzzle, number) for number in range(first, first + PART)]
        found = [
            each for each in ordered_map(partial(solution, puzzle, estimate, width), starts, jobs) if each is not None
        ]
        if not found:
            raise SystemExit("no board of this part was solved; begin with --like")
        lengths = np.array([len(each) for each in found])
        save(path, states=np.concatenate(found), lengths=lengths)
        print(f"boards to {first + PART:,}: {len(found)} of {PART} solved, {lengths.mean():.1f} moves, "
              f"{time.time() - began:.0f} s", flush=True)  # fmt: skip


def learn(folder: Path, puzzle: Tiles, firsts: range, seed: int) -> dict[str, Any]:
    """The weights of a fit to the states of the parts that begin with these boards."""
    states, left = [], []
    for first in firsts:
        with np.load(folder / f"part-{first}.npz") as part:
            states.append(part["states"])
            left += [np.arange(length, 0, -1) for length in part["lengths"].tolist()]
    known = np.concatenate(states)
    targets = np.concatenate(left).astype(np.float32) - distances(puzzle, known)
    offset = float(targets.mean())
    targets -= offset
    # Every two tiles in two cells have a parameter of their own, and one that they share with all that look like them.
    pairs, (alike, codes) = near_pairs(puzzle.rows), alike_pairs(puzzle.rows)
    places = np.stack([pairs.place, np.where(alike > 0, pairs.weights + alike, 0)], axis=2).astype(np.int32)
    parameters = np.zeros(pairs.weights + codes.size, np.float32)
    squares, random = np.ones(parameters.size, np.float32), generator(seed)
    for rate in RATES:
        order = random.permutation(len(known))
        error = fit(parameters, squares, places, pairs.cells, known, targets, order, np.float32(rate))
        print(f"{len(known):,} states, error {error**0.5:.3f} moves", flush=True)
    found = whole(puzzle, parameters[: pairs.weights], parameters[pairs.weights :], offset)
    return found | {"codes": codes, "shared": parameters[pairs.weights :]}


def whole(puzzle: Tiles, own: NDArray[np.float32], shared: NDArray[np.float32], offset: float) -> dict[str, Any]:
    """The weights in units: of each two tiles in near cells the sum of its own parameter and of the shared one."""
    pairs, (alike, _) = near_pairs(puzzle.rows), alike_pairs(puzzle.rows)
    weights = np.zeros(pairs.weights, np.int16)
    weights[pairs.place] = np.round((own[pairs.place] + np.where(alike > 0, shared[alike], 0)) * UNITS)
    return {"weights": weights, "offset": round(offset * UNITS)}


def begin(puzzle: Tiles, path: Path) -> dict[str, Any]:
    """The shared weights of a board of another size; the goal has the estimate 0."""
    pairs, codes = near_pairs(puzzle.rows), alike_pairs(puzzle.rows)[1]
    with np.load(path) as stored:
        at = np.searchsorted(stored["codes"], codes).clip(max=stored["codes"].size - 1)
        shared = np.where(stored["codes"][at] == codes, stored["shared"][at], 0).astype(np.float32)
    found = whole(puzzle, np.zeros(pairs.weights, np.float32), shared, 0.0)
    at_goal = pairs.place[np.arange(len(pairs.cells)), pairs.cells @ (puzzle.cells, 1)]
    return found | {"offset": -int(found["weights"][at_goal].sum(dtype=np.int64))}


def estimate_of(puzzle: Tiles, known: dict[str, Any] | None) -> Estimate:
    """The estimate by these weights, by default the puzzle's usual lower bound."""
    if known is None:
        return chosen_estimate(puzzle, None)
    tables = pair_tables(puzzle, known["weights"], int(known["offset"]))
    return Estimate("pairs", admissible=False, kernel=lambda: tables)


def main() -> None:
    """Run the rounds that are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("side", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--boards", type=int, default=2000, help="boards of a round")
    parser.add_argument("--width", type=int, default=512, help="of the beams")
    parser.add_argument("--like", type=Path, help="weights-N.npz of another size, to begin with")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    puzzle = Tiles(options.side, options.side)
    known = None if options.like is None else begin(puzzle, options.like)
    for number in range(options.rounds):
        path = options.folder / f"weights-{number}.npz"
        if not path.exists():
            estimate = estimate_of(puzzle, known)
            numbers = range(number * options.boards, (number + 1) * options.boards)
            print(f"round {number}", flush=True)
            solve_round(options.folder, puzzle, estimate, numbers, options.width, options.jobs)
            oldest = max(0, number + 1 - LAST_ROUNDS) * options.boards
            save(path, **learn(options.folder, puzzle, range(oldest, numbers.stop, PART), number))
        with np.load(path) as stored:
            known = dict(stored)


if __name__ == "__main__":
    main()

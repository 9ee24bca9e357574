"""Learn the estimate `pairs` of square sliding tiles: `python benchmarks/learn_pairs.py SIDE FOLDER [--boards N] ...`.

A round solves boards by a beam that the weights so far guide, at first the usual lower bound. A lesson is a state of a
solution, and rivals: some of the states that the beam held beside it in the same layer, before which it ought to rank.
Three of four boards are uniformly random, the others end a random walk from the goal, of one to eight moves a cell.
Boards that take unusually many moves are left out.

After each round the folder has `learned.npz`, from which the program goes on when it is started again, also with
another width; `weights.npz`, which the package holds as `src/puzzlelab/puzzles/tiles/pairs-5x5.npz`; and `alike.npz`,
the weights for boards of other sizes and shapes (`pairs.npz`, from 7x7). With
`--like src/puzzlelab/puzzles/tiles/pairs-5x5.npz` another folder goes on from there.
"""

from __future__ import annotations

import argparse
import itertools
import time
import zipfile
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import Estimate, scale_of
from puzzlelab.engine import kernels, records
from puzzlelab.engine.batch_rules import estimated
from puzzlelab.engine.parallel import ordered_map
from puzzlelab.engine.record_parts import UNBOUNDED
from puzzlelab.engine.search_rules import chosen_estimate, rules_of
from puzzlelab.puzzles.tiles.estimate_kernels import grid_distance
from puzzlelab.puzzles.tiles.pairs import (
    alike_pairs,
    alike_trios,
    alike_weights,
    near_pairs,
    own_blocks,
    pair_tables,
    trios,
)
from puzzlelab.puzzles.tiles.pairs_kernels import UNITS, Features, fit
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.solvers import beam
from puzzlelab.storage.files import replacing

ROUND = 500
"""Boards of a round."""
RIVALS = 4
"""Of each state of a solution."""
ROUNDS = 10
"""The rounds of the running mean of the parameters, which the beams and the files of weights have."""
HABIT = 30.0
"""The sum of squared gradients that each parameter is given where a file of weights has only the parameters."""


class Lessons(NamedTuple):
    """L states of solutions, with R rivals each, as working states of S numbers."""

    states: NDArray[np.uint8]
    """[L, S]."""
    rivals: NDArray[np.uint8]
    """[L, R, S]."""
    left: NDArray[np.int64]
    """[L]: the moves that the solution has left."""
    moves: int
    """Of the solution."""


class Learned(NamedTuple):
    """What was learned from a number of boards: own weights of pairs, shared ones, weights of trios, and one that is
    always added, W in all.
    """

    side: int
    parameters: NDArray[np.float32]
    """[W], in moves."""
    squares: NDArray[np.float32]
    """[W]: the sums of their squared gradients."""
    mean: NDArray[np.float32]
    """[W]: their running mean over the last rounds. The lessons of a board are much alike, so that what was learned
    last fits the last boards too well; the mean does so far less."""
    boards: int


def board(puzzle: Tiles, number: int) -> Instance:
    """The board of this number: three of four are uniformly random."""
    random = generator(number)
    if number % 4:
        return Instance(puzzle, scale_of(puzzle, "uniform")[1].sample(random, None, 1)[0])
    moves = int(random.integers(puzzle.cells, 8 * puzzle.cells))
    return Instance(puzzle, scale_of(puzzle, "walk")[1].sample(random, moves, 1)[0])


def lessons(puzzle: Tiles, estimate: Estimate, width: int, number: int) -> Lessons | None:
    """The lessons of a board, or None where the beam finds no solution of a usual length."""
    instance, random = board(puzzle, number), generator(number, 1)
    manhattan = int(estimated(puzzle, chosen_estimate(puzzle, "manhattan"), instance.state[None])[0])
    search = beam.machine(instance, estimate, rules_of(instance), width, UNBOUNDED)
    layers, status = [], kernels.RUNNING
    while status == kernels.RUNNING and search.control.depth < 40 + 3 * manhattan // 2:
        control = search.control
        status = search.step(max(1, int(control.layer_size - control.cursor)))  # up to the next layer
        if status == kernels.RUNNING:
            rows = random.integers(control.layer_size, size=RIVALS + 1)
            layers.append((control.kept_count - control.layer_size + rows, search.record.layer[rows]))
        elif status == kernels.FULL and search.enlarge(1 << 32):
            status = kernels.RUNNING
    if status != kernels.IMPROVED or len(layers) < 2:
        return None
    return lessons_of(instance, search.record, search.solution(search.record), layers)


def lessons_of(instance: Instance, record: Any, moves: list[int], layers: list[Any]) -> Lessons | None:
    """The lessons of a solution, from rows and packed states that were drawn from the layers from the second one on."""
    puzzle, form = instance.puzzle, rules_of(instance)
    states, row, path = [instance.state], int(record.control.kept_count), []
    for move in moves[:-1]:
        states.append(puzzle.apply(states[-1], move))
        row = int(record.parent[row])
        path.append(row)
    kept, rivals = [], []
    for depth, (row, (rows, keys)) in enumerate(zip(reversed(path), layers, strict=False), 1):
        others = keys[rows != row][:RIVALS]
        if len(others) == RIVALS:
            kept.append(depth)
            rivals.append(records.unpacked(form, others))
    if not kept:
        return None
    return Lessons(form.encode(np.array(states)[kept]), np.array(rivals), len(moves) - np.array(kept), len(moves))


def parts(side: int) -> list[int]:
    """Where each kind of parameters ends: own weights of pairs, shared ones, those of trios, the one that is added."""
    counts = near_pairs(side).weights, alike_pairs(side)[1].size, int(alike_trios().max()) + 1, 1
    return list(itertools.accumulate(counts))


def features(side: int) -> Features:
    """The parameters that the estimate of a board is the sum of.

    Each two tiles in near cells have one of their own, and one that they share with all that look like them.
    """
    pairs, (alike, _), (own, shared, _, _) = near_pairs(side), alike_pairs(side), parts(side)
    numbers = np.stack([pairs.place, np.where(alike > 0, own + alike, 0)], axis=2).astype(np.int32)
    distance = grid_distance(side, side).astype(np.float32)
    distance[-1] = 0
    return Features(distance, pairs.cells, numbers, *trios(side, side), (shared + alike_trios()).astype(np.int32))


def learn(known: Learned, found: list[Lessons], rate: float) -> tuple[Learned, float]:
    """What is known after these lessons as well, each pair of a state and a rival once; and their mean loss before.

    These boards are new to the weights then, so that the loss is that of boards that were not learned.
    """
    states, rivals, left = (np.concatenate(arrays) for arrays in list(zip(*found, strict=True))[:3])
    parameters, squares, form = known.parameters.copy(), known.squares.copy(), features(known.side)
    order = generator(known.boards, 2).permutation(len(rivals) * RIVALS)
    given = (form, states, rivals, left.astype(np.float32), order)
    memo, numbers = np.empty(known.side**2, np.int64), np.empty((2, 2 * len(form.cells) + len(form.pieces)), np.int32)
    loss = fit(known.mean.copy(), squares.copy(), *given, np.float32(0), memo, numbers)
    fit(parameters, squares, *given, np.float32(rate), memo, numbers)
    boards = known.boards + ROUND
    mean = known.mean + (parameters - known.mean) / np.float32(min(boards // ROUND, ROUNDS))
    return Learned(known.side, parameters, squares, mean, boards), loss


def first(side: int, like: Learned | None) -> Learned:
    """What is known of no board: nothing, or the shared parameters of another size, by which the goal has 0."""
    own, shared, last, total = parts(side)
    parameters = np.zeros(total, np.float32)
    if like is not None:
        codes, theirs, (begin, end, *_) = alike_pairs(side)[1], alike_pairs(like.side)[1], parts(like.side)
        at = np.searchsorted(theirs, codes).clip(max=theirs.size - 1)
        parameters[own:shared] = np.where(theirs[at] == codes, like.mean[begin:end][at], 0)
        parameters[shared:last] = like.mean[end:-1]
        estimate, puzzle = estimate_of(Learned(side, parameters, parameters, parameters, 0)), Tiles(side, side)
        parameters[-1] = -estimated(puzzle, estimate, np.array([puzzle.goal], np.uint8))[0]
    return Learned(side, parameters, np.ones_like(parameters), parameters, 0)


def revived(side: int, path: Path) -> Learned:
    """What a file of weights knows: each weight of a pair becomes its own parameter, and the shared ones are 0."""
    own, shared, last, total = parts(side)
    parameters = np.zeros(total, np.float32)
    try:
        with path.open("rb") as stream, np.load(stream) as file:
            for name, begin, end in (("weights", 0, own), ("trio_weights", shared, last), ("offset", last, total)):
                parameters[begin:end] = file[name].astype(np.float32) / UNITS
            boards = int(file["boards"])
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        raise SystemExit(f"{path} has no weights of {side}x{side} tiles") from None
    return Learned(side, parameters, np.full_like(parameters, HABIT), parameters, boards)


def weights(known: Learned) -> dict[str, Any]:
    """The arrays of the file of weights, in units: of each two tiles in near cells the sum of both parameters."""
    form, (own, shared, last, _) = features(known.side), parts(known.side)
    pairs = np.zeros(own, np.int16)
    pairs[form.pairs[:, :, 0]] = np.round(known.mean[form.pairs].sum(axis=2) * UNITS)
    trio_weights = np.round(known.mean[shared:last] * UNITS).astype(np.int16)
    return {"weights": pairs, "trio_weights": trio_weights, "offset": round(float(known.mean[-1]) * UNITS)}


def estimate_of(known: Learned) -> Estimate:
    """The estimate by what is known, or the puzzle's usual lower bound where that is nothing."""
    puzzle = Tiles(known.side, known.side)
    if not known.mean.any():
        return chosen_estimate(puzzle, None)
    own = weights(known)
    tables = pair_tables(puzzle, own_blocks(known.side, own["weights"]), own["trio_weights"], own["offset"])
    return Estimate("pairs", admissible=False, kernel=lambda: tables, memo=puzzle.cells)


def save(path: Path, **arrays: Any) -> None:
    """Write a file in one step."""
    with replacing(path) as whole, whole.open("wb") as file:
        np.savez_compressed(file, **arrays)


def stored(folder: Path) -> Learned:
    """What the program knew when it was stopped."""
    try:
        with np.load(folder / "learned.npz") as file:
            return Learned(int(file["side"]), file["parameters"], file["squares"], file["mean"], int(file["boards"]))
    except FileNotFoundError:
        raise SystemExit(f"{folder} has no learned.npz: nothing was learned there") from None


def main() -> None:
    """Learn the boards that are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("side", type=int, choices=range(3, 9))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--boards", type=int, default=40_000, help="in all")
    parser.add_argument("--width", type=int, default=1024, help="of the beams")
    parser.add_argument("--rate", type=float, default=0.005, help="of learning")
    parser.add_argument("--like", type=Path, metavar="FOLDER", help="begin with what was learned of another size, "
                        "or go on from a file of weights")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if (options.folder / "learned.npz").exists():
        known = stored(options.folder)
    elif options.like is not None and options.like.is_file():
        known = revived(options.side, options.like)
    else:
        known = first(options.side, None if options.like is None else stored(options.like))
    if known.side != options.side:
        raise SystemExit(f"{options.folder} has what was learned of {known.side}x{known.side} tiles")
    try:
        learn_boards(known, options)
    except KeyboardInterrupt:
        print("interrupted; started again, it goes on after the last whole round")
        raise SystemExit(130) from None


def learn_boards(known: Learned, options: argparse.Namespace) -> None:
    """Learn rounds of boards until there are as many as asked for."""
    puzzle, began = Tiles(known.side, known.side), time.time()
    while known.boards < options.boards:
        numbers = range(known.boards, known.boards + ROUND)
        solve = partial(lessons, puzzle, estimate_of(known), options.width)
        found = [each for each in ordered_map(solve, numbers, options.jobs) if each is not None]
        if not found:
            raise SystemExit("no board of this round was solved; begin with --like")
        known, loss = learn(known, found, options.rate)
        own = weights(known)
        save(options.folder / "weights.npz", **own, boards=known.boards)
        alike = alike_weights(known.side, own["weights"])
        save(options.folder / "alike.npz", weights=alike, trio_weights=own["trio_weights"])
        save(options.folder / "learned.npz", **known._asdict())  # last, so that a kill between both repeats the round
        moves = np.mean([each.moves for each in found])
        print(f"{known.boards:,} boards: {len(found)} of {ROUND} solved, {moves:.1f} moves, loss {loss:.4f}, "
              f"{time.time() - began:.0f} s", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()

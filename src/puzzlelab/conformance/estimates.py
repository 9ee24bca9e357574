"""Conformance checks of estimates: all can be repeated, and an admissible one never exceeds a known solution.

Solutions bound every admissible estimate. Where moves can be undone, a breadth-first search from the goals finds them,
so that distances are exact. For other puzzles a search starts near the ends of random games and at the given boards; a
distance is then that within the searched states, which is an upper bound of the true one.

Shapes: B = states in a batch, K = states with a known solution, S = length of a state.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

from puzzlelab.conformance.calls import LONGEST, CheckedPuzzle, must
from puzzlelab.conformance.kernels import follow
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput, shorten
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.verify import replay
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Reversible
from puzzlelab.engine import kernels
from puzzlelab.engine.batch_rules import estimated, solved, successors
from puzzlelab.engine.search_rules import rules_of, runner

CHUNK = 64
"""States that are expanded together."""
GAMES = 6
"""Random games from the given boards, where moves cannot be undone."""
GAME_MOVES = 200
"""The most moves of a random game."""
GOAL_MOVES = 10
"""Searched states for each move of a random game from a goal."""
LAST_STATES = 12
"""States at the end of a random game from which the search starts."""


@dataclass(frozen=True, eq=False)
class KnownSolutions:
    """States with a known solution each, those with the least sum of steps first."""

    puzzle: CheckedPuzzle
    states: State
    """[K, S]."""
    sums: NDArray[np.int64]
    """[K]: the sum of the steps of the known solution: its moves, its cost, or minus its points."""
    moves: list[list[int]]
    """[K]: the known solution of each."""

    def sentence(self, row: int) -> str:
        """Return the board and its solution, verified by the plain rules: 'at 2 0 1, whose solution L has length 1'."""
        puzzle, state, moves = self.puzzle, self.states[row], self.moves[row]
        verdict, kind = replay(Instance(puzzle, state), moves), objective_of(puzzle).kind
        with puzzle.at(state):
            must(verdict.holds, f"the board was reached from a goal, but {verdict.reason}")
        names = shorten(" ".join(map(puzzle.write_move, moves)), LONGEST)
        value = f"{'length' if kind == 'moves' else kind} {-self.sums[row] if kind == 'score' else self.sums[row]}"
        return f"at {puzzle.write(state)}, " + (f"whose solution {names} has {value}" if moves else "which is solved")

    def rows(self, most: int) -> range:
        """Return about this number of rows, near and far."""
        return range(0, len(self.states), max(1, len(self.states) // most))


@dataclass(frozen=True, eq=False)
class _Graph:
    """States by their bytes, and the moves to each of them that were seen."""

    puzzle: CheckedPuzzle
    view: Reversible | None
    states: dict[bytes, State] = field(default_factory=dict)
    before: defaultdict[bytes, list[tuple[bytes, int]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, state: State) -> bytes:
        """Return the bytes of a state, which is kept."""
        self.states.setdefault(state.tobytes(), state)
        return state.tobytes()

    def link(self, start: bytes, move: int, end: bytes) -> None:
        """Keep a move, and its inverse where moves can be undone."""
        self.before[end].append((start, move))
        if self.view is not None:
            self.before[start].append((end, self.view.inverse(move)))


def known_solutions(
    puzzle: CheckedPuzzle, goals: State | None, starts: Sequence[State], random: np.random.Generator, most: int
) -> KnownSolutions:
    """Return states with a known solution, from a search of `most` states and from random games.

    They start at the `goals: [G, S]` of a puzzle whose moves can be undone, otherwise at the boards `starts`.
    """
    graph = _Graph(puzzle, puzzle.view(Reversible))
    if goals is None:
        games = [_random_game(graph, start, random, GAME_MOVES) for start in [*starts, *starts][:GAMES]]
        games = [path for path in games if puzzle.solved(graph.states[path[-1]])]
        seeds = [key for path in games for key in path[-LAST_STATES:][::-1]] + [*map(graph.add, starts)]
        most = most if puzzle.view(Estimates) is not None else 0
    else:
        _random_game(graph, random.choice(goals), random, most // GOAL_MOVES)
        seeds = [graph.add(goal) for goal in goals[:most]]
    _search(graph, [*dict.fromkeys(seeds)], most)
    are_solved = solved(puzzle, np.stack([*graph.states.values()])).tolist()
    ends = [key for key, is_solved in zip(graph.states, are_solved, strict=True) if is_solved]
    if goals is not None:
        _must_list(puzzle, goals, [graph.states[key] for key in ends])
    return _shortest(graph, ends)


def _must_list(puzzle: CheckedPuzzle, goals: State, ends: Sequence[State]) -> None:
    """Raise `ConformanceError` for a solved state that is no goal, nor the same as one after `KernelRules.merge`."""
    rules = puzzle.view(KernelRules)
    form = np.asarray if rules is None or rules.merge is None else rules.starts
    listed = {goal.tobytes() for goal in form(goals)}
    for state, one in zip(ends, form(np.stack(ends)), strict=True) if ends else ():
        with puzzle.at(state):
            must(one.tobytes() in listed, "the board is solved, and `goals` does not give it")


def _random_game(graph: _Graph, state: State, random: np.random.Generator, length: int) -> list[bytes]:
    """Return the states of a random game of at most this number of moves.

    Where moves cannot be undone it ends at a solved board; otherwise no move undoes the one before it.
    """
    path, back = [graph.add(state)], -1
    while len(path) <= length and (graph.view is not None or not graph.puzzle.solved(state)):
        legal = np.flatnonzero(graph.puzzle.legal(state)).tolist()
        if not legal:
            break
        move = int(random.choice([move for move in legal if move != back] or legal))
        back = -1 if graph.view is None else graph.view.inverse(move)
        state = graph.puzzle.apply(state, move)
        path.append(graph.add(state))
        graph.link(path[-2], move, path[-1])
    return path


def _search(graph: _Graph, queue: list[bytes], most: int) -> None:
    """Search breadth-first from the states of the queue until there are `most` new ones."""
    most += len(graph.states)
    seen, first = set(queue), 0
    while first < len(queue) and len(graph.states) < most:
        chunk = queue[first : first + CHUNK]
        first += len(chunk)
        found = successors(graph.puzzle, np.stack([graph.states[key] for key in chunk]))
        for owner, move, state in zip(found.owner.tolist(), found.move.tolist(), found.states, strict=True):
            key = graph.add(state)
            graph.link(chunk[owner], move, key)
            if key not in seen:
                seen.add(key)
                queue.append(key)


def _shortest(graph: _Graph, ends: Sequence[bytes]) -> KnownSolutions:
    """Return the states with a path to a solved one, by Dijkstra's search from those that are solved."""
    objective, order = objective_of(graph.puzzle), count()
    reached: dict[bytes, tuple[int, list[int]]] = {}
    heap: list[tuple[int, int, bytes, list[int]]] = [(0, next(order), end, []) for end in ends]
    while heap:
        total, _, end, moves = heapq.heappop(heap)
        if end in reached:
            continue
        reached[end] = (total, moves)
        for start, move in graph.before[end]:
            if start not in reached:
                with graph.puzzle.at(graph.states[start]):
                    step = objective.step(graph.states[start], move, graph.states[end])
                heapq.heappush(heap, (total + step, next(order), start, [move, *moves]))
    states = np.stack([graph.states[key] for key in reached or graph.states])[: len(reached)]
    sums = np.array([total for total, _ in reached.values()], np.int64)
    return KnownSolutions(graph.puzzle, states, sums, [moves for _, moves in reached.values()])


SMALL = 16
"""Numbers of a state of the largest puzzles whose estimates are all checked, even if their tables must be built."""
ALONE = 8
"""States that are evaluated alone, and not only in a batch."""
WALKS, WALK_MOVES = 3, 12
"""Walks on which an incremental estimate is followed, and their moves."""
ROUNDING = 1e-6
"""The amount that an admissible estimate may exceed the distance by: searches allow for as much rounding."""


def check_estimates(
    estimates: Iterable[Estimate], states: State, solutions: KnownSolutions, random: np.random.Generator
) -> None:
    """Check these estimates; `states: [B, S]` are any states."""
    puzzle = solutions.puzzle
    for estimate in estimates:
        _check_batches(puzzle, estimate, np.concatenate([states, solutions.states[solutions.rows(ALONE)]]))
        if estimate.admissible and len(solutions.states):
            _check_bound(puzzle, estimate, solutions)
        if estimate.kernel is not None and kernels.incremental(estimate.kernel()):
            _check_incremental(puzzle, estimate, states[:WALKS], random)


def usual_estimates(puzzle: CheckedPuzzle, like: State) -> Iterator[Estimate]:
    """Return the default estimate and all that are listed; of puzzles with larger states only the quick ones.

    Quick to make are functions of states, and what `is_cheap`. A puzzle without cheap estimates
    has all its estimates checked. One that `estimates` lists may need an option after its name, and then raises
    `BadInput` without it. `like: [S]` is a state of the puzzle.
    """
    view = puzzle.view(Estimates)
    if view is None:
        return
    default = puzzle.call("`estimate`", view.estimate, gives=Estimate)
    again = puzzle.call("`estimate`", view.estimate, default.name).name
    must(again == default.name, f"{puzzle.name}: `estimate` gives '{default.name}', and '{again}' for that name")
    estimates: dict[str, Estimate] = {}
    for name in [*view.estimates, default.name]:
        with suppress(BadInput):
            estimate = puzzle.call("`estimate`", view.estimate, name, gives=Estimate, passed=BadInput)
            estimates.setdefault(estimate.name, estimate)
    has_cheap = any(estimate.is_cheap for estimate in estimates.values())
    for estimate in estimates.values():
        if like.size <= SMALL or not has_cheap or estimate.is_cheap or estimate.scores is not None:
            yield estimate


def _values(puzzle: CheckedPuzzle, estimate: Estimate, states: State) -> NDArray[np.float64]:
    """Return `float64[B]`: the estimate of each of the plain `states[B, S]`, which must be finite."""
    name = f"the estimate '{estimate.name}'"
    function = estimate.scores or (lambda batch: estimated(puzzle, estimate, batch))
    values = puzzle.call(f"{name} for {len(states)} boards", function, states, gives=f"float[{len(states)}]")
    puzzle.must_hold(np.isfinite(values), states, lambda row: f"{name} must give finite numbers, not {values[row]}")
    return np.asarray(values, np.float64)


def _check_batches(puzzle: CheckedPuzzle, estimate: Estimate, states: State) -> None:
    """Check that a state has the same estimate in a batch and alone."""
    values = _values(puzzle, estimate, states)
    alone = np.concatenate([_values(puzzle, estimate, states[row : row + 1]) for row in range(len(states))[:ALONE]])
    words = f"the estimate '{estimate.name}' gives {{:g}} in a batch, and {{:g}} for the board alone".format
    same = np.isclose(values[:ALONE], alone)
    puzzle.must_hold(same, states, lambda row: words(values[row], alone[row]))


def _check_bound(puzzle: CheckedPuzzle, estimate: Estimate, solutions: KnownSolutions) -> None:
    """Check that an admissible estimate is no more than the moves, or the cost, of a solution, and no less than its
    points.
    """
    values = _values(puzzle, estimate, solutions.states)
    excess = -solutions.sums - values if objective_of(puzzle).kind == "score" else values - solutions.sums
    for row in np.flatnonzero(excess > ROUNDING)[:1].tolist():
        claim = f"the estimate '{estimate.name}' is marked admissible, and gives {values[row]:g}"
        must(False, f"{puzzle.name}: {claim} {solutions.sentence(row)}")


def _check_incremental(puzzle: CheckedPuzzle, estimate: Estimate, states: State, random: np.random.Generator) -> None:
    """Check that a compiled estimate that is computed from move to move equals the one from scratch."""
    assert estimate.kernel is not None
    name, tables, rules = f"the estimate '{estimate.name}'", estimate.kernel(), rules_of(Instance(puzzle, states[0]))
    for working in rules.encode(states.copy()).astype(rules.dtype):
        choices = random.integers(0, puzzle.move_count, WALK_MOVES)
        child, moves, fault = np.zeros_like(working), np.zeros(puzzle.move_count, np.int32), np.zeros(5)
        memos = [np.zeros(estimate.memo, np.int64) for _ in range(3)]
        with puzzle.at(call=f"{name}, computed incrementally,"):
            same = runner(follow, rules)(rules.tables, tables, working, child, moves, choices, *memos, fault)
        move, value, truth, most = puzzle.write_move(int(fault[0])), *fault[1:4]
        memo = " and the memo of `remember`" if fault[4] else ""
        words = (
            f"by `evaluate_move`{memo} is {value:g} after move {move}, and {truth:g} by `evaluate`; `most` is {most:g}"
        )
        with puzzle.at(rules.decode(working[None])[0]):
            must(same, f"{name} {words}")

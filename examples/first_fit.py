"""A new solver in one short file: dives along the first legal moves that lead to states not seen before.

It promises nothing, which is what its results say; every limit, check and verb works with it all the same.
"""

import time
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from puzzlelab import Instance, Limit, Progress, Result
from puzzlelab.core.solver import SolverSettings


class FirstFit(SolverSettings):
    """Take the first move that leads somewhere new; go back where there is none."""

    name: ClassVar[str] = "first-fit"

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Progress | Result]:
        """Progress, then the first solution that is met."""
        puzzle, began, expanded, generated = instance.puzzle, time.perf_counter(), 0, 0
        seen, path, states = {instance}, [], [instance.state]
        while states and not puzzle.solved(states[-1]):
            seconds = time.perf_counter() - began
            over_time = limit.seconds is not None and seconds >= limit.seconds
            if over_time or (limit.nodes is not None and expanded >= limit.nodes):
                stop = "time" if over_time else "nodes"
                yield Result(None, "none", "", stop, 0, expanded, generated, 0, seconds)
                return
            expanded += 1
            yield Progress(expanded, generated, 0, 0, seconds)
            for move in np.flatnonzero(puzzle.legal(states[-1])).tolist():
                child = Instance(puzzle, puzzle.apply(states[-1], move))
                generated += 1
                if child not in seen:
                    seen.add(child)
                    path.append(move)
                    states.append(child.state)
                    break
            else:
                states.pop()
                path = path[:-1]
        seconds = time.perf_counter() - began
        if states:
            yield Result(tuple(path), "none", "", "done", 0, expanded, generated, 0, seconds)
        else:
            why = "every reachable state was searched, and none is solved"
            yield Result(None, "unsolvable", why, "done", 0, expanded, generated, 0, seconds)


SOLVER = FirstFit

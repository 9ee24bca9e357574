# mypy: allow-untyped-defs
"""The search that brings two tiles to their cells in the fewest moves, while placed tiles stay where they are.

A state is the cells of the two tiles and of the blank: other tiles are alike. Shapes: N cells.
"""

from __future__ import annotations

from puzzlelab.engine.kernels import compiled


@compiled
def place_pair(source, is_free, start, goal, most, came_by, queue):
    """Search breadth-first from `start`, the cells of two tiles and of the blank, to `goal`.

    The blank of `goal` may be -1, for any cell, and the two tiles may be the same one. `source: uint8[N, 4]` are the
    moves, and `is_free: bool[N]` the cells that they may use. `came_by: uint8[N ** 3]` and `queue: int32[N ** 3]` are
    room to work in. Returns the number of states expanded, at most `most`, and that of moves, or -1 where no way was
    found; the moves are at the beginning of `queue`, the last one in front.
    """
    cells = source.shape[0]
    came_by[:] = 0
    code = (start[0] * cells + start[1]) * cells + start[2]
    queue[0], came_by[code] = code, 255
    head, tail = 0, 1
    while head < min(tail, most):
        code = queue[head]
        head += 1
        first, second, blank = code // cells // cells, code // cells % cells, code % cells
        if first == goal[0] and second == goal[1] and (goal[2] < 0 or blank == goal[2]):
            count = 0
            while came_by[code] != 255:
                queue[count] = came_by[code] - 1
                before = source[blank, queue[count] ^ 1]
                first, second = blank if first == before else first, blank if second == before else second
                blank = before
                code = (first * cells + second) * cells + blank
                count += 1
            return head, count
        for move in range(4):
            cell = source[blank, move]
            if cell < cells and is_free[cell]:
                a, b = blank if first == cell else first, blank if second == cell else second
                child = (a * cells + b) * cells + cell
                if came_by[child] == 0:
                    came_by[child] = move + 1
                    queue[tail] = child
                    tail += 1
    return head, -1

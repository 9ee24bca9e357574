# mypy: allow-untyped-defs
"""The kernel that labels the groups of many boards; shapes as in `planes`."""

from __future__ import annotations

from puzzlelab.engine.kernels import compiled


@compiled
def label(states, first, second, labels):
    """Give both cells of every pair of equal neighbours the lesser label of the two, until nothing changes.

    `labels: int64[B, N]` gets -1 for cells without an equal neighbour.
    """
    for board in range(len(states)):
        for cell in range(states.shape[1]):
            labels[board, cell] = -1
        changed = True
        while changed:
            changed = False
            for pair in range(len(first)):
                a, b = first[pair], second[pair]
                if states[board, a] == 0 or states[board, a] != states[board, b]:
                    continue
                least = a
                for there in (labels[board, a], labels[board, b]):
                    if 0 <= there < least:
                        least = there
                if labels[board, a] != least or labels[board, b] != least:
                    labels[board, a] = labels[board, b] = least
                    changed = True

# mypy: allow-untyped-defs
"""The search for the least of all images of a board; the method is in `canonical`.

Shapes: N = cells of a row, B = boards, T = 1, or 2 where a board may be transposed, G = places for groups of partial
symmetries, W = numbers of one of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled, inlined

TRANSPOSED, LABELS, ROWS = 0, 1, 2
"""Places in a partial symmetry: which way round the board is, how many digits have labels, and the rows so far."""
UNKNOWN = 31
"""The label of a digit without one, greater than all."""
NO_ROOM = -1


class Work(NamedTuple):
    """The shape of the boards, and the arrays of a search."""

    size: int
    """N."""
    box_rows: int
    box_columns: int
    grids: NDArray[np.uint8]
    """[T, N, N]: the board, and its transpose."""
    partial: NDArray[np.int8]
    """[2, G, W]: partial symmetries before and after a row. After the rows: the column at each place, -1 for open; the
    label of each digit, 0 for none; the stack in each slot, -1 for open; the open columns of each slot."""
    pairs: NDArray[np.int64]
    """[G, 2]: (partial symmetry, row) with the least image so far."""
    choice: NDArray[np.int64]
    """[4 N]: the option that is taken where an image may be had in several ways."""
    options: NDArray[np.int64]
    """[4 N]: how many there are."""
    image: NDArray[np.int64]
    """[N]: a row as it becomes."""
    least: NDArray[np.int64]
    """[N]."""
    keys: NDArray[np.int64]
    """[N]: how an open stack looks in a row."""
    columns: NDArray[np.int64]
    """[2 N]: columns of a stack whose digits have labels, and from N on the others."""
    after: NDArray[np.int8]
    """[W]: a partial symmetry with one more row."""


@inlined
def label_of(work, digit):
    """Return the label of a digit in `after`, or UNKNOWN."""
    label = work.after[ROWS + 2 * work.size + digit - 1]
    return label if label > 0 else UNKNOWN


@inlined
def sort_columns(work, cells, row, stack, is_fixed):
    """Sort the filled columns of a stack that have no place yet: (how many have labels, how many have none)."""
    known = unknown = 0
    for column in range(stack * work.box_columns, (stack + 1) * work.box_columns):
        digit = work.grids[cells, row, column]
        if digit == 0 or (is_fixed >> column) & 1:
            continue
        label = label_of(work, digit)
        if label == UNKNOWN:
            work.columns[work.size + unknown] = column
            unknown += 1
            continue
        at = known
        while at > 0 and label_of(work, work.grids[cells, row, work.columns[at - 1]]) > label:
            work.columns[at] = work.columns[at - 1]
            at -= 1
        work.columns[at] = column
        known += 1
    return known, unknown


@inlined
def key_of(work, cells, row, stack):
    """Return the least image of an open stack as a number: labels in base 32."""
    known, unknown = sort_columns(work, cells, row, stack, 0)
    key = 0
    for i in range(known):
        key = 32 * key + label_of(work, work.grids[cells, row, work.columns[i]])
    for _ in range(unknown):
        key = 32 * key + UNKNOWN
    return key


@inlined
def taken(work, count, choices):
    """Return the option that is taken at the next choice."""
    work.options[choices] = count
    return work.choice[choices]


@inlined
def next_stack(work, choices):
    """Return (the open stack with the least image, the number of choices): those that are alike are a choice."""
    stacks, least, alike = work.box_rows, 1 << 60, 0
    for stack in range(stacks):
        key = work.keys[stack]
        if key == 0:
            continue
        if key < least:
            least, alike = key, 0
        alike += key == least
    number = 0
    if alike > 1:
        number = taken(work, alike, choices)
        choices += 1
    for stack in range(stacks):
        if work.keys[stack] == least:
            if number == 0:
                work.keys[stack] = 0
                return stack, choices
            number -= 1
    return 0, choices


@inlined
def open_stacks(work, cells, row):
    """Find the image of each open stack; return how many of them are blank in this row."""
    size, stacks, blank = work.size, work.box_rows, 0
    for stack in range(stacks):
        work.keys[stack] = -1
    for slot in range(stacks):
        stack = work.after[ROWS + 3 * size + slot]
        if stack >= 0:
            work.keys[stack] = 0
    for stack in range(stacks):
        if work.keys[stack] < 0:
            work.keys[stack] = key_of(work, cells, row, stack)
            blank += work.keys[stack] == 0
    return blank


@inlined
def fill_slot(work, cells, row, slot, is_fixed, choices):
    """Put the stack of a slot in its place: the blank columns that are open first, then labels in order."""
    after, size, width = work.after, work.size, work.box_columns
    known, unknown = sort_columns(work, cells, row, after[ROWS + 3 * size + slot], is_fixed)
    still_open = after[ROWS + 3 * size + work.box_rows + slot]
    begin = slot * width
    place = begin + still_open - known - unknown
    for blank in range(begin, place):
        work.image[blank] = 0
    after[ROWS + 3 * size + work.box_rows + slot] = place - begin
    for i in range(known):
        after[ROWS + size + place] = work.columns[i]
        work.image[place] = label_of(work, work.grids[cells, row, work.columns[i]])
        place += 1
    for i in range(unknown):
        # Which of the digits without a label comes first is a choice: the image is the same.
        which = 0
        if unknown - i > 1:
            which = taken(work, unknown - i, choices)
            choices += 1
        column = work.columns[size + i + which]
        work.columns[size + i + which] = work.columns[size + i]
        after[ROWS + size + place] = column
        give_label(work, work.grids[cells, row, column])
        work.image[place] = after[LABELS]
        place += 1
    for fixed in range(place, begin + width):
        digit = work.grids[cells, row, after[ROWS + size + fixed]]
        if digit and label_of(work, digit) == UNKNOWN:
            give_label(work, digit)
        work.image[fixed] = label_of(work, digit) if digit else 0
    return choices


@inlined
def give_label(work, digit):
    """Give a digit the next label."""
    work.after[LABELS] += 1
    work.after[ROWS + 2 * work.size + digit - 1] = work.after[LABELS]


@inlined
def add_row(work, half, number, row):
    """Write the least image of a row after a partial symmetry, which becomes `after`; returns how many choices it
    has.
    """
    after, size = work.after, work.size
    for i in range(after.size):
        after[i] = work.partial[half, number, i]
    cells, is_fixed, choices = after[TRANSPOSED], 0, 0
    for place in range(size):
        column = after[ROWS + size + place]
        if column >= 0:
            is_fixed |= 1 << column
    blank = open_stacks(work, cells, row)
    for slot in range(work.box_rows):
        if after[ROWS + 3 * size + slot] < 0:
            if slot < blank:
                for place in range(slot * work.box_columns, (slot + 1) * work.box_columns):
                    work.image[place] = 0
                continue
            stack, choices = next_stack(work, choices)
            after[ROWS + 3 * size + slot] = stack
        choices = fill_slot(work, cells, row, slot, is_fixed, choices)
    return choices


@inlined
def is_blank(work, cells, first, count):
    """Tell whether rows are blank."""
    for row in range(first, first + count):
        for column in range(work.size):
            if work.grids[cells, row, column]:
                return False
    return True


@inlined
def may_follow(work, half, number, level, row):
    """Tell whether a row may be the next one: of the same band unless it is full, and only the first of blank ones."""
    height, cells = work.box_rows, work.partial[half, number, TRANSPOSED]
    band, is_used = row // height, False
    for before in range(level):
        other = work.partial[half, number, ROWS + before]
        if other == row:
            return False
        is_used |= other // height == band
    inside = level % height
    if inside and work.partial[half, number, ROWS + level - 1] // height != band:
        return False
    if not inside and is_used:
        return False
    if not is_blank(work, cells, row, 1):
        return True
    # Blank rows of a band are alike, and so are blank bands.
    for other in range(band * height, row):
        if is_blank(work, cells, other, 1) and not has_row(work, half, number, level, other):
            return False
    if not inside and is_blank(work, cells, band * height, height):
        for other in range(band):
            first = other * height
            if is_blank(work, cells, first, height) and not has_row(work, half, number, level, first):
                return False
    return True


@inlined
def has_row(work, half, number, level, row):
    """Tell whether a partial symmetry has this row."""
    for before in range(level):
        if work.partial[half, number, ROWS + before] == row:
            return True
    return False


@inlined
def compare(work, is_first):
    """Return below 0 if the image of a row is less than the least so far, which it becomes; 0 if it is the same."""
    difference = -1 if is_first else 0
    for place in range(work.size):
        if difference == 0:
            difference = work.image[place] - work.least[place]
        if difference > 0:
            return difference
        if difference < 0:
            work.least[place] = work.image[place]
    return difference


@inlined
def least_rows(work, half, count, level):
    """Find the pairs of a partial symmetry and a row with the least image; returns how many, or NO_ROOM."""
    found = 0
    for number in range(count):
        for row in range(work.size):
            if not may_follow(work, half, number, level, row):
                continue
            add_row(work, half, number, row)
            difference = compare(work, found == 0)
            if difference > 0:
                continue
            if difference < 0:
                found = 0
            if found == len(work.pairs):
                return NO_ROOM
            work.pairs[found, 0], work.pairs[found, 1] = number, row
            found += 1
    return found


@inlined
def follow_all(work, half, found, level):
    """Write the partial symmetries with one more row, for every choice; returns how many, or NO_ROOM."""
    written = 0
    for pair in range(found):
        work.choice[:] = 0
        last = 0
        while last >= 0:
            choices = add_row(work, half, work.pairs[pair, 0], work.pairs[pair, 1])
            if written == work.partial.shape[1]:
                return NO_ROOM
            for i in range(work.after.size):
                work.partial[1 - half, written, i] = work.after[i]
            work.partial[1 - half, written, ROWS + level] = work.pairs[pair, 1]
            written += 1
            last = choices - 1
            while last >= 0 and work.choice[last] + 1 == work.options[last]:
                work.choice[last] = 0
                last -= 1
            if last >= 0:
                work.choice[last] += 1
    return written


@inlined
def begin(work):
    """Write the partial symmetries without a row; returns how many."""
    size, stacks = work.size, work.box_rows
    for number in range(len(work.grids)):
        for i in range(work.after.size):
            work.partial[0, number, i] = 0
        work.partial[0, number, TRANSPOSED] = number
        for place in range(size):
            work.partial[0, number, ROWS + size + place] = -1
        for slot in range(stacks):
            work.partial[0, number, ROWS + 3 * size + slot] = -1
            work.partial[0, number, ROWS + 3 * size + stacks + slot] = work.box_columns
    work.choice[:] = 0
    return len(work.grids)


@compiled
def canonical_all(work, boards, images, counts):
    """Write the least image of each of `boards: uint8[B, N * N]` into `images`, of the same shape.

    `counts: int64[B]` are the partial symmetries that lead to it, or NO_ROOM where they do not fit.
    """
    size = work.size
    for board in range(len(boards)):
        for cells in range(len(work.grids)):
            for cell in range(size * size):
                row, column = cell // size, cell % size
                if cells:
                    work.grids[cells, column, row] = boards[board, cell]
                else:
                    work.grids[cells, row, column] = boards[board, cell]
        count, half = begin(work), 0
        for level in range(size):
            found = least_rows(work, half, count, level)
            for place in range(size):
                images[board, level * size + place] = work.least[place]
            count = follow_all(work, half, found, level) if found != NO_ROOM else NO_ROOM
            half = 1 - half
            if count == NO_ROOM:
                break
        counts[board] = count

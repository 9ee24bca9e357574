"""The fast 9x9 solver: all boxes at once, as bit algebra on nine vectors.

A state is nine vectors of 16 lanes of 16 bits, one vector for each place in a box, row by row. The lane of the box in
band k and stack s is 4 k + s, and its nine bits are the digits that the cell may still hold; the lanes of no box always
hold all digits. So what happens inside a box is an operation between vectors, what happens between the boxes of a band
moves lanes inside 64 bits, and what happens between bands moves 64 bits as a whole: all cheap on any processor.

In a band a digit's three places are a permutation: one mini-row in each row, each in another box. Of the six
permutations (three that go down to the right, "falling", and three that go down to the left, "rising") those that still
have candidates say which mini-rows are possible: hidden singles, pointing and claiming in one formula. The same holds
in stacks, with mini-columns (the triads of T. Dillon, "tdoku", 2019). The hidden and naked singles of each box come
next; where that says nothing more, the digits of each triad are counted, which holds three. Branching takes the band or
stack with the fewest permutations left.

Shapes: a stack of states is `uint16[D * 144]`.
"""

from __future__ import annotations

from functools import reduce
from operator import or_, xor
from typing import Any

from puzzlelab.engine.compiler import LANES, Block, Lanes, lanewise, least_of

WIDTH = 9 * LANES
"""Numbers of one state."""
CHANGED, UNCHANGED, BROKEN, COMPLETE = range(4)
"""Results of `infer`: it changed the state, it cannot, the state has no solution, the state is one."""
FULL = 0o777

Cells = tuple[Lanes, ...]
"""[9]: a vector for each place in a box."""
Triads = tuple[Lanes, Lanes, Lanes]
"""The mini-rows of each box from top to bottom, or the mini-columns from left to right."""


def _sources(source: Any) -> list[int]:
    """Return a permutation of lanes from a function of (band, stack), where 3 stands for the lanes of no box."""
    moved = [source(*divmod(lane, 4)) for lane in range(LANES)]
    return [4 * band + stack for band, stack in moved]


def _on(number: int, step: int) -> int:
    return (number + step) % 3 if number < 3 else number


ROUND_BANDS = tuple(_sources(lambda band, stack, step=step: (band, _on(stack, step))) for step in (1, 2))
"""Lanes of the next box of the band in a circle, and of the one before."""
ROUND_STACKS = tuple(_sources(lambda band, stack, step=step: (_on(band, step), stack)) for step in (1, 2))
"""Lanes of the next box of the stack in a circle, and of the one before. All 64 bits of a band move together, which is
one instruction."""
BOXES = [4 * band + stack for band in range(3) for stack in range(3)]
IN_USE = [FULL if lane in BOXES else 0 for lane in range(LANES)]


# --- formulas ---


def mini_rows(cells: Cells) -> Triads:
    """Return the digits of each mini-row."""
    return cells[0] | cells[1] | cells[2], cells[3] | cells[4] | cells[5], cells[6] | cells[7] | cells[8]


def mini_columns(cells: Cells) -> Triads:
    """Return the digits of each mini-column."""
    return cells[0] | cells[3] | cells[6], cells[1] | cells[4] | cells[7], cells[2] | cells[5] | cells[8]


def permutations(triads: Triads, neighbours: Any) -> tuple[Lanes, Lanes]:
    """Return (falling, rising): the permutations that are left in each band or stack, by the box where they begin."""
    after, before = neighbours
    first, second, third = triads
    falling = first & second.permuted(after) & third.permuted(before)
    return falling, first & second.permuted(before) & third.permuted(after)


def in_permutations(triads: Triads, neighbours: Any) -> Triads:
    """Return the digits of each triad that are in some permutation."""
    after, before = neighbours
    falling, rising = permutations(triads, neighbours)
    second = falling.permuted(before) | rising.permuted(after)
    return falling | rising, second, falling.permuted(after) | rising.permuted(before)


def locked(cells: Cells) -> Cells:
    """Remove the candidates that are in no permutation of their band or of their stack."""
    rows = in_permutations(mini_rows(cells), ROUND_BANDS)
    cells = tuple(cell & rows[place // 3] for place, cell in enumerate(cells))
    columns = in_permutations(mini_columns(cells), ROUND_STACKS)
    return tuple(cell & columns[place % 3] for place, cell in enumerate(cells))


def some_and_more(a: Lanes, b: Lanes, c: Lanes) -> tuple[Lanes, Lanes]:
    """Return (the digits of at least one, of at least two)."""
    either = a | b
    return either | c, (a & b) | (c & either)


def places(cells: Cells) -> tuple[Lanes, Lanes]:
    """Return (some, more): the digits with at least one place in their box, and with at least two."""
    rows = [some_and_more(*cells[place : place + 3]) for place in (0, 3, 6)]
    some, more = some_and_more(*(row[0] for row in rows))
    return some, more | rows[0][1] | rows[1][1] | rows[2][1]


def hidden_singles(cells: Cells) -> tuple[Cells, Lanes, Lanes]:
    """Give each digit with one place in a box that place; with these digits, and those that have some place."""
    some, more = places(cells)
    single = some & ~more
    # `cell & single` where that is not 0, else `cell`: less one, it is the lesser of the two.
    return tuple(least_of([(cell & single) + 0xFFFF, cell + 0xFFFF]) + 1 for cell in cells), single, some


def without_lowest(cell: Lanes) -> Lanes:
    """Return all digits but the first."""
    return cell & (cell + 0xFFFF)


def naked_singles(cells: Cells) -> tuple[Cells, Lanes]:
    """Take from each box the other places of digits that fill a cell; return also the digits of cells with several, but
    their first.

    Two cells that the same digit fills lose it.
    """
    others = [without_lowest(cell) for cell in cells]
    naked = [cell & other.equal(0) for cell, other in zip(cells, others, strict=True)]
    filled = reduce(xor, naked)
    left = tuple(cell & ~(filled ^ single) for cell, single in zip(cells, naked, strict=True))
    return left, reduce(or_, others)


def changes(before: Cells, after: Cells) -> Lanes:
    """Return the candidates that went."""
    return reduce(or_, [a ^ b for a, b in zip(before, after, strict=True)])


def three_digits(triads: Triads) -> tuple[Triads, Lanes]:
    """Let each triad hold three digits: return (what is left for each, all bits set where that is impossible)."""
    gone, only, wrong = [], [], []
    for i, triad in enumerate(triads):
        beyond_two = without_lowest(without_lowest(triad))
        full = without_lowest(beyond_two).equal(0)
        gone.append(triad & full)
        certain = triad & ~(triads[(i + 1) % 3] | triads[(i + 2) % 3])
        beyond_two_certain = without_lowest(without_lowest(certain))
        more = without_lowest(beyond_two_certain)
        only.append(certain | beyond_two_certain.equal(0))
        wrong += [beyond_two.equal(0), more]
    left = [only[i] & ~(gone[(i + 1) % 3] | gone[(i + 2) % 3]) for i in range(3)]
    return (left[0], left[1], left[2]), reduce(or_, wrong)


# --- what kernels call ---


@lanewise
def infer(block: Block, base: Any) -> Any:
    """Apply all rules once to the state at `base`; return CHANGED, UNCHANGED, BROKEN or COMPLETE."""
    before = tuple(block.load(base, 9))
    cells, single, some = hidden_singles(locked(before))
    cells, several = naked_singles(cells)
    block.store(base, cells)
    # A cell with several candidates of which one is a hidden single has two of them.
    broken = (some ^ FULL) | (several & single) | least_of(cells).equal(0)
    return block.choose(
        [
            (broken.any(), BROKEN),
            (changes(before, cells).any(), CHANGED),
            ((several & several.by_lane(IN_USE)).any(), UNCHANGED),
        ],
        COMPLETE,
    )


@lanewise
def infer_triads(block: Block, base: Any) -> Any:
    """Count the digits of each mini-row and mini-column where `infer` changed nothing: CHANGED, UNCHANGED or BROKEN."""
    before = tuple(block.load(base, 9))
    rows, wrong = three_digits(mini_rows(before))
    columns, wrong_too = three_digits(mini_columns(before))
    cells = tuple(cell & rows[place // 3] & columns[place % 3] for place, cell in enumerate(before))
    block.store(base, cells)
    return block.choose([((wrong | wrong_too).any(), BROKEN), (changes(before, cells).any(), CHANGED)], UNCHANGED)


@lanewise
def branching_point(block: Block, base: Any, target: Any) -> Any:
    """Return where to branch: a number whose low 4 bits are a lane and whose bit 4 says 'stack, not band'.

    The band or stack of that box has the fewest permutations of all digits. Two blocks are written at `target`: for
    each lane the digits of its band that have the fewest permutations, but two at least, and the same of its stack.
    """
    cells = tuple(block.load(base, 9))
    keys, digits = [], []
    for stack, triads, neighbours in ((0, mini_rows(cells), ROUND_BANDS), (1, mini_columns(cells), ROUND_STACKS)):
        ones, twos, fours = count(triads, neighbours)
        total = ones.ones() + (twos.ones() << 1) + (fours.ones() << 2)
        open_digits = first_of([twos & ~ones & ~fours, twos & ones, fours & ~ones & ~twos, fours & ones, fours])
        key = (total << 5) | total.by_lane([lane | stack << 4 for lane in range(LANES)])
        keys.append((key | open_digits.equal(0) | key.by_lane([0 if use else 0xFFFF for use in IN_USE])).least())
        digits.append(open_digits)
    block.store(target, digits)
    return block.lesser(*keys)


def count(triads: Triads, neighbours: Any) -> tuple[Lanes, Lanes, Lanes]:
    """Return how many permutations each digit has in the band or stack, in three binary digits: ones, twos, fours."""
    totals = [added(way, *(way.permuted(lanes) for lanes in neighbours)) for way in permutations(triads, neighbours)]
    (a, a_carry), (b, b_carry) = totals
    twos, fours = added(a_carry, b_carry, a & b)
    return a ^ b, twos, fours


def added(a: Lanes, b: Lanes, c: Lanes) -> tuple[Lanes, Lanes]:
    """Return the sum of three binary digits: (ones, twos)."""
    half = a ^ b
    return half ^ c, (a & b) | (c & half)


def first_of(choices: list[Lanes]) -> Lanes:
    """Return in each lane the first number that is not 0."""
    result = choices[-1]
    for choice in choices[-2::-1]:
        result = choice | (result & choice.equal(0))
    return result


@lanewise
def split(block: Block, base: Any, child: Any, digit: Any, triads: Any, mine: Any, others: Any) -> Any:
    """Make two states of one: at `child` the `others` lose the digit, at `base` `mine` does.

    `digit` is a bit; `mine` and `others` are sets of lanes, in which the places of the set `triads` are meant.
    """
    lanes = block.everywhere(0).by_lane([1 << lane for lane in range(LANES)])
    bits = block.everywhere(digit)
    gone_here, gone_there = (bits & (block.everywhere(boxes) & lanes).equal(lanes) for boxes in (mine, others))
    where = block.everywhere(triads)
    kept, taken = [], []
    for place, cell in enumerate(block.load(base, 9)):
        here = (where & (1 << place)).equal(1 << place)
        kept.append(cell & ~(gone_here & here))
        taken.append(cell & ~(gone_there & here))
    block.store(child, taken)
    block.store(base, kept)
    return block.choose([], 0)

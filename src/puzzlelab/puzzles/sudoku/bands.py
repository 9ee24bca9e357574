"""The fast 9x9 solver: all digits, bands and stacks at once, as bit algebra on three vectors.

A state is three vectors of 32 lanes of 16 bits, one vector for each row of a band. The lane of band k and digit d is
9 k + d, and its nine bits are the columns where the digit may still go; lanes 27 to 31 stay empty. So one operation
works on a third of all 729 candidates.

In a band a digit's three places are a permutation: one mini-row in each row, each in another box. Of the six
permutations (three that go down to the right, "falling", and three that go down to the left, "rising") those that still
have candidates say which mini-rows are possible: hidden singles, pointing and claiming in one formula. The same holds
in stacks, with mini-columns (the triads of T. Dillon, "tdoku", 2019). Naked and hidden singles of the cells are counted
across the nine lanes of a band; where that says nothing more, so are the digits of each triad, which holds three.
Branching takes the band or stack with the fewest permutations left.

Shapes: a stack of states is `uint16[D * 96]`.
"""

from __future__ import annotations

from typing import Any

from puzzlelab.engine.simd import LANES, Block, Lanes, lanewise

WIDTH = 3 * LANES
"""Numbers of one state."""
CHANGED, SETTLED, BROKEN, COMPLETE = range(4)
"""Results of `infer`: it changed the state, it cannot, the state has no solution, the state is one."""
FULL = 0o777
FIRSTS = 0o111
"""The first column of each box."""

Formula = tuple[Lanes, Lanes, Lanes]


def _sources(source: Any) -> list[int]:
    """A permutation of lanes from a function of (band, digit)."""
    lanes = [9 * band + digit for band in range(3) for digit in range(9)]
    moved = [source(*divmod(lane, 9)) for lane in lanes]
    return [9 * band + digit for band, digit in moved] + list(range(27, LANES))


NEXT_BAND = _sources(lambda band, digit: ((band + 1) % 3, digit))
LAST_BAND = _sources(lambda band, digit: ((band + 2) % 3, digit))
THREE_ON = _sources(lambda band, digit: (band, (digit + 3) % 9))
SIX_ON = _sources(lambda band, digit: (band, (digit + 6) % 9))
ONE_ON = _sources(lambda band, digit: (band, digit // 3 * 3 + (digit + 1) % 3))
TWO_ON = _sources(lambda band, digit: (band, digit // 3 * 3 + (digit + 2) % 3))
IN_USE = [FULL] * 27 + [0] * (LANES - 27)
BOXES_IN_USE = [FIRSTS] * 27 + [0] * (LANES - 27)
STACK_OF_LANE = [3 * (lane // 9) if lane < 27 else 0 for lane in range(LANES)]
NUMBERS = list(range(LANES))


# --- formulas ---


def majority(a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Bits that are set in at least two."""
    return (a & b) | (c & (a | b))


def boxes(row: Lanes) -> Lanes:
    """The first column of each box in which the row has a bit."""
    return (row | (row >> 1) | (row >> 2)) & FIRSTS


def box_right(flags: Lanes) -> Lanes:
    """What stands at a box moves to the next box, in a circle."""
    return ((flags << 3) | (flags >> 6)) & FIRSTS


def box_left(flags: Lanes) -> Lanes:
    """What stands at a box moves to the one before, in a circle."""
    return ((flags << 6) | (flags >> 3)) & FIRSTS


def column_right(columns: Lanes) -> Lanes:
    """What stands in a column moves to the next one of its stack, in a circle."""
    return ((columns << 1) & 0o666) | ((columns >> 2) & 0o111)


def column_left(columns: Lanes) -> Lanes:
    """What stands in a column moves to the one before in its stack, in a circle."""
    return ((columns << 2) & 0o444) | ((columns >> 1) & 0o333)


def permutations_of_bands(rows: Formula) -> tuple[Lanes, Lanes]:
    """(falling, rising): the permutations that are left in each band, by the box where they begin in the first row."""
    first, second, third = (boxes(row) for row in rows)
    return first & box_left(second) & box_right(third), first & box_right(second) & box_left(third)


def permutations_of_stacks(rows: Formula) -> tuple[Lanes, Lanes]:
    """(falling, rising): the permutations that are left in each stack, by their column in the lane's own band."""
    own = rows[0] | rows[1] | rows[2]
    below, above = own.permuted(NEXT_BAND), own.permuted(LAST_BAND)
    return own & column_left(below) & column_right(above), own & column_right(below) & column_left(above)


def locked(rows: Formula) -> Formula:
    """Without the candidates that are in no permutation of their band or of their stack."""
    falling, rising = permutations_of_bands(rows)
    first = rows[0] & ((falling | rising) * 7)
    second = rows[1] & ((box_right(falling) | box_left(rising)) * 7)
    third = rows[2] & ((box_left(falling) | box_right(rising)) * 7)
    falling, rising = permutations_of_stacks((first, second, third))
    columns = falling | rising
    return first & columns, second & columns, third & columns


def hidden_singles(rows: Formula) -> tuple[Formula, Any]:
    """A digit with one place in a box takes it; and whether a digit has none."""
    one, two = rows[0] | rows[1] | rows[2], majority(*rows)
    some = boxes(one)
    more = boxes(two) | (majority(one, one >> 1, one >> 2) & FIRSTS)
    single = (some & ~more) * 7
    return _each(rows, lambda row: row & ~taken_by_others(row & single)), some.any_other_than(
        some.by_lane(BOXES_IN_USE)
    )


def taken_by_others(row: Lanes) -> Lanes:
    """In each lane, the bits that another digit of the band has."""
    others = row.permuted(THREE_ON) | row.permuted(SIX_ON)
    three = row | others
    return others | three.permuted(ONE_ON) | three.permuted(TWO_ON)


def cells(row: Lanes) -> tuple[Lanes, Lanes]:
    """(one, two): the cells of the row with at least one, and at least two candidates, the same in all lanes."""
    a, b = row.permuted(THREE_ON), row.permuted(SIX_ON)
    one, two = row | a | b, majority(row, a, b)
    a, b = one.permuted(ONE_ON), one.permuted(TWO_ON)
    return one | a | b, two | two.permuted(ONE_ON) | two.permuted(TWO_ON) | majority(one, a, b)


def alone(rows: Formula, naked: Formula) -> Formula:
    """A digit that fills a cell has no other place in that box."""
    filled = boxes(naked[0] | naked[1] | naked[2]) * 7
    return tuple((row & ~filled) | single for row, single in zip(rows, naked, strict=True))  # type: ignore[return-value]


def count_three(flags: Lanes) -> tuple[Lanes, Lanes]:
    """(three, more): the bits that are set in three digits' lanes of a band, and in more."""
    a, b = flags.permuted(THREE_ON), flags.permuted(SIX_ON)
    ones, twos = flags ^ a ^ b, majority(flags, a, b)
    a, b = ones.permuted(ONE_ON), ones.permuted(TWO_ON)
    ones, carried = ones ^ a ^ b, majority(ones, a, b)
    a, b = twos.permuted(ONE_ON), twos.permuted(TWO_ON)
    pairs, fours = twos ^ a ^ b, majority(twos, a, b)
    fours = fours | (pairs & carried)
    return ones & (pairs ^ carried) & ~fours, fours


def three_digits(possible: Lanes, certain: Lanes) -> tuple[Lanes, Lanes, Any]:
    """A triad holds three digits: (where the lane's digit must be, where it cannot be, whether that is impossible)."""
    three, more = count_three(possible)
    full, crowded = count_three(certain)
    enough = three | more
    wrong = enough.any_other_than(enough.by_lane(IN_USE)), crowded.any_other_than(0)
    return possible & three, possible & full & ~certain, enough.builder.or_(*wrong)


def _each(rows: Formula, function: Any) -> Formula:
    return function(rows[0]), function(rows[1]), function(rows[2])


# --- what kernels call ---


@lanewise
def infer(block: Block, base: Any) -> Any:
    """One round of all rules on the state at `base`: CHANGED, SETTLED, BROKEN or COMPLETE."""
    before: Formula = tuple(block.load(base, 3))  # type: ignore[assignment]
    rows, homeless = hidden_singles(locked(before))
    counted = [cells(row) for row in rows]
    naked = tuple(row & (one & ~two) for row, (one, two) in zip(rows, counted, strict=True))
    rows = alone(rows, naked)  # type: ignore[arg-type]
    block.store(base, rows)
    empty = [one.any_other_than(one.by_lane(IN_USE)) for one, _ in counted]
    changed = (rows[0] ^ before[0]) | (rows[1] ^ before[1]) | (rows[2] ^ before[2])
    unsettled = counted[0][1] | counted[1][1] | counted[2][1]
    return block.choose(
        [
            (block.either([homeless, *empty]), BROKEN),
            (changed.any_other_than(0), CHANGED),
            (unsettled.any_other_than(0), SETTLED),
        ],
        COMPLETE,
    )


@lanewise
def infer_triads(block: Block, base: Any) -> Any:
    """Count the digits of each mini-row and mini-column of a settled state: CHANGED, SETTLED or BROKEN."""
    before: Formula = tuple(block.load(base, 3))  # type: ignore[assignment]
    flags = [boxes(row) for row in before]
    certain = [flag & ~box_right(flag) & ~box_left(flag) for flag in flags]
    must, cannot, wrong = three_digits(
        flags[0] | (flags[1] << 1) | (flags[2] << 2), certain[0] | (certain[1] << 1) | (certain[2] << 2)
    )
    rows = []
    for i, row in enumerate(before):
        here = (must >> i) & FIRSTS
        elsewhere = (box_right(here) | box_left(here)) * 7
        rows.append(row & ~(elsewhere | (((cannot >> i) & FIRSTS) * 7)))
    own = before[0] | before[1] | before[2]
    must, cannot, wrong_too = three_digits(own, own & ~column_right(own) & ~column_left(own))
    gone = cannot | column_right(must) | column_left(must)
    rows = [row & ~gone for row in rows]
    block.store(base, rows)
    changed = (rows[0] ^ before[0]) | (rows[1] ^ before[1]) | (rows[2] ^ before[2])
    return block.choose([(block.either([wrong, wrong_too]), BROKEN), (changed.any_other_than(0), CHANGED)], SETTLED)


@lanewise
def fill_clues(block: Block, base: Any) -> Any:
    """Turn the clues at `base`, a bit each, into the state that they leave."""
    clues: Formula = tuple(block.load(base, 3))  # type: ignore[assignment]
    whole = clues[0].by_lane(IN_USE)
    rows = alone((whole, whole, whole), clues)
    block.store(base, _without_others(rows, clues))
    return block.choose([], 0)


def _without_others(rows: Formula, clues: Formula) -> Formula:
    return tuple(row & ~taken_by_others(clue) for row, clue in zip(rows, clues, strict=True))  # type: ignore[return-value]


@lanewise
def branching_point(block: Block, base: Any) -> Any:
    """Where to branch: a number whose low 5 bits are the lane and whose bit 5 says 'stack, not band'.

    The band or stack with the fewest permutations of all digits, and in it the digit with the fewest, but two at least.
    The lane of stack s is that of band s.
    """
    rows: Formula = tuple(block.load(base, 3))  # type: ignore[assignment]
    falling, rising = permutations_of_bands(rows)
    in_band = (falling | (rising << 1)).ones()
    falling, rising = permutations_of_stacks(rows)
    shift = falling.by_lane(STACK_OF_LANE)
    in_stack = (((falling >> shift) & 7) | (((rising >> shift) & 7) << 3)).ones()
    return block.lesser(_key(in_band, 0), _key(in_stack, 1))


def _key(left: Lanes, stack: int) -> Any:
    three = left + left.permuted(THREE_ON) + left.permuted(SIX_ON)
    total = three + three.permuted(ONE_ON) + three.permuted(TWO_ON)
    settled = left.equal(1) | left.equal(0)
    key = (total << 9) | (left << 6) | left.by_lane([number | (stack << 5) for number in NUMBERS])
    return (key | settled).least()


@lanewise
def split(block: Block, base: Any, child: Any, lane: Any, row: Any, mine: Any, others: Any) -> Any:
    """Two states of one: at `child` the lane keeps `mine` and loses `others`, at `base` the other way round.

    In the row `row` of the band, or in all rows for 3.
    """
    chosen = block.everywhere(0).by_lane(NUMBERS).equal(block.everywhere(lane))
    which = block.everywhere(row)
    taken, left = [], []
    for number, candidates in enumerate(block.load(base, 3)):
        here = chosen & (which.equal(number) | which.equal(3))
        taken.append(candidates & ~(here & block.everywhere(others)))
        left.append(candidates & ~(here & block.everywhere(mine)))
    block.store(child, taken)
    block.store(base, left)
    return block.choose([], 0)

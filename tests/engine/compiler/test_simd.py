"""Every operation on lanes, against the same operation in NumPy."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from puzzlelab.engine.compiler import LANES, lanewise, least_of
from puzzlelab.engine.kernels import compiled

U16 = np.uint16
ANY = st.integers(0, 2**16 - 1) | st.sampled_from([0, 1, 2**15 - 1, 2**15, 2**16 - 1])
ROWS = arrays(U16, (3, LANES), elements=ANY)
ROTATED = [*range(5, LANES), *range(5)]
SCATTERED = [(7 * lane + 3) % LANES for lane in range(LANES)]
REPEATED = [lane // 4 for lane in range(LANES)]
NUMBERS = [(lane * 40_503) % 2**16 for lane in range(LANES)]
SHIFTS = [lane % 16 for lane in range(LANES)]

BINARY = {"&": operator.and_, "|": operator.or_, "^": operator.xor, "+": operator.add, "*": operator.mul}
FORMULAS = {
    **{f"a {sign} b": function for sign, function in BINARY.items()},
    **{f"a {sign} 0xACE1": lambda a, b, sign=sign: BINARY[sign](a, 0xACE1) for sign in BINARY},
    **{f"a << {shift}": lambda a, b, shift=shift: a << shift for shift in (0, 1, 9, 15)},
    **{f"a >> {shift}": lambda a, b, shift=shift: a >> shift for shift in (0, 1, 9, 15)},
    "a << its lane's": lambda a, b: a << a.by_lane(SHIFTS),
    "a >> its lane's": lambda a, b: a >> a.by_lane(SHIFTS),
    "~a": lambda a, b: ~a,
    "by lane": lambda a, b: a.by_lane(NUMBERS),
    "rotated": lambda a, b: a.permuted(ROTATED),
    "scattered": lambda a, b: b.permuted(SCATTERED),
    "repeated": lambda a, b: a.permuted(REPEATED),
    "ones": lambda a, b: a.ones(),
    "equal to b": lambda a, b: a.equal(b),
    "equal to 7": lambda a, b: a.equal(7),
    "least of a, b, 0xACE1": lambda a, b: least_of([a, b, a.by_lane([0xACE1] * LANES)]),
    "a sum of products": lambda a, b: ((a ^ b) * 3 + (~a & b)) >> 2,
}
EXPECTED = {
    **FORMULAS,
    "a << its lane's": lambda a, b: a << np.array(SHIFTS, U16),
    "a >> its lane's": lambda a, b: a >> np.array(SHIFTS, U16),
    "by lane": lambda a, b: np.array(NUMBERS, U16),
    "rotated": lambda a, b: a[ROTATED],
    "scattered": lambda a, b: b[SCATTERED],
    "repeated": lambda a, b: a[REPEATED],
    "ones": lambda a, b: np.bitwise_count(a).astype(U16),
    "equal to b": lambda a, b: np.where(a == b, U16(0xFFFF), U16(0)),
    "equal to 7": lambda a, b: np.where(a == 7, U16(0xFFFF), U16(0)),
    "least of a, b, 0xACE1": lambda a, b: np.minimum(np.minimum(a, b), U16(0xACE1)),
}


@lanewise
def all_formulas(block, base, target):
    """Write what each formula makes of the two blocks at `base`, one after the other, from `target` on."""
    a, b = block.load(base, 2)
    block.store(target, [formula(a, b) for formula in FORMULAS.values()])
    return block.choose([], len(FORMULAS))


@lanewise
def spread(block, base, number):
    """One number in all lanes: from outside, and a constant."""
    block.store(base, [block.everywhere(number), block.everywhere(0xBEEF)])
    return block.choose([], 0)


@lanewise
def least(block, base):
    return block.load(base, 1)[0].least()


@lanewise
def judge(block, base):
    """1 where the first two blocks differ, else 2 where the third has a lane other than 9, else 3."""
    a, b, c = block.load(base, 3)
    return block.choose([((a ^ b).any(), 1), ((c ^ 9).any(), 2)], 3)


@lanewise
def nothing(block):
    """Takes no numbers beside the array."""
    return block.choose([], -7)


@compiled
def run(which, array, x, y):
    if which == 0:
        return all_formulas(array, (x, y))
    if which == 1:
        return spread(array, (x, y))
    if which == 2:
        return least(array, (x,))
    if which == 3:
        return judge(array, (x,))
    return nothing(array, ())


@given(rows=ROWS, base=st.integers(0, 40), gap=st.integers(0, 40))
def test_every_operation_is_that_of_numpy(rows, base, gap) -> None:
    target = base + 2 * LANES + gap
    array = np.full(target + len(FORMULAS) * LANES + 40, 0x5A5A, U16)
    array[base : base + 2 * LANES] = rows[:2].reshape(-1)
    before = array.copy()
    assert run(0, array, base, target) == len(FORMULAS)
    made = array[target:-40].reshape(-1, LANES)
    for name, got in zip(FORMULAS, made, strict=True):
        wanted = EXPECTED[name](rows[0], rows[1])
        assert wanted.dtype == U16
        assert got.tolist() == wanted.tolist(), name
    array[target:-40] = before[target:-40]
    assert np.array_equal(array, before)  # nothing else is written


@given(number=st.integers(-(2**63), 2**63 - 1) | ANY)
def test_one_number_fills_all_lanes_with_its_low_bits(number) -> None:
    array = np.zeros(2 * LANES, U16)
    run(1, array, 0, number)
    assert set(array[:LANES].tolist()) == {number % 2**16}
    assert set(array[LANES:].tolist()) == {0xBEEF}


@given(rows=ROWS)
def test_the_least_lane_is_found_without_a_sign(rows) -> None:
    assert [run(2, rows.reshape(-1), base, 0) for base in (0, LANES, 25)] == [
        rows.reshape(-1)[base : base + LANES].min() for base in (0, LANES, 25)
    ]


@pytest.mark.parametrize(("lane", "bit"), [(0, 0), (7, 15), (8, 0), (LANES - 1, 15)])
def test_any_lane_and_bit_makes_a_difference(lane, bit) -> None:
    array = np.zeros(3 * LANES, U16)
    array[2 * LANES :] = 9
    assert run(3, array, 0, 0) == 3
    array[2 * LANES + lane] ^= 1 << bit
    assert run(3, array, 0, 0) == 2
    array[lane] ^= 1 << bit
    assert run(3, array, 0, 0) == 1
    array[LANES + lane] ^= 1 << bit
    assert run(3, array, 0, 0) == 2


def test_a_lanewise_function_may_take_no_numbers() -> None:
    assert run(4, np.zeros(1, U16), 0, 0) == -7

"""Vector algebra for kernels: the same bit operations on 16 numbers of 16 bits at once, written as plain formulas.

Numba vectorises loops when it sees fit; a solver whose speed rests on it cannot leave that to chance. Here a formula
over `Lanes` is written down as LLVM vector code when a kernel is compiled, and LLVM fits it to the machine, whether
that has registers of 512 bits, 256 or 128. A vector has 256 bits: permutations of wider ones are slow where no register
holds them, and LLVM uses the instructions of AVX-512 for these too. A `lanewise` function is called from kernels as
`name(array, numbers)`; the array (`uint16[...]`, contiguous) holds blocks of 16 numbers, and `numbers` is a tuple of
int64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 16
_I16, _I32, _I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_VECTOR = ir.VectorType(_I16, LANES)
_WORDS = ir.VectorType(_I64, LANES // 4)


class Lanes:
    """16 numbers of 16 bits; `&`, `|`, `^`, `~`, `<<`, `>>`, `*`, `+` work on each of them."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    def _with(self, operation: Callable[..., Any], other: Lanes | int) -> Lanes:
        return Lanes(self.builder, operation(self.value, _value(other)))

    def __and__(self, other: Lanes | int) -> Lanes:
        return self._with(self.builder.and_, other)

    def __or__(self, other: Lanes | int) -> Lanes:
        return self._with(self.builder.or_, other)

    def __xor__(self, other: Lanes | int) -> Lanes:
        return self._with(self.builder.xor, other)

    def __add__(self, other: Lanes | int) -> Lanes:
        return self._with(self.builder.add, other)

    def __mul__(self, other: Lanes | int) -> Lanes:
        return self._with(self.builder.mul, other)

    def __lshift__(self, other: Lanes | int) -> Lanes:
        return self._with(self.builder.shl, other)

    def __rshift__(self, other: Lanes | int) -> Lanes:
        return self._with(self.builder.lshr, other)

    def __invert__(self) -> Lanes:
        return self ^ 0xFFFF

    def by_lane(self, numbers: Sequence[int]) -> Lanes:
        """Return a constant with its own number in each lane."""
        return Lanes(self.builder, _constant(numbers))

    def permuted(self, sources: Sequence[int]) -> Lanes:
        """Permute the lanes: lane i of the result is lane `sources[i]`."""
        order = ir.Constant(ir.VectorType(_I32, LANES), [ir.Constant(_I32, source) for source in sources])
        return Lanes(self.builder, self.builder.shuffle_vector(self.value, self.value, order))

    def ones(self) -> Lanes:
        """Return how many bits are set in each lane."""
        return Lanes(self.builder, self._call("llvm.ctpop.v16i16", _VECTOR))

    def least(self) -> Any:
        """Return the least number of all lanes, as an int64."""
        return self.builder.zext(self._call("llvm.vector.reduce.umin.v16i16", _I16), _I64)

    def _call(self, name: str, returns: Any) -> Any:
        return _call(self.builder, name, returns, self.value)

    def equal(self, other: Lanes | Any) -> Lanes:
        """Set all bits where two lanes are equal, none elsewhere."""
        same = self.builder.icmp_unsigned("==", self.value, _value(other))
        return Lanes(self.builder, self.builder.sext(same, _VECTOR))

    def any(self) -> Any:
        """Tell whether a bit is set in some lane (a truth value of LLVM)."""
        words = self.builder.bitcast(self.value, _WORDS)
        bits = _call(self.builder, "llvm.vector.reduce.or.v4i64", _I64, words)
        return self.builder.icmp_unsigned("!=", bits, ir.Constant(_I64, 0))


class Block:
    """The array that a lanewise function reads and writes, in blocks of 16 numbers."""

    def __init__(self, builder: Any, data: Any) -> None:
        self.builder, self.data = builder, data

    def _place(self, offset: Any, block: int) -> Any:
        start = self.builder.gep(self.data, [offset])
        vectors = self.builder.bitcast(start, _VECTOR.as_pointer())
        return self.builder.gep(vectors, [ir.Constant(_I64, block)])

    def load(self, offset: Any, blocks: int) -> list[Lanes]:
        """Load this number of blocks, one after the other, from this place in the array."""
        return [Lanes(self.builder, self.builder.load(self._place(offset, i), align=2)) for i in range(blocks)]

    def store(self, offset: Any, lanes: Sequence[Lanes]) -> None:
        """Write them one after the other."""
        for i, each in enumerate(lanes):
            self.builder.store(each.value, self._place(offset, i), align=2)

    def everywhere(self, number: Any) -> Lanes:
        """Put one number (int64, or a constant) into all lanes."""
        if isinstance(number, int):
            return Lanes(self.builder, _constant([number] * LANES))
        first = ir.Constant(ir.VectorType(_I32, LANES), [ir.Constant(_I32, 0)] * LANES)
        single = self.builder.insert_element(
            ir.Constant(_VECTOR, ir.Undefined), self.builder.trunc(number, _I16), ir.Constant(_I32, 0)
        )
        return Lanes(self.builder, self.builder.shuffle_vector(single, single, first))

    def choose(self, cases: Sequence[tuple[Any, int]], otherwise: int) -> Any:
        """Return the number of the first case that is true, as an int64."""
        result: Any = ir.Constant(_I64, otherwise)
        for truth, number in reversed(cases):
            result = self.builder.select(truth, ir.Constant(_I64, number), result)
        return result

    def lesser(self, a: Any, b: Any) -> Any:
        """Return the lesser of two int64 values that are not negative."""
        return self.builder.select(self.builder.icmp_unsigned("<=", a, b), a, b)


def least_of(lanes: Sequence[Lanes]) -> Lanes:
    """Return in each lane the least number of several vectors."""
    builder = lanes[0].builder
    least = lanes[0].value
    for each in lanes[1:]:
        least = _call(builder, "llvm.umin.v16i16", _VECTOR, least, each.value)
    return Lanes(builder, least)


def _call(builder: Any, name: str, returns: Any, *arguments: Any) -> Any:
    kind = ir.FunctionType(returns, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def _constant(numbers: Sequence[int]) -> Any:
    return ir.Constant(_VECTOR, [ir.Constant(_I16, number) for number in numbers])


def _value(other: Lanes | int) -> Any:
    return _constant([other] * LANES) if isinstance(other, int) else other.value


def lanewise(function: Callable[..., Any]) -> Any:
    """Return a kernel `name(array, numbers)` of a function from a `Block` and int64 values to an int64 value.

    `numbers` is a tuple of integers, such as offsets in the array.
    """

    def name(context: Any, array: Any, numbers: Any) -> Any:
        signature = types.int64(array, types.UniTuple(types.int64, len(numbers)))

        def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = target.make_array(signature.args[0])(target, builder, arguments[0]).data
            values = [builder.extract_value(arguments[1], i) for i in range(len(signature.args[1]))]
            return function(Block(builder, data), *values)

        return signature, generate

    name.__name__, name.__doc__ = function.__name__, function.__doc__
    return intrinsic(name)

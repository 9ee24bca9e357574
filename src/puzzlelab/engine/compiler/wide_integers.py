"""Unsigned integers of 64, 128 or 256 bits in kernels, so that one formula over bits serves boards of every size.

`load(array, place, like)` and `store(number, array, place)` move a number between a `uint64[...]` array and a register;
`like` is a tuple as long as the number has words. Numbers of one word are plain `uint64`; the others know `&`, `|`,
`^`, `~`, `<<`, `>>`, `==`, `!=`, and all of them `lowest` and `ones`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.core.typing.templates import signature as signature_of
from numba.extending import intrinsic, lower_builtin, register_model

WORD = 64
_I64 = ir.IntType(WORD)


class Wide(types.Type):
    """The Numba type of an integer of several words."""

    def __init__(self, words: int) -> None:
        self.words = words
        super().__init__(name=f"uint{words * WORD}")


@register_model(Wide)
class _WideModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Wide) -> None:
        super().__init__(manager, kind, ir.IntType(kind.words * WORD))


def _number(words: int) -> Any:
    return types.uint64 if words == 1 else Wide(words)


def _place(context: Any, builder: Any, kind: Any, array: Any, place: Any, words: int) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), ir.IntType(words * WORD).as_pointer())


@intrinsic
def load(context: Any, array: Any, place: Any, like: Any) -> Any:
    """Return the number whose words (the lowest first) stand in a contiguous `uint64` array from this place on."""
    words = len(like)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = _place(context, builder, signature.args[0], arguments[0], arguments[1], words)
        return builder.load(source, align=8)

    return _number(words)(array, types.int64, like), generate


@intrinsic
def store(context: Any, number: Any, array: Any, place: Any) -> Any:
    """Write the words of a number into a contiguous `uint64` array from this place on."""
    words = number.words if isinstance(number, Wide) else 1

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target = _place(context, builder, signature.args[1], arguments[1], arguments[2], words)
        builder.store(arguments[0], target, align=8)
        return context.get_dummy_value()

    return types.void(_number(words), array, types.int64), generate


@intrinsic
def prefetch(context: Any, array: Any, place: Any) -> Any:
    """Ask the memory for the part of an array around this place, an int64 or a tuple of them, which is read soon."""
    dimensions = len(place) if isinstance(place, types.BaseTuple) else 0

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        indices = cgutils.unpack_tuple(builder, arguments[1], dimensions) if dimensions else [arguments[1]]
        entries = context.make_array(signature.args[0])(context, builder, arguments[0])
        source = cgutils.get_item_pointer(context, builder, signature.args[0], entries, indices)
        bytes_, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [bytes_, i32, i32, i32])
        called = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(called, [builder.bitcast(source, bytes_), *(ir.Constant(i32, number) for number in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.UniTuple(types.int64, dimensions) if dimensions else types.int64), generate


def _counted(name: str, flags: int) -> Callable[..., Any]:
    """Return a number from a bit-counting instruction of LLVM."""

    def typed(context: Any, number: Any) -> Any:
        kind = _number(number.words if isinstance(number, Wide) else 1)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            value = arguments[0]
            bit = ir.IntType(1)
            function = ir.FunctionType(value.type, [value.type, *[bit] * flags])
            called = cgutils.get_or_insert_function(builder.module, function, f"llvm.{name}.i{value.type.width}")
            count = builder.call(called, [value, *[ir.Constant(bit, 1)] * flags])
            return count if value.type.width == WORD else builder.trunc(count, _I64)

        return types.uint64(kind), generate

    return typed


lowest = intrinsic(_counted("cttz", 1))
"""The place of the lowest bit that is set; there must be one."""
ones = intrinsic(_counted("ctpop", 0))
"""The number of bits that are set."""


def _binary(operation: Any, emit: Callable[..., Any], compares: bool = False) -> None:
    """Give an operator its meaning for two wide numbers."""

    @infer_global(operation)
    class InferredBinary(AbstractTemplate):
        def generic(self, arguments: Any, keywords: Any) -> Any:
            if len(arguments) == 2 and isinstance(arguments[0], Wide) and arguments[0] == arguments[1]:
                return signature_of(types.boolean if compares else arguments[0], *arguments)
            return None

    @lower_builtin(operation, Wide, Wide)
    def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return emit(builder, *arguments)


def _shift(operation: Any, emit: Callable[..., Any]) -> None:
    """Give an operator its meaning for a wide number that is shifted by a uint64."""

    @infer_global(operation)
    class InferredShift(AbstractTemplate):
        def generic(self, arguments: Any, keywords: Any) -> Any:
            if len(arguments) == 2 and isinstance(arguments[0], Wide) and isinstance(arguments[1], types.Integer):
                return signature_of(arguments[0], arguments[0], types.uint64)
            return None

    @lower_builtin(operation, Wide, types.uint64)
    def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return emit(builder, arguments[0], builder.zext(arguments[1], arguments[0].type))


@infer_global(operator.invert)
class _Inverted(AbstractTemplate):
    def generic(self, arguments: Any, keywords: Any) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], Wide):
            return signature_of(arguments[0], arguments[0])
        return None


@lower_builtin(operator.invert, Wide)
def _invert(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.not_(arguments[0])


_binary(operator.and_, lambda builder, a, b: builder.and_(a, b))
_binary(operator.or_, lambda builder, a, b: builder.or_(a, b))
_binary(operator.xor, lambda builder, a, b: builder.xor(a, b))
_binary(operator.eq, lambda builder, a, b: builder.icmp_unsigned("==", a, b), compares=True)
_binary(operator.ne, lambda builder, a, b: builder.icmp_unsigned("!=", a, b), compares=True)
_shift(operator.lshift, lambda builder, a, b: builder.shl(a, b))
_shift(operator.rshift, lambda builder, a, b: builder.lshr(a, b))

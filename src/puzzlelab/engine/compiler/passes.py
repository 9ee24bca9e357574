"""The compilation of kernels by Numba: the ways in which it differs from what Numba does by itself.

- A helper (`kernels.inlined`) is typed and translated to LLVM's language, and no more. Numba would optimise it and make
  machine code of it too, although all that is ever run is the copy inside the kernels that call it.
- A record (a `NamedTuple` of arrays) goes from helper to helper as one pointer. Numba would pass every number of every
  array, which for a record of forty arrays is some 300 arguments at each call.
- Machine code is kept by `machine_code`.

It uses parts of Numba that are not public: those that this module imports from `numba.core`. `TRIED` is the version
with which they were tried; `tests/engine/compiler/test_passes.py` says what to do about another one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from llvmlite import ir as llvm
from llvmlite.binding import Linkage
from numba.core import cgutils, ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.datamodel import models
from numba.core.imputils import builtin_registry
from numba.core.ir_utils import build_definitions
from numba.core.postproc import PostProcessor
from numba.core.typed_passes import NativeLowering
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.untyped_passes import IRProcessing
from numba.extending import intrinsic, register_model

from puzzlelab.engine.compiler.machine_code import described

TRIED = "0.68"
"""The version of Numba with which this was tried."""
SMALL = 750
"""Instructions, before any are optimised away, up to which a helper is always inlined. LLVM decides about larger ones:
always inlined they made kernels no faster, and compiling them longer."""


# --- helpers ----------------------------------------------------------------------------------------------------------


class HelperLibrary(JITCodeLibrary):
    """The code of a helper: linked into the kernels that call it, and optimised there."""

    def add_ir_module(self, ir_module: llvm.Module) -> None:
        """Add code; what is too large to be inlined always may be inlined, what is outlined never is."""
        for function in ir_module.functions:
            if function.blocks and "alwaysinline" not in function.attributes:
                function.attributes.add("noinline")
            elif sum(len(block.instructions) for block in function.blocks) > SMALL:
                function.attributes.discard("alwaysinline")
        super().add_ir_module(ir_module)

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel."""

    def _optimize_final_module(self) -> None:
        """Optimise once. Numba does it cheaply first, to prune the counting of references, which kernels do not do.

        What was linked in is made private to this library, so that LLVM inlines what is called from one place.
        """
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = "internal"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """The pass that translates a kernel, and makes machine code of it that can be kept."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Translate and compile."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        done: bool = super().run_pass(state)
        return done


@register_pass(mutates_CFG=True, analysis_only=False)
class HelperLowering(NativeLowering):
    """The pass that translates a helper, and makes no machine code of it."""

    _name = "helper_lowering"

    def run_pass(self, state: Any) -> bool:
        """Translate; what Python would call is a stand-in, because nothing calls a helper from outside."""
        state.library = HelperLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.flags.no_compile = False
        state.library.finalize()
        stand_in: Any = [].append  # one of its own for each helper: Numba finds their code by it
        state.targetctx.insert_user_function(stand_in, state["cr"].fndesc, [state.library])
        state["cr"] = state["cr"]._replace(cfunc=stand_in)
        return True


# --- records ----------------------------------------------------------------------------------------------------------


class RecordPointer(types.Type):
    """A record that stands somewhere in memory, and does not change while a kernel runs (its arrays' elements do)."""

    def __init__(self, record: types.BaseNamedTuple) -> None:
        self.record = record
        super().__init__(f"RecordPointer({record})")

    @property
    def key(self) -> Any:
        """Return the value that makes one type equal to another."""
        return self.record

    @property
    def instance_class(self) -> type:
        """The class of the record, by which generic names find their meaning."""
        kind: type = self.record.instance_class
        return kind

    @property
    def mangling_args(self) -> tuple[str, tuple[()]]:
        """A short name for LLVM's symbols, which tells apart what several processes compiled."""
        digest = hashlib.sha256(described(self.record).encode()).hexdigest()[:16]
        return f"RecordPointer{self.instance_class.__name__}{digest}", ()


def _short_name(kind: types.Record) -> tuple[str, tuple[()]]:
    """Return a name for LLVM's symbols that is the same in every process, and not Numba's own number of the type."""
    return f"Record{hashlib.sha256(described(kind).encode()).hexdigest()[:16]}", ()


setattr(types.Record, "mangling_args", property(_short_name))  # noqa: B010 (mypy takes it for a method)


def _is_record(kind: types.Type) -> bool:
    return isinstance(kind, types.BaseNamedTuple) and len(kind.fields) > 0


@register_model(RecordPointer)
class _PointerModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: RecordPointer) -> None:
        super().__init__(manager, kind, manager.lookup(kind.record).get_value_type().as_pointer())


@infer_getattr
class _PointerAttributes(AttributeTemplate):
    key = RecordPointer

    def generic_resolve(self, kind: RecordPointer, attribute: str) -> types.Type | None:
        record = kind.record
        if attribute not in record.fields:
            return None
        field_type = record.types[record.fields.index(attribute)]
        return RecordPointer(field_type) if _is_record(field_type) else field_type


@builtin_registry.lower_getattr_generic(RecordPointer)
def _field(context: Any, builder: Any, kind: RecordPointer, pointer: Any, attribute: str) -> Any:
    """Load a field. A record within a record is a pointer to its place."""
    index = kind.record.fields.index(attribute)
    place = cgutils.gep_inbounds(builder, pointer, 0, index)
    field_type = kind.record.types[index]
    if _is_record(field_type):
        return place
    return _loaded(builder, place)


def _loaded(builder: Any, place: Any) -> Any:
    """Return the value at a place, number by number: LLVM makes slower code of structures as values."""
    kind = place.type.pointee
    if not isinstance(kind, llvm.LiteralStructType | llvm.ArrayType):
        value = builder.load(place)
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value
    whole = llvm.Constant(kind, llvm.Undefined)
    for i in range(len(kind)):
        whole = builder.insert_value(whole, _loaded(builder, cgutils.gep_inbounds(builder, place, 0, i)), i)
    return whole


@intrinsic
def by_pointer(typing_context: Any, value: Any) -> Any:
    """Return a pointer to a copy of a record on the stack; any other value as it is."""
    if not _is_record(value):
        return value(value), lambda context, builder, signature, arguments: arguments[0]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = cgutils.alloca_once_value(builder, arguments[0])
        # An empty piece of assembler hides from LLVM where the pointer comes from. It must: loads through it are said
        # to be invariant, and without this LLVM might move them before the one store, or drop the store.
        hide = llvm.FunctionType(place.type, [place.type])
        return builder.call(llvm.InlineAsm(hide, "", "=r,0,~{memory}", side_effect=True), [place])

    return RecordPointer(value)(value), generate


@register_pass(mutates_CFG=False, analysis_only=False)
class PassByPointer(FunctionPass):
    """The pass that puts a pointer in the place of each argument that is a record, at the start of a kernel."""

    _name = "pass_by_pointer"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Turn `record = arg(0)` into `record = by_pointer(arg(0))`."""
        function = state.func_ir
        first = function.blocks[min(function.blocks)]
        body: list[Any] = []
        for statement in first.body:
            if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Arg):
                body += _wrapped(statement)
            else:
                body.append(statement)
        first.body = body
        function._definitions = build_definitions(function.blocks)
        PostProcessor(function).run()
        return True


def _wrapped(statement: ir.Assign) -> list[ir.Assign]:
    argument, target, where = statement.value, statement.target, statement.loc
    value = target.scope.redefine(f"$value.{argument.name}", where)
    name = target.scope.redefine(f"$by_pointer.{argument.name}", where)
    return [
        ir.Assign(argument, value, where),
        ir.Assign(ir.Global("by_pointer", by_pointer, where), name, where),
        ir.Assign(ir.Expr.call(name, [value], (), where), target, where),
    ]


# --- compilers --------------------------------------------------------------------------------------------------------

Pass = tuple[Any, str]
"""A class of passes, and what it does in words."""


def _passes(state: Any, name: str, changes: Mapping[Any, list[Pass]]) -> list[PassManager]:
    """Return Numba's own passes, with others in the place of some."""
    manager = PassManager(name)
    for kind, text in DefaultPassBuilder.define_nopython_pipeline(state).passes:
        for each in changes.get(kind, [(kind, text)]):
            manager.add_pass(*each)
    manager.finalize()
    return [manager]


class HelperCompiler(CompilerBase):
    """The compiler of helpers."""

    def define_pipelines(self) -> list[PassManager]:
        """Define Numba's passes, but for the last step."""
        return _passes(self.state, "helper", {NativeLowering: [(HelperLowering, "translate a helper")]})


class KernelCompiler(CompilerBase):
    """The compiler of kernels."""

    def define_pipelines(self) -> list[PassManager]:
        """Define Numba's passes, with records turned into pointers."""
        changes = {
            IRProcessing: [(IRProcessing, "process the IR"), (PassByPointer, "pass records by pointer")],
            NativeLowering: [(KernelLowering, "translate a kernel")],
        }
        return _passes(self.state, "kernel", changes)

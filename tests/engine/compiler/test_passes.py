"""Kernels that Numba compiles in our way do what the same functions do as plain Python."""

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.typed_passes import NativeLowering

from puzzlelab.engine.compiler import dispatcher, passes
from puzzlelab.engine.kernels import compiled, inlined


class Inner(NamedTuple):
    """A record within a record."""

    grid: np.ndarray
    """[2, 3]."""
    shift: int


class Outer(NamedTuple):
    """What the kernels of this file are given."""

    numbers: np.ndarray
    inner: Inner
    pair: tuple[int, float]
    flag: bool


@inlined
def weight(inner, row, column):
    return inner.grid[row, column] << inner.shift


@inlined
def bump(record):
    record.numbers[0] += 1
    record.numbers[-1] -= 1


@compiled
def total(record, factor):
    bump(record)
    found = factor * record.numbers.sum() if record.flag else 0
    for row in range(record.inner.grid.shape[0]):
        for column in range(record.inner.grid.shape[1]):
            found += weight(record.inner, row, column)
    return found + record.pair[0] * record.pair[1] + len(record.numbers)


@compiled
def twice(record, factor):
    """Calls another kernel, which is given the pointer."""
    return total(record, factor) + total(record, factor)


def example(order: str = "C") -> Outer:
    grid = np.array(np.arange(6).reshape(2, 3), order=order)
    return Outer(np.arange(5), Inner(grid, 2), (3, 0.5), True)


@pytest.mark.parametrize("kernel", [total, twice])
@pytest.mark.parametrize("order", ["C", "F"])
def test_records_by_pointer_hold_what_they_held(kernel, order: str) -> None:
    ours, theirs = example(order), example(order)
    for _ in range(3):
        assert kernel(ours, 7) == kernel.py_func(theirs, 7)
    assert ours.numbers.tolist() == theirs.numbers.tolist()
    assert ours.numbers[0] == (6 if kernel is twice else 3)


class Record(NamedTuple):
    """A record whose tables may be of any type, as those of searches are."""

    tables: Any


def test_records_of_one_class_with_other_fields_have_symbols_of_their_own() -> None:
    """Their code may come from two processes that numbered it alike, and is then told apart by this name alone."""
    kinds = [passes.RecordPointer(numba.typeof(Record(np.zeros(1, kind)))) for kind in (np.int64, np.uint8)]
    kinds += [
        passes.RecordPointer(numba.typeof(Record((0,)))),
        passes.RecordPointer(numba.typeof(Record((0, 0)))),
    ]
    assert len({kind.mangling_args for kind in kinds}) == len(kinds)


def test_a_helper_has_no_machine_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "kernel_folder", lambda: None)  # or an earlier run's kernel would be found there
    monkeypatch.setattr(dispatcher, "pack", lambda: None)
    lowered = []
    before = NativeLowering.run_pass

    def run_pass(self, state):
        done = before(self, state)
        lowered.append((state.func_id.func_name, state.library))
        return done

    monkeypatch.setattr(NativeLowering, "run_pass", run_pass)

    @inlined
    def helper(x):
        return x + 1

    @compiled
    def kernel(x):
        return helper(x) * 2

    assert kernel(4) == 10
    assert [(name, library._object_caching_enabled) for name, library in lowered] == [
        ("helper", False),
        ("kernel", True),
    ]


def test_numba_is_the_version_that_was_tried() -> None:
    assert numba.__version__.startswith(f"{passes.TRIED}."), (
        f"Numba {numba.__version__} is not the {passes.TRIED} with which puzzlelab.engine.compiler "
        "was tried, which uses private parts of it. Run make test and make test-slow, and compare "
        "benchmarks/start.py "
        "and benchmarks/speed.py with the figures in docs/performance.md. If all is well, raise TRIED there, the "
        "bounds of numba in pyproject.toml, and its version in constraints.txt."
    )

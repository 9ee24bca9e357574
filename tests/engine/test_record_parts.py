"""The counts and flags of a search are read and written by name, in Python and in kernels."""

import numba
import numpy as np
import pytest

from puzzlelab.engine.kernels import compiled
from puzzlelab.engine.record_parts import control_type, new_control, reset

KIND = control_type("depth proves")


@compiled
def descend(control, steps):
    control.depth += steps
    return control.depth if control.proves else np.int64(-1)


def test_a_control_begins_without_a_solution() -> None:
    control = new_control(KIND, proves=True)
    assert control.item() == (0, 0, 0, -1, 0, 0, 1)


def test_python_and_kernels_share_its_numbers() -> None:
    control = new_control(KIND, depth=2, proves=True)
    assert descend(control, 3) == 5
    control.depth += 1
    assert (descend(control, 1), int(control.depth)) == (7, 7)


def test_a_control_can_be_reset() -> None:
    control = new_control(KIND, depth=2, bound=9)
    reset(control, proves=1)
    assert control.item() == new_control(KIND, proves=True).item()


def test_an_unknown_name_is_refused() -> None:
    control = new_control(KIND)
    with pytest.raises(AttributeError):
        _ = control.dept
    with pytest.raises(ValueError, match="dept"):
        control.dept = 1
    with pytest.raises(ValueError, match="dept"):
        new_control(KIND, dept=1)


def test_controls_with_other_names_have_symbols_of_their_own() -> None:
    kinds = [numba.typeof(new_control(control_type(own))) for own in ("depth", "depth proves", "proves")]
    names = [kind.mangling_args[0] for kind in kinds]
    assert len(set(names)) == 3

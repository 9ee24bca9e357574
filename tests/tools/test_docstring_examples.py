"""Every public function and class has an example in its docstring, which gives what it says."""

import doctest
import inspect

import numpy as np
import pytest

import puzzlelab

NAMES = [name for name in puzzlelab.__all__ if name not in ("State", "__version__")]


@pytest.mark.parametrize("name", NAMES)
def test_the_example_in_a_docstring_runs(name):
    text = inspect.getdoc(getattr(puzzlelab, name))
    test = doctest.DocTestParser().get_doctest(text, {"puzzlelab": puzzlelab, "np": np}, name, name, 0)
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0

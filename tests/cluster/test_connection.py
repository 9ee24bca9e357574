"""What needs no cluster: the names of executors, and a sentence where there is none."""

import sys

import pytest

from puzzlelab.cluster import open_executor
from puzzlelab.cluster.versions import difference, probe, versions_here
from puzzlelab.core.errors import BadInput, UnknownName
from puzzlelab.engine.worker import KEPT_VALUES, value_of


@pytest.mark.parametrize("name", ["", "clsuter", "local:2", "rayy"])
def test_an_unknown_executor_is_an_error_that_names_the_known_ones(name):
    with pytest.raises(UnknownName, match="there is no executor"):
        open_executor(name)


def test_without_ray_a_sentence_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        BadInput, match=r"a cluster needs ray, which is not installed: pip install 'puzzlelab\[cluster\]'"
    ):
        open_executor("ray")


def test_versions_of_this_process_agree_with_its_own_probe():
    here = versions_here()
    assert probe()() == here
    assert difference(here, here) == ""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"numba": "0.1"}, "has numba 0.1, and this process has numba"),
        ({"Python": "3.99.1"}, "has Python 3.99.1, and this process has Python 3"),
        ({"puzzlelab": ""}, "has no puzzlelab, and this process has puzzlelab"),
        ({"puzzlelab's sources": "abc"}, "has other sources of puzzlelab"),
    ],
)
def test_a_node_with_another_version_is_told_apart(change, sentence):
    here = versions_here()
    assert difference({**here, **change}, here).startswith(sentence)


def test_a_process_fetches_a_published_value_once_while_it_keeps_it():
    fetched = []

    def value(key):
        return value_of(key, lambda: fetched.append(key) or key.upper())

    assert [value("a"), value("a"), value("b")] == ["A", "A", "B"]
    assert fetched == ["a", "b"]
    for number in range(KEPT_VALUES):
        value(str(number))
    value("a")
    assert fetched[-1] == "a"

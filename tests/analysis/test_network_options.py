"""Which option makes a solver ask a network."""

from dataclasses import dataclass

import pytest

from puzzlelab import load, solver
from puzzlelab.analysis.network_options import named, network_options, with_network, with_options
from puzzlelab.core.errors import BadOption
from puzzlelab.storage import networks

PUZZLE = load("dust-4x3x3")


@dataclass
class Tells:
    """A network of which nothing but its heads is asked."""

    heads: tuple[str, ...]
    name: str = "0123456789abcdef"
    values_count_moves: bool = True


@pytest.fixture
def network(monkeypatch):
    """Puts a network with these heads in the place of every one; returns the names that were asked for."""
    found = []

    def put(*heads):
        monkeypatch.setattr(networks, "find", lambda puzzle, name=None: found.append(name) or Tells(heads))
        return found

    return put


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("best", "net"),
        ("net", "net"),
        ("dust-8x6x5", "net:dust-8x6x5"),
        ("net:3f2a", "net:3f2a"),
        ("nets/mine.safetensors", "net:nets/mine.safetensors"),
        ("3f2a:averaged", "net:3f2a:averaged"),
    ],
)
def test_a_network_is_named_with_or_without_the_prefix(text, option):
    assert named(text) == option


@pytest.mark.parametrize(
    ("heads", "known", "options"),
    [
        (("policy", "cost_to_go"), ("estimate", "prior"), {"estimate": "net:x"}),
        (("cost_to_go",), ("estimate", "prior"), {"estimate": "net:x"}),
        (("policy",), ("estimate", "prior"), {"prior": "net:x"}),
        (("q",), ("estimate", "prior"), {"prior": "net:x"}),
        (("policy", "cost_to_go"), ("prior", "width"), {"prior": "net:x"}),
        (("cost_to_go",), ("estimate",), {"estimate": "net:x"}),
        (("q",), ("estimate",), {"estimate": "net:x"}),
    ],
)
def test_what_a_network_tells_decides(network, heads, known, options):
    assert network(*heads) == []
    assert network_options(PUZZLE, "toy", known, "x") == options


@pytest.mark.parametrize(
    ("heads", "known", "sentence"),
    [
        (("policy",), ("estimate",), "the network 'x' does not predict how many moves remain, which toy needs"),
        (("cost_to_go",), ("prior",), "does not predict which moves are good, which toy needs"),
        ((), ("estimate", "prior"), "does not predict how many moves remain or which moves are good"),
        (("policy",), ("width",), "toy cannot use a network: it has neither an estimate nor a prior"),
    ],
)
def test_what_does_not_fit_is_told(network, heads, known, sentence):
    network(*heads)
    with pytest.raises(BadOption, match=sentence):
        network_options(PUZZLE, "toy", known, "x")


def test_values_of_moves_that_count_no_moves_are_no_estimate(monkeypatch):
    monkeypatch.setattr(networks, "find", lambda puzzle, name=None: Tells(("q",), values_count_moves=False))
    assert network_options(PUZZLE, "toy", ("estimate", "prior"), "x") == {"prior": "net:x"}
    with pytest.raises(BadOption, match="does not predict how many moves remain, which toy needs"):
        network_options(PUZZLE, "toy", ("estimate",), "x")


def test_a_solver_keeps_what_it_was_given():
    beam = solver("beam", width=7)
    assert with_options(beam, {"width": 3, "estimate": "colours"}) == solver("beam", width=7, estimate="colours")
    with pytest.raises(BadOption, match="beam has no option 'widht'"):
        with_options(beam, {"widht": 3})


def test_a_solver_that_was_told_what_to_ask_asks_that(network):
    asked = network("cost_to_go", "policy")
    assert with_network(PUZZLE, solver("beam", width=7), "x") == solver("beam", width=7, estimate="net:x")
    assert asked == ["net:x"]
    assert with_network(PUZZLE, solver("beam", estimate="colours"), "x") is None
    assert with_network(PUZZLE, solver("bfs"), "x") is None
    assert asked == ["net:x"]


def test_net_alone_in_a_text_is_the_network_that_is_named(network):
    network("cost_to_go", "policy")
    both = solver("greedy", estimate="net", prior="net", max_moves=9)
    assert with_network(PUZZLE, both, "x") == solver("greedy", estimate="net:x", prior="net:x", max_moves=9)
    only_one = solver("greedy", estimate="colours", prior="net")
    assert with_network(PUZZLE, only_one, "x") == solver("greedy", estimate="colours", prior="net:x")
    assert with_network(PUZZLE, both, "best") == both
    averaged = solver("greedy", prior="net:averaged")
    assert with_network(PUZZLE, averaged, "x") == solver("greedy", prior="net:x:averaged")
    assert with_network(PUZZLE, averaged, "x:averaged") == solver("greedy", prior="net:x:averaged")
    assert with_network(PUZZLE, averaged, "best") == averaged
    assert with_network(PUZZLE, only_one, "x:averaged") == solver("greedy", estimate="colours", prior="net:x:averaged")
    assert with_network(PUZZLE, solver("greedy", prior="net:y"), "x") is None

"""Results in the card of a network, with the words that measure them again."""

import json

import pytest

pytest.importorskip("torch")

from puzzlelab.core import registry
from puzzlelab.nets import checkpoint
from puzzlelab.nets.network import read_network
from puzzlelab.nets.torch_model import TorchModel

BOARDS = "# puzzle: tiles-2x3\n1 2 3 4 0 5\t1\topt\n1 2 3 0 4 5\t2\topt\n"


@pytest.fixture
def network(tmp_path):
    """The path of a small network without its endings."""
    puzzle = registry.load("tiles-2x3")
    settings = read_network({"kind": "dense", "width": 8, "depth": 1})
    card = checkpoint.save(tmp_path, TorchModel(puzzle, settings, settings.build(puzzle)))
    return tmp_path / card.name


@pytest.fixture
def boards(tmp_path):
    """A suite of two boards."""
    path = tmp_path / "two.txt"
    path.write_text(BOARDS)
    return path


def bench(monkeypatch, *words):
    from puzzlelab.cli.main import run

    monkeypatch.setattr("sys.argv", ["puzzlelab", "bench", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        run()
    return ended.value.code


def measured(network):
    return json.loads(network.with_suffix(".json").read_text())["measured"]


def test_results_stand_in_the_card_and_new_ones_take_their_place(monkeypatch, network, boards, tmp_path) -> None:
    solver = f"beam:width=5:estimate=net:{network}"
    words = ("tiles-2x3", boards, "--with", solver, "--card", "--out", tmp_path / "rows")
    assert bench(monkeypatch, *words) == 0
    assert bench(monkeypatch, *words) == 0
    (result,) = measured(network)
    assert result["solver"] == "beam:estimate=net:width=5"
    assert (result["boards"], result["solved"], result["optimal"], result["moves"]) == (2, 2, 1.0, 1.5)
    assert result["command"] == "puzzlelab bench tiles-2x3 two.txt --with beam:width=5:estimate=net"
    assert bench(monkeypatch, "tiles-2x3", boards, "--with", f"greedy:prior=net:{network}:averaged", "--card") in (0, 1)
    assert [each["solver"] for each in measured(network)] == [
        "beam:estimate=net:width=5",
        "greedy:prior=net:averaged",
    ]


def test_a_network_that_is_named_by_an_option_is_called_best(monkeypatch, network, boards) -> None:
    bench(monkeypatch, "tiles-2x3", boards, "--net", network, "--max-moves", 9, "--card")
    (result,) = measured(network)
    assert result["command"] == "puzzlelab bench tiles-2x3 two.txt --net best --max-moves 9"
    assert result["max_moves"] == 9


def test_without_a_network_there_is_no_card(monkeypatch, boards, capsys) -> None:
    assert bench(monkeypatch, "tiles-2x3", boards, "--with", "ida", "--card") == 2
    assert "--card is for solvers that use a network" in capsys.readouterr().err


def test_a_network_of_the_package_keeps_its_name(monkeypatch, network, boards, tmp_path) -> None:
    from puzzlelab.nets import model_zoo
    from puzzlelab.storage import networks

    for ending in (".json", ".onnx", ".safetensors"):
        network.with_suffix(ending).rename(tmp_path / f"tiles-2x3-odd{ending}")
    monkeypatch.setattr(networks, "SHELF", tmp_path)
    monkeypatch.setattr(model_zoo, "SHELF", tmp_path)
    model_zoo.shipped.cache_clear()
    try:
        assert bench(monkeypatch, "tiles-2x3", boards, "--with", "greedy", "--net", "tiles-2x3-odd", "--card") in (0, 1)
    finally:
        model_zoo.shipped.cache_clear()
    (result,) = measured(tmp_path / "tiles-2x3-odd")
    assert result["command"] == "puzzlelab bench tiles-2x3 two.txt --with greedy --net tiles-2x3-odd"
    assert "net:tiles-2x3-odd" in result["solver"]

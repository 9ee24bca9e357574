"""`export`, and networks of other programs in the commands that take a network."""

import json
import os
import subprocess
import sys

import numpy as np
import onnxruntime
import pytest

from puzzlelab import load
from puzzlelab.core.views import Planes
from puzzlelab.nets import onnx_model
from puzzlelab.version import PACKAGE

SHIPPED = PACKAGE / "pretrained" / "tiles-3x3.onnx"
BOARD = "1 2 3 4 5 6 7 0 8"
DISTANCE = """
<ir_version: 9, opset_import: ["": 17]> other (float[boards, 9] states) => (float[boards, 1] cost_to_go)
<float[9] goal = {1, 2, 3, 4, 5, 6, 7, 8, 0}>
{
    difference = Sub (states, goal)
    square = Mul (difference, difference)
    cost_to_go = ReduceSum <keepdims = 1> (square, axis)
}
"""
"""A network that is no network: the sum of squared differences from the goal."""


@pytest.fixture
def foreign(tmp_path):
    """The file of a network of another program, which leads to the goal."""
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "other.onnx"
    text = DISTANCE.replace("<float[9] goal", "<int64[1] axis = {1}, float[9] goal")
    path.write_bytes(onnx.parser.parse_model(text).SerializeToString())
    return path


# --- what is written --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tiles-3x3", "net:tiles-3x3", SHIPPED, SHIPPED.with_suffix(".json")])
def test_a_network_of_the_package_is_copied(program, tmp_path, name) -> None:
    file = tmp_path / "copy.onnx"
    code, out, err = program("export", name, "--to", "onnx", file)
    assert (code, err) == (0, "")
    assert file.read_bytes() == SHIPPED.read_bytes()
    assert "for tiles-3x3, 1,142,913 bytes" in out
    lines = [line.split() for line in out.splitlines()[1:]]
    assert lines[1:] == [
        ["input", "planes", "float32", "[boards,", "72]"],
        ["output", "policy", "float32", "[boards,", "4]"],
        ["output", "cost_to_go", "float32", "[boards]"],
    ]


def test_the_folder_of_a_run_stands_for_its_best_network(program, tmp_path) -> None:
    name = json.loads(SHIPPED.with_suffix(".json").read_text())["name"]
    nets = tmp_path / "run" / "nets"
    nets.mkdir(parents=True)
    for ending in (".onnx", ".json"):
        (nets / f"{name}{ending}").write_bytes(SHIPPED.with_suffix(ending).read_bytes())
    (tmp_path / "run" / "champion").write_text(f"{name}\n")
    assert program("export", tmp_path / "run", tmp_path / "copy.onnx")[0] == 0
    assert (tmp_path / "copy.onnx").read_bytes() == SHIPPED.read_bytes()


def test_another_program_evaluates_it(program, tmp_path) -> None:
    program("export", "tiles-3x3", tmp_path / "copy.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "copy.onnx", providers=["CPUExecutionProvider"])
    puzzle = load("tiles-3x3")
    states = puzzle.read(BOARD).state[None]
    planes = puzzle.view(Planes).planes(states)
    policy, cost = session.run(["policy", "cost_to_go"], {"planes": planes})
    outputs = onnx_model.load(SHIPPED)[0].outputs(states)
    assert np.allclose(policy, outputs["policy"], 1e-4, 1e-4)
    assert np.allclose(cost, outputs["cost_to_go"], 1e-4, 1e-4)


def test_a_file_of_something_else_is_never_replaced(program, tmp_path) -> None:
    file = tmp_path / "copy.onnx"
    for content in (b"my notes", SHIPPED.with_name("tiles-3x3-dqn.onnx").read_bytes()):
        file.write_bytes(content)
        code, _, err = program("export", "tiles-3x3", file)
        assert (code, file.read_bytes()) == (2, content)
        assert "copy.onnx exists already, and holds something else: give another name, or remove it first" in err


def test_the_same_network_is_written_again(program, tmp_path) -> None:
    file = tmp_path / "copy.onnx"
    file.write_bytes(b"")  # what a killed program may leave
    assert program("export", "tiles-3x3", file)[0] == 0
    before = file.stat()
    assert program("export", "tiles-3x3", file)[0] == 0
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    data = SHIPPED.read_bytes()[: -len(onnx_model.SEAL) - onnx_model.DIGITS]
    entry = b"\x72\x08\x0a\x01x\x12\x03yes"  # as another version of the libraries might write it
    file.write_bytes(onnx_model.sealed(data + entry))
    assert program("export", "tiles-3x3", file)[0] == 0
    assert file.read_bytes() == SHIPPED.read_bytes()


@pytest.mark.slow
def test_onnx_runtime_sends_and_keeps_nothing(tmp_path) -> None:
    suppressing = ("CI", "GITHUB_ACTIONS", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS", "TF_BUILD", "GITLAB_CI")
    places = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_DATA_HOME", "LOCALAPPDATA")}
    environment = {name: value for name, value in os.environ.items() if name not in suppressing} | places
    code = "import sys, pathlib; from puzzlelab.nets import onnx_model; onnx_model.read(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, SHIPPED], env=environment, check=True)
    assert [path for path in tmp_path.rglob("*") if "Microsoft" in path.parts or path.name == ".ses"] == []


# --- 8 bits -----------------------------------------------------------------------------------------------------------


def test_int8_is_another_network_that_names_its_source(program, tmp_path) -> None:
    pytest.importorskip("onnx")
    source = json.loads(SHIPPED.with_suffix(".json").read_text())["name"]
    file, again = tmp_path / "int8.onnx", tmp_path / "again.onnx"
    code, out, err = program("export", "tiles-3x3", "--precision", "int8", file)
    assert (code, err) == (0, "")
    assert f"int8 from the network {source}" in out
    assert len(file.read_bytes()) < 0.4 * SHIPPED.stat().st_size
    network = onnx_model.read(file)
    assert (network.card.quantised_from, network.name != source) == (source, True)
    assert program("export", file, again)[0] == 0
    code, _, err = program("export", file, again, "--precision", "int8")
    assert (code, "has weights of 8 bits already" in err) == (2, True)
    code, out, _ = program("solve", "tiles-3x3", BOARD, "--net", file, "--json")
    assert (code, json.loads(out)["net"]) == (0, network.name)


def test_int8_without_its_library(program, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    code, _, err = program("export", "tiles-3x3", tmp_path / "int8.onnx", "--precision", "int8")
    assert (code, "int8 needs onnx, which is not installed: pip install 'puzzlelab[learn]'" in err) == (2, True)
    assert program("export", "tiles-3x3", tmp_path / "copy.onnx")[0] == 0


# --- networks of other programs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["greedy", "astar", "beam"])
def test_a_network_of_another_program_solves(program, foreign, solver) -> None:
    code, out, err = program("solve", "tiles-3x3", BOARD, "--with", solver, "--net", foreign, "--json")
    assert (code, err) == (0, "")
    row = json.loads(out)
    assert (row["length"], row["net"]) == (1, onnx_model.read(foreign).name)


def test_it_is_an_estimate_wherever_estimates_are_named(program, foreign, tmp_path) -> None:
    name = f"net:{foreign}"
    assert program("solve", "tiles-3x3", BOARD, "--with", "greedy", "--estimate", name)[0] == 0
    boards = tmp_path / "boards.txt"
    boards.write_text(f"# puzzle: tiles-3x3\n{BOARD}\t1\topt\n")
    code, out, err = program("bench", boards, "--with", f"greedy:estimate={name},beam:width=3:estimate={name}")
    assert (code, "1/1" in out) == (0, True), err


def test_it_is_copied_by_export(program, foreign, tmp_path) -> None:
    code, out, _ = program("export", foreign, tmp_path / "copy.onnx")
    assert (code, "a network of another program" in out) == (0, True)
    assert (tmp_path / "copy.onnx").read_bytes() == foreign.read_bytes()


@pytest.mark.parametrize("words", [("solve", "tiles-4x4", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15"), ("list",)])
def test_it_is_refused_where_it_does_not_fit(program, foreign, words) -> None:
    option = ("--net", foreign) if words[0] == "solve" else (f"net:{foreign}",)
    code, out, err = program(*words, *option)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1

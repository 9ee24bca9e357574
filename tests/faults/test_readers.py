"""Hostile texts and files: every command and reader answers, or refuses its input by an error of its own."""

from __future__ import annotations

import io
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest
from hostile import inputs
from hypothesis import HealthCheck, Phase, given, settings
from lab import Lab
from programs import BAD_WORDS

from puzzlelab.cli.main import run
from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput, CorruptData
from puzzlelab.core.puzzle import Puzzle, State, presentation_of
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import Samples, scale_of
from puzzlelab.version import PACKAGE

INPUTS = 100
"""Inputs of one reader in a run."""
BOARDS = (
    "tiles-2x2", "tiles-3x3", "tiles-12x12", "tiles-3x3:blank-first", "dust-4x3x3", "dust-8x6x5", "dust-16x16x2",
    "sudoku-4x4", "sudoku-6x6:boxes=3x2", "sudoku-9x9",
)  # fmt: skip
FEW_NODES = ("--nodes", "20", "--json")
TINY = ("solve", "tiles-2x2", "1 2 3 0", *FEW_NODES)
Read = Callable[[bytes, Path], object]
"""Reads bytes with a folder for files; raises an error of puzzlelab's own where they mean nothing."""


def call(*words: object) -> None:
    """Run a command in this process; it must end with an exit code that is documented, and without a traceback."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
        patch.setattr(sys, "argv", ["puzzlelab", *map(str, words)])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        patch.setenv("PYTHONSAFEPATH", "")
        with pytest.raises(SystemExit) as ended:
            run()
    assert ended.value.code in (0, 1, 2)
    assert not any(word in said.getvalue() for word in BAD_WORDS)


# --- commands -------------------------------------------------------------------------------------------------------


def sampled(puzzle: Puzzle) -> list[State]:
    """Return some boards of a puzzle: examples, random ones, or one with a single clue where it has neither."""
    samples = puzzle.view(Samples)
    states = [puzzle.read(name).state for name in presentation_of(puzzle).examples][:4]
    if samples and samples.scales:
        states += [scale_of(puzzle)[1].sample(generator(number), None, 1)[0] for number in range(4)]
    return states or [puzzle.read("1" + "." * (int(puzzle.name.partition(":")[0].rpartition("x")[2]) ** 2 - 1)).state]


def notations(puzzle: Puzzle) -> Iterator[str]:
    """Yield boards in the ways in which they are read."""
    for state in sampled(puzzle):
        text, numbers = puzzle.write(state), state.tolist()
        yield from (text, puzzle.draw(state), str(numbers), text.replace(" ", ","), f"{text} {text}")


def files_of(puzzle: Puzzle) -> Iterator[str]:
    """Yield files of boards: with their puzzle, drawn, and as CSV."""
    lines = "\n".join(f"{puzzle.write(state)}\t{20 + number}\topt" for number, state in enumerate(sampled(puzzle)))
    yield f"# puzzle: {puzzle.name}\n{lines}\n"
    yield "\ufeff" + "\n\n".join(map(puzzle.draw, sampled(puzzle)))
    yield f"puzzle,solution\n{lines}\n".replace("\t", ",")


TEXTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "puzzle": (("check", "{}", "1"), (*BOARDS, "tiles-2x3:goal=5,1,2,0,4,3", "sudoku-12x12:boxes=3x4")),
    "solver": ((*TINY, "--with", "{}"), (
        "ida", "bfs", "astar:weight=2:estimate=pdb", "beam:width=10:estimate=manhattan", "depth-first:depth=40",
        "portfolio:solvers=ida", "uct:playouts=50:prior=net")),
    "option": ((*TINY, "--with", "astar", "--set", "{}"), ("weight=2", "estimate=pdb", 'estimate="net"')),
    "estimate": ((*TINY, "--estimate", "{}"), ("manhattan", "pdb", "pdb:1,2/3", "net:tiles-3x3:averaged")),
    "level": (("generate", "tiles-2x2", "--count", "2", "--level", "{}"), ("1-3", "2")),
    "memory": ((*TINY, "--memory", "{}"), ("2G", "512MiB", "4000000000")),
}  # fmt: skip
"""What is read -> (a command with a place for the text, valid texts)."""


def read_text(words: tuple[str, ...]) -> Read:
    """Give a text to a command, as an argument: Python keeps what is no UTF-8 as surrogates."""

    def read(data: bytes, folder: Path) -> None:
        text = data.replace(b"\0", b"").decode("utf-8", "surrogateescape")
        call(*(text if word == "{}" else word for word in words))

    return read


def read_file(*words: str, name: str = "boards.txt") -> Read:
    """Give a file to a command."""

    def read(data: bytes, folder: Path) -> None:
        (folder / name).write_bytes(data)
        call(*(folder / name if word == "{}" else word for word in words))

    return read


def rows() -> list[bytes]:
    """Return files of rows: solved boards of each family, and unsolvable ones."""
    boards = {"tiles-3x3": ("1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 8 7 0"), "dust-4x3x3": ("331233122213",),
              "sudoku-4x4": ("1...............", "11..............")}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for name, texts in boards.items():
            for text in texts:
                call("solve", name, text, "--out", f"{folder}/{name}.jsonl")
        files = [path.read_bytes() for path in sorted(Path(folder).glob("*.jsonl"))]
    return [*files, b"".join(files)]


@cache
def network() -> dict[str, bytes]:
    """Return the files of a small network by their endings."""
    import torch

    from puzzlelab.nets import checkpoint
    from puzzlelab.nets.network import read_network
    from puzzlelab.nets.torch_model import TorchModel

    puzzle, small = registry.load("tiles-2x3"), read_network({"kind": "dense", "width": 8, "depth": 1})
    model = TorchModel(puzzle, small, small.build(puzzle), "", torch.device("cpu"))
    with tempfile.TemporaryDirectory() as name:
        checkpoint.save(Path(name), model, "net")
        return {end: (Path(name) / f"net{end}").read_bytes() for end in (".safetensors", ".json", ".onnx")}


def read_network_file(ending: str, is_sealed: bool = False) -> Read:
    """Search with a network one of whose files is changed, and load its weights."""

    def read(data: bytes, folder: Path) -> None:
        from puzzlelab.nets import checkpoint
        from puzzlelab.nets.onnx_model import DIGITS, SEAL, sealed

        if is_sealed:  # with the right checksum, whatever it holds
            place = data.rfind(SEAL)
            data = sealed(data[: place if place == len(data) - len(SEAL) - DIGITS else len(data)])
        for end, content in network().items():
            (folder / f"net{end}").write_bytes(data if end == ending else content)
        call("solve", "tiles-2x3", "1 2 3 4 0 5", "--with", "greedy", "--net", folder / "net", *FEW_NODES)
        checkpoint.load(folder / "net.safetensors")

    return read


@cache
def parted_network() -> dict[str, bytes]:
    """Return the files of a network of another program by their endings: its weights stand in a file beside it."""
    import onnx

    model = onnx.load_model_from_string(network()[".onnx"])
    del model.metadata_props[:]
    model.producer_name = ""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "net.onnx"
        onnx.save_model(model, path, save_as_external_data=True, location="net.onnx.data", size_threshold=0)
        return {end: path.with_suffix(end).read_bytes() for end in (".onnx", ".onnx.data")}


def read_parted_network(data: bytes, folder: Path) -> None:
    """Search with a network of another program, which was changed and has weights in a file beside it."""
    (folder / "net.onnx").write_bytes(data)
    (folder / "net.onnx.data").write_bytes(parted_network()[".onnx.data"])
    call("solve", "tiles-2x3", "1 2 3 4 0 5", "--with", "greedy", "--net", folder / "net.onnx", *FEW_NODES)


def read_run_file(name: str) -> Read:
    """Show the status of a run of self-play one of whose files is changed."""

    def read(data: bytes, folder: Path) -> None:
        (folder / "run" / name).write_bytes(data)
        call("selfplay", "status", folder / "run")

    return read


def read_suite(data: bytes, folder: Path) -> None:
    """Read a file of boards for `bench`, whose puzzle is guessed, and store it as a suite."""
    from puzzlelab.bench import suites

    (folder / "suite.txt").write_bytes(data)
    suite = suites.read(folder / "suite.txt")
    assert all(suite.instance(entry) for entry in suite.entries)
    shutil.rmtree(folder / "out", ignore_errors=True)
    suites.save(suite, folder / "out")
    assert suites.read_stored(folder / "out").hash == suite.hash


# --- settings, samples, the cache -----------------------------------------------------------------------------------


def read_recipe(data: bytes, folder: Path) -> None:
    """Read the file of `train --config` and write its settings as those of a run."""
    from puzzlelab.training import recipe
    from puzzlelab.training.runs import Run, read_toml

    (folder / "recipe.toml").write_bytes(data)
    values = read_toml(folder / "recipe.toml")
    made = recipe.settings_of(str(values.get("recipe")), values)
    recipe.find(str(values.get("recipe"))).check(made)
    shutil.rmtree(folder / "begun", ignore_errors=True)
    begun = Run(folder / "begun")
    begun.begin(made)
    assert type(made)(**begun.saved_settings()) == made


def shard() -> bytes:
    """Return a shard of a teacher's samples."""
    from puzzlelab.experience import shards
    from puzzlelab.experience.schema import TrainingSamples

    count = 12
    state = np.stack([np.random.default_rng(n).permutation(6) for n in range(count)]).astype(np.uint8)
    game, left = np.arange(count, dtype=np.int64) // 3, np.arange(count, dtype=np.uint16)
    moves, proven = np.full((count, 1), 5, np.uint8), np.ones(count, np.bool_)
    samples = TrainingSamples(state=state, game=game, remaining=left, moves=moves, proven=proven)
    return shards.encoded(samples, {"solver": "ida", "games": [0, 4]})


def read_shard(data: bytes, folder: Path) -> None:
    """Read a shard; written and read again it has the same samples."""
    from puzzlelab.experience import shards
    from puzzlelab.experience.schema import TrainingSamples, from_table, to_table

    path = shards.shard_path(folder, 0)
    path.write_bytes(data)
    shards.facts(path)
    read: Any = shards.read_shard(path, TrainingSamples)
    again = from_table(to_table(read, {}), TrainingSamples)
    assert all(np.array_equal(again.columns[name], column) for name, column in read.columns.items())


def read_table(data: bytes, folder: Path) -> None:
    """Read a table of the cache whose checksum is right, whatever it holds."""
    from puzzlelab.engine import table_cache

    path = folder / "table.npy"
    path.write_bytes(data)
    card = {"crc32": table_cache.checksum(path), "name": path.stem}
    path.with_suffix(".json").write_text(json.dumps(card))
    with suppress(OSError):
        found = table_cache._load(path, np.dtype(np.int64), (20, 30))
        assert (found.shape, found.dtype) == ((20, 30), np.dtype(np.int64))


def table() -> bytes:
    """Return a table."""
    file = io.BytesIO()
    np.save(file, np.arange(600, dtype=np.int64).reshape(20, 30))
    return file.getvalue()


@cache
def kernel_entry() -> tuple[str, bytes, Any, tuple[Any, ...]]:
    """Return (name, bytes, target, types) of the entry of a compiled kernel."""
    from puzzlelab.engine.compiler import kernel_folder
    from puzzlelab.engine.compiler.machine_code import entry_name
    from puzzlelab.engine.hash_table_kernels import mix

    dispatcher: Any = mix
    dispatcher(np.zeros(2, np.uint64))  # it is kept in the cache now
    signature, folder, target = next(iter(dispatcher.overloads)), kernel_folder(), dispatcher.targetctx
    assert folder is not None
    name = str(entry_name(dispatcher.py_func, signature, target.codegen().magic_tuple()))
    return name, (folder / name).read_bytes(), target, signature


def read_kernel(data: bytes, folder: Path) -> None:
    """Read a compiled kernel: anything but the whole entry is refused."""
    from puzzlelab.engine.compiler.machine_code import unpacked_entry

    name, whole, target, signature = kernel_entry()
    if data != whole:
        unpacked_entry(name, data, target, signature)
        raise AssertionError("a changed entry was read")


# --- all of them ----------------------------------------------------------------------------------------------------

RUN = ("games.jsonl", "matches.jsonl", "metrics.jsonl", "state.json", "config.toml", "champion", "latest")
"""The files of a run of self-play that are changed."""
FAMILIES = ("tiles-3x3", "dust-4x3x3", "sudoku-4x4")


def texts_of(make: Callable[[Puzzle], Iterator[str]], name: str) -> Callable[[], list[bytes]]:
    """Return a function that makes the examples of a puzzle."""
    return lambda: [text.encode() for text in make(registry.load(name))]


READERS: dict[str, tuple[Callable[[], list[bytes]], Read]] = {
    **{f"board of {name}": (texts_of(notations, name), read_text(("check", name, "{}"))) for name in BOARDS},
    **{f"file of {name}": (texts_of(files_of, name), read_file("solve", name, "--file", "{}", *FEW_NODES))
       for name in FAMILIES},
    **{f"suite of {name}": (lambda name=name: texts_of(files_of, name)()[:1], read_suite) for name in FAMILIES},
    **{name: (lambda texts=texts: [text.encode() for text in texts], read_text(words))
       for name, (words, texts) in TEXTS.items()},
    "rows": (rows, read_file("verify", "{}", name="rows.jsonl")),
    "rows that are added to": (rows, read_file(*TINY, "--out", "{}", name="rows.jsonl")),
    **{f"network, {end} changed": (lambda end=end: [network()[end]], read_network_file(end))
       for end in (".safetensors", ".json", ".onnx")},
    "network with its checksum": (lambda: [network()[".onnx"]], read_network_file(".onnx", is_sealed=True)),
    "network with weights beside it": (lambda: [parted_network()[".onnx"]], read_parted_network),
    "recipe": (lambda: [path.read_bytes() for path in sorted((PACKAGE / "configs").glob("*.toml"))], read_recipe),
    "shard": (lambda: [shard()], read_shard),
    "table": (lambda: [table()], read_table),
    "compiled kernel": (lambda: [kernel_entry()[1]], read_kernel),
}  # fmt: skip


def give_inputs(examples: list[bytes], read: Read, folder: Path, seed: int) -> None:
    """Give a reader its examples, which are valid, and inputs that are drawn."""
    assert examples
    for data in examples:
        read(data, folder)

    @hypothesis.seed(seed)
    @settings(
        max_examples=INPUTS, derandomize=False, database=None, deadline=None,
        phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(inputs(examples))
    def once(data: bytes) -> None:
        with suppress(BadInput, CorruptData):
            read(data, folder)

    once()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_a_reader_answers_or_refuses(name: str, tmp_path: Path, fault_seed: int, monkeypatch: Any) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("puzzlelab.nets.onnx_limits.SECONDS", 5.0)
    examples, read = READERS[name]
    give_inputs(examples(), read, tmp_path, fault_seed)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RUN)
def test_the_status_of_a_run_is_shown_or_refused(lab: Lab, name: str, fault_seed: int) -> None:
    from works import SELFPLAY

    folder = lab.copy(lab.site.reference(SELFPLAY)[0])
    give_inputs([(folder / "run" / name).read_bytes()], read_run_file(name), folder, fault_seed)

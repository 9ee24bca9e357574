"""Readers of files for `fuzz.py`: rows, suites, networks, samples, the files of runs, and those of the cache."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from fuzz_texts import Reader, puzzle_of, sampled
from puzzlelab.core.errors import BadBoard, BadInput, CorruptData

# --- rows, suites, curves -------------------------------------------------------------------------------------------


@cache
def rows() -> list[bytes]:
    """Files of rows: solved boards of each family, an unsolvable one, one without an solve."""
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.registry import parse_solver
    from puzzlelab.engine.solving import solve
    from puzzlelab.storage.answer_rows import row_of
    from puzzlelab.storage.row import unanswered

    files: list[list[str]] = []
    boards = {
        "tiles-3x3": ("bfs", ["1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 8 7 0"]),
        "dust-4x3x3": ("beam:width=3", ["331233122213"]),
        "sudoku-4x4": ("backtracking", ["1...............", "11.............."]),
    }
    limit = Limit(seconds=60.0)
    for name, (text, texts) in boards.items():
        puzzle, solver = puzzle_of(name), parse_solver(text)
        found = [row_of(solve(solver, puzzle.read(board), limit), solver, limit) for board in texts]
        found.append(unanswered(puzzle, "x", solver, limit).model_copy(update={"error": "no board"}))
        files.append([row.to_json() for row in found])
    return [
        "".join(f"{line}\n" for line in lines).encode()
        for lines in (*files, [line for lines in files for line in lines])
    ]


def read_rows(data: bytes, folder: Path) -> object:
    """A file of rows, as `verify` and `solve --out` read it."""
    from puzzlelab.core.limit import Limit
    from puzzlelab.engine import report
    from puzzlelab.storage.row import Row
    from puzzlelab.storage.row_files import RowFile, read_rows

    path = folder / "rows.jsonl"
    path.write_bytes(data)
    read = list(read_rows(path, Silent().note))
    for _, row in read:
        again = Row.model_validate_json(row.to_json())
        assert again.to_json() == row.to_json(), "another row when it is written and read again"
        with suppress(BadInput):
            row.check(puzzle_of(row.puzzle))
        row.settles(Limit(seconds=1.0))
    with report.listening(Silent()):
        RowFile(path)
    return read


def read_suite(data: bytes, folder: Path) -> object:
    """A file of boards for `bench`, whose puzzle is guessed."""
    from puzzlelab.bench import suites

    path = folder / "suite.txt"
    path.write_bytes(data)
    suite = suites.read(path)
    assert [suite.instance(entry) is not None for entry in suite.entries].count(False) == 0
    shutil.rmtree(folder / "out", ignore_errors=True)
    suites.save(suite, folder / "out")
    assert suites.read_stored(folder / "out").hash == suite.hash
    return suite


def read_stored_suite(data: bytes, folder: Path) -> object:
    """The suite of a folder of rows."""
    from puzzlelab.bench import suites

    (folder / suites.SUITE_FILE).write_bytes(data)
    suite = suites.read_stored(folder)
    for entry in suite.entries:
        with suppress(BadBoard):
            suite.instance(entry)
    return suite


def read_curves(data: bytes, folder: Path) -> object:
    """Published curves for `plot --beside`."""
    from puzzlelab.bench import reference_curves

    path = folder / "curves.txt"
    path.write_bytes(data)
    return reference_curves.read(path)


def result_readers() -> Iterator[Reader]:
    """Those of rows, suites and curves."""
    yield Reader("rows", rows(), read_rows)
    names = ("tiles-3x3", "dust-4x3x3", "sudoku-4x4")
    texts = []
    for name in names:
        puzzle = puzzle_of(name)
        lines = [f"{puzzle.write(state)}\t{20 + n}\topt\n" for n, state in enumerate(sampled(puzzle))]
        texts += ["".join([f"# puzzle: {name}\n", *lines]).encode(), "".join(lines).encode()]
    yield Reader("suite", texts, read_suite)
    yield Reader(
        "suite of a folder", [stored_suite(text) for text in texts if text.startswith(b"#")], read_stored_suite
    )
    yield Reader("curves", [b"# best\n14 M\t64\t63.8\n14 M\t256\t81.6%\t0.5\n"], read_curves)


def stored_suite(text: bytes) -> bytes:
    """The file of the suite with these boards."""
    from puzzlelab.bench import suites

    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "suite.txt"
        path.write_bytes(text)
        suites.save(suites.read(path), Path(name))
        return (Path(name) / suites.SUITE_FILE).read_bytes()


# --- networks -------------------------------------------------------------------------------------------------------


NETWORK_ENDINGS = (".safetensors", ".json", ".onnx")
MOST_SECONDS = 5.0
"""The time for a network of another program: less than for an input."""


@cache
def network_files() -> tuple[bytes, bytes, bytes]:
    """(weights, card, program) of a small network."""
    import torch

    from puzzlelab.nets import checkpoint
    from puzzlelab.nets.network import read_network
    from puzzlelab.nets.torch_model import TorchModel

    puzzle = puzzle_of("tiles-2x3")
    settings = read_network({"kind": "dense", "width": 8, "depth": 1})
    module = settings.build(puzzle)
    with tempfile.TemporaryDirectory() as name:
        checkpoint.save(Path(name), TorchModel(puzzle, settings, module, "", torch.device("cpu")), "net")
        return tuple((Path(name) / f"net{end}").read_bytes() for end in NETWORK_ENDINGS)  # type: ignore[return-value]


def read_network_file(changed: str, data: bytes, folder: Path) -> object:
    """A network one of whose files is changed."""
    from puzzlelab.nets import checkpoint

    weights, card, _ = network_files()
    (folder / "net.safetensors").write_bytes(data if changed == "weights" else weights)
    (folder / "net.json").write_bytes(data if changed == "card" else card)
    with suppress(BadInput):
        read = checkpoint.read_card(folder / "net.json")
        checkpoint.write_card(folder / "again.json", read)
        assert checkpoint.read_card(folder / "again.json") == read or "nan" in str(read)
    return checkpoint.load(folder / "net.safetensors")


def network_hash() -> str:
    """The name of the small network."""
    return str(json.loads(network_files()[1])["name"])


def write_network(nets: Path) -> None:
    """Write the small network into the folder of the networks of a run."""
    nets.mkdir(exist_ok=True)
    for end, content in zip(NETWORK_ENDINGS, network_files(), strict=True):
        (nets / f"{network_hash()}{end}").write_bytes(content)


def read_champion(data: bytes, folder: Path) -> object:
    """The file of a run that names its network."""
    from puzzlelab.nets import checkpoint, model_zoo

    write_network(folder / "nets")
    (folder / "champion").write_bytes(data)
    return checkpoint.load(model_zoo.in_folder(folder))


def read_program(data: bytes, folder: Path) -> object:
    """A network as searches load and evaluate it; one of another program is for the puzzle of the small network."""
    from puzzlelab.nets import onnx_limits, onnx_model

    onnx_limits.SECONDS = MOST_SECONDS
    path = folder / "program.onnx"
    path.write_bytes(data)
    puzzle = puzzle_of("tiles-2x3")
    model, _ = onnx_model.load(path, puzzle)
    if model.puzzle == puzzle:
        states = np.stack(sampled(puzzle)[:5])
        outputs = model.outputs(states)
        assert all(len(values) == len(states) for values in outputs.values())
        if "cost_to_go" in outputs:
            assert np.isfinite(model.cost_to_go(states, outputs)).all()
        if {"policy", "q"} & outputs.keys():
            assert not np.isnan(model.log_policy(states, outputs)).any()
    return model


def read_sealed_program(data: bytes, folder: Path) -> object:
    """A network of puzzlelab whose checksum is right, whatever it holds."""
    from puzzlelab.nets.onnx_files import DIGITS, SEAL, sealed

    place = data.rfind(SEAL)
    whole = place if place >= 0 and place == len(data) - len(SEAL) - DIGITS else len(data)
    return read_program(sealed(data[:whole]), folder)


def read_description(data: bytes, folder: Path) -> object:
    """A network of puzzlelab with another description and the right checksum."""
    import onnx

    from puzzlelab.nets.onnx_files import KEY, sealed

    program = onnx.load_model_from_string(network_files()[2])
    del program.metadata_props[:]
    entry = program.metadata_props.add()
    try:
        entry.key, entry.value = KEY, data.decode()
    except ValueError:
        raise BadInput("no text") from None
    return read_program(sealed(program.SerializeToString()), folder)


@cache
def description() -> bytes:
    """The description in the small network."""
    import onnx

    from puzzlelab.nets.onnx_files import KEY

    entries = onnx.load_model_from_string(network_files()[2]).metadata_props
    return next(entry.value.encode() for entry in entries if entry.key == KEY)


@cache
def foreign_programs() -> list[bytes]:
    """Networks of another program: the small one, computed shapes, and a convolution."""
    import onnx

    program = onnx.load_model_from_string(network_files()[2])
    program.producer_name = ""
    del program.metadata_props[:]
    return [program.SerializeToString(), *(onnx.parser.parse_model(text).SerializeToString() for text in GRAPHS)]


def read_graph(data: bytes, folder: Path) -> object:
    """A network of another program whose text was changed."""
    import onnx

    try:
        model = onnx.parser.parse_model(data.decode())
    except (ValueError, IndexError, RuntimeError, onnx.parser.ParseError):
        raise BadInput("no model") from None
    return read_program(model.SerializeToString(), folder)


HEADER = '<ir_version: 9, opset_import: ["": 17]>\n'
SHAPES = """
other (float[batch, 6] states) => (float[batch, 4] policy, float[batch, 1] cost_to_go)
<int64[2] places = {3, 2}, int64[1] four = {4}, int64[3] twice = {1, 2, 1}, int64[1] axis = {1}, int64[1] first = {0}>
{
    shape = Shape (states)
    count = Gather (shape, first)
    block = Concat <axis = 0> (count, places)
    cells = Reshape (states, block)
    wide = Tile (cells, twice)
    sums = ReduceSum <keepdims = 0> (wide, axis)
    extent = Concat <axis = 0> (count, four)
    ones = ConstantOfShape <value = float[1] {1.0}> (extent)
    cost_to_go = ReduceMax <axes = [1], keepdims = 1> (sums)
    policy = Mul (ones, cost_to_go)
}
"""
CONVOLUTION = """
other (float[batch, 30] planes) => (float[batch, 4] q)
<int64[4] image = {0, 5, 2, 3}, float[4, 5, 1, 1] kernel = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}>
{
    cells = Reshape (planes, image)
    inner = Conv <kernel_shape = [1, 1]> (cells, kernel)
    pooled = GlobalMaxPool (inner)
    q = Flatten (pooled)
}
"""
GRAPHS = (HEADER + SHAPES, HEADER + CONVOLUTION)
"""Networks in the text format of ONNX."""


def network_readers() -> Iterator[Reader]:
    """Those of networks."""
    weights, card, program = network_files()
    yield Reader("network", [program, *foreign_programs()], read_program)
    yield Reader("network with its checksum", [program], read_sealed_program)
    yield Reader("graph of a network", [text.encode() for text in GRAPHS], read_graph)
    yield Reader("description of a network", [description()], read_description)
    yield Reader("weights", [weights], partial(read_network_file, "weights"))
    yield Reader("card", [card], partial(read_network_file, "card"))
    yield Reader("champion", [f"{network_hash()}\n".encode(), network_hash().encode()], read_champion)


# --- samples --------------------------------------------------------------------------------------------------------


def samples() -> Sequence[Any]:
    """Samples of both kinds."""
    from puzzlelab.experience.schema import SelfPlaySamples, TrainingSamples

    count = 12
    state = np.stack([np.random.default_rng(n).permutation(6) for n in range(count)]).astype(np.uint8)
    game, remaining = np.arange(count, dtype=np.int64) // 3, np.arange(count, dtype=np.uint16)
    columns = {"state": state, "game": game, "remaining": remaining, "proven": np.ones(count, np.bool_)}
    columns |= {"moves": np.full((count, 1), 5, np.uint8), "shares": np.full((count, 4), 0.25, np.float16)}
    kinds = (TrainingSamples, SelfPlaySamples)
    return [kind(**{name: columns[name] for name in (field.name for field in fields(kind))}) for kind in kinds]


@cache
def shard_files() -> list[bytes]:
    """Shards of both kinds of samples."""
    from puzzlelab.experience import shards

    files = []
    for number, each in enumerate(samples()):
        card = {"solver": "ida", "games": [0, 4], "played": asdict(game_log_entry(number))}
        files.append(shards.encoded(each, card))
    return files


def read_shard(data: bytes, folder: Path) -> object:
    """A shard, as either kind of samples."""
    from puzzlelab.experience import shards
    from puzzlelab.experience.schema import SelfPlaySamples, TrainingSamples, from_table, joined, to_table

    path = shards.shard_path(folder, 0)
    path.write_bytes(data)
    shards.facts(path)
    try:
        read: Any = shards.read_shard(path, TrainingSamples)
    except BadInput:
        read = shards.read_shard(path, SelfPlaySamples)
    again = from_table(to_table(read, {}), type(read))
    for name, column in read.columns.items():
        assert np.array_equal(again.columns[name], column, equal_nan=column.dtype.kind == "f"), name
    joined([read, again])
    return read


def read_teacher(data: bytes, folder: Path) -> object:
    """What a folder of samples says of them, when it is begun again."""
    from puzzlelab.experience import shards

    shards.shard_path(folder, 0).write_bytes(shard_files()[0])
    (folder / shards.TEACHER).write_bytes(data)
    settings = shards.read_settings(folder)
    with suppress(BadInput):
        shards.begin(folder, {"solver": "ida", "branches": 1})
    shards.begin(folder, settings)
    return settings


def read_lease(data: bytes, folder: Path) -> object:
    """The lease of a shard, which another generator may take over or not."""
    from puzzlelab.experience.shard_leases import ShardLeases

    (folder / "shard-00000.claim").write_bytes(data)
    (folder / "shard-00001.claim").unlink(missing_ok=True)
    return ShardLeases(folder).take(2)


def sample_readers() -> Iterator[Reader]:
    """Those of samples."""
    from puzzlelab.experience.shard_leases import this_process

    yield Reader("shard", shard_files(), read_shard)
    yield Reader("teacher.json", [b'{"solver": "ida", "branches": 1}', b'{"detours": 1}'], read_teacher)
    yield Reader("lease", [json.dumps(this_process()).encode()], read_lease)


# --- runs -----------------------------------------------------------------------------------------------------------

SMALL_RUN = {
    "puzzle": "tiles-2x3",
    "network": {"kind": "dense", "width": 8, "depth": 1, "heads": ["policy", "cost_to_go"]},
    "match": {"opponents": ["random"]},
}


def game_log_entry(number: int) -> Any:
    """The line of a shard in the log of games."""
    from puzzlelab.training.selfplay.game_log import GameLogEntry

    return GameLogEntry(number, network_hash(), 3, 4, 2, 20, 12, 1.5, 1.7e9 + number)


@cache
def state_file() -> bytes:
    """A saved state of a run."""
    import torch

    from puzzlelab.training.train_state import SavedStates

    with tempfile.TemporaryDirectory() as name:
        SavedStates(Path(name)).save({"weight": torch.zeros(3)}, {"step": 5, "metrics": 0, "losses": {"x": 0.5}})
        return (Path(name) / "state-5.safetensors").read_bytes()


@cache
def run_files() -> dict[str, list[bytes]]:
    """The examples of the files of a run, by name."""
    from puzzlelab.training.selfplay.matches import Match

    match = Match(
        network_hash(), "random", 10, 6, 2, 1, 9, 7, "better", 3, False, True, 1.7e9, "2026-01-01", {"playouts": 6}
    )
    status = {
        "machine": "m",
        "process": 7,
        "run": "r",
        "program": "trainer",
        "busy": "",
        "waiting": "x",
        "since": 1.7e9,
    }
    lines = [json.dumps(asdict(game_log_entry(number))) + "\n" for number in range(3)]
    metrics = [json.dumps({"step": step, "loss": 0.5, "solved": 0.9, "hours": 0.1}) + "\n" for step in (1, 2)]
    return {
        "games.jsonl": ["".join(lines).encode()],
        "matches.jsonl": [(json.dumps(asdict(match)) + "\n").encode() * 2],
        "metrics.jsonl": ["".join(metrics).encode()],
        "programs/trainer-m-7.json": [json.dumps(status).encode()],
        "state.json": [json.dumps({"step": 5, "losses": {"x": 0.5}}).encode()],
        "state-5.safetensors": [state_file(), network_files()[0]],
        "progress.json": [b'{"first": 0, "end": 7}\n'],
        "champion": [f"{network_hash()}\n".encode()],
        "latest": [f"{network_hash()}\n".encode()],
        "shards/shard-00000.parquet": shard_files(),
    }


def read_run(changed: str, data: bytes, folder: Path) -> object:
    """A run of self-play one of whose files is changed: its status, its state and its networks."""
    from puzzlelab.engine import report
    from puzzlelab.training import metrics, recipe
    from puzzlelab.training.runs import Run
    from puzzlelab.training.selfplay.status import StatusReader, headline
    from puzzlelab.training.train_state import SavedStates

    run = Run(folder / "run")
    if not run.begun:
        run.begin(recipe.settings_of("selfplay", SMALL_RUN))
        for name in ("programs", "shards"):
            (run.folder / name).mkdir(exist_ok=True)
        write_network(run.nets)
        for name, examples in run_files().items():
            (run.folder / name).write_bytes(examples[0])
    (run.folder / changed).write_bytes(data)
    settings = recipe.settings_of("selfplay", run.saved_settings())
    with report.listening(Silent()):
        headline(StatusReader(run, settings).read())
        SavedStates(run.folder).load()
        run.requested_shards()
        run.network("champion")
        run.network("latest")
        return list(metrics.lines(run.metrics))


def run_readers() -> Iterator[Reader]:
    """Those of runs."""
    for name, examples in run_files().items():
        yield Reader(f"run: {name}", examples, partial(read_run, name))


# --- the cache ------------------------------------------------------------------------------------------------------


def read_table(right_checksum: bool, changed: str, data: bytes, folder: Path) -> object:
    """A table of the cache, which is used or made again, and has the right type and shape in any case."""
    from puzzlelab.engine import table_cache

    path = folder / "table.npy"
    path.write_bytes(data if changed == "table" else table_file())
    card = json.dumps({"crc32": table_cache.checksum(path), "name": path.stem}).encode()
    path.with_suffix(".json").write_bytes(data if changed == "card" else card)
    if changed == "table" and not right_checksum:
        path.with_suffix(".json").write_bytes(table_card())
    try:
        table = table_cache._load(path, np.dtype(np.int64), (20, 30))
    except OSError as error:
        raise CorruptData(str(error)) from None
    assert (table.shape, table.dtype) == ((20, 30), np.dtype(np.int64))
    return int(table.sum())


@cache
def table_file() -> bytes:
    """A table."""
    import io

    file = io.BytesIO()
    np.save(file, np.arange(600, dtype=np.int64).reshape(20, 30))
    return file.getvalue()


@cache
def table_card() -> bytes:
    """Its card."""
    import zlib

    return json.dumps({"crc32": zlib.crc32(table_file()), "name": "table"}).encode()


@cache
def kernel_entry() -> tuple[str, bytes, Any, tuple[Any, ...]]:
    """(name, bytes, target, types) of the entry of a compiled kernel."""
    from puzzlelab.engine.compiler import kernel_folder
    from puzzlelab.engine.compiler.machine_code import entry_name
    from puzzlelab.engine.hash_table_kernels import mix

    dispatcher: Any = mix
    dispatcher(np.zeros(2, np.uint64))  # it is kept in the cache now
    signature, folder = next(iter(dispatcher.overloads)), kernel_folder()
    assert folder is not None
    target = dispatcher.targetctx
    name = str(entry_name(dispatcher.py_func, signature, target.codegen().magic_tuple()))
    return name, (folder / name).read_bytes(), target, signature


def read_kernel(data: bytes, folder: Path) -> object:
    """A compiled kernel: anything but the whole entry is refused before it is read."""
    from puzzlelab.engine.compiler.machine_code import read_entry, unpacked_entry

    name, whole, target, signature = kernel_entry()
    (folder / name).write_bytes(data)
    read = read_entry(folder / name)
    assert read == data
    if read == whole:
        return None
    unpacked_entry(name, read, target, signature)
    raise AssertionError("a changed entry was read")


def read_pack(data: bytes, folder: Path) -> object:
    """The manifest of a pack of kernels."""
    from puzzlelab.engine import report
    from puzzlelab.engine.compiler import packs

    (folder / packs.MANIFEST).write_bytes(data)
    before = os.environ.get("PUZZLELAB_KERNELS")
    os.environ["PUZZLELAB_KERNELS"] = str(folder)
    try:
        with report.listening(Silent()):
            pack = packs.pack.__wrapped__()
    finally:
        del os.environ["PUZZLELAB_KERNELS"]
        if before is not None:
            os.environ["PUZZLELAB_KERNELS"] = before
    if pack is None:
        raise BadInput("no pack")
    return pack


class Silent:
    """A reporter that says nothing."""

    def note(self, sentence: str) -> None:
        """Nothing."""

    def waiting(self, sentence: str) -> None:
        """Nothing."""

    def progress(self, title: str, done: float, total: float | None, status: str) -> None:
        """Nothing."""


def cache_readers() -> Iterator[Reader]:
    """Those of the cache."""
    from puzzlelab.engine.compiler.packs import manifest_of, platform_triple

    yield Reader("table", [table_file()], partial(read_table, False, "table"), CorruptData)
    yield Reader("table with its checksum", [table_file()], partial(read_table, True, "table"), CorruptData)
    yield Reader("card of a table", [table_card()], partial(read_table, False, "card"), CorruptData)
    yield Reader("compiled kernel", [kernel_entry()[1]], read_kernel, CorruptData)
    manifest = manifest_of((platform_triple(), "generic", ""))
    yield Reader("manifest of a pack", [json.dumps(manifest).encode()], read_pack)


def file_readers() -> Iterator[Reader]:
    """All readers of files."""
    yield from result_readers()
    yield from network_readers()
    yield from sample_readers()
    yield from run_readers()
    yield from cache_readers()

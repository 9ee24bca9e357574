"""Damage in the files of a run: each is told in a sentence, or mended, and never changes the result in silence."""

import shutil
from itertools import product

import pytest

pytest.importorskip("torch")

from puzzlelab.core.errors import BadFile, PuzzlelabError
from puzzlelab.nets import model_zoo
from puzzlelab.training.runs import Run

FILES = (
    "config.toml",
    "metrics.jsonl",
    "progress.json",
    "truth.json",
    "learner.lock",
    "networks.jsonl",
    "champion",
    "nets/*.json",
    "nets/*.safetensors",
    "nets/*.onnx",
    "state.json",
    "state-*.safetensors",
    "shards/teacher.json",
    "shards/shard-00000.parquet",
    "shards/shard-00001.parquet",
    "shards/shard-*.parquet",
)
"""The last file is the newest shard."""


def flip(path) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[len(data) // 2] ^= 4
    path.write_bytes(data)


def to_folder(path) -> None:
    path.unlink()
    path.mkdir()
    (path / "something").touch()


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "bit": flip,
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size + 9)),
    "noise": lambda path: path.write_bytes(bytes(range(256)) * 5),
    "brackets": lambda path: path.write_text("[" * 100_000),
    "folder": to_folder,
    "missing": lambda path: path.unlink(),
}
QUICK = {
    ("shards/shard-00001.parquet", "bit"),
    ("shards/shard-*.parquet", "noise"),
    ("shards/shard-*.parquet", "missing"),
    ("state.json", "cut"),
    ("state-*.safetensors", "zeros"),
    ("config.toml", "brackets"),
    ("metrics.jsonl", "folder"),
    ("champion", "empty"),
    ("nets/*.safetensors", "empty"),
}
WITHOUT_CHECKSUM = {
    ("config.toml", "bit"),
    ("state-*.safetensors", "bit"),
    ("state.json", "bit"),
    ("truth.json", "bit"),
    ("metrics.jsonl", "bit"),
    ("networks.jsonl", "bit"),
}
"""One bit of these may be a digit, and then nothing tells that it was another one. A setting is then changed back by
the command, which says so.
"""
ELSEWHERE = {("shards/teacher.json", "folder"), ("state.json", "brackets")}
"""The generator refuses the first, which ends the run of these tests; the command line tells the second."""
CASES = [
    pytest.param(file, damage, marks=[] if (file, damage) in QUICK else pytest.mark.slow)
    for file, damage in product(FILES, DAMAGE)
    if (file, damage) not in WITHOUT_CHECKSUM | ELSEWHERE
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folder of the runs of this module."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture
def half(runs, settings_of, train, stop_after):
    """A run that was ended in the middle."""
    if not (runs / "half").exists():
        with pytest.raises(KeyboardInterrupt):
            train(runs / "half", settings_of("data.keep_shards=true"), stop_after(runs / "half", 3))
    return Run(runs / "half")


def damaged(run, folder, file, damage):
    """A copy of a run with this damage."""
    shutil.copytree(run.folder, folder)
    path = sorted(folder.glob(file))[-1]
    DAMAGE[damage](path)
    return Run(folder)


@pytest.mark.parametrize(("file", "damage"), CASES)
def test_a_run_in_the_middle_goes_on_to_the_same_end_or_says_what_is_wrong(
    tmp_path, settings_of, train, same_runs, half, imitated, file, damage
) -> None:
    run, refusal = damaged(half, tmp_path / "run", file, damage), ""
    try:
        train(run.folder, settings_of("data.keep_shards=true"))
    except PuzzlelabError as error:
        refusal = str(error)
    if refusal:
        assert str(tmp_path) in refusal
        assert not file.startswith("shards/")
        return
    if file != "metrics.jsonl":
        same_runs(run, imitated)
    assert run.champion.read_text() == imitated.champion.read_text()


NETWORK = ("nets/*.json", "nets/*.safetensors", "nets/*.onnx")


@pytest.mark.parametrize(("file", "damage"), [*product(("champion", *NETWORK), DAMAGE)])
def test_a_finished_run_without_its_network_is_not_trained(tmp_path, imitated, file, damage) -> None:
    name = imitated.champion.read_text().strip()
    run = damaged(imitated, tmp_path / "run", file.replace("*", name), damage)
    if (file, damage) == ("champion", "missing"):
        assert not run.finished()
        return
    if (file, damage) == ("nets/*.json", "bit"):
        return  # of a card only the format, the network and its name count
    assert run.finished()
    if file == "nets/*.onnx" and damage != "folder":  # it is made of the others
        assert run.trained() == run.nets / name
        lost = f"{name}.onnx"
        assert (run.nets / lost).read_bytes() == (imitated.nets / lost).read_bytes()  # made again
        return
    with pytest.raises(BadFile, match=r"repeat the command that trains the run|write one of"):
        run.trained()


@pytest.mark.parametrize(
    "content", ["", "../../elsewhere", "0123456789abcdeg", "0123456789ABCDEF", "0123456789abcdef" * 2]
)
def test_a_champion_that_is_no_hash_is_refused_everywhere(tmp_path, imitated, content) -> None:
    shutil.copytree(imitated.folder, tmp_path / "run")
    run = Run(tmp_path / "run")
    run.champion.write_text(content)
    for read in (run.trained, lambda: model_zoo.in_folder(run.folder)):
        with pytest.raises(BadFile, match="should hold the hash of a network, 16 hexadecimal digits: write one of"):
            read()


def test_a_finished_run_names_its_champion_again(tmp_path, settings_of, train, imitated) -> None:
    shutil.copytree(imitated.folder, tmp_path / "run")
    run = Run(tmp_path / "run")
    run.champion.unlink()
    for path in run.nets.iterdir():
        path.unlink()
    assert not run.finished()
    train(run.folder, settings_of("data.keep_shards=true"))
    assert run.trained() == run.nets / imitated.champion.read_text().strip()

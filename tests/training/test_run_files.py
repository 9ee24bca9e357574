"""Only what a run has written is changed or removed: not what others put into its folder, and nothing behind a link."""

import os
import shutil
import socket

import pytest

pytest.importorskip("torch")

from puzzlelab.core.errors import BadFile
from puzzlelab.nets import run_networks
from puzzlelab.training.runs import Run

OTHERS = (
    "README.txt",
    "state-best.safetensors",
    "state-7.safetensors.bak",
    "nets/README.txt",
    "nets/mine-before.onnx",
    "nets/notes.json.1",
    "nets/0123456789abcdef.onnx",
    "nets/0123456789abcdef.json",
    "shards/notes.txt",
    "programs/notes.json",
)
"""Files of somebody else's; the last one of `nets` is a whole network of another run."""


def put(folder) -> None:
    """Write the files of somebody else."""
    for name in OTHERS:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"mine: {name}")


def kept(folder) -> bool:
    """Whether all of them are as they were."""
    return all((folder / name).read_text() == f"mine: {name}" for name in OTHERS)


def needed(run) -> set[str]:
    """The networks that a finished run keeps: the last one and the best one."""
    return {run.champion.read_text().strip(), run.best.read_text().strip()}


@pytest.fixture(scope="module")
def begun_folder(tmp_path_factory):
    """A place for the run of this module."""
    return tmp_path_factory.mktemp("runs") / "begun"


@pytest.fixture
def begun(begun_folder, settings_of, train, stop_after):
    """A run that was ended in the middle; to be copied."""
    if not begun_folder.exists():
        with pytest.raises(KeyboardInterrupt):
            train(begun_folder, settings_of(), stop_after(begun_folder, 3))
    return begun_folder


def contents(folder):
    """The bytes of every file below a folder, whose links are not followed."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


# --- files of others ---


def test_files_of_others_stay_when_a_training_ends_goes_on_and_begins_anew(
    tmp_path, begun, settings_of, train, stop_after
) -> None:
    run = Run(tmp_path / "run")
    shutil.copytree(begun, run.folder)
    put(run.folder)
    train(run.folder, settings_of())
    assert kept(run.folder)
    assert run.trained() == run.nets / run.champion.read_text().strip()
    present = run_networks.written(run.folder) & {path.stem for path in run.nets.iterdir()}
    assert present == needed(run)  # all others of the run have gone
    other = settings_of("seed=6")
    run.begin(other, anew=True)
    assert kept(run.folder)
    assert contents(run.folder).keys() == {*OTHERS, "config.toml"}
    with pytest.raises(KeyboardInterrupt):
        train(run.folder, other, stop_after(run.folder, 1))
    assert kept(run.folder)
    assert Run(run.folder).saved_settings()["seed"] == 6


def test_a_network_of_another_run_that_was_made_the_champion_stays(tmp_path, begun, settings_of, train) -> None:
    run = Run(tmp_path / "run")
    shutil.copytree(begun, run.folder)
    former, other = run.champion.read_text().strip(), "0123456789abcdef"
    for path in list(run.nets.glob(f"{former}.*")):
        shutil.copy(path, run.nets / f"{other}{path.suffix}")
    run.champion.write_text(other)
    train(run.folder, settings_of())
    assert {path.stem for path in run.nets.iterdir()} == {other, *needed(run)}


def test_what_a_killed_program_has_left_of_a_network_is_removed(tmp_path, begun, settings_of, train) -> None:
    run = Run(tmp_path / "run")
    shutil.copytree(begun, run.folder)
    half = run.nets / "0123456789abcdef.onnx.12.34"
    half.write_bytes(b"half")
    train(run.folder, settings_of())
    assert not half.exists()


# --- links ---

LINKED = (
    "config.toml",
    "metrics.jsonl",
    "networks.jsonl",
    "champion",
    "state.json",
    "progress.json",
    "truth.json",
    "learner.lock",
    "nets",
    "shards",
    "tensorboard",
)


@pytest.mark.parametrize(("name", "anew"), [(name, number % 2 == 0) for number, name in enumerate(LINKED)])
def test_a_link_in_the_folder_of_a_run_is_refused_before_anything_is_changed(
    tmp_path, begun, settings_of, name, anew
) -> None:
    run, elsewhere = Run(tmp_path / "run"), tmp_path / "elsewhere"
    shutil.copytree(begun, run.folder)
    elsewhere.mkdir()
    (elsewhere / "thesis.tex").write_text("precious")
    (run.folder / name).rename(elsewhere / "it")
    (run.folder / name).symlink_to(elsewhere / "it")
    before = contents(tmp_path)
    with pytest.raises(BadFile, match=f"run/{name} is a link"):
        run.begin(settings_of(), anew)
    assert contents(tmp_path) == before
    assert (run.folder / name).is_symlink()


@pytest.mark.parametrize("name", ["programs", "programs/trainer-a-1.json", "games.jsonl", "matches.jsonl", "boards"])
def test_links_of_other_recipes_are_refused_too(tmp_path, settings_of, name) -> None:
    run = Run(tmp_path / "run")
    run.begin(settings_of())
    (run.folder / name).parent.mkdir(exist_ok=True)
    (run.folder / name).symlink_to(tmp_path / "nowhere")
    with pytest.raises(BadFile, match=f"run/{name} is a link"):
        run.begin(settings_of())


def test_the_folder_itself_may_be_a_link_and_so_may_files_of_others(tmp_path, begun, settings_of, train) -> None:
    shutil.copytree(begun, tmp_path / "real")
    (tmp_path / "data").write_text("precious")
    (tmp_path / "real" / "data").symlink_to(tmp_path / "data")
    (tmp_path / "run").symlink_to(tmp_path / "real")
    run = train(tmp_path / "run", settings_of())
    assert run.trained() is not None
    run.begin(settings_of(), anew=True)
    assert (tmp_path / "real" / "data").is_symlink()
    assert (tmp_path / "data").read_text() == "precious"


def test_a_link_that_comes_later_is_not_followed(tmp_path, settings_of) -> None:
    from puzzlelab.training.metrics import MetricsWriter

    run, precious = Run(tmp_path / "run"), tmp_path / "precious"
    run.begin(settings_of())
    precious.write_text("precious\n")
    run.metrics.symlink_to(precious)
    with pytest.raises(BadFile, match=r"cannot write .*metrics\.jsonl"):
        MetricsWriter(run.metrics, 0)
    assert precious.read_text() == "precious\n"


# --- pipes and devices ---


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("name", ["config.toml", "champion", "metrics.jsonl", "state-30.safetensors", "nets/x.json"])
def test_a_pipe_in_the_folder_of_a_run_is_refused(tmp_path, begun, settings_of, name) -> None:
    run = Run(tmp_path / "run")
    shutil.copytree(begun, run.folder)
    name = name.replace("x.json", f"{run.champion.read_text().strip()}.json")
    (run.folder / name).unlink(missing_ok=True)
    os.mkfifo(run.folder / name)
    for read in (lambda: run.begin(settings_of()), lambda: run.begin(settings_of(), anew=True), run.saved_settings):
        with pytest.raises(BadFile, match=f"run/{name} is a pipe, not a file"):
            read()


def test_a_socket_and_a_link_to_a_device_are_refused(tmp_path, settings_of, monkeypatch) -> None:
    run = Run(tmp_path / "run")
    run.begin(settings_of())
    monkeypatch.chdir(run.folder)  # the path of a socket is short
    if not hasattr(socket, "AF_UNIX"):
        pytest.skip("this system has no sockets with names")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("champion")
        with pytest.raises(BadFile, match="run/champion is a socket, not a file"):
            run.saved_settings()
    run.champion.unlink()
    run.champion.symlink_to(os.devnull)
    with pytest.raises(BadFile, match="run/champion is a device, not a file"):
        run.saved_settings()

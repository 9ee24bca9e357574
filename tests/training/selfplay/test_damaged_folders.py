"""Damage in the files of a self-play run: told in a sentence, or mended with a note."""

import shutil

import pytest

pytest.importorskip("torch")

from puzzlelab.core.errors import BadFile, PuzzlelabError
from puzzlelab.experience.shards import numbers
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay.status import StatusReader

DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "zeros": lambda path: path.write_bytes(bytes(99) + b"\n"),
    "noise": lambda path: path.write_bytes(bytes(range(256)) * 5),
    "folder": lambda path: (path.unlink(), path.mkdir(), (path / "something").touch()),
    "missing": lambda path: path.unlink(),
}
FILES = (
    "champion",
    "latest",
    "games.jsonl",
    "matches.jsonl",
    "metrics.jsonl",
    "networks.jsonl",
    "shards/shard-*.parquet",
    "nets/*.json",
)


@pytest.fixture(scope="session")
def ended(tmp_path_factory, tiny):
    """A run that was ended in the middle."""
    from puzzlelab.engine.parallel import ThisProcess
    from puzzlelab.training.selfplay import programs

    run = Run(tmp_path_factory.mktemp("runs") / "ended")

    def stop() -> None:
        if len(numbers(run.shards)) == 4:
            raise KeyboardInterrupt

    run.begin(tiny)
    with pytest.raises(KeyboardInterrupt):
        programs.run_all(run, tiny, stop, ThisProcess(), workers=0)
    return run


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_run_goes_on_or_says_what_is_wrong(tmp_path, ended, tiny, compete, file, damage) -> None:
    shutil.copytree(ended.folder, tmp_path / "run")
    run = Run(tmp_path / "run")
    DAMAGE[damage](sorted(run.folder.glob(file))[-1])
    refusals = []
    for work in (lambda: StatusReader(run, tiny).read(), lambda: compete(run.folder, tiny)):
        try:
            work()
        except PuzzlelabError as error:
            refusals.append(str(error))
    assert all(str(tmp_path) in refusal for refusal in refusals)
    assert refusals or run.done.exists()


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_shard_that_is_damaged_is_left_out_with_a_note(tmp_path, ended, tiny, compete, listener, damage) -> None:
    shutil.copytree(ended.folder, tmp_path / "run")
    run = Run(tmp_path / "run")
    shard = run.shards / f"shard-{numbers(run.shards)[-1]:05}.parquet"
    DAMAGE[damage](shard)
    compete(run.folder, tiny)
    assert run.done.exists()
    assert any(shard.name in note for note in listener.notes)
    assert (damage == "missing") != (run.shards / f"{shard.name}.damaged").exists()


@pytest.mark.parametrize("content", ["", "../../elsewhere", "0123456789abcdeg"])
def test_a_champion_that_is_no_hash_is_told_by_all(tmp_path, ended, tiny, compete, content) -> None:
    shutil.copytree(ended.folder, tmp_path / "run")
    run = Run(tmp_path / "run")
    run.champion.write_text(content)
    for work in (lambda: StatusReader(run, tiny).read(), lambda: compete(run.folder, tiny)):
        with pytest.raises(BadFile, match="champion (is empty|holds .*), and should hold the hash of a network"):
            work()

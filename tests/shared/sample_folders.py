"""The samples that a command or a teacher has written."""

from pathlib import Path

from puzzlelab.experience.schema import TrainingSamples, joined
from puzzlelab.experience.shards import read_shard, shard_paths


def samples_in(folder: Path) -> TrainingSamples:
    """All samples of a folder, in their order."""
    return joined(map(read_shard, shard_paths(folder)))

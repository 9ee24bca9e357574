"""A cluster of four nodes on this machine, each with folders of its own, for all tests here."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from puzzlelab.engine.user_cache import user_cache


@dataclass
class Commands:
    """Runs the program in a process of its own."""

    folder: Path
    address: str

    def start(self, *words: object) -> subprocess.Popen:
        """Start a command on the cluster."""
        environment = {**os.environ, "PUZZLELAB_EXECUTOR": f"ray:{self.address}"}
        command = [sys.executable, "-m", "puzzlelab", *map(str, words)]
        return subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, *words: object) -> tuple[int, str, str]:
        """(exit code, output, errors) of a command on the cluster."""
        process = self.start(*words)
        out, error = process.communicate()
        return process.returncode, out, error


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    pytest.importorskip("ray")
    from small_cluster import SmallCluster

    small = SmallCluster(tmp_path_factory.mktemp("nodes"), 4, network=60 + os.getpid() % 60, cache=user_cache())
    small.cache = None  # nodes that join later compile for themselves
    yield small
    small.close()


@pytest.fixture
def commands(cluster, tmp_path):
    return Commands(tmp_path, cluster.address)


@pytest.fixture
def here(tmp_path):
    """Runs a command in a process of its own, without a cluster."""

    def run(*words: object) -> tuple[int, str, str]:
        environment = {name: value for name, value in os.environ.items() if name != "PUZZLELAB_EXECUTOR"}
        command = [sys.executable, "-m", "puzzlelab", *map(str, words)]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def rows_of():
    """Reads the rows of a file without their seconds."""

    def read(path: Path) -> list[dict]:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]

    return read

"""The workplace of a fault trial, and the share of the trials that a run tries."""

from __future__ import annotations

import random
import shutil
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import Lab, Site


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of a run of trials."""
    group = parser.getgroup("faults")
    group.addoption("--share", default="0/1", help="trials that are tried: PART/PARTS, as 3/8; all by default")
    group.addoption("--fault-seed", default=1, type=int, help="the seed of moments, damage and inputs (1)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the trials of other shares; every trial is in one of them by its name."""
    trials = [item for item in items if Path(__file__).parent in item.path.parents]
    part, _, parts = config.getoption("--share", "0/1").partition("/")
    others = {item for item in trials if zlib.crc32(item.nodeid.encode()) % int(parts) != int(part)}
    config.hook.pytest_deselected(items=list(others))
    items[:] = [item for item in items if item not in others]
    for item in trials if sys.platform != "linux" else ():
        item.add_marker(pytest.mark.skip("processes are read in /proc"))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    pytest.importorskip("torch")
    pytest.importorskip("pyarrow")
    return Site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def fault_seed(request: pytest.FixtureRequest) -> int:
    """The seed of the run."""
    return int(request.config.getoption("--fault-seed", 1))


@pytest.fixture
def chance(fault_seed: int, request: pytest.FixtureRequest) -> random.Random:
    """Random numbers that depend on the seed of the run and on the name of the trial."""
    return random.Random(f"{fault_seed} {request.node.nodeid}")


@pytest.fixture
def lab(site: Site, tmp_path: Path, chance: random.Random) -> Iterator[Lab]:
    folder = tmp_path / "lab"
    folder.mkdir()
    yield Lab(site, folder, chance)
    shutil.rmtree(folder)

"""What the images of containers are made of."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["Containerfile", "Dockerfile"])
def test_an_image_holds_the_licence_and_the_notices_of_others(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    copied = [
        word
        for line in (ROOT / "deploy" / name).read_text(encoding="utf-8").splitlines()
        if line.startswith("COPY ")
        for word in line.split()
    ]
    assert {*project["license-files"], project["readme"]} <= set(copied)

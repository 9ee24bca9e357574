"""The Python of the documents passes `mypy --strict`, as a user's program would that begins with it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "python.md", ROOT / "docs" / "extending.md"]


def python_of(page):
    """The blocks of Python of a page, as one program."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))


def test_the_python_of_the_documents_is_typed(tmp_path):
    api = pytest.importorskip("mypy.api")
    files = []
    for page in PAGES:
        if text := python_of(page):
            files.append(tmp_path / f"{page.stem.lower()}_examples.py")
            files[-1].write_text(text, encoding="utf-8")
    assert len(files) >= 2
    options = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    said, errors, code = api.run([*options, *map(str, files)])
    assert (code, errors) == (0, ""), said

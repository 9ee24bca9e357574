"""The tutorials work as they are printed, from the first command to the last."""

import sys
from pathlib import Path

import pytest

import run_tutorials

ROOT = Path(__file__).parents[2]
NEEDS = {"tutorial-network": ("torch", "tomli_w"), "tutorial-documents": ("torch", "tomli_w"), "tutorial-puzzle": ()}


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("tutorial-*.md")), ids=lambda path: path.stem)
def test_a_tutorial_can_be_followed(page: Path, tmp_path: Path) -> None:
    for library in NEEDS.get(page.stem, ()):
        pytest.importorskip(library)
    follower = run_tutorials.Follower(tmp_path, Path(sys.executable))
    follower.follow(page)
    assert follower.failed == []


def test_commands_are_told_from_what_they_print() -> None:
    text = "$ puzzlelab list\ntiles\n$ puzzlelab web --open\n"
    assert list(run_tutorials.commands("console", text)) == ["puzzlelab list"]
    assert list(run_tutorials.commands("sh", "pip install '.[web]'\n\npip install -e .\n")) == ["pip install -e ."]


@pytest.mark.parametrize(
    ("comment", "codes"),
    [("", {0}), ("# a minute", {0}), ("# ten seconds; exit code 1", {1}), ("# exit code 0 or 1", {0, 1})],
)
def test_the_comment_of_a_command_says_with_which_other_code_it_ends(comment: str, codes: set[int]) -> None:
    assert run_tutorials.exit_codes(f"puzzlelab bench korf15 {comment}") == codes

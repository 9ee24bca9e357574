"""Damaged rows, boards, networks and settings, long lines, and limits of memory."""

from __future__ import annotations

import json
import shutil

import pytest
from damage import KINDS
from lab import SOURCE, Lab
from programs import REFUSED
from works import lines_of

NETWORK = "dust-8x6x5"
BRACKETS = b"[" * 100_000
MEBIBYTE = 1 << 20
SOLVE = ("solve", "dust-6x5x4", "--file")
MENDED = ("cut last line", "CRLF", "empty", "NUL tail", "byte-order mark")
"""The damaged files of rows that `solve --out` mends."""


def rows(content: bytes, noise: bytes) -> dict[str, bytes]:
    """Return a file of rows, damaged in many ways."""
    first, rest = content.split(b"\n", 1)
    return {
        "NUL tail": content + b"\0" * 512,
        "byte-order mark": b"\xef\xbb\xbf" + content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "cut last line": content[:-40],
        "empty line": first + b"\n\n" + rest,
        "noise in the middle": first + b"\n" + noise + b"\n" + rest,
        "noise": noise,
        "a cut line": first[:50] + b"\n" + rest,
        "a list": b"[1, 2, 3]\n" + content,
        "another object": b'{"name": "mine"}\n' + content,
        "UTF-16": content.decode().encode("utf-16"),
        "brackets": BRACKETS + b"\n" + content,
        "a huge number": content.replace(b'"length": ', b'"length": 1' + b"0" * 400, 1),
        "empty": b"",
    }


def test_damaged_rows_are_named_and_mended_or_left(lab: Lab) -> None:
    whole = lab.fresh() / "rows.jsonl"
    lab.run(*SOLVE, lab.inputs / "few.txt", "--out", whole)
    expected = sorted(map(str, lines_of(whole)))
    for kind, content in rows(whole.read_bytes(), lab.random.randbytes(300)).items():
        path = lab.fresh() / "rows.jsonl"
        path.write_bytes(content)
        assert lab.run("verify", path).wrong((0, 1, 2)) == [], kind
        outcome = lab.run(*SOLVE, lab.inputs / "few.txt", "--out", path)
        assert outcome.wrong((0,) if kind in MENDED else (0, REFUSED)) == [], kind
        if outcome.code == REFUSED:
            assert path.read_bytes() == content, kind
        elif kind != "a huge number":
            path.write_bytes(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
            assert sorted(str(line) for line in lines_of(path) if line) == expected, kind


def test_boards_in_odd_encodings_are_read_or_refused(lab: Lab) -> None:
    content = (lab.inputs / "tiles.txt").read_bytes()
    words = ("solve", "tiles-3x3", "--json")
    expected = lab.run(*words, stdin=content).rows
    readable = {
        "as it is": content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "CR": content.replace(b"\n", b"\r"),
        "byte-order mark": b"\xef\xbb\xbf" + content,
        "no last end of line": content.rstrip(b"\n"),
    }
    refused = {
        "UTF-16": content.decode().encode("utf-16"),
        "noise": lab.random.randbytes(3000),
        "NUL bytes": content.replace(b" ", b"\0"),
        "escapes": b"\x1b[31m1 2 3 4 5 6 7 8 0\x1b[0m\n" + content,
        "NUL tail": content + b"\0" * 100,
        "half a board": content[:-9],
    }
    for kind, text in {**readable, **refused}.items():
        outcome = lab.run(*words, stdin=text)
        assert outcome.wrong((0,) if kind in readable else (0, REFUSED)) == [], kind
        assert outcome.rows == expected or kind in refused, kind


@pytest.mark.parametrize(
    "words", ["solve tiles-3x3 --file line", "verify line", "solve tiles-3x3 123456708 --out line.jsonl"]
)
def test_a_line_of_200_megabytes_is_refused_with_little_memory(lab: Lab, words: str) -> None:
    command = words.replace("line", str(lab.folder / "line")).split()
    (lab.folder / command[-1]).write_bytes(b"1" * 200_000_000)
    outcome = lab.run(*command)
    assert outcome.wrong((REFUSED,)) == []
    assert outcome.peak < 900 * MEBIBYTE  # what the program needs anyway, and less than twice the line


@pytest.mark.parametrize("suffix", [".onnx", ".json"])
def test_a_damaged_network_is_refused(lab: Lab, suffix: str) -> None:
    source = SOURCE / "puzzlelab" / "pretrained"
    words = ("solve", NETWORK, lab.run("generate", NETWORK).out.strip(), "--with", "greedy", "--json", "--net")
    expected = lab.run(*words, NETWORK)
    for kind in (*KINDS, "huge header", "a huge length", "sparse"):
        folder = lab.fresh()
        for end in (".onnx", ".json"):
            shutil.copy(source / f"{NETWORK}{end}", folder)
            shutil.copy(source / f"tiles-3x3{end}", folder)
        path = folder / f"{NETWORK}{suffix}"
        if kind == "a huge length":
            path.write_bytes(b"\x3a" + b"\xff" * 8 + b"\x7f" + path.read_bytes())  # of the graph
        elif kind == "huge header":
            path.write_bytes((1 << 60).to_bytes(8, "little") + path.read_bytes()[8:])
        elif kind == "sparse":
            with path.open("r+b") as file:
                file.truncate(3 << 30)
        else:
            KINDS[kind](path, lab.random)
        outcome = lab.run(*words, folder / NETWORK)
        assert outcome.wrong((expected.code, REFUSED)) == [], kind
        same = [{**row, "options": None} for row in outcome.rows] == [{**row, "options": None} for row in expected.rows]
        assert outcome.code == REFUSED or same, kind  # the options name the file; some of a card is for people alone


def test_settings_that_make_no_sense_are_refused(lab: Lab) -> None:
    text = (lab.inputs / "imitation.toml").read_text()
    changes = {
        "seed = inf": "seed = 5", "width = nan": "width = 8", "sed = 5": "seed = 5", "width = -8": "width = 8",
        f"seed = {10**400}": "seed = 5", "seed = [5]": "seed = 5", '"../../etc"': '"dense"',
        '"\\u001b[31mred"': '"dense"', "width = 100000000": "width = 8",
    }  # fmt: skip
    contents = {new: text.replace(old, new).encode() for new, old in changes.items()}
    contents |= {"brackets": text.encode() + b"x = " + BRACKETS, "NUL tail": text.encode() + b"\0" * 64, "empty": b""}
    contents |= {"noise": lab.random.randbytes(3000), "UTF-16": text.encode("utf-16")}
    for kind, content in contents.items():
        folder = lab.fresh()
        (folder / "settings.toml").write_bytes(content)
        words = ("train", "imitation", "--config", folder / "settings.toml", "--run", folder / "run")
        outcome = lab.run(*words, shell='ulimit -v 16000000; exec "$@"')
        assert outcome.wrong((1, 2) if "100000000" in kind else (2,)) == [], kind


@pytest.mark.parametrize(
    "words", ["tiles-4x4 --with astar --estimate manhattan", "tiles-4x4 --with bfs", "dust-10x8x6 --with halves",
              "tiles-5x5 --with beam --width 1000000 --estimate manhattan"],
)  # fmt: skip
def test_the_limit_of_memory_is_kept(lab: Lab, words: str) -> None:
    puzzle, *rest = words.split()
    board = "15 14 8 12 10 11 9 13 2 6 5 1 3 4 7 0" if puzzle == "tiles-4x4" else lab.run("generate", puzzle).out
    outcome = lab.run("solve", puzzle, board.strip(), *rest, "--memory", "400M", "--time", "10", "--json")
    assert outcome.wrong((0, 1)) == []
    assert json.loads(outcome.out)
    assert outcome.peak < 420 * MEBIBYTE

"""Damaged inputs: rows, boards, networks, settings, names of files; long lines, and limits of memory."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from fault_trials import damage, judge
from fault_trials.bench import SOURCE, Bench
from fault_trials.record import Case

ROWS, BOARDS, LONG = "damaged rows", "damaged boards", "a line of 200 MB"
NETWORKS, SETTINGS, NAMES, MEMORY = "damaged networks", "damaged settings", "control characters in names", "--memory"
LINE = 200_000_000
MOST_FOR_A_LINE = 300_000_000
"""Bytes of memory for a long line, over what the program needs anyway."""
MEBIBYTE = 1 << 20
TOLERANCE = 1.05
HARD = "15 14 8 12 10 11 9 13 2 6 5 1 3 4 7 0"
LIMITED = {
    "tiles-4x4 astar": ("tiles-4x4", HARD, "--with", "astar", "--estimate", "manhattan"),
    "tiles-4x4 bfs": ("tiles-4x4", HARD, "--with", "bfs"),
    "tiles-5x5 beam": ("tiles-5x5", "--with", "beam", "--width", "1000000", "--estimate", "manhattan"),
    "dust-10x8x6 halves": ("dust-10x8x6", "--with", "halves"),
}
LIMIT_MEBIBYTES = 400
NETWORK = "dust-8x6x5"
BRACKETS = 100_000
ADDRESS_SPACE = 16_000_000
"""Kilobytes for a program whose settings ask for more memory than any machine has."""
SETTING_TEXTS: dict[str, Callable[[str], str]] = {
    "infinity": lambda text: text.replace("seed = 5", "seed = inf"),
    "not a number": lambda text: text.replace("width = 8", "width = nan"),
    "unknown key": lambda text: text.replace("seed = 5", "sed = 5"),
    "a width of 100,000,000": lambda text: text.replace("width = 8", "width = 100000000"),
    "negative": lambda text: text.replace("width = 8", "width = -8"),
    "too large a number": lambda text: text.replace("seed = 5", f"seed = {10**400}"),
    "brackets": lambda text: text + "x = " + "[" * BRACKETS,
    "another type": lambda text: text.replace("seed = 5", "seed = [5]"),
    "a foreign kind": lambda text: text.replace('"dense"', '"../../etc"'),
    "control characters": lambda text: text.replace('"dense"', '"\\u001b[31mred"'),
}


def cases() -> Iterator[Case]:
    """All damaged inputs."""
    yield Case(ROWS, "verify and solve --out", rows, 60)
    yield Case(BOARDS, "solve", boards, 20)
    yield Case(LONG, "solve and verify", long_line, 30)
    yield Case(NETWORKS, "solve --net", networks, 60)
    yield Case(SETTINGS, "train", settings, 40)
    yield Case(NAMES, "files and folders", names, 15)
    for name, words in LIMITED.items():
        yield Case(MEMORY, name, partial(memory, words=words), 30)


# --- rows and boards --------------------------------------------------------------------------------------------------


def damaged_rows(content: bytes, noise: bytes) -> dict[str, bytes]:
    """A file of rows, damaged in many ways."""
    lines = content.splitlines(keepends=True)
    return {
        "NUL tail": content + b"\0" * 512,
        "byte-order mark": b"\xef\xbb\xbf" + content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "cut last line": content[:-40],
        "empty line": lines[0] + b"\n" + b"".join(lines[1:]),
        "noise in the middle": b"".join(lines[:2]) + noise + b"\n" + b"".join(lines[2:]),
        "noise": noise,
        "a cut line in the middle": lines[0][:50] + b"\n" + b"".join(lines[1:]),
        "a list": b"[1, 2, 3]\n" + content,
        "another object": b'{"name": "mine"}\n' + content,
        "UTF-16": content.decode().encode("utf-16"),
        "brackets": b"[" * BRACKETS + b"\n" + content,
        "a huge number": content.replace(b'"length": ', b'"length": 1' + b"0" * 400, 1),
        "empty": b"",
    }


def rows(bench: Bench) -> None:
    """Each damage: `verify` says it in a sentence, and `solve --out` mends the file or leaves it as it is."""
    words = ("solve", "dust-6x5x4", "--file", bench.site.inputs / "few.txt", "--out")
    whole = bench.fresh() / "rows.jsonl"
    bench.run(*words, whole)
    expected = judge.rows_of(whole)
    mended = ("cut last line", "CRLF", "empty", "NUL tail", "byte-order mark")
    for kind, content in damaged_rows(whole.read_bytes(), bench.random.randbytes(300)).items():
        path = bench.fresh() / "rows.jsonl"
        path.write_bytes(content)
        outcome = bench.run("verify", path)
        bench.tried(_with(kind, judge.complaints(outcome, (0, 1, 2))), outcome)
        outcome = bench.run(*words, path)
        wrong = judge.complaints(outcome, (0,) if kind in mended else (0, judge.REFUSED))
        if outcome.code == judge.REFUSED and path.read_bytes() != content:
            wrong.append("it was refused, and the file is changed nevertheless")
        elif outcome.code == 0 and kind != "a huge number":
            wrong += ["the rows differ"] if _rows_without_objects(path) != expected else []
        bench.tried(_with(kind, wrong), outcome)


def _rows_without_objects(path: Path) -> list[object]:
    """The rows of a file; a byte-order mark may stay."""
    text = path.read_bytes().decode("utf-8-sig", errors="replace")
    lines = [judge.without_times(line) for line in text.splitlines() if line.strip()]
    return sorted(lines, key=lambda row: json.dumps(row, sort_keys=True))


def _with(kind: str, wrong: list[str]) -> list[str]:
    return [kind, *wrong] if wrong else []


def boards(bench: Bench) -> None:
    """Boards in odd encodings are read, or refused with the line; none is read wrongly."""
    content = (bench.site.inputs / "tiles.txt").read_bytes()
    expected = bench.run("solve", "tiles-3x3", "--json", stdin=content)
    readable = {
        "as it is": content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "CR": content.replace(b"\n", b"\r"),
        "byte-order mark": b"\xef\xbb\xbf" + content,
        "no last end of line": content.rstrip(b"\n"),
    }
    refused = {
        "UTF-16": content.decode().encode("utf-16"),
        "noise": bench.random.randbytes(damage.NOISE),
        "NUL bytes": content.replace(b" ", b"\0"),
        "escapes": b"\x1b[31m1 2 3 4 5 6 7 8 0\x1b[0m\n" + content,
        "a NUL tail": content + b"\0" * 100,
        "half a board": content[:-9],
    }
    for kind, text in {**readable, **refused}.items():
        outcome = bench.run("solve", "tiles-3x3", "--json", stdin=text)
        wrong = judge.complaints(outcome, (0,) if kind in readable else (0, 2))
        answers, right = ([judge.without_times(line) for line in each.out.splitlines()] for each in (outcome, expected))
        if kind in readable and answers != right:
            wrong.append("the boards are read otherwise")
        bench.tried(_with(kind, wrong), outcome)


def long_line(bench: Bench) -> None:
    """A line of 200 MB from a pipe, with little memory."""
    source = f"head -c {LINE} /dev/zero | tr '\\0' 1"
    base = bench.run("solve", "tiles-3x3", stdin=b"1 2 3 4 5 6 7 0 8\n").peak
    lines = {
        "solve from a pipe": (("solve", "tiles-3x3"), f'{source} | "$@"; exit "${{PIPESTATUS[2]}}"'),
        "verify of a file": (
            ("verify", "rows.jsonl"),
            f'{source} > rows.jsonl; "$@"; code=$?; rm rows.jsonl; exit $code',
        ),
        "rows to go on with": (
            ("solve", "tiles-3x3", "1 2 3 4 5 6 7 0 8", "--out", "rows.jsonl"),
            f'{source} > rows.jsonl; "$@"; code=$?; rm rows.jsonl; exit $code',
        ),
    }
    for kind, (words, shell) in lines.items():
        outcome = bench.run(*words, shell=shell)
        wrong = judge.complaints(outcome, (2,))
        if outcome.peak > base + MOST_FOR_A_LINE:
            wrong.append(f"{(outcome.peak - base) // 10**6} MB of memory for the line")
        bench.tried(_with(kind, wrong), outcome)


# --- networks, settings, names ----------------------------------------------------------------------------------------


def networks(bench: Bench) -> None:
    """A damaged network is refused with a sentence; a card of another one too."""
    source = SOURCE / "puzzlelab" / "pretrained"
    board = ("solve", NETWORK, "--with", "greedy")
    example = bench.run("generate", NETWORK).out.strip()
    expected = bench.run(*board, example, "--net", NETWORK, "--json")
    for suffix in (".onnx", ".json"):
        for kind in ("none", *damage.ALL, "foreign", "a huge length", "huge header", "sparse"):
            folder = bench.fresh("net")
            for end in (".onnx", ".json"):
                shutil.copy(source / f"{NETWORK}{end}", folder)
            path = folder / f"{NETWORK}{suffix}"
            if kind == "foreign":
                shutil.copy(source / f"tiles-3x3{suffix}", path)
            elif kind == "a huge length":
                path.write_bytes(b"\x3a" + b"\xff" * 8 + b"\x7f" + path.read_bytes())  # of the graph
            elif kind == "huge header":
                path.write_bytes((1 << 60).to_bytes(8, "little") + path.read_bytes()[8:])
            elif kind == "sparse":
                os.truncate(path, 3 << 30)
            elif kind != "none":
                damage.ALL[kind](path, bench.random)
            outcome = bench.run(*board, example, "--net", folder / NETWORK, "--json")
            wrong = judge.complaints(outcome, (expected.code, judge.REFUSED)[: 1 if kind == "none" else 2])
            if outcome.code != judge.REFUSED and _moves(outcome.out) != _moves(expected.out):
                wrong.append("another answer than with the undamaged network")
            bench.tried(_with(f"{kind}: {path.name}", wrong), outcome)


def _moves(text: str) -> object:
    try:
        return json.loads(text).get("moves")
    except (ValueError, AttributeError):
        return None


def settings(bench: Bench) -> None:
    """Settings that make no sense: a sentence, and no folder."""
    text = (bench.site.inputs / "imitation.toml").read_text()
    contents = {kind: change(text).encode() for kind, change in SETTING_TEXTS.items()}
    contents |= {"noise": bench.random.randbytes(damage.NOISE), "empty": b"", "UTF-16": text.encode("utf-16")}
    contents["NUL tail"] = text.encode() + b"\0" * 64
    for kind, content in contents.items():
        folder = bench.fresh()
        (folder / "settings.toml").write_bytes(content)
        words = ("train", "imitation", "--config", folder / "settings.toml", "--run", folder / "run")
        outcome = bench.run(*words, shell=f'ulimit -v {ADDRESS_SPACE}; exec "$@"')
        bench.tried(_with(kind, judge.complaints(outcome, (1, 2) if "100,000,000" in kind else (2,))), outcome)


def names(bench: Bench) -> None:
    """Names of files with control characters: no message writes them raw."""
    name = "\x1b[31mred\x07\x9b2J"
    folder = bench.fresh()
    for words in (
        ("train", "imitation", "--config", folder / name, "--run", folder / "run"),
        ("solve", "tiles-3x3", "--file", folder / name),
        ("solve", NETWORK, "--net", folder / name),
        ("verify", folder / name),
        ("generate", "tiles-3x3", "--out", folder / name / "boards.txt"),
        ("solve", name, "1 2 3"),
        ("bench", folder / name, "--with", "ida"),
        ("selfplay", "status", folder / name),
    ):
        outcome = bench.run(*words)
        wrong = judge.complaints(outcome, (2,))
        if any(code in outcome.err for code in ("\x1b[31m", "\x07", "\x9b")):
            wrong.append("the name's control characters are printed")
        bench.tried(_with(words[0], wrong), outcome)


def memory(bench: Bench, words: tuple[str, ...]) -> None:
    """The most memory of the process is kept."""
    board = words[1:2] if not words[1].startswith("--") else (bench.run("generate", words[0]).out.strip(),)
    rest = words[2:] if board == words[1:2] else words[1:]
    limit = ("--memory", f"{LIMIT_MEBIBYTES}M", "--time", "10")
    outcome = bench.run("solve", words[0], *board, *rest, *limit, "--json")
    wrong = judge.complaints(outcome, (0, 1))
    if outcome.peak > TOLERANCE * LIMIT_MEBIBYTES * MEBIBYTE:
        wrong.append(f"{outcome.peak // MEBIBYTE} MiB of memory, where {LIMIT_MEBIBYTES} were allowed")
    bench.tried(wrong, outcome)

"""What may never happen, whatever the fault, and the comparison of results with those of an uninterrupted run."""

from __future__ import annotations

import hashlib
import json
import re
import signal
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from fault_trials.programs import Outcome, load
from puzzlelab.nets.onnx_files import is_sealed

CODES = (0, 1, 2, 129, 130, 143)
"""The documented exit codes."""
SIGNAL_CODES = {signal.SIGHUP: 129, signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}
REFUSED = 2
OTHER_RESULT = "result is not that of"
"""What a program says that goes on without data that are lost."""
ENDS = 5.0
"""Seconds in which a program ends after a signal, if nothing else keeps the machine busy."""
FINISHES = 1.0
"""Seconds after a signal in which a command may come to its end as if there was none: it was about to end."""
BAD_WORDS = (
    "Traceback (most recent call last)",
    "Exception ignored",
    "Aborted.",
    "Segmentation fault",
    "Fatal Python error",
    "leaked semaphore",
    "core dumped",
    "terminate called",
)
ADVICE = re.compile(r"remove|restart|\bgive\b|\bput\b|delete|again|anew|instead|write |choose|name ")
"""Words of a sentence that says what to do."""
TEMPORARY = re.compile(r"\.\d+\.\d+$|\.tmp|\.part$|\.partial|~$")
"""Names of temporary files."""
TIMES = frozenset({"seconds", "rate", "waited", "hours", "at", "date", "minutes"})
"""Fields that differ between two equal runs."""
UNCOMPARED = ("tensorboard/", "programs/", "shards/")
"""Folders of a run whose files may differ."""
Result = Mapping[str, Any]
"""What a work leaves behind, by the names of its parts."""


def complaints(
    outcome: Outcome,
    codes: Collection[int] = (0,),
    silent: bool = False,
    streams: str = "out err",
    after_signal: float = ENDS,
) -> list[str]:
    """What is wrong with how a run ended; `codes` are right, and so is the code of the signal that was sent.

    `silent`: nothing may stand on standard error. `streams` are those that were open. It must end in `after_signal`
    seconds after the signal; infinite if it should go on.
    """
    wrong = []
    if outcome.timed_out:
        wrong.append("it did not end: hangs")
    elif not _code_is_right(outcome, codes):
        wrong.append(f"exit code {outcome.code}, expected {' or '.join(map(str, _expected(outcome, codes)))}")
    text = outcome.out + outcome.err
    wrong += [f"it printed {word!r}: {last_line(outcome.err)}" for word in BAD_WORDS if word in text]
    if outcome.code == REFUSED and "err" in streams and not sentence(outcome):
        wrong.append(f"exit code 2 without a sentence that begins with 'error: ': {last_line(outcome.err)}")
    if outcome.sent and outcome.after_signal > after_signal * load():
        wrong.append(f"it went on for {outcome.after_signal:.1f} s after the signal")
    if outcome.survivors:
        wrong.append(f"still running after {outcome.gone_after:.1f} s: {', '.join(outcome.survivors)}")
    if silent and outcome.err.strip():
        wrong.append(f"standard error is not empty: {last_line(outcome.err)}")
    if "\x1b" in outcome.err.replace("\x1b[0m", ""):
        wrong.append("raw control characters on standard error")
    return wrong


def _expected(outcome: Outcome, codes: Collection[int]) -> list[int]:
    of_signal = [SIGNAL_CODES[signal.Signals(outcome.sent)]] if outcome.sent else []
    return sorted({*codes, *of_signal})


def _code_is_right(outcome: Outcome, codes: Collection[int]) -> bool:
    if outcome.starting and outcome.code == -outcome.sent:  # before the program could catch it
        return True
    return outcome.code in _expected(outcome, codes)


def in_pythons_start(outcome: Outcome) -> bool:
    """Whether Python itself printed a traceback before the first line of the program: such a try says nothing."""
    return outcome.starting and any(word in outcome.err for word in BAD_WORDS) and "puzzlelab" not in outcome.err


def sentence(outcome: Outcome) -> str:
    """The error in words; empty if there is none."""
    lines = [line for line in outcome.err.splitlines() if line.startswith("error: ")]
    return lines[-1].removeprefix("error: ").strip() if lines else ""


def says_what_to_do(outcome: Outcome) -> list[str]:
    """A complaint if the error does not say what to do."""
    return [] if ADVICE.search(sentence(outcome)) else [f"no word of what to do: {sentence(outcome)}"]


def names_path(outcome: Outcome, path: Path) -> list[str]:
    """A complaint if the messages do not name this file or folder."""
    text = re.sub(r"\s+", " ", outcome.err)
    return [] if path.name in text else [f"the error does not name {path.name}: {last_line(outcome.err)}"]


def last_line(text: str) -> str:
    """The last line that is not empty; 'nothing' without one."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "nothing"


# --- results --------------------------------------------------------------------------------------------------------


def differences(expected: Result, actual: Result, without: Collection[str] = ()) -> list[str]:
    """In words, where two results differ."""
    wrong = []
    for name in {**expected, **actual}:
        if name in without or expected.get(name) == actual.get(name):
            continue
        if name not in actual:
            wrong.append(f"{name} is missing")
        elif name not in expected:
            wrong.append(f"{name} should not be there")
        else:
            wrong.append(f"{name} differs{_detail(expected[name], actual[name])}")
    return wrong


def _detail(expected: Any, actual: Any) -> str:
    if not isinstance(expected, list) or not isinstance(actual, list):
        return ""
    if len(expected) != len(actual):
        return f": {len(actual)} lines, expected {len(expected)}"
    number = next(i for i, pair in enumerate(zip(expected, actual, strict=True)) if pair[0] != pair[1])
    return f": first in line {number + 1}"


def whole_lines(path: Path) -> list[str]:
    """Complaints about lines of a file of JSON that are not whole."""
    wrong = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        try:
            if line:
                json.loads(line)
        except ValueError:
            wrong.append(f"{path.name}, line {number} is torn")
    return wrong


def without_times(line: str) -> Any:
    """A line of JSON without what differs between two equal runs; the text if it is none."""
    try:
        value = json.loads(line)
    except ValueError:
        return line
    return {name: each for name, each in value.items() if name not in TIMES} if isinstance(value, dict) else value


def lines_of(path: Path) -> list[Any]:
    """The lines of a file of JSON, without times."""
    return [without_times(line) for line in path.read_text(errors="replace").splitlines()]


def rows_of(path: Path) -> list[Any]:
    """The rows of a file in an order that does not depend on which board was answered first."""
    return sorted(lines_of(path), key=lambda row: json.dumps(row, sort_keys=True))


def digest(path: Path) -> str:
    """A hash of the content of a file; a folder in its place has none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"


def files_in(folder: Path) -> list[Path]:
    """All files below a folder, but for locks, and damaged files that the program has set aside."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".lock", ".damaged"))


def snapshot(folder: Path) -> Result:
    """The hash of every file below a folder, but for locks."""
    return {path.relative_to(folder).as_posix(): digest(path) for path in files_in(folder)}


def litter(folder: Path) -> list[str]:
    """Complaints about temporary files."""
    paths = [path.relative_to(folder) for path in files_in(folder) if TEMPORARY.search(path.name)]
    return [f"litter: {path}" for path in paths if "tensorboard" not in path.parts]  # its files end with numbers


def of_rows(folder: Path) -> Result:
    """The rows of each file below a folder, and the hashes of all other files."""
    return {
        path.relative_to(folder).as_posix(): rows_of(path) if path.suffix == ".jsonl" else digest(path)
        for path in files_in(folder)
    }


def of_run(folder: Path) -> Result:
    """A run of training: lines without times, weights by their hash, networks by their checksum, the rest by name.

    Saved states are left out: it depends on the time at which steps they are saved.
    """
    result: dict[str, Any] = {}
    for path in files_in(folder):
        name = path.relative_to(folder).as_posix()
        if name.startswith(UNCOMPARED) or path.name.startswith("state"):
            continue
        if path.suffix == ".jsonl":
            result[name] = lines_of(path)
        elif (path.suffix == ".safetensors" and name.startswith("nets/")) or name in ("champion", "latest"):
            result[name] = digest(path)
        elif path.suffix == ".onnx":  # in which times stand too
            result[name] = "whole" if is_sealed(path.read_bytes()) else "damaged"
        else:
            result[name] = "there"
    return result


def counted_games(folder: Path) -> list[str]:
    """Complaints about a log of games that does not count every game once."""
    path = folder / "games.jsonl"
    if not path.exists():
        return ["games.jsonl is missing"]
    wrong = whole_lines(path)
    if not wrong:
        numbers = [json.loads(line)["number"] for line in path.read_text().splitlines()]
        if repeated := {number for number in numbers if numbers.count(number) > 1}:
            wrong.append(f"games.jsonl counts {sorted(repeated)} more than once")
        if missing := set(range(len(set(numbers)))) - set(numbers):
            wrong.append(f"games.jsonl lacks {sorted(missing)}")
    return wrong


def joined(parts: Iterable[list[str]]) -> list[str]:
    """All complaints in one list, each once."""
    return list(dict.fromkeys(complaint for part in parts for complaint in part))

"""Damage in the folders of runs, and the same command again: an equal result, or a sentence that says what to do."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from damage import KINDS
from lab import Lab
from programs import ADVICE, REFUSED
from works import IMITATION, SELFPLAY, SOLVE, WORKS, Work, files_in

OTHER_RESULT = "result is not that of"
"""The words of a program that goes on without samples that are lost."""
BY_NAME = {work.name: work for work in WORKS}
DRAWN = 6
"""The files of a run that are damaged; another seed draws others."""


def half_done(lab: Lab, work: Work) -> Path:
    """Return the folder of a work that was killed before its end, a run with a saved state."""
    while True:
        out = lab.fresh()
        program = lab.start(*work.words(out, lab.inputs))
        state = out / "run" / "state.json"
        while program.poll() is None and not (state.exists() if work.target == "run" else files_in(out)):
            program.wait(0.02)
        program.wait(lab.random.uniform(0.0, 0.3))
        program.send(signal.SIGKILL)
        program.finish()
        if files_in(out) and not (out / "run" / "done").exists():
            return out


def kinds_of_files(folder: Path) -> dict[str, Path]:
    """Return the newest file of each kind: names without numbers and hashes."""
    paths = sorted(files_in(folder), key=lambda path: path.stat().st_mtime)
    names = {path.relative_to(folder).as_posix(): path for path in paths if path.suffix != ".lock"}
    return {re.sub(r"[0-9a-f]{16}|\d+", "N", name): names[name] for name in names if "tensorboard" not in name}


def taken_up(lab: Lab, work: Work, out: Path, names: set[str], kind: str, is_finished: bool = False) -> None:
    """Damage these files of a run and repeat its command.

    One bit of a text without a checksum cannot be seen, a finished run needs only its networks, and of these a run
    reads the `.onnx` of its champion: other files are not compared.
    """
    files = kinds_of_files(out)
    champion = out / "run" / "champion"
    name_of_champion = champion.read_text().strip() if champion.exists() else ""
    chosen = [files[name] for name in sorted(names & set(files))]
    for path in chosen:
        KINDS[kind](path, lab.random)
    outcome = lab.run(*work.words(out, lab.inputs))
    case = kind, [str(path.relative_to(out)) for path in chosen]
    assert outcome.wrong((*work.codes, REFUSED)) == [], case
    if outcome.code == REFUSED:
        assert ADVICE.search(outcome.sentence), (case, outcome.sentence)
        assert out.name in outcome.err, (case, outcome.sentence)
    elif OTHER_RESULT not in outcome.err:
        is_seen = {
            path: path.suffix in (".onnx", ".safetensors") or path.name == "champion"
            if is_finished
            else kind != "one bit" or path.suffix in (".onnx", ".safetensors", ".parquet")
            for path in chosen
        }
        networks = [path for path in chosen if path.parent.name == "nets"]
        is_seen |= {path: path.suffix == ".onnx" and path.stem == name_of_champion for path in networks}
        unseen = {path.relative_to(out).as_posix() for path in chosen if not is_seen[path]}
        results = work.result(out, outcome.out), lab.site.reference(work)[1]
        actual, expected = ({n: v for n, v in result.items() if n not in unseen} for result in results)  # type: ignore[attr-defined]
        assert actual == expected, case


@pytest.mark.parametrize("is_finished", [False, True], ids=["killed", "finished"])
@pytest.mark.parametrize("work", [IMITATION, SELFPLAY], ids=lambda work: work.name)
def test_a_run_with_a_damaged_file_goes_on_or_says_what_to_do(lab: Lab, work: Work, is_finished: bool) -> None:
    source = lab.site.reference(work)[0] if is_finished else half_done(lab, work)
    for _ in range(DRAWN):
        name, kind = lab.random.choice(sorted(kinds_of_files(source))), lab.random.choice(sorted(KINDS))
        taken_up(lab, work, lab.copy(source), {name}, kind, is_finished)


@pytest.mark.parametrize(
    "work", [IMITATION, BY_NAME["train dqn"], SELFPLAY, SOLVE, BY_NAME["teach"]], ids=lambda work: work.name
)
def test_work_goes_on_after_its_newest_files_are_lost(lab: Lab, work: Work) -> None:
    source = half_done(lab, work)
    names = set(kinds_of_files(source))
    for group in ({lab.random.choice(sorted(names))}, names - {"run/config.toml"}):
        taken_up(lab, work, lab.copy(source), group, lab.random.choice(("empty", "cut", "NUL tail")))

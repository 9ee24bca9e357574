"""Damage in the folders of runs, and what a power cut leaves there; then the same command again."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from fault_trials import damage, judge
from fault_trials.bench import Bench, Reference
from fault_trials.record import Case
from fault_trials.works import BY_NAME, IMITATION_RUN, SELFPLAY_RUN, SOLVE, Work

DAMAGED, CUT = "damaged run folders", "power cut: the newest files are lost"
POWER_CUTS = ("empty", "cut", "NUL tail")
DRAWN = 3
"""Ways of damage that are drawn for each kind of file; another seed draws others."""
TEXTS = (".toml", ".json", ".jsonl", "")
BESIDE = {
    "power cut, replayed": ("power_cut.py", "--lines", "--cuts", "1"),
    "false proofs": ("forged_rows.py", "--lines", "--time", "5", "--share", "0.2"),
}
"""Faults that have a script of their own, with its arguments. It stands beside `faults.py`, prints a line `held: ...`
or `lost: ...` for each trial, and ends with code 0 if all held."""
BESIDE_LIMIT = 900.0
"""Seconds that such a script may take."""
KILL_AT = 0.7
"""The share of its time after which a run is killed, to have a saved state."""


def cases() -> Iterator[Case]:
    """All faults of run folders."""
    kinds = tuple(damage.ALL)
    for title, work, finished in (
        ("imitation", IMITATION_RUN, False),
        ("imitation, finished", IMITATION_RUN, True),
        ("self-play", SELFPLAY_RUN, False),
    ):
        yield Case(DAMAGED, title, partial(damaged, work=work, kinds=kinds, drawn=DRAWN, finished=finished), 90)
    for work in (IMITATION_RUN, BY_NAME["train dqn"], SELFPLAY_RUN, SOLVE, BY_NAME["teach"]):
        yield Case(CUT, work.name, partial(power_cut, work=work), 60)
    for fault, (script, *words) in BESIDE.items():
        yield Case(fault, script, partial(beside, script=script, words=words), 600)


def half_done(bench: Bench, work: Work) -> Path:
    """A copy of the folder of a work that was killed before its end, with a saved state."""

    def make() -> Reference:
        expected = bench.reference(work)
        for _ in range(5):
            out = bench.site.folder / "half-done" / f"{work.slug}-{bench.random.randrange(10**9)}"
            work.begin(out, bench.site)
            program = bench.start(*work.words(out, bench.site))
            if work.target == "run":
                while program.poll() is None and not (out / "run" / "state.json").exists():
                    program.wait(0.02)
            else:
                program.wait(KILL_AT * expected.seconds)
            program.send(signal.SIGKILL)
            program.finish()
            if judge.files_in(out) and not (out / "run" / "done").exists():
                break
        return Reference(out, {}, 0.0)

    return bench.copy(bench.site.once(f"half of {work.name}", make).folder)


def kinds_of_files(folder: Path) -> dict[str, Path]:
    """One file of each kind below a folder, the newest: names without numbers and hashes."""
    result: dict[str, Path] = {}
    for path in sorted(judge.files_in(folder), key=lambda path: path.stat().st_mtime):
        name = path.relative_to(folder).as_posix()
        if "tensorboard" not in name:
            result[re.sub(r"[0-9a-f]{16}|\d+", "N", name)] = path
    return result


def damaged(bench: Bench, work: Work, kinds: tuple[str, ...], drawn: int, finished: bool) -> None:
    """Damage one file of a run; the same command then gives the equal result, or says what to do.

    So many of the kinds are drawn for each file. `finished` runs have other files than killed ones.
    """

    def copy() -> Path:
        return bench.copy(bench.reference(work).folder) if finished else half_done(bench, work)

    for name in kinds_of_files(copy()):
        for kind in bench.random.sample(kinds, drawn):
            _once_more(bench, work, copy(), {name}, kind, finished)


def power_cut(bench: Bench, work: Work) -> None:
    """The newest file of each kind is lost, alone and all of them."""
    names = set(kinds_of_files(half_done(bench, work)))
    for kind in POWER_CUTS:
        for group in ({bench.random.choice(sorted(names))}, names - {"run/config.toml"}):
            _once_more(bench, work, half_done(bench, work), group, kind)


def _once_more(bench: Bench, work: Work, out: Path, names: set[str], kind: str, finished: bool = False) -> None:
    """Damage these files, and run the same command.

    One bit of a text without a checksum cannot be seen; a finished run needs only its network. Such a file itself is
    then not compared.
    """
    files = kinds_of_files(out)
    chosen = [files[name] for name in sorted(names & set(files))]
    for path in chosen:
        damage.ALL[kind](path, bench.random)
    outcome = bench.run(*work.words(out, bench.site))
    wrong = judge.complaints(outcome, (*work.codes, judge.REFUSED))
    if outcome.code == judge.REFUSED:
        wrong += judge.says_what_to_do(outcome)
        if out.name not in outcome.err:
            wrong.append(f"the error names no file of the folder: {judge.sentence(outcome)}")
    elif outcome.code in work.codes:
        expected = bench.reference(work).result
        unseen = {name for name in expected for path in chosen if kind == "one bit" and _is_text(path, name)}
        if finished:
            unseen |= {path.relative_to(out / work.target).as_posix() for path in chosen if not _is_network(path)}
        if judge.OTHER_RESULT not in outcome.err:  # lost samples of self-play cannot be made again
            wrong += judge.differences(expected, work.result(out, outcome), unseen)
    if wrong:
        wrong = [f"{kind}: {', '.join(path.relative_to(out).as_posix() for path in chosen)}", *wrong]
    bench.tried(wrong, outcome)
    shutil.rmtree(out)


def _is_network(path: Path) -> bool:
    return path.parent.name == "nets" or path.name == "champion"


def _is_text(path: Path, name: str) -> bool:
    return path.suffix in TEXTS and path.name == Path(name).name


# --- scripts of their own ---------------------------------------------------------------------------------------------


def beside(bench: Bench, script: str, words: Sequence[str] = ()) -> None:
    """Run a script that stands beside `faults.py`, and count its lines."""
    path = Path(__file__).resolve().parents[1] / script
    if not path.exists():
        bench.skipped(f"there is no benchmarks/{script}")
        return
    program = bench.site.programs.start([sys.executable, str(path), *words], bench.folder, bench.environment())
    outcome = program.finish(BESIDE_LIMIT)
    for line in outcome.out.splitlines():
        verdict, _, text = line.partition(": ")
        if verdict in ("held", "lost"):
            bench.tried([text] if verdict == "lost" else [], outcome)
    if outcome.code or not bench.trials:
        bench.tried([*judge.complaints(outcome), f"no line 'held: ...' of {script}"], outcome)

"""Faults under the cache folder: damaged kernels and tables, no room, no folder, no permission."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from fault_trials import damage, judge
from fault_trials.bench import Bench, Reference, quota
from fault_trials.programs import Outcome
from fault_trials.record import Case
from fault_trials.works import SOLVE

KERNELS, TABLES, PACKS = "damaged kernels", "damaged tables", "damaged packs of kernels"
FULL, GONE, PAIR = "full disk under the cache", "cache removed or unwritable", "two at once, an empty cache"
WORDS = ("solve", "tiles-3x3", "867254301", "--with", "ida", "--estimate", "pdb-44", "--json")
OTHER = (*WORDS[:6], "pdb:1,3,5,7/2,4,6,8", "--json")
"""It needs another table, of the same shape and type."""
SMALL = "the small cache"
KERNEL_DAMAGES = ("empty", "cut", "one bit", "noise", "a folder in its place", "foreign")
TABLE_DAMAGES = (
    "empty", "cut", "one bit", "header", "noise", "a folder in its place", "checksum broken", "checksum gone",
    "a folder in place of the checksum", "foreign with its checksum", "wrong shape", "wrong type",
)  # fmt: skip
DISK_SIZES = ("100k", "200k", "250k", "600k")
PACK_PROCESSOR = "x86-64-v2"
PACK_MANIFEST = """
import json, pathlib, sys
from puzzlelab.engine.compiler.packs import MANIFEST, manifest_of, platform_triple
manifest = manifest_of((platform_triple(), sys.argv[2], ""))
(pathlib.Path(sys.argv[1]) / MANIFEST).write_text(json.dumps(manifest))
"""
"""Python that makes a folder of kernels a pack, as `puzzlelab warm --pack` does."""
FILE_LIMITS = (1, 16, 64)
"""Kilobytes that a file may have."""


def cases() -> Iterator[Case]:
    """All faults of caches."""
    for kind in KERNEL_DAMAGES:
        yield Case(KERNELS, kind, partial(kernels, kind=kind), 60)
    yield Case(KERNELS, "locks", locks, 15)
    for kind in TABLE_DAMAGES:
        yield Case(TABLES, kind, partial(tables, kind=kind), 12)
    yield Case(PACKS, "each kind", packs, 60)
    for size in DISK_SIZES:
        yield Case(FULL, f"a disk of {size}", partial(full, size=size), 25)
    for limit in FILE_LIMITS:
        yield Case(FULL, f"files of {limit} kB at most", partial(limited, kilobytes=limit), 25)
    yield Case(GONE, "removed while running", removed, 15)
    yield Case(GONE, "unwritable", unwritable, 20)
    yield Case(PAIR, "solve", pair, 40)


def small_cache(bench: Bench) -> tuple[Path, list[Any]]:
    """A copy of a cache that has only what two commands need, and what the first one answers."""

    def make() -> Reference:
        cache = bench.fresh("cache")
        env = {"PUZZLELAB_CACHE": str(cache)}
        outcome = bench.run(*WORDS, env=env)
        table = next((cache / "tables").glob("*.npy")).name
        files = len(list(cache.rglob("*.kernel"))) + 1
        for words in (OTHER, WORDS):
            outcome = bench.run(*words, env=env)
            if outcome.code:
                raise RuntimeError(f"{outcome.command} ended with code {outcome.code}: {outcome.err}")
        kept = shutil.copytree(cache, bench.site.folder / "small-cache")
        return Reference(kept, {"rows": answers(outcome), "table": table, "files": files}, outcome.seconds)

    reference = bench.site.once(SMALL, make)
    return bench.copy(reference.folder, "cache"), reference.result["rows"]


def answers(outcome: Outcome) -> list[Any]:
    """The rows that were printed, without times."""
    return [judge.without_times(line) for line in outcome.out.splitlines()]


def asked(bench: Bench, cache: Path, expected: list[Any], said: bool, fault: str = "") -> None:
    """Ask twice: the answer is right and something is `said` the first time, nothing the second time."""
    env = {"PUZZLELAB_CACHE": str(cache)}
    first, second = bench.run(*WORDS, env=env), bench.run(*WORDS, env=env)
    wrong = judge.complaints(first)
    if answers(first) != expected:
        wrong.append("another answer than with an undamaged cache")
    if said and not _notes(first):
        wrong.append("no sentence about the damage")
    wrong += [f"the second time: {each}" for each in judge.complaints(second, silent=True)]
    if answers(second) != expected:
        wrong.append("the second time: another answer")
    bench.tried(wrong + judge.litter(cache), first, fault)


def _notes(outcome: Outcome) -> list[str]:
    """What was said on standard error, but for compiling."""
    return [line for line in outcome.err.splitlines() if line.strip() and not line.startswith("Compiling ")]


# --- kernels ----------------------------------------------------------------------------------------------------------


def kernels(bench: Bench, kind: str, single: int = 3) -> None:
    """Damage some kernels one by one, then all of them."""
    cache, _ = small_cache(bench)
    names = sorted(path.relative_to(cache) for path in cache.rglob("*.kernel"))
    used = [name for name in names if "ida_kernels" in name.name]  # the others build tables
    others = [name for name in names if name not in used]
    chosen = used[:1] + bench.random.sample(others, single - 1)
    for targets in [*([name] for name in chosen), names]:
        cache, expected = small_cache(bench)
        for name in targets:
            _damage_kernel(bench, cache / name, kind)
        if len(targets) > 1:  # and the table too, so that every kernel is needed
            shutil.rmtree(cache / "tables")
        asked(bench, cache, expected, said=any(name in used for name in targets) and kind != "a folder in its place")


def _damage_kernel(bench: Bench, path: Path, kind: str) -> None:
    if kind == "foreign":
        others = sorted(set(path.parent.glob("*.kernel")) - {path})
        shutil.copy(bench.random.choice([each for each in others if each.is_file()]), path)
    else:
        damage.ALL[kind](path, bench.random)


def locks(bench: Bench) -> None:
    """Folders and noise in the place of the files of locks."""
    for kind in ("a folder in its place", "noise"):
        cache, expected = small_cache(bench)
        for path in cache.rglob("*.lock"):
            damage.ALL[kind](path, bench.random)
        asked(bench, cache, expected, said=False)


def packs(bench: Bench) -> None:
    """Damage a pack of kernels for a common processor; the cache has tables alone."""
    source, expected = small_cache(bench)
    pack, cache = bench.fresh("pack"), bench.fresh("cache")
    processor = {"NUMBA_CPU_NAME": PACK_PROCESSOR, "NUMBA_CPU_FEATURES": "", "PUZZLELAB_CACHE": str(cache)}
    if bench.run(*WORDS, env=processor).code:
        bench.skipped(f"no kernels for the processor {PACK_PROCESSOR} can be made here")
        return
    for path in cache.rglob("*.kernel"):
        shutil.copy(path, pack)
    bench.python(PACK_MANIFEST, str(pack), PACK_PROCESSOR)
    for kind in ("none", "empty", "cut", "one bit", "noise", "a folder in its place", "manifest"):
        damaged, cache = bench.copy(pack, "pack"), bench.fresh("cache")
        shutil.copytree(source / "tables", cache / "tables")
        for path in damaged.glob("*.kernel") if kind in damage.ALL else damaged.glob("*.json"):
            if kind != "none":
                damage.ALL["cut" if kind == "manifest" else kind](path, bench.random)
        env = {"PUZZLELAB_CACHE": str(cache), "PUZZLELAB_KERNELS": str(damaged)}
        outcome = bench.run(*WORDS, env=env)
        wrong = _right(outcome, expected, silent=kind == "none")
        if kind not in ("none", "a folder in its place") and not _notes(outcome):
            wrong.append("no sentence about the damage")
        bench.tried(wrong, outcome)
        if kind != "manifest":  # a pack that is not one is said each time
            outcome = bench.run(*WORDS, env=env)
            bench.tried(_right(outcome, expected, silent=True), outcome)


# --- tables -----------------------------------------------------------------------------------------------------------


def tables(bench: Bench, kind: str) -> None:
    """Damage the table that the command needs."""
    cache, expected = small_cache(bench)
    table = cache / "tables" / bench.site.reference(SMALL).result["table"]
    checksum = table.with_suffix(".json")
    silent = kind == "checksum gone"  # then there is no table
    if kind == "checksum broken":
        checksum.write_text('{"crc32": "none"')
    elif kind == "checksum gone":
        checksum.unlink()
    elif kind == "a folder in place of the checksum":
        damage.folder(checksum, bench.random)
    elif kind == "foreign with its checksum":
        other = next(path for path in table.parent.glob("*.npy") if path != table)
        shutil.copy(other, table)
        shutil.copy(other.with_suffix(".json"), checksum)
    elif kind in ("wrong shape", "wrong type"):
        _rewrite(table, kind)
    elif kind == "header":
        content = bytearray(table.read_bytes())
        content[10:30] = b"?" * 20
        table.write_bytes(content)
    else:
        damage.ALL[kind](table, bench.random)
    asked(bench, cache, expected, said=not silent)


def _rewrite(table: Path, kind: str) -> None:
    """Another shape or type, with a right checksum."""
    import numpy as np

    values = np.load(table, allow_pickle=False)
    np.save(table, values.ravel()[: values.size // 2] if kind == "wrong shape" else values.astype(np.float64))
    checksum = table.with_suffix(".json")
    fields = json.loads(checksum.read_text())
    fields["crc32"] = zlib.crc32(table.read_bytes())
    checksum.write_text(json.dumps(fields))


# --- no room, no folder -----------------------------------------------------------------------------------------------


def full(bench: Bench, size: str) -> None:
    """An empty cache on a small disk; then there is room."""
    _, expected = small_cache(bench)
    with bench.small_disk(size) as disk:
        if disk is None:
            bench.skipped("no small disk can be mounted here")
            return
        outcome = bench.run(*WORDS, env={"PUZZLELAB_CACHE": str(disk)})
        kept = list(disk.rglob("*.kernel")) + list(disk.rglob("*.npy"))
        fits = len(kept) == bench.site.reference(SMALL).result["files"]
        bench.tried(_right(outcome, expected) + ([] if fits else judge.names_path(outcome, disk)), outcome)
        bench.grow(disk)
        for silent in (False, True):
            outcome = bench.run(*WORDS, env={"PUZZLELAB_CACHE": str(disk)})
            bench.tried(_right(outcome, expected, silent) + judge.litter(disk), outcome)


def limited(bench: Bench, kilobytes: int) -> None:
    """A quota on the size of files; then none."""
    _, expected = small_cache(bench)
    cache = bench.fresh("cache")
    env = {"PUZZLELAB_CACHE": str(cache)}
    outcome = bench.run(*WORDS, env=env, shell=quota(kilobytes))
    bench.tried(_right(outcome, expected), outcome)
    for silent in (False, True):
        outcome = bench.run(*WORDS, env=env)
        bench.tried(_right(outcome, expected, silent) + judge.litter(cache), outcome)


def _right(outcome: Outcome, expected: list[Any], silent: bool = False) -> list[str]:
    wrong = judge.complaints(outcome, silent=silent)
    return wrong + (["another answer than with a good cache"] if answers(outcome) != expected else [])


def removed(bench: Bench) -> None:
    """The cache is removed while a command works, and before the next one."""
    expected = bench.reference(SOLVE)
    cache = bench.copy(bench.site.cache, "cache")
    out = bench.fresh()
    program = bench.start(*SOLVE.words(out, bench.site), env={"PUZZLELAB_CACHE": str(cache)})
    program.wait(expected.seconds * bench.random.uniform(0.3, 0.8))
    shutil.rmtree(cache, ignore_errors=True)
    outcome = program.finish()
    bench.tried(judge.complaints(outcome) + SOLVE.wrong(expected.result, out, outcome), outcome)
    small, rows = small_cache(bench)
    shutil.rmtree(small)
    outcome = bench.run(*WORDS, env={"PUZZLELAB_CACHE": str(small)})
    bench.tried(_right(outcome, rows), outcome)


def unwritable(bench: Bench) -> None:
    """A file in the place of the folder, no home, and a home that is a file."""
    _, expected = small_cache(bench)
    file = bench.folder / "a-file"
    file.write_text("a file")
    none = dict.fromkeys(("PUZZLELAB_CACHE", "XDG_CACHE_HOME", "HOME"))
    home = str(bench.fresh("home"))
    for env in ({"PUZZLELAB_CACHE": str(file)}, {**none, "HOME": str(file)}, none, {**none, "HOME": home}):
        if env is none and (Path.home() / ".cache").exists():  # the system knows the home; do not write there
            env = {**none, "HOME": "/nonexistent"}
        outcome = bench.run(*WORDS, env=env)
        bench.tried(_right(outcome, expected), outcome)
    bench.tried(bench.left_behind())


def pair(bench: Bench) -> None:
    """Two programs start at once with an empty cache."""
    _, expected = small_cache(bench)
    cache = bench.fresh("cache")
    env = {"PUZZLELAB_CACHE": str(cache)}
    both = [bench.start(*WORDS, env=env) for _ in range(2)]
    for outcome in [program.finish() for program in both]:
        bench.tried(_right(outcome, expected) + judge.litter(cache), outcome)
    outcome = bench.run(*WORDS, env=env)
    bench.tried(_right(outcome, expected, silent=True), outcome)

"""Damage, quotas and missing folders under the cache: the answer is right, and the damage is mended."""

from __future__ import annotations

import json
import shutil
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import KINDS
from lab import Lab, Site
from test_outputs import quota
from works import SOLVE, litter

Cache = tuple[Path, str, list[Any]]
"""A folder, the name of a table in it, and the rows of an answer."""
WORDS = ("solve", "tiles-3x3", "867254301", "--with", "ida", "--estimate", "pdb-44", "--json")
OTHER = (*WORDS[:6], "pdb:1,3,5,7/2,4,6,8")
"""It needs another table, of the same shape and type."""


@pytest.fixture(scope="session")
def small_cache(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Cache:
    """A cache with what two commands need, the name of the first one's table, and its answer."""
    lab = Lab(site, tmp_path_factory.mktemp("cache"), None)  # type: ignore[arg-type]
    cache = lab.fresh("cache")
    lab.run(*WORDS, PUZZLELAB_CACHE=cache)
    table = next((cache / "tables").glob("*.npy")).name
    lab.run(*OTHER, PUZZLELAB_CACHE=cache)
    return cache, table, lab.run(*WORDS, PUZZLELAB_CACHE=cache).rows


def answers(lab: Lab, expected: list[Any], cache: Path, is_said: bool = False, **variables: object) -> None:
    """Ask twice: the answer is right, the damage is said the first time, and nothing is said the second time."""
    first, second = (lab.run(*WORDS, PUZZLELAB_CACHE=cache, **variables) for _ in range(2))
    assert [first.wrong(), second.wrong(silent=True)] == [[], []]
    assert [first.rows, second.rows] == [expected, expected]
    assert bool(first.notes) or not is_said
    assert litter(cache) == []


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_kernels_are_compiled_again(lab: Lab, small_cache: Cache, kind: str) -> None:
    source, _, expected = small_cache
    names = sorted(path.relative_to(source) for path in source.rglob("*.kernel"))
    for chosen in ([lab.random.choice(names)], names):
        cache = lab.copy(source)
        for name in chosen:
            KINDS[kind](cache / name, lab.random)
        if len(chosen) > 1:
            shutil.rmtree(cache / "tables")
        is_said = len(chosen) > 1 and kind not in ("folder", "missing", "foreign")
        answers(lab, expected, cache, is_said)


@pytest.mark.parametrize("kind", ["noise", "folder"])
def test_damaged_locks_change_nothing(lab: Lab, small_cache: Cache, kind: str) -> None:
    source, _, expected = small_cache
    cache = lab.copy(source)
    for path in cache.rglob("*.lock"):
        KINDS[kind](path, lab.random)
    answers(lab, expected, cache)


@pytest.mark.parametrize(
    "kind", [*KINDS, "card broken", "card missing", "card a folder", "foreign with its card", "shape", "type"]
)
def test_a_damaged_table_is_made_again(lab: Lab, small_cache: Cache, kind: str) -> None:
    source, name, expected = small_cache
    cache = lab.copy(source)
    table = cache / "tables" / name
    card = table.with_suffix(".json")
    if kind == "card broken":
        card.write_text('{"crc32": "none"')
    elif kind.startswith("card"):
        KINDS[kind.rsplit(maxsplit=1)[-1]](card, lab.random)
    elif kind in ("shape", "type"):
        values = np.load(table, allow_pickle=False)
        np.save(table, values.ravel()[: values.size // 2] if kind == "shape" else values.astype(np.float64))
        card.write_text(json.dumps({**json.loads(card.read_text()), "crc32": zlib.crc32(table.read_bytes())}))
    else:
        KINDS[kind.partition(" ")[0] if kind.startswith("foreign") else kind](table, lab.random)
        if kind == "foreign with its card":
            KINDS["foreign"](card, lab.random)
    answers(lab, expected, cache, is_said=kind not in ("card missing", "missing"))


@pytest.mark.parametrize("kilobytes", [1, 16, 64])
def test_a_quota_under_the_cache_costs_no_answer(lab: Lab, small_cache: Cache, kilobytes: int) -> None:
    cache = lab.fresh("cache")
    outcome = lab.run(*WORDS, PUZZLELAB_CACHE=cache, shell=quota(kilobytes))
    assert outcome.wrong() == []
    assert outcome.rows == small_cache[2]
    answers(lab, small_cache[2], cache)


@pytest.mark.parametrize("kind", ["a file", "a home that is a file", "no home"])
def test_a_cache_that_cannot_be_written_costs_no_answer(lab: Lab, small_cache: Cache, kind: str) -> None:
    file = lab.fresh() / "file"
    file.write_text("a file")
    none = dict.fromkeys(("PUZZLELAB_CACHE", "XDG_CACHE_HOME", "HOME"))
    variables = {"a file": {"PUZZLELAB_CACHE": file}, "no home": {**none, "HOME": "/nonexistent"}}
    outcome = lab.run(*WORDS, **variables.get(kind, {**none, "HOME": file}))
    assert outcome.wrong() == []
    assert outcome.rows == small_cache[2]
    assert lab.left_behind() == []


def test_a_cache_that_is_removed_costs_no_answer(lab: Lab) -> None:
    _, expected = lab.site.reference(SOLVE)
    cache, out = lab.copy(lab.site.cache), lab.fresh()
    program = lab.start(*SOLVE.words(out, lab.inputs), PUZZLELAB_CACHE=cache)
    program.wait(lab.random.uniform(0.5, 3.0))
    shutil.rmtree(cache, ignore_errors=True)
    outcome = program.finish()
    assert outcome.wrong() == []
    assert SOLVE.result(out, outcome.out) == expected


def test_two_at_once_share_an_empty_cache(lab: Lab, small_cache: Cache) -> None:
    cache = lab.fresh("cache")
    both = [lab.start(*WORDS, PUZZLELAB_CACHE=cache) for _ in range(2)]
    outcomes = [program.finish() for program in both]
    assert [each.wrong() for each in outcomes] == [[], []]
    assert [each.rows for each in outcomes] == 2 * [small_cache[2]]
    answers(lab, small_cache[2], cache)

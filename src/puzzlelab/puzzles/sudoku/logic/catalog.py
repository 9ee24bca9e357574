"""The families of techniques, each imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from puzzlelab.puzzles.sudoku.logic.position import Position
from puzzlelab.puzzles.sudoku.logic.steps import Evidence, Found, Sentence, evidence_of, find_steps
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

FAMILIES = (
    "singles",
    "locked",
    "subsets",
    "basic_fish",
    "finned_fish",
    "strong_links",
    "dual_kites",
    "empty_rectangle",
    "colouring",
    "remote_pairs",
    "wings",
    "loops",
    "uniqueness",
    "long_wings",
    "bug",
    "aligned",
    "aic",
    "als",
    "sue_de_coq",
    "blossoms",
    "complex_fish",
    "forcing",
    "forcing_nets",
    "templates",
    "forcing_nested",
)
"""The modules that give `families()`, the records of their searches, and `SENTENCES`; the easiest first."""


def family_of(name: str) -> Any:
    """Return the module of a family."""
    return import_module(f"puzzlelab.puzzles.sudoku.logic.{name}")


def steps_of(name: str, position: Position, found: Found) -> list[Evidence]:
    """Return the different steps of a family that are possible in a position: of each search as many as fit."""
    steps: list[Evidence] = []
    for record in families_in(name):
        find_steps(record, position, found)
        steps += evidence_of(found)
    return list(dict.fromkeys(steps))


def families_in(name: str) -> Sequence[Any]:
    """Return the records of the searches of a module."""
    records: Sequence[Any] = family_of(name).families()
    return records


def sentence(step: Evidence, name: str) -> str:
    """Return the sentence that explains a step of a family."""
    sentences: Mapping[Technique, Sentence] = family_of(name).SENTENCES
    return sentences[step.technique](step)


def explained(step: Evidence) -> str:
    """Return the sentence that explains a step of any family."""
    return next(sentence(step, name) for name in FAMILIES if step.technique in family_of(name).SENTENCES)

"""Boards of dust that come with the package."""

from __future__ import annotations

from collections.abc import Mapping

from puzzlelab.core.puzzle import Example

EXAMPLES: Mapping[str, Mapping[str, Example]] = {
    "dust-8x6x5": {
        "document": Example(
            "OBBGRBRY/GGYYYRGR/GOOYOYOG/OYGGORRO/GOYRYYYY/YRRGOGRY",
            "printed in 2021 beside a network that clears it in 17 clicks, and a search of 15 seconds that needs 18",
        ),
    },
}


def of(name: str) -> Mapping[str, Example]:
    """Return the boards with a name of the puzzle with this name."""
    return EXAMPLES.get(name, {})

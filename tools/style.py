"""What the code's style can be counted by; `make check` runs it, and it fails where a count is above its limit.

Each count is printed with its limit and, where it is above, with the places. The checks are in `style_checks`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from style_checks import calls, names, repetition, systems
from style_checks.modules import Module, modules

CHECKS: tuple[tuple[str, Callable[[list[Module]], Iterator[str]], int], ...] = (
    ("class names used twice", names.class_names_used_twice, 0),
    ("getattr, hasattr or signature on puzzles and solvers", names.undeclared_attributes, 0),
    (f"words of puzzles in {', '.join(names.GENERAL)}", names.words_of_puzzles, 0),
    (f"packages with less than {names.OVERVIEW_LINES} lines of overview", names.packages_without_overview, 0),
    (f"calls with more than {calls.POSITIONAL} positional arguments", calls.long_calls, 0),
    (f"alike blocks of {repetition.LINES} lines in {repetition.FOLDER}", repetition.alike_blocks, 1),
    ("calls of one system without a branch for others", systems.posix_only, 0),
)
"""What is counted, by which check, and the most that is allowed."""


def main() -> int:
    """Print every count; 1 if one is above its limit."""
    code, failed = modules(), False
    for title, check, most in CHECKS:
        places = list(check(code))
        print(f"{title}: {len(places)} (at most {most})")
        if len(places) > most or (places and "-v" in sys.argv):
            failed |= len(places) > most
            print("\n".join(f"  {place}" for place in places))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

"""Finds sentences that a stranger stumbles over, by patterns: `python tools/prose.py`; `make check` runs it.

It reads the README, the documents, and the sources, whose docstrings and help texts are prose too. A pattern is no
proof of a bad sentence, but each of these had a plainer one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/*.md",
    "src/**/*.py",
    "src/**/*.js",
    "src/**/*.html",
)
PATTERNS = {
    r"\b(whoever|somebody|nobody|everybody)\b": "a private person: name the user, the program or the file",
    r"(^|[.:;] |- )Who [a-z]+ [^?]*\.": "a relative clause without a subject: 'A user who ...' or 'Programs that ...'",
    r"\bwhat is to be\b": "a riddle: say what it is",
    r"\b(asks|tells) (nobody|everybody|all of it)\b": "a program neither asks nor tells: name what it reads or prints",
    r"\bin anybody's way\b": "a private metaphor",
    r"\bby the letter\b": "a private metaphor",
    r"\b(anybody|anyone's|of late|one's own)\b": "a private person or phrase: name the user, or leave it out",
}
"""Patterns, and what is wrong with what they match."""
IN_DOCUMENTS = {
    r"\b(asks|asked|tells|told)\b": "a program that speaks: say what it reads, prints, calls or needs",
    r"\b(takes|is taken) for\b": "an idiom: 'counts as', or 'is accepted as'",
    r"\bpassed over\b": "an idiom: 'is ignored', or 'is skipped'",
    r"\bhold(s|ing)? (it|them|this|that|\w+) against\b": "an idiom: 'compares'",
    r"\bwhat (speaks|tells|stands) \w+": "a metaphor: name the thing",
}
"""Further patterns, for the documents alone."""


def findings() -> Iterator[str]:
    """The lines that match a pattern, with the file, the number and the reason."""
    for pattern in FILES:
        for path in sorted(ROOT.glob(pattern)):
            if "generated" in path.parts or path.name == "documents.md":  # it quotes other authors
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                for wrong, why in (PATTERNS | (IN_DOCUMENTS if path.suffix == ".md" else {})).items():
                    if found := re.search(wrong, line, re.IGNORECASE if wrong.startswith(r"\b") else 0):
                        yield f"{path.relative_to(ROOT)}:{number}: '{found[0].strip()}': {why}"


def main() -> int:
    """Print the findings; 1 if there are any."""
    found = list(findings())
    print("\n".join([*found, f"sentences to be said more plainly: {len(found)} (at most 0)"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())

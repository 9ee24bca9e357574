"""A digest of the sources of this package: two machines with one digest compute the same."""

from __future__ import annotations

import hashlib
from functools import cache

from puzzlelab.version import PACKAGE

DIGITS = 12


@cache
def source_digest() -> str:
    """Return the hash of all modules of the package, as 12 hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:DIGITS]

"""Lets this environment import all that another one has installed: `python tools/share_packages.py .venv`."""

import sys
import sysconfig
from pathlib import Path


def main(other: str) -> None:
    """Write a file of this environment's packages that adds those of the other one at each start."""
    mine = Path(sysconfig.get_path("purelib"))
    theirs = Path(other).resolve() / mine.relative_to(sys.prefix)
    (mine / "shared.pth").write_text(f"import site; site.addsitedir({str(theirs)!r})\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])

"""Installs with pip, and says what it is doing and since when: `python tools/install.py WHAT_PIP_INSTALLS ...`.

A line for each stage and each large download, and one every fifteen seconds besides, on a terminal and in a file alike.
"""

import os
import re
import subprocess
import sys
import threading
import time

SILENCE = 15
"""Seconds after which it says again what it is waiting for."""
LARGE = re.compile(r"\d+(\.\d+)? [MG]B")
STAGES = (
    (re.compile(r"Downloading (?P<name>[^-\s]+)-(?P<version>[^-\s]+)\S* \((?P<size>[^)]+)\)"), "downloading"),
    (re.compile(r"Building (wheel|editable)"), "building"),
    (re.compile(r"Installing collected packages: (?P<names>.+)"), "unpacking"),
)


def stage(line: str) -> str | None:
    """What pip has begun, in words; None for what takes no time."""
    for pattern, words in STAGES:
        if found := pattern.search(line):
            names = found.groupdict()
            if "size" in names:
                return f"{words} {names['name']} {names['version']} ({names['size']})"
            return f"{words} {names['names'].count(',') + 1} packages" if "names" in names else f"{words} puzzlelab"
    return None


def main(wanted: list[str]) -> int:
    """Run pip; its exit code."""
    began, doing, over = time.monotonic(), "asking which packages and versions are needed", threading.Event()

    def tell() -> None:
        print(f"{time.monotonic() - began:5.0f} s  {doing}", flush=True)

    def remind() -> None:
        while not over.wait(SILENCE):
            tell()

    # Bytecode is made at the first import of a module: pip would make that of all PyTorch, for half a minute.
    options = ["--disable-pip-version-check", "install", "--progress-bar", "off", "--no-compile"]
    pip = [sys.executable, "-m", "pip", *options, *wanted]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PIP_NO_COLOR": "1"}
    tell()
    threading.Thread(target=remind, daemon=True).start()
    with subprocess.Popen(pip, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stdout or ():
            if (words := stage(line)) and words != doing and ".metadata" not in line:
                doing = words
                if "downloading" not in words or LARGE.search(words):
                    tell()
    over.set()
    doing = "installed" if process.returncode == 0 else "pip has failed; what is wrong stands above"
    tell()
    return process.returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

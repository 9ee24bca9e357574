"""The version that every row carries, and the folder of the package."""

from pathlib import Path

VERSION = "0.1.0"
PACKAGE = Path(__file__).resolve().parent

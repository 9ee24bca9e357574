"""The version that every row carries."""

VERSION = "0.1.0"

"""Marks the wheel as one for this version of Python and this platform."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Tags(BuildHookInterface[Any]):
    """Hatchling's hook."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Machine code is not pure Python."""
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

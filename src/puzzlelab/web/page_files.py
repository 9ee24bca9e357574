"""Serves the page: files that are made from its modules when the server starts, and the others from their folder."""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from puzzlelab.core import registry
from puzzlelab.engine import installed
from puzzlelab.web.bundle import make_bundle
from puzzlelab.web.job_service import ServerLimits

STATIC = Path(__file__).with_name("static")
ANSWERS = Path(__file__).with_name("answers.json")
"""The answers of the API about the puzzles of the package; `tools/page_answers.py` writes it."""
PUZZLES = "puzzles/"
HASHED = re.compile(r"-[0-9a-f]{12}\.\w+$")
"""The end of a name that changes with the content."""
FOREVER = "public, max-age=31536000, immutable"
mimetypes.add_type("application/manifest+json", ".webmanifest")


def known_answers(limits: ServerLimits) -> dict[str, Any]:
    """Return answers of the API by their addresses, for the page to know without a request.

    Plug-ins change the answers about puzzles; then the page asks for them.
    """
    about_puzzles = {} if registry.has_plug_ins() else json.loads(ANSWERS.read_text(encoding="utf-8"))
    return {"limits": limits.model_dump(), **about_puzzles}


@dataclass(frozen=True)
class MadeFile:
    """A file in memory, also compressed."""

    content: bytes
    compressed: bytes
    headers: Mapping[str, str]

    @classmethod
    def of(cls, name: str, content: bytes) -> MadeFile:
        """Return a file of this name; browsers keep it for ever if its name changes with its content."""
        kind = mimetypes.guess_type(name)[0] or "text/html"
        headers = {
            "content-type": f"{kind}; charset=utf-8",
            "etag": f'"{hashlib.sha256(content).hexdigest()[:16]}"',
            "vary": "accept-encoding",
            **({"cache-control": FOREVER} if HASHED.search(name) else {}),
        }
        return cls(content, gzip.compress(content, mtime=0), headers)

    def response(self, asked: Headers) -> Response:
        """Return the file as the headers of the request ask for it."""
        if asked.get("if-none-match") == self.headers["etag"]:
            return NotModifiedResponse(Headers(self.headers))
        if "gzip" in asked.get("accept-encoding", ""):
            return Response(self.compressed, headers={**self.headers, "content-encoding": "gzip"})
        return Response(self.content, headers=dict(self.headers))


class PageFiles(StaticFiles):
    """The page, its modules as one file, and the modules of puzzle families of plug-ins (`Family.page`)."""

    def __init__(self, limits: ServerLimits) -> None:
        super().__init__(directory=STATIC, html=True)
        made = make_bundle(STATIC, known_answers(limits))
        self._made = {name: MadeFile.of(name, content) for name, content in made.items()}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the response for a path below the page."""
        made = self._made.get("" if path == "." else path.replace(os.sep, "/"))
        if made is not None and scope["method"] in ("GET", "HEAD"):
            return made.response(Headers(scope=scope))
        return await super().get_response(path, scope)

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        """Return the file of this name.

        For a module of a puzzle, in the folder of the family that its name begins with.
        """
        found = super().lookup_path(path)
        name = path.replace(os.sep, "/")
        if found[1] is not None or not name.startswith(PUZZLES):
            return found
        own_name = name.removeprefix(PUZZLES)
        wanted = re.split(r"[-.]", own_name, maxsplit=1)[0]
        folders = [family.page for each, family in installed.families() if each == wanted and family.page is not None]
        return StaticFiles(directory=folders[0]).lookup_path(own_name) if folders else found

"""Serves the page: files that are made from its modules when the server starts, and the others from their folder.

The modules and stylesheets of the page are joined into one file each, so that a browser asks for few files. The modules
keep to a few forms, which are found by their first words: `import {a, b} from "./x.js"`, `import * as x from "./x.js"`,
and `export` before a function, a class or a constant. A module becomes a function that returns its exports. Any other
form is an error.

In the place of every module that was joined there is a small one with the same exports: page modules of plug-ins import
`../dom.js` as before, and share its state with the page.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
import os
import posixpath
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


# --- joining ---

ENTRY = "app.js"
IMPORT = re.compile(r'^import (\{[^}]*\}|\* as \w+) from "(\.[\w./-]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function\*? |class |const )(\w+)", re.MULTILINE)
UNKNOWN = re.compile(r"^\s*(?:import\b(?!\()|export\b).*", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*(?:/\*\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
"""A comment with lines of its own."""
STYLESHEET = re.compile(r'  <link rel="stylesheet" href="([\w./-]+)">\n')
SCRIPT = re.compile(r'  <script type="module" src="([\w./-]+)"[^>]*></script>\n')


def make_bundle(folder: Path, answers: Mapping[str, object]) -> dict[str, bytes]:
    """Return the files of the page by their paths, as far as they differ from those in the folder.

    `answers` are answers of the API, by their addresses, that the page knows without a request.

    Raises:
        ValueError: for a module that cannot be joined with others.
    """
    page = (folder / "index.html").read_text(encoding="utf-8")
    scripts, sheets = SCRIPT.findall(page), STYLESHEET.findall(page)
    modules = _modules(folder, apart=set(scripts) - {ENTRY})
    script = "".join(_joined(name, text, modules) for name, text in modules.items())
    script += f"export const modules = {{ {', '.join(f'{name!r}: {_variable(name)}' for name in modules)} }};\n"
    style = COMMENT.sub("", "".join((folder / name).read_text(encoding="utf-8") for name in sheets))
    script_name, style_name = f"page-{_digest(script)}.js", f"style-{_digest(style)}.css"

    page = page.replace(f'src="{ENTRY}"', f'src="{script_name}"')
    page = STYLESHEET.sub("", page).replace("</head>", f"{_head(style_name, answers)}</head>")
    files = {script_name: script, style_name: style, "index.html": page, "": page}
    files |= {name: _stand_in(name, EXPORT.findall(text), script_name) for name, text in modules.items()}
    kept = [script_name, style_name, *(name for name in scripts if name != ENTRY), "icon.svg", "manifest.webmanifest"]
    files["worker.js"] = _worker(folder, _digest(page + "".join(kept)), ["./", *kept])
    return {name: text.encode() for name, text in files.items()}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


# --- modules ---


def _modules(folder: Path, apart: set[str]) -> dict[str, str]:
    """Return the modules that the entry needs, each after those that it imports itself; those `apart` stay files."""
    found: dict[str, str] = {}

    def add(name: str, importers: tuple[str, ...]) -> None:
        if name in found or name in apart:
            return
        if name in importers:
            raise ValueError(f"{name} imports itself, by {' and '.join(importers)}")
        text = (folder / name).read_text(encoding="utf-8")
        for _, imported in IMPORT.findall(text):
            add(_path(name, imported), (*importers, name))
        found[name] = text

    add(ENTRY, ())
    return found


def _path(importer: str, imported: str) -> str:
    """Return the path of an imported module, from the folder of the page."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), imported))


def _variable(name: str) -> str:
    return "m_" + re.sub(r"\W", "_", name.removesuffix(".js"))


def _joined(name: str, text: str, modules: Mapping[str, str]) -> str:
    """Return a module as a function that returns its exports; imports of modules that stay files are left before it."""
    before = ""

    def imported(found: re.Match[str]) -> str:
        nonlocal before
        names, path = found[1].removeprefix("* as "), _path(name, found[2])
        if path not in modules:
            before += found[0].replace(found[2], f"./{path}")
            return ""
        return f"const {names.replace(' as ', ': ')} = {_variable(path)};\n"

    exports = [word for _, word in EXPORT.findall(text)]
    body = COMMENT.sub("", EXPORT.sub(r"\1\2", IMPORT.sub(imported, text)))
    unknown = UNKNOWN.search(body)
    if unknown or ("import.meta" in body and "/" in name):
        raise ValueError(f"{name}: {unknown[0].strip() if unknown else 'import.meta in a subfolder'}")
    return f"{before}const {_variable(name)} = (() => {{\n{body}return {{ {', '.join(exports)} }};\n}})();\n"


def _stand_in(name: str, exports: list[tuple[str, str]], script: str) -> str:
    """Return a module with the exports of one that was joined."""
    up = "../" * name.count("/") or "./"
    lines = [f'import {{ modules }} from "{up}{script}";\n']
    lines += [f"export const {word} = modules[{name!r}].{word};\n" for _, word in exports]
    return "".join(lines)


# --- the page and its service worker ---


def _head(style: str, answers: Mapping[str, object]) -> str:
    """Return the end of the page's head: the stylesheet, and the answers, in which no tag can begin."""
    data = json.dumps(answers, separators=(",", ":")).replace("<", "\\u003c")
    return f'  <link rel="stylesheet" href="{style}">\n  <script type="application/json" id="answers">{data}</script>\n'


def _worker(folder: Path, version: str, files: list[str]) -> str:
    """Return the service worker, which keeps these files; another version of them gives another worker."""
    text = (folder / "worker.js").read_text(encoding="utf-8")
    return f"const VERSION = {json.dumps(version)};\nconst FILES = {json.dumps(files)};\n{COMMENT.sub('', text)}"

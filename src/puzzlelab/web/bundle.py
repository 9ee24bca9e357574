"""Joins the modules and stylesheets of the page into one file each, so that a browser asks for few files.

The modules keep to a few forms, which are found by their first words: `import {a, b} from "./x.js"`,
`import * as x from "./x.js"`, and `export` before a function, a class or a constant. A module becomes a function that
returns its exports. Any other form is an error.

In the place of every module that was joined there is a small one with the same exports: page modules of plug-ins import
`../dom.js` as before, and share its state with the page.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

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

"""Settings of Sphinx for the site: `make docs` builds it into build/docs, without the internet."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

from puzzlelab.version import VERSION  # noqa: E402

project = "puzzlelab"
author = "The puzzlelab developers"
copyright = "The puzzlelab developers"
release = version = VERSION

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "site_pages",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
exclude_patterns = ["_templates", "inventories"]
intersphinx_mapping = {"python": ("https://docs.python.org/3", "inventories/python.inv")}  # a file: builds are offline
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
nitpicky = True

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
autosummary_generate = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
nitpick_ignore_regex = [
    # Names of other libraries, and of parts of the package that are not public.
    (r"py:.*", r"(np|numpy|pydantic|annotated_types|types\.Annotated|optional)\b.*"),
    (r"py:.*", r"(NDArray|ArrayLike|Path|TypeVar)\b.*"),
    (r"py:.*", r"puzzlelab\.(core|text|storage|engine|analysis|conformance|jobs|puzzles|nets|api)\..*"),
    (r"py:.*", r"collections\.abc\.Mapping\[str"),  # of a property, whose type is split at its comma
    (r"py:.*", r"(Answers|Executor|PathLike|Source|OnStep|OnEvaluation|pyarrow\.Table|checked\.RandomSource)"),
]

html_theme = "furo"
html_title = "puzzlelab"
html_favicon = "../src/puzzlelab/web/static/icon.svg"
html_static_path: list[str] = []
html_show_sphinx = False
copybutton_prompt_text = r"\$ |>>> "
copybutton_prompt_is_regexp = True

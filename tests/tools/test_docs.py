"""What the documents show works: their Python runs, their commands exist, their links lead somewhere."""

import doctest
import re
import shlex
import textwrap
import tomllib
from pathlib import Path
from typing import Protocol

import pytest
import typer.main

import network_table
import package_map
import surface
import technique_table
from fenced_blocks import fenced_blocks
from puzzlelab.core import solver, views

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LIBRARIES = {
    "gymnasium": ("gymnasium",),
    "networks": ("onnx", "onnxscript"),
    "notebooks": ("pyarrow",),
    "python": ("pyarrow", "torch"),
}
"""Page -> the libraries that its Python needs beside those of the package."""
PLACEHOLDER = re.compile(r"[A-Z][A-Z.\]]*")


def named(page):
    return str(page.relative_to(ROOT))


def blocks(page, *languages):
    """The fenced blocks of a page in these languages."""
    return [block for language, block in fenced_blocks(page) if language in languages]


def commands(page):
    """The words of every `puzzlelab ...` line of a page, without what is only a pattern of a command."""
    lines = "\n".join(blocks(page, "", "sh", "console", "bash")).replace("\\\n", " ").splitlines()
    words = [shlex.split(line.removeprefix("$ "), comments=True) for line in lines if "puzzlelab" in line]
    return [line[1:] for line in words if line and line[0] == "puzzlelab" and not any(map(PLACEHOLDER.match, line))]


@pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # torch.onnx.export warns of its own code
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=named)
def test_python_of_the_documents_runs(page, tmp_path, monkeypatch):
    for library in LIBRARIES.get(page.stem, ()):
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    for example in blocks(page, "python"):
        if ">>>" in example:
            test = doctest.DocTestParser().get_doctest(example, names, named(page), str(page), 0)
            assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
            names = test.globs
        else:
            exec(compile(example, str(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_of_the_documents_exist(page):
    from puzzlelab.cli.main import app

    program = typer.main.get_command(app)
    for words in commands(page):
        if words[0].startswith("-"):
            continue
        verb = program.get_command(None, words[0])
        assert verb is not None, f"{named(page)}: puzzlelab {' '.join(words)}"
        while hasattr(verb, "commands"):
            words = words[1:]
            assert words[0] in verb.commands, f"{named(page)}: {' '.join(words)}"
            verb = verb.commands[words[0]]
        known = {option for parameter in verb.get_params(typer.Context(verb)) for option in parameter.opts}
        used = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert used <= known, f"{named(page)}: puzzlelab {' '.join(words)}"


# --- names: what is installed, options, variables and files ---

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
TUTORIALS = sorted((ROOT / "docs").glob("tutorial-*.md"))
OTHERS_OPTIONS = {
    *("--address", "--block", "--generate", "--head", "--num-cpus"),  # Ray
    *("--init", "--read-only", "--tmpfs"),  # Podman
    *("--no-deps", "--strict"),  # pip and mypy
}
OTHERS_FILES = "kernels/puzzlelab_kernels/pack|src/(solver_dpll_triad_simd|util).cc"
"""Files that a command makes, or that another program has."""


@pytest.mark.parametrize("page", [ROOT / "docs" / f"{name}.md" for name in ("index", "install")] + TUTORIALS, ids=named)
def test_a_newcomers_page_begins_with_a_command_that_installs_the_clone(page):
    lines = "\n".join(blocks(page, "", "sh")).splitlines()
    assert re.fullmatch(r"pip install '\.\[(web|learn)\]'", next(line for line in lines if "pip install" in line))
    assert not any(line.startswith("puzzlelab") for line in lines[:1])
    assert "clone" in page.read_text(encoding="utf-8").partition("pip install")[0]


def test_what_documents_and_errors_install_exists():
    texts = {page: page.read_text(encoding="utf-8") for page in PAGES}
    texts |= {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    for path, text in texts.items():
        for wanted, extras in re.findall(r"pip install '?(puzzlelab|\.)(\[[\w,{}]+\])?(?![\w/])", text):
            names = extras.strip("[]").split(",") if extras and "{" not in extras else ()
            assert set(names) <= EXTRAS.keys(), path
            assert f"'{wanted}{extras}'" in text or not extras, f"{path}: some shells expand what has no quotes"
            assert wanted == "." or path.suffix == ".py" or path.stem in ("install", "troubleshooting"), (
                f"{path}: where puzzlelab is not installed, no package of this name is found"
            )


def options_of(command):
    """All options of a command and of its subcommands."""
    found = {name for each in command.get_params(typer.Context(command)) for name in each.opts + each.secondary_opts}
    return found.union(*(options_of(command.get_command(None, name)) for name in getattr(command, "commands", ())))


@pytest.fixture(scope="module")
def known_options():
    from puzzlelab.cli.main import app

    scripts = [path for folder in ("benchmarks", "tools", "tests/faults") for path in (ROOT / folder).rglob("*.py")]
    written = {name for path in scripts for name in re.findall(r'"(--[\w-]+)"', path.read_text(encoding="utf-8"))}
    return options_of(typer.main.get_command(app)) | written | OTHERS_OPTIONS


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_options_variables_and_files_that_a_page_names_exist(page, known_options):
    text = page.read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```.*?^```$|`[^`\n]+`", text, re.DOTALL | re.MULTILINE))
    assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", code)) - known_options == set()
    sources = (
        "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")) + '"PUZZLELAB_BROWSER"'
    )
    assert [name for name in set(re.findall(r"PUZZLELAB_\w+", text)) if f'"{name}"' not in sources] == []
    files = set(re.findall(r"(?<![\w/-])(?:benchmarks|deploy|docs|examples|kernels|src|tests|tools)/[\w./-]*\w", code))
    assert [file for file in files if not (ROOT / file).exists() and not re.fullmatch(OTHERS_FILES, file)] == []


def test_files_that_commands_of_the_readme_read_are_there():
    lines = [words for words in commands(PAGES[0]) if "--file" in words]
    assert len(lines) >= 3
    for words in lines:
        assert (ROOT / words[words.index("--file") + 1]).is_file(), words


def test_every_variable_of_the_program_is_in_the_table_of_the_installation():
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    names = set(re.findall(r'"(PUZZLELAB_[A-Z_]+)"', sources)) - {"PUZZLELAB_PRIVATE_CACHE"}  # for its own processes
    assert len(names) > 8
    assert [name for name in names if f"`{name}`" not in page] == []


def test_the_readme_shows_the_verbs_that_matter():
    assert {"solve", "verify", "generate", "list"} <= {words[0] for words in commands(PAGES[0])}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


def slug(heading):
    """The name by which a link reaches a heading."""
    words = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_to_headings(page):
    links = re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    missing = []
    for file, anchor in links:
        if "://" in file:
            continue
        text = (page.parent / file if file else page).read_text(encoding="utf-8")
        if anchor not in map(slug, re.findall(r"^#+ (.*)$", text, re.MULTILINE)):
            missing.append(f"{file}#{anchor}")
    assert missing == []


def test_every_file_that_how_it_works_names_exists():
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    files = [f"/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "src").rglob("*") if path.is_file()]
    names = set(re.findall(r"`([\w/-]+\.(?:py|js))`", text))
    assert len(names) > 40
    assert [name for name in sorted(names) if not any(file.endswith(f"/{name}") for file in files)] == []


def test_the_drawing_of_the_packages_is_made_from_the_imports():
    page = (ROOT / "docs" / "packages.svg").read_text(encoding="utf-8")
    assert page == package_map.drawing(), "run python tools/package_map.py"


def test_arrows_that_follow_from_others_are_left_out():
    graph = {"cli": {"api", "engine", "core"}, "api": {"core", "engine"}, "engine": {"core"}, "core": set()}
    assert list(package_map.reduced(graph)) == [("cli", "api"), ("api", "engine"), ("engine", "core")]


def test_no_text_of_the_drawing_is_wider_than_its_box():
    for name, entry in package_map.ENTRIES.items():
        width = package_map.WIDE_WRAP if entry.column is None else package_map.WRAP
        lines = textwrap.wrap(entry.about, width)
        assert len(lines) <= (1 if entry.column is None else 2), name
        assert max(map(len, lines)) <= width, name


def test_the_table_of_what_may_be_offered_is_made_from_the_classes():
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    assert surface.BEGIN + surface.table() + surface.END in page, "run python tools/surface.py"
    declared = {kind for module in (views, solver) for kind in vars(module).values() if is_protocol(kind)}
    for kind in declared - {*surface.NO_VIEWS, solver.Solver, Protocol}:
        assert f"`{kind.__name__}`" in page, kind


def test_the_tables_of_inputs_and_outputs_are_made_from_the_code():
    page = network_table.PAGE.read_text(encoding="utf-8")
    assert network_table.BEGIN + network_table.table() + network_table.END in page, "run python tools/network_table.py"


def test_the_table_of_techniques_is_made_from_the_code():
    page = technique_table.PAGE.read_text(encoding="utf-8")
    table = technique_table.table()
    assert technique_table.BEGIN + table + technique_table.END in page, "run python tools/technique_table.py"


def is_protocol(kind):
    return isinstance(kind, type) and Protocol in kind.__mro__


def test_every_module_of_the_glossary_exists_and_no_term_stands_twice():
    lines = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ") and "---" not in line]
    terms = [term for row in rows if row[0] != "term" for term in re.split(r", |: ", row[0])]
    assert len(terms) > 60
    assert len(terms) == len(set(terms))
    for place in re.findall(r"`([\w/]+\.py)`", "\n".join(lines)):
        assert (ROOT / "src" / "puzzlelab" / place).is_file(), place

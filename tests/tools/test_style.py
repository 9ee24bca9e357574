"""The checks of `tools/style.py`, on small modules that are made up."""

import textwrap

import pytest

import style
from style_checks import calls, imports, names, repetition, systems
from style_checks.modules import modules


@pytest.fixture
def code(tmp_path):
    """A function that writes modules, path -> text, and reads them as a package."""

    def write(texts):
        for path, text in {"__init__": "", **texts}.items():
            file = tmp_path / "puzzlelab" / f"{path}.py"
            file.parent.mkdir(exist_ok=True)
            file.write_text(textwrap.dedent(text), encoding="utf-8")
        return modules(tmp_path)

    return write


def test_modules_have_names_and_places(code):
    both = code({"core/__init__": "", "storage/row": "x = 1"})
    assert [(each.name, each.place, each.folder) for each in both] == [
        ("puzzlelab", "__init__.py", "__init__"),
        ("puzzlelab.core", "core/__init__.py", "core"),
        ("puzzlelab.storage.row", "storage/row.py", "storage"),
    ]


def test_a_call_may_have_8_positional_arguments(code):
    text = """
        f(1, 2, 3, 4, 5, 6, 7, 8, x=9)
        f(1, 2, 3, 4, 5, 6, 7, *rest)
        max(1, 2, 3, 4, 5, 6, 7, 8, 9)
        module.Record(1, 2, 3, 4, 5, 6, 7, 8, *rest)
    """
    assert list(calls.long_calls(code({"a": text}))) == ["a.py:5: module.Record, 9 positional arguments"]


BLOCK = textwrap.dedent("""
    def add(numbers):
        '''Add them.'''
        total = 0
        for number in numbers:

            if number > 3:
                total += number  # only large ones
            else:
                total -= 1
        if total is None:
            return False
        total = max(total, 7)
        print(
            total
        )
        return total
""")
"""13 lines that count: a docstring, a comment, an empty line and a bracket alone do not."""
RENAMED = BLOCK.replace("number", "value").replace("7", "'seven'").replace("False", "None").replace("# only", "# just")


CHANGED = BLOCK.replace("if total is None", "while total")


def fields(names):
    return "class Record:\n" + "".join(f"    {name}: int\n" for name in names)


def imported(names):
    return "from m import (\n" + "".join(f"    {name},\n" for name in names) + ")\n"


@pytest.mark.parametrize(
    ("texts", "pairs"),
    [
        ({"solvers/a": BLOCK, "solvers/b": f"x = 1\n{BLOCK}"}, ["solvers/a.py:2-17 ~ solvers/b.py:3-18"]),
        ({"solvers/a": BLOCK, "solvers/b": f"x = 1\n{RENAMED}"}, ["solvers/a.py:2-17 ~ solvers/b.py:3-18"]),
        ({"solvers/a": BLOCK + RENAMED}, ["solvers/a.py:2-17 ~ solvers/a.py:19-34"]),
        ({"solvers/a": BLOCK, "solvers/b": CHANGED}, []),
        ({"puzzles/a": BLOCK, "puzzles/b": BLOCK}, []),
        *(
            ({"solvers/a": made("abcdefghij"), "solvers/b": made(names)}, pairs)
            for made, lines in ((fields, "1-11"), (imported, "2-11"))
            for names, pairs in (
                ("abcdefghij", [f"solvers/a.py:{lines} ~ solvers/b.py:{lines}"]),
                ("klmnopqrst", []),
            )
        ),
    ],
)
def test_blocks_of_solvers_with_the_same_shape_are_one_pair(code, texts, pairs):
    assert list(repetition.alike_blocks(code(texts))) == pairs


IMPORTS_B = {
    "statement": "import puzzlelab.b",
    "name": "from puzzlelab.b import x",
    "inside a function": "def f():\n    from puzzlelab import b",
    "text": "import_module('puzzlelab.b')",
    "text with a name": "PLACES = {'x': 'puzzlelab.b:X'}",
}
NO_IMPORTS_OF_B = {
    "for types": "if TYPE_CHECKING:\n    from puzzlelab.b import x",
    "registry of views": "VIEWS = {Estimates: 'puzzlelab.b:X', Samples: 'puzzlelab.b:Y'}",
    "prose": "print('puzzlelab.b is a module')",
}


@pytest.mark.parametrize("text", [*IMPORTS_B.values(), *NO_IMPORTS_OF_B.values()], ids=[*IMPORTS_B, *NO_IMPORTS_OF_B])
def test_every_form_of_an_import_is_in_the_graph_and_types_registries_and_prose_are_not(code, text):
    expected = {"puzzlelab.b"} if text in IMPORTS_B.values() else set()
    assert imports.graph_of_imports(code({"a": text, "b": "x = 1"}))["puzzlelab.a"] == expected


def test_a_package_has_an_overview_of_three_lines(code):
    made = code({"core/__init__": '"""One.\n\nTwo."""', "web/__init__": '"""One.\n\nTwo.\nThree.\n"""'})
    assert list(names.packages_without_overview(made)) == ["__init__.py: 0 lines", "core/__init__.py: 2 lines"]


def test_names_of_classes_words_of_puzzles_and_undeclared_attributes(code):
    made = code({"a": "class A: ...", "core/b": "class A: ...\n# tiles-4x4, but a clue\nhasattr(puzzle, 'x')"})
    assert list(names.class_names_used_twice(made)) == ["A: a.py:1, core/b.py:1"]
    assert list(names.words_of_puzzles(made)) == ["core/b.py:2: clue"]
    assert list(names.undeclared_attributes(made)) == ["core/b.py:3: hasattr(puzzle, 'x')"]


def test_a_count_above_its_limit_fails_and_shows_the_places(code, monkeypatch, capsys):
    overview = '"""One.\nTwo.\nThree.\n"""'
    monkeypatch.setattr(style, "modules", lambda: code({"__init__": overview, "a": "x = 1"}))
    assert style.main() == 0
    monkeypatch.setattr(style, "modules", lambda: code({"__init__": overview, "a": "f(1, 2, 3, 4, 5, 6, 7, 8, 9)"}))
    assert style.main() == 1
    assert "  a.py:1: f, 9 positional arguments" in capsys.readouterr().out.splitlines()


def test_calls_of_one_system_need_a_branch(code):
    text = """
        import os

        def plain():
            return os.getuid(), open("/proc/self/statm")

        def by_name():
            return os.getuid() if os.name == "posix" else 0

        def by_error():
            try:
                import fcntl
            except ImportError:
                fcntl = None
            return fcntl

        def wrong_error():
            try:
                return open("/proc/meminfo")
            except OSError:
                import resource
                return resource
    """
    found = list(systems.posix_only(code({"a": text})))
    assert found == ["a.py:5: os.getuid", "a.py:5: /proc/self/statm", "a.py:21: resource"]

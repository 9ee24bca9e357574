"""Finds puzzles and solvers by name, of the package and of installed plug-ins.

A puzzle family is a folder of `puzzlelab/puzzles` whose package has a `Family` as `FAMILY`.
A solver is a file with `SOLVER`, its class, in `puzzlelab/solvers` or, for a single puzzle, in the folder `solvers` of
its family. Listing imports nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from puzzlelab.core import errors
from puzzlelab.core.errors import BadOption, BrokenPlugin, UnknownName, UnknownOption, shorten
from puzzlelab.core.plug_ins import Group
from puzzlelab.core.puzzle import Family, Puzzle, presentation_of
from puzzlelab.core.settings import fill, read_options
from puzzlelab.core.views import Cover, Estimates, KernelRules, Reversible

if TYPE_CHECKING:
    from puzzlelab.core.solver import Solver

_OPTION = re.compile(r":(?=[A-Za-z_]\w*=)")
"""The text that stands before each option in the text of a solver."""


BREADTH_FIRST: tuple[str, Mapping[str, Any]] = ("bfs", {})
FIRST_NODES = 500
"""The nodes of the first turn of each search of a default portfolio: some tenths of a second by plain rules."""
PATIENCE = 10.0
"""The seconds without a better solution after which a default solver that proves nothing ends."""


PUZZLES = Group("puzzles", "puzzle", "FAMILY", ("puzzles",))
SOLVERS = Group("solvers", "solver", "SOLVER", ("solvers", "puzzles/*/solvers"), hyphens=True)
OTHER_NAMES: Mapping[str, str] = {
    "a*": "astar",
    "dfs": "depth-first",
    "dlx": "dancing-links",
    "ida*": "ida",
    "idastar": "ida",
    "mcts": "uct",
}
"""Other names of solvers, in small letters, and the names that they have here."""


def has_plug_ins() -> bool:
    """Tell whether another package has brought a puzzle or a solver."""
    return any(len(group.all) > len(group.own) for group in (PUZZLES, SOLVERS))


def families() -> list[str]:
    """Return the names of all puzzle families."""
    return PUZZLES.names()


def family(name: str) -> Family:
    """Return the family of puzzles with this name; raises `UnknownName` or `BrokenPlugin`."""
    return PUZZLES.find(name, Family)  # type: ignore[no-any-return]


def usable_families() -> Iterator[Family]:
    """Yield all families but those of plug-ins that cannot be used."""
    for name in families():
        with suppress(BrokenPlugin):
            yield family(name)


def load(name: str) -> Puzzle:
    """Return the puzzle with this name, such as `tiles-4x4`, or one that people have for it.

    Raises `UnknownName` or `BadOption`.
    """
    head, hyphen, rest = errors.require_text(name, "the name of a puzzle", "a text such as 'tiles-4x4'").partition("-")
    if PUZZLES.place(head) is None or not hyphen:
        for known in usable_families():
            if name in known.aliases:
                return known.make(known.aliases[name])
    if PUZZLES.place(head) is None:
        raise UnknownName("puzzle", head or name, PUZZLES.all)
    try:
        return family(head).make(rest)
    except BadOption as error:
        if hyphen:
            raise
        raise BadOption(str(error).replace(f"'{head}-'", f"'{head}'")) from None


def with_files(name: str) -> str:
    """Return the name of a puzzle with the contents of files that it names in place of their paths.

    Names of other people must not be read so. Raises `BadOption`.
    """
    head, hyphen, rest = name.partition("-")
    if "=" not in rest or PUZZLES.place(head) is None:
        return name
    return head + hyphen + family(head).with_files(rest)


def solver_names() -> list[str]:
    """Return the names of all solvers."""
    return SOLVERS.names()


def solver_class(name: str) -> type[Any]:
    """Return the class of a solver; raises `UnknownName` or `BrokenPlugin`.

    Options behind the name, as in `beam:width=100`, are left out.
    """
    return SOLVERS.find(_own_name(_OPTION.split(name)[0].replace("_", "-")), type)  # type: ignore[no-any-return]


def _own_name(name: str) -> str:
    """Return the name here of a solver that has this name or another one."""
    return name if SOLVERS.place(name) is not None else OTHER_NAMES.get(name.lower(), name)


def require_solver(text: str) -> None:
    """Raise `UnknownName` unless the text begins with the name of a solver; imports nothing."""
    name = _OPTION.split(text)[0].replace("_", "-")
    if SOLVERS.place(name) is None:
        raise UnknownName("solver", name, SOLVERS.all)


def make_solver(name: str, options: Mapping[str, Any]) -> Solver:
    """Return the solver with these options; `None` means the default.

    The name may have options too, as in `beam:width=100`. Raises `BadOption` for an option that has two values.
    """
    bare, merged = solver_and_options(name, options)
    chosen = solver_class(bare)
    try:
        return fill(chosen, merged)  # type: ignore[no-any-return]
    except UnknownOption as error:
        unknown = next(option for option in merged if option not in chosen.model_fields)
        owners = [each for each in SOLVERS.own if unknown in SOLVERS.find(each, type).model_fields]
        if str(error).endswith("?") or len(owners) != 1:
            raise
        raise UnknownOption(f"{error}; {owners[0]} has it") from None


def parse_solver(text: str) -> Solver:
    """Return the solver that the text `name` or `name:option=value:option=value` describes.

    Raises `UnknownName` or `BadOption`.
    """
    return make_solver(text, {})


def solver_and_options(name: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of a solver alone, and its options: those behind the name, as in `beam:width=100`, and these.

    A colon begins the next option only where a name and `=` follow it.
    """
    expected = "a text such as 'ida' or 'beam:width=100'"
    bare, *settings = _OPTION.split(errors.require_text(name, "the name of a solver", expected))
    if ":" in bare:
        raise BadOption(f"'{shorten(name)}' is no solver with options; write name:option=value:option=value")
    own = read_options(settings)
    others = {option: value for option, value in options.items() if value is not None}
    for option in own.keys() & others.keys():
        if own[option] != others[option]:
            first = f"{own[option]} in '{shorten(name)}'"
            raise BadOption(f"the option '{option}' has two values: {first}, and {shorten(str(others[option]))}")
    return _own_name(bare), {**own, **others}


def as_puzzle(puzzle: str | Puzzle) -> Puzzle:
    """Return the puzzle, which is loaded if this is its name; raises `BadOption` for anything else."""
    if isinstance(puzzle, str):
        return load(with_files(puzzle))
    return require_puzzle(puzzle, "the puzzle", "a name such as 'tiles-4x4', or what puzzlelab.load('tiles-4x4') gives")


def require_puzzle(value: Any, what: str, expected: str) -> Puzzle:
    """Return the value; raises `BadOption` unless it has the rules of a puzzle."""
    try:
        puzzle: Puzzle = value
        rules = puzzle.legal, puzzle.apply
    except AttributeError:
        rules = None
    if rules is None or isinstance(value, type):
        raise errors.wrong_argument(what, expected, value)
    return puzzle


def as_solver(choice: str | Solver, options: Mapping[str, Any]) -> Solver:
    """Return the solver, which is made with these options if this is its name; raises `BadOption` for anything else."""
    if isinstance(choice, str):
        return make_solver(choice, options)
    try:
        attempts = None if isinstance(choice, type) else choice.attempts
    except AttributeError:
        attempts = None
    if attempts is None:
        raise errors.wrong_argument("the solver", "a name such as 'ida', or what puzzlelab.solver('ida') gives", choice)
    for option in options:
        raise BadOption(f"the solver {choice.name} is made already: give it the option '{option}' where it is made")
    return choice


def solver(name: str | None = None, puzzle: str | Puzzle | None = None, **options: Any) -> Solver:
    """Return the solver of this name with these options; without a name, the puzzle's default solver.

    The name may have options too, as on the command line: `solver("beam:width=100")` is `solver("beam", width=100)`.

    Raises:
        UnknownName: if there is no such solver.
        BadOption: if it has no such option, or the option cannot have this value.

    >>> puzzlelab.solver("beam:width=100") == puzzlelab.solver("beam", width=100)
    True
    >>> puzzlelab.solver(puzzle="tiles-3x3").name
    'ida'
    """
    if name is None:
        name, defaults = usual_solver(None if puzzle is None else as_puzzle(puzzle))
        options = {**defaults, **options}
    return make_solver(name, options)


def usual_solver(puzzle: Puzzle | None) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the options of the puzzle's default solver: what the puzzle names, or what suits its views.

    Estimates lead to a solution soon, by a beam search that gets wider. What proves that a solution is optimal takes
    turns with it: a search from both ends where moves can be undone, and one by an admissible estimate.
    """
    named = None if puzzle is None else presentation_of(puzzle).usual_solver
    if puzzle is None or named is not None:
        return named or BREADTH_FIRST
    if puzzle.view(Cover) is not None:
        return "dancing-links", {}
    estimates, is_reversible = puzzle.view(Estimates), puzzle.view(Reversible) is not None
    provers = ["bfs:bidirectional=true"] if is_reversible else []
    if estimates is not None and estimates.estimate().admissible:
        provers.append("astar" if puzzle.view(KernelRules) is None else "ida")
    if estimates is not None:
        return "portfolio", {"of": (*provers, "beam"), "first_nodes": FIRST_NODES, "patience": PATIENCE}
    return ("bfs", {"bidirectional": True}) if is_reversible else BREADTH_FIRST

"""The Sudoku solvers that `sudoku_peers.py` compares: other people's, a plain one in Python, and puzzlelab's own.

Other people's are imported where they are used, so that none need be installed:
`pip install py-sudoku dlxsudoku pycosat ortools`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

import puzzlelab
from puzzlelab.core import registry
from puzzlelab.core.errors import PuzzlelabError

Solve = Callable[[Sequence[str]], Sequence[str]]
"""Solutions of some puzzles, 81 characters each; what is not solved comes back shorter."""


@dataclass(frozen=True)
class Peer:
    """A solver to compare."""

    name: str
    make: Callable[[], Solve]
    """Imports what it needs; raises `ImportError` or `PuzzlelabError` where that is not there."""
    install: str = ""
    """What pip calls it."""
    proves: bool = False
    """Whether it looks for a second solution too."""
    batch: int = 1
    """Puzzles that it is given at once."""
    aside: bool = False
    """Whether it works in another process, so that its seconds are taken by the wall clock."""


# --- the solver of Peter Norvig's essay "Solving Every Sudoku Puzzle", in plain Python -------------------------------

UNITS = [
    *([9 * row + column for column in range(9)] for row in range(9)),
    *([9 * row + column for row in range(9)] for column in range(9)),
    *([9 * (top + cell // 3) + left + cell % 3 for cell in range(9)] for top in (0, 3, 6) for left in (0, 3, 6)),
]
UNITS_OF = [[unit for unit in UNITS if cell in unit] for cell in range(81)]
PEERS_OF = [{peer for unit in units for peer in unit} - {cell} for cell, units in enumerate(UNITS_OF)]

Values = list[str]
"""The digits that each cell may still hold."""


def assign(values: Values, cell: int, digit: str) -> bool:
    """Leave only this digit in a cell; False for a contradiction."""
    return all(eliminate(values, cell, other) for other in values[cell] if other != digit)


def eliminate(values: Values, cell: int, digit: str) -> bool:
    """Strike out a digit, and all that follows: a cell with one digit, a unit with one place for the digit."""
    if digit not in values[cell]:
        return True
    values[cell] = values[cell].replace(digit, "")
    if not values[cell]:
        return False
    if len(values[cell]) == 1 and not all(eliminate(values, peer, values[cell]) for peer in PEERS_OF[cell]):
        return False
    for unit in UNITS_OF[cell]:
        places = [place for place in unit if digit in values[place]]
        if not places or (len(places) == 1 and not assign(values, places[0], digit)):
            return False
    return True


def search(values: Values) -> Values | None:
    """Depth first, on a cell with the fewest digits."""
    open_cells = [cell for cell in range(81) if len(values[cell]) > 1]
    if not open_cells:
        return values
    cell = min(open_cells, key=lambda cell: len(values[cell]))
    for digit in values[cell]:
        copied = values.copy()
        if assign(copied, cell, digit) and (found := search(copied)):
            return found
    return None


def norvig(puzzle: str) -> str:
    """The first solution."""
    values = ["123456789"] * 81
    consistent = all(assign(values, cell, clue) for cell, clue in enumerate(puzzle) if clue != ".")
    return "".join((search(values) if consistent else None) or ())


# --- others ---------------------------------------------------------------------------------------------------------


def each(solve: Callable[[str], str]) -> Solve:
    """One puzzle after the other; one that a solver gives up with an error of its own is not solved."""

    def answer(puzzle: str) -> str:
        try:
            return solve(puzzle)
        except (ImportError, PuzzlelabError):
            raise
        except Exception:
            return ""

    return lambda puzzles: [answer(puzzle) for puzzle in puzzles]


def py_sudoku() -> Solve:
    """Backtracking over the cell with the fewest digits, in Python."""
    from sudoku import Sudoku

    def solve(puzzle: str) -> str:
        rows = [[int(cell) if cell != "." else None for cell in puzzle[row : row + 9]] for row in range(0, 81, 9)]
        return "".join(str(cell) for row in Sudoku(3, 3, board=rows).solve().board for cell in row)

    return each(solve)


def dlxsudoku() -> Solve:
    """Singles, then dancing links, in Python."""
    from dlxsudoku import Sudoku

    def solve(puzzle: str) -> str:
        board = Sudoku(puzzle.replace(".", "0"))
        board.solve()
        return str(board.to_oneliner())

    return each(solve)


def pycosat() -> Solve:
    """PicoSAT: exactly one digit a cell, and one place for each digit of a unit, by clauses for each pair."""
    import pycosat

    cells = [[9 * cell + digit for digit in range(1, 10)] for cell in range(81)]
    places = [[9 * cell + digit for cell in unit] for unit in UNITS for digit in range(1, 10)]
    groups = [*cells, *places]
    clauses = groups + [[-one, -other] for group in groups for one, other in combinations(group, 2)]

    def solve(puzzle: str) -> str:
        clues = [[9 * cell + int(clue)] for cell, clue in enumerate(puzzle) if clue != "."]
        found = pycosat.solve(clauses + clues)
        return "".join(str((literal - 1) % 9 + 1) for literal in found if literal > 0)

    return each(solve)


def cp_sat() -> Solve:
    """OR-tools: all different in each unit, on one thread."""
    from ortools.sat.python import cp_model

    def solve(puzzle: str) -> str:
        model, solver = cp_model.CpModel(), cp_model.CpSolver()
        solver.parameters.num_workers = 1
        domains = [(1, 9) if clue == "." else (int(clue), int(clue)) for clue in puzzle]
        cells = [model.new_int_var(*domain, f"c{cell}") for cell, domain in enumerate(domains)]
        for unit in UNITS:
            model.add_all_different([cells[cell] for cell in unit])
        found = solver.solve(model)
        return "".join(str(solver.value(cell)) for cell in cells) if found == cp_model.OPTIMAL else ""

    return each(solve)


def bands() -> Solve:
    """The batch face of puzzlelab's own solver for 9x9, on one thread."""
    from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch

    def solve(puzzles: Sequence[str]) -> list[str]:
        boards = np.frombuffer("".join(puzzles).replace(".", "0").encode(), np.uint8).reshape(-1, 81) - ord("0")
        found = (solve_batch(boards, jobs=1).solutions + ord("0")).tobytes().decode()
        return [found[start : start + 81] for start in range(0, len(found), 81)]

    return solve


def own(name: str) -> Callable[[], Solve]:
    """A solver of puzzlelab as its users call it, board by board, verification included."""

    def make() -> Solve:
        options = {"jobs": 1} if "jobs" in registry.solver_class(name).model_fields else {}
        puzzle = puzzlelab.load("sudoku-9x9")

        def solve(text: str) -> str:
            board = puzzle.read(text)
            result, state = puzzlelab.solve(board, name, **options), board.state
            if result.stop == "interrupted":
                raise KeyboardInterrupt
            for move in result.moves or ():
                state = puzzle.apply(state, move)
            return puzzle.write(state).replace(".", "")

        return each(solve)

    return make


OWN = ("bands", "dancing-links", "backtracking", "sat", "integer", "permutation", "annealing")
UNPROVEN, ASIDE = ("annealing",), ("integer",)
NORVIG, BANDS = "Norvig-style", "puzzlelab: bands, in a batch"
PEERS = (
    Peer(NORVIG, lambda: each(norvig)),
    Peer(BANDS, bands, proves=True, batch=1000),
    Peer("py-sudoku", py_sudoku, "py-sudoku"),
    Peer("dlxsudoku", dlxsudoku, "dlxsudoku", proves=True),
    Peer("pycosat", pycosat, "pycosat"),
    Peer("OR-tools CP-SAT", cp_sat, "ortools"),
    *(Peer(f"puzzlelab: {name}", own(name), proves=name not in UNPROVEN, aside=name in ASIDE) for name in OWN),
)

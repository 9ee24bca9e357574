"""`puzzlelab demo`: several solvers on real puzzles, with their solutions, proofs and times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlelab.cli.console import print_table, say, show
from puzzlelab.cli.progress import progress
from puzzlelab.core.limit import Limit

if TYPE_CHECKING:
    from puzzlelab.core.boards import Instance

BOARDS = (
    (
        "tiles-3x3",
        "8 6 7 2 5 4 3 0 1",
        "The 8-puzzle, from one of the two boards that are farthest from the goal",
        ("bfs:bidirectional=true", "astar:estimate=walking", "ida:estimate=pdb", "beam:width=100"),
    ),
    (
        "tiles-4x4",
        "10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3",
        "The 15-puzzle: a board of Korf's hundred (1985)",
        ("ida:estimate=manhattan", "ida:estimate=pdb", "astar:weight=2", "beam", "beam:estimate=net:width=10"),
    ),
    (
        "tiles-5x5",
        "17 1 20 9 16 2 22 19 14 5 15 21 0 3 24 23 18 13 12 7 10 8 6 4 11",
        "The 24-puzzle: a proof of optimality would take too long here",
        ("beam:width=1000", "astar:estimate=conflicts:weight=3"),
    ),
    (
        "sudoku-9x9",
        "inkala",
        "Sudoku: the one that newspapers called the hardest",
        ("bands", "backtracking", "dancing-links", "permutation"),
    ),
    (
        "dust-8x6x5",
        "document",
        "Dust: cleared in 17 clicks by the network of the article about it, and in 18 by its search",
        ("halves", "beam:width=1000", "beam:width=30"),
    ),
)
PROOFS = {"optimal": "shortest, proven", "unique": "the only one, proven", "several": "one of several, proven"}
NETWORK = "The estimate net is a neural network that comes with the package; it is evaluated by ONNX Runtime."
NEXT = """What to try next:
  puzzlelab solve tiles-4x4 "5 1 2 4 9 6 3 8 13 10 7 11 0 14 15 12" --steps
  puzzlelab generate tiles-4x4 --level 40 --count 5 | puzzlelab solve tiles-4x4
  puzzlelab generate sudoku-9x9 --level 3 --count 3 | puzzlelab solve sudoku-9x9
  puzzlelab solve sudoku-9x9 wikipedia --with backtracking --steps
  puzzlelab hint dust-8x6x5 document
  puzzlelab list tiles-4x4
  puzzlelab web --open    (a page for all of this; `make web` installs what it needs)
  puzzlelab --help"""


def demo() -> None:
    """Solve real puzzles with several solvers, and show their solutions, proofs and times."""
    from rich.text import Text

    from puzzlelab.core import registry

    say("The first run compiles kernels for some seconds; later ones start at once.")
    for name, board, title, solvers in BOARDS:
        instance = registry.load(name).read(board)
        show(Text.assemble("\n", (title, "bold"), f" ({name})\n{instance.puzzle.draw(instance.state)}"))
        _table(instance, solvers)
    say(f"\nEvery answer was replayed by the plain rules. {NETWORK}\n\n{NEXT}")


def _table(instance: Instance, solvers: tuple[str, ...]) -> None:
    from puzzlelab.core.puzzle import board_after, presentation_of
    from puzzlelab.core.registry import parse_solver
    from puzzlelab.core.verify import verify
    from puzzlelab.engine import report
    from puzzlelab.engine.solving import solve, uninterrupted
    from puzzlelab.text.moves import move_notation

    rows = []
    best: tuple[int, ...] = ()
    for text in solvers:
        with progress():
            report.progress(f"{text} ...", 0, None)
            result = uninterrupted(solve(parse_solver(text), instance, Limit(seconds=20)))
        counts = (str(result.lower_bound), f"{result.seconds:.3f}", f"{result.expanded:,}")
        if not verify(instance, result).holds or result.moves is None:
            rows.append((text, "-", f"not solved ({result.stop})", *counts))
            continue
        proof = PROOFS.get(result.proof, result.proof)
        rows.append((text, str(result.length), proof, *counts))
        best = result.moves if not best or len(result.moves) < len(best) else best
    print_table(("solver", "moves", "proof", "at least", "seconds", "expanded"), rows)
    if presentation_of(instance.puzzle).answer_is_board:
        say(instance.puzzle.draw(board_after(instance.puzzle, instance.state, best)))
    else:
        notation = move_notation(instance.puzzle)
        say(f"the shortest{notation.note}: {notation.write(instance.state, best)}")

"""What a worker does for each kind of request: the same functions as the command line's, from plain data to plain data.

A task is a function of a request and of a `TaskContext`. It returns what can be written as JSON, and raises `BadInput`
with a sentence for the client. Imports are inside, because each task needs its own part of the library.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from puzzlelab.web.worker import TaskContext

if TYPE_CHECKING:
    from puzzlelab.analysis.solve_job import BoardInput, SolveJob
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.puzzle import Instance, Puzzle
    from puzzlelab.core.result import Result
    from puzzlelab.core.row import Row
    from puzzlelab.core.solver import Attempt, Solver

Asked = Mapping[str, Any]
HASH = re.compile(r"[0-9a-f]{4,64}")
DIGITS = 4
"""Decimal places of shares and values."""


# --- what is asked ---


def _puzzle(asked: Asked) -> Puzzle:
    from puzzlelab import api

    return api.load(asked["puzzle"])


def _instance(asked: Asked) -> Instance:
    return _puzzle(asked).read(asked["board"])


def _limit(asked: Asked, teller: TaskContext) -> Limit:
    from puzzlelab.core.limit import Limit, resident

    return Limit(asked.get("time"), asked.get("nodes"), resident() + teller.memory)


def _solver(asked: Asked, puzzle: Puzzle) -> Solver:
    """The solver that was asked for, or the usual one; raises `BadInput`, also for what a stranger may not ask."""
    from puzzlelab import api
    from puzzlelab.core.registry import parse_solver
    from puzzlelab.core.solver import require

    text = asked.get("solver")
    chosen = parse_solver(text) if text else api.solver(None, puzzle)
    _permit(chosen, puzzle)
    require(chosen, puzzle)
    return chosen


def _permit(chosen: Solver, puzzle: Puzzle) -> None:
    """Raise `BadOption` for options by which a request would reach files, other processes or much of the disk."""
    from puzzlelab.core import networks
    from puzzlelab.core.errors import BadOption, shorten
    from puzzlelab.core.views import Estimates

    options = chosen.options()
    if options.get("jobs") not in (None, 1):
        raise BadOption("the option 'jobs' cannot be set here: every search has one thread")
    for name in networks.named(options):
        _permit_network(name)
    estimate = options.get("estimate")
    if isinstance(estimate, str) and not networks.is_network(estimate) and (view := puzzle.view(Estimates)) is not None:
        offered = view.estimates
        if ":" in estimate and estimate not in offered:
            raise BadOption(f"the estimate '{shorten(estimate)}' cannot be had here; there are {', '.join(offered)}")


def _permit_network(name: str) -> None:
    """Raise `UnknownName` unless this names a network of the package, by its name or its hash."""
    from puzzlelab.core import networks
    from puzzlelab.core.errors import UnknownName

    bare, known = networks.parts(name)[0], [path.stem for path in networks.SHELF.glob("*.json")]
    if bare and bare not in known and not HASH.fullmatch(bare):
        raise UnknownName("network", bare, known)


def _network(asked: Asked) -> str:
    """The name of the network that was asked for, as options of solvers say it."""
    from puzzlelab.analysis.network_options import BEST, named

    name = named(asked.get("net") or BEST)
    _permit_network(name)
    return name


def _moves(asked: Asked, puzzle: Puzzle) -> list[int]:
    from puzzlelab.analysis.game_analysis import read_game

    return read_game(puzzle, asked.get("moves") or "")


# --- tasks ---


def list_all(asked: Asked, teller: TaskContext) -> Any:
    """What there is, or what one puzzle offers."""
    from puzzlelab.analysis import catalog

    return catalog.about(_puzzle(asked)) if asked.get("puzzle") else catalog.everything()


def check(asked: Asked, teller: TaskContext) -> Any:
    """Whether each board can be solved, in how many ways, and how hard it is."""
    from puzzlelab import api
    from puzzlelab.analysis.checks import check_facts
    from puzzlelab.analysis.serialise import error_facts
    from puzzlelab.core.errors import BadBoard

    puzzle, limit, found = _puzzle(asked), _limit(asked, teller), []
    for text in asked["board"]:
        try:
            found.append(check_facts(api.check(puzzle.read(text), limit=limit)))
        except BadBoard as error:
            found.append(error_facts(puzzle, text, error))
    return found


def generate(asked: Asked, teller: TaskContext) -> Any:
    """New boards."""
    from puzzlelab.analysis import board_generation
    from puzzlelab.analysis.serialise import board_facts

    puzzle, scale, level, seed = _puzzle(asked), asked.get("scale"), asked.get("level"), asked["seed"]
    boards = board_generation.boards(puzzle, asked["count"], scale, level, seed, jobs=1, **asked["made"])
    return list(board_facts(puzzle, boards, scale, level, seed))


def solve(asked: Asked, teller: TaskContext) -> Any:
    """A row for each board; when the time of all together is over, the rest are not searched."""
    from puzzlelab.analysis.solve_job import BoardInput, SolveJob

    puzzle = _puzzle(asked)
    work = SolveJob(puzzle, _solver(asked, puzzle), _limit(asked, teller))
    boards = [BoardInput(text, "") for text in asked["board"]]
    return [json.loads(row.to_json()) for row in _rows(work, boards, asked["seconds"], teller)]


def _rows(work: SolveJob, boards: Sequence[BoardInput], seconds: float, teller: TaskContext) -> Iterator[Row]:
    """The rows of all boards, which together may take so many seconds."""
    from puzzlelab.core.solver import BATCH, BatchSolver, ability

    size, used, each = BATCH if ability(work.solver, BatchSolver) else 1, 0.0, work.limit.seconds
    for first in range(0, len(boards), size):
        portion = boards[first : first + size]
        left = (seconds - used) / len(portion)
        if left <= 0 or teller.over():
            reason, stop = ("stopped", "interrupted") if teller.over() else ("the time of the request is up", "time")
            rows = [work.question(given).model_copy(update={"reason": reason, "stop": stop}) for given in portion]
        else:
            work.limit = replace(work.limit, seconds=min(each or left, left))
            rows = [work.row(outcome) for outcome in work.solve(portion)]
        used += sum(row.seconds for row in rows)
        yield from rows


def follow(asked: Asked, teller: TaskContext) -> Any:
    """The row of one board; tells of each better solution, and of how far the search is."""
    from puzzlelab.core.board_files import text_of
    from puzzlelab.core.result import Progress, Result
    from puzzlelab.core.row import row_of
    from puzzlelab.core.solver import answer

    instance = _instance(asked)
    solver, limit = _solver(asked, instance.puzzle), _limit(asked, teller)
    told: tuple[int | None, str] = None, ""

    def watch(attempt: Attempt) -> bool:
        nonlocal told
        if isinstance(attempt, Result) and attempt.moves is not None:
            if (attempt.length, attempt.proof) != told:
                told = attempt.length, attempt.proof
                _tell_solution(instance, attempt, teller)
        elif isinstance(attempt, Progress):
            teller.sometimes("progress", vars(attempt))
        return bool(teller.over())

    best = answer(solver, instance, limit, watch)
    row = row_of(best, solver, limit, text_of(instance, asked["board"]))
    return json.loads(row.to_json())


def _tell_solution(instance: Instance, found: Result, teller: TaskContext) -> None:
    """Tell a solution that holds."""
    from puzzlelab.core.solver import names_of
    from puzzlelab.core.verify import verify

    if verify(instance, found).holds:
        facts = {name: getattr(found, name) for name in ("length", "proof", "lower_bound", "seconds", "expanded")}
        teller.tell("solution", {"moves": names_of(instance.puzzle, found.moves or ()), **facts})


def count(asked: Asked, teller: TaskContext) -> Any:
    """How many solutions each board has."""
    from puzzlelab.analysis.serialise import count_facts
    from puzzlelab.core.solutions import count as count_one
    from puzzlelab.core.solutions import require_lister

    puzzle, limit = _puzzle(asked), _limit(asked, teller)
    solver = _solver(asked, puzzle)
    require_lister(solver, puzzle)
    boards = [puzzle.read(text) for text in asked["board"]]
    return [
        count_facts(puzzle, puzzle.write(board.state), count_one(solver, board, limit, asked["most"]))
        for board in boards
    ]


def hint(asked: Asked, teller: TaskContext) -> Any:
    """What to do at the position after these moves, and why; or what every move is worth there."""
    from puzzlelab.analysis.game_analysis import positions_of
    from puzzlelab.analysis.hints import hint as hint_at
    from puzzlelab.analysis.logical_hints import deduce, deduction_row
    from puzzlelab.analysis.serialise import hint_row
    from puzzlelab.core.solutions import require_lister
    from puzzlelab.core.views import Candidates

    instance = _instance(asked)
    puzzle, limit = instance.puzzle, _limit(asked, teller)
    solver, moves = _solver(asked, puzzle), _moves(asked, puzzle)
    if puzzle.view(Candidates) is not None:
        require_lister(solver, puzzle)
        return [deduction_row(instance, moves, solver, deduce(instance, moves, solver, limit))]
    position = list(positions_of(instance, moves))[-1]
    told = hint_at(solver, position, limit, lambda attempt: bool(teller.over()))
    return [hint_row(position, solver, limit, told)]


def frames(asked: Asked, teller: TaskContext) -> Any:
    """Every board on the way, with a bound for what remains; with `drawn` as a picture, and with its moves."""
    from puzzlelab.analysis.playback import frame_facts
    from puzzlelab.analysis.playback import frames as frames_of

    instance = _instance(asked)
    puzzle = instance.puzzle
    told = [frame_facts(frame) for frame in frames_of(instance, _moves(asked, puzzle), asked["lower_bound"])]
    return {"frames": [frame | _drawn(puzzle, frame["board"]) if asked["drawn"] else frame for frame in told]}


def _drawn(puzzle: Puzzle, board: str) -> dict[str, Any]:
    """How a board is drawn, and which moves can be made on it."""
    import numpy as np

    from puzzlelab.core.solver import names_of
    from puzzlelab.core.views import DrawsSvg

    state = puzzle.read(board).state
    legal = names_of(puzzle, np.flatnonzero(puzzle.legal(state)).tolist())
    drawing = puzzle.view(DrawsSvg)
    return {"svg": drawing.svg(state) if drawing else None, "text": puzzle.draw(state), "legal": legal}


def picture(asked: Asked, teller: TaskContext) -> Any:
    """A board as SVG."""
    from puzzlelab.core.errors import Unsupported
    from puzzlelab.core.views import DrawsSvg

    instance = _instance(asked)
    drawing = instance.puzzle.view(DrawsSvg)
    if drawing is None:
        raise Unsupported(f"{instance.puzzle.name} has no picture of its boards")
    return drawing.svg(instance.state)


def scores(asked: Asked, teller: TaskContext) -> Any:
    """The share of each move that a network gives it, at every board on the way that is not solved."""
    import numpy as np

    from puzzlelab.analysis.game_analysis import positions_of
    from puzzlelab.analysis.move_probabilities import network_shown, shares

    instance = _instance(asked)
    puzzle = instance.puzzle
    name, network = network_shown(puzzle, {"prior": _network(asked)})
    positions = [place for place in positions_of(instance, _moves(asked, puzzle)) if not puzzle.solved(place.state)]
    boards = np.array([place.state for place in positions])
    told = shares(puzzle, name, network, boards) if positions else ()
    steps = [
        {"board": puzzle.write(board), "shares": _named(puzzle, share)}
        for board, share in zip(boards, told, strict=True)
    ]
    return {"network": {"name": asked.get("net") or puzzle.name, "hash": network.name}, "steps": steps}


def _named(puzzle: Puzzle, share: Any) -> dict[str, float]:
    """The finite numbers of a row for moves, by the names of the moves."""
    import numpy as np

    known = np.flatnonzero(np.isfinite(share)).tolist()
    return {puzzle.write_move(move): round(float(share[move]), DIGITS) for move in known}


def tree(asked: Asked, teller: TaskContext) -> Any:
    """What so many playouts say of the moves at a board."""
    import numpy as np

    from puzzlelab.analysis.network_options import network_options
    from puzzlelab.core.errors import Unsupported
    from puzzlelab.experience.uct_session import UctSession
    from puzzlelab.solvers.uct import Uct

    instance, name = _instance(asked), _network(asked)
    puzzle = instance.puzzle
    if puzzle.solved(instance.state) or puzzle.objection(instance.state):
        raise Unsupported("there is nothing to play for: the board is solved, or cannot be")
    limit = _limit(asked, teller)
    guides = network_options(puzzle, Uct.name, Uct.model_fields, name)
    player = UctSession(puzzle, 1, limit, **guides, playouts=asked["playouts"])
    turn = player.moves(instance.state[None])
    grown = player.tree()
    moves: list[dict[str, Any]] = [
        {
            "move": puzzle.write_move(int(grown.move[row])),
            "visits": int(grown.visits[row]),
            "share": round(float(turn.shares[0, grown.move[row]]), DIGITS),
            "value": round(float(grown.value[row]), DIGITS) if grown.visits[row] else None,
            "remaining": _remaining(grown.value[row], player.solver.decay) if grown.visits[row] else None,
            "prior": round(float(grown.prior[row]), DIGITS),
        }
        for row in np.flatnonzero(grown.parent == 0).tolist()
    ]
    moves.sort(key=lambda move: (-move["visits"], -move["prior"]))
    value = float(turn.values[0])
    worth = {"value": round(value, DIGITS), "remaining": _remaining(value, player.solver.decay)}
    return {"playouts": asked["playouts"], **worth, "moves": moves}


def _remaining(value: float, decay: float) -> float | None:
    """The moves that remain where a state has this value; None where all is lost."""
    return round(-math.log(value) / decay, 1) if value > 0 else None


TASKS: Mapping[str, Callable[[Asked, TaskContext], Any]] = {
    task.__name__: task
    for task in (list_all, check, generate, solve, follow, count, hint, frames, picture, scores, tree)
}

"""The tasks of a worker, one function for each kind of request; the command line calls the same functions.

A task takes the parameters of a request and a `TaskContext`. It returns data that can be written as JSON, and raises
`BadInput` with a sentence for the client. Imports are inside the functions, because each task needs a different part
of the library.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from puzzlelab.core.errors import BadBoard, BadOption, Unsupported
from puzzlelab.web.task_context import (
    MAX_ANSWER,
    Parameters,
    TaskContext,
    instance_of,
    limit_of,
    moves_of,
    network_of,
    puzzle_of,
    solver_of,
)

if TYPE_CHECKING:
    from puzzlelab.core.boards import Instance
    from puzzlelab.core.objective import Objective
    from puzzlelab.core.puzzle import Puzzle, State
    from puzzlelab.core.result import Progress, Result
    from puzzlelab.core.solver import Attempt
    from puzzlelab.jobs.solve_job import SolveJob
    from puzzlelab.storage.row import Row

DIGITS = 4
"""Decimal places of shares and values."""


def list_all(parameters: Parameters, context: TaskContext) -> Any:
    """Return all puzzles and solvers, or what one puzzle offers."""
    from puzzlelab.analysis import catalog

    return catalog.about(puzzle_of(parameters)) if parameters.get("puzzle") else catalog.everything()


def check(parameters: Parameters, context: TaskContext) -> Any:
    """Tell whether each board can be solved, in how many ways, and how hard it is."""
    from puzzlelab import api
    from puzzlelab.jobs.checks import check_facts
    from puzzlelab.jobs.serialise import error_facts

    puzzle, limit, reports = puzzle_of(parameters), limit_of(parameters, context), []
    for text in parameters["board"]:
        try:
            instance = puzzle.read(text)
            facts = check_facts(api.check(instance, limit=limit))
            reports.append({"puzzle": puzzle.name, "board": puzzle.write(instance.state), **facts})
        except BadBoard as error:
            reports.append(error_facts(puzzle, text, error))
    return reports


def rate(parameters: Parameters, context: TaskContext) -> Any:
    """Rate each board on a scale of the logic of its puzzle."""
    from puzzlelab.core.boards import Boards
    from puzzlelab.jobs.ratings import rated_parts
    from puzzlelab.jobs.serialise import error_facts, rating_facts

    puzzle, limit, reports = puzzle_of(parameters), limit_of(parameters, context), []
    solver = solver_of({}, puzzle)
    for text in parameters["board"]:
        try:
            boards = Boards.of([puzzle.read(text)])
        except BadBoard as error:
            reports.append(error_facts(puzzle, text, error))
            continue
        for part, ratings in rated_parts(boards, parameters["scale"], solver, limit):
            board = {"puzzle": puzzle.name, "board": part.written()[0]}
            reports += [{**board, **rating_facts(rating)} for rating in ratings]
    return reports


def read(parameters: Parameters, context: TaskContext) -> Any:
    """Return the boards in a pasted text."""
    from puzzlelab.text.reader import read_any

    puzzle_name = puzzle_of(parameters).name if parameters.get("puzzle") else None
    boards = read_any(parameters["text"], puzzle_name)
    shown = [
        {"puzzle": each.puzzle.name, "board": each.puzzle.write(each.state)} for each in boards[: parameters["most"]]
    ]
    return {"boards": shown, "count": len(boards)}


def forms(parameters: Parameters, context: TaskContext) -> Any:
    """Return the forms in which boards of a puzzle can be written."""
    from puzzlelab.jobs.board_forms import forms_of

    return [
        {"name": name, "about": form.about, "ending": form.ending}
        for name, form in forms_of(puzzle_of(parameters)).items()
        if not form.refusal
    ]


def write(parameters: Parameters, context: TaskContext) -> Any:
    """Return a board in one of these forms."""
    from puzzlelab.jobs.board_forms import form_named

    instance = instance_of(parameters)
    form = form_named(instance.puzzle, parameters["form"])
    return "".join([f"{form.header}\n" if form.header else "", form.write(instance.state[None], None)])


def generate(parameters: Parameters, context: TaskContext) -> Any:
    """Make new boards; those that exist when the time is up are returned, the last of which says so."""
    from puzzlelab.jobs.board_generation import boards as new_boards
    from puzzlelab.jobs.serialise import board_facts

    puzzle, board_count, seconds = puzzle_of(parameters), parameters["count"], parameters["time"]
    asked = parameters.get("scale"), parameters.get("level"), parameters["seed"]
    boards = _in_time(new_boards(puzzle, board_count, *asked, jobs=1, **parameters["settings"]), seconds, context)
    made = list(board_facts(puzzle, boards, *asked))
    if made and len(made) < board_count:
        made[-1] |= {"reason": f"{len(made)} of {board_count} boards were made within {seconds:g} seconds"}
    return made


def _in_time(boards: Iterator[State], seconds: float, context: TaskContext) -> Iterator[State]:
    """Yield the boards that are made in time; it counts from the first one on, which may have to compile kernels."""
    end = math.inf
    for board in boards:
        yield board
        end = min(end, time.monotonic() + seconds)
        if time.monotonic() >= end or context.stop_requested():
            return


def solve(parameters: Parameters, context: TaskContext) -> Any:
    """Return a row for each board; boards after the time limit of the request are not searched."""
    from puzzlelab.jobs.solve_job import SolveJob

    puzzle = puzzle_of(parameters)
    work = SolveJob(puzzle, solver_of(parameters, puzzle), limit_of(parameters, context))
    return [json.loads(row.to_json()) for row in _rows(work, parameters["boards"], parameters["seconds"], context)]


def _rows(work: SolveJob, boards: Sequence[str], seconds: float, context: TaskContext) -> Iterator[Row]:
    """Yield the rows of all boards, which share these seconds.

    Each board is timed alone where its solver can do that.
    """
    from puzzlelab.engine.solving import BATCH
    from puzzlelab.jobs.job_rows import JobRows
    from puzzlelab.text.board_blocks import read_texts

    size, used, each = 1 if not work.solver.shares_work else BATCH, 0.0, work.limit.seconds
    for start in range(0, len(boards), size):
        batch = boards[start : start + size]
        seconds_per_board = (seconds - used) / len(batch)
        if seconds_per_board <= 0 or context.stop_requested():
            reason, stop = (
                ("stopped", "interrupted") if context.stop_requested() else ("the time of the request is up", "time")
            )
            unsolved = JobRows(work.puzzle, work.solver, work.limit)
            rows = [unsolved.question(board).model_copy(update={"reason": reason, "stop": stop}) for board in batch]
        else:
            work = replace(work, limit=replace(work.limit, seconds=min(each or seconds_per_board, seconds_per_board)))
            began = time.perf_counter()
            job_rows = JobRows(work.puzzle, work.solver, work.limit)
            solved = work.solve(read_texts(work.puzzle, batch, ""))
            rows = [row for answers, _ in solved for row in job_rows.columns(answers).rows()]
            used += time.perf_counter() - began
        yield from rows


def follow(parameters: Parameters, context: TaskContext) -> Any:
    """Return the row of one board; sends each better solution and the progress of the search."""
    from puzzlelab.core.boards import Boards
    from puzzlelab.core.objective import objective_of
    from puzzlelab.core.result import Progress, Result
    from puzzlelab.engine.solving import solve as run
    from puzzlelab.storage.row_columns import row_of
    from puzzlelab.text.board_blocks import row_texts

    instance = instance_of(parameters)
    solver, limit = solver_of(parameters, instance.puzzle), limit_of(parameters, context)
    objective = objective_of(instance.puzzle)
    last_sent: tuple[int | None, str] = None, ""

    def watch(attempt: Attempt) -> bool:
        nonlocal last_sent
        if isinstance(attempt, Result) and attempt.moves is not None:
            found = objective.completed(instance, attempt)
            if (found.objective, found.proof) != last_sent:
                last_sent = found.objective, found.proof
                _send_solution(instance, found, context)
        elif isinstance(attempt, Progress):
            context.send_throttled("progress", _progress_facts(attempt, objective))
        return bool(context.stop_requested())

    best = run(solver, instance, limit, watch)
    [text] = row_texts(Boards(instance.puzzle, instance.state[None], texts=[parameters["board"]]))
    row = row_of(best, solver, limit, text)
    return json.loads(row.to_json())


def _progress_facts(progress: Progress, objective: Objective) -> Mapping[str, Any]:
    """Return the progress of a search.

    The bound of a score is the `upper_bound` that rows have, None if none is known.
    """
    from puzzlelab.core.views import UNKNOWN

    facts = dict(vars(progress))
    if objective.kind == "score":
        bound = facts.pop("bound")
        facts["upper_bound"] = None if bound <= UNKNOWN else -bound
    return facts


def _send_solution(instance: Instance, result: Result, context: TaskContext) -> None:
    """Send a solution if it is verified."""
    from puzzlelab.core.puzzle import names_of
    from puzzlelab.core.verify import verify

    if verify(instance, result).holds:
        facts = {name: getattr(result, name) for name in ("length", "proof", "lower_bound", "seconds", "expanded")}
        sums = {"cost": result.cost, "score": result.score, "upper_bound": result.upper_bound}
        facts |= {name: value for name, value in sums.items() if value is not None}
        context.send("solution", {"moves": names_of(instance.puzzle, result.moves or ()), **facts})


def count(parameters: Parameters, context: TaskContext) -> Any:
    """Return how many solutions each board has, and as many of them as are to be `listed`."""
    from puzzlelab.core.puzzle import names_of
    from puzzlelab.engine.enumeration import Listing, enumerator_of, require_enumerator
    from puzzlelab.engine.enumeration import count as count_one
    from puzzlelab.jobs.serialise import count_facts

    puzzle, limit = puzzle_of(parameters), limit_of(parameters, context)
    solver = require_enumerator(solver_of({"solver": enumerator_of(puzzle, None)}, puzzle), puzzle)
    boards = [puzzle.read(text) for text in parameters["board"]]
    answers = []
    for board in boards:
        facts = count_facts(count_one(solver, board, limit, parameters["most"]))
        if most := parameters.get("listed"):
            facts["listed"] = [names_of(puzzle, moves) for moves in Listing(solver, board, limit, most)]
        answers.append({"puzzle": puzzle.name, "board": puzzle.write(board.state), **facts})
    return answers


def candidates(parameters: Parameters, context: TaskContext) -> Any:
    """Return the true candidates of boards, and of those with several solutions where two of them differ."""
    from puzzlelab.analysis.true_candidates import true_candidates
    from puzzlelab.analysis.unavoidable_sets import unavoidable_set
    from puzzlelab.core.boards import Boards
    from puzzlelab.jobs.serialise import candidates_facts

    puzzle, limit = puzzle_of(parameters), limit_of(parameters, context)
    solver, boards = solver_of({}, puzzle), Boards.of([puzzle.read(text) for text in parameters["board"]])
    return [
        candidates_facts(board, found, unavoidable_set(solver, board, limit) if found.solutions == 2 else None)
        for board, found in zip(boards, true_candidates(boards, solver, limit), strict=True)
    ]


def hint(parameters: Parameters, context: TaskContext) -> Any:
    """Return the next step and the reason for it, or the regret of every move, at the position after these moves."""
    from puzzlelab.analysis.hints import deduces, hint_after, require_hints
    from puzzlelab.analysis.logical_hints import read_notes
    from puzzlelab.jobs.serialise import hint_row

    instance = instance_of(parameters)
    puzzle, limit = instance.puzzle, limit_of(parameters, context)
    solver = solver_of(parameters, puzzle)
    require_hints(solver, puzzle)
    if deduces(puzzle):
        moves, removed = read_notes(puzzle, parameters.get("moves") or "")
    else:
        moves, removed = moves_of(parameters, instance), []
    answer = hint_after(solver, instance, moves, limit, lambda attempt: bool(context.stop_requested()), removed)
    return [hint_row(instance, moves, solver, limit, answer, removed)]


def analyse(parameters: Parameters, context: TaskContext) -> Any:
    """Return the regret of each move of a game, the first mistake, and the best continuation."""
    from puzzlelab.analysis import game_analysis as games
    from puzzlelab.jobs.serialise import game_row

    instance = instance_of(parameters)
    puzzle, limit = instance.puzzle, limit_of(parameters, context)
    solver, game = solver_of(parameters, puzzle), games.Game.of(instance, moves_of(parameters, instance))
    analysis = games.analyse(solver, game, limit, lambda attempt: bool(context.stop_requested()))
    return game_row(instance, solver, limit, analysis)


def way(parameters: Parameters, context: TaskContext) -> Any:
    """Return the steps of logic from the position after these moves on, the easiest first, as far as they go in time.

    They may rest on the assumption that the board has one solution only if that is proven.
    """
    from puzzlelab.analysis.logic_steps import has_one_solution, logic_of
    from puzzlelab.analysis.logical_hints import read_notes
    from puzzlelab.jobs.serialise import step_facts

    instance = instance_of(parameters)
    puzzle, limit = instance.puzzle, limit_of(parameters, context)
    moves, removed = read_notes(puzzle, parameters.get("moves") or "")
    assumes_unique = has_one_solution(solver_of(parameters, puzzle), instance, limit)
    steps = logic_of(puzzle).way(instance.state, moves, removed, assumes_unique)
    return {"steps": [step_facts(puzzle, step) for step in takewhile(lambda _: not context.stop_requested(), steps)]}


def frames(parameters: Parameters, context: TaskContext) -> Any:
    """Return every position of a game with a lower bound of the remaining moves.

    With `drawn` also a picture and its moves.
    """
    from puzzlelab.analysis.game_analysis import frames as frames_of

    instance = instance_of(parameters)
    puzzle, moves = instance.puzzle, moves_of(parameters, instance)
    positions, size = [], 0
    for frame in frames_of(instance, moves, parameters["lower_bound"]):
        facts = frame | (_drawn(puzzle, frame["board"]) if parameters["drawn"] else {})
        size += len(str(facts))
        if size > MAX_ANSWER:
            raise BadOption(f"the positions of {len(moves):,} moves have more than {MAX_ANSWER:,} bytes; ask for fewer")
        positions.append(facts)
    return {"frames": positions}


def move_texts(parameters: Parameters, context: TaskContext) -> Any:
    """Return the moves of a game by their names, and in a form."""
    from puzzlelab.core.puzzle import names_of
    from puzzlelab.text.moves import move_notation

    instance = instance_of(parameters)
    game = moves_of(parameters, instance)
    notation = move_notation(instance.puzzle, parameters.get("form"), parameters.get("form_letters"))
    text = notation.write(instance.state, game)
    return {"moves": names_of(instance.puzzle, game), "text": text, "about": notation.form.about}


def _drawn(puzzle: Puzzle, board: str) -> dict[str, Any]:
    """Return the drawing of a board, and its legal moves."""
    import numpy as np

    from puzzlelab.core.puzzle import names_of

    instance = puzzle.read(board)
    legal = names_of(puzzle, np.flatnonzero(puzzle.legal(instance.state)).tolist())
    return {"svg": instance.svg(), "text": puzzle.draw(instance.state), "legal": legal}


def picture(parameters: Parameters, context: TaskContext) -> Any:
    """Return a board as SVG."""
    instance = instance_of(parameters)
    drawing = instance.svg()
    if drawing is None:
        raise Unsupported(f"{instance.puzzle.name} has no picture of its boards")
    return drawing


def scores(parameters: Parameters, context: TaskContext) -> Any:
    """Return the move probabilities of a network at every position of a game that is not solved."""
    import numpy as np

    from puzzlelab.analysis.state_evaluation import network_shown, shares
    from puzzlelab.text.moves import positions_of

    instance = instance_of(parameters)
    puzzle = instance.puzzle
    name, network = network_shown(puzzle, {"prior": network_of(parameters, puzzle)})
    states = [position.state for position in positions_of(instance, moves_of(parameters, instance))]
    boards = np.array([state for state in states if not puzzle.solved(state)])
    move_shares = shares(puzzle, name, network, boards) if len(boards) else ()
    steps = [
        {"board": puzzle.write(board), "shares": _by_move_name(puzzle, share)}
        for board, share in zip(boards, move_shares, strict=True)
    ]
    return {"network": {"name": parameters.get("net") or puzzle.name, "hash": network.name}, "steps": steps}


def _by_move_name(puzzle: Puzzle, share: Any) -> dict[str, float]:
    """Return the finite entries of an array over moves, by the names of the moves."""
    import numpy as np

    finite = np.flatnonzero(np.isfinite(share)).tolist()
    return {puzzle.write_move(move): round(float(share[move]), DIGITS) for move in finite}


def tree(parameters: Parameters, context: TaskContext) -> Any:
    """Return the statistics of a tree search with this number of playouts for the moves at a board."""
    import numpy as np

    from puzzlelab.analysis.network_options import network_options
    from puzzlelab.core.objective import objective_of
    from puzzlelab.experience.uct_session import UctSession
    from puzzlelab.solvers.uct import Uct

    instance = instance_of(parameters)
    name = network_of(parameters, instance.puzzle)
    puzzle = instance.puzzle
    if puzzle.solved(instance.state) or puzzle.objection(instance.state):
        raise Unsupported("there is no move to search: the board is solved, or cannot be solved")
    limit = limit_of(parameters, context)
    options = network_options(puzzle, Uct.name, Uct.model_fields, name)
    player = UctSession(puzzle, 1, limit, **options, playouts=parameters["playouts"])
    decision = player.moves(instance.state[None])
    search_tree = player.tree()
    decay = player.solver.step_discount if objective_of(puzzle).kind == "moves" else None
    remaining = partial(_remaining, decay=decay)
    moves: list[dict[str, Any]] = [
        {
            "move": puzzle.write_move(int(search_tree.move[row])),
            "visits": int(search_tree.visits[row]),
            "share": round(float(decision.shares[0, search_tree.move[row]]), DIGITS),
            "value": round(float(search_tree.value[row]), DIGITS) if search_tree.visits[row] else None,
            "remaining": remaining(search_tree.value[row]) if search_tree.visits[row] else None,
            "prior": round(float(search_tree.prior[row]), DIGITS),
        }
        for row in np.flatnonzero(search_tree.parent == 0).tolist()
    ]
    moves.sort(key=lambda move: (-move["visits"], -move["prior"]))
    value = float(decision.values[0])
    root_value = {"value": round(value, DIGITS), "remaining": remaining(value)}
    return {"playouts": parameters["playouts"], **root_value, "moves": moves}


def _remaining(value: float, decay: float | None) -> float | None:
    """Return the remaining moves that correspond to a value; None for a dead end, and without a decay, as values of a
    score or a cost have none.
    """
    return round(-math.log(value) / decay, 1) if value > 0 and decay is not None else None


TASKS: Mapping[str, Callable[[Parameters, TaskContext], Any]] = {
    task.__name__: task
    for task in (
        list_all,
        read,
        check,
        rate,
        forms,
        write,
        generate,
        solve,
        follow,
        count,
        candidates,
        hint,
        analyse,
        way,
        frames,
        move_texts,
        picture,
        scores,
        tree,
    )
}

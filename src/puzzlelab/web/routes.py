"""The endpoints under `/api`. Each one builds a job from its parameters and runs it in a pool of workers."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException

from puzzlelab.storage.row import Row
from puzzlelab.web import schemas
from puzzlelab.web.job_service import DEFAULT_SECONDS, JobService, ServerLimits
from puzzlelab.web.worker import DONE, FAULT, REFUSED

ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": description, "content": {"application/json": {"schema": ERROR}}}
    for status, description in (
        (400, "the request contains no valid board, solver ...; the sentence says which, and why"),
        (403, "requested by a page of another site, or without the token"),
        (413, "the request is too large"),
        (422, "a parameter is missing, or out of its range"),
        (500, "an internal error of the server"),
        (503, "too many requests at once"),
    )
}
"""The errors of every endpoint: a sentence as JSON, also where the answer is something else."""

api = APIRouter(prefix="/api", responses=ERRORS)


def _service(request: Request) -> JobService:
    service: JobService = request.app.state.job_service
    return service


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")


async def _question(request: Request, task: str, parameters: dict[str, Any], time: float | None = None) -> Response:
    """Return the result of a task that is answered soon."""
    service = _service(request)
    seconds = service.search_seconds(time)
    return _json(await service.answer(request, service.questions, task, {**parameters, "time": seconds}, seconds))


async def _fact(request: Request, task: str, parameters: dict[str, Any]) -> bytes:
    """Return the result of a task that is answered at once."""
    service = _service(request)
    return await service.answer(request, service.facts, task, parameters, DEFAULT_SECONDS)


@api.get("/list", response_model=dict[str, Any])
async def list_all(request: Request, puzzle: schemas.OptionalPuzzle = None) -> Response:
    """List all puzzles and solvers, or what one puzzle offers."""
    return _json(await _fact(request, "list_all", {"puzzle": puzzle}))


@api.get("/limits", response_model=ServerLimits)
async def limits(request: Request) -> Response:
    """Return the limits of one request."""
    return JSONResponse(_service(request).limits.model_dump())


@api.get("/check", response_model=list[schemas.BoardFacts])
async def check(
    request: Request, puzzle: schemas.PuzzleName, board: schemas.BoardFields, time: schemas.Seconds = None
) -> Response:
    """Tell whether boards can be solved, the objections to them as sentences, and their difficulty."""
    _service(request).check_board_count(len(board))
    return await _question(request, "check", {"puzzle": puzzle, "board": board}, time)


@api.get("/rate", response_model=list[schemas.BoardFacts])
async def rate(
    request: Request,
    puzzle: schemas.PuzzleName,
    board: schemas.BoardFields,
    scale: Annotated[str | None, Query(description="The scale of ratings; by default the puzzle's main one.")] = None,
    time: schemas.Seconds = None,
) -> Response:
    """Rate boards by the hardest step of logic that they need."""
    _service(request).check_board_count(len(board))
    return await _question(request, "rate", {"puzzle": puzzle, "board": board, "scale": scale}, time)


@api.post("/read", response_model=dict[str, list[schemas.BoardFacts] | int])
async def read(request: Request, body: schemas.ReadRequest) -> Response:
    """Recognise the puzzle and the boards in any pasted text or link: `boards`, and `count`, which may be more."""
    parameters = {**body.model_dump(), "most": _service(request).limits.boards}
    return _json(await _fact(request, "read", parameters))


@api.get("/forms", response_model=list[dict[str, str]])
async def forms(request: Request, puzzle: schemas.PuzzleName) -> Response:
    """List the forms in which boards of a puzzle can be written: the name, what it is, and the ending of files."""
    return _json(await _fact(request, "forms", {"puzzle": puzzle}))


@api.get("/write", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def write(request: Request, puzzle: schemas.PuzzleName, board: schemas.Board, form: schemas.FormName) -> Response:
    """Write a board in a form, such as the file or the link of another program."""
    text = json.loads(await _fact(request, "write", {"puzzle": puzzle, "board": board, "form": form}))
    return Response(text, media_type="text/plain")


@api.get("/generate", response_model=list[schemas.BoardFacts])
async def generate(
    request: Request,
    puzzle: schemas.PuzzleName,
    count: Annotated[int, Query(ge=1, description="How many boards.")] = 1,
    scale: Annotated[str | None, Query(max_length=80, description="The scale of difficulty.")] = None,
    level: Annotated[str | None, Query(max_length=80, description="The level on that scale, or a range A-B.")] = None,
    seed: Annotated[int, Query(ge=0, lt=2**63, description="Equal seeds give equal boards.")] = 0,
    *,
    settings: Annotated[dict[str, Any], Depends(schemas.generator_query())],
) -> Response:
    """Make new boards of the requested difficulty."""
    _service(request).check_board_count(count, "count")
    parameters = {"puzzle": puzzle, "count": count, "scale": scale, "level": level, "seed": seed, "settings": settings}
    return await _question(request, "generate", parameters)


@api.get("/solve", response_model=list[Row])
async def solve(
    request: Request, puzzle: schemas.PuzzleName, board: schemas.BoardFields, search: schemas.Search
) -> Response:
    """Return the rows that `puzzlelab solve --json` prints: the solution of each board, and whether it is proven
    optimal.
    """
    return await _solve(request, schemas.SolveRequest(puzzle=puzzle, boards=board, **search))


@api.post("/solve", response_model=list[Row])
async def solve_many(request: Request, body: schemas.SolveRequest) -> Response:
    """Solve many boards within the time limit of one request."""
    return await _solve(request, body)


async def _solve(request: Request, body: schemas.SolveRequest) -> Response:
    service = _service(request)
    seconds_of_all, seconds_of_one = service.limits.seconds, service.search_seconds(body.time)
    service.check_board_count(len(body.boards))
    parameters = body.model_dump() | {"time": seconds_of_one, "seconds": seconds_of_all}
    return _json(await service.answer(request, service.searches, "solve", parameters, seconds_of_all))


async def _ending() -> AsyncGenerator[AsyncExitStack, None]:
    """Yield a stack whose contexts end with the request.

    A stream that its client has left while an event was sent is not closed: it waits for the collection of garbage.
    """
    async with AsyncExitStack() as stack:
        yield stack


@api.get("/solve/events", response_class=EventSourceResponse)
async def follow(
    request: Request,
    puzzle: schemas.PuzzleName,
    board: schemas.Board,
    search: schemas.Search,
    ending: Annotated[AsyncExitStack, Depends(_ending)],
) -> AsyncGenerator[ServerSentEvent, None]:
    """Stream the events of a running search.

    Events: `job` (its id), `waiting` (for what), `progress`, `solution` (each shorter than the last), and at the end
    `row` as of `/api/solve`, or `failure` with the error.
    """
    service = _service(request)
    try:
        seconds = service.search_seconds(search["time"])
        parameters = {"puzzle": puzzle, "board": board, **search, "time": seconds}
        job = service.job(request, "follow", parameters, seconds)
        yield ServerSentEvent(event="job", data={"id": job.id})
        messages = await ending.enter_async_context(aclosing(service.events(service.searches, job)))
        async for kind, value in messages:
            yield _event(kind, value)
    except HTTPException as error:
        yield _event(REFUSED, error.detail)


def _event(kind: str, value: Any) -> ServerSentEvent:
    """Return a message of a worker as a server-sent event."""
    if kind in (REFUSED, FAULT):
        return ServerSentEvent(event="failure", data={"error": value})
    if kind == DONE:
        return ServerSentEvent(event="row", raw_data=value.decode())
    return ServerSentEvent(event=kind, data=value)


@api.post("/jobs/{job}/stop", response_model=dict[str, bool])
async def stop(request: Request, job: schemas.JobId) -> Response:
    """Stop a search; its last event has its best result so far. `stopped` says whether it was running."""
    running_job = _service(request).jobs.get(job)
    if running_job is not None:
        running_job.stop()
    return JSONResponse({"stopped": running_job is not None})


@api.get("/count", response_model=list[schemas.BoardFacts])
async def count_solutions(
    request: Request,
    puzzle: schemas.PuzzleName,
    board: schemas.BoardFields,
    most: Annotated[int, Query(ge=1, le=schemas.MAX_SOLUTIONS, description="Stop at this number of solutions.")] = 2,
    listed: Annotated[int, Query(ge=0, le=schemas.MAX_LISTED, description="How many of them to list too.")] = 0,
    time: schemas.Seconds = None,
) -> Response:
    """Count the solutions of boards; where solutions differ in length, those with the fewest moves."""
    _service(request).check_board_count(len(board))
    parameters = {"puzzle": puzzle, "board": board, "most": most, "listed": listed}
    return await _question(request, "count", parameters, time)


@api.get("/candidates", response_model=list[schemas.BoardFacts])
async def candidates(
    request: Request, puzzle: schemas.PuzzleName, board: schemas.BoardFields, time: schemas.Seconds = None
) -> Response:
    """Return what each cell of boards is in some solution, and the smallest set in which two solutions differ."""
    _service(request).check_board_count(len(board))
    return await _question(request, "candidates", {"puzzle": puzzle, "board": board}, time)


@api.get("/hint", response_model=list[schemas.BoardFacts])
async def hint(request: Request, game: schemas.Game, search: schemas.Search) -> Response:
    """Return all best moves, and the regret of the others; for boards that are filled in, the next cell and why."""
    return await _question(request, "hint", {**game, **search}, search["time"])


@api.get("/analyse", response_model=dict[str, Any])
async def analyse(request: Request, game: schemas.Game, search: schemas.Search) -> Response:
    """Return how many moves each move of a solve wastes, the number of the first mistake, and the best continuation."""
    return await _question(request, "analyse", {**game, **search}, search["time"])


@api.get("/way", response_model=dict[str, list[dict[str, Any]]])
async def way(request: Request, game: schemas.Game, search: schemas.Search) -> Response:
    """Return the steps of logic from a position on, each with its reason: `steps`. They end where none is known."""
    return await _question(request, "way", {**game, **search}, search["time"])


@api.get("/frames", response_model=dict[str, list[schemas.Frame]])
async def frames(
    request: Request,
    game: schemas.Game,
    lower_bound: Annotated[int, Query(ge=0, le=1_000_000, description="A known lower bound of the first board.")] = 0,
    drawn: Annotated[bool, Query(description="Add a picture and the legal moves of each position.")] = False,
) -> Response:
    """Return every position of a game, with a lower bound of the remaining moves: `frames`."""
    return await _question(request, "frames", {**game, "lower_bound": lower_bound, "drawn": drawn})


@api.get("/moves", response_model=schemas.WrittenMoves)
async def moves(
    request: Request, game: schemas.Game, form: schemas.MoveFormName = None, form_letters: schemas.Letters = None
) -> Response:
    """Return the `moves` of a game by their names, and their `text` in a form, with what its letters mean."""
    return await _question(request, "move_texts", {**game, "form": form, "form_letters": form_letters})


@api.get("/scores", response_model=dict[str, Any])
async def scores(request: Request, game: schemas.Game, net: schemas.NetworkName = None) -> Response:
    """Return the move probabilities of a `network` at every position of a game: `steps`."""
    return await _question(request, "scores", {**game, "net": net})


@api.get("/tree", response_model=dict[str, Any])
async def tree(
    request: Request,
    puzzle: schemas.PuzzleName,
    board: schemas.Board,
    net: schemas.NetworkName = None,
    playouts: Annotated[int, Query(ge=1, le=10_000)] = 50,
) -> Response:
    """Return the statistics of a tree search for the `moves` at a board: visits, mean values, and the network's prior.

    `remaining` are the remaining moves that correspond to `value`, null where it has none.
    """
    return await _question(request, "tree", {"puzzle": puzzle, "board": board, "net": net, "playouts": playouts})


@api.get("/svg", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
async def svg(request: Request, puzzle: schemas.PuzzleName, board: schemas.Board) -> Response:
    """Draw a picture of a board."""
    drawing = json.loads(await _fact(request, "picture", {"puzzle": puzzle, "board": board}))
    return Response(drawing, media_type="image/svg+xml")

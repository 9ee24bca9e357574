"""What can be asked under `/api`, and of which workers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.exceptions import HTTPException

from puzzlelab.core.row import Row
from puzzlelab.web import schemas
from puzzlelab.web.job_service import BUSY, JobService
from puzzlelab.web.pool import Busy
from puzzlelab.web.schemas import (
    AnyPuzzle,
    Board,
    Boards,
    JobId,
    Moves,
    Net,
    Nodes,
    PuzzleName,
    Seconds,
    SolveRequest,
    With,
    generator_query,
)
from puzzlelab.web.server_limits import USUAL_SECONDS, ServerLimits
from puzzlelab.web.worker import DONE, FAULT, REFUSED

EXPLAINED: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.ErrorResponse, "description": about}
    for status, about in (
        (400, "something in the request is no board, no solver ... : which, and why"),
        (403, "asked by a page of another site"),
        (413, "the request is too large"),
        (422, "a parameter is missing, or out of its range"),
        (500, "a fault of the server"),
        (503, "too many requests at once"),
    )
}

"""How a request can fail."""
STREAMED: dict[int | str, dict[str, Any]] = {
    status: {
        "description": said["description"],
        "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schemas.ErrorResponse.__name__}"}}},
    }
    for status, said in EXPLAINED.items()
}
"""The same where an answer is no JSON, but what is wrong with the request is."""

api = APIRouter(prefix="/api", responses=EXPLAINED)


def _desk(request: Request) -> JobService:
    desk: JobService = request.app.state.desk
    return desk


async def _question(request: Request, task: str, asked: dict[str, Any], wanted: float | None = None) -> JSONResponse:
    """The answer to what is answered at once, or soon."""
    desk = _desk(request)
    seconds = desk.time(wanted)
    job = desk.job(task, seconds, {**asked, "time": seconds})
    return JSONResponse(await desk.answer(request, desk.questions, job))


@api.get("/list", response_model=dict[str, Any])
async def list_all(request: Request, puzzle: AnyPuzzle = None) -> Response:
    """The puzzles and solvers that there are, or what one puzzle offers."""
    desk = _desk(request)
    return JSONResponse(await desk.answer(request, desk.facts, desk.job("list_all", USUAL_SECONDS, {"puzzle": puzzle})))


@api.get("/limits", response_model=ServerLimits)
async def limits(request: Request) -> Response:
    """What one request may use here."""
    return JSONResponse(_desk(request).bounds.model_dump())


@api.get("/check", response_model=list[schemas.CheckResponse])
async def check(request: Request, puzzle: PuzzleName, board: Boards, time: Seconds = None) -> Response:
    """What speaks against boards, in sentences, and how hard they are."""
    boards = _desk(request).boards(board)
    return await _question(request, "check", {"puzzle": puzzle, "board": boards}, time)


@api.get("/generate", response_model=list[schemas.GenerateResponse])
async def generate(
    request: Request,
    puzzle: PuzzleName,
    count: Annotated[int, Query(ge=1, description="How many boards.")] = 1,
    scale: Annotated[str | None, Query(max_length=80, description="The scale of difficulty.")] = None,
    level: Annotated[str | None, Query(max_length=80, description="The level on it, or a range A-B.")] = None,
    seed: Annotated[int, Query(ge=0, lt=2**63, description="Equal seeds give equal boards.")] = 0,
    *,
    made: Annotated[dict[str, Any], Depends(generator_query())],
) -> Response:
    """New boards of an asked difficulty."""
    _desk(request).allow("count", count)
    asked = {"puzzle": puzzle, "count": count, "scale": scale, "level": level, "seed": seed, "made": made}
    return await _question(request, "generate", asked)


@api.get("/solve", response_model=list[Row])
async def solve(
    request: Request,
    puzzle: PuzzleName,
    board: Boards,
    solver: With = None,
    time: Seconds = None,
    nodes: Nodes = None,
) -> Response:
    """The rows that `puzzlelab solve --json` prints: what was found for each board, and what is proven of it."""
    return await _solved(request, SolveRequest(puzzle=puzzle, boards=board, solver=solver, time=time, nodes=nodes))


@api.post("/solve", response_model=list[Row])
async def solve_many(request: Request, asked: SolveRequest) -> Response:
    """The same for many boards, which share the most seconds that a request may take."""
    return await _solved(request, asked)


async def _solved(request: Request, asked: SolveRequest) -> Response:
    desk = _desk(request)
    all_seconds, each = desk.bounds.seconds, desk.time(asked.time)
    told = asked.model_dump(exclude={"boards"}) | {"board": desk.boards(asked.boards)}
    job = desk.job("solve", all_seconds, {**told, "time": each, "seconds": all_seconds})
    return JSONResponse(await desk.answer(request, desk.searches, job))


@api.get("/solve/events", response_class=EventSourceResponse, responses=STREAMED)
async def follow(
    request: Request,
    puzzle: PuzzleName,
    board: Board,
    solver: With = None,
    time: Seconds = None,
    nodes: Nodes = None,
) -> AsyncGenerator[ServerSentEvent, None]:
    """A search as it goes on.

    Events: `job` (its id), `waiting` (what for), `progress`, `solution` (each shorter than the last), and in the end
    `row` as of `/api/solve`, or `failure` with what is wrong.
    """
    desk = _desk(request)
    try:
        seconds = desk.time(time)
        asked = {"puzzle": puzzle, "board": board, "solver": solver, "time": seconds, "nodes": nodes}
        job = desk.job("follow", seconds, asked)
        yield ServerSentEvent(event="job", data={"id": job.id})
        async with aclosing(desk.events(desk.searches, job)) as told:
            async for kind, value in told:
                yield _event(kind, value)
    except Busy:
        yield _event(FAULT, BUSY)
    except HTTPException as error:
        yield _event(REFUSED, error.detail)


def _event(kind: str, value: Any) -> ServerSentEvent:
    """What a worker tells, as it is sent."""
    if kind in (REFUSED, FAULT):
        return ServerSentEvent(event="failure", data={"error": value})
    return ServerSentEvent(event="row" if kind == DONE else kind, data=value)


@api.post("/jobs/{job}/stop", response_model=schemas.StopResponse)
async def stop(request: Request, job: JobId) -> Response:
    """End a search; its events end with what it has found."""
    found = _desk(request).jobs.get(job)
    if found is not None:
        found.stop()
    return JSONResponse({"stopped": found is not None})


@api.get("/count", response_model=list[schemas.CountResponse])
async def count(
    request: Request,
    puzzle: PuzzleName,
    board: Boards,
    most: Annotated[int, Query(ge=1, le=schemas.MOST_SOLUTIONS, description="Stop at so many.")] = 2,
    time: Seconds = None,
) -> Response:
    """How many solutions boards have."""
    asked = {"puzzle": puzzle, "board": _desk(request).boards(board), "most": most}
    return await _question(request, "count", asked, time)


@api.get("/hint", response_model=list[schemas.HintResponse])
async def hint(
    request: Request,
    puzzle: PuzzleName,
    board: Board,
    moves: Moves = None,
    solver: With = None,
    time: Seconds = None,
    nodes: Nodes = None,
) -> Response:
    """All the best moves, and what the others waste; where moves fill cells, the next cell and why."""
    asked = {"puzzle": puzzle, "board": board, "moves": moves, "solver": solver, "nodes": nodes}
    return await _question(request, "hint", asked, time)


@api.get("/frames", response_model=schemas.FramesResponse)
async def frames(
    request: Request,
    puzzle: PuzzleName,
    board: Board,
    moves: Moves = None,
    lower_bound: Annotated[int, Query(ge=0, le=1_000_000, description="A bound that is known of the board.")] = 0,
    drawn: Annotated[bool, Query(description="With a picture, and the moves that can be made.")] = False,
) -> Response:
    """Every board on the way, and how many moves remain at least."""
    asked = {"puzzle": puzzle, "board": board, "moves": moves, "lower_bound": lower_bound, "drawn": drawn}
    return await _question(request, "frames", asked)


@api.get("/scores", response_model=schemas.ScoresResponse)
async def scores(request: Request, puzzle: PuzzleName, board: Board, moves: Moves = None, net: Net = None) -> Response:
    """What a network thinks of the moves at every board on the way: a share of 1 for each of them."""
    return await _question(request, "scores", {"puzzle": puzzle, "board": board, "moves": moves, "net": net})


@api.get("/tree", response_model=schemas.TreeResponse)
async def tree(
    request: Request,
    puzzle: PuzzleName,
    board: Board,
    net: Net = None,
    playouts: Annotated[int, Query(ge=1, le=10_000)] = 50,
) -> Response:
    """What playouts of a tree search say of the moves at a board: visits, mean values, and the network's prior."""
    return await _question(request, "tree", {"puzzle": puzzle, "board": board, "net": net, "playouts": playouts})


@api.get("/svg", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}, **STREAMED})
async def svg(request: Request, puzzle: PuzzleName, board: Board) -> Response:
    """A picture of a board."""
    desk = _desk(request)
    asked = {"puzzle": puzzle, "board": board}
    drawn = await desk.answer(request, desk.facts, desk.job("picture", USUAL_SECONDS, asked))
    return Response(drawn, media_type="image/svg+xml")

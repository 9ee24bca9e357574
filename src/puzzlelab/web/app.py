"""The server: turns requests into tasks for workers, and their answers into JSON; it never searches itself.

Two pools of workers: one for searches, which take their time, and one for questions that are answered at once, so that
a page goes on being quick while somebody's search runs.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from puzzlelab.core.row import Row
from puzzlelab.core.version import VERSION
from puzzlelab.web import shapes
from puzzlelab.web.bounds import USUAL_SECONDS, Bounds
from puzzlelab.web.guards import POLICY, Guard
from puzzlelab.web.pool import Busy, Job, Message, Pool
from puzzlelab.web.shapes import (
    AnyPuzzle,
    Board,
    Boarded,
    Boards,
    JobId,
    Moves,
    Net,
    Nodes,
    PuzzleName,
    Seconds,
    With,
)
from puzzlelab.web.worker import DONE, FAULT, REFUSED

STATIC = Path(__file__).with_name("static")
QUICK = 2
"""Workers for questions that are answered at once."""
LOOK = 0.5
"""Seconds after which it is seen whether the one who asked is still there."""
BUSY = "everything is busy: try again in some seconds"
LEFT = 499
"""The status for one who has gone, and will not read it."""
EXPLAINED: dict[int | str, dict[str, Any]] = {
    status: {"model": shapes.Fault, "description": about}
    for status, about in (
        (400, "something in the request is no board, no solver ... : which, and why"),
        (403, "asked by a page of another site"),
        (413, "the request is too large"),
        (422, "a parameter is missing, or out of its range"),
        (500, "a fault of the server"),
        (503, "too many requests at once"),
    )
}


class Desk:
    """The workers of a server, and the jobs that they have."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.searches = Pool(bounds.jobs, bounds.waiting, bounds.memory)
        self.questions = Pool(QUICK, bounds.waiting, bounds.memory)
        self.jobs: dict[str, Job] = {}

    def job(self, task: str, seconds: float, asked: dict[str, Any]) -> Job:
        """A job of so many seconds, and those for compiling."""
        return Job(task, asked, seconds + self.bounds.building)

    def time(self, wanted: float) -> float:
        """What a search gets of the seconds that were wanted; raises `HTTPException`."""
        if wanted > self.bounds.seconds:
            raise HTTPException(422, f"time: a search may take {self.bounds.seconds:g} seconds here, not {wanted:g}")
        return wanted

    def boards(self, texts: Sequence[str]) -> list[str]:
        """The boards, if they are not too many; raises `HTTPException`."""
        if len(texts) > self.bounds.boards:
            raise HTTPException(
                422, f"boards: {len(texts):,} boards are more than the {self.bounds.boards:,} of one request"
            )
        return list(texts)

    async def events(self, pool: Pool, job: Job) -> AsyncIterator[Message]:
        """What a job tells, while it can be stopped by its id."""
        self.jobs[job.id] = job
        try:
            async with aclosing(pool.run(job)) as told:
                async for message in told:
                    yield message
        finally:
            del self.jobs[job.id]

    async def answer(self, request: Request, pool: Pool, job: Job) -> Any:
        """How a job ends, for one who waits for it; whoever leaves stops it. Raises `HTTPException`."""
        end = asyncio.ensure_future(self._end(pool, job))
        try:
            while not (await asyncio.wait({end}, timeout=LOOK))[0]:
                if await request.is_disconnected():
                    raise HTTPException(LEFT)
            kind, value = end.result()
        except Busy:
            raise HTTPException(503, BUSY, {"Retry-After": "5"}) from None
        finally:
            end.cancel()
        if kind != DONE:
            raise HTTPException(400 if kind == REFUSED else 500, value)
        return value

    async def _end(self, pool: Pool, job: Job) -> Message:
        message: Message = (FAULT, "")
        async for message in self.events(pool, job):
            pass
        return message


api = APIRouter(prefix="/api", responses=EXPLAINED)


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


async def _question(request: Request, task: str, seconds: float = USUAL_SECONDS, **asked: Any) -> JSONResponse:
    """The answer to what is answered at once, or soon."""
    desk = _desk(request)
    asked["time"] = desk.time(seconds)
    return JSONResponse(await desk.answer(request, desk.questions, desk.job(task, seconds, asked)))


@api.get("/list", response_model=dict[str, Any])
async def list_all(request: Request, puzzle: AnyPuzzle = None) -> Response:
    """The puzzles and solvers that there are, or what one puzzle offers."""
    return await _question(request, "list_all", puzzle=puzzle)


@api.get("/check", response_model=list[shapes.Checked])
async def check(request: Request, puzzle: PuzzleName, board: Boards, time: Seconds = USUAL_SECONDS) -> Response:
    """What speaks against boards, in sentences, and how hard they are."""
    boards = _desk(request).boards(board)
    return await _question(request, "check", time, puzzle=puzzle, board=boards)


@api.get("/generate", response_model=list[shapes.Generated])
async def generate(
    request: Request,
    puzzle: PuzzleName,
    count: Annotated[int, Query(ge=1, description="How many boards.")] = 1,
    scale: Annotated[str | None, Query(max_length=80, description="The scale of difficulty.")] = None,
    level: Annotated[str | None, Query(max_length=80, description="The level on it, or a range A-B.")] = None,
    seed: Annotated[int, Query(ge=0, lt=2**63, description="Equal seeds give equal boards.")] = 0,
    clues: Annotated[str | None, Query(max_length=80, description="Sudoku: so many clues, or A-B.")] = None,
    minimal: Annotated[bool, Query(description="Sudoku: no clue can be left out.")] = False,
    symmetry: Annotated[str | None, Query(max_length=80, description="Sudoku: a pattern such as half-turn.")] = None,
    hard: Annotated[int | None, Query(ge=1, le=1000, description="Sudoku: steps towards more guesses.")] = None,
) -> Response:
    """New boards of an asked difficulty."""
    desk = _desk(request)
    if count > desk.bounds.boards:
        raise HTTPException(422, f"count: {count:,} boards are more than the {desk.bounds.boards:,} of one request")
    made = {"clues": clues, "minimal": minimal, "symmetry": symmetry, "hard": hard}
    return await _question(
        request, "generate", puzzle=puzzle, count=count, scale=scale, level=level, seed=seed, **made
    )


@api.get("/solve", response_model=list[Row])
async def solve(
    request: Request,
    puzzle: PuzzleName,
    board: Boards,
    solver: With = None,
    time: Seconds = USUAL_SECONDS,
    nodes: Nodes = None,
) -> Response:
    """The rows that `puzzlelab solve --json` prints: what was found for each board, and what is proven of it."""
    return await _solved(request, Boarded(puzzle=puzzle, boards=board, solver=solver, time=time, nodes=nodes))


@api.post("/solve", response_model=list[Row])
async def solve_many(request: Request, asked: Boarded) -> Response:
    """The same for many boards, which share the most seconds that a request may take."""
    return await _solved(request, asked)


async def _solved(request: Request, asked: Boarded) -> Response:
    desk = _desk(request)
    told = asked.model_dump(exclude={"boards"}) | {"board": desk.boards(asked.boards), "seconds": desk.bounds.seconds}
    desk.time(asked.time)
    return JSONResponse(await desk.answer(request, desk.searches, desk.job("solve", desk.bounds.seconds, told)))


@api.get("/solve/events", response_class=EventSourceResponse)
async def follow(
    request: Request,
    puzzle: PuzzleName,
    board: Board,
    solver: With = None,
    time: Seconds = USUAL_SECONDS,
    nodes: Nodes = None,
) -> AsyncIterator[ServerSentEvent]:
    """A search as it goes on.

    Events: `job` (its id), `waiting` (what for), `progress`, `solution` (each shorter than the last), and in the end
    `row` as of `/api/solve`, or `failure` with what is wrong.
    """
    desk = _desk(request)
    try:
        asked = {"puzzle": puzzle, "board": board, "solver": solver, "time": desk.time(time), "nodes": nodes}
        job = desk.job("follow", time, asked)
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


@api.post("/jobs/{job}/stop", response_model=shapes.Stopped)
async def stop(request: Request, job: JobId) -> Response:
    """End a search; its events end with what it has found."""
    found = _desk(request).jobs.get(job)
    if found is not None:
        found.stop()
    return JSONResponse({"stopped": found is not None})


@api.get("/count", response_model=list[shapes.Counted])
async def count(
    request: Request,
    puzzle: PuzzleName,
    board: Boards,
    most: Annotated[int, Query(ge=1, le=shapes.MOST_SOLUTIONS, description="Stop at so many.")] = 2,
    time: Seconds = USUAL_SECONDS,
) -> Response:
    """How many solutions boards have."""
    return await _question(
        request, "count", time, puzzle=puzzle, board=_desk(request).boards(board), most=most
    )


@api.get("/hint", response_model=list[shapes.Hinted])
async def hint(
    request: Request,
    puzzle: PuzzleName,
    board: Board,
    moves: Moves = None,
    solver: With = None,
    time: Seconds = USUAL_SECONDS,
    nodes: Nodes = None,
) -> Response:
    """All the best moves, and what the others waste; for a Sudoku the next cell, and why it is that digit."""
    asked = {"puzzle": puzzle, "board": board, "moves": moves, "solver": solver, "nodes": nodes}
    return await _question(request, "hint", time, **asked)


@api.get("/frames", response_model=shapes.Frames)
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
    return await _question(request, "frames", **asked)


@api.get("/scores", response_model=shapes.Scored)
async def scores(
    request: Request, puzzle: PuzzleName, board: Board, moves: Moves = None, net: Net = None
) -> Response:
    """What a network thinks of the moves at every board on the way: a share of 1 for each of them."""
    return await _question(request, "scores", puzzle=puzzle, board=board, moves=moves, net=net)


@api.get("/tree", response_model=shapes.Grown)
async def tree(
    request: Request,
    puzzle: PuzzleName,
    board: Board,
    net: Net = None,
    playouts: Annotated[int, Query(ge=1, le=10_000)] = 50,
) -> Response:
    """What playouts of a tree search say of the moves at a board: visits, mean values, and the network's prior."""
    return await _question(request, "tree", puzzle=puzzle, board=board, net=net, playouts=playouts)


@api.get("/svg", response_class=Response, responses={200: {"content": {"image/svg+xml": {}}}})
async def svg(request: Request, puzzle: PuzzleName, board: Board) -> Response:
    """A picture of a board."""
    desk = _desk(request)
    asked = {"puzzle": puzzle, "board": board}
    drawn = await desk.answer(request, desk.questions, desk.job("picture", USUAL_SECONDS, asked))
    return Response(drawn, media_type="image/svg+xml")


# --- the application ---


def make_app(bounds: Bounds | None = None, hosts: Sequence[str] = ("*",)) -> FastAPI:
    """The application; `hosts` are the names by which it may be called."""
    limits = bounds or Bounds()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        desk: Desk = app.state.desk
        desk.searches.open()
        desk.questions.open()
        try:
            yield
        finally:
            desk.searches.close()
            desk.questions.close()

    app = FastAPI(
        title="puzzlelab",
        version=VERSION,
        description="Boards in, proven moves out: what the command line prints with `--json`.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.desk = Desk(limits)
    app.include_router(api)
    _documented(app)
    _explained(app)
    app.mount("/", StaticFiles(directory=STATIC, html=True), name="page")
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    app.add_middleware(Guard, most=limits.body)
    return app


def _explained(app: FastAPI) -> None:
    """Say what is wrong in a sentence, whatever it is."""

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        return JSONResponse({"error": f"{where}: {first['msg']}" if where else str(first["msg"])}, 422)

    @app.exception_handler(HTTPException)
    async def wrong(request: Request, error: HTTPException) -> Response:
        return JSONResponse({"error": error.detail}, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def fault(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "something went wrong inside the server; its log says what"}, 500)


def _documented(app: FastAPI) -> None:
    """The pages about the API, from files of this machine only."""
    import fastapi_offline

    files = "/api/docs/files"
    page = get_swagger_ui_html(
        openapi_url="/api/openapi.json",
        title="The API of puzzlelab",
        swagger_js_url=f"{files}/swagger-ui-bundle.js",
        swagger_css_url=f"{files}/swagger-ui.css",
        swagger_favicon_url="/icon.svg",
    )
    scripts = re.findall(rb"<script>(.*?)</script>", bytes(page.body), re.DOTALL)
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'" for text in scripts)
    policy = POLICY.replace("script-src 'self'", f"script-src 'self' {hashes}")
    policy = policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(page.body, headers={"content-security-policy": policy})

    folder = Path(fastapi_offline.__file__).with_name("static")
    app.mount(files, StaticFiles(directory=folder), name="docs")

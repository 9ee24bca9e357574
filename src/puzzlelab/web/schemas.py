"""What requests and answers look like, for checking the first and for the pages of the API about both."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from puzzlelab.analysis.board_generation import generator_fields
from puzzlelab.web.server_limits import USUAL_SECONDS

LONGEST_BOARD, LONGEST_NAME, LONGEST_GAME = 8192, 512, 16_384
"""Characters."""
MOST_NODES = 10**12
MOST_SOLUTIONS = 10_000

Text = Annotated[str, Field(max_length=LONGEST_BOARD)]
PuzzleName = Annotated[str, Query(max_length=LONGEST_NAME, description="The puzzle, such as tiles-4x4.")]
AnyPuzzle = Annotated[str | None, Query(max_length=LONGEST_NAME, description="Say what this puzzle offers.")]
Board = Annotated[str, Query(max_length=LONGEST_BOARD, description="A board in any notation of the puzzle.")]
Boards = Annotated[list[Text], Query(min_length=1, description="A board; say it again for more.")]
Moves = Annotated[
    str | None, Query(max_length=LONGEST_GAME, description="Moves made from the board, with spaces between them.")
]
With = Annotated[
    str | None,
    Query(
        max_length=LONGEST_NAME, description="The solver, as in `ida`, or `astar:weight=2`; the usual one if left out."
    ),
]
Seconds = Annotated[
    float | None,
    Query(gt=0, le=86_400, allow_inf_nan=False, description=f"Seconds for each board; {USUAL_SECONDS:g} if left out."),
]
Nodes = Annotated[int | None, Query(ge=1, le=MOST_NODES, description="States to expand for each board.")]
Net = Annotated[
    str | None, Query(max_length=LONGEST_NAME, description="A network of the package by its name or its hash.")
]
JobId = Annotated[str, Path(max_length=LONGEST_NAME)]


class SolveRequest(BaseModel):
    """The body of a request for many boards."""

    model_config = ConfigDict(extra="forbid")

    puzzle: str = Field(max_length=LONGEST_NAME, examples=["tiles-3x3"])
    boards: list[Text] = Field(min_length=1, examples=[["8 6 7 2 5 4 3 0 1"]])
    solver: str | None = Field(default=None, max_length=LONGEST_NAME)
    time: float | None = Field(default=None, gt=0, le=86_400, allow_inf_nan=False)
    nodes: int | None = Field(default=None, ge=1, le=MOST_NODES)


class ErrorResponse(BaseModel):
    """What is wrong, in a sentence."""

    error: str


class Response(BaseModel):
    """Says what an answer has at least."""

    model_config = ConfigDict(extra="allow")


class CheckResponse(Response):
    """What is to be said of a board; `error` says why a text is none."""

    puzzle: str
    board: str
    ok: bool | None = None
    objections: list[str] | None = None
    unsolvable: bool | None = None
    solutions: int | None = Field(default=None, description="2 means two or more; null that nobody knows.")
    difficulty: dict[str, int] | None = None
    error: str | None = None


class GenerateResponse(Response):
    """A new board."""

    puzzle: str
    board: str
    scale: str
    level: str | None
    seed: int
    number: int


class CountResponse(Response):
    """How many solutions a board has; more than that unless `complete`."""

    puzzle: str
    board: str
    solutions: int
    complete: bool
    stop: str


class HintResponse(Response):
    """The best moves at a position, and what is known of them all; where moves fill cells, the next cell and why."""

    puzzle: str
    board: str
    best: list[str]
    reason: str


class FrameResponse(Response):
    """A board on the way; at least `bound` moves remain."""

    board: str
    move: str | None
    bound: int
    solved: bool


class FramesResponse(Response):
    """All boards on the way."""

    frames: list[FrameResponse]


class ScoresResponse(Response):
    """What a network makes of the moves at every board on the way."""

    network: dict[str, str]
    steps: list[dict[str, Any]]


class TreeResponse(Response):
    """What so many playouts say of the moves at a board."""

    playouts: int
    value: float
    remaining: float | None = Field(description="The moves to go that this value means.")
    moves: list[dict[str, Any]]


class StopResponse(Response):
    """Whether there was a job to stop."""

    stopped: bool


def generator_query() -> Callable[..., dict[str, Any]]:
    """A dependency that reads the settings of puzzles' own generators from a query, and gives those that are there."""
    fields, parameters = generator_fields(), []
    for name, (puzzle, field) in fields.items():
        extra = _extra(field)
        about: dict[str, Any] = {"description": f"{puzzle}: {field.description}.", "alias": str(extra.get("off", name))}
        if field.annotation is bool:
            kind: Any = Annotated[bool, Query(**about)]
        elif "served_most" in extra:
            kind = Annotated[int | None, Query(ge=1, le=extra["served_most"], **about)]
        else:
            kind = Annotated[str | None, Query(max_length=LONGEST_NAME, **about)]
        default = False if field.annotation is bool else None
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind))

    def given(**values: Any) -> dict[str, Any]:
        said = {name: value for name, value in values.items() if value not in (None, False)}
        return {name: False if "off" in _extra(fields[name][1]) else value for name, value in said.items()}

    vars(given)["__signature__"] = Signature(parameters)
    return given


def _extra(field: FieldInfo) -> dict[str, Any]:
    return field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}

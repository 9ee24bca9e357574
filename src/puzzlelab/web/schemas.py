"""The types of requests and responses: they validate requests, and describe both in the documentation of the API."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Annotated, Any

from fastapi import Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from puzzlelab.core.errors import shorten
from puzzlelab.jobs.board_generation import generator_fields
from puzzlelab.web.job_service import DEFAULT_SECONDS

MAX_BOARD_LENGTH, MAX_NAME_LENGTH, MAX_GAME_LENGTH = 8192, 1024, 16_384
"""Characters."""
MAX_NODES = 10**12
MAX_SOLUTIONS = 10_000
MAX_LISTED = 100
"""The most solutions that one answer lists."""

BoardField = Annotated[str, Field(max_length=MAX_BOARD_LENGTH)]
PuzzleName = Annotated[str, Query(max_length=MAX_NAME_LENGTH, description="The puzzle, such as tiles-4x4.")]
OptionalPuzzle = Annotated[
    str | None, Query(max_length=MAX_NAME_LENGTH, description="Describe this puzzle instead of listing all.")
]
Board = Annotated[str, Query(max_length=MAX_BOARD_LENGTH, description="A board in any notation of the puzzle.")]
BoardFields = Annotated[list[BoardField], Query(min_length=1, description="A board; repeat the parameter for more.")]
Moves = Annotated[
    str | None, Query(max_length=MAX_GAME_LENGTH, description="Moves from the board, in any form of the puzzle.")
]
Letters = Annotated[
    str | None,
    Query(
        max_length=MAX_NAME_LENGTH, description="What letters of moves mean; `move_forms` of /list has what they can."
    ),
]
SolverName = Annotated[
    str | None,
    Query(
        max_length=MAX_NAME_LENGTH,
        description="The solver, such as `ida` or `astar:weight=2`; by default the usual one of the puzzle.",
    ),
]
Seconds = Annotated[
    float | None,
    Query(gt=0, le=86_400, allow_inf_nan=False, description=f"Seconds for each board; by default {DEFAULT_SECONDS:g}."),
]
Nodes = Annotated[int | None, Query(ge=1, le=MAX_NODES, description="The most states to expand for each board.")]
NetworkName = Annotated[
    str | None, Query(max_length=MAX_NAME_LENGTH, description="A network of the package by its name or its hash.")
]
FormName = Annotated[str, Query(max_length=MAX_NAME_LENGTH, description="The form, such as sdk; see /forms.")]
MoveFormName = Annotated[
    str | None, Query(max_length=MAX_NAME_LENGTH, description="The form of moves; `move_forms` of /list has them.")
]
JobId = Annotated[str, Path(max_length=MAX_NAME_LENGTH)]


def _game(puzzle: PuzzleName, board: Board, moves: Moves = None, letters: Letters = None) -> dict[str, Any]:
    return {"puzzle": puzzle, "board": board, "moves": moves, "letters": letters}


def _search(solver: SolverName = None, time: Seconds = None, nodes: Nodes = None) -> dict[str, Any]:
    return {"solver": solver, "time": time, "nodes": nodes}


Game = Annotated[dict[str, Any], Depends(_game)]
"""The parameters of a game: the puzzle, the board and the moves from it."""
Search = Annotated[dict[str, Any], Depends(_search)]
"""The parameters of a search: the solver and its limits."""


class Body(BaseModel):
    """The body of a request; of many errors in it the first one is reported, because each costs time and memory."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, body: Any) -> Any:
        unknown = (
            next((name for name in body if name not in cls.model_fields), None) if isinstance(body, dict) else None
        )
        if unknown is not None:
            raise PydanticCustomError("unknown_field", "there is no field '{name}'", {"name": shorten(unknown)})
        return body


class SolveRequest(Body):
    """The body of a request for many boards."""

    puzzle: str = Field(max_length=MAX_NAME_LENGTH, examples=["tiles-3x3"])
    boards: list[BoardField] = Field(min_length=1, fail_fast=True, examples=[["8 6 7 2 5 4 3 0 1"]])
    solver: str | None = Field(default=None, max_length=MAX_NAME_LENGTH)
    time: float | None = Field(default=None, gt=0, le=86_400, allow_inf_nan=False)
    nodes: int | None = Field(default=None, ge=1, le=MAX_NODES)


class ReadRequest(Body):
    """The body of a request for the boards in a text."""

    text: str = Field(max_length=2**20, description="A board in any form, a table, a link, or a file of many boards.")
    puzzle: str | None = Field(
        default=None, max_length=MAX_NAME_LENGTH, description="The puzzle that is taken where the text may be several."
    )


class WrittenMoves(BaseModel):
    """The moves of a game in two forms."""

    moves: list[str] = Field(description="Their names.")
    text: str = Field(description="The moves in the form that was asked for.")
    about: str = Field(description="What a move is in this form.")


class BoardFacts(BaseModel):
    """Facts about a board: those that were asked for are set; there may be more than are declared here."""

    model_config = ConfigDict(extra="allow")

    puzzle: str
    board: str
    error: str | None = Field(default=None, description="Why a text is no board.")
    ok: bool | None = Field(default=None, description="Whether there are no objections.")
    objections: list[str] | None = None
    unsolvable: bool | None = None
    solutions: int | None = Field(
        default=None, description="How many there are; null means unknown. Of /check, 2 means two or more."
    )
    listed: list[list[str]] | None = Field(default=None, description="The moves of some of them.")
    complete: bool | None = Field(default=None, description="Whether these are all solutions, and not a lower bound.")
    stop: str | None = Field(default=None, description="Why the search ended.")
    difficulty: dict[str, int] | None = Field(default=None, description="Scale: level.")
    scale: str | None = None
    level: str | None = None
    seed: int | None = None
    number: int | None = None
    best: list[str] | None = Field(default=None, description="The best moves.")
    reason: str | None = Field(
        default=None, description="Of a hint; of the last new board, when the time did not suffice for all."
    )


class Frame(BaseModel):
    """One position of a game; at least `bound` moves remain, which puzzles with costs or a score leave out."""

    model_config = ConfigDict(extra="allow")

    board: str
    move: str | None
    bound: int | None = None
    solved: bool


def generator_query() -> Callable[..., dict[str, Any]]:
    """Return a dependency that reads the settings of the puzzles' generators from the query.

    It omits those not in it.
    """
    fields, parameters = generator_fields(), []
    for name, field in fields.items():
        options: dict[str, Any] = {"description": field.description, "alias": field.off or name}
        if field.is_switch:
            annotation: Any = Annotated[bool, Query(**options)]
        elif "served_most" in field.extra:
            annotation = Annotated[int | None, Query(ge=1, le=field.extra["served_most"], **options)]
        else:
            annotation = Annotated[str | None, Query(max_length=MAX_NAME_LENGTH, **options)]
        default = False if field.is_switch else None
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation))

    def generator_settings(**values: Any) -> dict[str, Any]:
        settings = {name: fields[name].setting(value) for name, value in values.items()}
        return {name: setting for name, setting in settings.items() if setting is not None}

    vars(generator_settings)["__signature__"] = Signature(parameters)
    return generator_settings

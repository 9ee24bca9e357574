"""What requests and answers look like, for checking the first and for the pages of the API about both."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from puzzlelab.web.bounds import USUAL_SECONDS

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


class Boarded(BaseModel):
    """The body of a request for many boards."""

    model_config = ConfigDict(extra="forbid")

    puzzle: str = Field(max_length=LONGEST_NAME, examples=["tiles-3x3"])
    boards: list[Text] = Field(min_length=1, examples=[["8 6 7 2 5 4 3 0 1"]])
    solver: str | None = Field(default=None, max_length=LONGEST_NAME)
    time: float | None = Field(default=None, gt=0, le=86_400, allow_inf_nan=False)
    nodes: int | None = Field(default=None, ge=1, le=MOST_NODES)


class Fault(BaseModel):
    """What is wrong, in a sentence."""

    error: str


class Shape(BaseModel):
    """Says what an answer has at least."""

    model_config = ConfigDict(extra="allow")


class Checked(Shape):
    """What is to be said of a board; `error` says why a text is none."""

    puzzle: str
    board: str
    ok: bool | None = None
    objections: list[str] | None = None
    unsolvable: bool | None = None
    solutions: int | None = Field(default=None, description="2 means two or more; null that nobody knows.")
    difficulty: dict[str, int] | None = None
    error: str | None = None


class Generated(Shape):
    """A new board."""

    puzzle: str
    board: str
    scale: str
    level: str | None
    seed: int
    number: int


class Counted(Shape):
    """How many solutions a board has; more than that unless `complete`."""

    puzzle: str
    board: str
    solutions: int
    complete: bool
    stop: str


class Hinted(Shape):
    """The best moves at a position, and what is known of them all; for a Sudoku the next cell, and why."""

    puzzle: str
    board: str
    best: list[str]
    reason: str


class Frame(Shape):
    """A board on the way; at least `bound` moves remain."""

    board: str
    move: str | None
    bound: int
    solved: bool


class Frames(Shape):
    """All boards on the way."""

    frames: list[Frame]


class Scored(Shape):
    """What a network makes of the moves at every board on the way."""

    network: dict[str, str]
    steps: list[dict[str, Any]]


class Grown(Shape):
    """What so many playouts say of the moves at a board."""

    playouts: int
    value: float
    remaining: float | None = Field(description="The moves to go that this value means.")
    moves: list[dict[str, Any]]


class Stopped(Shape):
    """Whether there was a job to stop."""

    stopped: bool

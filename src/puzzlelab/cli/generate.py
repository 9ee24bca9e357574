"""`puzzlelab generate`: new boards of an asked difficulty."""

from pathlib import Path
from typing import Annotated

import typer

from puzzlelab.cli.console import fail


def generate(
    puzzle: Annotated[str, typer.Argument(help="The puzzle, such as tiles-4x4.")],
    count: Annotated[int, typer.Option(min=1, help="How many boards.")] = 1,
    scale: Annotated[str | None, typer.Option(help="The scale of difficulty (see `puzzlelab list PUZZLE`).")] = None,
    level: Annotated[
        str | None, typer.Option(help="The level on that scale, or a range A-B to go through in turn.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal boards.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of standard output.")] = None,
) -> None:
    """Make boards, one a line; easy levels may hold few different boards, so that some come twice."""
    from puzzlelab import api
    from puzzlelab.core.errors import BadFile, NotSuited, UnknownName
    from puzzlelab.core.puzzle import Samples
    from puzzlelab.core.seeds import generator
    from puzzlelab.core.settings import read_levels

    chosen = api.load(puzzle)
    if not isinstance(chosen, Samples):
        raise NotSuited(f"{chosen.name} offers no scale of difficulty to make boards on")
    name = scale or next(iter(chosen.scales))
    if name not in chosen.scales:
        raise UnknownName(f"scale of {chosen.name}", name, chosen.scales)
    least, most = read_levels(level) if level else (None, None)
    levels = [None] if least is None or most is None else list(range(least, most + 1))
    boards = (
        chosen.write(chosen.scales[name].sample(generator(seed, i), levels[i % len(levels)])) for i in range(count)
    )
    header = f"# puzzle: {chosen.name}\n# {name} {level or 'any'}, seed {seed}\n"
    if out is None:
        for board in boards:
            typer.echo(board)
        return
    try:
        with out.open("w", encoding="utf-8") as file:
            file.write(header)
            for board in boards:
                file.write(board + "\n")
    except OSError as error:
        raise BadFile(f"cannot write {out}: {error.strerror}") from None
    except KeyboardInterrupt:
        fail(f"interrupted; {out} holds the boards made so far")
        raise

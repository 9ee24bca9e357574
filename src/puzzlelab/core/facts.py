"""What there is, what a puzzle offers, and what was found of a board, as plain data that JSON can hold.

The command line prints it and a server sends it, so that both say the same. Nothing here imports torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from puzzlelab.core import networks, registry
from puzzlelab.core.errors import BadInput
from puzzlelab.core.network_options import HEADS
from puzzlelab.core.puzzle import Cover, Estimates, Instance, Puzzle, Samples, State, scale_of
from puzzlelab.core.solver import Solver, options_of, require, require_views, usual_solver
from puzzlelab.core.version import VERSION

if TYPE_CHECKING:
    from puzzlelab.core.hints import Hint, MoveValue
    from puzzlelab.core.limit import Limit
    from puzzlelab.core.questions import Range
    from puzzlelab.core.regrets import Regrets, Step
    from puzzlelab.core.solutions import Count

Facts = dict[str, Any]
LEARNED = ("torch", "safetensors")
"""What networks need."""

# --- what there is ---


def everything() -> Facts:
    """The version, the puzzle families, and the solvers with their options."""
    return {
        "version": VERSION,
        "puzzles": [_family(name) for name in registry.families()],
        "solvers": [_solver(name) for name in _solver_names()],
    }


def _family(name: str) -> Facts:
    family = registry.family(name)
    return {"family": name, "about": family.ABOUT, "names": list(family.EXAMPLES)}


def _solver_names() -> list[str]:
    return [*registry.solver_names(), *registry.exact_solvers()]


def _solver(name: str) -> Facts:
    kind = registry.solver_class(name)
    options = [{"name": option, "default": _plain(field.default)} for option, field in kind.model_fields.items()]
    return {"name": name, "about": (kind.__doc__ or "").strip().split("\n\n")[0], "options": options}


def _plain(value: Any) -> Any:
    """A default as JSON has it; None for what has no plain form."""
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool) else None


# --- one puzzle ---


def about(puzzle: Puzzle) -> Facts:
    """What a puzzle offers: its solvers, estimates, scales, networks and examples."""
    name, options = usual_solver(puzzle)
    return {
        "puzzle": puzzle.name,
        "family": puzzle.name.partition("-")[0],
        "moves": puzzle.move_count,
        "move_note": getattr(puzzle, "move_note", ""),
        "shows_board": bool(getattr(puzzle, "shows_board", False)),
        "one_way": one_way(puzzle),
        "counts": _counts(registry.make_solver(name, options)),
        "usual_solver": {"name": name, "options": {key: _plain(value) for key, value in options.items()}},
        "solvers": [each for each in _solver_names() if _could_work(puzzle, registry.make_solver(each, {}))],
        "estimates": list(_estimates(puzzle)),
        "scales": _scales(puzzle),
        "networks": [_network(puzzle, stem, card) for stem, card in networks.cards(puzzle.name).items()],
        "examples": _examples(puzzle),
    }


def one_way(puzzle: Puzzle) -> bool:
    """Whether a good board of this puzzle has one solution only."""
    return isinstance(puzzle, Cover)


def _counts(solver: Solver) -> bool:
    from puzzlelab.core.solutions import Lists

    return isinstance(solver, Lists)


def _could_work(puzzle: Puzzle, solver: Solver) -> bool:
    """What `require` would say with the options as they are by default, without loading a network."""
    asked = [option for option, value in solver.options().items() if networks.is_network(value)]
    try:
        if asked:
            require_views(solver, puzzle)
            return _has_network(puzzle, asked, solver)
        require(solver, puzzle)
    except BadInput:
        return False
    return True


def _has_network(puzzle: Puzzle, asked: Sequence[str], solver: Solver) -> bool:
    """Whether the best network of the package tells what a solver asks it in these options."""
    card = networks.cards(puzzle.name).get(puzzle.name)
    if card is None or not all(map(find_spec, LEARNED)):
        return False
    heads = set(_heads(card))
    told = {option for option in HEADS if option in solver.options() and heads & set(HEADS[option])}
    # One that asks for both needs to know how many moves remain; whoever asks for one takes what the network tells.
    return bool(told) if len(asked) == 1 else "estimate" in told or isinstance(puzzle, Estimates)


def _heads(card: Mapping[str, Any]) -> list[str]:
    return list(card.get("network", {}).get("heads", ()))


def _estimates(puzzle: Puzzle) -> Iterator[Facts]:
    if not isinstance(puzzle, Estimates):
        return
    usual, known = puzzle.estimate().name, puzzle.estimates
    for name, sentence in known.items():
        short = usual not in known and usual.startswith(f"{name}-")  # as pdb-663 is the usual one of those named pdb
        told = {"name": name, "about": sentence, "usual": name == usual or short}
        try:
            yield {**told, "admissible": puzzle.estimate(name).admissible}  # whose tables are made when it is used
        except BadInput:
            yield told


def _scales(puzzle: Puzzle) -> list[Facts]:
    known = puzzle.scales if isinstance(puzzle, Samples) else {}
    return [
        {
            "name": name,
            "about": scale.about,
            "levels": None if scale.levels is None else list(scale.levels),
            "usual": number == 0,
        }
        for number, (name, scale) in enumerate(known.items())
    ]


def _network(puzzle: Puzzle, stem: str, card: Mapping[str, Any]) -> Facts:
    return {
        "name": stem,
        "hash": card.get("name", ""),
        "parameters": card.get("parameters", 0),
        "heads": _heads(card),
        "recipe": card.get("recipe", ""),
        "usual": stem == puzzle.name,
    }


def _examples(puzzle: Puzzle) -> list[Facts]:
    known = getattr(puzzle, "examples", {})
    return [
        {"name": name, "board": puzzle.write(puzzle.read(name).state), "about": example.about}
        for name, example in known.items()
    ]


# --- what was found ---


def error_facts(puzzle: Puzzle, board: str, error: Exception) -> Facts:
    """A text that could not be answered, as it was given, and why."""
    return {"puzzle": puzzle.name, "board": board, "error": str(error)}


def hint_row(instance: Instance, solver: Solver, limit: Limit, told: Hint) -> Facts:
    """A hint with its question and the work that it took."""
    return {**_question(instance, solver, limit), **hint_facts(told), **_work(told)}


def game_row(instance: Instance, solver: Solver, limit: Limit, told: Regrets) -> Facts:
    """The regrets of a game from this board, with the question and the work that it took."""
    return {**_question(instance, solver, limit), **game_facts(instance.puzzle, told), **_work(told)}


def _question(instance: Instance, solver: Solver, limit: Limit) -> Facts:
    puzzle = instance.puzzle
    return {
        "puzzle": puzzle.name,
        "board": puzzle.write(instance.state),
        "solver": solver.name,
        "options": options_of(solver, puzzle),
        "limit": vars(limit),
        "version": VERSION,
    }


def _work(told: Hint | Regrets) -> Facts:
    return {"stop": told.stop, "expanded": told.expanded, "seconds": round(told.seconds, 6)}


def hint_facts(told: Hint) -> Facts:
    """A hint as plain data."""
    puzzle = told.instance.puzzle

    def facts(value: MoveValue) -> Facts:
        return {"move": puzzle.write_move(value.move), **_range(value.needed), "regret": _range(value.regret)}

    return {
        **_range(told.needed),
        "reason": told.reason,
        "best": [puzzle.write_move(move) for move in told.best],
        "settled": told.settled,
        "all_proven": told.proven,
        "moves": [facts(value) for value in told.moves],
    }


def game_facts(puzzle: Puzzle, told: Regrets) -> Facts:
    """The regrets of a game as plain data."""

    def facts(step: Step) -> Facts:
        ranges = {"before": _range(step.before), "after": _range(step.after), "regret": _range(step.regret)}
        return {"move": puzzle.write_move(step.move), **ranges}

    return {"regret": _range(told.total), "all_proven": told.proven, "steps": [facts(step) for step in told.steps]}


def _range(known: Range) -> Facts:
    """A range as plain data; `length` is the most that may be needed."""
    facts = {"length": known.most, "lower_bound": None if known.unsolvable else known.least, "proven": known.proven}
    return facts | ({"unsolvable": True} if known.unsolvable else {})


def count_facts(puzzle: Puzzle, board: str, count: Count) -> Facts:
    """How many solutions a board has; `complete` says whether these are all."""
    return {
        "puzzle": puzzle.name,
        "board": board,
        "solutions": count.solutions,
        "complete": count.complete,
        "stop": count.stop,
    }


def board_facts(
    puzzle: Puzzle, boards: Iterable[State], scale: str | None, level: str | None, seed: int
) -> Iterator[Facts]:
    """New boards, as `core.making` makes them, each with what was asked and with its number from 1."""
    name, _ = scale_of(puzzle, scale)
    for number, board in enumerate(boards, start=1):
        asked = {"scale": name, "level": level, "seed": seed, "number": number}
        yield {"puzzle": puzzle.name, "board": puzzle.write(board), **asked}

"""Lists puzzles and solvers, and what each puzzle offers, as plain data for the command line and the server.

No network is loaded here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from puzzlelab.analysis.network_options import HEADS
from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, presentation_of
from puzzlelab.core.registry import usual_solver
from puzzlelab.core.settings import fill
from puzzlelab.core.solver import NETWORK, Solver, is_network, require, require_views
from puzzlelab.core.views import Candidates, Estimates, Samples
from puzzlelab.engine import installed
from puzzlelab.engine.enumeration import Enumerator
from puzzlelab.storage import networks
from puzzlelab.text.moves import forms_in_words, move_notation
from puzzlelab.version import VERSION

Facts = dict[str, Any]

# --- puzzles and solvers ---


def everything() -> Facts:
    """Return the version, the puzzle families, and the solvers with their options."""
    return {
        "version": VERSION,
        "puzzles": [
            {"family": name, "about": family.about, "names": list(family.names)}
            for name, family in installed.families()
        ],
        "solvers": [_solver(name, kind) for name, kind in installed.solvers()],
    }


def _solver(name: str, kind: type[Any]) -> Facts:
    options = [{"name": option, "default": _plain(field.default)} for option, field in kind.model_fields.items()]
    sentence = (kind.__doc__ or "").strip().split("\n\n")[0]
    others = [other for other, own in registry.OTHER_NAMES.items() if own == name]
    return {"name": name, "other_names": others, "about": sentence, "options": options}


def _plain(value: Any) -> Any:
    """Return a default as JSON; None for objects without a JSON form."""
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool) else None


# --- one puzzle ---


def about(puzzle: Puzzle) -> Facts:
    """Return the solvers, estimates, scales, networks and examples of a puzzle."""
    presentation = presentation_of(puzzle)
    name, options = usual_solver(puzzle)
    solvers, by_estimate = _solvers(puzzle)
    cards = networks.cards(puzzle)
    own = {path.stem for shelf in networks.own_shelves() for path in shelf.glob("*.json")} & set(cards)
    return {
        "puzzle": puzzle.name,
        "family": puzzle.name.partition("-")[0],
        "moves": puzzle.move_count,
        "move_note": move_notation(puzzle).form.about,
        "move_forms": forms_in_words(puzzle),
        "shows_board": presentation.answer_is_board,
        "objective": objective_of(puzzle).kind,
        "one_way": presentation.unique_expected,
        "has_candidates": puzzle.view(Candidates) is not None,
        "counts": isinstance(registry.make_solver(name, options), Enumerator),
        "usual_solver": {"name": name, "options": {key: _plain(value) for key, value in options.items()}},
        "solvers": solvers,
        "solvers_by_estimate": by_estimate,
        "solvers_by_network": [text for name in sorted(own) for text in _solvers_of_network(puzzle, name)],
        "estimates": list(_estimates(puzzle)),
        "scales": _scales(puzzle),
        "networks": [
            _network(stem, card, number == 0, stem in own) for number, (stem, card) in enumerate(cards.items())
        ],
        "examples": _examples(puzzle),
    }


def _solvers(puzzle: Puzzle) -> tuple[list[str], list[str]]:
    """Return the solvers that solve the puzzle by default, and those that need the name of an estimate."""
    kinds, view = list(installed.solvers()), puzzle.view(Estimates)
    solvers = [name for name, kind in kinds if _could_work(puzzle, fill(kind, {}))]
    if view is None:
        return solvers, []
    option = {"estimate": view.estimate().name}
    others = [(name, kind) for name, kind in kinds if name not in solvers and "estimate" in kind.model_fields]
    return solvers, [name for name, kind in others if _could_work(puzzle, fill(kind, option))]


def _solvers_of_network(puzzle: Puzzle, network: str) -> list[str]:
    """Return each solver that could solve the puzzle with this network, as a text such as `greedy:prior=net:NAME`."""
    heads = set(_heads(networks.cards(puzzle)[network]))
    texts = []
    for name, kind in installed.solvers():
        option = next((each for each in HEADS if each in kind.model_fields and heads & set(HEADS[each])), None)
        if option is None:
            continue
        try:
            require_views(fill(kind, {option: f"{NETWORK}:{network}"}), puzzle)
        except BadInput:
            continue
        texts.append(f"{name}:{option}={NETWORK}:{network}")
    return texts


def _could_work(puzzle: Puzzle, solver: Solver) -> bool:
    """Tell whether `require` accepts the solver with these options; tested without loading a network."""
    options = [option for option, value in solver.options().items() if is_network(value)]
    try:
        if options:
            require_views(solver, puzzle)
            return _has_network(puzzle, options, solver)
        require(solver, puzzle)
    except BadInput:
        return False
    return True


def _has_network(puzzle: Puzzle, options: Sequence[str], solver: Solver) -> bool:
    """Tell whether the package's best network has the heads that these options of a solver need."""
    card = next((card for stem, card in networks.cards(puzzle).items() if stem == card["puzzle"]), None)
    if card is None:
        return False
    heads = set(_heads(card))
    available = {option for option in HEADS if option in solver.options() and heads & set(HEADS[option])}
    # A solver with both options needs an estimate; a solver with one of them accepts every head for it.
    return bool(available) if len(options) == 1 else "estimate" in available or puzzle.view(Estimates) is not None


def _heads(card: Mapping[str, Any]) -> list[str]:
    return list(card.get("network", {}).get("heads", ()))


def _estimates(puzzle: Puzzle) -> Iterator[Facts]:
    view = puzzle.view(Estimates)
    if view is None:
        return
    usual, sentences = view.estimate().name, view.estimates
    for name, sentence in sentences.items():
        short = usual not in sentences and usual.startswith(f"{name}-")  # pdb-663 is the default among those named pdb
        facts = {"name": name, "about": sentence, "usual": name == usual or short}
        try:
            yield {**facts, "admissible": view.estimate(name).admissible}  # its tables are made only when it is used
        except BadInput:
            yield facts


def _scales(puzzle: Puzzle) -> list[Facts]:
    samples = puzzle.view(Samples)
    scales = samples.scales if samples else {}
    return [
        {
            "name": name,
            "about": scale.about,
            "levels": None if scale.levels is None else list(scale.levels),
            "usual": number == 0,
        }
        for number, (name, scale) in enumerate(scales.items())
    ]


def _network(stem: str, card: Mapping[str, Any], is_first: bool, is_own: bool) -> Facts:
    return {
        "name": stem,
        "hash": card.get("name", ""),
        "parameters": card.get("parameters", 0),
        "heads": _heads(card),
        "recipe": card.get("recipe", ""),
        "usual": is_first and stem == card["puzzle"],
        "own": is_own,
    }


def _examples(puzzle: Puzzle) -> list[Facts]:
    examples = presentation_of(puzzle).examples
    return [
        {"name": name, "board": puzzle.write(puzzle.read(name).state), "about": example.about}
        for name, example in examples.items()
    ]


# --- results ---

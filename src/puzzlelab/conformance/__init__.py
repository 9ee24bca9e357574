"""The checks that every puzzle and every solver passes; plug-ins use them in their own tests.

`check_puzzle` goes from top to bottom in the order in which a puzzle is written: its rules and notation with each view
of a board (`boards.py`), its estimates (`estimates.py`), its scales, and how it is shown. `calls.py` guards each call
of the puzzle.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from puzzlelab.conformance.boards import check_batch_rules, check_goals, check_identity, check_state, check_texts
from puzzlelab.conformance.calls import CheckedPuzzle, must, must_be
from puzzlelab.conformance.estimates import KnownSolutions, check_estimates, known_solutions, usual_estimates
from puzzlelab.core import registry
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import BadInput, BadOption, require_kind, wrong_argument
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Example, Forms, MoveForms, Notation, Presentation, Puzzle, State, board_after
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver, require
from puzzlelab.core.verify import verify
from puzzlelab.core.views import Samples, Scale, levels_of
from puzzlelab.engine.search_rules import chosen_estimate
from puzzlelab.engine.solving import never, solve, solve_all

STATES_PER_STEP, MOST_STATES = 40, 2_000
"""States that the search for known solutions visits for each step of a walk, and the most of them."""
STEPS_PER_LEVEL = 15
"""Steps of a walk for which each scale is asked for one more level."""
SAMPLES = 3
"""Boards that are sampled where no starts are given."""
SAMPLED_STATES = 50
"""States with a known solution at which `objection` is checked."""


def check_puzzle(
    puzzle: Puzzle,
    starts: Sequence[Instance] = (),
    seed: int = 0,
    steps: int = 60,
    estimates: Sequence[str] | None = None,
) -> None:
    """Raise `ConformanceError` if the puzzle violates its contract; its sentence says what is wrong, and where.

    On random walks from each start:

    - the rules: `read` reads what `write` writes, and rejects other texts with `BadBoard`; moves have names; `legal`,
      `apply` and `solved` give what `Puzzle` declares, and do not change their arguments;
    - the views: `goals` gives all solved boards and no other; moves are undone by their inverses; kernels and batch
      rules equal the plain rules, and boards that `merge` makes the same stay so after each move; symmetries, maps to
      an isomorphic puzzle, equivalent moves, exact covers, candidates, rewards and drawings agree with the rules.

    For the puzzle as a whole:

    - an admissible estimate never exceeds the moves, or the cost, of a known solution. Where moves can be undone, a
      search from the goals finds exact distances; otherwise random games and a search near their ends and from `starts`
      find solutions. If none is found nothing can be compared: give a start near a goal. Every estimate is the same
      each time, alone and in a batch, and after a move as from scratch;
    - no board with a known solution has an `objection`;
    - boards of a scale have the level that was asked for. A scale that `difficulty` leaves out, though it names others,
      may exceed it;
    - examples, solvers, lower bounds and notations that the view `Presentation` names can be used;
    - `name` loads an equal puzzle if its family is installed. The name of a puzzle that is defined in a test or a
      notebook belongs to no installed family, and is not loaded.

    Not checked: `Symbols`, `Candidates.random_symmetry`, `Samples.generator`, `BoardNotation`,
    `Drawings.with_scores`.

    Args:
        puzzle: the puzzle.
        starts: boards at which walks begin; by default boards of the puzzle's main scale.
        seed: the seed of all random numbers.
        steps: the moves of each walk. A search visits 40 states a step, at most 2,000; each scale is asked for one
            level for every 15 steps, and with fewer only the main scale makes a board.
        estimates: the names of the estimates to check, by default all. If states have more than 16 numbers and
            any estimate `is_cheap`, the default is those, and functions of states.

    Raises:
        BadOption: if `starts` are no boards; `UnknownName` for a name in `estimates` that is none.

    >>> puzzlelab.check_puzzle(puzzlelab.load("tiles-2x2"), steps=10)
    """
    for start in require_kind(starts, Sequence, "the boards to start from", "a list of boards"):
        require_kind(start, Instance, "a start", "a board, as `puzzle.read` gives it")
    named = None if estimates is None else [chosen_estimate(puzzle, name) for name in estimates]
    checked, random = check_identity(puzzle), np.random.default_rng(seed)
    with checked.at():
        states = [start.state for start in starts]
        for name, scale in [] if states else list(scales_of(checked).items())[:1]:
            states = list(boards_of(checked, name, scale, seed, [None], SAMPLES)[None])
        must(bool(states), f"{puzzle.name} needs a start: it has no scale to sample from")
        check_texts(checked, states[0])
        goals = check_goals(checked, states[0])
        walked = [state for start in states for state in _walk(checked, start, random, steps)]
        check_batch_rules(checked, walked if goals is None else [*walked, *goals])
        solutions = known_solutions(checked, goals, states, random, min(MOST_STATES, STATES_PER_STEP * steps))
        for row in solutions.rows(SAMPLED_STATES):
            if (objection := checked.objection(solutions.states[row])) is not None:
                must(False, f"{puzzle.name}: `objection` says '{objection}' {solutions.sentence(row)}")
        chosen = usual_estimates(checked, states[0]) if named is None else named
        check_estimates(chosen, np.stack([*states, *walked[-1:]]), solutions, random)
        check_scales(checked, seed, steps // STEPS_PER_LEVEL)
        check_notation_view(checked, states[0])
        check_forms(checked, states[0], solutions)
        check_move_forms(checked, solutions)
        check_presentation(checked, states[0])
        check_name(checked)


def _walk(puzzle: CheckedPuzzle, state: State, random: np.random.Generator, steps: int) -> Iterator[State]:
    """Check and yield the states of a random walk of this number of moves."""
    for _ in range(steps):
        check_state(puzzle, state)
        yield state
        moves = np.flatnonzero(puzzle.legal(state))
        if moves.size == 0:
            return
        state = puzzle.apply(state, int(random.choice(moves)))


# --- scales ---

GREATEST_LEVEL = 100
"""The greatest level that a scale is asked for, unless its least one is greater."""
ATTEMPTS = 3
"""Seeds with which a board is asked for, until one gives a board."""
BATCH, BATCH_OF_LEVEL = 12, 2
"""Boards that `sample` is asked for together: without a level, and of each level."""
MEASURED, LARGE = 3, 16
"""Boards whose difficulty is computed, of states of more than 16 numbers, to save time; of smaller ones all."""


def scales_of(puzzle: CheckedPuzzle) -> Mapping[str, Scale]:
    """Return the scales of a puzzle by name; none without the view `Samples`."""
    samples = puzzle.view(Samples)
    scales = {} if samples is None else samples.scales
    for name, scale in scales.items():
        must_be(scale, Scale, f"{puzzle.name}: the scale '{name}' must be")
    return scales


def boards_of(
    puzzle: CheckedPuzzle, name: str, scale: Scale, seed: int, levels: Sequence[int | None], count: int
) -> dict[int | None, State]:
    """Return boards of each of these levels that the scale does not refuse with the first seed that gives some.

    A sampler may fail to find boards with some seeds, but not with all. None is no level.
    """
    reason, made = "", dict[int | None, State]()
    for attempt in range(ATTEMPTS):
        for level in levels:
            try:
                made[level] = _sampled(puzzle, name, scale, [seed, attempt], level, count)
            except BadOption as error:
                reason = str(error)
        if made:
            break
    words = "without a level" if None in levels else f"of the levels {levels}"
    sentence = f"the scale '{name}' makes no board {words}, with each of {ATTEMPTS} seeds: {reason}"
    must(bool(made) or not levels, f"{puzzle.name}: {sentence}")
    return made


def _sampled(puzzle: CheckedPuzzle, name: str, scale: Scale, seed: list[int], level: int | None, count: int) -> State:
    """Return boards of the scale that are read as they are written and have no objection; raises `BadOption`."""
    call = f"`sample` of the scale '{name}' {'without a level' if level is None else f'at level {level}'}"
    random = np.random.default_rng(seed)
    function, gives = partial(scale.sample, random, level, count), f"T[{count}, S]"
    states = puzzle.call(f"{call}, for {count} boards,", function, gives=gives, passed=BadOption)
    for state in states:
        puzzle.must_read_back(state)
        with puzzle.at(state):
            objection = puzzle.objection(state)
            must(objection is None, f"{call} gives this board, which cannot be solved: {objection}")
    return states


def check_scales(puzzle: CheckedPuzzle, seed: int, count: int) -> None:
    """Check every scale of the puzzle: boards without a level, equal ones from equal seeds, and boards of some levels.

    Each scale is asked for about `count` levels; if that is 0, only the main scale makes a board.

    On a scale that `difficulty` does not list, though it names others, a board may have a greater level: that of a walk
    that ends beyond it.
    """
    listed: Mapping[str, int] | None = None
    for name, scale in scales_of(puzzle).items():
        where, levels = f"{puzzle.name}: the scale '{name}'", scale.levels
        boards, again = (boards_of(puzzle, name, scale, seed, [None], BATCH if count else 1)[None] for _ in range(2))
        must(np.array_equal(boards, again), f"{where} makes different boards from equal seeds")
        if count == 0:
            return
        fits = levels is None or (list(map(type, levels)) == [int, int] and levels[0] <= levels[1])
        must(fits, f"{where}: `levels` must be the least and the greatest level, not {levels}")
        measured = boards[: BATCH if boards.shape[1] <= LARGE else MEASURED]
        together, alone = _difficulties(puzzle, measured)[0], _difficulties(puzzle, boards[:1])[0]
        with puzzle.at(boards[0]):
            must([*alone.items()] == [*together.items()], f"`difficulty` gives {alone}, and in a batch {together}")
        listed = alone if listed is None else listed
        asked = _some_levels(scale, _levels(puzzle, name, scale, measured, listed), count)
        # Two boards would not do: the end of k random moves is often k moves from the goal.
        size = len(measured) if scale.measure is None else BATCH_OF_LEVEL
        for level, made in boards_of(puzzle, name, scale, seed, asked, size).items():
            for board, value in zip(made, _levels(puzzle, name, scale, made, listed), strict=True):
                beyond = bool(listed) and name not in listed
                fits = value is None or level is None or value == level or (beyond and value > level)
                must(fits, f"{where} was asked for level {level}, and gives {puzzle.write(board)} of level {value}")


def _some_levels(scale: Scale, known: Sequence[int | None], count: int) -> list[int]:
    """Return some levels to ask for, first the greatest one of boards that were made without a level.

    The greatest one of all and one in the middle are left out where `measure` does not say that levels are quick to
    find.
    """
    if scale.levels is None:
        return []
    least, greatest = scale.levels[0], min(scale.levels[1], max(GREATEST_LEVEL, scale.levels[0]))
    own = [level for level in known if level is not None and least <= level <= scale.levels[1]]
    quick = [greatest, (least + greatest) // 2] if scale.measure is not None else []
    return list(dict.fromkeys([*sorted(own)[-1:], *own[:1], *quick, least]))[: count + 1]


def _levels(
    puzzle: CheckedPuzzle, name: str, scale: Scale, boards: State, listed: Container[str]
) -> Sequence[int | None]:
    """Return the level of each board, by `measure`, and by `difficulty` if that is `listed`; None if none knows it."""
    levels = [levels.get(name) if name in listed else None for levels in _difficulties(puzzle, boards)]
    if scale.measure is None:
        return levels
    call = f"`measure` of the scale '{name}'"
    measured: list[int] = puzzle.call(call, scale.measure, boards, gives=f"int[{len(boards)}]").tolist()
    same = np.array([level in (None, number) for level, number in zip(levels, measured, strict=True)])
    words = f"on the scale '{name}' `measure` gives {{}}, and `difficulty` {{}}".format
    puzzle.must_hold(same, boards, lambda row: words(measured[row], levels[row]))
    return measured


def _difficulties(puzzle: CheckedPuzzle, states: State) -> list[Mapping[str, int]]:
    """Return [B]: the levels of each board on all scales that are quick to compute."""
    samples = puzzle.view(Samples)
    assert samples is not None
    for name, levels in puzzle.call("`difficulty`", samples.difficulty, states).items():
        must_be(levels, f"int64[{len(states)}]", f"{puzzle.name}: `difficulty` of '{name}' must give")
    return levels_of(puzzle, states)


# --- the puzzle as it is shown ---


def check_notation_view(puzzle: CheckedPuzzle, state: State) -> None:
    """Check that the view `Notation` reads and writes what `read` and `write` do, one board and many."""
    notation = puzzle.view(Notation)
    if notation is None:
        return
    text = puzzle.write(state)
    with puzzle.at(state):
        again = puzzle.call("`Notation.read`", notation.read, text)
        must(np.array_equal(again, state), "`Notation.read` reads another board in what `write` writes")
        lines = np.frombuffer(text.encode("ascii", "replace"), np.uint8)[None]
        if notation.write_lines is not None:
            lines = puzzle.call("`write_lines`", notation.write_lines, state[None], gives=f"uint8[1, {len(text)}]")
            must(lines.tobytes() == text.encode(), f"`write_lines` writes {lines.tobytes()!r}, and `write` {text!r}")
        if notation.read_lines is not None:
            states, is_board = notation.read_lines(lines)
            must_be(is_board, "bool[1]", "what `read_lines` says of lines must be")
            must_be(states, f"{state.dtype}[1, {len(state)}]", "`read_lines` must give")
            same = not is_board[0] or np.array_equal(states[0], puzzle.read(text).state)
            must(same, "`read_lines` reads another board than `read`")
        if notation.settling is not None:
            board = puzzle.call("`read` of the puzzle of `Notation.settling`", notation.settling[0].read, text)
            must(np.array_equal(board.state, state), "the puzzle of `Notation.settling` reads another board")


def check_forms(puzzle: CheckedPuzzle, state: State, solutions: KnownSolutions) -> None:
    """Check that each form of the view `Forms` writes a board alone, and one with its solution, if it can hold it."""
    view = puzzle.view(Forms)
    if view is None:
        return
    boards: list[tuple[State, State | None]] = [(state[None], None)]
    for row in list(solutions.rows(1))[-1:]:
        board, moves = solutions.states[row], solutions.moves[row]
        boards.append((board[None], board_after(puzzle, board, moves)[None]))
    for name, form in view.by_name.items():
        for pair in boards if not form.refusal else ():
            with suppress(BadInput):  # a board for which the form has no place
                written = puzzle.call(f"the form '{name}'", form.write, *pair, gives=str, passed=BadInput)
                must(written.endswith("\n"), f"the form '{name}' must end the text of each board with a line end")


def check_move_forms(puzzle: CheckedPuzzle, solutions: KnownSolutions) -> None:
    """Check that moves in each form of the view `MoveForms` are read as they are written."""
    view = puzzle.view(MoveForms)
    if view is None or not any(solutions.moves[-1:]):
        return
    board, moves = solutions.states[-1], list(solutions.moves[-1])
    for letters in view.letters:
        for name, form in view.by_name(letters).items():
            names = puzzle.call(f"the form '{name}' of moves", form.names, board, moves)
            text = puzzle.call(f"the form '{name}' of moves", form.join, names, gives=str)
            again = puzzle.call("`MoveForms.read`", view.read, board, text, letters)
            must(again == moves, f"`MoveForms.read` reads other moves in '{text}', which the form '{name}' writes")


def check_presentation(puzzle: CheckedPuzzle, state: State) -> None:
    """Check that what the view `Presentation` names exists, and that its functions work at a state."""
    shown = puzzle.view(Presentation)
    if shown is None:
        return
    for name, example in shown.examples.items():
        what = f"{puzzle.name}: the example '{name}'"
        must_be(example, Example, f"{what} must be")
        call = f"`read` for the example '{name}'"
        named, written = (puzzle.call(call, puzzle.puzzle.read, text, gives=Instance) for text in (name, example.board))
        must(named == written, f"{what} is {named!r} by its name, and {written!r} by its board")
    for solver in shown.provers:
        puzzle.call("`Presentation.provers`", lambda chosen=solver: registry.make_solver(*chosen))
    if shown.usual_solver is not None:
        with puzzle.at(call="`Presentation.usual_solver`"):
            require(registry.make_solver(*shown.usual_solver), puzzle.puzzle)
    warnings = puzzle.call("`Presentation.warnings`", shown.warnings, state[None])
    fits = all(isinstance(sentence, str) for sentences in warnings.values() for sentence in sentences)
    must(fits and set(warnings) <= {0}, f"{puzzle.name}: `Presentation.warnings` gives {warnings} for one board")


def check_name(puzzle: CheckedPuzzle) -> None:
    """Check that the registry, if it knows the family of this name, makes an equal puzzle each time, with an equal
    hash.
    """
    if puzzle.name.partition("-")[0] not in registry.families():
        return
    for _ in range(2):
        again = puzzle.call("loading its name, whose family is known,", lambda: registry.load(puzzle.name))
        must(again == puzzle.puzzle, f"the name '{puzzle.name}' loads a puzzle that is not equal to this one")
        must(hash(again) == hash(puzzle.puzzle), f"{puzzle.name}: equal puzzles must have equal hashes")


# --- solvers ---


def check_solver(solver: Solver, instances: Sequence[tuple[Instance, int | None]], limit: Limit | None = None) -> None:
    """Raise `ConformanceError` with a sentence if the solver violates its protocols on these boards.

    Each board comes with the length of its shortest solution, None if it has none. Checks: attempts only get better,
    counts only grow, answers hold, proofs are true, the same board has the same answer, a limit of one node holds, and
    a batch gives the same results as single boards. Raises `BadOption` if `instances` are no pairs of a board and a
    length.

    >>> puzzle = puzzlelab.load("tiles-2x2")
    >>> puzzlelab.check_solver(puzzlelab.solver("bfs"), [(puzzle.read("1 2 0 3"), 1), (puzzle.read("2 1 3 0"), None)])
    """
    for pair in require_kind(instances, Sequence, "the boards to solve", "a list of pairs of a board and a length"):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise wrong_argument("a board to solve", "a pair of a board and the length of its shortest solution", pair)
        require_kind(pair[0], Instance, "a board to solve", "a board, as `puzzle.read` gives it")
        if not isinstance(pair[1], int | None):
            raise wrong_argument("the length of a shortest solution", "a number, or None if there is none", pair[1])
    alone = [_check_alone(solver, instance, optimum, limit or Limit()) for instance, optimum in instances]
    _check_batches(solver, [instance for instance, _ in instances], alone, limit or Limit())


def _check_alone(solver: Solver, instance: Instance, optimum: int | None, limit: Limit) -> Result:
    """Check the answers for one board, and return the last of them."""
    attempts = list(solver.attempts(instance, limit))
    counts = [attempt.expanded for attempt in attempts]
    must(counts == sorted(counts), f"{solver.name}: the count of expanded states fell")
    results = [attempt for attempt in attempts if isinstance(attempt, Result)]
    must(bool(results), f"{solver.name} ended on {instance!r} without a result")
    lengths = [result.length for result in results if result.length is not None]
    must(lengths == sorted(lengths, reverse=True), f"{solver.name}: results on {instance!r} do not get better")
    for result in results:
        verdict, bound = verify(instance, result), result.lower_bound
        must(verdict.holds, f"{solver.name} on {instance!r}: {verdict.reason}")
        if optimum is None:
            must(result.moves is None, f"{solver.name} solved {instance!r}, which cannot be solved")
            continue
        must(result.proof != "unsolvable", f"{solver.name} calls {instance!r} unsolvable")
        must(bound <= optimum, f"{solver.name} on {instance!r}: its lower bound exceeds the optimum {optimum}")
        is_best = result.proof != "optimal" or result.length == optimum
        must(is_best, f"{solver.name} on {instance!r}: {result.length} is called optimal")
    again, short = solve(solver, instance, limit), solve(solver, instance, Limit(nodes=1))
    must(again.moves == results[-1].moves, f"{solver.name} answers {instance!r} differently each time")
    must(short.expanded <= 1, f"{solver.name} does not keep a limit of one node")
    return again


def _check_batches(solver: Solver, instances: Sequence[Instance], alone: Sequence[Result], limit: Limit) -> None:
    """Check that a batch gives the results of single boards.

    The counts of threads that share a search differ each time, and those of boards that are solved one after the other
    where the solver remembers what it learned.
    """
    by_puzzle = [list(boards) for _, boards in groupby(instances, key=lambda instance: instance.puzzle)]
    together = [result for boards in by_puzzle for result in solve_all(solver, boards, limit)]
    is_batch = all(solver.solve_batch(Boards.of(boards), limit, never) is not None for boards in by_puzzle)
    costs: dict[str, Any] = {"seconds": None}
    if not is_batch or solver.options().get("jobs", 1) != 1:
        costs |= {"expanded": 0, "generated": 0, "evaluations": 0}
    for instance, one, other in zip(instances, alone, together, strict=True):
        must(replace(one, **costs) == replace(other, **costs), f"{solver.name} on {instance!r} differs in a batch")

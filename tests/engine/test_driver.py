import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.registry import make_solver
from puzzlelab.core.result import Progress, Result
from puzzlelab.core.views import Estimate, Estimates, KernelRules, Prior, PriorAndEstimate, Samples
from puzzlelab.engine import driver
from puzzlelab.engine.attempts import one_by_one, with_patience
from puzzlelab.engine.driver import EXHAUSTED, Clock, Machine, drive, prior_and_estimate_scorer, scorer
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, NEEDS_SCORES, RUNNING
from puzzlelab.engine.record_parts import control_type, new_control
from puzzlelab.engine.solving import solve

# --- a machine that plays a script ------------------------------------------------------------------------------------


class Toy:
    """Each slice expands its budget (at most ten million), and ends as the script says, with the bound it names."""

    def __init__(
        self, *script: int | tuple[int, int], moves: tuple[int, ...] = (0,), room: bool = True, pause: float = 0.0
    ) -> None:
        self.script = iter(script)
        self.pause = pause
        self.budgets: list[int] = []
        self.taken: list[list[float]] = []
        self.machine = Machine(
            SimpleNamespace(control=new_control(control_type("")), scores=np.zeros(4)),
            self.step,
            lambda record: list(moves),
            lambda record, most: record if room else None,
            lambda record: EXHAUSTED,
            lambda record: np.array([[3], [4]], np.int16),
        )

    def step(self, record: Any, budget: int) -> int:
        self.budgets.append(budget)
        self.taken.append(record.scores.tolist())
        if budget == 0:
            return RUNNING
        time.sleep(self.pause)
        found = next(self.script, RUNNING)
        status, record.control.bound = found if isinstance(found, tuple) else (found, record.control.bound)
        work = min(budget, 10**7)
        record.control.expanded += work
        record.control.generated += 2 * work
        return status

    def results(self, limit: Limit | None = None, **how: Any) -> list[Result]:
        return [each for each in drive(self.machine, limit or Limit(), **how) if isinstance(each, Result)]


def test_a_search_that_ends_without_a_solution_says_what_that_means() -> None:
    result = Toy(RUNNING, DONE).results()[-1]
    assert (result.moves, result.proof, result.reason, result.stop) == (None, *EXHAUSTED)


def test_a_solution_as_short_as_the_bound_is_optimal() -> None:
    assert [result.proof for result in Toy((IMPROVED, 1), DONE).results()] == ["optimal", "optimal"]


def test_a_solution_longer_than_the_bound_is_not() -> None:
    first, last = Toy((IMPROVED, 1), (DONE, 2), moves=(0, 0, 0)).results()
    assert (first.proof, first.lower_bound) == ("none", 1)
    assert (last.proof, last.lower_bound, last.stop) == ("none", 2, "done")


def test_a_bound_never_exceeds_the_solution_in_hand() -> None:
    assert Toy((IMPROVED, 9), moves=(0, 0)).results(Limit(nodes=1))[0].lower_bound == 2


def test_a_limit_after_a_proof_takes_nothing_from_it() -> None:
    last = Toy((IMPROVED, 1)).results(Limit(nodes=1))[-1]
    assert (last.proof, last.stop) == ("optimal", "done")


@pytest.mark.parametrize("nodes", [1, 255, 256, 257, 5000, 10**6])
def test_no_more_nodes_are_spent_than_allowed(nodes: int) -> None:
    toy = Toy()
    last = toy.results(Limit(nodes=nodes))[-1]
    assert (last.stop, last.expanded, last.generated) == ("nodes", nodes, 2 * nodes)
    assert sum(toy.budgets) == nodes


def test_time_ends_a_search_that_never_would() -> None:
    assert Toy(pause=0.001).results(Limit(seconds=0.05))[-1].stop == "time"


def test_memory_ends_a_search_that_never_would() -> None:
    assert Toy().results(Limit(memory=1))[-1].stop == "memory"


def test_the_memory_is_looked_at_only_where_a_search_takes_long_or_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    monkeypatch.setattr(driver, "resident", lambda: looks.append(1) or 0)
    monkeypatch.setattr(driver, "memory_ceiling", lambda limit: looks.append(1) or 2**40)
    monkeypatch.setattr(driver, "SLICE_SECONDS", 1000.0)
    Toy(RUNNING, RUNNING, DONE).results()
    assert looks == []
    Toy(RUNNING, FULL, DONE).results()
    assert looks
    for slice_seconds, limit in ((0.0, Limit()), (1000.0, Limit(memory=2**40))):
        looks.clear()
        monkeypatch.setattr(driver, "SLICE_SECONDS", slice_seconds)
        Toy(RUNNING, RUNNING, DONE).results(limit)
        assert looks


def test_arrays_that_cannot_grow_end_it_too() -> None:
    assert Toy(RUNNING, FULL, DONE, room=False).results()[-1].stop == "memory"
    assert Toy(RUNNING, FULL, DONE, room=True).results()[-1].stop == "done"


def test_memory_that_the_system_refuses_ends_it_too() -> None:
    def refuse(*_: object) -> int:
        raise MemoryError

    toy = Toy(RUNNING, FULL, DONE)
    toy.machine.grow = refuse
    assert toy.results()[-1].stop == "memory"
    toy = Toy((IMPROVED, 1), moves=(0, 0))
    attempts = drive(toy.machine, Limit())
    next(attempts)
    toy.machine.run = refuse
    *_, last = attempts
    assert (last.moves, last.stop) == ((0, 0), "memory")


def test_an_answer_in_hand_survives_a_limit() -> None:
    toy = Toy((IMPROVED, 1), moves=(0, 0))
    last = toy.results(Limit(nodes=1000))[-1]
    assert (last.moves, last.stop) == ((0, 0), "nodes")
    assert toy.budgets[0] == 0  # compiling comes before the clock


def test_progress_is_told_between_the_slices() -> None:
    told = [
        each for each in drive(Toy(RUNNING, RUNNING, (RUNNING, 5), DONE).machine, Limit()) if isinstance(each, Progress)
    ]
    assert [each.expanded for each in told] == sorted(each.expanded for each in told)
    assert told[-1].bound == 5
    assert len(told) >= 3


@pytest.fixture
def toy_rules() -> dict[str, Any]:
    return {"rules": KernelRules(None, 1, np.int16, 1, np.copy, np.copy)}


def test_scores_are_asked_for_in_one_batch_and_counted(toy_rules: dict[str, Any]) -> None:
    asked: list[list[list[int]]] = []

    def scores(states: np.ndarray) -> np.ndarray:
        asked.append(states.tolist())
        return states[:, 0] + 0.5

    toy = Toy(NEEDS_SCORES, RUNNING, NEEDS_SCORES, DONE)
    last = toy.results(estimate=Estimate("half", admissible=False, scores=scores), **toy_rules)[-1]
    assert asked == [[[3], [4]], [[3], [4]]]
    assert toy.taken[-1][:2] == [3.5, 4.5]
    assert last.evaluations == 4


def test_asking_without_anybody_to_answer_is_an_error() -> None:
    with pytest.raises(PuzzlelabError, match="asked for scores, but its estimate has no function"):
        Toy(NEEDS_SCORES).results()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda states: np.full(len(states), np.nan),
        lambda states: np.where(np.arange(len(states)) == 1, np.nan, 1.0),
        lambda states: np.zeros(len(states) + 1),
        lambda states: [],
    ],
)
def test_scores_must_be_one_finite_number_a_state(toy_rules: dict[str, Any], wrong: Callable[..., object]) -> None:
    score = scorer(Estimate("mine", admissible=True, scores=wrong), **toy_rules)
    assert score is not None
    with pytest.raises(PuzzlelabError, match="^the estimate 'mine' must give one finite number for each state$"):
        score(np.array([[3], [4]], np.int16))


@pytest.mark.parametrize("right", [lambda states: [1, 2], lambda states: np.array([[1], [2]], np.float32)])
def test_scores_may_be_a_list_or_a_column(toy_rules: dict[str, Any], right: Callable[..., object]) -> None:
    score = scorer(Estimate("mine", admissible=True, scores=right), **toy_rules)
    assert score is not None
    assert score(np.array([[3], [4]], np.int16)).tolist() == [1.0, 2.0]


def both_scores(eight: Puzzle, logits: float, remaining: float, together: bool) -> tuple[np.ndarray, list[int]]:
    """What a search gets from a prior and an estimate of two boards, and how many boards each call of both was for."""
    calls: list[int] = []

    def both(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        calls.append(len(states))
        scores = np.full((len(states), 4), logits)
        scores[:, 0] = np.nan  # illegal on both boards
        return scores, np.full(len(states), remaining)

    prior = Prior("mine", lambda states: both(states)[0])
    estimate = Estimate("far", admissible=False, scores=lambda states: both(states)[1])
    guides = PriorAndEstimate(prior, estimate, both if together else None)
    rules = eight.view(KernelRules)
    assert rules is not None
    states = np.stack([eight.read(text).state for text in ("8 1 2 3 4 5 6 7 0", "1 2 3 4 5 6 7 8 0")])
    score = prior_and_estimate_scorer(guides, rules, eight)
    return score(rules.encode(states)), calls


@pytest.mark.parametrize("together", [True, False])
def test_a_prior_and_an_estimate_are_scored_by_one_call_where_that_is_possible(eight: Puzzle, together: bool) -> None:
    scores, calls = both_scores(eight, -1.5, 7.0, together)
    assert scores[:, 1:].tolist() == [[-1.5, -1.5, -1.5, 7.0]] * 2
    assert calls == [2] * (1 if together else 2)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_both_scores_must_be_numbers(eight: Puzzle, wrong: float) -> None:
    with pytest.raises(PuzzlelabError, match="^the prior 'mine' must give a number for every legal move"):
        both_scores(eight, wrong, 7.0, together=True)
    with pytest.raises(PuzzlelabError, match="^the estimate 'far' must give one finite number for each state$"):
        both_scores(eight, -1.5, wrong, together=True)


def test_a_kernel_is_asked_nothing(eight: Puzzle, toy_rules: dict[str, Any]) -> None:
    assert scorer(eight.view(Estimates).estimate("manhattan"), **toy_rules) is None


def test_budgets_grow_with_speed_and_stay_within_what_is_left() -> None:
    clock = Clock(Limit(nodes=10_000))
    assert clock.next_budget(0) == clock.next_budget(5000) == clock.budget
    clock.took(nodes=256, seconds=1e-5)
    assert clock.next_budget(0) > 256
    assert clock.next_budget(9_999) == 1
    clock.took(nodes=1, seconds=10)
    assert clock.next_budget(0) == 1


# --- an estimate from outside gives what the same kernel gives --------------------------------------------------------

LENGTHS = (0, 1, 2, 9, 16, 21, 26, 31)


def manhattan(puzzle: Puzzle, share: float = 1.0) -> Estimate:
    """Manhattan distance, or a share of it, in NumPy over plain states."""
    cell = np.arange(puzzle.cells)
    home = np.argsort(np.array(puzzle.goal))

    def scores(states: np.ndarray) -> np.ndarray:
        there, here = divmod(home[states], puzzle.columns), divmod(cell, puzzle.columns)
        steps = abs(there[0] - here[0]) + abs(there[1] - here[1])
        return share * (steps * (states != 0)).sum(axis=1)

    return Estimate("manhattan in NumPy", admissible=share <= 1, scores=scores)


@pytest.fixture(scope="module")
def boards(eight: Puzzle) -> list[tuple[Instance, int]]:
    """Boards of the 8-puzzle with their true distances."""
    random = np.random.default_rng(8)
    return [
        (Instance(eight, eight.view(Samples).scales["distance"].sample(random, length, 1)[0]), length)
        for length in LENGTHS
    ]


@pytest.mark.parametrize("share", [1.0, 0.7])
@pytest.mark.parametrize("name", ["astar", "ida", "beam"])
def test_a_function_finds_the_same_lengths_as_a_kernel(eight: Puzzle, boards, name: str, share: float) -> None:
    boards = [(board, length) for board, length in boards if name != "ida" or length <= 21]
    for board, length in boards:
        asked = solve(make_solver(name, {"estimate": manhattan(eight, share)}), board, Limit())
        assert (asked.length, asked.proof) == (length, "optimal")
        assert asked.evaluations > 0 or length <= 1
    for board, length in boards:
        inline = solve(make_solver(name, {"estimate": "manhattan"}), board, Limit())
        assert (inline.length, inline.proof, inline.evaluations) == (length, "optimal", 0)


@pytest.mark.parametrize("name", ["astar", "ida", "beam"])
def test_an_estimate_that_fails_in_the_middle_ends_the_search_with_a_sentence(eight: Puzzle, boards, name: str) -> None:
    calls = iter(range(10**6))

    def scores(states: np.ndarray) -> np.ndarray:
        return np.full(len(states), np.nan if next(calls) == 5 else 1.0)

    solver = make_solver(name, {"estimate": Estimate("shaky", admissible=False, scores=scores)})
    with pytest.raises(PuzzlelabError, match="the estimate 'shaky' must give one finite number for each state"):
        solve(solver, boards[-1][0], Limit())


@pytest.mark.parametrize("name", ["astar", "ida", "beam"])
def test_an_inadmissible_estimate_proves_nothing(eight: Puzzle, boards, name: str) -> None:
    solver = make_solver(name, {"estimate": manhattan(eight, 3.0), **({"width": 200} if name == "beam" else {})})
    for board, length in boards:
        result = solve(solver, board, Limit())
        assert result.length is not None
        assert result.length >= length
        assert result.proof == "none" or result.length == length


# --- limits of a real search ------------------------------------------------------------------------------------------

HUNGRY = """
from pathlib import Path
from puzzlelab import Limit, load, solve
board = load("tiles-4x4").read("{board}")
solve(board, "astar", Limit(nodes=10), estimate="manhattan")
result = solve(board, "astar", Limit(memory={memory}), estimate="manhattan")
peak = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")][0]
print(result.stop, result.moves, result.expanded, result.lower_bound, int(peak) * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak of memory from /proc")
def test_a_search_keeps_below_its_memory_limit(korf) -> None:
    board, length, _ = korf[-4]
    memory = 400 * 2**20
    script = HUNGRY.format(board=board.puzzle.write(board.state), memory=memory)
    done = subprocess.run([sys.executable, "-c", script], env=os.environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    stop, moves, expanded, bound, peak = done.stdout.split()
    assert (stop, moves) == ("memory", "None")
    assert int(peak) < memory
    assert int(expanded) > 100_000
    assert 0 < int(bound) <= length


# --- searches in turn -------------------------------------------------------------------------------------------------


def found(*moves: int, bound: int = 0, expanded: int = 10, **more: Any) -> Result:
    return Result(moves, lower_bound=bound, expanded=expanded, seconds=1.0, **more)


def turns(*results: Result, limit: Limit | None = None) -> tuple[list[Result], list[tuple[Limit, Result]]]:
    """(what `in_turn` gives, what each search was called with) where each search gives one of these results."""
    asked: list[tuple[Limit, Result]] = []

    def search(result: Result) -> Callable[[Limit, Result], Iterator[Result]]:
        def run(left: Limit, best: Result) -> Iterator[Result]:
            asked.append((left, best))
            yield result

        return run

    given = [attempt for attempt in one_by_one(map(search, results), limit or Limit()) if isinstance(attempt, Result)]
    return given, asked


def test_searches_in_turn_only_get_better_and_count_on() -> None:
    given, asked = turns(found(1, 2, 3), Result(None, lower_bound=1, expanded=5, seconds=2.0), found(4, 5))
    assert [result.moves for result in given] == [(1, 2, 3), (1, 2, 3), (4, 5)]
    assert [(result.expanded, result.seconds) for result in given] == [(10, 1.0), (15, 3.0), (25, 4.0)]
    assert [best.moves for _, best in asked] == [None, (1, 2, 3), (1, 2, 3)]
    assert given[1].lower_bound == 1


def test_a_longer_answer_of_a_later_search_is_passed_over() -> None:
    given, _ = turns(found(1, 2), found(1, 2, 3))
    assert [result.moves for result in given] == [(1, 2), (1, 2)]


def test_a_bound_that_meets_the_answer_of_an_earlier_search_is_a_proof_and_ends_the_turns() -> None:
    exhausted = Result(None, "unsolvable", "nothing left", lower_bound=2, expanded=1, seconds=1.0)
    given, asked = turns(found(1, 2), exhausted, found(1))
    assert (given[-1].moves, given[-1].proof, given[-1].lower_bound) == ((1, 2), "optimal", 2)
    assert len(asked) == 2


def test_each_search_gets_what_the_ones_before_left_of_the_limit() -> None:
    _, asked = turns(found(1, 2), found(1, 2), limit=Limit(seconds=5.0, nodes=50))
    assert [(left.seconds, left.nodes) for left, _ in asked] == [(5.0, 50), (4.0, 40)]


@pytest.mark.parametrize(("stop", "limit"), [("done", Limit(nodes=10)), ("time", Limit())])
def test_turns_end_where_the_limit_does(stop: str, limit: Limit) -> None:
    given, asked = turns(found(1, 2, stop=stop), found(1), limit=limit)
    assert (given[-1].stop, len(asked)) == ("nodes" if limit.nodes else "time", 1)


# --- patience ---------------------------------------------------------------------------------------------------------


def attempts_at(*lengths: int | None) -> Iterator[Progress | Result]:
    """An attempt each second: progress, or a result of this length."""
    for second, length in enumerate(lengths, start=1):
        counts = 10 * second, 20 * second, 0
        if length is None:
            yield Progress(*counts, min(second, 3), float(second))
        else:
            yield Result((0,) * length, "none", "", "done", 0, *counts, float(second))


def ends(lengths: tuple[int | None, ...], patience: float | None, limit: Limit | None = None) -> Result:
    *_, last = with_patience(attempts_at(*lengths), limit or Limit(), patience)
    assert isinstance(last, Result)
    return last


NOTHING_BETTER = (None, 9, None, 7, None, None, None, None, 6)


def test_a_search_ends_when_its_patience_brings_nothing_better() -> None:
    last = ends(NOTHING_BETTER, 3)
    assert (last.length, last.stop, last.seconds) == (7, "patience", 7.0)
    assert (last.expanded, last.generated, last.lower_bound) == (70, 140, 3)


def test_an_equal_solution_is_nothing_better() -> None:
    assert ends((9, None, 9, None, 8), 3).stop == "patience"


def test_patience_begins_with_the_first_solution() -> None:
    assert ends((None,) * 20 + (5,), 3).length == 5


@pytest.mark.parametrize("limit", [Limit(seconds=100), Limit(nodes=10**6)])
def test_a_limit_takes_the_place_of_patience(limit: Limit) -> None:
    assert ends(NOTHING_BETTER, 3, limit).length == 6
    assert ends(NOTHING_BETTER, None).length == 6
    assert ends(NOTHING_BETTER, 3, Limit(memory=2**40)).length == 7

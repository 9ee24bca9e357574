"""Many boards at once: the answers of one board after the other, verified by the compiled rules and a sample by the
plain ones.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from tests.scripted import Script

from puzzlelab import Limit, load
from puzzlelab.conformance import check_solver
from puzzlelab.core.answers import STOPS, Answers, joined
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import ConformanceError, PuzzlelabError, Unsupported
from puzzlelab.core.registry import make_solver
from puzzlelab.core.result import Progress, Result
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.engine import report, solving
from puzzlelab.engine.batch_verify import SAMPLED_FIRST, is_sampled
from puzzlelab.engine.solving import batched, has_objection, solve, solve_all, solve_boards
from puzzlelab.puzzles.sudoku import examples

EIGHT, NINE = load("tiles-3x3"), load("sudoku-9x9")
SEVERAL = "3" + 80 * "."


def eights(count, seed=1):
    """Permutations of the 8-puzzle, half of which have no solution."""
    random = np.random.default_rng(seed)
    return Boards(EIGHT, np.array([random.permutation(9) for _ in range(count)], np.uint8))


def nines():
    """Sudokus with one solution, with several and with none."""
    texts = [example.board for example in examples.of(NINE.name).values()]
    return Boards.of([NINE.read(text) for text in (*texts, SEVERAL, "11" + 79 * ".")])


def timeless(result):
    return replace(result, seconds=None)


def answers_of(solver, boards, limit):
    """The verified answers, together."""
    return joined(boards, solve_boards(solver, boards, limit))


@pytest.mark.parametrize(
    ("solver", "boards", "limit"),
    [
        ("ida:estimate=manhattan", eights(40), Limit()),
        ("ida:estimate=manhattan", eights(40), Limit(nodes=1)),
        ("ida:estimate=manhattan", eights(40), Limit(nodes=500)),
        ("bands", nines(), Limit()),
        ("bands", nines(), Limit(nodes=3)),
    ],
    ids=["ida", "ida, one node", "ida, 500 nodes", "bands", "bands, 3 nodes"],
)
def test_a_batch_has_the_results_of_its_boards_one_by_one(solver, boards, limit, monkeypatch):
    from puzzlelab.core.registry import parse_solver

    monkeypatch.setattr("puzzlelab.solvers.ida.QUICK_NODES", 300)  # some boards go on alone
    chosen = parse_solver(solver)
    together = answers_of(chosen, boards, limit)
    alone = [solve(chosen, board, limit) for board in boards]
    assert list(map(timeless, together)) == list(map(timeless, alone))
    assert [bool(each.verified_by) for each in together] == [bool(each.verified_by) for each in alone]
    is_alone = ~np.isnan(together.seconds)
    assert (together.seconds[is_alone] >= 0).all()
    assert is_alone.all() if together.batch is None else together.batch.boards == (~is_alone).sum()


SAMPLED = next(number for number in range(2000, 9000) if is_sampled(np.array([number])).all())
"""A number whose solve is replayed by the plain rules too; none near it is."""


def numbered(boards, first):
    """The same boards with numbers from `first` on."""
    return Boards(boards.puzzle, boards.states, first + np.arange(len(boards)))


@pytest.mark.parametrize("step", [1, 2, 9, 10, 1000])
def test_one_in_a_thousand_is_in_the_sample_however_the_numbers_grow(step):
    share = is_sampled(SAMPLED_FIRST + step * np.arange(1_000_000)).mean()
    assert 0.0009 < share < 0.0011


def test_the_first_boards_of_a_file_and_one_in_a_thousand_are_replayed_by_the_plain_rules():
    boards = eights(300)
    ida = make_solver("ida", {"estimate": "manhattan"})
    assert {each.verified_by for each in answers_of(ida, boards[:SAMPLED_FIRST], Limit())} == {"plain"}
    later = answers_of(ida, numbered(boards, SAMPLED - 100), Limit())
    solved = [place for place, each in enumerate(later) if each.moves is not None]
    by_plain_rules = [place for place in solved if later[place].verified_by == "plain"]
    assert by_plain_rules == [100] if 100 in solved else by_plain_rules == []
    assert {later[place].verified_by for place in solved} <= {"plain", "kernels"}
    unsolvable = [each for each in later if each.proof == "unsolvable"]
    assert {each.verified_by for each in unsolvable} == {"plain"}


class Lying(SolverSettings):
    """Gives moves that do not solve the board at one place."""

    name = "lying"
    shares_work: ClassVar[bool] = True
    wrong: int = 0
    claim: Result = Result((0,))

    def attempts(self, instance, limit):
        yield Result(None)

    def solve_batch(self, instances, limit, over):
        honest = joined(instances, make_solver("ida", {"estimate": "manhattan"}).solve_batch(instances, limit, over))
        yield Answers.of(instances, [self.claim if place == self.wrong else each for place, each in enumerate(honest)])


@pytest.mark.parametrize(
    "claim",
    [
        Result((0, 1)),
        Result((9,)),
        Result((-1,)),
        Result((), "optimal"),
        Result(None, "optimal"),
        Result((), lower_bound=3),
    ],
    ids=str,
)
def test_a_wrong_answer_among_thousands_is_found(claim):
    boards = eights(400)
    boards = boards[~has_objection(EIGHT, boards.states)]
    with pytest.raises(PuzzlelabError, match="lying gave a wrong answer"):
        answers_of(Lying(wrong=150, claim=claim), numbered(boards, 5001), Limit())


def test_the_objections_of_many_boards_are_those_of_each():
    for name in ("tiles-3x3", "tiles-2x3:blank-first", "tiles-4x4", "tiles-5x5"):
        puzzle, random = load(name), np.random.default_rng(3)
        states = np.array([random.permutation(puzzle.cells) for _ in range(200)], np.uint8)
        expected = [puzzle.objection(state) is not None for state in states]
        assert has_objection(puzzle, states).tolist() == expected
        assert 50 < sum(expected) < 150


# --- answers in parts ---


class Pairs(SolverSettings):
    """Solves two boards at a time; it gives the move 0 alone to the board at the place `wrong`."""

    name: ClassVar[str] = "pairs"
    shares_work: ClassVar[bool] = True
    wrong: int = -1

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        return make_solver("ida", {}).attempts(instance, limit)

    def solve_batch(self, instances: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        for first in range(0, len(instances), 2):
            pair = instances[first : first + 2]
            results = list(joined(pair, make_solver("ida", {}).solve_batch(pair, limit, over)))
            wrong = {self.wrong - first: Result((0,))}
            yield Answers.of(pair, [wrong.get(place, result) for place, result in enumerate(results)])


def solvable_eights(count):
    boards = eights(3 * count)
    return Boards(EIGHT, boards.states[~has_objection(EIGHT, boards.states)][:count])


def test_a_long_search_holds_back_no_result_before_it(monkeypatch):
    from puzzlelab.solvers.ida import BatchSearch

    fifteen = load("tiles-4x4")
    easy = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15"
    hard = "12 10 6 0 9 8 13 15 11 7 3 2 5 4 14 1"  # ten minutes
    boards = Boards.of([fifteen.read(text) for text in (easy, easy, hard, easy)])
    long_searches, is_over, alone = [], False, BatchSearch._alone

    def counted(search, place, seconds, over):
        long_searches.append(place)
        return alone(search, place, seconds, over)

    monkeypatch.setattr(BatchSearch, "_alone", counted)
    parts = solve_boards(make_solver("ida", {"estimate": "manhattan"}), boards, Limit(), lambda: is_over)
    assert [each.length for each in next(parts)] == [1, 1]
    assert long_searches == []
    is_over = True
    rest = list(parts)
    assert [len(part) for part in rest] == [1, 1]
    assert [part[0].stop for part in rest] == ["interrupted", "interrupted"]
    assert [part[0].expanded > 0 for part in rest] == [True, False]
    assert [part[0].instance for part in rest] == list(boards[2:])


@pytest.mark.parametrize("solver", ["ida:estimate=manhattan", "ida:estimate=manhattan:jobs=2", "bands", "pairs", "bfs"])
def test_parts_are_in_the_order_of_the_boards(solver, monkeypatch):
    from puzzlelab.core.registry import parse_solver

    monkeypatch.setattr("puzzlelab.solvers.ida.QUICK_NODES", 300)
    chosen = Pairs() if solver == "pairs" else parse_solver(solver)
    boards = nines() if solver == "bands" else eights(12)
    parts = list(solve_boards(chosen, boards, Limit()))
    assert [each.instance for part in parts for each in part] == list(boards)
    assert [list(part.boards) for part in parts] == [[each.instance for each in part] for part in parts]
    together = [(each.length, each.proof) for each in answers_of(chosen, boards, Limit())]
    assert [(each.length, each.proof) for part in parts for each in part] == together
    assert (len(parts) == 1) == (solver == "bands") or solver == "bfs"


def test_boards_with_an_objection_come_with_the_boards_before_them():
    even = solvable_eights(3).states
    odd = np.where(even[0] == 1, 2, np.where(even[0] == 2, 1, even[0])).astype(np.uint8)
    boards = Boards(EIGHT, np.array([odd, odd, even[0], odd, even[1], odd, odd, even[2], odd]))
    parts = list(solve_boards(Pairs(), boards, Limit()))
    assert [len(part) for part in parts] == [2, 5, 2]
    proofs = [each.proof for part in parts for each in part]
    no, yes = "unsolvable", "optimal"
    assert proofs == [no, no, yes, no, yes, no, no, yes, no]
    assert {each.reason for part in parts for each in part if each.proof == no} == {EIGHT.objection(odd)}
    assert [len(part) for part in solve_boards(Pairs(), boards[:2], Limit())] == [2]


def test_the_boards_of_all_parts_are_counted_for_the_sample():
    boards = numbered(solvable_eights(10), SAMPLED - 5)
    parts = list(solve_boards(Pairs(), boards, Limit()))
    assert [len(part) for part in parts] == [2] * 5
    verified_by = [each.verified_by for part in parts for each in part]
    assert verified_by == ["kernels"] * 5 + ["plain"] + ["kernels"] * 4
    together = answers_of(Pairs(), boards, Limit())
    assert [each.verified_by for each in together] == verified_by


def test_a_wrong_answer_comes_after_the_parts_before_it():
    parts = solve_boards(Pairs(wrong=4), solvable_eights(8), Limit())
    assert len(next(parts)) + len(next(parts)) == 4
    with pytest.raises(PuzzlelabError, match="pairs gave a wrong answer"):
        next(parts)


def test_parts_of_a_puzzle_that_does_not_suit_are_refused():
    with pytest.raises(Unsupported, match="^bands cannot solve"):
        next(solve_boards(make_solver("bands", {}), eights(2), Limit()))


def test_ctrl_c_in_a_batch_interrupts_the_boards_after_it(monkeypatch):
    def pressed(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("puzzlelab.solvers.ida.step_many", pressed)
    answers = answers_of(make_solver("ida", {"estimate": "manhattan"}), solvable_eights(5), Limit())
    assert [each.stop for each in answers] == ["interrupted"] * 5


# --- solvers of a corridor ---


class Walker(SolverSettings):
    """Walks to the end of the corridor, from many places at once; it lies about those that `lies` names."""

    name: ClassVar[str] = "walker"
    given: ClassVar[list[list[int]]] = []

    lies: int = -1

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        for answers in self.solve_batch(Boards.of([instance]), limit, lambda: False):
            yield from answers

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        places = boards.states[:, 0].tolist()
        self.given.append(places)
        if over():
            yield Answers.blank(boards, stops=STOPS.index("interrupted"))
        else:
            yield Answers.of(boards, [Result((0,) * (place - (place == self.lies))) for place in places])


@pytest.fixture
def walker() -> type[Walker]:
    Walker.given.clear()
    return Walker


def test_many_boards_are_answered_at_once_in_their_order(corridor, walker: type[Walker]) -> None:
    boards = [corridor().read(str(place)) for place in (3, 0, 5)]
    assert [result.length for result in solve_all(walker(), boards, Limit())] == [3, 0, 5]
    assert walker.given == [[3, 0, 5]]
    together = solve_all(Script(says=(Result((0,)),)), [corridor().read("1")] * 2, Limit())
    assert [result.length for result in together] == [1, 1]


def test_boards_with_an_objection_are_left_out_of_what_is_answered_at_once(corridor, walker: type[Walker]) -> None:
    puzzle = corridor(wall=4, objects=True)
    found = solve_all(walker(), [puzzle.read(text) for text in "6284"], Limit())
    assert [(result.length, result.proof) for result in found] == [
        (None, "unsolvable"),
        (2, "none"),
        (None, "unsolvable"),
        (None, "unsolvable"),
    ]
    assert walker.given == [[2]]
    assert [result.reason for result in solve_all(walker(), [puzzle.read("5")], Limit())] == ["a wall is in the way"]
    assert solve_all(walker(), [], Limit()) == []
    assert walker.given == [[2]]


def test_many_boards_are_given_up_when_somebody_says_so(corridor, walker: type[Walker]) -> None:
    boards = [corridor().read("3")] * 2
    assert [result.stop for result in solve_all(walker(), boards, Limit(), lambda: True)] == ["interrupted"] * 2
    endless = Script(says=(Progress(1, 2, 0, 0, 0.0),) * 3)
    assert [result.stop for result in solve_all(endless, boards, Limit(), lambda: True)] == ["interrupted"] * 2


def test_who_answers_differently_among_other_boards_is_caught(corridor, walker: type[Walker]) -> None:
    class Crowded(Walker):
        def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
            for answers in super().solve_batch(boards, limit, over):
                stops = np.full(len(boards), STOPS.index("time"), np.uint8)
                yield replace(answers, stops=stops) if len(boards) > 1 else answers

    boards: list[tuple[Instance, int | None]] = [(corridor().read("2"), 2), (corridor().read("3"), 3)]
    check_solver(Walker(), boards)
    with pytest.raises(ConformanceError, match="^walker on <corridor-9: 2> differs in a batch$"):
        check_solver(Crowded(), boards)


def test_batches_are_of_one_puzzle_and_taken_as_they_are_wanted(corridor) -> None:
    taken = []

    def boards() -> Iterator[Instance]:
        for length in (5, 5, 5, 7, 7, 5):
            taken.append(length)
            yield corridor(length).read("1")

    assert [len(batch) for batch in batched(boards(), lambda: 2)] == [2, 1, 2, 1]
    taken.clear()
    next(batched(boards(), lambda: 2))
    assert taken == [5, 5]


def test_a_search_reports_its_best_solution_and_its_bound(monkeypatch):
    reports: list[tuple[str, float, float | None, str]] = []
    monkeypatch.setattr(solving, "REPORT_SECONDS", 0.0)
    monkeypatch.setattr(report, "progress", lambda *words: reports.append(words))
    board = load("tiles-4x4").read("1 5 9 13 2 6 10 14 3 7 11 15 4 8 12 0")
    solve(make_solver("ida", {"upper": "beam"}), board, Limit(nodes=100_000))
    assert {title for title, *_ in reports} == {"states expanded"}
    assert all("at least" in status for *_, status in reports)
    assert reports[0][3].startswith("no solution so far, at least ")
    assert reports[-1][3].startswith("the best so far: ")

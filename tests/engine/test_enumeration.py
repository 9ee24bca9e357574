"""What lists of solutions prove, how machines list and count, and who refuses to be asked."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from tests.scripted import played

from puzzlelab.core.answers import STOPS, Answers, Counts
from puzzlelab.core.boards import Boards, Instance, runs
from puzzlelab.core.errors import PuzzlelabError, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import NO_SOLUTION, Count, Progress, Result
from puzzlelab.core.solver import (
    Attempt,
    SolverSettings,
    require,
)
from puzzlelab.core.verify import Verdict, replay, verify
from puzzlelab.core.views import Candidates, Legality
from puzzlelab.engine.driver import Machine
from puzzlelab.engine.enumeration import (
    Enumerator,
    Listing,
    count,
    count_parts,
    counted,
    listed,
    proving_uniqueness,
    require_enumerator,
)
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, RUNNING
from puzzlelab.engine.record_parts import control_type, new_control
from puzzlelab.engine.solving import solve

ONE, OTHER, THIRD = Result((0, 0)), Result((1, 0, 0, 0)), Result((0, 1, 0, 0))
"""Ways from place 2 of the corridor to place 0."""


class Script(Enumerator):
    """Lists what it was told to list; an exception among it is raised."""

    name: ClassVar[str] = "script"

    says: tuple[Any, ...] = ()

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        return played(self.says)


class Counting(Script):
    """Counts too: one for each thing it says."""

    name: ClassVar[str] = "counting"
    asked: ClassVar[list[int]] = []

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        self.asked.append(most)
        return played(self.says)


class CountsTogether(Counting):
    """Counts as many solutions as the place of a board says, except for boards at place 5; says one thing of these."""

    name: ClassVar[str] = "counts-together"
    interrupted: bool = False

    def count_batch(self, boards: Boards, most: int, limit: Limit) -> Counts:
        if self.interrupted:
            raise KeyboardInterrupt
        places = boards.states[:, 0].astype(np.int64)
        stops = [
            STOPS.index("interrupted" if place == 5 else "done" if place < most else "solutions") for place in places
        ]
        return Counts(np.minimum(places, most), np.array(stops, np.uint8), 2 * places, Answers.blank(boards))


class Picky(Script):
    """Refuses all corridors but one."""

    name: ClassVar[str] = "picky"

    def refusal(self, puzzle: Any) -> str | None:
        return None if puzzle.length == 9 else "it likes nine steps"


class Single(SolverSettings):
    """Looks for one solution."""

    name: ClassVar[str] = "single"

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        yield ONE


def last(*says: object) -> Result:
    *_, end = proving_uniqueness(iter(says))
    return end


# --- what a list proves ---


def test_one_solution_and_no_other_is_unique() -> None:
    found = last(ONE, Result(None, "none", "", "done", 0, 50, 90, 0, 1.5))
    assert found == Result((0, 0), "unique", "", "done", 2, 50, 90, 0, 1.5)


def test_no_solution_is_a_proof() -> None:
    assert last(Progress(1, 2, 0, 0, 0.1), Result(None)) == Result(None, "unsolvable", NO_SOLUTION)
    assert last(Result(None, reason="a clue clashes")).reason == "a clue clashes"


def test_a_second_solution_ends_the_search() -> None:
    told = proving_uniqueness(iter([ONE, Progress(7, 8, 0, 0, 0.2), Result((1, 0, 0, 0), expanded=9), AssertionError]))
    first, progress, end = told
    assert (first.moves, first.lower_bound, first.proof) == ((0, 0), 2, "none")
    assert progress.expanded == 7
    assert (end.moves, end.proof, end.stop, end.expanded) == ((0, 0), "several", "done", 9)


@pytest.mark.parametrize("stop", ["time", "nodes", "memory", "interrupted", "dead end"])
def test_a_list_that_was_cut_short_proves_nothing(stop) -> None:
    assert last(ONE, Result(None, stop=stop, expanded=3)) == Result((0, 0), stop=stop, lower_bound=2, expanded=3)
    assert last(Result(None, stop=stop, expanded=3)) == Result(None, stop=stop, expanded=3)


def test_what_is_settled_holds(corridor) -> None:
    start = corridor().read("2")
    for says in ((ONE, Result(None)), (ONE, OTHER), (Result(None),), (ONE, Result(None, stop="time"))):
        for attempt in proving_uniqueness(iter(says)):
            assert verify(start, attempt).holds
    assert solve(Script(says=(ONE, Result(None))), start, Limit()).proof == "unique"


# --- a machine with a known answer: the numbers below `size`, one a node; each third is a solution ---


class Record(NamedTuple):
    control: Any
    size: int
    room: int


def step(record: Record, budget: int) -> int:
    control = record.control
    for _ in range(budget):
        if control.expanded == record.size:
            return DONE
        if control.expanded == record.room:
            return FULL
        control.expanded += 1
        control.generated += 2
        if control.expanded % 3 == 0:
            control.found += 1
            if control.most == 0:
                return IMPROVED
            if control.found >= control.most:
                return DONE
    return RUNNING


def machine(size: int, room: int = 2**40, grows: bool = True) -> Machine:
    def larger(record: Record, bytes_left: int) -> Record | None:
        return record._replace(room=2 * record.room) if grows else None

    record = Record(new_control(control_type("found most")), size, room)
    return Machine(
        record, step, lambda record: [int(record.control.expanded)], larger, lambda record: ("none", "", "done")
    )


def test_a_machine_lists_each_solution_and_says_the_end() -> None:
    told = list(listed(machine(10), Limit()))
    assert [each.moves for each in told if isinstance(each, Result)] == [(3,), (6,), (9,), None]
    assert told[-1].stop == "done"
    assert [each.expanded for each in told if isinstance(each, Result)] == [3, 6, 9, 10]
    assert told[-1].generated == 20
    assert all(each.proof == "none" for each in told if isinstance(each, Result))


def test_there_is_progress_where_nothing_is_found() -> None:
    told = list(listed(machine(2), Limit(nodes=1)))
    assert [type(each) for each in told] == [Progress, Result]
    assert (told[1].moves, told[1].stop, told[1].expanded) == (None, "nodes", 1)


@pytest.mark.parametrize("nodes", [1, 3, 4, 299, 300])
def test_a_limit_of_nodes_ends_list_and_count(nodes) -> None:
    told = [each for each in listed(machine(10**9), Limit(nodes=nodes)) if isinstance(each, Result)]
    assert (told[-1].moves, told[-1].stop, told[-1].expanded) == (None, "nodes", nodes)
    assert len(told) - 1 == nodes // 3
    *_, end = counted(machine(10**9), Limit(nodes=nodes), 10**9)
    assert end == Count(nodes // 3, "nodes", nodes, end.seconds)


def test_a_solution_at_the_very_end_is_listed_before_the_limit_is_told() -> None:
    told = list(listed(machine(3), Limit(nodes=3)))
    assert [each.moves for each in told if isinstance(each, Result)] == [(3,), None]


def test_arrays_grow_while_there_is_room() -> None:
    small = machine(100, room=5)
    assert len([each for each in listed(small, Limit()) if isinstance(each, Result)]) == 34
    assert small.record.room == 160
    *_, end = listed(machine(100, room=5, grows=False), Limit())
    assert (end.moves, end.stop, end.expanded) == (None, "memory", 5)
    *_, end = counted(machine(100, room=5, grows=False), Limit(), 50)
    assert (end.solutions, end.stop) == (1, "memory")


@pytest.mark.parametrize(
    ("most", "found", "stop"), [(1, 1, "solutions"), (3, 3, "solutions"), (4, 3, "done"), (99, 3, "done")]
)
def test_a_machine_counts_up_to_what_is_asked(most, found, stop) -> None:
    *_, end = counted(machine(10), Limit(), most)
    assert (end.solutions, end.stop, end.complete) == (found, stop, stop == "done")


def test_time_ends_a_count_and_a_list() -> None:
    *_, end = counted(machine(10**12), Limit(seconds=0.02), 10**12)
    assert (end.stop, end.complete) == ("time", False)
    assert end.solutions == end.expanded // 3 > 0
    *_, end = listed(machine(10**12), Limit(seconds=0.02))
    assert (end.moves, end.stop) == (None, "time")
    *_, end = listed(machine(10**12), Limit(memory=1))
    assert end.stop == "memory"


# --- count ---


def test_a_count_is_of_all_solutions_or_as_many_as_asked_for(corridor) -> None:
    start, script = corridor().read("2"), Script(says=(ONE, Progress(4, 4, 0, 0, 0.1), OTHER, THIRD, Result(None)))
    assert count(script, start, Limit()) == Count(3, "done")
    assert count(script, start, Limit(), 4) == Count(3, "done")
    assert count(script, start, Limit(), 2) == Count(2, "solutions")
    assert count(script, start, Limit(), 1) == Count(1, "solutions")
    assert count(Script(says=(Result(None),)), start, Limit()) == Count(0, "done")
    assert count(Script(says=(ONE, Result(None, stop="time"))), start, Limit()) == Count(1, "time")
    assert not count(script, start, Limit(), 2).complete
    assert require_enumerator(script, corridor()) is script


def test_ctrl_c_ends_a_count_with_what_was_found(corridor) -> None:
    start = corridor().read("2")
    found = count(Script(says=(ONE, OTHER, KeyboardInterrupt())), start, Limit())
    assert (found.solutions, found.stop) == (2, "interrupted")
    assert count(Script(says=(KeyboardInterrupt(),)), start, Limit()) == Count(0, "interrupted")


def test_who_counts_faster_is_asked_to_count(corridor) -> None:
    start = corridor().read("2")
    counting = Counting(says=(Count(5, "interrupted"), Count(9, "done", 3, 0.5)))
    assert count(counting, start, Limit()) == Count(9, "done", 3, 0.5)
    assert count(counting, start, Limit(), 7) == Count(9, "done", 3, 0.5)
    assert Counting.asked[-1] == 7
    assert Counting.asked[-2] > 10**18
    found = count(Counting(says=(Count(5, "done"), KeyboardInterrupt())), start, Limit())
    assert found == Count(5, "interrupted")


def test_a_board_with_an_objection_has_no_solutions_and_is_not_searched(corridor) -> None:
    start = corridor(wall=1, objects=True).read("2")
    script = Script(says=(AssertionError("it searched"),))
    assert count(script, start, Limit()) == Count(0, "done")
    listing = Listing(script, start, Limit())
    assert (list(listing), listing.stop, listing.count) == ([], "done", 0)


# --- many boards ---


def test_boards_are_counted_together_and_some_alone(corridor) -> None:
    boards = Boards.of([corridor().read(str(place)) for place in (2, 3, 5, 5, 1)])
    solver = CountsTogether(says=(Count(77, "done"),))
    alone = [Count(77, "done")]
    parts = list(map(list, count_parts(solver, boards, Limit())))
    assert parts == [[Count(2, "done", 4), Count(3, "done", 6)], alone, alone, [Count(1, "done", 2)]]
    parts = list(map(list, count_parts(solver, boards, Limit(), 2)))
    assert parts == [[Count(2, "solutions", 4), Count(2, "solutions", 6)], alone, alone, [Count(1, "done", 2)]]


def test_other_solvers_count_one_by_one(corridor) -> None:
    boards = Boards.of([corridor().read(str(place)) for place in (2, 3)])
    parts = count_parts(Counting(says=(Count(5, "done"),)), boards, Limit())
    assert list(map(list, parts)) == [[Count(5, "done")]] * 2


def test_ctrl_c_ends_the_counts(corridor) -> None:
    boards = Boards.of([corridor().read(str(place)) for place in (2, 5, 3)])
    parts = list(count_parts(CountsTogether(says=(Count(7, "done"), KeyboardInterrupt())), boards, Limit()))
    assert [list(part) for part in parts] == [[Count(2, "done", 4)], [Count(7, "interrupted")]]
    [[part]] = count_parts(CountsTogether(interrupted=True), boards, Limit())
    assert part == Count(0, "interrupted")


def test_runs_of_equal_values() -> None:
    assert list(runs(np.array([True, True, False, True, False, False]))) == [(0, 2), (2, 3), (3, 4), (4, 6)]
    assert list(runs(np.array([False]))) == [(0, 1)]


# --- lists ---


def test_a_list_says_why_it_ended(corridor) -> None:
    start = corridor().read("2")
    says = (Progress(1, 1, 0, 0, 0.0), ONE, OTHER, Result(None))
    listing = Listing(Script(says=says), start, Limit())
    assert listing.stop == "interrupted"
    assert list(listing) == [(0, 0), (1, 0, 0, 0)]
    assert (listing.stop, listing.count, listing.name) == ("done", 2, "script")
    some = Listing(Script(says=says), start, Limit(), 1)
    assert (list(some), some.stop, some.count) == ([(0, 0)], "solutions", 1)
    cut = Listing(Script(says=(ONE, Result(None, stop="nodes"))), start, Limit())
    assert (list(cut), cut.stop) == ([(0, 0)], "nodes")


def test_a_list_that_is_left_is_interrupted_and_begins_anew(corridor) -> None:
    listing = Listing(Script(says=(ONE, OTHER, THIRD, Result(None))), corridor().read("2"), Limit())
    assert list(islice(listing, 2)) == [(0, 0), (1, 0, 0, 0)]
    assert (listing.count, listing.stop) == (2, "interrupted")
    assert len(list(listing)) == 3
    assert (listing.count, listing.stop) == (3, "done")


def test_a_wrong_solution_is_never_given(corridor) -> None:
    listing = Listing(Script(says=(ONE, Result((0,)))), corridor().read("2"), Limit())
    solutions = iter(listing)
    assert next(solutions) == (0, 0)
    with pytest.raises(PuzzlelabError, match="^script gave a wrong answer for <corridor-9: 2>: after all 1 moves the"):
        next(solutions)
    assert listing.count == 1


def test_ctrl_c_in_a_list_is_the_callers_to_handle(corridor) -> None:
    listing = Listing(Script(says=(ONE, KeyboardInterrupt())), corridor().read("2"), Limit())
    with pytest.raises(KeyboardInterrupt):
        list(listing)
    assert (listing.count, listing.stop) == (1, "interrupted")


# --- who is asked ---


def test_who_lists_nothing_cannot_be_asked_to(corridor) -> None:
    start = corridor().read("2")
    for ask in (lambda: count(Single(), start, Limit()), lambda: Listing(Single(), start, Limit())):
        with pytest.raises(Unsupported, match="^single looks for one solution, and cannot list or count them all$"):
            ask()


def test_a_view_that_is_missing_is_named_before_anything_else(corridor) -> None:
    class Needy(Script):
        needs: ClassVar[tuple[type, ...]] = (Candidates,)

        def refusal(self, puzzle: Any) -> str | None:
            raise AssertionError("asked too early")

    with pytest.raises(Unsupported, match="^script cannot solve corridor-9, which offers no view 'Candidates'$"):
        count(Needy(), corridor().read("2"), Limit())


def test_a_solver_may_refuse_a_puzzle_in_words(corridor) -> None:
    require(Picky(), corridor())
    picky = Picky(says=(ONE, Result(None)))
    assert solve(picky, corridor().read("2"), Limit()).proof == "unique"
    start = corridor(length=5).read("2")
    for ask in (
        lambda: require(picky, start.puzzle),
        lambda: solve(picky, start, Limit()),
        lambda: count(picky, start, Limit()),
        lambda: Listing(picky, start, Limit()),
    ):
        with pytest.raises(Unsupported, match="^picky cannot solve corridor-5: it likes nine steps$"):
            ask()


def test_a_replay_asks_a_puzzle_that_can_say_it_for_one_move(corridor) -> None:
    asked = []

    class Guarded(corridor):
        def legal(self, state):
            raise AssertionError("all moves were asked for")

        def is_legal(self, state, move):
            asked.append((int(state[0]), move))
            return move == 0

        def view(self, kind):
            return Legality(self.is_legal) if kind is Legality else None

    start = Guarded().read("2")
    assert replay(start, (0, 0)) == Verdict(True)
    assert asked == [(2, 0), (1, 0)]
    assert replay(start, (0, 1)) == Verdict(False, "move 2 of 2, >, cannot be made on 1", 2)
    asked.clear()
    assert replay(start, (0, 2)).step == 2
    assert replay(start, (-1,)).step == 1
    assert asked == [(2, 0)]  # a number that is no move is not asked for

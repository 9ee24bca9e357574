"""Many boards at once: the answers of one board after the other, verified by the compiled rules and a sample by the
plain ones.
"""

from dataclasses import replace

import numpy as np
import pytest

from puzzlelab import Limit, load
from puzzlelab.core.board_batch import BoardBatch
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.registry import make_solver
from puzzlelab.core.result import Result
from puzzlelab.core.result_batch import ResultBatch, joined
from puzzlelab.core.solver import BatchSolver, SolverSettings, answer
from puzzlelab.engine import batch_answers
from puzzlelab.engine.batch_answers import SAMPLED_FIRST, Portions, answers_of, has_objection, solve_all
from puzzlelab.puzzles.sudoku import examples

EIGHT, NINE = load("tiles-3x3"), load("sudoku-9x9")
SEVERAL = "3" + 80 * "."


def eights(count, seed=1):
    """Permutations of the 8-puzzle, half of which have no solution."""
    random = np.random.default_rng(seed)
    return BoardBatch(EIGHT, np.array([random.permutation(9) for _ in range(count)], np.uint8))


def nines():
    """Sudokus with one solution, with several and with none."""
    texts = [example.board for example in examples.of(NINE.name).values()]
    return BoardBatch.of([NINE.read(text) for text in (*texts, SEVERAL, "11" + 79 * ".")])


def timeless(result):
    return replace(result, seconds=0.0, batch="")


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
    alone = [answer(chosen, board, limit) for board in boards]
    assert [timeless(each.result) for each in together] == [timeless(each.result) for each in alone]
    assert [each.confirmed for each in together] == [each.confirmed for each in alone]
    assert all(each.result.seconds >= 0 for each in together)


def test_the_first_boards_of_a_file_and_one_in_a_thousand_are_replayed_by_the_plain_rules():
    boards = eights(300)
    ida = make_solver("ida", {"estimate": "manhattan"})
    assert {each.verified_by for each in answers_of(ida, boards[:SAMPLED_FIRST], Limit())} == {"plain"}
    later = answers_of(ida, boards, Limit(), first=1900)
    solved = [place for place, each in enumerate(later) if each.result.moves is not None]
    by_plain_rules = [place for place in solved if later[place].verified_by == "plain"]
    assert by_plain_rules == [100] if 100 in solved else by_plain_rules == []
    assert {later[place].verified_by for place in solved} <= {"plain", "kernels"}
    unsolvable = [each for each in later if each.result.proof == "unsolvable"]
    assert {each.verified_by for each in unsolvable} == {"plain"}


class Lying(SolverSettings):
    """Gives moves that do not solve the board at one place."""

    name = "lying"
    offers = (BatchSolver,)
    wrong: int = 0
    claim: Result = Result((0,))

    def attempts(self, instance, limit):
        yield Result(None)

    def solve_batch(self, instances, limit, over):
        honest = make_solver("ida", {"estimate": "manhattan"}).solve_batch(instances, limit, over)
        return [self.claim if place == self.wrong else result for place, result in enumerate(honest)]


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
    boards = BoardBatch(EIGHT, boards.states[~has_objection(EIGHT, boards.states)])
    with pytest.raises(PuzzlelabError, match="lying gave a wrong answer"):
        answers_of(Lying(wrong=150, claim=claim), boards, Limit(), first=5001)


def test_the_objections_of_many_boards_are_those_of_each():
    for name in ("tiles-3x3", "tiles-2x3:blank-first", "tiles-4x4", "tiles-5x5"):
        puzzle, random = load(name), np.random.default_rng(3)
        states = np.array([random.permutation(puzzle.cells) for _ in range(200)], np.uint8)
        expected = [puzzle.objection(state) is not None for state in states]
        assert has_objection(puzzle, states).tolist() == expected
        assert 50 < sum(expected) < 150


def test_results_are_columns_and_a_sequence():
    boards = eights(6)
    results = solve_all(make_solver("ida", {"estimate": "manhattan"}), boards, Limit())
    batch = ResultBatch.of(boards, results)
    assert list(batch) == results
    assert batch[-1] == results[-1]
    assert batch[1:3] == results[1:3]
    parts = [ResultBatch.of(boards[:2], results[:2]), ResultBatch.of(boards[2:], results[2:])]
    assert list(joined(boards, parts)) == results
    assert batch.offsets[-1] == sum(result.length or 0 for result in results)
    with pytest.raises(IndexError):
        batch[6]


def test_parts_of_a_batch_grow_while_they_are_quick(monkeypatch):
    monkeypatch.setattr(batch_answers, "BATCH", 100)
    portions = Portions(make_solver("ida", {}))
    sizes = []
    for part in portions.cut(range(300)):
        sizes.append(len(part))
        portions.took(len(part), 0.001 * len(part) if len(sizes) < 6 else 1.0 * len(part))
    assert sizes[:6] == [1, 4, 16, 64, 100, 100]
    assert sizes[6:] == [1] * 15


def test_an_interrupted_batch_keeps_what_is_solved():
    boards = eights(30)
    results = solve_all(make_solver("ida", {"estimate": "manhattan"}), boards, Limit(), lambda: True)
    assert {result.stop for result in results if result.proof != "unsolvable"} == {"interrupted"}

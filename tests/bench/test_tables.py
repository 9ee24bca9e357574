import io
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from scipy.stats import binomtest

from puzzlelab.bench import runs, summaries, tables
from puzzlelab.bench.caveats import caveats
from puzzlelab.bench.runs import BenchAnswer, BenchRun
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.bench.summaries import Mean, Proportion, Reference
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Solver

Make = Callable[..., Solver]
ONE, TWO, FOUR = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 0 7 8", "0 2 3 1 5 6 4 7 8"


@pytest.fixture
def run(suite: Suite, stub: Make) -> BenchRun:
    """A solver that is optimal, and one that makes two moves too many."""
    return runs.run(suite, [stub(), stub(extra=2)], Limit(nodes=100))


@pytest.mark.parametrize(("count", "total"), [(7, 10), (0, 10), (10, 10), (1, 1), (333, 1000), (181_000, 181_440)])
def test_the_interval_of_a_share_is_wilsons(count: int, total: int) -> None:
    expected = binomtest(count, total).proportion_ci(method="wilson")
    assert Proportion(count, total).interval == pytest.approx(tuple(expected), abs=1e-12)


def test_a_mean_has_students_interval_and_nothing_tells_nothing() -> None:
    assert summaries.mean([1, None, 2, 3]) == Mean(2.0, pytest.approx(4.303 / math.sqrt(3), abs=1e-3))
    assert summaries.mean([5, 5]) == Mean(5.0, 0.0)
    assert summaries.mean([4]) == Mean(4.0, pytest.approx(math.nan, nan_ok=True))
    assert math.isnan(summaries.mean([]).value)
    assert math.isnan(Proportion(0, 0).value)
    assert Proportion(0, 0).interval == (0.0, 1.0)


def test_a_summary_counts_what_holds(run: BenchRun) -> None:
    exact, longer = summaries.summaries(run)
    assert (exact.solved, exact.proven, exact.optimal) == (Proportion(3, 5), Proportion(3, 5), Proportion(3, 4))
    assert (longer.solved, longer.proven, longer.optimal) == (Proportion(3, 5), Proportion(0, 5), Proportion(0, 4))
    assert exact.length.value == pytest.approx(7 / 3)
    assert longer.length.value == pytest.approx(13 / 3)
    assert (exact.excess, longer.excess) == (Mean(0.0, 0.0), Mean(2.0, 0.0))
    assert (exact.expanded, exact.generated) == (8.0, 16.0)
    assert (exact.percentiles[1], exact.percentiles[3]) == (1.0, pytest.approx(1.0))
    known = summaries.references(run)
    assert (known[ONE], known[FOUR], len(known)) == (Reference(1, True), Reference(4, True), 4)


def test_an_upper_bound_counts_for_the_excess_but_not_for_the_optimum(suite: Suite, stub: Make) -> None:
    bounded = Suite(
        "bounded", suite.puzzle, (SuiteEntry(ONE, known=5), SuiteEntry(TWO, known=2, known_is_optimal=True))
    )
    run = runs.run(bounded, [stub(extra=2)], Limit())
    (each,) = summaries.summaries(run)
    assert each.excess.value == pytest.approx(((3 - 5) + (4 - 2)) / 2)
    assert each.optimal == Proportion(0, 1)
    assert caveats(run) == ["1 of the 2 best known solutions are not proven optimal; the excess is over them."]


@pytest.mark.parametrize(("known", "excess", "share"), [(3, "2.00\n3/5", "0/5\n0/3\n0 %"), (2, "-\n2/5", "0/5\n0/2")])
def test_no_excess_is_shown_where_few_optima_are_known(
    suite: Suite, stub: Make, known: int, excess: str, share: str
) -> None:
    lengths = {ONE: 1, TWO: 2, FOUR: 4, "1 2 3 4 0 5 7 8 6": 2, "0 1 3 4 2 5 7 8 6": 4}
    entries = [
        SuiteEntry(board, known=length if place < known else None, known_is_optimal=place < known)
        for place, (board, length) in enumerate(lengths.items())
    ]
    run = runs.run(Suite("few", suite.puzzle, tuple(entries)), [stub(extra=2)], Limit(nodes=100))
    table = tables.of_solvers(run)
    cells = dict(zip(table.header, table.rows[0], strict=True))
    assert cells["excess:\nmean\nboards"] == excess
    assert cells["optimal:\nproven\nreached\nshare"] == share
    advice = (
        "No excess is shown where the optimum of fewer than half of the solved boards is known: "
        "add a solver that proves it to --with, such as bfs:bidirectional=True."
    )
    assert (advice in caveats(run)) == (known == 2)


def test_an_answer_that_does_not_hold_is_unsolved_and_told(run: BenchRun) -> None:
    first = run.answers[0]
    wrong = BenchAnswer(first.solver, first.entry, first.row.model_copy(update={"moves": ["U"]}), holds=False)
    broken = replace(run, answers=(wrong, *run.answers[1:]))
    assert summaries.summaries(broken)[0].solved == Proportion(2, 5)
    (remark,) = [remark for remark in caveats(broken) if "do not hold" in remark]
    assert remark.startswith("1 answers do not hold and count as unsolved; the first, of stub:extra=0")


def test_an_answer_that_is_shorter_than_the_optimum_is_told(suite: Suite, stub: Make) -> None:
    mistaken = Suite("mistaken", suite.puzzle, (SuiteEntry(TWO, known=4, known_is_optimal=True),))
    (remark,) = caveats(runs.run(mistaken, [stub()], Limit()))
    assert remark.endswith(f"solves {TWO} with 2 moves, better than the 4 that are said to be optimal.")


def test_limits_and_missing_answers_are_told(run: BenchRun) -> None:
    part = replace(run, answers=run.answers[:3])
    limit, missing = caveats(part)
    assert limit == "Limit of each search: 100 nodes."
    assert missing.endswith("has answered 3 of the 5 boards.")


def test_the_table_fits_a_terminal_and_has_the_numbers(run: BenchRun) -> None:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(tables.of_solvers(run))
    text = console.export_text()
    assert "small: 5 boards of tiles-3x3" in text
    for number in ("3/5", "3/4", "2.33", "23-88 %", "± 3.79", "1.00"):
        assert number in text
    assert "…" not in text


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_table_that_is_wider_than_the_terminal_stands_in_parts(width: int) -> None:
    header = ("", *(f"beam:width={place}:estimate=net:runs/a-long-name" for place in range(9)))
    names = ["hash", "95 % interval", "a name of forty signs and more, in a line"]
    table = tables.TextTable("many", header, [(name, *(f"{name[:4]} 98.{i}5 %" for i in range(9))) for name in names])
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(table)
    text = console.export_text()
    assert "\u2026" not in text
    parts = -(-9 // max(1, (width - 22) // 22))  # columns of 20 signs and a space at either side, beside the first one
    assert (text.count("many"), text.count("95 % interval")) == (1, parts)
    for place in range(9):
        assert text.count(f"width={place}:") == 1
        assert text.count(f"98.{place}5 %") == 3
    assert max(map(len, text.splitlines())) <= width


def test_headings_of_wide_signs_are_folded_by_their_columns() -> None:
    console = Console(width=50, record=True, file=io.StringIO())
    console.print(tables.TextTable("", ("", "\u6570\u72ec" * 12), [("solved", "98.55 %")]))
    heads = [line.strip() for line in console.export_text().splitlines() if "\u6570" in line]
    assert [len(head) for head in heads] == [10, 10, 4]


def printed(run: BenchRun) -> str:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(tables.of_solvers(run))
    return console.export_text()


def changed(run: BenchRun, solver: int, **values: object) -> BenchRun:
    """The run with these values in the rows of one of its solvers."""
    chosen = list(run.by_solver)[solver]
    answers = [
        replace(answer, row=answer.row.model_copy(update=values)) if answer.solver == chosen else answer
        for answer in run.answers
    ]
    return replace(run, answers=tuple(answers))


def test_states_that_a_network_scored_stand_below_the_nodes_and_labels_as_they_are(run: BenchRun) -> None:
    assert "scored" not in printed(run)
    text = printed(changed(run, 0, evaluations=12_340))
    assert "scored" in text
    assert "12.3k" in text
    named = replace(run, answers=tuple(replace(answer, solver="greedy:estimate=net:x:[b]") for answer in run.answers))
    assert "net:x:[b]" in printed(named)


def test_the_limit_of_moves_of_solvers_that_play_is_told(run: BenchRun) -> None:
    exact, longer = run.by_solver
    limit, *_ = caveats(run)
    assert limit == "Limit of each search: 100 nodes."
    one = changed(run, 0, options={"max_moves": 1000})
    assert caveats(one)[1] == f"Limit of moves: 1,000 for {exact}."
    two = changed(one, 1, options={"max_moves": 50})
    assert caveats(two)[1] == f"Limit of moves: 50 for {longer}; 1,000 for {exact}."
    same = changed(one, 1, options={"max_moves": 1000})
    assert caveats(same)[1] == "Limit of moves: 1,000."


def test_the_networks_that_were_asked_are_told_with_the_hash_of_the_suite(run: BenchRun) -> None:
    exact, longer = run.by_solver
    assert not [remark for remark in caveats(run) if "Network" in remark]
    one = changed(run, 1, net="0123456789abcdef")
    assert f"Network: 0123456789abcdef; hash of the suite: {run.suite.hash}." in caveats(one)
    third = tuple(replace(answer, solver="third") for answer in run.answers if answer.solver == exact)
    two = changed(replace(one, answers=one.answers + third), 0, net="fedcba9876543210")
    named = f"fedcba9876543210 ({exact}), 0123456789abcdef ({longer})"
    assert f"Networks: {named}; hash of the suite: {run.suite.hash}." in caveats(two)
    every = changed(one, 0, net="fedcba9876543210")  # a line of the score sheet has them
    assert not [remark for remark in caveats(every) if "Network" in remark]


def test_boards_that_are_filled_in_have_proofs_and_no_excess(stripes: Suite, painter: Make) -> None:
    torn = Suite("torn", stripes.puzzle, (*stripes.entries, SuiteEntry("rr!?????")))
    run = runs.run(torn, [painter(slow=3), painter(slow=3, proof="several")], Limit(seconds=9))
    sure, unsure = summaries.summaries(run)
    assert (sure.solved, sure.proven, sure.refuted) == (Proportion(10, 13), Proportion(10, 13), Proportion(1, 13))
    assert (unsure.solved, unsure.proven) == (Proportion(10, 13), Proportion(0, 13))
    assert sure.seconds.value == pytest.approx(sum(answer.row.seconds for answer in run.by_solver[sure.solver]) / 13)
    text = printed(run)
    for words in ("unique", "unsolvable", "10/13", "50-92 %", "1/13", "mean", "median"):
        assert words in text
    for words in ("excess", "optimal", "length", "…"):
        assert words not in text
    assert caveats(run) == [
        "Limit of each search: 9 s.",
        "10 of the boards have more than one solution: their answers are right, not unique.",
    ]


def test_solvers_that_contradict_each_other_are_told(stripe: Puzzle, painter: Make) -> None:
    one = Suite("one", stripe, (SuiteEntry("rr??????"),))
    run = runs.run(one, [painter(), painter(colour=1, proof="several"), painter(proof="unsolvable")], Limit())
    assert caveats(run) == [
        "painter:proof=unsolvable says that rr?????? has no solution, but painter:colour=1:proof=several found one.",
        "1 of the boards have more than one solution: their answers are right, not unique.",
        "painter says that rr?????? has one solution, but painter:colour=1:proof=several found another.",
    ]


@pytest.mark.parametrize(
    ("write", "texts"),
    [
        (tables.number, {0: "0", 950.4: "950", 9999: "9999", 12345: "12.3k", 1.234e6: "1.23M", 5e9: "5G"}),
        (tables.seconds, {0: "0", 0.00012345: "0.000123", 0.0123: "0.0123", 1.5: "1.50", 12.34: "12.3", 123.4: "123"}),
        (tables.decimal, {math.nan: "-", 53.048: "53.05"}),
        (tables.share, {Proportion(0, 0): "-", Proportion(7, 10): "7/10"}),
        (tables.percent, {(7, 10): "70 %", (985, 1000): "98.5 %", (181_000, 181_440): "99.76 %", (0, 0): ""}),
        (tables.interval, {(7, 10): "40-89 %", (985, 1000): "97.5-99.1 %", (181_000, 181_440): "99.73-99.78 %"}),
        (tables.wrapped_label, {"ida:estimate=pdb:1,2/3:jobs=2": "ida:\nestimate=pdb:1,2/3:\njobs=2"}),
    ],
)
def test_numbers_as_text(write: Callable[[Any], str], texts: dict[Any, str]) -> None:
    values = [Proportion(*value) if isinstance(value, tuple) else value for value in texts]
    assert [write(value) for value in values] == list(texts.values())


def test_stored_answers_give_the_same_table(suite: Suite, stub: Make, tmp_path: Path) -> None:
    run = runs.run(suite, [stub(), stub(extra=2)], Limit(nodes=100), tmp_path)
    assert tables.of_solvers(runs.read_run(tmp_path)) == tables.of_solvers(run)

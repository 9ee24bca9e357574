"""Beam search of every width: what it finds, what it may claim, and how it gets better when no width is given."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.solvers.known import FARTHEST, FIFTEEN, TILES, board, random_dust

from puzzlelab import Estimate, Instance, Limit, Result, attempts, check_solver, load, solve
from puzzlelab.core.errors import UnknownName
from puzzlelab.core.views import Estimates, KernelRules
from puzzlelab.engine.driver import drive
from puzzlelab.engine.records import path_to, unpacked
from puzzlelab.engine.search_rules import rules_of
from puzzlelab.puzzles.tiles.exact_distances_kernels import distances as distance_tables
from puzzlelab.puzzles.tiles.exact_distances_kernels import rank_of
from puzzlelab.solvers import _layers
from puzzlelab.solvers import beam as beam_module
from puzzlelab.solvers._top_k_kernels import threshold_exact
from puzzlelab.solvers.beam import MAX_WIDTH, Beam, machine, passes_left, wider
from puzzlelab.solvers.greedy import Greedy

SLOW = pytest.mark.slow
"""For what compiles a search for a pair of puzzle and estimate that no quick test needs."""
KORF_2 = ("10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3", 55)


def misplaced(states):
    """Pieces of boards `[B, 9]` that are not where they belong, blank last."""
    return (states != np.array([1, 2, 3, 4, 5, 6, 7, 8, 0])).sum(axis=1) / 2


def distances(states):
    """The true distances of boards `[B, 9]`, by a table."""
    table = distance_tables(TILES).distance
    return np.array([table[rank_of(state)] for state in TILES.view(KernelRules).encode(states)], float)


TRUE = Estimate("true", admissible=True, scores=distances)


@pytest.mark.parametrize("width", [1, 2, 10, 100, 1_000, 200_000, None])
def test_every_width_keeps_the_promises_of_a_solver(width):
    boards = [(board(distance), distance) for distance in (0, 1, 2, 9, 16, 22, 27)]
    check_solver(Beam(estimate="manhattan", width=width), [*boards, *((TILES.read(text), 31) for text in FARTHEST)])


def test_a_table_of_hashes_that_grows_changes_no_answer(monkeypatch):
    instance, limit = FIFTEEN.read(KORF_2[0]), Limit(nodes=20_000)
    whole = solve(instance, Beam(estimate="manhattan", width=400), limit)
    sizes, enlarged = [], beam_module.enlarged
    monkeypatch.setattr(beam_module, "FIRST_HASHES", 16)
    monkeypatch.setattr(
        beam_module, "enlarged", lambda record, room: sizes.append(len(record.seen_hashes)) or enlarged(record, room)
    )
    grown = solve(instance, Beam(estimate="manhattan", width=400), limit)
    assert sizes[0] == 16
    assert len(sizes) > 8
    assert (grown.moves, grown.expanded, grown.generated) == (whole.moves, whole.expanded, whole.generated)


def test_a_wide_beam_reserves_few_hashes_at_first():
    rules = FIFTEEN.view(KernelRules)
    estimate = FIFTEEN.view(Estimates).estimate("manhattan")
    record = beam_module.machine(FIFTEEN.read(KORF_2[0]), estimate, rules, 1 << 20, 80).record
    assert record.seen_hashes.nbytes <= 1 << 23


@pytest.mark.parametrize(
    "estimate", [pytest.param("misplaced", marks=SLOW), "conflicts", pytest.param("exact", marks=SLOW)]
)
def test_estimates_of_every_kind_lead_to_solutions(estimate):
    check_solver(Beam(estimate=estimate, width=50), [(board(distance), distance) for distance in (1, 9, 16, 25)])
    assert solve(board(25), Beam(estimate=estimate, width=50)).moves is not None


@pytest.mark.parametrize("estimate", [TRUE, pytest.param("exact", marks=SLOW)], ids=str)
def test_the_true_distance_leads_even_a_beam_of_one_straight_to_the_goal(estimate):
    for distance in (1, 13, 31):
        result = solve(board(distance), Beam(estimate=estimate, width=1))
        assert (result.length, result.expanded) == (distance, distance)
        assert result.proof == "optimal" or estimate == TRUE  # scores from outside bound the length of nothing at first


def test_a_beam_that_drops_nothing_proves_its_solution_optimal():
    for distance in (5, 20, 31):
        result = solve(board(distance), Beam(estimate="manhattan", width=200_000))
        assert (result.length, result.proof, result.lower_bound) == (distance, "optimal", distance)


def test_without_a_width_it_goes_on_until_its_answer_is_proven():
    for text in FARTHEST:
        result = solve(TILES.read(text), Beam(estimate="manhattan"))
        assert (result.length, result.proof, result.stop) == (31, "optimal", "done")


def test_results_get_better_as_the_beam_gets_wider():
    seen = list(attempts(FIFTEEN.read(KORF_2[0]), Beam(estimate="manhattan"), Limit(nodes=400_000)))
    found = [attempt for attempt in seen if isinstance(attempt, Result) and attempt.moves is not None]
    improved = [result for before, result in pairwise([None, *found]) if before is None or result.moves != before.moves]
    lengths = [result.length for result in improved]
    assert len(lengths) >= 2
    assert all(shorter < longer for longer, shorter in pairwise(lengths))
    assert lengths[-1] >= KORF_2[1]
    assert all(result.lower_bound <= KORF_2[1] for result in found)
    assert seen[-1].stop == "nodes"
    assert seen[-1].expanded <= 400_000
    assert [attempt.expanded for attempt in seen] == sorted(attempt.expanded for attempt in seen)


@pytest.mark.parametrize("nodes", [1, 63, 64, 1_000, 12_345])
def test_the_limit_of_nodes_counts_all_widths_together(nodes):
    result = solve(FIFTEEN.read(KORF_2[0]), Beam(estimate="manhattan"), Limit(nodes=nodes))
    assert result.expanded <= nodes
    assert result.expanded == nodes or result.moves is not None
    assert result.stop == "nodes"


@pytest.mark.parametrize("left", [Limit(), Limit(seconds=90.0), Limit(nodes=90_000), Limit(seconds=9.0, nodes=90_000)])
def test_the_last_width_takes_what_is_left_of_a_limit(left):
    before, after = Result(None, expanded=5_000, seconds=1.0), Result((0,) * 9, expanded=8_000, seconds=4.0)
    expected = {(None, None): 128, (9.0, 90_000): 64 * 3 // 2, (90.0, None): 256, (None, 90_000): 256}
    assert wider(64, before, after, left, 0.5) == expected[left.seconds, left.nodes]
    assert wider(64, before, replace(after, moves=None), left, 0.5) == 128
    assert wider(MAX_WIDTH, before, after, Limit(), 0.5) == MAX_WIDTH
    assert wider(64, before, after, Limit(seconds=3.0), 1.0) == 0
    assert passes_left(before, after, Limit(seconds=3.0, nodes=90_000)) == (1.0, "time")
    assert passes_left(before, after, Limit(seconds=90.0, nodes=3_000)) == (1.0, "nodes")


@pytest.mark.parametrize("room", [1, 700, 5_000, 20_000])
def test_layers_get_narrower_so_that_the_last_one_is_reached(room):
    """A search expands its room, or one state of each layer, however wide it began."""
    instance, rules = FIFTEEN.read(KORF_2[0]), rules_of(FIFTEEN.read(KORF_2[0]))
    estimate = replace(FIFTEEN.view(Estimates).estimate("misplaced"), admissible=False)
    search = machine(instance, estimate, rules, 1_000, 60)
    search.control.room = room
    list(drive(search, Limit(), estimate, rules))
    assert search.control.length == -1
    assert search.control.depth == 59
    assert 0.9 * room <= search.control.expanded <= max(room, 60)


def test_the_last_pass_uses_up_the_limit():
    result = solve(FIFTEEN.read(KORF_2[0]), Beam(estimate="manhattan"), Limit(nodes=100_000))
    assert 85_000 < result.expanded <= 100_000


def test_a_narrow_beam_may_end_without_an_answer_and_does_not_call_that_a_proof():
    results = [solve(board(distance, seed=5), Beam(estimate="manhattan", width=1)) for distance in range(16, 31)]
    lost = [result for result in results if result.moves is None]
    assert lost
    assert {(result.proof, result.stop) for result in lost} == {("none", "dead end")}
    assert all("seen before" in result.reason for result in lost)


def test_a_state_is_kept_once():
    result = solve(TILES.read(FARTHEST[0]), Beam(estimate="manhattan", width=200_000))
    assert result.expanded <= 181_440


def test_scores_that_differ_by_very_little_are_told_apart():
    for scale in (1e-3, 1.0, 1e5):
        slight = Estimate("slight", admissible=False, scores=lambda states: 40 + scale * distances(states))  # noqa: B023
        result = solve(board(25), Beam(estimate=slight, width=1))
        assert (result.length, result.expanded) == (25, 25)


def test_the_least_are_found_exactly():
    random = np.random.default_rng(0)
    for values in (random.exponential(3.0, 900), random.integers(0, 4, 900), np.zeros(900), random.random(900) * 1e30):
        value = values.astype(np.float32)
        for width in (1, 2, 50, 449, 899):
            threshold, ties = threshold_exact(
                value.view(np.int32), 100, 800, min(width, 799), np.empty(1 << 16, np.int64)
            )
            ordered = np.sort(value[100:900].view(np.int32))
            assert threshold == ordered[min(width, 799)]
            assert ties == min(width, 799) - np.count_nonzero(ordered < threshold)


# --- a prior ----------------------------------------------------------------------------------------------------------


def far(states):
    """Something like a distance, of boards `[B, 9]`."""
    return 2.0 * misplaced(states) + (states[:, :3] != [1, 2, 3]).sum(axis=1)


@pytest.mark.parametrize("beside", [None, "outside", pytest.param("kernel", marks=SLOW)])
@pytest.mark.parametrize("width", [1, 10, 1_000, 200_000])
def test_a_prior_keeps_the_promises_of_a_solver(toy, width, beside):
    prior = toy(TILES, far).prior()
    estimate = {None: None, "outside": toy(TILES, far).estimate(), "kernel": "exact"}[beside]
    boards = [(board(distance), distance) for distance in (0, 1, 2, 9, 14)]
    limit = Limit(nodes=2_000 if width < 1_000 else 500)
    check_solver(Beam(prior=prior, estimate=estimate, width=width), boards, limit)


@pytest.mark.parametrize("rules", ["plain", pytest.param("kernels", marks=SLOW)])
def test_a_beam_of_one_plays_like_the_prior(toy, bare, rules):
    prior = toy(load("dust-4x3x3"), lambda states: (states > 0).sum(axis=1)).prior()
    for start in random_dust(6):
        start = Instance(bare(start.puzzle), start.state) if rules == "plain" else start
        played, searched = solve(start, Greedy(prior=prior)), solve(start, Beam(prior=prior, width=1))
        assert (searched.moves, searched.evaluations) == (played.moves, played.evaluations)


def test_a_prior_is_asked_once_for_each_layer(toy):
    network = toy(TILES, far)
    result = solve(board(20), Beam(prior=network.prior(), width=30))
    assert result.length >= 20
    assert len(network.asked) == result.length
    assert max(network.asked) == 30


def test_what_goes_on_has_the_most_probable_moves_behind_it(toy):
    prior, width, most = toy(TILES, far).prior(), 6, 12
    start, layer = board(25), {board(25).state.tobytes(): (0.0, board(25).state)}
    seen = set(layer)
    for _ in range(most):
        after = {}
        for cost, state in layer.values():
            for move in np.flatnonzero(TILES.legal(state)).tolist():
                child = TILES.apply(state, move)
                total = cost - prior.scores(state[None])[0, move]
                if child.tobytes() not in seen and total < after.get(child.tobytes(), (np.inf,))[0]:
                    after[child.tobytes()] = total, child
        layer = dict(sorted(after.items(), key=lambda each: each[1][0])[:width])
        seen |= set(layer)
    guide, rules = _layers.Guide(None, prior), TILES.view(KernelRules)
    limit = Limit(nodes=1 + sum([3, *[width] * (most - 2)]))
    search = _layers.machine(start, guide, rules, Limit(), ("none", "", "done"), width)
    list(_layers.drive(search, start, guide, rules, limit))
    nodes, last = search.record.nodes, search.record.control.last
    rows = [row for row in range(last) if len(path_to(nodes.parent, nodes.move, row)) == most]
    assert {state.tobytes() for state in rules.decode(unpacked(rules, nodes.keys[rows]))} == set(layer)


def test_a_prior_and_an_estimate_are_added(toy):
    network = toy(TILES, far)
    alone = [solve(board(distance), Beam(prior=network.prior(), width=20)) for distance in (20, 25, 31)]
    both = [solve(board(distance), Beam(prior=network.prior(), estimate=TRUE, width=20)) for distance in (20, 25, 31)]
    assert [result.length for result in both] == [20, 25, 31]
    assert sum(result.length for result in alone) > 76


def test_without_a_width_a_prior_goes_on_until_its_answer_is_proven(toy):
    result = solve(board(13), Beam(prior=toy(TILES, far).prior()))
    assert (result.length, result.proof, result.stop) == (13, "optimal", "done")


def test_a_prior_needs_no_estimate_and_leaves_none_to_the_puzzle(toy, corridor):
    puzzle = corridor(9)
    prior = toy(puzzle, lambda states: states[:, 0]).prior()
    assert solve(puzzle.read("6"), Beam(prior=prior, width=1)).length == 6
    assert Beam(prior=prior).options_for(TILES)["estimate"] is None
    assert Beam().options_for(TILES)["estimate"] == TILES.view(Estimates).estimate().name


def test_a_prior_whose_memory_is_used_up_says_so(toy, monkeypatch):
    solver = Beam(prior=toy(TILES, far).prior(), width=50)
    monkeypatch.setattr(_layers, "reserved", lambda size, limit: 400)
    result = solve(board(31), solver)
    assert (result.moves, result.proof, result.stop) == (None, "none", "memory")


def test_an_inadmissible_estimate_proves_only_what_a_full_search_proves():
    wrong = Estimate("wrong", admissible=False, scores=lambda states: 31.0 - misplaced(states))
    check_solver(
        Beam(estimate=wrong, width=20), [(board(distance), distance) for distance in (0, 1, 9)], Limit(nodes=500)
    )
    backwards = Estimate("backwards", admissible=False, scores=lambda states: states[:, 0].astype(float))
    result = solve(board(18, "tiles-2x3"), Beam(estimate=backwards))
    assert (result.length, result.proof) == (18, "optimal")


# --- dust: a puzzle whose moves cannot be undone, and whose usual estimate is no lower bound -------------------------

DUST = load("dust-8x6x5")
LONG = (
    ("524151313145421532131331252545142334342135135152", 14),
    ("313431341333544343413523315113211533511355531251", 10),
    ("213142153525525515322423344554343352111314531222", 11),
)
"""Boards of 8x6x5 with their proven optima."""


def dust(count, name="dust-4x3x3"):
    """Random full boards with their optima, found by breadth-first search."""
    return [(board, solve(board, "bfs").length) for board in random_dust(count, name)]


@pytest.mark.slow
def test_even_a_bad_estimate_of_dust_clears_boards():
    check_solver(Beam(estimate="cells-largest", width=20), dust(6))


@pytest.mark.parametrize("width", [1, 10, 10_000])
def test_dust_boards_at_every_width(width):
    boards = [*dust(6), *dust(3, "dust-5x3x4"), (load("dust-4x3x3").read("." * 12), 0)]
    check_solver(Beam(width=width), boards)
    lengths = [solve(board, Beam(width=width)).length for board, _ in boards]
    assert width < 10_000 or lengths == [optimum for _, optimum in boards]


def test_a_beam_over_dust_that_drops_nothing_proves_its_answer_all_the_same():
    results = [(solve(board, Beam(width=10_000)), optimum) for board, optimum in dust(10)]
    assert [(result.length, result.proof) for result, _ in results] == [(optimum, "optimal") for _, optimum in results]


def test_a_widening_beam_proves_the_optimum_of_dust_by_a_lower_bound():
    results = [(solve(board, Beam(first_width=1, estimate="colours")), optimum) for board, optimum in dust(10)]
    assert [(result.length, result.proof) for result, _ in results] == [(optimum, "optimal") for _, optimum in results]


def test_a_beam_of_a_thousand_is_near_the_optimum_of_dust():
    for text, optimum in LONG:
        narrow, wide = (solve(DUST.read(text), Beam(width=width)) for width in (1, 1_000))
        assert optimum <= wide.length <= optimum + 1
        assert wide.length <= narrow.length
        assert wide.proof == "none"


def test_a_narrow_beam_that_wanders_gives_way_to_a_wider_one():
    """A beam of 256 states comes to a solution of 14,390 moves after 3.7 million states, one of 512 to 844 moves."""
    tiles = (
        "27 4 48 14 24 2 38 46 44 37 20 12 5 42 0 13 22 10 16 7 21 40 26 23 31 41 8 6 15 25 29 18 43 36 28 19 1 35 11 "
        "3 32 47 9 39 34 30 33 17 45"
    )
    board = load("tiles-7x7").read(tiles)
    result = solve(board, Beam(first_width=256, estimate="conflicts"), Limit(nodes=1_200_000))
    assert result.length is not None
    assert result.length < 2000


# --- with a memory ---


@pytest.mark.parametrize("options", [{"width": 20}, {}, {"width": 10, "estimate": TRUE}], ids=str)
def test_a_beam_with_a_memory_has_the_same_results(options):
    boards = [board(distance, name) for name in ("tiles-3x3", "tiles-2x3") for distance in (9, 20, 0, 14)]
    boards = [each for each in boards if each.puzzle == TILES or "estimate" not in options]
    remembering = Beam(**options).with_memory()
    for each in boards:
        for limit in (Limit(nodes=30), Limit(nodes=2000)):
            with_and_without = [solve(each, solver, limit) for solver in (remembering, Beam(**options))]
            one, other = (replace(result, seconds=0.0) for result in with_and_without)
            assert one == other


def test_a_beam_begins_with_the_solution_of_another_solver_and_shortens_it():
    puzzle = load("tiles-4x4")
    start = puzzle.read(KORF_2[0])
    first = solve(start, "lines")
    seen = list(attempts(start, Beam(first="lines", estimate="manhattan"), Limit(nodes=50_000)))
    found = [attempt for attempt in seen if isinstance(attempt, Result) and attempt.moves is not None]
    assert found[0].moves == first.moves
    assert found[-1].length < first.length
    with pytest.raises(UnknownName, match="lnes"):
        Beam(first="lnes")

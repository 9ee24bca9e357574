"""Teachers: what they say of a position is true, and one seed gives one stream."""

import threading
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from sample_folders import samples_in

from puzzlelab import BadOption, Limit, PuzzlelabError, UnknownName, Unsupported, load
from puzzlelab.core import registry
from puzzlelab.core.result import Result
from puzzlelab.core.solver import SolverSettings
from puzzlelab.core.views import Estimate, KernelRules, Prior
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.fast_rollouts import fast_rollouts
from puzzlelab.experience.rollouts import rollouts
from puzzlelab.experience.schema import joined
from puzzlelab.experience.teachers import Teacher, samples_of, teach
from puzzlelab.puzzles.tiles import exact_distances_kernels
from puzzlelab.solvers.beam import Beam

pytest.importorskip("pyarrow")

EIGHT = load("tiles-3x3")
BEAM = registry.solver("beam", EIGHT, width=20, estimate="manhattan")
NARROW = Beam(width=1, estimate="manhattan")
"""Finds no solution of many boards."""
ASKED = Estimate("asked", admissible=False, scores=lambda states: (states != EIGHT.goals()[0]).sum(axis=1))

EVEN = Prior("even", scores=lambda states: np.full((len(states), 4), -1.0))


def taken(teacher, games, jobs=1):
    """The samples of so many games, or a few more."""
    parts, end = [], 0
    stream = samples_of(teacher, ThisProcess(jobs))
    while end < games:
        samples, end = next(stream)
        parts.append(samples)
    stream.close()
    return joined(parts)


def equal(a, b):
    return all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("game", "state", "moves", "remaining", "proven")
    )


def distance(states):
    """The true distance of boards of the 8-puzzle."""
    rules = EIGHT.view(KernelRules)
    table = exact_distances_kernels.distances(EIGHT).distance
    return np.array([table[exact_distances_kernels.rank_of(working)] for working in rules.encode(states)])


def games_of(samples):
    for game in np.unique(samples.game):
        rows = samples.game == game
        yield samples.state[rows], samples.masks(4)[rows], samples.remaining[rows], samples.proven[rows]


# --- the moves that a solver chose ---


def slowly(teacher, end):
    """The samples of the games before number `end`, one game at a time by the plain rules."""
    return rollouts(teacher, 0, end, threading.Event())


NEAR = {"scale": "distance", "levels": (5,)}
"""Boards that are solved at once."""


@pytest.mark.parametrize(
    ("puzzle", "solver", "options"),
    [
        ("tiles-3x3", BEAM, {}),
        ("tiles-3x3", registry.solver("ida", EIGHT), {"branches": 3}),
        ("tiles-3x3", NARROW, {"branches": 3}),  # games without a solution
        ("tiles-3x3", Beam(width=3, estimate=ASKED), NEAR),
        ("tiles-3x3", Beam(width=3, prior=EVEN), {**NEAR, "limit": Limit(nodes=1_000)}),
        ("tiles-3x3", registry.solver("astar", EIGHT), {"limit": Limit(nodes=1_000)}),
        ("dust-4x4x3", Beam(width=5), {"branches": 2}),
    ],
)
def test_the_fast_way_says_what_the_solver_says(puzzle, solver, options):
    teacher = Teacher(load(puzzle), solver, **options)
    assert fast_rollouts(teacher)
    assert fast_rollouts(replace(teacher, targets="optimal")) is None
    fast = teacher.games(0, 40)
    assert len(fast) > 50
    assert equal(fast, slowly(teacher, 40))


@pytest.mark.parametrize("name", ["beam", "ida"])
def test_what_is_called_proven_is_true(name):
    samples = taken(Teacher(EIGHT, BEAM if name == "beam" else registry.solver(name, EIGHT)), 8)
    true = distance(samples.state)
    assert (samples.remaining >= true).all()
    assert (samples.remaining[samples.proven] == true[samples.proven]).all()
    assert samples.proven.all() == (name == "ida")


@pytest.mark.slow
def test_what_the_true_distance_leads_to_is_proven():
    wide = taken(Teacher(EIGHT, Beam(width=20, estimate="exact")), 200)
    assert wide.proven.all()
    assert np.array_equal(wide.remaining, distance(wide.state))


class Wrong(SolverSettings):
    """Always answers the same."""

    name: ClassVar[str] = "wrong"

    def attempts(self, instance, limit):
        yield Result((0, 1, 0))


def test_a_solution_that_does_not_hold_is_not_written():
    teacher = Teacher(EIGHT, Wrong())
    fast = fast_rollouts(teacher)
    for first in (0, 1000):  # some are replayed by the plain rules too
        with pytest.raises(PuzzlelabError, match="wrong gave a wrong answer for "):
            fast.play(first, first + 4, threading.Event())


# --- all optimal moves -----------------------------------------------------------------------------------------------


def test_an_exact_teacher_gives_all_optimal_moves_and_the_true_distance():
    samples = taken(Teacher(EIGHT, registry.solver("ida", EIGHT), targets="optimal"), 20)
    assert samples.proven.all()
    assert np.array_equal(samples.remaining, distance(samples.state))
    masks = samples.masks(4)
    for state, mask, remaining in zip(samples.state, masks, samples.remaining, strict=True):
        best = [
            bool(legal) and int(distance(EIGHT.apply(state, move)[None])[0]) == remaining - 1
            for move, legal in enumerate(EIGHT.legal(state))
        ]
        assert mask.tolist() == best
    assert (masks.sum(axis=1) > 1).any()


def test_what_an_exact_teacher_did_not_prove_in_time_is_not_called_proven():
    slow = registry.solver("beam", EIGHT, estimate="manhattan")
    samples = taken(Teacher(EIGHT, slow, targets="optimal", limit=Limit(nodes=6_000)), 10)
    assert samples.proven.any()
    assert not samples.proven.all()
    true = distance(samples.state)
    assert (samples.remaining >= true).all()
    assert (samples.remaining[samples.proven] == true[samples.proven]).all()


def test_an_exact_teacher_remembers_within_a_game(corridor):
    memories = []

    class Remembering(SolverSettings):
        name: ClassVar[str] = "remembering"

        def attempts(self, instance, limit):
            raise AssertionError("only the memory is asked")

        def with_memory(self):
            memories.append(registry.solver("ida", EIGHT))
            return memories[-1]

    samples = taken(Teacher(EIGHT, Remembering(), targets="optimal"), 4)
    assert len(memories) == len(np.unique(samples.game))


# --- branches ---------------------------------------------------------------------------------------------------------


def solutions_of(samples):
    """The solutions of each game, the game's own first: lists of (game, states, masks, remaining)."""
    ends = np.flatnonzero(samples.remaining == 1) + 1
    masks = samples.masks(4)
    for first, end in zip([0, *ends[:-1]], ends, strict=True):
        assert len(set(samples.game[first:end])) == 1
        yield int(samples.game[first]), samples.state[first:end], masks[first:end], samples.remaining[first:end]


@pytest.mark.parametrize(
    ("solver", "exact"),
    [(BEAM, False), (registry.solver("astar", EIGHT), False), (registry.solver("ida", EIGHT), True)],
)
def test_detours_branch_off_the_solution_of_their_game(solver, exact):
    found = {}
    for game, states, masks, remaining in solutions_of(
        taken(Teacher(EIGHT, solver, "optimal" if exact else "chosen", branches=2), 12)
    ):
        assert remaining.tolist() == list(range(len(states), 0, -1))
        assert exact or (masks.sum(axis=1) == 1).all()
        for state, mask, following in zip(states, masks, states[1:], strict=False):
            assert any(np.array_equal(EIGHT.apply(state, int(move)), following) for move in np.flatnonzero(mask))
        assert any(EIGHT.solved(EIGHT.apply(states[-1], int(move))) for move in np.flatnonzero(masks[-1]))
        found.setdefault(game, []).append(states)
    for game, (own, *branches) in found.items():
        assert np.array_equal(own[0], Teacher(EIGHT, solver).board(game))
        assert len(branches) == 2
        near = {EIGHT.apply(state, int(move)).tobytes() for state in own for move in np.flatnonzero(EIGHT.legal(state))}
        assert all(states[0].tobytes() in near for states in branches)


def test_detours_begin_everywhere_and_with_every_move():
    """Of boards at 9 moves from the goal: each position of the solution, and moves to and from the goal, are drawn."""
    off, away = set(), 0
    teacher = Teacher(EIGHT, registry.solver("ida", EIGHT), scale="distance", levels=(9,), branches=4)
    for _, states, _, _ in solutions_of(taken(teacher, 200)):
        if len(states) != 9:
            off.add(len(states))
            away += len(states) == 10
    assert off == {1, 2, 3, 4, 5, 6, 7, 8, 10}
    assert away > 20


def test_a_solved_state_is_no_detour():
    teacher = Teacher(EIGHT, BEAM, scale="distance", levels=(1,), branches=3)
    for samples in (taken(teacher, 40), slowly(teacher, 40)):
        assert len(samples)
        assert not any(EIGHT.solved(state) for state in samples.state)
        assert set(samples.remaining.tolist()) == {1, 2}
        assert all(len(rows) == 7 for rows in np.split(samples.remaining[:280], 40))  # 1, and 2 1 three times


def test_detours_are_part_of_the_settings():
    assert Teacher(EIGHT, BEAM, branches=2).settings()["branches"] == 2
    assert Teacher(EIGHT, BEAM).settings()["branches"] == 0
    with pytest.raises(BadOption, match="a game has 0 branches or more, not -1"):
        Teacher(EIGHT, BEAM, branches=-1)


# --- one stream ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("solver", "exact", "branches"), [("beam", False, 2), ("ida", True, 2)])
def test_the_stream_does_not_depend_on_the_jobs(solver, exact, branches):
    chosen = BEAM if solver == "beam" else registry.solver("ida", EIGHT)
    teacher = Teacher(EIGHT, chosen, "optimal" if exact else "chosen", branches=branches)
    assert equal(taken(teacher, 8, jobs=1), taken(teacher, 8, jobs=3))


def test_games_by_their_numbers():
    teacher = Teacher(EIGHT, BEAM, branches=1)
    whole = taken(teacher, 80)
    for first, end in ((0, 1), (3, 4), (5, 80), (50, 70)):
        among = (whole.game >= first) & (whole.game < end)
        for jobs in (1, 3):
            assert equal(teacher.games(first, end, jobs), whole.at(np.flatnonzero(among)))


def test_a_stream_can_be_entered_anywhere():
    teacher = Teacher(EIGHT, BEAM, seed=2)
    whole, (late, end) = taken(teacher, 80), next(samples_of(teacher, ThisProcess(), 37))
    part = whole.rows(int(np.searchsorted(whole.game, 37)), int(np.searchsorted(whole.game, min(end, 80))))
    assert equal(late.rows(0, len(part)), part)


def test_scales_and_levels():
    teacher = Teacher(EIGHT, BEAM, scale="distance", levels=(3, 7))
    samples = taken(teacher, 20)
    firsts = [int(remaining[0]) for _, _, remaining, _ in games_of(samples)]
    assert firsts[:6] == [3, 7, 3, 7, 3, 7]
    assert Teacher(EIGHT, BEAM).scale == "uniform"
    with pytest.raises(UnknownName, match="scale of tiles-3x3"):
        Teacher(EIGHT, BEAM, scale="heat")


def test_puzzles_that_cannot_be_taught():
    sudoku = load("sudoku-9x9")
    with pytest.raises(Unsupported, match="every solution of sudoku-9x9 has as many moves"):
        Teacher(sudoku, registry.solver(None, sudoku))


def test_a_puzzle_without_boards_of_its_own(corridor):
    with pytest.raises(Unsupported, match="cannot make new boards"):
        Teacher(corridor(), registry.solver("bfs"))


def test_a_folder_is_filled_and_told_of(tmp_path):
    told = []
    teacher = Teacher(EIGHT, BEAM)
    shards = teach(teacher, tmp_path, 900, 300, ThisProcess(2), progress=told.append)
    assert told[0] == 0
    assert told[-1] == shards.rows >= 900
    assert equal(samples_in(tmp_path), taken(teacher, shards.games).rows(0, shards.rows))


def test_a_stop_keeps_what_is_complete_and_the_next_call_goes_on(tmp_path):
    teacher = Teacher(EIGHT, BEAM)

    def stop(rows):
        if rows > 1_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        teach(teacher, tmp_path / "a", 3_000, 500, ThisProcess(2), progress=stop)
    kept = len(samples_in(tmp_path / "a"))
    assert 1_000 < kept < 3_000
    for folder in ("a", "b"):
        teach(teacher, tmp_path / folder, 3_000, 500, ThisProcess(2))
    assert [path.read_bytes() for path in sorted((tmp_path / "a").iterdir())] == [
        path.read_bytes() for path in sorted((tmp_path / "b").iterdir())
    ]


def test_a_teacher_that_solves_nothing_gives_up(tmp_path, monkeypatch):
    from puzzlelab.experience import teachers

    monkeypatch.setattr(teachers, "MAX_EMPTY_GAMES", 40)
    hopeless = Teacher(EIGHT, registry.solver("ida", EIGHT), scale="distance", levels=(30,), limit=Limit(nodes=1))
    with pytest.raises(BadOption, match="64 boards in a row gave no sample: .* ida with these options solves none"):
        teach(hopeless, tmp_path, 100, 100, ThisProcess())

"""Solutions replayed many at once: the same verdicts as the plain rules, one by one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab import load
from puzzlelab.core.boards import Instance
from puzzlelab.core.verify import replay
from puzzlelab.core.views import Reversible, Samples
from puzzlelab.engine import batch_verify

NAMES = ("tiles-2x3", "tiles-3x3", "dust-4x3x3", "dust-3x3x2")


def game(puzzle, random):
    """A board with moves that solve it."""
    reversible = puzzle.view(Reversible)
    if reversible is None:
        board = puzzle.view(Samples).scales["uniform"].sample(random, None, 1)[0]
        return board, forwards(puzzle, board, random)
    state, moves = reversible.goals()[0], []
    for _ in range(random.integers(12)):
        move = int(random.choice(np.flatnonzero(puzzle.legal(state))))
        state = puzzle.apply(state, move)
        moves.append(reversible.inverse(move))
    return state, moves[::-1]


def forwards(puzzle, state, random):
    moves = []
    while not puzzle.solved(state):
        moves.append(int(random.choice(np.flatnonzero(puzzle.legal(state)))))
        state = puzzle.apply(state, moves[-1])
    return moves


def spoiled(puzzle, moves, random):
    """The moves as they are, or with one too few, one too many, or another one."""
    kind, place = random.integers(4), int(random.integers(len(moves) + 1))
    other = [int(random.integers(puzzle.move_count))]
    return [moves, moves[:place] + moves[place + 1 :], moves[:place] + other + moves[place:], None][kind]


def plainly(puzzle, states, solutions):
    """What the plain rules say of them."""
    for place, (state, moves) in enumerate(zip(states, solutions, strict=True)):
        if moves is not None and not replay(Instance(puzzle, state), moves).holds:
            return place, replay(Instance(puzzle, state), moves).reason
    return None


@settings(max_examples=60)
@given(name=st.sampled_from(NAMES), seed=st.integers(0, 2**32), spoil=st.booleans())
def test_the_verdict_is_that_of_the_plain_rules(name, seed, spoil):
    puzzle, random = load(name), np.random.default_rng(seed)
    games = [game(puzzle, random) for _ in range(8)]
    states = np.array([state for state, _ in games])
    solutions = [spoiled(puzzle, moves, random) if spoil else moves for _, moves in games]
    assert batch_verify.wrong(puzzle, states, solutions) == plainly(puzzle, states, solutions)


def test_a_board_without_moves_must_be_solved_and_one_without_a_solution_need_not():
    puzzle = load("tiles-3x3")
    solved, other = puzzle.view(Reversible).goals()[0], puzzle.read("1 2 3 4 5 6 7 0 8").state
    assert batch_verify.wrong(puzzle, np.array([solved, other]), [(), None]) is None
    fault = batch_verify.wrong(puzzle, np.array([solved, solved, other]), [(), None, ()])
    assert fault == (2, "after all 0 moves the board is 1 2 3 4 5 6 7 0 8, not solved")


def test_the_plain_rules_have_the_last_word_on_a_move_that_is_not_named():
    puzzle = load("dust-3x3x2")
    state = puzzle.read(".RR/.RR/.RR").state
    last = max(np.flatnonzero(state).tolist())
    assert not puzzle.legal(state)[last]
    assert batch_verify.wrong(puzzle, np.array([state, state]), [(last,), (last,)]) is None


def test_one_solution_in_so_many_is_replayed_with_the_plain_rules(monkeypatch):
    puzzle, seen = load("tiles-3x3"), []

    def watched(instance, moves):
        seen.append(tuple(moves))
        return replay(instance, moves)

    monkeypatch.setattr(batch_verify, "replay", watched)
    state = puzzle.read("1 2 3 4 5 6 7 0 8").state
    count = 2 * batch_verify.CHECKED + 1
    assert batch_verify.wrong(puzzle, np.tile(state, (count, 1)), [(2,)] * count) is None
    assert seen == [(2,)] * 3


def test_plain_rules_alone_will_do(corridor):
    puzzle = corridor()
    states = np.array([puzzle.read("5").state, puzzle.read("4").state])
    assert batch_verify.wrong(puzzle, states, [(0,) * 5, (0,) * 4]) is None
    assert batch_verify.wrong(puzzle, states, [(0,) * 5, (0,) * 5]) == (1, "move 5 of 5, <, cannot be made on 0")

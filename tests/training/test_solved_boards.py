"""Supervised learning from solved boards: the recipes learn, one seed is one run, and what is ended goes on."""

import numpy as np
import pytest
from run_lines import untimed
from safetensors.numpy import load_file

pytest.importorskip("torch")

from puzzlelab import load, solve
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.core.views import Candidates
from puzzlelab.engine.candidate_logits import known
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.engine.solving import solve_all
from puzzlelab.nets import checkpoint
from puzzlelab.puzzles.sudoku import generate
from puzzlelab.solvers.lattice import Lattice
from puzzlelab.training import recipe, solved_boards
from puzzlelab.training.recipes import cnn, lattice
from puzzlelab.training.runs import Run
from puzzlelab.training.solved_boards import BoardPool, BoardSource, boards_of_run, new_parts

FOUR, NINE = load("sudoku-4x4"), load("sudoku-9x9")
CONFIGS = {
    "lattice": {
        "puzzle": "sudoku-4x4",
        "network": {"kind": "lattice", "width": 8, "rounds": 3},
        "threshold": 0.1,
        "loss_rounds": 2,
    },
    "cnn": {"puzzle": "sudoku-4x4", "network": {"kind": "lattice", "reads": "digits", "width": 8, "rounds": 3}},
}
LEARNING = {
    "steps": 30,
    "batch_size": 16,
    "learning_rate": 0.02,
    "warmup": 5,
    "precision": "float32",
    "save_seconds": 1000.0,
    "ema": 0.9,
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Boards of 4x4 with one solution each, dug out of random grids."""
    random, lines = np.random.default_rng(0), []
    while len(lines) < 40:
        cells, digits = FOUR.view(Candidates).random_symmetry(random)
        grid = (digits + 1)[FOUR.read("1234341221434321").state[cells] - 1].astype(np.uint8)
        for cell in random.permutation(16)[: random.integers(4, 11)]:
            kept, grid[cell] = grid[cell], 0
            if solve(FOUR.read(FOUR.write(grid)), "backtracking").proof != "unique":
                grid[cell] = kept
        lines.append(FOUR.write(grid))
    path = tmp_path_factory.mktemp("boards") / "four.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def digits_of(file):
    """`digits_of("lattice", "learning.steps=5", ...)`: the settings of a small run of a recipe, changed."""

    def make(name, *changes):
        values = {
            **CONFIGS[name],
            "seed": 5,
            "boards": [{"file": str(file), "count": 40}],
            "learning": LEARNING,
            "evaluation": {"every": 10, "boards": 0},
        }
        return recipe.settings_of(name, values, changes)

    return make


ATTENTION = '{"kind": "attention", "width": 8, "depth": 1, "parts": 2, "inner": 8, "loops": 2}'


@pytest.mark.parametrize(("network", "times"), [(None, "rounds"), (ATTENTION, "loops")])
def test_a_training_that_begins_with_a_network_may_apply_its_weights_more_often(
    tmp_path, digits_of, train, network, times
) -> None:
    changes = [f"network={network}"] if network else []
    first = train(tmp_path / "first", digits_of("lattice", "learning.steps=1", *changes))
    longer = Run(tmp_path / "longer")
    longer.begin(digits_of("lattice", *changes, f"network.{times}=5", f"init={first.folder}"))
    begun, trained = load_file(longer.initial), load_file(f"{first.trained()}.safetensors")
    assert begun.keys() == trained.keys()
    assert all(np.array_equal(begun[key], trained[key]) for key in trained)
    with pytest.raises(BadInput, match=r"network\.width is 8 there, not 16"):
        Run(tmp_path / "wider").begin(digits_of("lattice", *changes, "network.width=16", f"init={first.folder}"))


@pytest.mark.parametrize("name", CONFIGS)
def test_a_run_leaves_a_network_that_searches_ask(tmp_path, digits_of, train, file, name) -> None:
    run = train(tmp_path / "run", digits_of(name, "learning.steps=10"))
    model, card = checkpoint.load(run.nets / run.champion.read_text().strip())
    assert (card.recipe, card.puzzle, card.steps) == (name, "sudoku-4x4", 10)
    boards = [FOUR.read(line) for line in file.read_text().split()[:5]]
    for result in solve_all(Lattice(prior=model.prior(), restarts=10), boards, Limit()):
        assert result.evaluations > 0 or result.moves is not None


DOCUMENT = (
    'network={"kind": "convolution", "heads": ["policy"], "policy": "cells", "planes": "scaled", "filters": [8, 8, 16],'
    ' "kernels": [3, 3, 1], "norm": "batch", "width": 0, "initial": "glorot"}',
    "fill_share=1.0",
    "loss_cells=all",
    "augment=false",
)
"""The kind of network and the settings of the document on Sudoku."""


@pytest.mark.parametrize(
    ("name", "changes"), [("lattice", ()), ("cnn", ()), pytest.param("cnn", DOCUMENT, marks=pytest.mark.slow)]
)
def test_one_seed_is_one_run_and_an_ended_run_goes_on(
    tmp_path, digits_of, train, same_runs, stop_at, name, changes
) -> None:
    settings = digits_of(name, *changes, "learning.steps=16", "evaluation.every=8")
    whole = train(tmp_path / "whole", settings)
    for step in (5, 6):
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "parts", settings, stop_at(step))
    same_runs(train(tmp_path / "parts", settings), whole)


@pytest.mark.parametrize("cells", ["blank", "all"])
def test_an_untrained_network_has_the_loss_of_guessing_in_the_cells_that_count(tmp_path, digits_of, cells) -> None:
    """With all logits equal, every cell that counts costs log 4; a filled cell among its own candidate would cost 0."""
    task = cnn.new_task(
        Run(tmp_path), digits_of("cnn", *DOCUMENT[:2], f"loss_cells={cells}"), lambda: None, ThisProcess()
    )
    head = task.learner.model.module.heads.each["policy"]
    head.weight.data.zero_()
    head.bias.data.zero_()
    assert task.step()["loss"] == pytest.approx(np.log(4), abs=1e-5)


def test_wrong_candidates_are_eliminated_and_solved_boards_replaced(tmp_path, digits_of) -> None:
    _, pool = new_parts(Run(tmp_path), digits_of("lattice"), lambda: None)
    taken, certain = pool.taken, np.where(pool.solution_candidates, 9.0, -9.0)
    assert lattice.eliminate(pool, 0.1, certain) == (16, 0)
    assert pool.taken == taken + 16
    assert lattice.eliminate(pool, 0.1, np.where(pool.solution_candidates, -9.0, 9.0)) == (0, 16)


def test_a_share_of_the_blank_cells_is_filled_rounded_up(tmp_path, digits_of) -> None:
    _, pool = new_parts(Run(tmp_path), digits_of("cnn"), lambda: None)
    blank = ~known(pool.candidates)
    count = blank.sum(axis=1)
    assert (count % 2).any()
    cnn.fill(pool, 0.5, np.random.default_rng(0).random(blank.shape), blank)
    left = (~known(pool.candidates)).sum(axis=1)
    assert (left[count > 1] == (count // 2)[count > 1]).all()


def test_the_boards_of_a_run_are_made_once(tmp_path, digits_of, monkeypatch) -> None:
    settings = digits_of("cnn")
    first = boards_of_run(Run(tmp_path), FOUR, settings)
    monkeypatch.setattr(solved_boards, "load_boards", None)
    assert np.array_equal(first, boards_of_run(Run(tmp_path), FOUR, settings))
    (tmp_path / "boards.npz").write_bytes(b"half a file")
    with pytest.raises(BadFile, match=r"boards\.npz is damaged: delete it"):
        boards_of_run(Run(tmp_path), FOUR, settings)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """`made(name, watch)`: the boards of the run of this name, of two sources; their parts have 100 boards or more."""
    monkeypatch.setattr(solved_boards, "BOARDS_OF_PART", 100)
    monkeypatch.setattr(generate, "CHUNK", 40)
    sources = [{"count": 450}, {"count": 90, "generator": {"symmetry": "half-turn"}}]
    values = {**CONFIGS["cnn"], "puzzle": "sudoku-9x9", "boards": sources, "learning": LEARNING}

    def make(name, watch=lambda: None):
        (tmp_path / name).mkdir(exist_ok=True)
        return solved_boards.boards_of_run(Run(tmp_path / name), NINE, recipe.settings_of("cnn", values), watch)

    return make


@pytest.mark.parametrize("damage", [None, b"", b"noise" * 99])
def test_boards_of_a_run_that_is_ended_are_kept(tmp_path, made, stop_at, damage, monkeypatch) -> None:
    whole = made("whole")
    for stop in (5, 3, 9):
        with pytest.raises(KeyboardInterrupt):
            made("parts", stop_at(stop))
        if damage is not None:
            next((tmp_path / "parts" / "boards").glob("*.npz")).write_bytes(damage)
    kept = len(list((tmp_path / "parts" / "boards").iterdir()))
    assert kept >= 2
    assert np.array_equal(whole, made("parts"))
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == ["boards.npz"]


def test_boards_that_were_made_are_not_made_again(made, stop_at, monkeypatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        made("parts", stop_at(9))
    firsts, generated = [], solved_boards._generate
    monkeypatch.setattr(solved_boards, "_generate", lambda *words: (firsts.append(words[-1]), generated(*words))[1])
    made("parts")
    assert firsts == [400, 0]


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("cnn", 'network={"kind": "lattice"}', "this network reads candidates, which this recipe never removes"),
        ("lattice", 'network={"kind": "lattice", "reads": "digits"}', "this network does not read candidates"),
        ("lattice", 'network={"kind": "dense", "heads": ["policy"]}', "this network does not read candidates"),
        ("lattice", "puzzle=tiles-3x3", "tiles-3x3 has no cells that get a digit each"),
        ("cnn", "puzzle=tiles-3x3", "tiles-3x3 has no cells that get a digit each"),
        ("cnn", 'boards=[{"count": 5, "file": "x", "generator": {"minimal": true}}]', "or 'generator', not both"),
    ],
)
def test_settings_that_cannot_be_trained_with_get_a_sentence(digits_of, name, change, words) -> None:
    with pytest.raises(BadInput, match=words):
        recipe.find(name).check(digits_of(name, change))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1...............\n", "line 1: this board does not have exactly one solution"),
        ("123434122143432.\n", "holds 1 boards, not 2"),
        ("123434122143432.\n12343412214343\n", "line 2: 14 cells given"),
        (None, "cannot read .*boards.txt: No such file"),
    ],
)
def test_files_that_cannot_be_learned_from_get_a_sentence(tmp_path, text, words) -> None:
    path = tmp_path / "boards.txt"
    if text is not None:
        path.write_text(text)
    count = 2 if "holds" in words or "line 2" in words else 1
    with pytest.raises(BadInput, match=words):
        solved_boards.load_boards(FOUR, (BoardSource(file=str(path), count=count),), 0, tmp_path)


def test_made_boards_have_their_solutions_beside_them(tmp_path) -> None:
    boards = solved_boards.load_boards(
        NINE,
        (BoardSource(count=20, generator={"minimal": True}), BoardSource(count=10, generator={"level": 2})),
        3,
        tmp_path / "one",
    )
    assert boards.shape == (30, 2, 81)
    clues, solutions = boards[:, 0], boards[:, 1]
    assert all(NINE.solved(state) for state in NINE.written(solutions))
    assert ((clues == solutions) | (clues == -1)).all()
    again = solved_boards.load_boards(NINE, (BoardSource(count=20, generator={"minimal": True}),), 3, tmp_path / "two")
    assert np.array_equal(again, boards[:20])


@pytest.mark.parametrize("augment", [False, True])
def test_the_pool_shows_every_board_once_in_each_round_and_goes_on_where_it_was(tmp_path, augment) -> None:
    boards = solved_boards.load_boards(NINE, (BoardSource(count=12, generator={"level": 3}),), 3, tmp_path)
    pool = BoardPool(NINE, boards, 4, seed=1, augment=augment)
    clues = np.count_nonzero(pool.candidates.sum(axis=2) == 1, axis=1).tolist()
    for _ in range(2):
        pool.replace(np.ones(4, bool))
        clues += np.count_nonzero(pool.candidates.sum(axis=2) == 1, axis=1).tolist()
    assert sorted(clues) == sorted(np.count_nonzero(boards[:, 0] >= 0, axis=1).tolist())
    assert (pool.solution_candidates & ~pool.candidates).sum() == 0
    assert all(NINE.solved(state) for state in NINE.written(pool.solutions))
    tensors, values = pool.state()
    other = BoardPool(NINE, boards, 4, seed=1, augment=augment)
    other.restore(tensors, values)
    for each in (pool, other):
        each.replace(np.array([True, False, True, False]))
    assert np.array_equal(pool.candidates, other.candidates)
    assert np.array_equal(pool.solutions, other.solutions)


def test_what_the_untrained_network_solves_stands_beside_what_the_trained_one_solves(tmp_path, train) -> None:
    """The rules alone fill easy boards, so that a share of 100 % may not mean that anything was learned."""
    values = {
        "puzzle": "sudoku-9x9",
        "network": {"kind": "lattice", "width": 4, "rounds": 1, "reads": "candidates"},
        "boards": [{"count": 4}],
        "learning": {"steps": 2, "batch_size": 2, "precision": "float32"},
        "evaluation": {"every": 1, "boards": 2, "prove_optimum": False, "scale": "clues", "levels": [60]},
    }
    lines = untimed(train(tmp_path / "run", recipe.settings_of("lattice", values)).metrics)
    assert [(line["solved"], line["untrained"]) for line in lines] == [(1.0, 1.0)] * 2

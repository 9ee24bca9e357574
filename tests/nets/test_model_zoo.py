"""A network of another puzzle: it gives the scores of the image of a board, and leads to solutions as long."""

import numpy as np
import pytest

from puzzlelab.analysis.catalog import about
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import load, make_solver
from puzzlelab.core.verify import verify
from puzzlelab.core.views import isomorphism_of
from puzzlelab.engine.network_io import log_probabilities
from puzzlelab.engine.solving import solve
from puzzlelab.nets import model_zoo
from puzzlelab.nets.model_zoo import TransferredNetwork
from puzzlelab.nets.onnx_model import OnnxModel
from puzzlelab.storage import networks
from puzzlelab.web.task_context import solver_of

PUZZLE = "tiles-3x3:blank-first"
FIGURE_6 = "346810752"


@pytest.mark.parametrize("name", ["net", "net:averaged"])
def test_scores_are_those_of_the_image(name: str, states_of) -> None:
    puzzle = load(PUZZLE)
    isomorphism, states = isomorphism_of(puzzle), states_of(load(PUZZLE))
    images = isomorphism.states_of(states)
    assert np.array_equal(
        networks.estimate(puzzle, name).scores(states), networks.estimate(isomorphism.puzzle, name).scores(images)
    )
    scores = networks.prior(puzzle, name).scores(states)
    assert np.array_equal(scores, networks.prior(isomorphism.puzzle, name).scores(images)[:, isomorphism.moves])
    legal = np.array([puzzle.legal(state) for state in states])
    assert np.isfinite(scores[legal]).all()
    guides, remaining = networks.both(puzzle, name), networks.estimate(puzzle, name).scores(states)
    assert np.array_equal(guides.prior.scores(states), scores)
    assert np.array_equal(guides.estimate.scores(states), remaining)
    if guides.both is not None:  # averaged ones are computed separately
        logits, estimates = guides.both(states)
        assert log_probabilities(puzzle, states, logits, sums=True) == pytest.approx(scores)
        assert np.array_equal(estimates, remaining)


@pytest.mark.parametrize(
    "solver",
    [
        ("greedy", {"estimate": "net:tiles-3x3-values"}),
        ("greedy", {"prior": "net:tiles-3x3-dqn", "avoid_repeats": True}),
        ("beam", {"estimate": "net", "width": 8}),
        ("uct", {"playouts": 10}),
    ],
    ids=lambda solver: solver[0],
)
def test_solutions_are_as_long_as_those_of_the_image(solver) -> None:
    puzzle = load(PUZZLE)
    board = puzzle.read(FIGURE_6)
    image = Instance(load("tiles-3x3"), isomorphism_of(puzzle).states_of(board.state[None])[0])
    ours, theirs = (solve(make_solver(*solver), each, Limit()) for each in (board, image))
    assert ours.moves is not None
    assert verify(board, ours).holds
    if solver[0] == "greedy":  # ties between moves are broken by their order, which differs
        assert ours.length == theirs.length


def test_its_hash_and_heads_are_those_of_the_network() -> None:
    ours, theirs = networks.find(load(PUZZLE)), networks.find(load("tiles-3x3"))
    assert (ours.name, ours.heads) == (theirs.name, theirs.heads)
    assert isinstance(ours, TransferredNetwork)


def test_a_network_of_the_puzzle_itself_comes_first(tmp_path, model_of) -> None:
    pytest.importorskip("torch")
    from puzzlelab.nets import checkpoint

    own = model_of(load(PUZZLE), "dense")
    card = checkpoint.save(tmp_path, own)
    found = model_zoo.find(load(PUZZLE), str(tmp_path / card.name))
    assert isinstance(found, OnnxModel)
    with pytest.raises(BadInput, match=f"is for {PUZZLE}, not for tiles-3x3$"):
        model_zoo.find(load("tiles-3x3"), str(tmp_path / card.name))


def test_a_network_of_another_size_is_refused() -> None:
    with pytest.raises(BadInput, match=f"the network tiles-4x4 is for tiles-4x4, not for {PUZZLE}"):
        networks.find(load(PUZZLE), "net:tiles-4x4")


def test_the_cards_are_those_of_the_isomorphic_puzzle() -> None:
    assert list(networks.cards(load(PUZZLE))) == list(networks.cards(load("tiles-3x3")))
    assert next(iter(networks.cards(load(PUZZLE)))) == "tiles-3x3"
    assert not networks.cards(load("tiles-3x3:goal=1,2,3,8,0,4,7,6,5"))


def test_the_facts_of_the_puzzle_name_networks_and_the_solvers_that_use_them() -> None:
    facts = about(load(PUZZLE))
    assert [network["name"] for network in facts["networks"] if network["usual"]] == ["tiles-3x3"]
    assert {"greedy", "uct", "discrepancy"} <= set(facts["solvers"])


def test_networks_of_the_user_are_listed_with_solvers_and_permitted(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv(networks.OWN_SHELF, str(tmp_path))
    puzzle = load("tiles-3x3")
    mine, card = model_zoo.copy_to(tmp_path, str(networks.SHELF / "tiles-3x3-values"))
    assert mine == f"tiles-3x3-values-{card.name[:4]}"  # a network of the package has the name of the file
    facts = about(puzzle)
    assert [each["name"] for each in facts["networks"] if each["own"]] == [mine]
    assert [each["name"] for each in facts["networks"] if each["usual"]] == ["tiles-3x3"]
    assert f"greedy:estimate=net:{mine}" in facts["solvers_by_network"]
    for text in facts["solvers_by_network"]:
        assert solver_of({"solver": text}, puzzle).name == text.split(":")[0]
    greedy = make_solver("greedy", {"estimate": f"net:{mine}"})
    found = solve(greedy, puzzle.read("7 2 4 5 0 6 8 3 1"), Limit())
    assert found.moves is not None


def test_a_network_without_a_card_is_not_offered(tmp_path) -> None:
    path = tmp_path / "alone.onnx"
    path.write_bytes((networks.SHELF / "tiles-3x3.onnx").read_bytes())
    with pytest.raises(BadInput, match=r"alone\.json: there is no such file"):
        model_zoo.copy_to(tmp_path, str(path))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("policy.zip", r"policy\.zip is no network: its name ends neither in \.onnx nor in \.safetensors"),
        ("state-300.safetensors", r"is a saved state, with which training continues, and no network: name "),
        ("absent.zip", r"there is no network '.*'; known are"),
    ],
)
def test_a_file_that_is_no_network_is_told_from_one_that_is_missing(tmp_path, name: str, sentence: str) -> None:
    for present in ("policy.zip", "state-300.safetensors"):
        (tmp_path / present).touch()
    with pytest.raises(BadInput, match=sentence):
        model_zoo.path_of_name(str(tmp_path / name))

"""Solvers that ask networks, as they are typed; in the place of networks stand plain functions."""

import json
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
from typed_boards import ODD, ONE, TWO, rows_of

from puzzlelab import load
from puzzlelab.core.errors import BadInput
from puzzlelab.core.views import Estimate, Prior
from puzzlelab.storage import networks

ROWS = "RGB./RRBG/BGRG"
HASH = "0123456789abcdef"


@dataclass
class Toy:
    """Says what it sees: misplaced tiles, or cells that are left; keeps how many states it was asked about."""

    puzzle: object
    heads: tuple[str, ...]
    asked: list[int] = field(default_factory=list)
    name: str = HASH

    def estimate(self, averaged=False):
        return Estimate("toy", admissible=False, scores=self._scores)

    def _scores(self, states):
        self.asked.append(len(states))
        goal = self.puzzle.goals()[0] if hasattr(self.puzzle, "goals") else np.zeros(states.shape[1])
        return ((states != goal) & (states != 0)).sum(axis=1) / 2

    def prior(self, averaged=False):
        def scores(states):
            self.asked.append(len(states))
            return np.array([self._chances(state) for state in states])

        return Prior("toy", scores)

    def _chances(self, state):
        """The logarithms of chances for the legal moves, each half of the one before, but the last one like it."""
        legal = np.flatnonzero(self.puzzle.legal(state))
        chances = 0.5 ** np.minimum(np.arange(legal.size), max(0, legal.size - 2))
        found = np.full(self.puzzle.move_count, np.nan)
        found[legal] = np.log(chances / chances.sum())
        return found


@pytest.fixture
def network(monkeypatch):
    """Puts a network with these heads in the place of every one but 'nowhere'; returns those that were found."""

    def put(*heads):
        found = {}

        def find(puzzle, name=None):
            if name == "net:nowhere":
                raise BadInput("there is no network 'nowhere'")
            return found.setdefault(name, Toy(puzzle, heads))

        monkeypatch.setattr(networks, "find", find)
        return found

    return put


def boards_of(path):
    """The rows of boards in a file, without the lines that give the time of a batch."""
    return [row for row in rows_of(path.read_text()) if "batch" not in row]


# --- solve ---


@pytest.mark.parametrize(
    ("heads", "option"), [(("policy", "cost_to_go"), "estimate"), (("cost_to_go",), "estimate"), (("policy",), "prior")]
)
def test_a_network_is_asked_what_it_tells(program, network, heads, option):
    network(*heads)
    code, out, err = program("solve", "tiles-3x3", "1 2 0 4 5 3 7 8 6", "--net", "mine", "--json")
    assert (code, err) == (0, "")
    (row,) = rows_of(out)
    assert (row["solver"], row["net"]) == ("greedy", HASH)
    other = "prior" if option == "estimate" else "estimate"
    assert (row["options"][option], row["options"][other]) == ("net:mine", None)
    assert row["evaluations"] > 0


def test_any_solver_with_an_estimate_asks_it(program, network):
    network("cost_to_go")
    _, out, _ = program("solve", "tiles-3x3", TWO, "--with", "astar", "--weight", 2, "--net", "best", "--json")
    (row,) = rows_of(out)
    assert (row["solver"], row["options"]["estimate"], row["options"]["weight"], row["net"]) == (
        "astar",
        "net",
        2,
        HASH,
    )
    assert (row["length"], row["proof"]) == (2, "none")


def test_moves_and_repeats_are_the_solvers_options(program, network):
    network("cost_to_go")
    words = ("solve", "tiles-3x3", "8 6 7 2 5 4 3 0 1", "--net", "x", "--avoid-repeats", "--max-moves", 3)
    code, out, _ = program(*words, "--json")
    (row,) = rows_of(out)
    assert (code, row["options"]["max_moves"], row["options"]["avoid_repeats"]) == (1, 3, True)
    assert row["moves"] is None
    assert "not solved: " in program(*words)[1]


def test_many_boards_are_answered_at_once_and_in_order(program, network, file):
    asked = network("cost_to_go")
    near = ["1 2 3 4 5 0 7 8 6", "1 2 3 4 0 5 7 8 6", "1 2 0 4 5 3 7 8 6", "1 2 3 4 0 6 7 5 8"]
    lines = [TWO, ONE, "1 2 x", ODD, TWO, *near]
    code, out, err = program("solve", "tiles-3x3", "--file", file("\n".join(lines) + "\n"), "--net", "x", "--json")
    rows = rows_of(out)
    assert code == 2
    assert [row["board"] for row in rows] == lines
    assert [row["length"] for row in rows] == [2, 1, None, None, 2, 1, 2, 2, 2]
    assert (rows[2]["error"], rows[3]["proof"]) == ("place 3: 'x' is no number", "unsolvable")
    assert len(err.splitlines()) == 1
    first, *later = asked["net:x"].asked
    assert first > 8
    assert len(later) <= 2


def test_answers_of_a_network_are_kept_and_not_asked_again(program, network, file, tmp_path):
    asked = network("cost_to_go")
    words = ("solve", "tiles-3x3", "--file", file(f"{ONE}\n{TWO}\n"), "--net", "x", "--out", tmp_path / "rows.jsonl")
    code, out, err = program(*words)
    assert (code, err) == (0, "")
    calls = len(asked["net:x"].asked)
    code, again, err = program(*words)
    assert (code, err) == (0, "")
    assert again.rpartition(", ")[0] == out.rpartition(", ")[0]  # boards of a batch have no seconds of their own
    assert len(asked["net:x"].asked) == calls


def test_what_a_network_does_not_predict_is_told_in_a_sentence(program, network):
    network("policy")
    sentence = "error: the network 'x' does not predict how many moves remain, which astar needs\n"
    assert program("solve", "tiles-3x3", ONE, "--net", "x", "--with", "astar") == (2, "", sentence)


# --- solve --show-scores ---


def test_each_cell_shows_the_share_of_its_cluster_and_each_board_the_move(program, network):
    asked = network("policy")
    code, out, err = program("solve", "dust-4x3x3", ROWS, "--net", "x", "--show-scores")
    assert (code, err) == (0, "")
    puzzle = load("dust-4x3x3")
    header, answer, legend, *_ = out.splitlines()
    assert header.startswith("dust-4x3x3 by greedy (moves are 6,1: click column 6")
    assert legend == f"in brackets: per cent, by the network {HASH}"
    blocks = out.split("\n\n")[1:]
    assert len(blocks) == int(answer.split()[0])
    state = puzzle.read(ROWS).state
    for number, block in enumerate(blocks, start=1):
        *drawing, told = block.strip("\n").splitlines()
        assert puzzle.read("\n".join(drawing)).state.tolist() == state.tolist()
        move = puzzle.read_move(re.fullmatch(rf"move {number}: (\S+)", told)[1])
        shown = [int(share) for share in re.findall(r"\( ?(\d+)\)", block)]
        told = np.exp(asked["net:x"].prior().scores(state[None])[0])[puzzle.clusters(state)]
        rows = told.reshape(4, 3).T[::-1][state.reshape(4, 3).T[::-1] != 0]
        assert shown == pytest.approx(100 * rows, abs=0.51)
        state = puzzle.apply(state, move)
    assert puzzle.solved(state)


def test_moves_that_are_no_cells_stand_beside_the_board_the_best_first(program, network):
    network("policy", "cost_to_go")
    code, out, _ = program("solve", "tiles-3x3", TWO, "--with", "ida", "--show-scores")
    assert code == 0
    assert out.split("\n\n")[1:] == [
        "1 2 3   D 50 %  L 50 %\n4 5 6\n. 7 8\nmove 1: L",
        "1 2 3   D 50 %  L 25 %  R 25 %\n4 5 6\n7 . 8\nmove 2: L\n",
    ]


def test_of_many_moves_the_best_are_named(program, network, monkeypatch):
    from puzzlelab.cli import answers

    monkeypatch.setattr(answers, "MOST_MOVES", 2)
    network("policy")
    _, out, _ = program("solve", "tiles-3x3", TWO, "--with", "ida", "--show-scores")
    assert "1 2 3   D 50 %  L 25 %  and 1 more\n" in out


def test_a_network_that_tells_what_remains_gives_the_greater_share_to_what_leads_nearer(program, network):
    network("cost_to_go")
    _, out, _ = program("solve", "tiles-3x3", ONE, "--net", "x", "--show-scores")
    (block,) = out.split("\n\n")[1:]
    shares = {"L": 1.0, "R": np.exp(-1), "D": np.exp(-1)}
    best, other = (round(100 * shares[move] / sum(shares.values())) for move in "LR")
    assert block.splitlines()[0] == f"1 2 3   L {best} %  D {other} %  R {other} %"


def test_a_solved_board_has_no_moves_to_show(program, network):
    network("policy")
    code, out, _ = program("solve", "tiles-3x3", "1 2 3 4 5 6 7 8 0", "--with", "bfs", "--show-scores")
    assert code == 0
    assert out.splitlines()[1:] == [out.splitlines()[1], f"in brackets: per cent, by the network {HASH}"]


# --- bench ---


def test_a_benchmark_gives_the_network_to_those_that_ask_one(program, network, file, tmp_path):
    network("cost_to_go")
    solvers = ("--with", "greedy,greedy:estimate=manhattan:max_moves=5,bfs", "--net", "x", "--max-moves", 20)
    code, out, err = program("bench", file(f"{ONE}\t1\topt\n{TWO}\t2\topt\n"), *solvers, "--out", tmp_path / "out")
    assert (code, err) == (0, "")
    assert "scored" in out
    assert (
        "Limit of moves: 5 for greedy:estimate=manhattan:max_moves=5; 20 for greedy:estimate=net:x:max_moves=20." in out
    )
    assert f"Network: {HASH}; hash of the suite: " in out
    rows = [row for path in (tmp_path / "out").glob("*.jsonl") for row in boards_of(path)]
    labels = {row["solver"]: row["net"] for row in rows}
    assert labels["bfs"] is None


# --- list ---


def test_networks_of_the_package_are_listed_with_their_puzzle(program, tmp_path, monkeypatch):
    card = {"puzzle": "tiles-2x2", "name": HASH, "parameters": 1234, "network": {"heads": ["policy", "cost_to_go"]}}
    shelf = tmp_path / "pretrained"
    shelf.mkdir()
    (shelf / "tiles-2x2.json").write_text(json.dumps(card | {"recipe": "imitation"}))
    (shelf / "dust-8x6x5.json").write_text(json.dumps(card | {"puzzle": "dust-8x6x5"}))
    monkeypatch.setattr(networks, "SHELF", shelf)
    _, out, _ = program("list", "tiles-2x2")
    assert re.search(rf"tiles-2x2 \(usual\) +{HASH} +1,234 +policy, cost_to_go +imitation", out)
    assert "dust-8x6x5" not in out
    assert "networks" not in program("list", "tiles-2x3")[1]

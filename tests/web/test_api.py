"""What the API answers is what the command line prints with `--json`."""

import json
import sys

import pytest
from served import events
from typed_boards import EASY, TWICE

from puzzlelab.cli.main import run

WALL_CLOCK = {"seconds", "limit"}
"""What another run may say otherwise."""
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
DOCUMENT = "OBBGRBRY/GGYYYRGR/GOOYOYOG/OYGGORRO/GOYRYYYY/YRRGOGRY"


@pytest.fixture
def printed(monkeypatch, capsys):
    """`printed("solve", ...)`: what the program prints with `--json`, line by line."""

    def lines(*arguments: str) -> list:
        monkeypatch.setattr(sys, "argv", ["puzzlelab", *arguments, "--json"])
        with pytest.raises(SystemExit) as ended:
            run()
        said = capsys.readouterr()
        assert ended.value.code in (0, 1, 2), said.err
        return [json.loads(line) for line in said.out.splitlines()]

    return lines


def timeless(found):
    """The same without what another run may say otherwise."""
    if isinstance(found, list):
        return [timeless(each) for each in found]
    if isinstance(found, dict):
        return {name: timeless(value) for name, value in found.items() if name not in WALL_CLOCK}
    return found


EIGHT, ODD, TWO = "8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 8 7 0", "1 2 3 4 5 6 0 7 8"
FIFTEEN = "10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3"
QUESTIONS = [
    ("list", {}, ""),
    *(("list", {"puzzle": name}, name) for name in ("tiles-4x4", "dust-8x6x5", "sudoku-9x9")),
    ("check", {"puzzle": "tiles-3x3", "board": [EIGHT, ODD, "1 2 3"]}, f"tiles-3x3|{EIGHT}|{ODD}|1 2 3"),
    ("check", {"puzzle": "sudoku-9x9", "board": [TWICE, 81 * ".", "x"]}, f"sudoku-9x9|{TWICE}|{81 * '.'}|x"),
    ("rate", {"puzzle": "sudoku-9x9", "board": [EASY, 81 * ".", "x"]}, f"sudoku-9x9|{EASY}|{81 * '.'}|x"),
    ("rate", {"puzzle": "sudoku-9x9", "board": [EASY], "scale": "118"}, f"sudoku-9x9|{EASY}|--scale|118"),
    ("check", {"puzzle": "dust-4x3x3", "board": ["331233122213", "12"]}, "dust-4x3x3|331233122213|12"),
    ("hint", {"puzzle": "tiles-3x3", "board": EIGHT}, f"tiles-3x3|{EIGHT}"),
    ("hint", {"puzzle": "tiles-4x4", "board": FIFTEEN, "nodes": 2000}, f"tiles-4x4|{FIFTEEN}|--nodes|2000"),
    ("hint", {"puzzle": "sudoku-9x9", "board": HARD}, f"sudoku-9x9|{HARD}"),
    ("count", {"puzzle": "sudoku-4x4", "board": ["." * 16], "most": 999}, f"sudoku-4x4|{'.' * 16}|--most|999"),
    ("candidates", {"puzzle": "sudoku-4x4", "board": ["12..34..2143....", "." * 16]},
     f"sudoku-4x4|12..34..2143....|{'.' * 16}"),
    ("generate", {"puzzle": "tiles-4x4", "count": 3, "seed": 5, "scale": "level", "level": "20-22"},
     "tiles-4x4|--count|3|--seed|5|--scale|level|--level|20-22"),
    ("generate", {"puzzle": "sudoku-9x9", "count": 3, "level": "3"}, "sudoku-9x9|--count|3|--level|3|--seed|0"),
]  # fmt: skip
"""What is asked, with the words of the command that asks the same. Limits are of nodes: how far a search gets in some
seconds is not the same twice."""


def test_a_board_is_written_in_the_forms_that_its_puzzle_has(client) -> None:
    forms = client.get("/api/forms", params={"puzzle": "sudoku-4x4"}).json()
    assert {"name": "pair", "about": "the puzzle and its solution on a line", "ending": ".txt"} in forms
    assert "sdk" not in {form["name"] for form in forms}
    board = {"puzzle": "sudoku-4x4", "board": "1...............", "form": "numbers"}
    answer = client.get("/api/write", params=board)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == "1 . . .\n" + 3 * ". . . .\n" + "\n"
    refused = client.get("/api/write", params=board | {"form": "sdk"})
    sentence = "this form is for boards of sudoku-9x9, and these are of sudoku-4x4"
    assert (refused.status_code, refused.json()) == (400, {"error": sentence})


@pytest.mark.parametrize(("path", "asked", "words"), QUESTIONS)
def test_a_question_has_the_answer_of_the_command_line(client, printed, path, asked, words) -> None:
    answer = client.get(f"/api/{path}", params=asked).json()
    assert timeless(answer if path != "list" else [answer]) == timeless(printed(path, *filter(None, words.split("|"))))


def test_read_finds_the_puzzle_of_a_text(client) -> None:
    rows = "8,6,7\n2,5,4\n3,,1"
    assert client.post("/api/read", json={"text": rows}).json() == {
        "boards": [{"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1"}],
        "count": 1,
    }
    many = client.post("/api/read", json={"text": "8 6 7 2 5 4 3 0 1\n" * 1200, "puzzle": "tiles-3x3"}).json()
    assert (len(many["boards"]), many["count"]) == (1000, 1200)
    refused = client.post("/api/read", json={"text": "5 3 § 4"})
    assert refused.status_code == 400
    assert refused.json()["error"] == "line 1, column 5: '§' is not understood"


@pytest.mark.parametrize(
    ("puzzle", "solver", "boards"),
    [
        ("tiles-3x3", "ida:estimate=walking", [EIGHT, ODD, "1 2 3"]),
        ("tiles-3x3", "greedy", [EIGHT, TWO]),
        ("sudoku-9x9", "bands", [HARD, "." * 81]),
        ("dust-8x6x5", "beam:width=100", [DOCUMENT]),
    ],
)  # each of these searches ends, long before the server's limit of time
def test_solve(client, printed, puzzle, solver, boards) -> None:
    name, *options = solver.split(":")
    settings = [word for option in options for word in ("--set", option)]
    rows = printed("solve", puzzle, *boards, "--with", name, *settings)
    asked = {"puzzle": puzzle, "solver": solver}
    assert timeless(client.get("/api/solve", params={**asked, "board": boards}).json()) == timeless(rows)
    assert timeless(client.post("/api/solve", json={**asked, "boards": boards}).json()) == timeless(rows)
    assert any(row["verified"] for row in rows)


def test_events_tell_ever_shorter_solutions_and_then_the_row(client) -> None:
    asked = {
        "puzzle": "tiles-4x4",
        "board": FIFTEEN,
        "solver": "beam:estimate=manhattan",
        "nodes": 50_000,
    }
    with client.stream("GET", "/api/solve/events", params=asked) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        told = list(events(stream.iter_lines()))
    assert told[0][0] == "job"
    lengths = [data["length"] for name, data in told if name == "solution"]
    assert lengths == sorted(lengths, reverse=True)
    name, row = told[-1]
    assert name == "row"
    assert row["length"] == lengths[-1]
    assert row["verified"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"puzzle": "tiles-4x4", "board": "1 2 3"}, "3 numbers given; tiles-4x4 has 16"),
        ({"puzzle": "tile-4x4", "board": "1 2 3"}, "did you mean 'tiles'?"),
        ({"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1", "solver": "bands"}, "bands cannot solve tiles-3x3"),
        ({"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1", "time": 1e5}, "time"),
    ],
)
def test_events_end_with_a_sentence_where_something_is_wrong(client, asked, words) -> None:
    with client.stream("GET", "/api/solve/events", params=asked) as stream:
        body = "".join(stream.iter_text())
    assert words in body


def test_moves_are_read_in_any_form_and_written_in_one(client) -> None:
    asked = {"puzzle": "tiles-3x3", "board": "1 2 3/4 5 6/0 7 8", "moves": "rr", "letters": "blank"}
    written = {"moves": ["L", "L"], "text": "L L", "about": "U, D, L, R: the way the tile slides"}
    assert client.get("/api/moves", params=asked).json() == written
    counted = client.get("/api/moves", params={**asked, "form": "counts", "form_letters": "blank"}).json()
    assert (counted["moves"], counted["text"]) == (["L", "L"], "R2")
    assert [frame["move"] for frame in client.get("/api/frames", params=asked).json()["frames"]] == [None, "L", "L"]
    wrong = client.get("/api/moves", params={**asked, "moves": "r2'"})
    assert wrong.status_code == 400
    assert wrong.json()["error"].startswith("move 1 of 1: character 3: ''' is no move")
    assert client.get("/api/moves", params={**asked, "form": "verse"}).status_code == 400
    assert "blank" in client.get("/api/list", params={"puzzle": "tiles-3x3"}).json()["move_forms"]


def test_frames_tell_what_remains_at_least(client) -> None:
    row = client.get("/api/solve", params={"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1"}).json()[0]
    asked = {"puzzle": "tiles-3x3", "board": row["board"], "moves": " ".join(row["moves"]), "lower_bound": 31}
    frames = client.get("/api/frames", params=asked).json()["frames"]
    assert [frame["bound"] for frame in frames] == list(range(31, -1, -1))
    assert [frame["move"] for frame in frames] == [None, *row["moves"]]
    assert [frame["solved"] for frame in frames] == [False] * 31 + [True]
    drawn = client.get("/api/frames", params={**asked, "moves": "", "drawn": True}).json()["frames"]
    assert drawn[0]["svg"].startswith("<svg")
    assert sorted(drawn[0]["legal"]) == ["D", "L", "R"]
    wrong = client.get("/api/frames", params={**asked, "moves": "D U U"})
    assert (wrong.status_code, wrong.json()) == (400, {"error": "move 3 of 3: U cannot be made"})


def test_scores_are_shares_of_the_legal_moves(client) -> None:
    asked = {"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1", "moves": "D D"}
    told = client.get("/api/scores", params=asked).json()
    assert [step["board"] for step in told["steps"]] == ["8 6 7 2 5 4 3 0 1", "8 6 7 2 0 4 3 5 1", "8 0 7 2 6 4 3 5 1"]
    for step in told["steps"]:
        assert sum(step["shares"].values()) == pytest.approx(1, abs=0.001)
    assert set(told["steps"][1]["shares"]) == {"U", "D", "L", "R"}
    assert len(told["network"]["hash"]) == 16


@pytest.mark.slow
@pytest.mark.parametrize("net", ["best", "tiles-3x3-dqn", "tiles-3x3-values"])
def test_playouts_of_the_root_are_shared_among_its_moves(client, net) -> None:
    asked = {"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1", "playouts": 30, "net": net}
    answer = client.get("/api/tree", params=asked)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert sum(move["visits"] for move in told["moves"]) == 30
    assert {move["move"] for move in told["moves"]} == {"D", "L", "R"}
    assert 0 < told["value"] < 1
    assert told["remaining"] > 5


def test_a_picture_is_an_image(client) -> None:
    answer = client.get("/api/svg", params={"puzzle": "dust-8x6x5", "board": DOCUMENT})
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<svg")


def test_the_pages_of_the_api_need_nothing_from_elsewhere(client) -> None:
    page = client.get("/api/docs").text
    assert "http://" not in page
    assert "https://" not in page
    for path in ("/api/docs/files/swagger-ui-bundle.js", "/api/docs/files/swagger-ui.css", "/icon.svg"):
        assert path in page
    assert client.get("/api/docs/files/swagger-ui.css").status_code == 200


def test_all_shortest_solutions_and_a_solve_that_is_analysed(client) -> None:
    asked = {"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1"}
    (counted,) = client.get("/api/count", params={**asked, "most": 100, "listed": 3}).json()
    assert (counted["solutions"], counted["complete"], len(counted["listed"])) == (40, True, 3)
    assert {len(moves) for moves in counted["listed"]} == {31}
    analysis = client.get("/api/analyse", params={**asked, "moves": "R D L D U"}).json()
    assert (analysis["first_mistake"], analysis["regret"]["length"], len(analysis["continuation"])) == (5, 2, 27)
    wrong = client.get("/api/analyse", params={**asked, "moves": "R R"})
    assert (wrong.status_code, wrong.json()) == (400, {"error": "move 2 of 2: R cannot be made"})

"""What a stranger may do to the server: too much is refused in words, and leaves nothing behind."""

import concurrent.futures
import contextlib
import json
import signal
import socket
import time
from pathlib import Path

import pytest
from served import alive, end, events, eventually, start

pytest.importorskip("fastapi")
pytest.importorskip("httpx")

import httpx

HARD = "15 14 8 12 10 11 9 13 2 6 5 1 3 4 7 0"
"""A board for which this solver needs many minutes."""
SLOW = {"puzzle": "tiles-4x4", "board": HARD, "solver": "ida:estimate=manhattan", "time": 30}
MEGABYTE = b"1" * 2**20


def solved(client: httpx.Client) -> bool:
    """Whether the server still answers."""
    row = client.get("/api/solve", params={"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1"}).json()[0]
    return row["length"] == 31 and row["verified"]


def test_a_body_of_fifty_megabytes_is_refused_before_it_is_read(client) -> None:
    answer = client.post("/api/solve", content=50 * MEGABYTE)
    assert answer.status_code == 413
    assert "1,048,576 bytes" in answer.json()["error"]


def test_a_body_that_does_not_say_its_length_is_refused_where_it_gets_too_long(server, client) -> None:
    sent = 0

    def pieces():
        nonlocal sent
        for _ in range(50):
            sent += 1
            yield MEGABYTE

    with contextlib.suppress(httpx.WriteError, httpx.ReadError):  # the server may close before all is sent
        answer = client.post("/api/solve", content=pieces())
        assert answer.status_code == 413
        assert "1,048,576 bytes" in answer.json()["error"]
    with httpx.Client(base_url=server.address, timeout=300) as other:
        assert solved(other)


def test_an_address_of_fifty_megabytes_is_refused(server, client) -> None:
    host, port = server.address.removeprefix("http://").rstrip("/").split(":")
    with socket.create_connection((host, int(port)), timeout=300) as line:
        with contextlib.suppress(OSError):
            line.sendall(b"GET /api/check?puzzle=tiles-3x3&board=" + 50 * MEGABYTE)
        with contextlib.suppress(ConnectionResetError):
            assert line.recv(100)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 414", b"")
    assert solved(client)


def test_ten_thousand_boards_are_refused_and_a_thousand_solved(client) -> None:
    asked = {"puzzle": "tiles-2x2", "boards": ["1 2 0 3"] * 10_000}
    refusal = client.post("/api/solve", json=asked)
    assert refusal.status_code == 422
    assert refusal.json() == {"error": "boards: 10,000 boards are more than the 1,000 of one request"}
    rows = client.post("/api/solve", json=asked | {"boards": asked["boards"][:1000]}).json()
    assert [row["moves"] for row in rows] == [["L"]] * 1000


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"puzzle":"tiles-2x2","boards":[' + b"1," * 100_000 + b"1]}", "boards.0: Input should be a valid string"),
        (b"{" + b",".join(b'"%d":1' % number for number in range(50_000)) + b"}", "there is no field '0'"),
        (b'{"' + b"x" * 500_000 + b'":1}', "xxx...'"),
    ],
    ids=["boards", "fields", "a long name"],
)
def test_of_a_hundred_thousand_errors_the_first_is_reported(client, body, words) -> None:
    answer = client.post("/api/solve", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["error"].endswith(words)
    assert len(answer.content) < 200


def test_an_answer_that_is_too_large_is_refused(client) -> None:
    board = " ".join(map(str, range(1, 16))) + " 0"
    asked = {"puzzle": "tiles-4x4", "board": board, "moves": "R L " * 4000}
    assert len(client.get("/api/frames", params=asked).json()["frames"]) == 8001
    answer = client.get("/api/frames", params={**asked, "drawn": True})
    assert answer.status_code == 400
    assert answer.json()["error"] == "the positions of 8,000 moves have more than 8,388,608 bytes; ask for fewer"


def test_of_a_hundred_at_once_each_is_answered_or_told_that_all_is_busy(server, client) -> None:
    asked = {**SLOW, "time": 0.05}

    def ask(_) -> httpx.Response:
        return httpx.get(server.address + "api/solve", params=asked, timeout=300)

    with concurrent.futures.ThreadPoolExecutor(100) as many:
        answers = list(many.map(ask, range(100)))
    assert {answer.status_code for answer in answers} <= {200, 503}
    answered = [answer.json()[0] for answer in answers if answer.status_code == 200]
    assert answered
    assert {row["stop"] for row in answered} == {"time"}
    assert all("busy" in answer.json()["error"] for answer in answers if answer.status_code == 503)
    assert all(answer.headers["retry-after"] for answer in answers if answer.status_code == 503)
    assert solved(client)


def test_a_search_that_is_stopped_tells_what_it_has(server, client) -> None:
    seen = []
    with client.stream("GET", "/api/solve/events", params=SLOW) as stream:
        for name, data in events(stream.iter_lines()):
            seen.append(name)
            if name == "job":
                job = data["id"]
            if name == "progress" and seen.count("progress") == 2:
                assert httpx.post(f"{server.address}api/jobs/{job}/stop").json() == {"stopped": True}
    assert seen[0] == "job"
    assert seen[-1] == "row"
    assert (data["stop"], data["moves"]) == ("interrupted", None)
    assert data["lower_bound"] >= 50
    assert httpx.post(f"{server.address}api/jobs/{job}/stop").json() == {"stopped": False}


@pytest.mark.slow
def test_whoever_leaves_ends_the_search() -> None:
    one = start("--jobs", "1", "--time", "1000")
    try:
        with contextlib.suppress(httpx.ReadTimeout):  # leaves in the midst of it
            client = httpx.Client(base_url=one.address, timeout=httpx.Timeout(300, read=4))
            with client, client.stream("GET", "/api/solve/events", params={**SLOW, "time": 1000}) as stream:
                for name, _ in events(stream.iter_lines()):
                    if name == "progress":
                        break
        with httpx.Client(base_url=one.address, timeout=300) as other:  # the only worker is idle again
            assert solved(other)
    finally:
        assert "Traceback" not in end(one)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGKILL], ids=lambda how: how.name)
def test_no_process_is_left_however_the_server_ends(how) -> None:
    one = start("--time", "120")
    children = one.children()
    assert len(children) >= 4
    with httpx.stream("GET", one.address + "api/solve/events", params={**SLOW, "time": 120}, timeout=300) as stream:
        for name, _ in events(stream.iter_lines()):
            if name == "progress":
                one.process.send_signal(how)
                break
    printed, _ = one.process.communicate(timeout=300)
    assert "Traceback" not in printed
    assert one.process.returncode == (0 if how != signal.SIGKILL else -signal.SIGKILL)
    assert eventually(lambda: not any(map(alive, children)))


@pytest.mark.slow
def test_whoever_presses_ctrl_c_twice_gets_no_traceback() -> None:
    one = start()
    with httpx.Client(base_url=one.address, timeout=300) as client:
        assert solved(client)
    children = one.children()
    for _ in range(2):
        one.process.send_signal(signal.SIGINT)
        time.sleep(0.02)  # equal signals that come at once are one
    printed, _ = one.process.communicate(timeout=300)
    assert printed == "ended\n"
    assert eventually(lambda: not any(map(alive, children)))


@pytest.mark.slow
def test_a_search_has_no_more_memory_than_it_may() -> None:
    one = start("--memory", "300M")
    try:
        asked = {**SLOW, "solver": "astar:estimate=manhattan"}
        with httpx.Client(base_url=one.address, timeout=300) as client:
            answer = client.get("/api/solve", params=asked)
            row = answer.json()[0]
            assert (row["stop"], row["moves"]) == ("memory", None)
            assert solved(client)
    finally:
        end(one)


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        ("permutation:jobs=9", "'jobs' cannot be set here"),
        ("beam:estimate=net:/etc/passwd", "there is no network '/etc/passwd'"),
        ("greedy:prior=net:../../secret", "there is no network '../../secret'"),
        ("greedy:prior=net:cafe", "there is no network 'cafe'"),
        ("ida:estimate=pdb:1,2,3/4,5", "'pdb:1,2,3/4,5' is not available here"),
        ("depth-first:order=pdb:1,2,3/4,5", "'pdb:1,2,3/4,5' is not available here"),
        ("beam:estimate=/etc/passwd", "'/etc/passwd' is no estimate of tiles-4x4"),
        ("beam:estimate=/etc/no-such-file", "'/etc/no-such-file' is no estimate of tiles-4x4"),
        ("beam:estimate=pyproject.toml", "there is no estimate of tiles-4x4 'pyproject.toml'"),
        ("nothing", "there is no solver 'nothing'"),
        ("ida:weight=2", "ida has no option 'weight'"),
        ("beam:patience=Infinity", "beam: the option 'patience' cannot be 'inf'"),
        ("beam:patience=-1e999", "beam: the option 'patience' cannot be '-inf'"),
    ],
)
def test_options_that_reach_beyond_a_search_are_refused(client, solver, words) -> None:
    for asked in (solver, inside(solver), inside(inside(solver))):
        answer = client.get("/api/solve", params={**SLOW, "solver": asked})
        assert answer.status_code == 400
        assert words in answer.json()["error"]


@pytest.mark.parametrize("option", ["beam:estimate={}", "beam:estimate=net:{}", "greedy:prior=net:{}"])
def test_no_answer_tells_whether_a_file_or_a_folder_exists(client, tmp_path, option) -> None:
    (tmp_path / "a.onnx").touch()
    for solver in (option, inside(option), inside(inside(option))):
        errors = set()
        for name in ("a.onnx", "b.onnx"):
            asked = {**SLOW, "solver": solver.format(tmp_path / name)}
            errors.add(client.get("/api/solve", params=asked).json()["error"].replace(name, "NAME"))
        folders = [client.get("/api/solve", params={**SLOW, "solver": solver.format(name)}) for name in ("/tmp", "/no")]
        assert len(errors) == 1
        assert len({each.json()["error"].replace("/tmp", "/no") for each in folders}) == 1


def inside(solver: str) -> str:
    """A portfolio of this solver, whose text has an escape in the place of each colon."""
    return f"portfolio:of=[{json.dumps(solver).replace(':', chr(92) + 'u003a')}]"


def test_the_solvers_of_a_portfolio_may_be_those_that_may_run_alone(client) -> None:
    board = {"puzzle": "tiles-3x3", "board": "8 6 7 2 5 4 3 0 1"}
    for asked in (inside("ida:estimate=manhattan"), inside(inside("beam:estimate=net:tiles-4x4"))):
        answer = client.get("/api/solve", params={**board, "solver": asked}).json()
        assert "for tiles-4x4, not for tiles-3x3" in answer["error"] if "net" in asked else answer[0]["length"] == 31


def test_a_search_may_not_take_longer_than_the_server_allows(client) -> None:
    answer = client.get("/api/solve", params={**SLOW, "time": 31})
    assert (answer.status_code, answer.json()) == (422, {"error": "time: a search may take 30 seconds here, not 31"})


@pytest.mark.slow
def test_a_server_of_few_seconds_answers_who_asks_for_none() -> None:
    one = start("--time", "1")
    without_time = {name: value for name, value in SLOW.items() if name != "time"}
    try:
        with httpx.Client(base_url=one.address, timeout=300) as client:
            assert solved(client)
            row = client.get("/api/solve", params=without_time).json()[0]
            assert (row["stop"], row["limit"]["seconds"]) == ("time", 1.0)
            hint = {"puzzle": "sudoku-4x4", "board": "1234341221434.21"}
            assert client.get("/api/hint", params=hint).json()[0]["best"] == ["r4c2=3"]
    finally:
        end(one)


def test_pages_of_other_sites_and_other_names_are_refused(server) -> None:
    address = server.address + "api/list"
    for other in ("cross-site", "same-site"):
        assert httpx.get(address, headers={"sec-fetch-site": other}).status_code == 403
    assert httpx.get(address, headers={"host": "evil.example"}).status_code == 403
    assert httpx.get(address, headers={"sec-fetch-site": "same-origin"}, timeout=300).status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/api/docs", "/api/openapi.json", "/nowhere", "/api/solve", "/api/list?puzzle=x"]
)
def test_every_answer_says_what_a_browser_may_do(client, path) -> None:
    answer = client.get(path)
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "Traceback" not in answer.text
    assert str(Path.home()) not in answer.text

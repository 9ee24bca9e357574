"""What users of a cluster see, with nodes and workers that are killed. `make test-cluster` runs these tests."""

import time

import pytest

import puzzlelab

pytestmark = pytest.mark.cluster
BOARDS = 60
SOLVE = ("solve", "tiles-4x4", "--with", "ida:estimate=manhattan", "--nodes", 20_000_000)
ENDLESS = "0 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1"
"""A board that this search does not solve in hours."""
IMITATION = """\
recipe = "imitation"
puzzle = "dust-5x4x3"
seed = 5
network = {kind = "exchangeable", width = 8, depth = 2, pooled = 4}
teacher = {solver = "beam", solver_options = {width = 400}}
data = {shard_games = 300, buffer_size = 3000, replay_ratio = 1.0}
learning = {steps = 300, batch_size = 100, warmup = 5, precision = "float32", save_seconds = 1000.0}
evaluation = {every = 100, boards = 5, teacher_games = 5}
"""


@pytest.fixture
def boards(tmp_path):
    path = tmp_path / "boards.txt"
    puzzle = puzzlelab.load("tiles-4x4")
    path.write_text("".join(f"{puzzle.write(board.state)}\n" for board in puzzlelab.generate(puzzle, BOARDS, seed=3)))
    return path


def wait_until(holds, process) -> None:
    """Wait until something holds, as long as a command runs."""
    while not holds():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def test_rows_are_those_of_local_workers_whatever_is_killed(cluster, commands, here, boards, rows_of, tmp_path):
    here(*SOLVE, "--file", boards, "--out", "local.jsonl", "--executor", "local", "--jobs", 2)
    out = tmp_path / "cluster.jsonl"
    process = commands.start(*SOLVE, "--file", boards, "--out", out)
    wait_until(lambda: cluster.workers() and out.exists() and out.stat().st_size, process)
    cluster.kill_worker(cluster.workers()[0])
    rows = out.read_bytes().count(b"\n")
    wait_until(lambda: out.read_bytes().count(b"\n") > rows, process)
    cluster.kill_node(0)
    cluster.add_node()
    text, error = process.communicate()
    assert process.returncode in (0, 1), error
    assert f" of {BOARDS} solved" in text
    assert rows_of(out) == rows_of(tmp_path / "local.jsonl")


def test_a_network_learns_the_same_whatever_is_killed(cluster, commands, here, tmp_path):
    (tmp_path / "run.toml").write_text(IMITATION)
    here("train", "imitation", "--config", "run.toml", "--run", "local", "--executor", "local")
    shards = tmp_path / "cluster" / "shards"
    process = commands.start("train", "imitation", "--config", "run.toml", "--run", "cluster")
    wait_until(lambda: cluster.workers() and any(shards.glob("shard-*.parquet")), process)
    cluster.kill_worker(cluster.workers()[0])
    cluster.kill_node(0)
    cluster.add_node()
    _, error = process.communicate()
    assert process.returncode == 0, error
    names = sorted(path.name for path in (tmp_path / "local" / "shards").glob("shard-*.parquet"))
    common = [name for name in names if (shards / name).exists()]
    assert common
    for name in common:
        assert (shards / name).read_bytes() == (tmp_path / "local" / "shards" / name).read_bytes()
    assert (tmp_path / "cluster" / "champion").read_text() == (tmp_path / "local" / "champion").read_text()


def test_a_command_that_is_interrupted_leaves_nothing_running_and_goes_on(cluster, commands, rows_of, tmp_path):
    puzzle = puzzlelab.load("tiles-4x4")
    easy = [puzzle.write(board.state) for board in puzzlelab.generate(puzzle, BOARDS, seed=3, level=30)]
    endless = [*easy[: BOARDS // 2], ENDLESS, *easy[BOARDS // 2 + 1 :]]
    boards, out = tmp_path / "boards.txt", tmp_path / "cluster.jsonl"
    command = ("solve", "tiles-4x4", "--with", "ida:estimate=manhattan", "--file", boards, "--out", out)
    boards.write_text("\n".join(endless))
    process = commands.start(*command)
    wait_until(lambda: out.exists() and out.stat().st_size, process)
    process.send_signal(2)
    _, error = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in error
    deadline = time.monotonic() + 60
    while cluster.workers():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    rows = rows_of(out)
    boards.write_text("\n".join(easy))
    code, _, error = commands.run(*command)
    assert code == 0, error
    assert rows_of(out)[: len(rows)] == rows
    assert len(rows_of(out)) == BOARDS


def test_status_names_the_nodes(cluster, commands):
    code, text, _ = commands.run("cluster", "status", cluster.address)
    assert code == 0
    assert "5 nodes" in text
    assert text.count("ready") == 5
    assert "0.68" in text


@pytest.fixture
def add_old_node(cluster, tmp_path, monkeypatch):
    """Adds a node with another version of the package, which is gone after the test."""
    package = tmp_path / "old" / "puzzlelab"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "version.py").write_text('VERSION = "0.0.1"\n')

    def add() -> None:
        with monkeypatch.context() as node:
            node.setenv("PYTHONPATH", str(tmp_path / "old"))
            cluster.add_node()

    yield add
    cluster.kill_node(-1)


def test_a_node_with_another_version_is_refused(cluster, commands, add_old_node):
    add_old_node()
    code, _, error = commands.run("solve", "tiles-3x3", "1 2 3 4 5 6 7 0 8")
    assert code == 2
    assert "has puzzlelab 0.0.1, and this process has puzzlelab" in error
    assert error.count("\n") == 1
    assert commands.run("cluster", "status", cluster.address)[0] == 1


def test_a_node_with_another_version_that_joins_later_is_left_out(cluster, add_old_node, listener):
    with puzzlelab.open_executor(f"ray:{cluster.address}") as executor:
        slots = executor.slots
        add_old_node()
        deadline = time.monotonic() + 60
        while not listener.notes:
            assert time.monotonic() < deadline
            waits = [executor.submit(time.sleep, 0.3) for _ in range(3 * slots)]
            assert [wait.result(60).value for wait in waits] == [None] * len(waits)
        assert executor.slots == slots
    assert "is left out: it has puzzlelab 0.0.1, and this process has puzzlelab" in listener.notes[0]


def test_a_program_whose_process_is_killed_is_begun_again_before_its_next_answer(cluster):
    with puzzlelab.open_executor(f"ray:{cluster.address}") as executor:
        program = executor.start(list, ())
        program.call("append", 1).result(120)
        assert program.call("__len__").result(60) == 1
        (process,) = cluster.workers("ray::ProgramHost")
        cluster.kill_worker(process)
        lengths = [program.call("__len__").result(120) for _ in range(3)]
    assert lengths == [0, 0, 0]


def test_boards_are_solved_from_python(cluster):
    boards = list(puzzlelab.generate("tiles-3x3", 40, seed=1))
    lengths = [result.length for result in puzzlelab.solve_many(boards, "ida")]
    with puzzlelab.open_executor(f"ray:{cluster.address}") as executor:
        for _ in range(2):
            assert [result.length for result in puzzlelab.solve_many(boards, "ida", executor=executor)] == lengths

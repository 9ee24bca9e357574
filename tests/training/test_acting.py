"""Games that are played in blocks: one seed gives one run, whatever plays the blocks, and whatever is lost."""

import multiprocessing
import random
from dataclasses import replace

import pytest
from run_lines import untimed

pytest.importorskip("torch")


from small_runs import PLAYED

from puzzlelab.core.errors import BadOption, PuzzlelabError
from puzzlelab.engine.executor import PieceLost
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.engine.worker_processes import WorkerProcesses
from puzzlelab.training import recipe
from puzzlelab.training.acting import play_block

ACTING = (
    "acting.num_env_runners=3",
    "acting.rollout_fragment_length=4",
    "curriculum.random_walk_share=1",
    "curriculum.win_rate=0.3",
)
VARIANTS = [
    ("dqn", "horizon=3", "replay.alpha=0.6", "steps_per_move=2"),
    ("value_iteration", "replay.alpha=0.6"),
    ("value_iteration", "replay.size=0"),
]
ONE_OF_ALL = [VARIANTS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in VARIANTS[1:])]
HEADS = {"dqn": "q", "value_iteration": "cost_to_go"}


def settings_of(name, *changes):
    network = {"kind": "dense", "width": 16, "depth": 2, "heads": [HEADS[name]]}
    return recipe.settings_of(name, {**PLAYED, "network": network}, (*ACTING, *changes))


@pytest.fixture(scope="module")
def two_workers():
    """Shared by the tests, so that its processes start once."""
    with WorkerProcesses(2) as executor:
        yield executor


class After:
    """Does something once, as soon as there are so many lines of metrics: however often it is called before."""

    def __init__(self, folder, lines, action) -> None:
        self.path, self.lines, self.action = folder / "metrics.jsonl", lines, action

    def __call__(self) -> None:
        if self.lines and self.path.exists() and len(self.path.read_text().splitlines()) >= self.lines:
            self.lines = 0
            self.action()


def interrupt() -> None:
    raise KeyboardInterrupt


class ShufflingExecutor(ThisProcess):
    """Does pieces in any order, one in four of them twice."""

    def __init__(self) -> None:
        super().__init__()
        self.random = random.Random(1)
        self.repeated = 0

    def wait(self, futures, seconds=0.2):
        self._later.rotate(self.random.randrange(8))
        if self._later and seconds and self.random.random() < 0.25:
            self.repeated += 1
            self._later[0][1]()
        return super().wait(futures, seconds)


class FailingExecutor(ThisProcess):
    """Loses every piece after so many."""

    def __init__(self, good) -> None:
        super().__init__()
        self.good = good

    def wait(self, futures, seconds=0.2):
        if self.good or not self._later or not seconds:
            self.good -= bool(self.good and seconds)
            return super().wait(futures, seconds)
        future, _ = self._later.popleft()
        future.set_exception(PieceLost("it has ended 5 workers (it crashed)"))
        return {future}


class LeavingExecutor(ThisProcess):
    """Has no node after so many looks."""

    are_gone = False

    @property
    def slots(self):
        return 0 if self.are_gone else 1

    def wait(self, futures, seconds=0.2):
        return set() if self.are_gone else super().wait(futures, seconds)


class CountingExecutor(ThisProcess):
    """Notes what is published."""

    def __init__(self) -> None:
        super().__init__()
        self.kept, self.keys, self.most = set(), [], 0

    def publish(self, key, value):
        assert key not in self.kept
        self.kept.add(key)
        self.keys.append(key)
        self.most = max(self.most, len(self.kept))
        return super().publish(key, value)

    def forget(self, key) -> None:
        self.kept.remove(key)


@pytest.mark.parametrize("variant", ONE_OF_ALL, ids=" ".join)
def test_a_run_is_the_same_by_processes_of_which_one_is_killed(
    tmp_path, train, same_runs, two_workers, variant
) -> None:
    settings, folder = settings_of(*variant), tmp_path / "local"
    kill = After(folder, 1, lambda: multiprocessing.active_children()[0].kill())
    local = train(folder, settings, kill, two_workers)
    assert not kill.lines
    same_runs(train(tmp_path / "here", settings), local)


@pytest.mark.parametrize("variant", ONE_OF_ALL, ids=" ".join)
def test_a_run_that_is_ended_goes_on_the_same_by_other_workers(
    tmp_path, train, same_runs, two_workers, variant
) -> None:
    settings, folder = settings_of(*variant), tmp_path / "parts"
    for lines, executor in ((1, two_workers), (2, None)):
        with pytest.raises(KeyboardInterrupt):
            train(folder, settings, After(folder, lines, interrupt), executor)
    parts = train(folder, settings, executor=two_workers)
    same_runs(train(tmp_path / "whole", settings), parts)


class RecordingExecutor(ThisProcess):
    """Notes the blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = []

    def submit(self, work, argument):
        self.blocks.append(argument)
        return super().submit(work, argument)


def test_the_tally_of_a_block_is_that_of_its_own_games(tmp_path, train) -> None:
    recording = RecordingExecutor()
    train(tmp_path, settings_of("value_iteration", "acting.num_env_runners=1"), executor=recording)
    block = next(each for each in recording.blocks if each.group["games.tally"].any())
    sums = ("games.tally", "games.final_estimates", "games.length_counts")
    before = {name: block.group[name] + 100 for name in sums}
    played, again = play_block(block), play_block(replace(block, group={**block.group, **before}))
    for name in sums:
        assert (played[name] == again[name]).all()


@pytest.mark.parametrize("variant", VARIANTS, ids=" ".join)
def test_blocks_may_end_in_any_order_and_be_played_again(tmp_path, train, same_runs, variant) -> None:
    settings, shuffling = settings_of(*variant), ShufflingExecutor()
    shuffled = train(tmp_path / "shuffled", settings, executor=shuffling)
    same_runs(train(tmp_path / "here", settings), shuffled)
    assert shuffling.repeated


def test_the_number_of_groups_and_of_moves_are_settings_of_a_run(tmp_path, train) -> None:
    def metrics(*changes):
        return untimed(train(tmp_path / str(changes), settings_of("dqn", *changes)).metrics)

    runs = [metrics("acting.num_env_runners=2"), metrics("acting.rollout_fragment_length=5")]
    assert runs[0] != runs[1]
    assert [[line["turns"] for line in run] for run in runs] == [[11, 21, 31, 41]] * 2


def test_games_become_harder_by_the_games_that_are_won_in_blocks(tmp_path, train) -> None:
    lines = untimed(train(tmp_path, settings_of("value_iteration")).metrics)
    difficulties = [line["difficulty"] for line in lines]
    assert difficulties == sorted(difficulties)
    assert difficulties[-1] > 4
    assert all(line["games"] for line in lines)


def test_a_block_that_ends_its_workers_ends_the_run_which_goes_on_from_its_saved_state(
    tmp_path, train, same_runs
) -> None:
    settings = settings_of("dqn")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", settings, After(tmp_path / "run", 1, interrupt))
    saved = sorted(path.name for path in tmp_path.glob("run/state-*"))
    words = "block [0-9]+ of the games was left out: it has ended 5 workers .it crashed.*; the run can be continued"
    with pytest.raises(PuzzlelabError, match=words):
        train(tmp_path / "run", settings, executor=FailingExecutor(2))
    assert sorted(path.name for path in tmp_path.glob("run/state-*")) == saved
    same_runs(train(tmp_path / "whole", settings), train(tmp_path / "run", settings))


def test_a_run_without_a_node_can_be_interrupted_and_goes_on(tmp_path, train, same_runs) -> None:
    settings, leaving = settings_of("dqn"), LeavingExecutor()
    calls = 0

    def leave() -> None:
        nonlocal calls
        calls += 1
        leaving.are_gone = calls > 20
        if calls == 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "run", settings, leave, leaving)
    same_runs(train(tmp_path / "whole", settings), train(tmp_path / "run", settings))


@pytest.mark.parametrize(
    ("changes", "most"),
    [((), 4), (("target_network.rule=hard", "target_network.interval=15"), 2)],
)
def test_each_network_is_published_once_and_forgotten_when_no_block_needs_it(tmp_path, train, changes, most) -> None:
    counting = CountingExecutor()
    train(tmp_path, settings_of("value_iteration", *changes), executor=counting)
    assert len(set(counting.keys)) == len(counting.keys)
    assert counting.most <= most
    assert not counting.kept


def test_settings_that_leave_nothing_to_an_executor_get_a_sentence() -> None:
    for name in HEADS:
        recipe.find(name).check_executor(settings_of(name))
        with pytest.raises(BadOption, match="acting.num_env_runners=0 the learner plays its games itself"):
            recipe.find(name).check_executor(settings_of(name, "acting.num_env_runners=0"))
    values = {"puzzle": "tiles-2x3", "network": {"kind": "table"}}
    with pytest.raises(BadOption, match="the recipe 'tabular' leaves nothing to an executor"):
        recipe.find("tabular").check_executor(recipe.settings_of("tabular", values))

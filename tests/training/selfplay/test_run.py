"""Self-play runs from their beginning to their end."""

import json
import os
import shutil
import time
from dataclasses import replace

import numpy as np
import pytest
from run_lines import untimed

pytest.importorskip("torch")

from puzzlelab import load
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.schema import SelfPlaySamples
from puzzlelab.experience.shards import numbers, read_shard, shard_path
from puzzlelab.nets import run_networks
from puzzlelab.training import metrics, recipe, runs
from puzzlelab.training.recipe import Diverged
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay import programs
from puzzlelab.training.selfplay.game_log import GameLog
from puzzlelab.training.selfplay.generator import GameGenerator
from puzzlelab.training.selfplay.heartbeat import Heartbeat, forget_gone
from puzzlelab.training.selfplay.matches import MatchLog, MatchRunner
from puzzlelab.training.selfplay.referee import Referee
from puzzlelab.training.selfplay.status import StatusReader, headline


@pytest.fixture
def copy(finished, tmp_path):
    """The finished run once more, not yet at its end."""
    run, settings = finished
    shutil.copytree(run.folder, tmp_path / "copy")
    found = Run(tmp_path / "copy")
    found.done.unlink()
    return found, settings


def nothing() -> None:
    """Goes on."""


# --- failures ---


def test_a_training_that_diverges_ends_the_run_and_its_status_tells_so(compete, settings_of, tmp_path) -> None:
    too_fast = ("learning_rate=1e30", "optimiser=sgd", "max_grad_norm=0", "warmup=0")
    settings, folder = settings_of(*(f"learning.{each}" for each in too_fast)), tmp_path / "run"
    for _ in range(2):  # the same command fails in the same way
        with pytest.raises(Diverged, match=r"the loss of step 2 is no number"):
            compete(folder, settings)
    assert any(
        "the loss of step 2 is no number" in each for each in StatusReader(Run(folder), settings).read().warnings
    )
    assert (list(folder.glob("state-*")), (folder / "done").exists()) == ([], False)


def test_games_that_give_no_sample_are_told_of_and_leave_no_shards(settings_of, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("puzzlelab.training.selfplay.status.MAX_EMPTY_GAMES", 48)
    settings = settings_of(
        'curriculum={"scale": "uniform", "random_walk_share": 0, "growth": "never"}',
        "puzzle=tiles-4x4",
        "self_play.max_moves=1",
        "evaluation.boards=0",
    )
    run, warnings = Run(tmp_path / "run"), []
    run.begin(settings)

    def watch() -> None:
        if run.game_log.exists():
            warnings[:] = StatusReader(run, settings).read().warnings
        if warnings:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        programs.run_all(run, settings, watch, ThisProcess(), workers=0)
    assert warnings[0].startswith("48 games gave no sample, since none was won: easier boards (curriculum), more moves")
    assert numbers(run.shards) == []
    entries = list(GameLog(run.game_log, run.shards).new_entries())
    assert [(entry.number, entry.samples) for entry in entries] == [(0, 0), (1, 0), (2, 0)]


# --- one seed ---


def test_programs_that_take_turns_make_the_same_run_of_the_same_seed(finished, compete, settings_of, tmp_path) -> None:
    run, _ = finished
    again = compete(tmp_path / "again", settings_of())
    for name in ("champion", "latest", "done"):
        assert (again.folder / name).read_text() == (run.folder / name).read_text()
    assert untimed(again.metrics) == untimed(run.metrics)
    assert untimed(again.game_log) == untimed(run.game_log)
    assert untimed(again.matches) == untimed(run.matches)
    other = compete(tmp_path / "other", settings_of("seed=6"))
    assert other.latest.read_text() != run.latest.read_text()


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_run_that_begins_anew_leaves_the_files_of_others(copy, compete, settings_of) -> None:
    run, settings = copy
    others = [run.folder / name for name in ("notes.txt", "nets/notes.txt", "programs/notes.json", "shards/notes.txt")]
    for path in others:
        path.write_text("mine")
    compete(run.folder, settings)  # all steps are made; what killed programs have left is removed
    run.begin(settings_of("seed=6"), anew=True)
    assert {path for path in run.folder.rglob("*") if path.is_file()} == {*others, run.config}


# --- other settings ---


def test_a_finished_run_goes_on_with_more_steps_and_its_changes_make_the_same_run(copy, compete, tmp_path) -> None:
    run, settings = copy
    wanted = settings.model_copy(update={"learning": settings.learning.model_copy(update={"steps": 75})})
    compete(run.folder, wanted)
    assert [line["step"] for line in metrics.lines(run.metrics)] == [20, 40, 60, 75]
    again = compete(tmp_path / "again", settings_from_file(run.config))
    for name in ("champion", "latest", "done"):
        assert (again.folder / name).read_text() == (run.folder / name).read_text()
    assert untimed(again.metrics) == untimed(run.metrics)
    for name, path in (("best", run.champion), ("last", run.latest), ("75", run.latest)):
        assert run_networks.named(run.folder, name) == path.read_text().strip()


def settings_from_file(path):
    return recipe.settings_of("selfplay", runs.read_toml(path))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("self_play.playouts=7", "self_play.playouts is 6 there, not 7"),
        ("curriculum.max_difficulty=10", "max_difficulty is 9 there, not 10: the difficulty is found from all games"),
    ],
)
def test_what_may_not_change_is_refused_with_a_command_that_exists(finished, settings_of, change, words) -> None:
    run, _ = finished
    with pytest.raises(BadInput, match=rf"{words}.* begin it anew: puzzlelab selfplay run {run.folder} --restart"):
        run.begin(settings_of(change))


# --- what a run leaves ---


def test_samples_are_positions_of_the_puzzle_and_games_become_harder(finished) -> None:
    run, settings = finished
    puzzle, lengths = load("tiles-2x3"), [line["scramble_length"] for line in _lines(run.game_log)]
    assert lengths[0] == 3
    assert lengths == sorted(lengths)
    assert lengths[-1] > 3
    kept = numbers(run.shards)
    samples = [read_shard(shard_path(run.shards, number), SelfPlaySamples) for number in kept]
    assert sum(map(len, samples[1:])) < settings.replay.capacity <= sum(map(len, samples))
    for state, shares in zip(samples[-1].state, samples[-1].shares, strict=True):
        assert not puzzle.solved(state)
        assert not shares[~puzzle.legal(state)].any()
        assert shares.sum() == pytest.approx(1, abs=5e-3)
    assert len(_lines(run.game_log)) > len(kept)


def test_matches_are_of_the_same_boards_and_say_how_they_ended(finished) -> None:
    run, settings = finished
    matches = MatchLog(run).all()
    opponents = settings.match.opponents
    assert {(match.a, match.b) for match in matches} >= {(opponents[1], opponents[0])}
    for match in matches:
        assert match.wins_a + match.wins_b + match.draws == match.games
        assert match.aborted <= match.draws
        assert match.settings["playouts"] == settings.self_play.playouts
    promoted = [match for match in matches if match.promoted]
    assert all(match.b not in opponents and match.wins_a > match.wins_b for match in promoted)
    names = [match.a for match in promoted] or [run.champion.read_text().strip()]
    assert run.champion.read_text().strip() == names[-1]
    runner = MatchRunner(run, settings, ThisProcess())
    first, again = (list(runner.boards(3, 9, 12)) for _ in range(2))
    assert [len(batch) for batch in first] == [8, 4]
    assert np.array_equal(np.concatenate(first), np.concatenate(again))


def test_a_match_may_be_of_any_two(finished, capsys) -> None:
    run, settings = finished
    runner = MatchRunner(run, settings, ThisProcess())
    champion = runner.resolve("champion")
    assert runner.resolve(champion[:8]) == champion
    assert runner.resolve("greedy:estimate=manhattan") == "greedy:estimate=manhattan"
    match, interrupted = runner.play(champion, "ida", 5, 8, 6, sequential=False)
    assert not interrupted
    assert (match.games, match.wins_a, match.solved_b) == (8, 0, 8)  # nobody is shorter than the shortest
    for wrong, words in (("nobody", "neither a network of"), ("greedy:estimat=x", "has no option 'estimat'")):
        with pytest.raises(BadInput, match=words):
            runner.resolve(wrong)


def test_how_it_stands(finished) -> None:
    run, settings = finished
    facts = StatusReader(run, settings).read()
    lines = _lines(run.game_log)
    assert facts.games == sum(line["games"] for line in lines)
    assert facts.samples_made == sum(line["samples"] for line in lines)
    assert facts.shards == len(numbers(run.shards))
    assert (facts.steps, facts.done, facts.programs, facts.warnings) == (60, True, [], [])
    assert facts.champion == facts.champions[-1].network
    assert [name for name, _ in facts.opponents] == list(settings.match.opponents)
    assert facts.opponents[0][1] == 0
    assert f"{facts.games:,} games" in headline(facts)


# --- being killed ---


def test_a_shard_counts_once_whether_or_not_its_line_was_written(copy) -> None:
    run, _ = copy
    before = _by_number(GameLog(run.game_log, run.shards).new_entries())
    lines, last = run.game_log.read_text().splitlines(), numbers(run.shards)[-1]
    kept = [line for line in lines if json.loads(line)["number"] != last]
    run.game_log.write_text("\n".join([*kept, kept[-1]]) + "\n")  # one is lacking, one stands twice
    game_log = GameLog(run.game_log, run.shards)
    assert _by_number(game_log.new_entries()) == before
    assert len(game_log) == game_log.below == len(before)
    game_log.ensure_logged(last)
    shard_path(run.shards, last).unlink()
    assert _by_number(GameLog(run.game_log, run.shards).new_entries()) == before
    game_log.ensure_logged(last)
    assert len(run.game_log.read_text().splitlines()) == len(lines) + 1


def _by_number(entries):
    return sorted(entries, key=lambda entry: entry.number)


def test_a_number_whose_maker_was_killed_is_made_again_and_no_other(copy) -> None:
    run, settings = copy
    count = len(_lines(run.game_log))
    (run.shards / f"shard-{count:05}.claim").write_text("{}")
    with Heartbeat(run, "generator").running() as heartbeat:
        maker = GameGenerator(run, settings, "champion", heartbeat)
        maker.work_once(ThisProcess())
        maker.leases.expiry = -1.0
        maker.work_once(ThisProcess())
    assert sorted(line["number"] for line in _lines(run.game_log)) == list(range(count + 2))
    assert not list(run.shards.glob("*.claim"))
    assert not list(run.shards.glob("writing*"))


def test_a_winner_whose_promotion_was_interrupted_is_promoted(copy) -> None:
    run, settings = copy
    champion, former = run.champion.read_text().strip(), "0123456789abcdef"
    matches = MatchLog(run)
    matches.add(replace(matches.all()[-1], a=champion, b=former, promoted=True))
    for path in run.nets.glob(f"{champion}*"):
        shutil.copy(path, path.with_name(path.name.replace(champion, former)))
    run.write(run.champion, f"{former}\n")
    with Heartbeat(run, "referee").running() as heartbeat:
        Referee(run, settings, heartbeat, ThisProcess()).work_once(nothing)
    assert run.champion.read_text().strip() == champion


def test_without_a_champion_the_last_winner_or_the_newest_becomes_it_and_one_without_files_is_told(copy) -> None:
    run, settings = copy
    champion = run.champion.read_text()
    run.champion.unlink()
    with Heartbeat(run, "referee").running() as heartbeat:
        Referee(run, settings, heartbeat, ThisProcess()).work_once(nothing)
        assert run.champion.read_text() == champion
        run.champion.unlink()
        run.matches.unlink()
        Referee(run, settings, heartbeat, ThisProcess()).work_once(nothing)
        assert run.champion.read_text() == run.latest.read_text()
        run.write(run.champion, "0123456789abcdef\n")
        with pytest.raises(BadFile, match="champion names the network '0123456789abcdef', whose files are not in"):
            Referee(run, settings, heartbeat, ThisProcess()).work_once(nothing)
        with pytest.raises(BadFile, match="put them back, or remove"):
            GameGenerator(run, settings, "champion", heartbeat).work_once(ThisProcess())


def test_candidates_that_never_played_are_removed_and_other_networks_are_not(copy) -> None:
    run, settings = copy
    networks, latest = run.folder / "networks.jsonl", run.latest.read_text().strip()
    superseded, unfinished, other = (f"{number:016x}" for number in range(3))
    played = {match.b for match in MatchLog(run).all()} | {m.a for m in MatchLog(run).all() if m.promoted}
    for name in (superseded, unfinished, other):
        for path in list(run.nets.glob(f"{latest}.*")):
            shutil.copy(path, run.nets / f"{name}{path.suffix}")
    lines = [superseded, *(line["network"] for line in _lines(networks)), unfinished]
    networks.write_text("".join(json.dumps({"network": name}) + "\n" for name in lines))
    with Heartbeat(run, "referee").running() as heartbeat:
        referee = Referee(run, settings, heartbeat, ThisProcess())
        while referee.work_once(nothing):
            pass
        present = {path.stem for path in run.nets.iterdir()}
        assert present == {
            *filter(run.has_network, played),
            run.champion.read_text().strip(),
            latest,
            unfinished,
            other,
        }
        run.write(run.latest, unfinished + "\n")
        assert superseded not in present
        referee.remove_losers(run.champion.read_text().strip(), unfinished)
        assert {path.stem for path in run.nets.iterdir()} == present - ({latest} - played)


def test_a_generator_goes_on_when_its_network_is_removed_meanwhile(copy, monkeypatch) -> None:
    run, settings = copy
    name = "0123456789abcdef"
    monkeypatch.setattr(Run, "network", lambda self, which: name)  # as it was a moment ago
    with Heartbeat(run, "generator").running() as heartbeat:
        generator = GameGenerator(run, settings, "latest", heartbeat)
        with generator.leases.keeping():
            assert generator.work_once(ThisProcess())
    assert not list(run.shards.glob("*.claim"))


# --- who waits ---


def test_a_generator_without_a_network_waits_and_says_who_is_lacking(
    tmp_path, settings_of, listener, monkeypatch
) -> None:
    settings, run = settings_of(), Run(tmp_path / "run")
    run.begin(settings)
    monkeypatch.setattr(programs, "PATIENCE", 0.3)
    ends = time.monotonic() + 300

    def watch() -> None:
        if time.monotonic() > ends or (listener.notes and StatusReader(run, settings).read().programs[0].waiting):
            facts = StatusReader(run, settings).read()
            assert [(program.name, program.waiting) for program in facts.programs] == [("generator", "a network")]
            assert "no trainer is at work" in facts.warnings[0]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        programs.generate(run, settings, watch, ThisProcess())
    assert len(listener.notes) == 1
    assert "the generator waits, and no trainer is at work on" in listener.notes[0]
    assert not list(run.programs.glob("*.json"))


def test_a_program_that_was_killed_is_told_of_and_then_forgotten(copy) -> None:
    run, settings = copy
    status = {"machine": "elsewhere", "process": 1, "run": "", "program": "trainer", "busy": "learns", "waiting": ""}
    path = run.programs / "trainer-elsewhere-1.json"
    path.write_text(json.dumps({**status, "since": time.time() - 600}))
    assert StatusReader(run, settings).read().warnings == []
    os.utime(path, (time.time() - 600, time.time() - 600))
    assert StatusReader(run, settings).read().warnings == ["the trainer 1 on elsewhere ended unexpectedly"]
    forget_gone(run)
    assert not path.exists()


@pytest.mark.parametrize("ahead", [-600.0, 600.0])
def test_ages_of_programs_come_from_the_clock_of_the_file_system(copy, monkeypatch, ahead) -> None:
    run, settings = copy
    status = {"machine": "elsewhere", "process": 1, "run": "", "program": "trainer", "busy": "learns", "waiting": ""}
    path, here = run.programs / "trainer-elsewhere-1.json", time.time()
    path.write_text(json.dumps({**status, "since": here}))
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: here + ahead)  # the clock of this machine is another one
        (program,) = StatusReader(run, settings).read().programs
        assert not program.gone
        assert program.seconds < 300
        forget_gone(run)
    assert path.exists()


def test_a_status_file_from_the_future_counts_as_one_of_now(copy) -> None:
    run, settings = copy
    status = {"machine": "elsewhere", "process": 1, "run": "", "program": "trainer", "busy": "learns", "waiting": ""}
    path = run.programs / "trainer-elsewhere-1.json"
    path.write_text(json.dumps({**status, "since": time.time()}))
    os.utime(path, (time.time() + 1e6, time.time() + 1e6))
    assert not StatusReader(run, settings).read().programs[0].gone
    then = path.stat().st_mtime - 600
    os.utime(path, (then, then))
    assert StatusReader(run, settings).read().programs[0].gone


def test_a_second_trainer_is_refused(copy) -> None:
    run, settings = copy
    with run.exclusive("trainer"), pytest.raises(BadInput, match="another program is at work on"):
        programs.train(run, settings, nothing, ThisProcess())


# --- other puzzles ---


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            (
                "puzzle=dust-4x3x3",
                "curriculum.random_walk_share=0",
                "curriculum.initial_difficulty=0",
                "curriculum.max_difficulty=0",
                "curriculum.growth=never",
            ),
            marks=pytest.mark.slow,
        ),
        ("self_play.policy=values", "match.opponents=[]", "follow=latest"),
        ("self_play.root=halving", "self_play.considered=2", "match.opponents=[]", "learning.steps=20"),
    ],
    ids=["dust", "values", "halving"],
)
def test_it_plays_what_has_moves_and_planes(tmp_path, compete, settings_of, changes) -> None:
    if "dust" in changes[0]:
        changes = (*changes, 'match.opponents=["random"]', "learning.steps=10")
    run = compete(tmp_path / "run", settings_of(*changes))
    assert run.has_network(run.champion.read_text().strip())


def test_settings_that_cannot_be_played_are_told(compete, settings_of, tmp_path) -> None:
    for change, words in [
        ('network.heads=["policy"]', "needs the head 'cost_to_go'"),
        ("curriculum.growth=linear", "not by 'linear'"),
        ("curriculum.growth=evaluations", "not by 'evaluations'"),
        ('match.opponents=["nobody"]', "there is no solver 'nobody'"),
        ("puzzle=dust-4x3x3", "no walk leads from its goal"),
    ]:
        with pytest.raises(BadInput, match=words):
            compete(tmp_path / "run", settings_of(change))

"""Runs of self-competition from their beginning to their end."""

import json
import shutil
import time
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

from puzzlelab import load
from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.experience.schema import SelfPlaySamples
from puzzlelab.experience.shards import numbers, read_shard, shard_path
from puzzlelab.nets import checkpoint
from puzzlelab.training import metrics
from puzzlelab.training.metrics import TIMES
from puzzlelab.training.selfplay import programs
from puzzlelab.training.selfplay.game_log import GameLog
from puzzlelab.training.selfplay.generator import GameGenerator, start_sampler
from puzzlelab.training.selfplay.heartbeat import Heartbeat, forget_gone
from puzzlelab.training.selfplay.matches import MatchLog, MatchRunner
from puzzlelab.training.selfplay.referee import Referee
from puzzlelab.training.selfplay.run_folder import SelfPlayRun
from puzzlelab.training.selfplay.status import StatusReader, headline


@pytest.fixture
def copy(finished, tmp_path):
    """The finished run once more, not yet at its end."""
    league, settings = finished
    shutil.copytree(league.folder, tmp_path / "copy")
    found = SelfPlayRun(tmp_path / "copy")
    found.done.unlink()
    return found, settings


def nothing() -> None:
    """Goes on."""


# --- one seed ---


def test_programs_that_take_turns_make_the_same_run_of_the_same_seed(finished, compete, settings_of, tmp_path) -> None:
    league, _ = finished
    again = compete(tmp_path / "again", settings_of())
    for name in ("champion", "latest", "done"):
        assert (again.folder / name).read_text() == (league.folder / name).read_text()
    assert _untimed(metrics.read(again.metrics)) == _untimed(metrics.read(league.metrics))
    assert _untimed(_lines(again.ledger)) == _untimed(_lines(league.ledger))
    assert _untimed(_lines(again.matches)) == _untimed(_lines(league.matches))
    other = compete(tmp_path / "other", settings_of("seed=6"))
    assert other.latest.read_text() != league.latest.read_text()


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def _untimed(lines):
    return [{name: value for name, value in line.items() if name not in (*TIMES, "at", "date")} for line in lines]


def test_a_run_that_is_stopped_goes_on(finished, compete, settings_of, tmp_path) -> None:
    calls = iter(range(10**6))

    def stop() -> None:
        if next(calls) == 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compete(tmp_path / "run", settings_of(), stop)
    assert not (tmp_path / "run" / "done").exists()
    league = compete(tmp_path / "run", settings_of())
    assert [line["step"] for line in metrics.read(league.metrics)] == [20, 40, 60]
    assert [line["number"] for line in _lines(league.ledger)] == list(range(len(_lines(league.ledger))))
    assert league.has(league.champion.read_text().strip())


# --- what a run leaves ---


def test_samples_are_positions_of_the_puzzle_and_games_become_harder(finished) -> None:
    league, settings = finished
    puzzle, shifts = load("tiles-2x3"), [line["shifts"] for line in _lines(league.ledger)]
    assert shifts[0] == 3
    assert shifts == sorted(shifts)
    assert shifts[-1] > 3
    kept = numbers(league.shards)
    samples = [read_shard(shard_path(league.shards, number), SelfPlaySamples) for number in kept]
    assert sum(map(len, samples[1:])) < settings.samples.newest <= sum(map(len, samples))
    for state, shares in zip(samples[-1].state, samples[-1].shares, strict=True):
        assert not puzzle.solved(state)
        assert not shares[~puzzle.legal(state)].any()
        assert shares.sum() == pytest.approx(1, abs=5e-3)
    assert len(_lines(league.ledger)) > len(kept)


def test_the_champion_is_a_network_like_any_other(finished) -> None:
    league, settings = finished
    name = league.champion.read_text().strip()
    model, card = checkpoint.load(league.nets / name)
    assert card.recipe == "selfplay"
    assert card.settings["samples"]["newest"] == settings.samples.newest
    assert set(model.heads) == {"policy", "cost_to_go"}


def test_matches_are_of_the_same_boards_and_say_how_they_ended(finished) -> None:
    league, settings = finished
    matches = MatchLog(league).all()
    opponents = settings.match.opponents
    assert {(match.a, match.b) for match in matches} >= {(opponents[1], opponents[0])}
    for match in matches:
        assert match.wins_a + match.wins_b + match.draws == match.games
        assert match.aborted <= match.draws
        assert match.settings["playouts"] == settings.playing.playouts
    crowned = [match for match in matches if match.promoted]
    assert all(match.b not in opponents and match.wins_a > match.wins_b for match in crowned)
    names = [match.a for match in crowned] or [league.champion.read_text().strip()]
    assert league.champion.read_text().strip() == names[-1]
    table = MatchRunner.of(league, settings)
    first, again = (list(table.boards(3, 9, 12)) for _ in range(2))
    assert [len(portion) for portion in first] == [8, 4]
    assert np.array_equal(np.concatenate(first), np.concatenate(again))


def test_a_match_may_be_of_any_two(finished, capsys) -> None:
    league, settings = finished
    table = MatchRunner.of(league, settings)
    champion = table.name("champion")
    assert table.name(champion[:8]) == champion
    assert table.name("greedy:estimate=manhattan") == "greedy:estimate=manhattan"
    match, interrupted = table.play(champion, "ida", 5, 8, 6, sequential=False)
    assert not interrupted
    assert (match.games, match.wins_a, match.solved_b) == (8, 0, 8)  # nobody is shorter than the shortest
    for wrong, told in (("nobody", "neither a network of"), ("greedy:estimat=x", "has no option 'estimat'")):
        with pytest.raises(BadInput, match=told):
            table.name(wrong)


def test_how_it_stands(finished) -> None:
    league, settings = finished
    facts = StatusReader(league, settings).facts()
    lines = _lines(league.ledger)
    assert facts.games == sum(line["games"] for line in lines)
    assert facts.made == sum(line["samples"] for line in lines)
    assert facts.shards == len(numbers(league.shards))
    assert (facts.steps, facts.done, facts.programs, facts.warnings) == (60, True, [], [])
    assert facts.champion == facts.reigns[-1].network
    assert [name for name, _ in facts.opponents] == list(settings.match.opponents)
    assert facts.opponents[0][1] == 0
    assert f"{facts.games:,} games" in headline(facts)


# --- being killed ---


def test_a_shard_counts_once_whether_or_not_its_line_was_written(copy) -> None:
    league, _ = copy
    before = GameLog(league.ledger, league.shards).entries()
    lines, last = league.ledger.read_text().splitlines(), numbers(league.shards)[-1]
    kept = [line for line in lines if json.loads(line)["number"] != last]
    league.ledger.write_text("\n".join([*kept, kept[-1]]) + "\n")  # one is lacking, one stands twice
    ledger = GameLog(league.ledger, league.shards)
    assert ledger.entries() == before
    ledger.keep(last)
    shard_path(league.shards, last).unlink()
    assert GameLog(league.ledger, league.shards).entries() == before
    ledger.keep(last)
    assert len(league.ledger.read_text().splitlines()) == len(lines) + 1


def test_a_number_whose_maker_was_killed_is_made_again_and_no_other(copy) -> None:
    league, settings = copy
    count = len(_lines(league.ledger))
    (league.shards / f"shard-{count:05}.claim").write_text("{}")
    with Heartbeat(league, "generator").kept() as diary:
        maker = GameGenerator(league, settings, "champion", diary)
        maker.once(nothing)
        maker.claims.expiry = -1.0
        maker.once(nothing)
    assert sorted(line["number"] for line in _lines(league.ledger)) == list(range(count + 2))
    assert not list(league.shards.glob("*.claim"))
    assert not list(league.shards.glob("writing*"))


def test_a_champion_whose_crowning_was_cut_short_is_crowned(copy) -> None:
    league, settings = copy
    champion, former = league.champion.read_text().strip(), "0123456789abcdef"
    matches = MatchLog(league)
    matches.add(replace(matches.all()[-1], a=champion, b=former, promoted=True))
    for path in league.nets.glob(f"{champion}*"):
        shutil.copy(path, path.with_name(path.name.replace(champion, former)))
    league.write(league.champion, f"{former}\n")
    with Heartbeat(league, "referee").kept() as diary:
        Referee(league, settings, diary).once(nothing)
    assert league.champion.read_text().strip() == champion


def test_without_a_champion_the_newest_becomes_it_and_one_without_files_is_told(copy) -> None:
    league, settings = copy
    league.champion.unlink()
    with Heartbeat(league, "referee").kept() as diary:
        Referee(league, settings, diary).once(nothing)
        assert league.champion.read_text() == league.latest.read_text()
        league.write(league.champion, "0123456789abcdef\n")
        with pytest.raises(BadFile, match="champion names the network '0123456789abcdef', whose files are not in"):
            Referee(league, settings, diary).once(nothing)
        with pytest.raises(BadFile, match="put them back, or remove"):
            GameGenerator(league, settings, "champion", diary).once(nothing)


# --- who waits ---


def test_a_generator_without_a_network_waits_and_says_who_is_lacking(
    tmp_path, settings_of, listener, monkeypatch
) -> None:
    settings, league = settings_of(), SelfPlayRun(tmp_path / "run")
    league.begin(settings)
    monkeypatch.setattr(programs, "PATIENCE", 0.3)
    ends = time.monotonic() + 60

    def watch() -> None:
        if time.monotonic() > ends or (listener.notes and StatusReader(league, settings).facts().programs[0].waits):
            facts = StatusReader(league, settings).facts()
            assert [(program.name, program.waits) for program in facts.programs] == [("generator", "a network")]
            assert "no trainer is at work" in facts.warnings[0]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        programs.generate(league, settings, None, watch)
    assert len(listener.notes) == 1
    assert "the generator waits, and no trainer is at work on" in listener.notes[0]
    assert not list(league.programs.glob("*.json"))


def test_a_program_that_was_killed_is_told_of_and_then_forgotten(copy) -> None:
    league, settings = copy
    told = {"machine": "elsewhere", "process": 1, "run": "", "program": "trainer", "does": "learns", "waits": ""}
    path = league.programs / "trainer-elsewhere-1.json"
    path.write_text(json.dumps({**told, "since": time.time() - 600}))
    assert StatusReader(league, settings).facts().warnings == []
    import os

    os.utime(path, (time.time() - 600, time.time() - 600))
    assert StatusReader(league, settings).facts().warnings == ["the trainer 1 on elsewhere ended without a word"]
    forget_gone(league)
    assert not path.exists()


def test_a_second_trainer_is_refused(copy) -> None:
    league, settings = copy
    with league.alone("trainer"), pytest.raises(BadInput, match="another program is at work on"):
        programs.train(league, settings, nothing)


# --- other puzzles ---


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(
            ("puzzle=dust-4x3x3", "starts.walks=0", "starts.first=0", "starts.last=0", "starts.grows=never"),
            marks=pytest.mark.slow,
        ),
        ("playing.policy=values", "match.opponents=[]", "follow=latest"),
    ],
    ids=["dust", "values"],
)
def test_it_plays_what_has_moves_and_planes(tmp_path, compete, settings_of, changes) -> None:
    if "dust" in changes[0]:
        changes = (*changes, 'match.opponents=["random"]', "learning.steps=10")
    league = compete(tmp_path / "run", settings_of(*changes))
    assert league.has(league.champion.read_text().strip())
    assert start_sampler(load("tiles-2x3"), settings_of(), []).difficulty == 3


def test_settings_that_cannot_be_played_are_told(compete, settings_of, tmp_path) -> None:
    for change, told in [
        ('network.heads=["policy"]', "needs the head 'cost_to_go'"),
        ("starts.grows=evenly", "not evenly"),
        ('match.opponents=["nobody"]', "there is no solver 'nobody'"),
        ("puzzle=dust-4x3x3", "no walk leads from its goal"),
    ]:
        with pytest.raises(BadInput, match=told):
            compete(tmp_path / "run", settings_of(change))

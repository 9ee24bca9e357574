"""Lines and status files of a run whose values have other types are refused with a sentence."""

import json
import tracemalloc
from dataclasses import asdict

import pytest

from puzzlelab.core.errors import BadFile
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay import heartbeat, status
from puzzlelab.training.selfplay.game_log import GameLog, GameLogEntry
from puzzlelab.training.selfplay.heartbeat import missing_programs
from puzzlelab.training.selfplay.matches import Match, MatchLog

GAMES = asdict(GameLogEntry(0, "0123456789abcdef", 3, 4, 2, 20, 12, 1.5, 1.7e9))
MATCH = asdict(Match("a", "random", 9, 6, 2, 1, 9, 7, "better", 3, False, True, 1.7e9, "2026-01-01", {"playouts": 6}))
STATUS = {"machine": "m", "process": 7, "run": "r", "program": "trainer", "busy": "", "waiting": "x", "since": 1.7e9}
ODD = (None, [], {}, "text", [3])


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("name", ["number", "games", "won", "scramble_length", "samples", "at"])
def test_a_shard_with_another_type_is_refused(tmp_path, name: str, odd: object) -> None:
    log = GameLog(tmp_path / "games.jsonl", tmp_path)
    log.path.write_text(json.dumps(GAMES) + "\n" + json.dumps({**GAMES, name: odd}) + "\n")
    with pytest.raises(BadFile, match="does not describe a shard"):
        log.update()


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("name", ["games", "wins_a", "wins_b", "scramble_length", "at"])
def test_a_match_with_another_type_is_refused(tmp_path, name: str, odd: object) -> None:
    run = Run(tmp_path)
    run.matches.write_text(json.dumps({**MATCH, name: odd}) + "\n")
    with pytest.raises(BadFile, match="does not describe a match"):
        MatchLog(run).all()


def test_a_champion_of_a_match_without_games_was_not_tested(tmp_path) -> None:
    matches = [Match(**{**MATCH, "games": 0, "wins_a": 0, "wins_b": 0, "aborted": 0, "solved_a": 0})]
    (first, second) = status._champions(1.7e9, None, matches, {}, ["random"])
    assert (first.network, first.solved, second.network, second.solved) == ("random", None, "a", None)


def test_the_matches_tell_which_network_is_the_champion(tmp_path) -> None:
    run = Run(tmp_path)
    first, second, third = names = [f"{number:016x}" for number in range(1, 4)]
    run.nets.mkdir()
    for name in names:
        (run.nets / f"{name}.json").touch()
        (run.nets / f"{name}.safetensors").touch()
    played = [("greedy", "random", False), (first, "random", False), (second, first, False), (third, first, True)]
    lines = [json.dumps({**MATCH, "a": a, "b": b, "promoted": promoted}) + "\n" for a, b, promoted in played]
    champions = []
    for count in range(len(lines) + 1):
        run.matches.write_text("".join(lines[:count]))
        champions.append(MatchLog(run).champion())
    assert champions == [None, None, first, first, third]
    (run.nets / f"{third}.json").unlink()
    assert MatchLog(run).champion() is None


def test_what_was_written_is_read(tmp_path) -> None:
    run = Run(tmp_path)
    run.matches.write_text(json.dumps(MATCH) + "\n")
    run.game_log.write_text(json.dumps(GAMES) + "\n")
    assert [asdict(match) for match in MatchLog(run).all()] == [MATCH]
    assert [asdict(entry) for entry in GameLog(run.game_log, run.shards).new_entries()] == [GAMES]


@pytest.mark.parametrize("status_of_run", [False, True], ids=["log", "status"])
def test_the_memory_for_a_log_does_not_grow_with_its_length(tmp_path, settings_of, status_of_run) -> None:
    run, count = Run(tmp_path / "run"), 4000
    run.begin(settings_of())
    reader = status.StatusReader(run, settings_of())
    read = reader.read if status_of_run else reader._game_log.update

    def bytes_after(first: int) -> int:
        with run.game_log.open("a") as file:
            for number in range(first, first + count):
                line = {**GAMES, "number": number, "network": f"{number:016x}", "at": 1e9 + number}
                file.write(json.dumps(line) + "\n")
        read()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first, second = bytes_after(0), bytes_after(count)
    finally:
        tracemalloc.stop()
    assert second - first < 20 * count  # an entry would take hundreds of bytes
    assert not status_of_run or reader.read().games == 2 * count * GAMES["games"]


@pytest.mark.parametrize("odd", [None, [], {}, 3.5, 10**30], ids=repr)
@pytest.mark.parametrize("name", ["program", "machine", "busy", "waiting", "process"])
def test_a_status_with_another_type_is_refused(tmp_path, name: str, odd: object) -> None:
    run = Run(tmp_path)
    run.programs.mkdir()
    (run.programs / "trainer-m-7.json").write_text(json.dumps({**STATUS, name: odd}))
    if name == "process" and odd == 10**30:
        assert [each.process for each in heartbeat.programs(run)] == [odd]  # no process of this machine
        return
    with pytest.raises(BadFile, match="is damaged: remove it"):
        heartbeat.programs(run)


def test_a_program_of_a_later_version_waits_for_nothing_that_is_known(tmp_path) -> None:
    assert missing_programs(Run(tmp_path), "librarian") == []

"""The trials of `benchmarks/faults.py`: what their judge counts as lost, the table, and that each kind of them runs."""

import json
import math
import random
import signal
import sys
import time

import pytest

import faults
from fault_trials import damage, judge, kills
from fault_trials.bench import Site
from fault_trials.programs import Outcome, Programs, Stopped, marked
from fault_trials.record import Case, Record, Trial
from fault_trials.works import SOLVE, write_configs

TRACEBACK = 'Traceback (most recent call last):\n  File "x.py"\nKeyboardInterrupt\n'
ROW = {"board": "123", "length": 5, "seconds": 0.25}

needs_processes = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are found by /proc")


def outcome(code=0, **fields):
    return Outcome("puzzlelab", code, **fields)


# --- the judge ---


@pytest.mark.parametrize(
    "good",
    [
        outcome(),
        outcome(130, sent=signal.SIGINT, err="interrupted\n"),
        outcome(143, sent=signal.SIGTERM),
        outcome(129, sent=signal.SIGHUP),
        outcome(-9, sent=signal.SIGKILL),
        outcome(0, sent=signal.SIGTERM),
        outcome(-15, sent=signal.SIGTERM, starting=True),
    ],
)
def test_a_good_end_has_no_complaint(good) -> None:
    assert judge.complaints(good) == []


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (outcome(1, err=TRACEBACK), "Traceback"),
        (outcome(err=TRACEBACK), "Traceback"),
        (outcome(1, err="Aborted.\n"), "Aborted."),
        (outcome(err="Exception ignored in: <_io.TextIOWrapper>\n"), "Exception ignored"),
        (outcome(-11), "exit code -11"),
        (outcome(-15, sent=signal.SIGTERM), "exit code -15, expected 0 or 143"),
        (outcome(-2, sent=signal.SIGTERM, starting=True), "exit code -2"),
        (outcome(-15), "exit code -15"),
        (outcome(1), "exit code 1"),
        (outcome(2, err="error: no such file\n"), "exit code 2"),
        (outcome(120), "exit code 120"),
        (outcome(survivors=("77 (python)",), gone_after=2.5), "still running after 2.5 s: 77 (python)"),
        (outcome(timed_out=True), "hangs"),
        (outcome(err="\x1b[31mred"), "raw control characters"),
    ],
)
def test_a_bad_end_is_a_complaint(bad, words) -> None:
    assert any(words in complaint for complaint in judge.complaints(bad))


def test_a_refusal_needs_a_sentence_that_says_what_to_do() -> None:
    assert judge.complaints(outcome(2, err="oops\n"), (2,)) != []
    assert judge.complaints(outcome(2), (2,), streams="out") == []
    clear = outcome(2, err="Compiling ...\nerror: run/state.json is damaged: remove it, or give --restart\n")
    assert judge.complaints(clear, (2,)) == []
    assert judge.sentence(clear).startswith("run/state.json")
    assert judge.says_what_to_do(clear) == []
    assert judge.says_what_to_do(outcome(2, err="error: run/state.json is damaged\n")) != []


def test_a_program_that_ignores_a_signal_is_lost_unless_it_should(monkeypatch) -> None:
    monkeypatch.setattr(judge, "load", lambda: 1.0)
    late = outcome(0, sent=signal.SIGTERM, after_signal=60.0)
    assert judge.complaints(late) == ["it went on for 60.0 s after the signal"]
    assert judge.complaints(late, after_signal=math.inf) == []
    assert judge.complaints(outcome(0, sent=signal.SIGTERM, after_signal=0.1)) == []


def test_silence_is_demanded_where_it_should_be() -> None:
    assert judge.complaints(outcome(err="damaged\n")) == []
    assert judge.complaints(outcome(err="damaged\n"), silent=True) != []


def test_a_traceback_of_pythons_own_start_says_nothing_of_the_program() -> None:
    early = outcome(-2, sent=signal.SIGINT, starting=True, err=TRACEBACK)
    assert judge.in_pythons_start(early)
    assert not judge.in_pythons_start(outcome(-2, sent=signal.SIGINT, starting=True, err="puzzlelab/x.py " + TRACEBACK))
    assert not judge.in_pythons_start(outcome(-2, sent=signal.SIGINT, err=TRACEBACK))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([ROW, ROW], "2 lines, expected 1"),
        ([{**ROW, "length": 6}], "first in line 1"),
        ([], "0 lines, expected 1"),
        (["torn"], "first in line 1"),
        (None, "rows.jsonl is missing"),
    ],
)
def test_rows_are_compared_without_their_seconds(tmp_path, rows, words) -> None:
    expected, same, other = (tmp_path / name for name in ("expected", "same", "other"))
    for folder, content in ((expected, [ROW]), (same, [{**ROW, "seconds": 9.0}]), (other, rows)):
        folder.mkdir()
        if content is not None:
            (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in content))
    assert judge.differences(judge.of_rows(expected), judge.of_rows(same)) == []
    assert words in "".join(judge.differences(judge.of_rows(expected), judge.of_rows(other)))


def test_runs_are_compared_by_weights_and_lines(tmp_path) -> None:
    for name, weights, loss in (("expected", b"1", 0.5), ("same", b"1", 0.5), ("other", b"2", 0.5), ("lines", b"1", 1)):
        (tmp_path / name / "nets").mkdir(parents=True)
        (tmp_path / name / "nets" / "a.safetensors").write_bytes(weights)
        (tmp_path / name / "metrics.jsonl").write_text(json.dumps({"step": 1, "loss": loss, "at": time.time()}) + "\n")
    expected = judge.of_run(tmp_path / "expected")
    assert judge.differences(expected, judge.of_run(tmp_path / "same")) == []
    assert judge.differences(expected, judge.of_run(tmp_path / "other")) == ["nets/a.safetensors differs"]
    assert judge.differences(expected, judge.of_run(tmp_path / "lines")) == ["metrics.jsonl differs: first in line 1"]
    (tmp_path / "same" / "champion.123.456").write_text("half")
    assert judge.litter(tmp_path / "same") == ["litter: champion.123.456"]
    (tmp_path / "other" / "tensorboard").mkdir()
    (tmp_path / "other" / "tensorboard" / "events.host.27037.0").touch()
    assert judge.litter(tmp_path / "other") == []


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('{"number": 0}\n{"number": 1}\n', ""),
        ('{"number": 0}\n{"number": 0}\n', "counts [0] more than once"),
        ('{"number": 0}\n{"number": 2}\n', "lacks [1]"),
        ('{"number": 0}\n{"num', "line 2 is torn"),
        (None, "missing"),
    ],
)
def test_every_game_is_counted_once(tmp_path, lines, words) -> None:
    if lines is not None:
        (tmp_path / "games.jsonl").write_text(lines)
    complaints = judge.counted_games(tmp_path)
    assert words in "".join(complaints)
    assert bool(complaints) == bool(words)


# --- the table ---


def test_what_is_lost_or_skipped_never_counts_as_held(capsys) -> None:
    record = Record()
    record.add(
        [Trial("kills", "a"), Trial("kills", "b", ("it hangs",), "puzzlelab solve"), Trial("disks", "c", skipped="no")]
    )
    record.add([Trial("again", "b", ("differs",), title="kills: b")])
    assert record.counts() == {"kills": (2, 1, 1), "disks": (0, 0, 0), "again": (1, 0, 1)}
    text = "\n".join(record.lines(7))
    assert "skipped: disks: no" in text
    assert "ran: puzzlelab solve" in text
    assert text.count("repeat: python benchmarks/faults.py --seed 7 --only 'kills: b'") == 2
    assert record.table().row_count == 3


def test_a_case_that_fails_itself_is_lost(tmp_path) -> None:
    def broken(bench):
        bench.tried([])
        raise ValueError("oh")

    site = Site(tmp_path, 1, Programs())
    trials = faults.attempted(site, Case("kills", "broken", broken))
    assert [bool(trial.complaints) for trial in trials] == [False, True]
    assert "ValueError: oh" in trials[1].complaints[0]
    site.programs.stop()
    assert faults.attempted(site, Case("kills", "later", broken)) == []


def test_cases_have_names_of_their_own_and_are_chosen_by_them(capsys) -> None:
    cases = faults.all_cases()
    assert len({case.title for case in cases}) == len(cases)
    assert len(faults.chosen(cases, ["closed streams: solve"])) == 1
    assert faults.main(["--list", "--only", "no such fault"]) == 2
    assert faults.main(["--list", "--only", "damaged tables"]) == 0
    assert "damaged tables: wrong shape" in capsys.readouterr().out
    assert sum(case.fault == kills.KILLED for case in cases) * kills.SEQUENCE >= 200


@pytest.mark.parametrize("kind", damage.ALL)
def test_damage_changes_the_file(tmp_path, kind) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(1, 200)))
    damage.ALL[kind](path, random.Random(1))
    assert not path.is_file() or path.read_bytes() != bytes(range(1, 200))


# --- processes ---

ORPHAN = (
    "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(100)\nprint('ready', flush=True)\n"
    "time.sleep(float(sys.argv[1]))"
)


@needs_processes
def test_a_process_that_stays_is_seen_and_ended(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("fault_trials.programs.GONE_OTHERWISE", 0.1)
    program = Programs().start([sys.executable, "-c", ORPHAN, "0"], tmp_path, {})
    ended = program.finish()
    assert len(ended.survivors) == 1
    assert "still running" in judge.complaints(ended)[0]
    deadline = time.monotonic() + 60
    while marked(program.mark):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert list(tmp_path.iterdir()) == []


@needs_processes
def test_a_program_that_hangs_is_ended_and_lost(tmp_path) -> None:
    ended = Programs().start([sys.executable, "-c", "import time; time.sleep(1000)"], tmp_path, {}).finish(limit=0.2)
    assert ended.timed_out
    assert ended.survivors == ()
    assert "hangs" in judge.complaints(ended)[0]


@needs_processes
def test_the_signal_the_streams_and_the_limits_of_a_program(tmp_path) -> None:
    programs = Programs()
    program = programs.start([sys.executable, "-c", ORPHAN, "1000"], tmp_path, {})
    assert program.wait_for_output("ready")
    program.send(signal.SIGINT)  # to the group, in which the orphan is no longer
    program.wait(60)
    programs.stop()
    with pytest.raises(Stopped):
        program.finish()
    with pytest.raises(Stopped):
        programs.start(["true"], tmp_path, {})
    ended = Programs().start(["cat"], tmp_path, {"PATH": "/bin:/usr/bin"}, 'exec "$@" >&-', b"text").finish()
    assert ended.code == 1
    assert ended.out == ""
    assert ended.err


# --- every kind of trial ---


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Boards and settings, and a cache of compiled kernels."""
    site = Site(tmp_path_factory.mktemp("faults"), 1, Programs())
    site.prepare()
    write_configs(site)
    yield site
    site.programs.stop()


def cheap_cases():
    cheapest = {}
    for case in faults.all_cases():
        if case.fault not in cheapest or case.seconds < cheapest[case.fault].seconds:
            cheapest[case.fault] = case
    return list(cheapest.values())


@pytest.mark.slow
@needs_processes
@pytest.mark.parametrize("case", cheap_cases(), ids=lambda case: case.title)
def test_a_cheap_case_of_every_fault_runs(site, case) -> None:
    trials = faults.attempted(site, case)
    assert trials
    assert not [complaint for trial in trials for complaint in trial.complaints if "the trial itself" in complaint]


@pytest.mark.slow
@needs_processes
def test_a_sequence_of_kills_of_solve_loses_nothing(site) -> None:
    bench = site.bench(Case("killed", "solve, once", lambda bench: None))
    for _ in range(2):
        out = bench.fresh()
        expected = bench.reference(SOLVE)
        program = bench.start(*SOLVE.words(out, site))
        kills.killed(bench, program, signal.SIGKILL, expected.seconds * 0.6)
        ended = bench.run(*SOLVE.words(out, site))
        assert judge.complaints(ended) == []
        assert SOLVE.wrong(expected.result, out, ended) == []
        path = out / SOLVE.target
        path.write_bytes(path.read_bytes() + path.read_bytes()[: path.read_bytes().index(b"\n") + 1])
        assert SOLVE.wrong(expected.result, out, ended) == ["rows.jsonl differs: 301 lines, expected 300"]

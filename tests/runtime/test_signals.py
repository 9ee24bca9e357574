"""Signals that end a command, and what happens to them in the first moments of the program."""

import importlib
import signal
import subprocess
import sys
import threading

import pytest

from puzzlelab.runtime import signals, startup

pytestmark = pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGHUP"),
    reason="signals reach the main thread alone, and SIGHUP is not everywhere",
)


@pytest.fixture(autouse=True)
def handlers():
    """The handlers of a process that was started in the foreground; they are restored."""
    before = {number: signal.getsignal(number) for number in startup.ENDING}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_every_signal_is_an_interrupt_with_an_exit_code_of_its_own(number, code) -> None:
    with signals.raising():
        assert not signals.received()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert signals.received()
        assert [signals.exit_code(each) for each in (0, 1, 2, 130)] == [0, 1, 2, code]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_server_ends_by_signals_alone_which_is_no_fault(monkeypatch) -> None:
    monkeypatch.setattr(sys, "argv", ["puzzlelab", "web"])
    with signals.raising():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert signals.exit_code(130) == 0


def test_a_delayed_signal_waits_for_the_check_and_a_second_one_does_not() -> None:
    with signals.raising(), signals.delayed() as check:
        check()
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            check()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert signals.exit_code(130) == 143


def test_nothing_is_delayed_before_the_first_check_and_an_ignored_signal_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with signals.raising(), signals.delayed():
        signal.raise_signal(signal.SIGHUP)
        assert not signals.received()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)


def test_a_library_delays_ctrl_c_alone() -> None:
    with signals.delayed():
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler


def test_an_interrupt_that_a_destructor_swallows_comes_again() -> None:
    class Swallows:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    def lose() -> None:
        thing = Swallows()
        del thing
        threading.Event().wait(300)

    with signals.raising(), pytest.raises(KeyboardInterrupt):
        lose()


def _wait() -> None:
    """Wait a minute in short steps, because a signal that is raised in a thread ends no long wait."""
    for _ in range(600):
        threading.Event().wait(0.1)


@pytest.mark.parametrize("system", ["this one", "one that sends no signals to threads"])
def test_an_interrupt_in_an_import_comes_after_it(tmp_path, monkeypatch, system) -> None:
    if system != "this one":
        monkeypatch.delattr(signal, "pthread_kill", raising=False)
    monkeypatch.delitem(sys.modules, "imported_whole", raising=False)
    text = "import signal\nsignal.raise_signal(signal.SIGTERM)\nwhole = True\n"
    (tmp_path / "imported_whole.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with signals.raising():
        module = importlib.import_module("imported_whole")
        assert not signals.received()
        with pytest.raises(KeyboardInterrupt):
            _wait()
        assert signals.exit_code(130) == 143
    assert module.whole


# --- before the command begins ---

SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = {argv!r}
import puzzlelab
assert not {{'typer', 'numpy'}} & {{*sys.modules}}
signal.raise_signal({number})
"""


def started(argv, number, **options):
    code = SCRIPT.format(argv=argv, number=int(number))
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize(
    ("verb", "number", "code"),
    [
        ("solve", signal.SIGINT, 130),
        ("solve", signal.SIGTERM, 143),
        ("solve", signal.SIGHUP, 129),
        ("web", signal.SIGTERM, 0),
    ],
)
def test_the_first_moments_end_in_silence(verb, number, code) -> None:
    done = started(["/bin/puzzlelab", verb], number)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


LATER = """
import sys
sys.argv = ["puzzlelab"]
import puzzlelab
import signal
from puzzlelab.runtime import signals
with signals.raising():
    with signals.ending_at_once():
        pass
    assert signal.getsignal(signal.SIGTERM) is signals.interrupt
    with signals.ending_at_once():
        signal.raise_signal(signal.SIGTERM)
print("it went on")
"""


def test_a_signal_ends_long_imports_in_silence() -> None:
    done = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")


def test_a_library_changes_no_handler() -> None:
    with signals.raising(), signals.ending_at_once():
        assert signal.getsignal(signal.SIGTERM) is signals.interrupt
    assert started(["/home/user/my_script.py"], signal.SIGTERM).returncode == -signal.SIGTERM

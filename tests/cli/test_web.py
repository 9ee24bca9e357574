"""`puzzlelab web`: what it says where the page cannot be served. What it serves stands in tests/web."""

import builtins
import socket
import sys

import pytest

from puzzlelab.cli import main


def run(monkeypatch, capsys, *arguments: str) -> tuple[int, str]:
    """The exit code, and what was said about what is wrong."""
    monkeypatch.setattr(sys, "argv", ["puzzlelab", "web", *arguments])
    with pytest.raises(SystemExit) as ended:
        main.run()
    return ended.value.code, capsys.readouterr().err


def test_a_port_that_is_taken_is_told(monkeypatch, capsys) -> None:
    pytest.importorskip("fastapi")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, said = run(monkeypatch, capsys, "--port", str(port))
    assert code == 2
    assert f"port {port} of 127.0.0.1 cannot be used" in said
    assert "--port" in said


def test_without_the_extra_it_says_what_to_install(monkeypatch, capsys) -> None:
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] in ("fastapi", "uvicorn"):
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return real(name, *rest)

    for name in [name for name in sys.modules if name.startswith("puzzlelab.web")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    code, said = run(monkeypatch, capsys)
    assert code == 2
    assert "which is not installed: pip install 'puzzlelab[web]'" in said

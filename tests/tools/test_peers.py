"""The comparison of Sudoku solvers in `benchmarks/`, run as a program."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data" / "sudoku_exchange.csv"


def peers(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "benchmarks" / "sudoku_peers.py", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_plain_solver_is_right_and_its_figures_are_written(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    done = peers(DATA, "--with", "Norvig", "--budget", 5, "--count", 6, "--out", out)
    assert done.returncode == 0, done.stderr
    assert "sudoku_exchange: bands against Norvig-style: not measured" in done.stdout
    (figure,) = json.loads(out.read_text())
    assert (figure["set"], figure["peer"], figure["unsolved"]) == ("sudoku_exchange", "Norvig-style", 0)
    assert figure["solved"] >= 6


def test_a_wrong_solution_counts_as_unsolved(tmp_path: Path) -> None:
    lines = [line.split(",") for line in DATA.read_text().splitlines()[1:4]]
    lines[1][1] = lines[1][1][::-1]
    (tmp_path / "wrong.csv").write_text("".join(f"{puzzle},{solution}\n" for puzzle, solution, _ in lines))
    out = tmp_path / "figures.md"
    assert peers(tmp_path / "wrong.csv", "--with", "Norvig", "--out", out).returncode == 0
    row = next(line for line in out.read_text().splitlines() if line.startswith("| Norvig"))
    solved, unsolved = (int(cell.replace(",", "")) for cell in row.split("|")[5:7])
    assert solved == 2 * unsolved > 0

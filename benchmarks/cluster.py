"""What a piece costs the driver of a cluster, and how many nodes one driver feeds: `python benchmarks/cluster.py`.

A cluster of this machine is measured: seconds of the driver and bytes for each piece, by the kind of work; the time to
publish networks; boards a second with one node of two cores beside two local workers. From these costs a queue model
(`cluster_model.py`) gives the throughput of 1 to 1,000 nodes of 16 cores. `--svg FILE` draws it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

import puzzlelab
from cluster_costs import EmptyPieces, ManyNodes, empty_pieces, head_seconds, publish_seconds, work_of
from cluster_kinds import BOARDS, EXAMPLES
from cluster_model import Throughput, Work, curve, most_fed
from puzzlelab.engine.executor import Executor
from small_cluster import SmallCluster

NODES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
CORES = 16
BANDWIDTH = 10e9 / 8
"""Bytes a second of the driver's link."""
SPEEDS = (
    ("15-puzzle", "tiles-4x4", ["--with", "ida"], {"scale": "uniform"}, 1500),
    ("8-puzzle", "tiles-3x3", ["--with", "ida"], {}, 200_000),
    ("9x9 Sudoku", "sudoku-9x9", [], {}, 300_000),
)
"""Name, puzzle, solver, boards and their number: what is timed with one node and with local workers."""
Points = Sequence[tuple[int, Throughput]]


def main() -> None:
    """Measure, simulate, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svg", type=Path, help="draw the curve into this file")
    options = parser.parse_args()
    console = Console(width=150)
    with tempfile.TemporaryDirectory() as folder:
        cluster = SmallCluster(Path(folder) / "nodes", 1, cpus=2, network=91)
        try:
            console.print(speeds(cluster, Path(folder)))
            with ManyNodes(cluster.address) as executor:
                empties = empty_pieces(executor, lambda: head_seconds(cluster))
                published = [(megabytes, 1, *publish_seconds(executor, megabytes, 1)) for megabytes in (1, 30)]
                works = [kind.work(executor) for kind in BOARDS]
                works += [work_of(example(), executor, empties.costs) for example in EXAMPLES]
                cluster.add_node()
                wait_for_nodes(executor, 2)
                published += [(megabytes, 2, *publish_seconds(executor, megabytes, 8)) for megabytes in (1, 30)]
        finally:
            cluster.close()
    console.print(of_empty_pieces(empties))
    console.print(of_published(published))
    curves = [(work, curve(work, empties.costs, NODES, CORES, BANDWIDTH)) for work in works]
    console.print(of_works(curves))
    console.print(of_curves(curves))
    if options.svg:
        draw(curves, options.svg)


def wait_for_nodes(executor: Executor, count: int) -> None:
    """Wait until an executor knows of so many nodes."""
    while not executor.slots or executor.nodes < count:
        time.sleep(0.2)


# --- one node beside local workers ---


def speeds(cluster: SmallCluster, folder: Path) -> Table:
    """Boards a second of whole commands: one node of two cores, two local workers, two threads; in turn, twice."""
    table = Table("boards", "ray", "local", "threads", "ray / local", "driver's CPU share", title="boards a second")
    for name, puzzle, solver, level, count in SPEEDS:
        path = folder / f"{puzzle}.txt"
        boards = puzzlelab.generate(puzzle, count, seed=1, **level)
        path.write_text("".join(f"{board.puzzle.write(board.state)}\n" for board in boards))
        words = ["solve", puzzle, "--file", str(path), *solver]
        ways = ([f"--executor=ray:{cluster.address}"], ["--executor=local", "--jobs=2"], ["--jobs=2"])
        for way in ways:
            timed([*words, *way], folder)  # compiles, on the node too
        taken = [[timed([*words, *way], folder) for way in ways] for _ in range(2)]
        seconds = [min(each[place][0] for each in taken) for place in range(len(ways))]
        share = taken[0][0][1] / taken[0][0][0]
        rates = [count / each for each in seconds]
        table.add_row(name, *(f"{rate:,.1f}" for rate in rates), f"{rates[0] / rates[1]:.2f}", f"{share:.0%}")
    return table


def timed(words: list[str], folder: Path) -> tuple[float, float]:
    """(seconds, CPU seconds of the process) of a command that writes its rows to a new file."""
    import resource

    out = folder / "rows.jsonl"
    out.unlink(missing_ok=True)
    command = [sys.executable, "-m", "puzzlelab", *words, "--out", str(out)]
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, cpu


# --- tables ---


def of_empty_pieces(empties: EmptyPieces) -> Table:
    """What a piece costs, whatever is in it."""
    table = Table("nodes of 16 cores", "driver, a piece", "driver, a look", title="empty pieces")
    for slots, piece, look in zip(empties.costs.slots, empties.costs.piece, empties.costs.look, strict=True):
        table.add_row(f"{slots // CORES:,}", f"{piece * 1e3:.2f} ms", f"{look * 1e3:.2f} ms")
    table.caption = (
        f"{empties.rate:,.0f} pieces a second on two cores; the head's programs {empties.head_seconds * 1e3:.2f} ms a "
        f"piece; {empties.costs.piece_bytes:,.0f} bytes each way"
    )
    return table


def of_published(published: Sequence[tuple[int, int, float, float]]) -> Table:
    """How long it takes to publish a network."""
    table = Table("MB", "nodes", "driver", "until all have it", title="published networks")
    for megabytes, nodes, put, all_have_it in published:
        table.add_row(f"{megabytes}", f"{nodes}", f"{put * 1e3:.1f} ms", f"{all_have_it * 1e3:.0f} ms")
    return table


def of_works(curves: Sequence[tuple[Work, Points]]) -> Table:
    """The costs of each kind of work, and how many nodes one driver feeds."""
    columns = ("work", "unit", "core, a unit", "to the node", "to the driver", "driver, a unit", "nodes fed", "then")
    table = Table(*columns, title=f"kinds of work; nodes of {CORES} cores")
    for work, points in curves:
        fed = most_fed(points)
        limit = next((throughput.limit for nodes, throughput in points if nodes > fed), "")
        table.add_row(
            work.name,
            work.unit,
            f"{work.seconds * 1e3:,.3g} ms",
            f"{work.bytes_to_node:,.0f} B",
            f"{work.bytes_to_driver:,.0f} B",
            f"{work.driver_seconds * 1e6:,.3g} µs",
            f"{fed:,}{'+' if fed == NODES[-1] else ''}",
            limit,
        )
    return table


def of_curves(curves: Sequence[tuple[Work, Points]]) -> Table:
    """The simulated throughput, as a share of what as many cores do without waiting."""
    table = Table("work", *(f"{nodes:,}" for nodes in NODES), title="share of the ideal throughput, by nodes")
    for work, points in curves:
        table.add_row(work.name, *(f"{throughput.share:.0%}" for _, throughput in points))
    return table


def draw(curves: Sequence[tuple[Work, Points]], path: Path) -> None:
    """Draw the curves."""
    from puzzlelab.bench.charts import empty_figure, write

    figure = empty_figure("Throughput of one driver, simulated from measured costs")
    axes = figure.subplots()
    for work, points in curves:
        axes.plot([nodes for nodes, _ in points], [100 * throughput.share for _, throughput in points], label=work.name)
    axes.set_xscale("log")
    axes.set_xlabel(f"nodes of {CORES} cores")
    axes.set_ylabel("% of the ideal throughput")
    axes.set_ylim(0, 105)
    axes.legend(fontsize="small")
    write(figure, path)


if __name__ == "__main__":
    main()

"""Runs puzzles and searches: compiled kernels, the driver of searches, and rules for batches of boards.

Start with `kernels`: the names through which a search reaches a puzzle's compiled rules, and the decorators that
compile. `driver` gives a search its slices of work, `attempts` combines several searches, and `enumeration` drives one
that lists all solutions.
`search_rules` chooses the rules that a search runs on: kernels, or through `state_graph` rules for batches or plain
rules.

- Records of searches: `record_parts` (counts and flags, and other parts that several share) and `records` (what makes
  them), `hash_table_kernels`, and `evaluation_kernels` (the estimates of successors).
- Batches: `batch_rules`, `batch_verify`; for networks `network_io` and `candidate_logits`.
- `compiler`: how kernels are compiled, and kept on disk; numbers of up to 256 bits, and vectors. `user_cache` is the
  folder for such files, and `table_cache` keeps the tables of estimates there.
- Many pieces of work: `executor` (the interface), `streams` (pieces one after another), `parallel` (this process and
  its threads), and `worker_processes` with `worker` (what runs in them, and networks that they cannot read from files).
- `report` passes messages of long computations on.

Kernels stand in files named `kernels.py` or `NAME_kernels.py`, in every package, and the typed Python that calls them
in `NAME.py`. The package imports `core` alone; puzzles, solvers and all above them import it.
"""

"""One architecture a file: `ARCHITECTURE` is its settings, which build it for a puzzle. Found by scanning this folder.

A file's settings have `kind`, `heads` and `policy` as all do (see `nets.network`), and

- `build(puzzle) -> torch.nn.Module`, which maps input tensors to a dictionary: for each head its answers, `moves` and
  `q` as `float[B, M]`, `remaining` as `float[B]`;
- `inputs(puzzle, states) -> tuple of arrays`, from plain states `[B, S]` to what the module is given.
"""

"""Network architectures, one in each file. A file is found by scanning this folder; its `ARCHITECTURE` is the settings.

Settings extend `nets.network.NetworkSettings` and have two methods:

- `build(puzzle) -> torch.nn.Module`: the network. Its forward pass returns a dictionary with the output of each head:
  `policy` and `q` as `float[B, M]`, `cost_to_go` as `float[B]`;
- `inputs(puzzle, states) -> tuple of arrays`: the network's inputs for plain states `[B, S]`.
"""

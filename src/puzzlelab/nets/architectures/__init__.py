"""Network architectures, one in each file. A file is found by scanning this folder; its `ARCHITECTURE` is the settings.

Settings extend `nets.network.NetworkSettings` and have a method and a property:

- `build(puzzle) -> torch.nn.Module`: the network. Its forward pass returns a dictionary with the output of each head:
  `policy` and `q` as `float[B, M]`, `cost_to_go` as `float[B]`. It can be exported to ONNX with any number of states B;
- `input_names`: the kinds of its inputs, which `nets.form.INPUTS` makes of plain states `[B, S]`; usually the planes.
"""

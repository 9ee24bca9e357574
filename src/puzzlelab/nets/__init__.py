"""Neural networks: architectures, files with weights, and the model that gives searches a prior and an estimate.

Start with `model.py`: a model is a network with its puzzle, and answers as an `Estimate` or a `Prior`. `form.py` says
what a program must know of a network to use it. Searches use an `OnnxModel`, which `onnx_model.py` loads and ONNX
Runtime evaluates (within the limits of `onnx_limits.py`); `model_zoo.py` finds it by name, in files and among the
networks that come with the package.

Trainings use a `TorchModel` (`torch_model.py`). `network.py` has the settings that all networks share, `architectures/`
one architecture a file, and `layers.py` their output layers. `checkpoint.py` writes the files of a network: its
weights, its card (`card.py`), and the file that searches read, which `exporting.py` makes of both.

Only what trains imports torch. Searches reach this package only through `storage/networks.py`, so that they start
without ONNX Runtime where they need no network. `training`, `bench`, `cluster`, `api`, `gym`, `cli` and `web` may
import this package; `experience` and this package do not know each other.
"""

import os

# ONNX Runtime from version 1.29 on sends what it does to its maker, and keeps an identifier of the machine, unless this
# is set before it is imported.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

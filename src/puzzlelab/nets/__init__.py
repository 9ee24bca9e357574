"""Neural networks: architectures, files with weights, and the model that gives searches a prior and an estimate.

Start with `model.py`: a model is a network with its puzzle, and answers as an `Estimate` or a `Prior`. `network.py` has
the settings that all networks share, `architectures/` one architecture a file, and `heads.py` their output layers.
`checkpoint.py` reads and writes weights with their card; `model_zoo.py` finds networks by name, in files and among
those that come with the package.

Torch is imported here and in `training` alone. Searches reach this package only through `core/networks.py`, so that
they start without torch. `training`, `bench`, `cluster`, `api`, `gym`, `cli` and `web` may import it; `experience` and
this package do not know each other.
"""

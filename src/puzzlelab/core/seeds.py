"""The one seed tree: who needs randomness takes a branch; one seed gives one result however the work is split."""

import numpy as np


def generator(seed: int, *branch: int) -> np.random.Generator:
    """The random generator at this branch of the tree of `seed`."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=branch))

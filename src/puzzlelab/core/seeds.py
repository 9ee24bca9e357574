"""Seeds by branch of one tree, so that a seed gives the same result however the work is divided."""

import hashlib

import numpy as np
from numpy.typing import NDArray


def generator(seed: int, *branch: int) -> np.random.Generator:
    """Return the random generator at this branch of the tree of `seed`."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=branch))


def of_board(seed: int, state: NDArray[np.generic]) -> int:
    """Return a seed for this board, an unsigned number of 64 bits that does not depend on other boards in a batch."""
    digest = hashlib.blake2b(state.tobytes(), digest_size=8, salt=seed.to_bytes(8, "little"))
    return int.from_bytes(digest.digest(), "little")

"""What the tests share."""

import pytest


@pytest.fixture(scope="session")
def published():
    """Cubes by distance in the half-turn metric: J. Scherphuis, jaapsch.net/puzzles/cube2.htm."""
    return [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644]

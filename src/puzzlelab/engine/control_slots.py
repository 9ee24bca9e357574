"""The places of `control: int64[16]`, the counts and flags that every record of a search has."""

EXPANDED, GENERATED, BOUND, LENGTH, REQUESTED, OWN = range(6)
"""States expanded and generated, the proven lower bound, the length of the best solution (-1 without one), and how many
states wait for scores; the places from OWN on belong to each search."""
PLACES = 16
"""The size of `control`."""

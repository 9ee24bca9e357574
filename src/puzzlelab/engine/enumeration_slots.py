"""Places in the `control` of a machine that lists solutions; kernels import them without the code that drives them."""

from puzzlelab.engine import control_slots

FOUND, MOST, OWN = range(control_slots.OWN, control_slots.OWN + 3)
"""The solutions so far, and the most to count or 0 to list them; the places from OWN on are the machine's own."""

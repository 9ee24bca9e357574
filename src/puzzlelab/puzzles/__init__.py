"""The puzzles: one folder a family, which `core.registry` finds by its name.

All folders have the same files where they have something of the kind. Start with `rules.py`, the plain rules in NumPy,
which `verify` uses; its `VIEWS` say where the rest is. `notation.py` and `presentation.py` read, write and show boards.
`kernels.py` has the compiled rules, and `NAME_kernels.py` other compiled code. `estimates.py` names
the lower bounds, `sampling.py` makes boards of a given difficulty, `planes.py` is what networks read, `rewards.py`
what they learn from, and the folder `solvers` has the methods of this puzzle alone, one a file.

A puzzle imports `core` and `engine`, never another puzzle. General solvers know no puzzle by name; what shows, teaches
and measures may import one.
"""

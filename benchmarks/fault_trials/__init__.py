"""Faults put in on purpose, and a judge that counts what they cost; `benchmarks/faults.py` runs them.

`record.py`: trials and the table. `programs.py`: a run of the program, its signals and its processes. `judge.py`: what
may never happen, and the comparison of results. `bench.py`: the folders and the cache of a case. `works.py`: the
commands that work for seconds. Every other module has some kinds of faults, a function for each, and `cases()`, which
lists them.
"""

"""The process itself: signals, streams, memory, and the order of imports at the start.

`startup.py` and `signals.py` decide what Ctrl-C and a signal to end do. `startup.py` also decides what a closed
terminal or pipe does. `memory.py` says how much memory there is.
"""

"""The process itself: signals, streams, and the order of imports at the start.

`startup.py` and `signals.py` decide what Ctrl-C and a signal to end do, `streams.py` what a closed terminal or pipe
does, and `quick_start.py` which imports a command need not wait for.
"""

"""One general method a file. None of them knows a puzzle by name: they reach it through views and kernel names."""

"""The checks that `tools/style.py` runs, grouped by what they read.

- `modules`: the files of the package, parsed.
- `imports`: the graph of imports, which `tools/package_map.py` draws and `tools/size.py` measures.
- `names`: names of classes, undeclared attributes, words of single puzzles, overviews of packages.
- `calls`: calls with many positional arguments.
- `repetition`: blocks of code that stand in two places.

A check is a function that takes the modules and yields a line of text for each fault.
"""

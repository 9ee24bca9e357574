"""The command line: the program `puzzlelab`, with one file for each command, such as `solve` and `bench`.

A command reads its arguments, calls the library, and prints. It contains no search and no rule of a puzzle.

- `main` has the table of commands, and turns errors into sentences and exit codes;
- `options` has arguments and options that several commands share;
- `console` has output and the reading of boards, `progress` the bars; `answers` prints the answers of `solve`.

Start reading at `main`, then `solve`. No other package may import this one. Modules that take long to import, such as
numpy, numba and torch, are imported inside of the commands: `puzzlelab --help` needs none of them.
"""

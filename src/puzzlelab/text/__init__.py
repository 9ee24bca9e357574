"""From text to boards and back, for the command line, files, the server and Python.

`board_blocks` reads boards in the notation of their puzzle, one or many as one array; `rows` has what such notations
share. Any other text is read by `reader`. `splitting` parts a text into boards, with `documents` for JSON, XML, CSV,
HTML and links; `grids` takes the cells out of the text of a board, which the family of the puzzle reads. `covers`
reads exact covers, and `moves` the moves of games, which it also writes. The package imports `core` alone.
"""

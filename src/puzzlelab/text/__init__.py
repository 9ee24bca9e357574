"""From text to boards and back, for the command line, files, the server and Python.

`reader` reads the boards of any text. `splitting` parts a text into boards, with `documents` for JSON, XML, CSV and
HTML, and `links`; `grids` takes the cells out of the text of a board, as a `text_grid`, which the family of the puzzle
reads. `board_blocks` reads many boards at once: as one array where their notation is plain, else one by one. The
package imports `core` alone.
"""

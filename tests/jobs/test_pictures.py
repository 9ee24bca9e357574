"""Pictures of solutions: a strip of all boards, and films."""

from xml.etree import ElementTree

import pytest

import puzzlelab
from puzzlelab.core.errors import BadFile, BadOption, Unsupported
from puzzlelab.jobs import pictures

BOARDS = [("tiles-3x3", "8 6 7 2 5 4 3 0 1"), ("dust-4x3x3", "121221112222"), ("sudoku-9x9", "easy")]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=BOARDS, ids=[name for name, _ in BOARDS])
def result(request):
    """A solution of a board of each puzzle."""
    name, text = request.param
    return puzzlelab.solve(puzzlelab.load(name).read(text))


def test_a_strip_has_all_boards_from_the_first_to_the_last(result, tmp_path) -> None:
    path = tmp_path / "strip.svg"
    pictures.write_picture(result, path)
    whole = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    boards, titles = whole.findall(f"{SVG}svg"), [each.text for each in whole.findall(f"{SVG}text")]
    assert len(boards) == len(titles) == result.length + 1
    first, last = (ElementTree.fromstring(board.svg()) for board in (result.board, result.final))
    for drawn, board in ((boards[0], first), (boards[-1], last)):
        assert [each.attrib for each in drawn] == [each.attrib for each in board]
        assert (drawn.get("viewBox"), drawn.get("width")) == (board.get("viewBox"), str(pictures.SIDE))
    assert titles[0] == "start"
    assert sorted(title.split(". ")[1] for title in titles[1:]) == sorted(result.move_names)


def test_a_sudoku_is_filled_in_the_order_of_its_logic(tmp_path) -> None:
    result, path = puzzlelab.solve(puzzlelab.load("sudoku-9x9").read("easy")), tmp_path / "strip.svg"
    pictures.write_picture(result, path)
    whole = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    titles = [each.text.split(". ")[1] for each in whole.findall(f"{SVG}text")[1:]]
    by_logic = puzzlelab.solve(result.board, "logic")
    assert titles == by_logic.move_names != result.move_names


@pytest.mark.parametrize("ending", ["gif", "png"])
def test_a_film_has_a_frame_a_board_and_begins_anew(result, ending, tmp_path) -> None:
    image_module = pytest.importorskip("PIL.Image")
    pytest.importorskip("resvg_py")
    path = tmp_path / f"film.{ending}"
    pictures.write_picture(result, path)
    with image_module.open(path) as film:
        assert film.n_frames == result.length + 1
        assert film.info["loop"] == 0
        assert film.info["duration"] == pictures.AT_ENDS
        film.seek(1)
        assert film.info["duration"] == pictures.MILLISECONDS


def test_a_solved_board_is_one_picture(tmp_path) -> None:
    pytest.importorskip("resvg_py")
    result = puzzlelab.solve(puzzlelab.load("tiles-2x2").read("1 2 3 0"))
    for ending in ("svg", "gif", "png"):
        pictures.write_picture(result, tmp_path / f"one.{ending}")
        assert (tmp_path / f"one.{ending}").stat().st_size > 0


def test_what_cannot_be_drawn_is_told_before_the_work(tmp_path) -> None:
    tiles = puzzlelab.load("tiles-3x3")
    with pytest.raises(BadFile, match=r"film\.txt ends in none of \.svg, \.gif, \.png"):
        pictures.check_picture(tiles, tmp_path / "film.txt")
    with pytest.raises(BadFile, match="there is no folder"):
        pictures.check_picture(tiles, tmp_path / "none" / "film.svg")
    (tmp_path / "film.svg").write_text("a text of my own\n")
    with pytest.raises(BadFile, match="is no image"):
        pictures.check_picture(tiles, tmp_path / "film.svg")


def test_a_puzzle_without_drawings_has_no_picture(corridor, tmp_path) -> None:
    with pytest.raises(Unsupported, match="draws no pictures"):
        pictures.check_picture(corridor(5), tmp_path / "film.svg")


def test_too_many_boards_are_refused(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(pictures, "MOST_BOARDS", 31)
    result = puzzlelab.solve(puzzlelab.load("tiles-3x3").read("8 6 7 2 5 4 3 0 1"))
    with pytest.raises(BadOption, match="a picture has up to 31 boards, and this solution 32"):
        pictures.write_picture(result, tmp_path / "film.svg")

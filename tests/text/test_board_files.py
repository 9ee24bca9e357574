import itertools
from collections.abc import Iterable, Iterator

from puzzlelab.text.board_files import BoardText, MultilineNotation, boards, fields


class Plain:
    """A puzzle that leaves its files to us."""

    def view(self, kind: type) -> None:
        return None


class Blocks:
    """A puzzle whose boards are what stands between empty lines."""

    def view(self, kind: type) -> object:
        return self if kind is MultilineNotation else None

    def boards(self, lines: Iterable[str]) -> Iterator[tuple[int, str]]:
        numbered = enumerate((line.rstrip("\n") for line in lines), start=1)
        for full, block in itertools.groupby(numbered, key=lambda pair: bool(pair[1])):
            if full:
                pairs = list(block)
                yield pairs[0][0], "/".join(text for _, text in pairs)


class Told(Blocks):
    """A puzzle that says what is known of some of its boards."""

    def boards(self, lines: Iterable[str]) -> Iterator[tuple[int, str, *tuple[str, ...]]]:
        for number, text in super().boards(lines):
            board, *columns = text.split(";")
            yield number, board, *columns


def test_each_line_is_a_board_with_columns_after_tabs() -> None:
    lines = ["# comment\n", "1 2 3\t5\topt\tmore\tand more\n", " 4 5 \r\n", "\n", "7"]
    assert list(boards(Plain(), lines)) == [
        BoardText(2, "1 2 3", ("5", "opt", "more\tand more")),
        BoardText(3, "4 5"),
        BoardText(4, ""),
        BoardText(5, "7"),
    ]


def test_a_puzzle_may_say_itself_what_is_a_board() -> None:
    assert list(boards(Blocks(), ["a\n", "# b\n", "\n", "c\td\n"])) == [BoardText(1, "a/# b"), BoardText(4, "c\td")]


def test_a_puzzle_may_say_what_stands_beside_a_board() -> None:
    assert list(boards(Told(), ["a;14;proven\n", "\n", "b\n", "c\n"])) == [
        BoardText(1, "a", ("14", "proven")),
        BoardText(3, "b/c"),
    ]


def test_the_columns_of_a_line_are_between_tabs() -> None:
    assert fields(" 1 2 \t 5\topt \t\tmore\tand more\r\n") == ["1 2", "5", "opt", "more\tand more"]
    assert fields("board") == ["board"]
    assert fields("\n") == [""]


def test_boards_come_as_soon_as_their_lines() -> None:
    endless = (f"{number}\n" for number in itertools.count())
    assert next(boards(Plain(), endless)) == BoardText(1, "0")
    assert list(itertools.islice(boards(Plain(), endless), 2)) == [BoardText(1, "1"), BoardText(2, "2")]


def test_nothing_gives_nothing() -> None:
    assert list(boards(Plain(), [])) == list(boards(Blocks(), [])) == []

from collections.abc import Iterator
from itertools import islice

import pytest

from puzzlelab.core.errors import BadOption, NoRoom
from puzzlelab.core.limit import Limit, read_memory
from puzzlelab.runtime import memory
from puzzlelab.runtime.memory import memory_ceiling, require_memory, reserved, resident, within


@pytest.mark.parametrize(("name", "kind"), [("seconds", "time"), ("nodes", "nodes"), ("memory", "memory")])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("-inf")])
def test_a_limit_must_be_positive(name: str, kind: str, value: float) -> None:
    with pytest.raises(BadOption, match=f"limit on {kind} must be more than 0, not"):
        Limit(**{name: value})


def test_a_limit_must_be_finite() -> None:
    """Rows hold limits, and JSON has no sign for infinity."""
    with pytest.raises(BadOption, match="a limit on time must be finite"):
        Limit(seconds=float("inf"))


@pytest.mark.parametrize(
    ("limit", "spent", "share"),
    [
        (Limit(), (5.0, 50, 2), Limit()),
        (Limit(seconds=9.0, nodes=101), (5.0, 50, 2), Limit(seconds=2.0, nodes=25)),
        (Limit(seconds=9.0, nodes=101), (5.0, 50), Limit(seconds=4.0, nodes=51)),
        (Limit(nodes=10), (99.0, 9, 3), Limit(nodes=1)),
        (Limit(memory=7, nodes=10), (0.0, 0, 2), Limit(memory=7, nodes=5)),
        (Limit(seconds=5.0), (5.0, 0), None),
        (Limit(nodes=5), (0.0, 5), None),
    ],
)
def test_a_share_of_what_is_left(limit: Limit, spent: tuple[float, int], share: Limit | None) -> None:
    assert limit.share(*spent) == share


@pytest.mark.parametrize(
    ("new", "old", "more"),
    [
        (Limit(), Limit(), False),
        (Limit(), Limit(nodes=5), True),
        (Limit(nodes=5), Limit(), False),
        (Limit(nodes=6), Limit(nodes=5), True),
        (Limit(seconds=2), Limit(seconds=1.5), True),
        (Limit(memory=2), Limit(memory=1), True),
        (Limit(seconds=1, nodes=9), Limit(seconds=2, nodes=5), True),
        (Limit(seconds=1, nodes=5), Limit(seconds=2, nodes=5), False),
    ],
)
def test_a_larger_limit_might_bring_more(new: Limit, old: Limit, more: bool) -> None:
    assert new.allows_more_than(old) == more


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2G", 2 * 2**30),
        ("512M", 512 * 2**20),
        ("512 mb", 512 * 2**20),
        ("1.5g", 3 * 2**29),
        ("2GiB", 2 * 2**30),
        (" 1000000 ", 1_000_000),
        ("100B", 100),
    ],
)
def test_memory_is_read_as_people_write_it(text: str, size: int) -> None:
    assert read_memory(text) == size


@pytest.mark.parametrize("text", ["", "G", "much", "2X", "1e999", "nan", "inf", "2 G G", "0x10"])
def test_what_is_no_amount_of_memory_is_named(text: str) -> None:
    with pytest.raises(BadOption, match="is no amount of memory; write 2G, 512M or a number of bytes") as caught:
        read_memory(text)
    assert f"'{text}'" in str(caught.value)


def test_a_given_memory_limit_is_the_ceiling() -> None:
    assert memory_ceiling(Limit(memory=12345)) == 12345


def test_no_memory_limit_allows_more_than_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 2**26)
    assert memory_ceiling(Limit(memory=2**40)) - resident() < 2**27
    assert 8 * reserved(8, Limit(memory=2**40)) < 2**27


def test_where_the_process_is_limited_half_is_left_for_other_things_than_the_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "address_room", lambda: 2**26)
    assert 8 * reserved(8, Limit(memory=2**40)) <= 2**25


# --- tables ---


def sizes_that_fit(*sizes: int, is_mapped: bool = False) -> Iterator[int]:
    for size in sizes:
        require_memory("the table", size, is_mapped)
        yield size


def test_a_table_that_is_larger_than_the_limit_is_refused_in_words() -> None:
    tables = within(Limit(memory=resident() + 2**27), lambda: sizes_that_fit(2**20, 2**26, 2**29))
    assert list(islice(tables, 2)) == [2**20, 2**26]
    with pytest.raises(
        NoRoom, match=r"^the table needs 512 MB of memory, and \d+ MB of the limit of [\d,]+ MB are left$"
    ):
        next(tables)


def test_without_a_limit_a_table_must_fit_into_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 2**27)
    assert list(within(Limit(), lambda: sizes_that_fit(2**26))) == [2**26]
    assert list(within(Limit(), lambda: sizes_that_fit(2**30, is_mapped=True))) == [2**30]
    with pytest.raises(NoRoom, match=r"^the table needs 1,024 MB of memory, and \d+ MB are left$"):
        next(within(Limit(), lambda: sizes_that_fit(2**30)))
    with pytest.raises(NoRoom, match="needs 1,024 MB"):
        require_memory("the table", 2**30)


def test_the_limit_holds_only_while_an_item_is_made() -> None:
    tables = within(Limit(memory=1), lambda: sizes_that_fit(2**20, 2**26))
    next(tables)
    require_memory("the table", 2**26, is_mapped=True)
    with pytest.raises(NoRoom):
        next(tables)


def test_without_a_memory_limit_some_of_the_free_memory_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 2**34)
    used = memory_ceiling(Limit()) - resident()
    assert 0.5 * 2**34 < used < 0.9 * 2**34

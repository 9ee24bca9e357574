import pytest
from pydantic import Field, ValidationError

from puzzlelab.core.errors import BadOption
from puzzlelab.core.settings import Settings, fill, read_levels, read_options
from puzzlelab.core.views import Estimate


class Engine(Settings):
    width: int = Field(default=8, ge=1)
    weight: float = 1.0
    estimate: str | Estimate | None = None
    parts: tuple[str | int, ...] = ()


def test_an_unknown_option_is_told_the_nearest() -> None:
    with pytest.raises(BadOption, match="^engine has no option 'widht'; did you mean 'width'\\?$") as unknown:
        Engine(widht=3)
    with pytest.raises(BadOption) as wrong_value:
        Engine(width=0)
    assert [isinstance(error.value, TypeError) for error in (unknown, wrong_value)] == [True, False]


def test_an_option_unlike_any_is_told_all_there_are() -> None:
    with pytest.raises(BadOption, match="^engine has no option 'q'; known are estimate, parts, weight, width$"):
        Engine(q=3)


@pytest.mark.parametrize(
    ("options", "about"),
    [
        ({"width": 0}, "'width' cannot be '0': .*greater than or equal to 1"),
        ({"width": "many"}, "'width' cannot be 'many': .*integer"),
        ({"weight": None}, "'weight' cannot be 'None': .*number"),
        ({"weight": float("inf")}, "'weight' cannot be 'inf': .*finite number"),
        ({"weight": "NaN"}, "'weight' cannot be 'NaN': .*finite number"),
        ({"parts": "ida,beam"}, "'parts' cannot be 'ida,beam': it is a list; write 'parts=\\[\"ida\", \"beam\"]'"),
        ({"parts": "[ida]"}, "'parts' cannot be '\\[ida]': it is a list; write 'parts=\\[\"ida\"]'"),
        ({"parts": 5}, "'parts' cannot be '5': it is a list; write 'parts=\\[5]'"),
        ({"width": "9" * 5000}, "'width' cannot be '9{40}\\.\\.\\.'"),
    ],
)
def test_a_wrong_value_is_named_with_its_option(options: dict[str, object], about: str) -> None:
    with pytest.raises(BadOption, match=f"^engine: the option {about}"):
        Engine(**options)


def test_a_wrong_value_where_several_kinds_are_right_is_named_with_its_option() -> None:
    with pytest.raises(BadOption, match="the option 'estimate' cannot be '5'"):
        Engine(estimate=5)


def test_settings_are_frozen_and_equal_by_value() -> None:
    engine = Engine(width=3)
    assert engine == Engine(width=3) != Engine()
    assert hash(engine) == hash(Engine(width=3))
    with pytest.raises(ValidationError, match="frozen"):
        engine.width = 4


def test_options_are_plain_data_and_an_estimate_its_name() -> None:
    network = Estimate("network", admissible=False, scores=lambda states: states[:, 0])
    assert Engine(estimate=network).options() == {"width": 8, "weight": 1.0, "estimate": "network", "parts": ()}


def test_none_leaves_an_option_as_it_is() -> None:
    assert fill(Engine, {"width": None, "weight": 2}) == Engine(weight=2)


def test_options_are_read_as_json_or_toml_where_they_can_be() -> None:
    texts = [
        "width=12",
        "weight=1.5",
        "estimate=pdb:1,2/3",
        "flag=true",
        "empty=",
        "name=a=b",
        'quoted="12"',
        "none=null",
        'tables=[{file="k.csv", count=25}]',
        "words=['a', 'b']",
        "text=[not TOML",
        "tables_2=[1,]\nx=2",
    ]
    assert read_options(texts) == {
        "width": 12,
        "weight": 1.5,
        "estimate": "pdb:1,2/3",
        "flag": True,
        "empty": "",
        "name": "a=b",
        "quoted": "12",
        "none": None,
        "tables": [{"file": "k.csv", "count": 25}],
        "words": ["a", "b"],
        "text": "[not TOML",
        "tables_2": "[1,]\nx=2",
    }


@pytest.mark.parametrize("text", ["width", "=3", ""])
def test_what_is_no_option_is_told_how_to_write_one(text: str) -> None:
    with pytest.raises(BadOption, match="is no option; write NAME=VALUE"):
        read_options([text])


@pytest.mark.parametrize(("text", "levels"), [("10-20", (10, 20)), ("15", (15, 15)), (" 0-0 ", (0, 0))])
def test_a_range_of_levels_is_read(text: str, levels: tuple[int, int]) -> None:
    assert read_levels(text) == levels


@pytest.mark.parametrize("text", ["20-10", "-5", "10-", "a", "", "1-2-3", "٣"])
def test_what_is_no_range_of_levels_is_told_how_to_write_one(text: str) -> None:
    with pytest.raises(BadOption, match="write 10-20, or 15"):
        read_levels(text)

"""The base class of settings: frozen pydantic models that are filled from Python, TOML and command-line options."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from puzzlelab.core.errors import BadOption, UnknownOption, is_unicode, nearest, shorten

Model = TypeVar("Model", bound="Settings")
T = TypeVar("T")


@dataclass(frozen=True)
class WhenContinued:
    """The rule for an option, and for those below it, when training goes on: the metadata of a field."""

    may_change: bool = False
    is_kept: bool = True
    """Whether the run keeps the step of a change; False for an option that has no effect on the result."""
    reason: str = "what was learned so far depends on it"
    """Why it may not change."""


Adjustable = Annotated[T, WhenContinued(may_change=True)]
"""The type of an option that may change when training goes on; the run keeps from which step on."""
OfMachine = Annotated[T, WhenContinued(may_change=True, is_kept=False)]
"""The type of an option that may have another value each time."""


class Settings(BaseModel):
    """A frozen set of options; the error for an unknown option names the nearest valid one."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False)

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _refusal(type(self), error) from None

    @classmethod
    def label(cls) -> str:
        """Return its name in messages: 'dancing-links' for `DancingLinks`, 'replay' for `ReplaySettings`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__.removesuffix("Settings")).lower()

    def options(self) -> Mapping[str, Any]:
        """Return every setting by name as plain data; objects with a name, such as an estimate, are replaced by it."""
        return {name: getattr(value, "name", value) for name, value in self}

    def values(self) -> Mapping[str, Any]:
        """Return every setting by name, with the object that was passed."""
        return dict(self)


def _refusal(model: type[Settings], error: ValidationError) -> BadOption:
    first = error.errors()[0]
    if not first["loc"]:  # a rule of several options, whose sentence names them
        return BadOption(f"{model.label()}: {first['msg'].removeprefix('Value error, ')}")
    name = str(first["loc"][0])
    owner = model.label()
    if first["type"] == "extra_forbidden":
        return UnknownOption(f"{owner} has no option '{shorten(name)}'{nearest(name, model.model_fields)}")
    value = str(first["input"])
    reason = f"it is a list; write {_as_list(name, value)}" if first["type"] == "tuple_type" else first["msg"]
    return BadOption(f"{owner}: the option '{name}' cannot be '{shorten(value)}': {reason}")


def _as_list(name: str, value: str) -> str:
    """Return the option with the parts of this value as a list, such as `'of=["ida", "beam"]'`, quoted for a shell."""
    parts = [part.strip() for part in shorten(value).strip("[]").split(",")]
    written = ", ".join(part if part.isdigit() else json.dumps(part) for part in parts)
    return f"'{name}=[{written}]'"


def read_options(texts: Iterable[str]) -> dict[str, Any]:
    """Parse options of the form `name=value`; a value that is neither JSON nor a list or table of TOML is text."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise BadOption(f"'{shorten(text)}' is no option; write NAME=VALUE")
        if not is_unicode(text):  # it could not be read again from a file of rows
            raise BadOption(f"the option '{shorten(text)}' holds characters that are no Unicode")
        try:
            parsed = _read_value(value)
            options[name] = parsed if is_unicode(json.dumps(parsed, ensure_ascii=False)) else value
        except RecursionError:
            raise BadOption(f"the value of '{shorten(name)}' is nested too deeply") from None
        except (ValueError, TypeError):
            options[name] = value
    return options


def _read_value(text: str) -> Any:
    """Return a value of JSON, or a list or table of TOML; raises `ValueError`."""
    try:
        return json.loads(text)
    except ValueError:
        if not text.startswith(("[", "{")):
            raise
        values = tomllib.loads(f"value = {text}")
        if len(values) > 1:
            raise
        return values["value"]


def read_levels(text: str) -> tuple[int, int]:
    """Return the least and the greatest level of '10-20', or of '15'."""
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text.strip())
    if match is None or int(match[2] or match[1]) < int(match[1]):
        raise BadOption(f"'{shorten(text)}' is no range of levels; write 10-20, or 15")
    return int(match[1]), int(match[2] or match[1])


def fill(model: type[Model], values: Mapping[str, Any]) -> Model:
    """Return the settings with these values; `None` means the default."""
    return model(**{name: value for name, value in values.items() if value is not None})

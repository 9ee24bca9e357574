"""Other settings for a run that goes on: which of them may change, and those in force at each step.

The settings of a run are those in force now. Beside them it keeps what they were before each change, and the step.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic.fields import FieldInfo

from puzzlelab.core.settings import Settings, WhenContinued

Position = tuple[int, bool]
"""A place in a training: (steps done, whether what is due after the last of them, such as an evaluation, is done)."""


class Change(Settings):
    """A change of a setting of a run."""

    step: int
    """The steps that were done before the change."""
    evaluated: bool = True
    """Whether the evaluation after them was done too."""
    setting: str
    """Its name, such as `learning.steps`."""
    before: Any = None
    """Its value before."""

    @property
    def position(self) -> Position:
        """The place in the training from which on the change holds."""
        return self.step, self.evaluated


class Difference(NamedTuple):
    """A setting with two values: that of the folder of a run, and another one that is wanted now."""

    setting: str
    saved: Any
    wanted: Any
    rule: WhenContinued

    def __str__(self) -> str:
        return f"{self.setting} is {json.dumps(self.saved)} there, not {json.dumps(self.wanted)}: {self.rule.reason}"


def to_toml_values(settings: Settings) -> dict[str, Any]:
    """Return the settings as values of TOML, which has no None: such settings are omitted."""
    values: dict[str, Any] = _without_none(settings.model_dump(mode="json"))
    return values


def _without_none(values: Any) -> Any:
    if isinstance(values, list):
        return [_without_none(value) for value in values]
    if not isinstance(values, Mapping):
        return values
    return {name: _without_none(value) for name, value in values.items() if value is not None}


# --- differences ---


def differences(saved: Settings, wanted: Settings) -> list[Difference]:
    """Return the settings with another value, without the changes before, and without those that need not be kept."""
    found = _differences(to_toml_values(saved), to_toml_values(wanted), "")
    rules = ((each, _rule_of(wanted, each[0])) for each in found if each[0] != "changes")
    return [Difference(*each, rule) for each, rule in rules if rule.is_kept]


def _differences(saved: Mapping[str, Any], wanted: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any, Any]]:
    for name in {**saved, **wanted}:
        one, other = saved.get(name), wanted.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _differences(one, other, f"{prefix}{name}.")
        elif one != other:
            yield f"{prefix}{name}", one, other


def _rule_of(settings: Any, setting: str) -> WhenContinued:
    """Return what may become of a setting: where a table of settings has a rule, it holds for all of them."""
    value = settings
    for name in setting.split("."):
        field: FieldInfo | None = type(value).model_fields.get(name) if isinstance(value, Settings) else None
        if field is None:
            break
        for rule in field.metadata:
            if isinstance(rule, WhenContinued):
                return rule
        value = getattr(value, name)
    return WhenContinued()


# --- changes ---


def changed(saved: Any, wanted: Any, found: list[Difference], position: Position) -> Any:
    """Return the settings that are wanted, with the changes of the run before, and these differences as changes here.

    A change that takes back another one at the same place leaves none.
    """
    step, evaluated = position
    here = {each.setting: each for each in saved.changes if each.position == position}
    for each in found:
        here.setdefault(each.setting, Change(step=step, evaluated=evaluated, setting=each.setting, before=each.saved))
    values = to_toml_values(wanted)
    earlier = [each for each in saved.changes if each.position != position]
    kept = [each for each in here.values() if _value(values, each) != each.before]
    return wanted.model_copy(update={"changes": (*earlier, *kept)})


def in_force(settings: Any, position: Position) -> tuple[Any, Position | None]:
    """Return the settings at a place in a training, and the place of the next change; None: there is no later one."""
    later = [each for each in settings.changes if each.position > position]
    if not later:
        return settings, None
    values = to_toml_values(settings)
    for each in reversed(later):
        *outer, last = each.setting.split(".")
        table = values
        for name in outer:
            table = table.setdefault(name, {})
        table.pop(last, None)
        if each.before is not None:
            table[last] = each.before
    return type(settings)(**values), min(each.position for each in later)


def changes_between(settings: Any, first: Position, last: Position) -> dict[str, Any]:
    """Return the values in force of the settings that were changed at these places or between them."""
    values = to_toml_values(settings)
    return {each.setting: _value(values, each) for each in settings.changes if first <= each.position <= last}


def _value(values: Mapping[str, Any], change: Change) -> Any:
    """Return the present value of a setting that was changed."""
    value: Any = values
    for name in change.setting.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value

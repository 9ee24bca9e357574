"""The folder of a run: all that its programs share, so that each can be killed, restarted, or run elsewhere.

`config.toml`: every setting, and the changes so far; `init.safetensors`: the weights that training began with, where it
began with a network; `shards/`: samples; `nets/`: networks by the hash of their weights, and `networks.jsonl`, the list
of them; `champion`: the hash of the last one, or in self-play of the best one; `best`: the hash of the best one by the
evaluation; `metrics.jsonl`: losses and evaluations; `state*`: the saved state of the learner; `progress.json`: the
shards that the learner requests; `done`: exists once the run is finished;
`failure`: why the learner has given up, until it begins again.

A run of self-play has more: `latest`, the hash of the newest network; `games.jsonl`, a line for each shard ever made;
`matches.jsonl`; and `programs/`, the status files of the programs.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from puzzlelab.core.errors import BadFile, BadInput, is_unicode
from puzzlelab.core.settings import WhenContinued
from puzzlelab.core.solver import NETWORK
from puzzlelab.engine import report
from puzzlelab.nets import run_networks
from puzzlelab.nets.card import Card, read_card
from puzzlelab.storage import files
from puzzlelab.training import continuation, run_files
from puzzlelab.training.continuation import Difference, Position, to_toml_values

Follow = Literal["champion", "latest"]
"""The network that plays the games to learn from: the champion or the newest one."""
LEARNERS = ("learner", "trainer")
"""The locks of programs that learn."""
LONGEST_SETTINGS = 4_000_000
"""Bytes of the longest file of settings that is read."""


@dataclass(frozen=True)
class Run:
    """The paths in the folder of a run."""

    folder: Path

    @property
    def config(self) -> Path:
        return self.folder / run_files.SETTINGS

    @property
    def shards(self) -> Path:
        return self.folder / "shards"

    @property
    def nets(self) -> Path:
        return self.folder / run_networks.NETS

    @property
    def metrics(self) -> Path:
        return self.folder / "metrics.jsonl"

    @property
    def champion(self) -> Path:
        return self.folder / run_networks.CHAMPION

    @property
    def best(self) -> Path:
        return self.folder / run_networks.BEST

    @property
    def initial(self) -> Path:
        return self.folder / run_files.INITIAL

    @property
    def latest(self) -> Path:
        return self.folder / run_networks.LATEST

    @property
    def game_log(self) -> Path:
        return self.folder / "games.jsonl"

    @property
    def matches(self) -> Path:
        return self.folder / "matches.jsonl"

    @property
    def programs(self) -> Path:
        return self.folder / "programs"

    @property
    def done(self) -> Path:
        return self.folder / "done"

    @property
    def failure(self) -> Path:
        return self.folder / "failure"

    @property
    def begun(self) -> bool:
        """Whether the folder holds a run."""
        return self.config.exists()

    # --- settings ---

    def begin(self, settings: Any, anew: bool = False) -> Any:
        """Make the folder, or take these settings in it; the settings to train with. Raises `BadFile` or `BadInput`.

        In a folder with a saved state only some settings may differ. The changes hold from that state on, and the
        settings that are returned have them. With `anew` the files of a run there are removed first, and other files
        stay.
        """
        if not is_unicode(str(self.folder)):
            raise BadInput(f"{self.folder} is no Unicode, which the names of networks must be: give another folder")
        if self.begun:
            run_files.check(self.folder)
        elif self.folder.exists() and not self.folder.is_dir():
            raise BadInput(f"{self.folder} is no folder: give another one")
        elif self.folder.exists() and not all(self._is_half_begun(path) for path in self.folder.iterdir()):
            raise BadInput(f"{self.folder} is not empty, and holds no run: give another folder")
        settings, weights = self._initial_weights(settings, anew)
        if self.begun and not anew:
            return self._go_on(settings, weights)
        if self.begun:
            with self._without_learners():
                self._clear()
        with self.writing():
            files.make_folder(self.folder)
        self._write_settings(settings, weights)
        return settings

    def _write_settings(self, settings: Any, weights: bytes | None = None) -> None:
        """Write the settings, after the weights that training begins with, if there are some to write."""
        import tomli_w

        if weights is not None:
            with files.writing(self.initial):
                files.replace_file(self.initial, weights)
        self.write(self.config, tomli_w.dumps(to_toml_values(settings)))

    def _initial_weights(self, settings: Any, anew: bool) -> tuple[Any, bytes | None]:
        """Return the settings with the hash of the network that training begins with, and its weights.

        There are no weights where the run goes on that began with them. Raises `BadInput` for an unfit network.
        """
        goes_on = self.begun and not anew and self.initial.exists()
        if not settings.init or (goes_on and self.saved_settings().get("init") == settings.init):
            return settings, None
        from puzzlelab.nets import initial_weights

        name, weights = initial_weights.read(settings.init, settings.puzzle, settings.network, self.initial)
        return settings.model_copy(update={"init": name}), weights

    def _go_on(self, settings: Any, weights: bytes | None) -> Any:
        """Take these settings in the folder of a run; see `begin`."""
        saved = self.saved_settings()
        if saved.get("recipe") == settings.recipe:
            with self.reading_settings():
                before = type(settings)(**saved)  # settings that are left out have their defaults
            found = continuation.differences(before, settings)
        else:
            found = [Difference("recipe", saved.get("recipe"), settings.recipe, WhenContinued())]
        if not found:
            if weights is not None and not run_files.saved_step(self.folder):
                self._write_settings(before, weights)
            return settings.model_copy(update={"changes": before.changes})
        with self._without_learners():
            position = self._position()
            if position is None:
                self._begin_with(settings, found, weights)
                return settings
            self._refuse(settings, found, position)
            settings = continuation.changed(before, settings, found, position)
            with self.writing():
                self.done.unlink(missing_ok=True)  # first: a run that is killed here is not done with other settings
            self._write_settings(settings)
        named = ", ".join(f"{each.setting}={json.dumps(each.wanted)}" for each in found)
        report.note(f"{self.folder} goes on from step {position[0]:,} with {named}")
        return settings

    def _begin_with(self, settings: Any, found: list[Difference], weights: bytes | None) -> None:
        """Take other settings where there is no saved state; samples that do not fit are removed.

        Raises `BadInput` for a run whose states were removed.
        """
        if self.done.exists() or (self.folder / run_files.LAST_VALUES).exists():
            raise BadInput(f"{self.folder} has no saved state any more, from which it could go on: give another folder")
        tables = tuple(f"{name}." for name in settings.samples_from)
        needs_samples = any(f"{each.setting}.".startswith(tables) for each in found)
        report.note(
            f"{self.folder} has no saved state yet: it takes the new settings"
            f"{', and its samples are made anew' if needs_samples else ''}"
        )
        if needs_samples:
            self._clear()
        self._write_settings(settings, weights)

    @contextmanager
    def _without_learners(self) -> Iterator[None]:
        """Hold the locks of all programs that have ever learned here; raises `BadInput` if one is at work."""
        with ExitStack() as locks:
            for program in LEARNERS:
                if self._lock(program).exists():
                    locks.enter_context(self.exclusive(program))
            yield

    def _refuse(self, settings: Any, found: list[Difference], position: Position) -> None:
        """Raise `BadInput` if one of these settings may not change in a run that has got this far."""
        if refused := [str(each) for each in found if not each.rule.may_change]:
            words = "selfplay run" if settings.recipe == "selfplay" else f"train {settings.recipe} --run"
            raise BadInput(
                f"{self.folder} was begun with other settings: {'; '.join(refused)}. "
                f"Give another folder, or begin it anew: puzzlelab {words} {self.folder} --restart"
            )
        steps = settings.learning.steps
        if steps is not None and steps < position[0]:
            raise BadInput(f"learning.steps cannot become {steps:,}: {self.folder} has done {position[0]:,} steps")

    def _position(self) -> Position | None:
        """Return how far the newest saved state has got; None if there is no saved state."""
        if not (step := run_files.saved_step(self.folder)):
            return None
        from puzzlelab.training.train_state import read_values

        try:
            return step, not read_values(self.folder, step)[0].get("unfinished", False)
        except BadFile:
            return step, True

    def _is_half_begun(self, path: Path) -> bool:
        """Tell whether this is what a killed program has left that had begun to write the settings."""
        return path.name.startswith((f"{self.config.name}.", self.initial.name))

    def saved_settings(self) -> dict[str, Any]:
        """Return the settings that the folder was begun with; raises `BadFile` where it holds pipes or devices."""
        if not self.begun:
            raise BadInput(f"{self.folder} holds no run: give the settings of one with --config")
        run_files.check(self.folder, with_links=True)
        with self.reading_settings():
            return read_toml(self.config)

    @contextmanager
    def reading_settings(self) -> Iterator[None]:
        """Turn an error about the settings in the folder into a `BadFile` that names their file and says what to do."""
        try:
            yield
        except BadInput as error:
            place = "" if isinstance(error, BadFile) else f"{self.config}: "
            raise BadFile(f"{place}{error}; put the file back, or begin a new run in another folder") from None

    def _clear(self) -> None:
        """Remove the files of the run but its settings; a kill meanwhile leaves a run that is not done."""
        with self.writing():
            self.done.unlink(missing_ok=True)
            run_files.remove(self.folder)
            files.sync(self.folder)

    # --- files ---

    def writing(self) -> AbstractContextManager[None]:
        """Turn an `OSError` into a `BadFile` that names the folder."""
        return files.writing(self.folder)

    def write(self, path: Path, text: str, durable: bool = True) -> None:
        """Replace a file of the folder in one step; raises `BadFile`. See `files.replacing`."""
        with files.writing(path):
            files.replace_file(path, text, durable=durable)

    @contextmanager
    def exclusive(self, program: str) -> Iterator[None]:
        """Hold the folder's lock for this kind of program; raises `BadInput` if another process holds it."""
        message = f"another program is at work on {self.folder} as its {program}"
        with files.locked(self._lock(program), message):
            yield

    def _lock(self, program: str) -> Path:
        return self.folder / f"{program}.lock"

    def finished(self) -> bool:
        """Tell whether the run is done and has its network.

        If the file `champion` of a finished run is missing, `done` is removed: the run goes on from its saved state,
        without further steps, and names its champion again. Raises `BadFile` if there is no such state.
        """
        if not self.done.exists() or self.champion.exists():
            return self.done.exists()
        if not run_files.saved_step(self.folder):
            raise BadFile(
                f"{self.champion} is missing, and there is no saved state to make the network from: put the file back, "
                "or --restart begins the run anew"
            )
        report.note(f"{self.champion} is missing: the run names its champion again, from its saved state")
        with self.writing():
            self.done.unlink()
        return False

    def trained(self) -> Path | None:
        """Return the champion's files without their endings, None if there is no champion.

        Raises `BadFile` if damaged.
        """
        name = run_networks.name_in(self.champion)
        if name is None:
            return None
        run_networks.repair(self.folder, name)
        return self.nets / name

    def name_best(self, name: str | None) -> None:
        """Name the best network by the evaluation, or none."""
        if name is not None:
            self.write(self.best, name + "\n")
        else:
            with self.writing():
                self.best.unlink(missing_ok=True)

    def keep(self, names: set[str]) -> None:
        """Remove all networks that the run has written but these and the champion."""
        needed = set(names)
        with suppress(BadFile):  # it names no network
            needed.add(run_networks.hash_in(self.champion) or "")
        for other in run_networks.written(self.folder) - needed:
            run_networks.remove(self.folder, other)

    def measured(self) -> tuple[Card | None, Card | None]:
        """Return the cards of the best network and of the last one, where they were measured on other boards."""
        cards = []
        for path in (self.best, self.champion):
            name = run_networks.name_in(path)
            card = None if name is None else read_card(self.nets / name)
            cards.append(card if card is not None and card.other_boards else None)
        return cards[0], cards[1]

    # --- the networks of self-play ---

    def network(self, which: Follow) -> str | None:
        """Return the hash of the champion or of the newest network; None if there is none yet.

        Raises `BadFile` if the file holds no hash, or the network's own files are missing.
        """
        return run_networks.name_in(self.folder / which)

    def has_network(self, name: str) -> bool:
        """Tell whether this is the hash of a network whose files exist."""
        return run_networks.has_files(self.nets, name)

    def solver_option(self, name: str) -> str:
        """Return the value of a solver's option `estimate` or `prior` that means the network with this hash."""
        return f"{NETWORK}:{self.nets.resolve() / name}"

    def promote(self, name: str) -> None:
        """Make a network the champion."""
        self.write(self.champion, name + "\n")

    # --- requests of the learner to the generators ---

    def request_shards(self, first: int, end: int) -> None:
        """Request the shards from `first` to `end` - 1."""
        request = json.dumps({"first": first, "end": end}) + "\n"
        self.write(self.folder / "progress.json", request, durable=False)

    def requested_shards(self) -> tuple[int, int]:
        """Return the shards that are requested, as (first, end); none if the file is missing or damaged."""
        try:
            request = json.loads((self.folder / "progress.json").read_text(encoding="utf-8"))
            return int(request["first"]), int(request["end"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError, OverflowError):
            return 0, 0


def read_toml(path: Path) -> dict[str, Any]:
    """Return the values of a TOML file; raises `BadFile` with the place of an error."""
    files.require_regular(path)
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST_SETTINGS + 1)
        if len(content) > LONGEST_SETTINGS:
            raise BadFile(f"{path} holds no settings: it is longer than {LONGEST_SETTINGS // 10**6} MB")
        return tomllib.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:  # of bytes that are no Unicode, or a number of thousands of digits, too
        raise BadFile(f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise BadFile(f"{path} is not TOML of settings: its values are nested too deeply") from None

"""The folder of a run: all that its programs share, so that each can be killed, restarted, or run elsewhere.

`config.toml`: every setting; `shards/`: samples; `nets/`: networks by the hash of their weights, and `networks.jsonl`,
the list of them; `champion`: the hash of the best one; `metrics.jsonl`: losses and evaluations; `state*`: the saved
state of the learner; `progress.json`: the shards that the learner requests; `done`: exists once the run is finished;
`failure`: why the learner has given up, until it begins again.

A run of self-play has more: `latest`, the hash of the newest network; `games.jsonl`, a line for each shard ever made;
`matches.jsonl`; and `programs/`, the status files of the programs.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from puzzlelab.core.errors import BadFile, BadInput, is_unicode
from puzzlelab.core.settings import Settings
from puzzlelab.core.solver import NETWORK
from puzzlelab.engine import report
from puzzlelab.nets import run_networks
from puzzlelab.storage import files
from puzzlelab.training import run_files

Follow = Literal["champion", "latest"]
"""The network that plays the games to learn from: the champion or the newest one."""
MACHINE_SETTINGS = ("device", "precision", "threads", "jobs")
"""Settings of the machine, which may change when a run is continued."""
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

    def begin(self, settings: Settings, anew: bool = False) -> None:
        """Make the folder, or check that it was begun with these settings; raises `BadFile` or `BadInput`.

        With `anew` the files of a run there are removed first, and other files stay.
        """
        if not is_unicode(str(self.folder)):
            raise BadInput(f"{self.folder} is no Unicode, which the names of networks must be: give another folder")
        values = to_toml_values(settings)
        if self.begun:
            run_files.check(self.folder)
            if not anew:
                self._check_settings(settings, values)
                return
            self._clear()
        elif self.folder.exists() and not self.folder.is_dir():
            raise BadInput(f"{self.folder} is no folder: give another one")
        elif self.folder.exists() and not all(self._is_half_begun(path) for path in self.folder.iterdir()):
            raise BadInput(f"{self.folder} is not empty, and holds no run: give another folder")
        import tomli_w

        with self.writing():
            files.make_folder(self.folder)
            self.write(self.config, tomli_w.dumps(values))

    def _check_settings(self, settings: Settings, values: Mapping[str, Any]) -> None:
        """Raise `BadInput` unless the folder was begun with these settings, which have these values of TOML."""
        saved = self.saved_settings()
        if saved.get("recipe") == values.get("recipe"):
            saved = to_toml_values(type(settings)(**saved))  # settings that are left out have their defaults
        if changed := differences(saved, values):
            raise BadInput(
                f"{self.folder} was begun with other settings: {'; '.join(changed)}. "
                f"Give another folder, or begin it anew: {self._restart_command(values)}"
            )

    def _restart_command(self, values: Mapping[str, Any]) -> str:
        """Return the command that begins this run anew."""
        return f"puzzlelab train {values['recipe']} --run {self.folder} --restart"

    def _is_half_begun(self, path: Path) -> bool:
        """Tell whether this is what a killed program has left that had begun to write the settings."""
        return path.name.startswith(f"{self.config.name}.")

    def saved_settings(self) -> dict[str, Any]:
        """Return the settings that the folder was begun with; raises `BadFile` where it holds pipes or devices."""
        if not self.begun:
            raise BadInput(f"{self.folder} holds no run: give the settings of one with --config")
        run_files.check(self.folder, with_links=True)
        try:
            return read_toml(self.config)
        except BadFile as error:
            raise BadFile(f"{error}; put the file back, or begin a new run in another folder") from None

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
        with files.locked(self.folder / f"{program}.lock", message):
            yield

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

    def publish(self, name: str) -> None:
        """Make a network that was saved just now the champion, and remove all others that the run has written."""
        others = run_networks.written(self.folder) - {name}
        self.promote(name)
        for other in others:
            run_networks.remove(self.folder, other)

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

    def add_candidate(self, name: str) -> None:
        """Make a network that was saved just now the newest one, and the champion if there is none; the others stay."""
        self.write(self.latest, name + "\n")
        if not self.champion.exists():
            self.promote(name)

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
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise BadFile(f"{path} is not TOML of settings: its values are nested too deeply") from None


def to_toml_values(settings: Settings) -> dict[str, Any]:
    """Return the settings as values of TOML, which has no None: such settings are omitted."""
    return _without_none(settings.model_dump(mode="json"))


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    present = {name: value for name, value in values.items() if value is not None}
    return {name: _without_none(value) if isinstance(value, Mapping) else value for name, value in present.items()}


def differences(saved: Mapping[str, Any], wanted: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Say which settings differ; settings of the machine are ignored."""
    texts: list[str] = []
    for name in {**saved, **wanted}:
        one, other = saved.get(name), wanted.get(name)
        if one == other or name in MACHINE_SETTINGS:
            continue
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            texts += differences(one, other, f"{prefix}{name}.")
        else:
            texts.append(f"{prefix}{name} is {json.dumps(one)} there, not {json.dumps(other)}")
    return texts

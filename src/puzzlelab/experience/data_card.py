"""The data card of a folder of samples: a `README.md` whose header says to other programs which files hold the data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from puzzlelab.storage.files import replace_file, writing

if TYPE_CHECKING:
    from puzzlelab.experience.shards import Shards

NAME = "README.md"
TEXT = """---
configs:
- config_name: default
  data_files:
  - split: train
    path: shard-*.parquet
---

# Samples of {puzzle}

{rows:,} positions of {games:,} boards, labelled by a teacher, made by `puzzlelab teach`. Split them by `game`.

| column | type | meaning |
| --- | --- | --- |
| `game` | int64 | the number of the board that the position comes from |
| `state` | list of numbers | the number in each cell |
| `moves` | list of {move_count} truth values | the moves to imitate |
| `remaining` | whole number | the moves to the goal by the teacher's solution |
| `proven` | truth value | whether `remaining` is proven to be optimal |

The settings that made them:

```json
{settings}
```
"""


def write_data_card(shards: Shards) -> None:
    """Write the card of a folder whose samples are lists; raises `BadFile`."""
    settings = shards.settings
    text = TEXT.format(
        puzzle=settings["puzzle"],
        rows=shards.rows,
        games=shards.games,
        move_count=settings["move_count"],
        settings=json.dumps(settings, indent=1),
    )
    with writing(shards.folder):
        replace_file(shards.folder / NAME, text)

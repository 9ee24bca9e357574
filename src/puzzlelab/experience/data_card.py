"""The data card of a folder of samples: a `README.md` whose header says to other programs which files hold the data."""

from __future__ import annotations

import json

from puzzlelab.experience.shards import Shards, shard_paths
from puzzlelab.storage.files import replace_file, writing

NAME = "README.md"
TEXT = """---
configs:
- config_name: default
  data_files:
  - split: train
    path: shard-*.parquet
---

# Samples of {puzzle}

{rows:,} positions of {games:,} boards, labelled by a teacher. Split them by `game`. They were made by
`puzzlelab teach {puzzle} --lists`; the settings below name the values of its other options.

| column | type | meaning |
| --- | --- | --- |
| `game` | int64 | the number of the board that the position comes from |
| `state` | list of {length} {dtype} | the entries of the board |
| `moves` | list of {move_count} truth values | the moves to imitate |
| `remaining` | {remaining} | the moves to the goal by the teacher's solution |
| `proven` | truth value | whether `remaining` is proven to be optimal |

The settings that made them:

```json
{settings}
```
"""


def write_data_card(shards: Shards) -> None:
    """Write the card of a folder whose samples are lists; raises `BadFile`."""
    import pyarrow.parquet as pq

    settings, columns = shards.settings, pq.read_schema(shard_paths(shards.folder)[0])
    state = columns.field("state").type
    text = TEXT.format(
        puzzle=settings["puzzle"],
        rows=shards.rows,
        games=shards.games,
        length=state.list_size,
        dtype=state.value_type,
        remaining=columns.field("remaining").type,
        move_count=settings["move_count"],
        settings=json.dumps(settings, indent=1),
    )
    with writing(shards.folder):
        replace_file(shards.folder / NAME, text)

import numpy as np

from puzzlelab.core.seeds import generator


def drawn(*branch: int) -> list[int]:
    return generator(*branch).integers(0, 2**62, 4).tolist()


def test_one_seed_gives_one_stream() -> None:
    assert drawn(7) == drawn(7)
    assert drawn(7, 3, 1) == drawn(7, 3, 1)


def test_every_seed_and_branch_has_a_stream_of_its_own() -> None:
    streams = [drawn(*branch) for branch in ((0,), (1,), (0, 0), (0, 1), (1, 0), (0, 0, 0), (0, 0, 1), (0, 1, 0))]
    assert len({tuple(stream) for stream in streams}) == len(streams)


def test_a_branch_does_not_depend_on_what_others_drew() -> None:
    generator(5, 0).random(1000)
    assert drawn(5, 1) == np.random.default_rng(np.random.SeedSequence(5).spawn(2)[1]).integers(0, 2**62, 4).tolist()

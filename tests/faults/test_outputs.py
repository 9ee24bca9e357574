"""Results that have no room, that two programs write at once, or whose place is taken; and commands called again."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab import Lab
from programs import REFUSED, Outcome
from works import WRITING, Work, files_in, litter

NOTES = "my own notes\nprecious\n"
REPEATABLE = [work for work in WRITING if work.is_repeatable]
works = pytest.mark.parametrize("work", WRITING, ids=lambda work: work.name)


def quota(kilobytes: int) -> str:
    """Return a line of bash: no file may be larger; what is printed goes through pipes, and is not limited."""
    limited = f'(ulimit -f {kilobytes}; exec "$@") 2>&4 | cat'
    return f'{{ {limited}; exit "${{PIPESTATUS[0]}}"; }} 4> >(cat >&2)'


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file, but for locks and for logs, to which a call may add."""
    files = {path.relative_to(folder).as_posix(): path for path in files_in(folder) if path.suffix != ".lock"}
    return {name: path.read_bytes() for name, path in files.items() if not {"tensorboard", "programs"} & {*path.parts}}


def ends_well(lab: Lab, work: Work, out: Path) -> None:
    """Run a work to its end, and compare its result with that of an undisturbed run."""
    outcome = lab.run(*work.words(out, lab.inputs))
    assert outcome.wrong(work.codes) == []
    assert work.result(out, outcome.out) == lab.site.reference(work)[1]
    assert litter(out) == []


@pytest.mark.parametrize("work", REPEATABLE, ids=lambda work: work.name)
def test_a_full_disk_is_said_and_with_room_the_command_goes_on(lab: Lab, work: Work) -> None:
    folder, _ = lab.site.reference(work)
    largest = max(path.stat().st_size for path in files_in(folder))
    out = lab.fresh()
    outcome = lab.run(*work.words(out, lab.inputs), shell=quota(max(1, largest // 2048)))
    assert outcome.wrong((1, 2, *work.codes)) == []
    if outcome.code not in work.codes:
        assert str(out / work.target) in outcome.err.replace("\n", "")
    ends_well(lab, work, out)


@works
def test_of_two_at_once_one_is_refused_or_both_are_right(lab: Lab, work: Work) -> None:
    for seconds in (0.0, 1.0):
        out = lab.fresh()
        first = lab.start(*work.words(out, lab.inputs))
        first.wait(seconds)
        second = lab.start(*work.words(out, lab.inputs))
        outcomes: list[Outcome] = [first.finish(), second.finish()]
        assert [each.wrong((*work.codes, REFUSED)) for each in outcomes] == [[], []]
        assert [each.code for each in outcomes] != [REFUSED, REFUSED]
        assert work.result(out, outcomes[0].out) == lab.site.reference(work)[1]
        assert litter(out) == []


@works
def test_notes_in_the_place_of_a_result_stay(lab: Lab, work: Work) -> None:
    folder, _ = lab.site.reference(work)
    names = [path.relative_to(folder) for path in files_in(folder)]
    inside = [name for name in names if str(name) != work.target and "tensorboard" not in name.parts]
    chosen = lab.random.sample(inside, min(len(inside), 2))
    for name in (Path(work.target), *chosen, Path(work.target) / "notes.txt"):
        out = lab.fresh()
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(NOTES)
        before = snapshot(out)
        outcome = lab.run(*work.words(out, lab.inputs))
        codes = (REFUSED, *work.codes) if name.name == "notes.txt" else (REFUSED,)
        assert outcome.wrong(codes) == [], name
        assert (out / name).read_text() == NOTES
        assert outcome.code != REFUSED or snapshot(out) == before


@works
def test_a_finished_command_called_again_changes_nothing(lab: Lab, work: Work) -> None:
    out = lab.copy(lab.site.reference(work)[0])
    before = snapshot(out)
    for more, codes in (("", work.codes), (work.smaller, (*work.codes, REFUSED)), (work.other, (REFUSED,))):
        if more or codes == work.codes:
            outcome = lab.run(*work.words(out, lab.inputs, more))
            assert outcome.wrong(codes) == []
            if work.is_repeatable or more:
                assert snapshot(out) == before, more

"""The comparisons of what setters ask with brute force, on a few boards."""

import sudoku_setters

COUNTED = "8.........59.......76.........632587...798416...451932...5.6793.....4168......245,385\n"


def test_nothing_differs_on_a_few_boards(tmp_path, capsys):
    counts = tmp_path / "counts.csv"
    counts.write_text(COUNTED)
    assert sudoku_setters.main([str(counts), "--share", "0.004"]) == 0
    printed = capsys.readouterr().out
    assert "true candidates: 1 boards, 0 differ" in printed
    assert "canonical forms of images: 80 boards, 0 differ" in printed
    counts.write_text(COUNTED.replace("385", "384"))
    boards, numbers = sudoku_setters.read_counts(counts)
    assert sudoku_setters.compare_candidates(boards, numbers) == 1

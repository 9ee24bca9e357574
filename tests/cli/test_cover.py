"""Exact covers as they are typed: solved, counted and listed."""

import json

import pytest

TABLE = "A: 1 3 5\nB: 2 4\nC: 2 3 4 5 6\nD: 2 4 6\n"
"""The table of document 004."""
THREE = "# three ways\n1 2\n2 1\n3\n1\n2 3\n"


@pytest.mark.parametrize("solver", ["dancing-links", "sat", "integer"])
def test_the_table_of_the_document_is_solved_as_it_is(program, file, solver):
    if solver == "sat":
        pytest.importorskip("pysat")
    path = file(TABLE)
    code, out, err = program("cover", path, "--with", solver)
    header, numbers, names = out.splitlines()
    assert (code, header, names, err) == (0, f"exact-cover by {solver}", "A D", "")
    assert numbers.startswith("2 moves, proven unique, ")
    assert program("cover", path, "--with", solver, "--count") == (0, "1\n", "")
    assert program("cover", path, "--with", solver, "--all") == (0, "A D\n", "")


def test_json_is_a_row_a_number_or_lists(program):
    code, out, _ = program("cover", "-", "--json", stdin=TABLE.encode())
    row = json.loads(out)
    assert (code, row["moves"], row["proof"], row["verified_by"]) == (0, ["A", "D"], "unique", "plain")
    assert json.loads(program("cover", "-", "--json", "--count", stdin=THREE.encode())[1])["solutions"] == 3
    lists = program("cover", "-", "--json", "--all", stdin=THREE.encode())[1].splitlines()
    assert sorted(map(sorted, map(json.loads, lists))) == [["2", "4"], ["3", "4"], ["5", "6"]]


def test_most_is_the_most_that_are_counted_or_listed(program, file):
    path = file(THREE)
    assert program("cover", path, "--count", "--most", 2) == (0, "2+\n", "")
    code, out, _ = program("cover", path, "--all", "--most", 2)
    assert (code, len(out.splitlines())) == (0, 2)


def test_without_a_solution_the_code_is_1(program, file):
    never = file("a b\nb c\nc a\n")
    code, out, err = program("cover", never)
    assert (code, "proven unsolvable: every possibility was tried" in out, err) == (1, True, "")
    assert program("cover", never, "--count") == (1, "0\n", "")
    assert program("cover", never, "--all") == (1, "", "")
    code, out, _ = program("cover", file(TABLE), "--primary", "1,2,3,4,5,6,7")
    assert (code, out.splitlines()[1]) == (1, "proven unsolvable: no option covers the item '7'")


def test_a_limit_ends_each_search(program, file):
    path = file(TABLE)
    code, out, _ = program("cover", path, "--nodes", 1)
    assert (code, "not solved: the limit of nodes is reached" in out) == (1, True)
    assert program("cover", path, "--count", "--nodes", 1)[:2] == (1, "0+\n")


def test_secondary_items_need_not_be_covered(program, file):
    path = file("A: x 1\nB: x 2\nC: 2\nD: 1\n")
    assert program("cover", path, "--count", "--secondary", "x") == (0, "3\n", "")
    assert program("cover", path, "--count") == (0, "2\n", "")

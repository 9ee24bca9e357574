"""The API against its own description: whatever is sent, the answer is one that the description knows, and no fault."""

import json
from urllib.parse import urlencode
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings

FEW, EXAMPLES = 6, 50
"""Requests for each of the operations, in the quick tests and in the slow ones: there more than 500."""
MOST_READ = 60_000
"""Bytes of an address that the server reads for sure."""
BOARDS = {
    "tiles-2x2": ["1 2 0 3", "2 1 3 0", "1 2", ""],
    "tiles-3x3:blank-first": ["1 0 2 3 4 5 6 7 8", "012345678", "nine"],
    "sudoku-4x4": ["1...............", "1234341221434321", "11..............", "."],
    "dust-3x2x2": ["112211", "000000", "121212", "999999"],
}
SENSIBLE = {
    "moves": ["", "L", "U D", "r1c1=1", "0,0"],
    "solver": ["bfs", "greedy", "uct:playouts=2", "lattice", "nothing", "annealing"],
    "time": [0.2],
    "level": ["1", "3-4", "x"],
    "scale": ["uniform", "walk", "level", "blind"],
    "net": ["best", "tiles-3x3", "../x"],
    "count": [1, 3],
}


def map_query(context, query):
    """Three times in four with names and boards that mean something, so that what lies behind them is reached too."""
    return sensible(query, "board")


def map_body(context, body):
    return sensible(body, "boards") if isinstance(body, dict) else body


def sensible(asked, boards):
    if not asked:
        return asked
    chance = crc32(json.dumps(asked, sort_keys=True, default=str).encode())
    if chance % 4 == 0:
        return asked
    name = list(BOARDS)[chance // 4 % len(BOARDS)]
    known = {"puzzle": name, "time": 0.2}
    if boards in asked:
        texts = BOARDS[name]
        board = texts[chance // 16 % len(texts)]
        known[boards] = [board] if isinstance(asked[boards], list) else board
    for place, option in enumerate(SENSIBLE):
        if option in asked:
            known[option] = SENSIBLE[option][(chance >> place) % len(SENSIBLE[option])]
    return {**asked, **{option: value for option, value in known.items() if option in asked}}


@pytest.mark.parametrize("examples", [FEW, pytest.param(EXAMPLES, marks=pytest.mark.slow)])
def test_no_request_brings_the_server_to_a_fault(server, examples) -> None:
    pytest.importorskip("fastapi")
    schemathesis = pytest.importorskip("schemathesis")  # here, because it takes a second
    from puzzlelab.web.app import make_app

    schema = schemathesis.openapi.from_dict(make_app().openapi())
    schema.hook(map_query)
    schema.hook(map_body)
    for operation in schema.get_all_operations():

        @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
        @given(operation.ok().as_strategy())
        def check_operation(case):
            check(case, server)

        check_operation()


def check(case, server) -> None:
    import requests
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks as openapi

    try:
        answer = case.call(base_url=server.address.rstrip("/"), timeout=300)
    except requests.RequestException:
        # The server closes the line in the midst of an address that is too long; whether its refusal is read is chance.
        assert len(urlencode(case.query or {}, doseq=True)) > MOST_READ
        return
    shapes = (openapi.status_code_conformance, openapi.content_type_conformance, openapi.response_schema_conformance)
    case.validate_response(answer, checks=[not_a_server_error, *shapes])
    assert "Traceback" not in answer.text

"""What the tests of the page do on it, and how they look at its board."""

from playwright.sync_api import expect

BOARDS = {
    "tiles-4x4": "1 2 3 4 5 6 7 8 9 10 11 12 13 0 14 15",
    "dust-8x6x5": "425225154523142543212442545541241413141521445214",
    "sudoku-9x9": "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
}
"""A board of each puzzle."""
OUTSIDE = """(selectors) => selectors.filter((selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return !box.width || box.top < -1 || box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
})"""


def phone(width: int = 390, height: int = 844) -> dict:
    """The settings of a browser on a phone."""
    return {"viewport": {"width": width, "height": height}, "has_touch": True, "is_mobile": True}


def board(page):
    """The board, whose attributes say what it shows."""
    return page.get_by_test_id("board")


def shows(page, text: str, **more) -> None:
    """Wait until this board is shown."""
    expect(board(page)).to_have_attribute("data-board", text, **more)


def outside(page, *selectors: str) -> list[str]:
    """Which of these elements are not in the window as a whole."""
    return page.evaluate(OUTSIDE, list(selectors))


def new_board(page, seed: str = "") -> None:
    """Let the page make another board, with this seed if one is given, and wait until it is drawn."""
    before = board(page).get_attribute("data-board")
    page.get_by_test_id("new").click()
    if seed:
        page.get_by_test_id("new-more").click()
        page.get_by_test_id("seed").fill(seed)
    page.get_by_test_id("random" if seed else "level-any").click()
    expect(page.get_by_test_id("new-dialog")).to_be_hidden(timeout=300_000)
    expect(board(page)).not_to_have_attribute("data-board", before)
    expect(board(page)).to_have_attribute("data-mode", "play")


def keys(page, *names: str) -> None:
    """Press keys, one after the other."""
    for name in names:
        page.keyboard.press(name)


def findings(page):
    """What axe-core finds in light and in dark colours, as sentences."""
    from axe_playwright_python.sync_playwright import Axe

    sentences = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for each in Axe().run(page).response["violations"]:
            places = [node["html"][:200] for node in each["nodes"][:3]]
            sentences.append(f"{scheme}: {each['id']}: {each['help']}: {places}")
    return sentences

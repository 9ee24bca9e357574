/** The moves that were played, as a tree: the line itself, and below each place the other lines that begin there. */

import { byId, debounce, el, showText } from "../dom.js";
import { movesPlayed } from "../store.js";
import { treeOf } from "../variations.js";

/** The tree is drawn a moment after a move, so that the move itself is drawn at once. */
const PAUSE_MS = 120;

/** `goTo(moves)` shows the position after these moves. */
export function mountVariations(store, goTo) {
  const draw = debounce(() => {
    const { lines, facts, trail } = store.get();
    byId("lines-panel").hidden = !facts || facts.shows_board || !lines.length;
    if (byId("lines-panel").hidden) return;
    showText(byId("lines-note"), facts.move_note);
    const current = movesPlayed(store.get());
    const longest = trail.steps.at(-1).moves;
    byId("lines").replaceChildren(...listOf(treeOf(lines), longest, current, goTo));
  }, PAUSE_MS);
  store.watch(["lines", "trail", "facts"], draw);
}

/** The moves after a node: those of the line on the page, with the others as lists within. */
function listOf(root, line, current, goTo) {
  const items = [];
  for (let node = root; node.children.length; ) {
    const next = node.children.find(({ move }) => move === line[node.moves.length]) ?? node.children[0];
    items.push(buttonOf(next, current, goTo));
    for (const other of node.children) {
      if (other !== next) items.push(variation(other, current, goTo));
    }
    node = next;
  }
  return items;
}

function variation(node, current, goTo) {
  const rest = listOf(node, [], current, goTo);
  return el("li", { className: "variation" }, el("ol", { className: "moves" }, buttonOf(node, current, goTo), ...rest));
}

function buttonOf({ move, moves }, current, goTo) {
  const isHere = moves.length === current.length && moves.every((one, at) => one === current[at]);
  const button = el("button", { type: "button", textContent: `${moves.length}. ${move}`, on: { click: () => goTo(moves) } });
  if (isHere) button.setAttribute("aria-current", "step");
  return el("li", {}, button);
}

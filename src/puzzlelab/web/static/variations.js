/**
 * The lines that were played on a board, as a tree: taking moves back and playing others keeps both. A line is a list
 * of moves from the board; no line is the beginning of another.
 */

import { keepForBoard } from "./kept.js";

const MAX_LINES = 60;

const begins = (line, start) => start.length <= line.length && start.every((move, at) => move === line[at]);

/** The lines with one more. The oldest ones are left out where there are too many. */
export function withLine(lines, added) {
  if (!added.length || lines.some((line) => begins(line, added))) return lines;
  return [...lines.filter((line) => !begins(added, line)), added].slice(-MAX_LINES);
}

/** The lines as a tree of `{move, moves, children}`; `moves` are those from the board to it. */
export function treeOf(lines) {
  const root = { move: null, moves: [], children: [] };
  for (const line of lines) {
    let node = root;
    for (const move of line) {
      let child = node.children.find((other) => other.move === move);
      if (!child) node.children.push((child = { move, moves: [...node.moves, move], children: [] }));
      node = child;
    }
  }
  return root;
}

/** Keep the lines of a store, as its `lines`; the browser keeps them, for the last board of each puzzle. */
export function createVariations(store) {
  keepForBoard(store, "lines", Array.isArray);
  store.watch(["draft", "trail"], ({ draft, trail, facts }) => {
    if (!draft || facts.shows_board) return;
    const moves = trail.steps.at(-1)?.moves ?? [];
    store.set({ lines: withLine(store.get().lines, moves) });
  });
}

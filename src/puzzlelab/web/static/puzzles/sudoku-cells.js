/**
 * How the cells of a Sudoku look, and what they are called. A `look` has the rules, the mode, the board, the options of
 * the view, the notes, and the selected cells.
 */

import { percent } from "./grid.js";
import { openInWords } from "./sudoku-found.js";
import { notesInWords } from "./sudoku-notes.js";
import { SYMBOLS } from "./sudoku-rules.js";

const isClue = ({ mode, state, options }, cell) => Boolean(state[cell] && (mode === "make" || options.clues?.[cell]));

/** The class names of a cell. `clashing` and `near` are sets of cells. */
export function toneOf(look, cell, { clashing, near }) {
  const { mode, state, cells, chosen } = look;
  const digit = state[cell];
  const isOne = mode !== "watch" && chosen !== null && cells.size === 1;
  const classes = {
    "sudoku-clue": isClue(look, cell),
    "sudoku-chosen": mode !== "watch" && cells.has(cell),
    "sudoku-near": near.has(cell),
    "sudoku-apart": mode === "make" && look.found.apart.has(cell),
    "sudoku-same": isOne && chosen !== cell && digit && digit === state[chosen],
    "sudoku-conflict": clashing.has(cell),
  };
  return Object.keys(classes).filter((tone) => classes[tone]).join(" ");
}

/** The name of a cell and what stands in it. `visible` has the digits whose marks are shown. */
export function labelOf(look, cell, { visible, candidates, clashes }) {
  const { rules, mode, state, notes } = look;
  const digit = state[cell];
  const where = rules.cellWords(cell);
  const words = mode === "play" ? notesInWords(notes, cell, digit ? 0 : visible) : "";
  const noted = words && `, ${words}`;
  if (digit) {
    const kind = isClue(look, cell) ? "clue " : "";
    return `${where}, ${kind}${SYMBOLS[digit - 1]}${clashes ? rules.rivalWords(state, cell) : ""}${noted}`;
  }
  const open = mode === "make" ? openInWords(look.found.open[cell]) : "";
  const [likeliest] = candidates ?? [];
  const symbol = likeliest && SYMBOLS[likeliest.digit - 1];
  return `${where}, blank${noted}${open}${likeliest ? `, the network says ${symbol} (${percent(likeliest.share)})` : ""}`;
}

/** The rings around cells, as `[cell, kind]`: the hint, the next move of a solution, the surest cell, and the keyboard. */
export function ringsOf({ rules, options, chosen }, shares) {
  const { next = [], hint } = options;
  const [forced] = hint?.best ?? [];
  const at = (names, kind) => (names ?? []).filter(Boolean).map((name) => [rules.cellOf(name), kind]);
  const [surest] = [...shares].sort((one, other) => other[1][0].share - one[1][0].share);
  return [
    ...at(hint?.cells, "spoken").filter(([cell]) => !forced || cell !== rules.cellOf(forced)),
    ...at(hint?.wrong, "wrong"),
    ...at([forced], "forced"),
    ...at(next, "next"),
    ...(surest ? [[surest[0], "surest"]] : []),
    ...(chosen === null ? [] : [[chosen, "cursor"]]),
  ].filter(([cell]) => cell >= 0);
}

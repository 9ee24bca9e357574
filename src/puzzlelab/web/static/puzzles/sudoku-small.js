/** What stands small in a blank Sudoku cell: pencil marks, and what the network thinks of each candidate. */

import { UNIT, percent } from "./grid.js";
import { SYMBOLS, digitsOf } from "./sudoku-rules.js";

/** Shares below this are not drawn: a board full of nothings hides what matters. */
const LEAST = 0.005;
/** Largest grids in which every candidate has its own per cent, and in which every candidate is drawn at all. */
const NUMBERS_FOR_ALL = 6;
const ALL_CANDIDATES = 12;
/** The part of a cell that candidates take when a line of per cent stands beneath them. */
const UPPER = 0.7;

/** The middle of a digit's place in the box-shaped grid within a cell that is so high. */
function placeOf(rules, digit, height = UNIT) {
  const row = Math.floor((digit - 1) / rules.boxColumns);
  const column = (digit - 1) % rules.boxColumns;
  return { x: ((column + 0.5) * UNIT) / rules.boxColumns, y: ((row + 0.5) * height) / rules.boxRows };
}

function sizeOf(rules, height = UNIT) {
  return Math.min((1.3 * UNIT) / rules.boxColumns, (0.92 * height) / rules.boxRows, UNIT * 0.36);
}

/** Pencil marks of a set of digits. */
export function marks(rules, set) {
  const size = sizeOf(rules, UNIT * 0.94);
  return digitsOf(set).map((digit) => {
    const { x, y } = placeOf(rules, digit, UNIT * 0.94);
    return { text: SYMBOLS[digit - 1], x, y: y + UNIT * 0.03, size };
  });
}

/** `{"r3c5=7": share}` as a map from cells to `[{digit, share}]`, the likeliest first. */
export function sharesByCell(rules, heat) {
  const cells = new Map();
  for (const [move, share] of Object.entries(heat)) {
    const { cell, digit } = rules.readMove(move);
    if (!cells.has(cell)) cells.set(cell, []);
    cells.get(cell).push({ digit, share });
  }
  for (const shares of cells.values()) shares.sort((a, b) => b.share - a.share);
  return cells;
}

/** The candidates of one cell, as dark as they are likely; with numbers where there is room. */
export function shares(rules, found) {
  const seen = found.filter(({ share }, at) => at === 0 || share >= LEAST);
  if (rules.size <= NUMBERS_FOR_ALL) return seen.flatMap((one, at) => numbered(rules, one, at === 0));
  if (rules.size <= ALL_CANDIDATES) return [...seen.map((one, at) => placed(rules, one, at === 0)), line(seen[0])];
  return best(seen[0]);
}

function opacityOf(share) {
  return 0.45 + 0.55 * share;
}

function numbered(rules, { digit, share }, strong) {
  const { x, y } = placeOf(rules, digit);
  const size = sizeOf(rules) * 0.62;
  const look = { x, strong, opacity: opacityOf(share) };
  return [
    { ...look, text: SYMBOLS[digit - 1], y: y - size * 0.42, size },
    { ...look, text: percent(share), y: y + size * 0.5, size: size * 0.7 },
  ];
}

function placed(rules, { digit, share }, strong) {
  const { x, y } = placeOf(rules, digit, UNIT * UPPER);
  return { text: SYMBOLS[digit - 1], x, y: y + UNIT * 0.02, size: sizeOf(rules, UNIT * UPPER), strong, opacity: opacityOf(share) };
}

function line({ digit, share }) {
  return { text: `${SYMBOLS[digit - 1]} ${percent(share)}`, x: UNIT / 2, y: UNIT * 0.84, size: UNIT * 0.24, strong: true };
}

function best({ digit, share }) {
  const look = { x: UNIT / 2, strong: true, opacity: opacityOf(share) };
  return [
    { ...look, text: SYMBOLS[digit - 1], y: UNIT * 0.34, size: UNIT * 0.5 },
    { ...look, text: percent(share), y: UNIT * 0.78, size: UNIT * 0.28 },
  ];
}

/** The small texts in a blank Sudoku cell: pencil marks, and the network's probability of each candidate. */

import { UNIT, percent } from "./grid.js";
import { SYMBOLS, digitsOf } from "./sudoku-rules.js";

/** Shares below this are not drawn: many tiny numbers would hide the others. */
const MIN_SHARE = 0.005;
/** The largest grids in which every candidate has its percentage, and in which every candidate is drawn. */
const NUMBERS_FOR_ALL = 6;
const ALL_CANDIDATES = 12;
/** The part of a cell for the candidates when a percentage stands below them. */
const UPPER = 0.7;

/** The side of the square that corner marks fill: a ring around the cell does not reach them. */
const MARKS = UNIT * 0.84;

/** The middle of a digit's place in the box-shaped grid within a cell that is so high. */
function placeOf(rules, digit, height = UNIT, width = UNIT) {
  const row = Math.floor((digit - 1) / rules.blockColumns);
  const column = (digit - 1) % rules.blockColumns;
  return { x: ((column + 0.5) * width) / rules.blockColumns, y: ((row + 0.5) * height) / rules.blockRows };
}

/** The middle of a corner mark in its cell. */
export function markPlace(rules, digit) {
  const { x, y } = placeOf(rules, digit, MARKS, MARKS);
  return { x: x + (UNIT - MARKS) / 2, y: y + (UNIT - MARKS) / 2 + UNIT * 0.015 };
}

/** The size of a corner mark. */
export const markSize = (rules) => sizeOf(rules, MARKS);

function sizeOf(rules, height = UNIT) {
  return Math.min((1.3 * UNIT) / rules.blockColumns, (0.92 * height) / rules.blockRows, UNIT * 0.36);
}

/** Pencil marks of a set of digits: one text, each sign of which has its own place, as thousands of them are drawn. */
export function pencilMarks(rules, set) {
  if (!set) return [];
  const digits = digitsOf(set);
  const places = digits.map((digit) => markPlace(rules, digit));
  return [
    {
      text: digits.map((digit) => SYMBOLS[digit - 1]).join(""),
      x: places.map(({ x }) => x).join(" "),
      y: places.map(({ y }) => y).join(" "),
      size: markSize(rules),
    },
  ];
}

/** Centre marks of a set of digits: one line in the middle of the cell, as large as there is room. */
export function centreMarks(rules, set) {
  if (!set) return [];
  const text = digitsOf(set).map((digit) => SYMBOLS[digit - 1]).join("");
  return [{ text, x: UNIT / 2, y: UNIT / 2, size: Math.min(UNIT * 0.3, (UNIT * 1.5) / text.length), strong: true }];
}

/** `{"r3c5=7": share}` as a map from cells to `[{digit, share}]`, the likeliest first. */
export function sharesByCell(rules, heat) {
  const cells = new Map();
  for (const [move, share] of Object.entries(heat)) {
    const { cell, digit } = rules.readMove(move);
    if (!cells.has(cell)) cells.set(cell, []);
    cells.get(cell).push({ digit, share });
  }
  for (const candidateShares of cells.values()) candidateShares.sort((a, b) => b.share - a.share);
  return cells;
}

/** The candidates of one cell, as dark as they are likely; with numbers where there is room. */
export function candidateShares(rules, candidates) {
  const visible = candidates.filter(({ share }, at) => at === 0 || share >= MIN_SHARE);
  if (rules.size <= NUMBERS_FOR_ALL) return visible.flatMap((one, at) => withPercent(rules, one, at === 0));
  if (rules.size > ALL_CANDIDATES) return likeliestOnly(visible[0]);
  return [...visible.map((one, at) => withoutPercent(rules, one, at === 0)), percentLine(visible[0])];
}

/** The faintest candidate is still readable, and the likeliest always stands out. */
function style(share, strong) {
  return { strong, heat: true, opacity: strong ? 0.9 + 0.1 * share : 0.62 + 0.38 * share };
}

function withPercent(rules, { digit, share }, strong) {
  const { x, y } = placeOf(rules, digit);
  const width = UNIT / rules.blockColumns;
  const height = UNIT / rules.blockRows;
  const size = Math.min(height * 0.5, width * 0.8);
  return [
    { ...style(share, strong), text: SYMBOLS[digit - 1], x, y: y - height * 0.16, size },
    { ...style(share, strong), text: percent(share), x, y: y + height * 0.27, size: Math.min(height, width) * 0.4 },
  ];
}

function withoutPercent(rules, { digit, share }, strong) {
  const { x, y } = placeOf(rules, digit, UNIT * UPPER);
  const size = sizeOf(rules, UNIT * UPPER);
  return { ...style(share, strong), text: SYMBOLS[digit - 1], x, y: y + UNIT * 0.04, size };
}

function percentLine({ share }) {
  return { ...style(1, true), text: percent(share), x: UNIT / 2, y: UNIT * 0.85, size: UNIT * 0.22 };
}

function likeliestOnly({ digit, share }) {
  const looks = { ...style(share, false), strong: true, x: UNIT / 2 };
  return [
    { ...looks, text: SYMBOLS[digit - 1], y: UNIT * 0.35, size: UNIT * 0.5 },
    { ...looks, text: percent(share), y: UNIT * 0.79, size: UNIT * 0.28 },
  ];
}

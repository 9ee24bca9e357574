/** Drawing of SameGame: pieces with the digit of their colour, outlines, and the animation of a move. No state here. */

import { UNIT, easeIn, easeInOut, easeOut, label, set, svg } from "./grid.js";

/** The names of the colours, by number; the first is no colour. */
export const COLOURS = ["empty", "red", "green", "blue", "yellow", "purple", "orange", "cyan", "pink", "grey"];

const INSET = 3;
const ROUND = 14;
/** The share of an animation that each of its phases takes. */
const SHARES = { shrink: 0.28, fall: 0.4, close: 0.32 };

/** A piece of this colour as a group at the origin. */
export function drawPiece(colour) {
  const size = UNIT - 2 * INSET;
  const body = svg("rect", { x: INSET, y: INSET, width: size, height: size, rx: ROUND });
  return svg("g", { class: `samegame-c${colour}` }, body, label(String(colour), UNIT / 2, UNIT / 2, 44));
}

/** A colour for the palette, or the eraser (0). */
export function icon(colour) {
  const size = { viewBox: `0 0 ${UNIT} ${UNIT}`, width: 28, height: 28 };
  const eraser = { class: "samegame-eraser", d: "M12 12H88V88H12ZM34 34 66 66M66 34 34 66" };
  const content = colour ? drawPiece(colour) : svg("path", eraser);
  return svg("svg", { ...size, class: "samegame-icon", "aria-hidden": "true" }, content);
}

/** The border of a set of cells; `spot(cell)` gives the upper left corner of a cell. */
export function border(rules, cells, spot) {
  const inside = new Set(cells);
  const sides = (cell) => {
    const [x, y] = spot(cell);
    const [left, right, below, above] = rules.around(cell).map((other) => other === null || !inside.has(other));
    return [
      left && `M${x} ${y}v${UNIT}`,
      right && `M${x + UNIT} ${y}v${UNIT}`,
      above && `M${x} ${y}h${UNIT}`,
      below && `M${x} ${y + UNIT}h${UNIT}`,
    ];
  };
  return cells.flatMap(sides).filter(Boolean).join("");
}

/**
 * A drawing function for `animate`: the group shrinks, the rest falls, then empty columns close. `pieces`: {element,
 * cell}; `transition`: {gone, fallen, closed} of the rules. Phases in which nothing moves take no time.
 */
export function motionOf(pieces, { gone, fallen, closed }, spot) {
  const removed = new Set(gone);
  const leaving = pieces.filter(({ cell }) => removed.has(cell));
  const staying = pieces.filter(({ cell }) => !removed.has(cell));
  const travelling = (from, to, ease) => (part) => travel(staying, from, to, ease(part), spot);
  const here = (cell) => cell;
  const [down, left] = [(cell) => fallen[cell], (cell) => closed[cell]];
  const moves = (from, to) => staying.some(({ cell }) => from(cell) !== to(cell));
  const phases = [
    leaving.length && { share: SHARES.shrink, draw: (part) => shrink(leaving, part, spot) },
    moves(here, down) && { share: SHARES.fall, draw: travelling(here, down, easeIn) },
    moves(down, left) && { share: SHARES.close, draw: travelling(down, left, easeInOut) },
  ].filter(Boolean);
  return (share) => drawPhases(phases, share);
}

/** Draw the phases that are over at their end, and the present one. */
function drawPhases(phases, share) {
  let rest = share * phases.reduce((sum, phase) => sum + phase.share, 0);
  for (const phase of phases) {
    if (rest <= 0) return;
    phase.draw(Math.min(1, rest / phase.share));
    rest -= phase.share;
  }
}

function travel(pieces, from, to, part, spot) {
  for (const { element, cell } of pieces) {
    const [[x0, y0], [x1, y1]] = [spot(from(cell)), spot(to(cell))];
    set(element, { transform: `translate(${x0 + (x1 - x0) * part} ${y0 + (y1 - y0) * part})` });
  }
}

function shrink(pieces, part, spot) {
  const size = 1 - 0.7 * easeOut(part);
  for (const { element, cell } of pieces) {
    const [x, y] = spot(cell);
    const inset = ((1 - size) * UNIT) / 2;
    set(element, { transform: `translate(${x + inset} ${y + inset}) scale(${size})`, opacity: 1 - easeIn(part) });
  }
}

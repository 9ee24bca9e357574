/** The animation of a move: the cluster shrinks, the rest falls down, then closes up towards the line. */

import { UNIT, easeIn, easeInOut, easeOut, set } from "./grid.js";
import { join } from "./dust-draw.js";

const SHARES = { shrink: 0.28, fall: 0.4, close: 0.32 };

/**
 * A drawing function for `animate`. `pieces`: {group, colour, cell}; `transition`: {gone, fallen, closed} of the rules.
 * Phases in which nothing moves take no time.
 */
export function motionOf(rules, pieces, transition, spot) {
  const gone = new Set(transition.gone);
  const leaving = pieces.filter(({ cell }) => gone.has(cell));
  const staying = pieces.filter(({ cell }) => !gone.has(cell));
  const at = [staying.map(({ cell }) => cell)];
  at.push(at[0].map((cell) => transition.fallen[cell]), at[0].map((cell) => transition.closed[cell]));
  const moves = (from, to) => from.some((cell, place) => cell !== to[place]);
  const phases = [];
  const shrinkLeaving = (part) => shrink(leaving, part, spot);
  if (leaving.length) phases.push({ share: SHARES.shrink, from: at[0], to: at[0], draw: shrinkLeaving });
  if (moves(at[0], at[1])) phases.push({ share: SHARES.fall, from: at[0], to: at[1], ease: easeIn });
  if (moves(at[1], at[2])) phases.push({ share: SHARES.close, from: at[1], to: at[2], ease: easeInOut });
  return phasesDrawer(rules, staying, phases, spot);
}

function phasesDrawer(rules, pieces, phases, spot) {
  const whole = phases.reduce((sum, { share }) => sum + share, 0);
  let current = -1;
  return (share) => {
    let rest = share * whole;
    const place = phases.findIndex((phase, number) => {
      if (rest <= phase.share || number === phases.length - 1) return true;
      rest -= phase.share;
      return false;
    });
    if (place < 0) return;
    for (; current < place; current += 1) {
      phases[current]?.draw?.(1);
      joinAll(rules, pieces, phases[current + 1].from, phases[current + 1].to);
    }
    const phase = phases[place];
    const part = Math.min(1, rest / phase.share);
    if (phase.draw) phase.draw(part);
    else travel(pieces, phase, phase.ease(part), spot);
  };
}

/** Pieces of one colour hang together where they are neighbours before and after a phase. */
export function joinAll(rules, pieces, from, to) {
  const at = new Map(from.map((cell, place) => [cell, place]));
  pieces.forEach(({ group, colour }, place) => {
    const there = rules.touching(to[place]);
    const sides = rules.touching(from[place]).map((cell, side) => {
      const other = cell === null ? undefined : at.get(cell);
      return other !== undefined && pieces[other].colour === colour && there[side] === to[other];
    });
    join(group, sides);
  });
}

function travel(pieces, { from, to }, part, spot) {
  pieces.forEach(({ group }, place) => {
    const [x0, y0] = spot(from[place]);
    const [x1, y1] = spot(to[place]);
    set(group, { transform: `translate(${x0 + (x1 - x0) * part} ${y0 + (y1 - y0) * part})` });
  });
}

function shrink(pieces, part, spot) {
  const size = 1 - 0.7 * easeOut(part);
  for (const { group, cell } of pieces) {
    const [x, y] = spot(cell);
    const inset = ((1 - size) * UNIT) / 2;
    set(group, { transform: `translate(${x + inset} ${y + inset}) scale(${size})`, opacity: 1 - easeIn(part) });
  }
}

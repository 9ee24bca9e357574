/** Drawing of tiles, their marks and the tray. No state here. */

import { UNIT, label, percent, pill, regretText, set, svg } from "./grid.js";

const GAP = 24;
const STRIP = 70;

/** A tile as an SVG group: the piece `tile`, with its number; the label of its cell says the number too. */
export function drawTile(tile, number, cells) {
  const size = cells > 10 ? 42 : 46;
  return svg(
    "g",
    { class: "tile", "data-tile": tile },
    svg("rect", { class: "face", x: 4, y: 4, width: UNIT - 8, height: UNIT - 8, rx: 10 }),
    svg("g", { class: "piece" }),
    svg("rect", { class: "edge", x: 4, y: 4, width: UNIT - 8, height: UNIT - 8, rx: 10 }),
    svg("circle", { class: "dot", cx: 18, cy: 18, r: 5 }),
    svg("rect", { class: "plate", x: 56, y: 8, width: 36, height: 28, rx: 8 }),
    label(String(number), 50, 51, size, "number"),
    label(String(number), 74, 23, 22, "small"),
  );
}

/** The mark of a move: `{move, text, next, best, strength}`, or null for none. */
export function signFor(move, { heat, regrets, best }) {
  const texts = [];
  if (heat && move in heat) texts.push(percent(heat[move]));
  if (regrets && move in regrets) texts.push(regretText(regrets[move]));
  const next = best.includes(move);
  if (!texts.length && !next) return null;
  const strength = heat?.[move] ?? (regrets?.[move] === 0 ? 1 : null);
  return { move, text: texts.join(" · "), next, best: regrets?.[move] === 0, strength };
}

/** Arrows that point from the edge of a tile into the gap, where they cover no number. */
const ARROWS = { U: "M50-12 62 2H38Z", D: "M50 112 62 98H38Z", L: "M-12 50 2 38V62Z", R: "M112 50 98 38V62Z" };
/** Where each arrow begins, from which it grows. */
const EDGES = { U: [50, 2], D: [50, 98], L: [2, 50], R: [98, 50] };

/** Put a sign on a tile, or take it away (null). */
export function markTile(group, sign, size) {
  group.querySelector(".sign")?.remove();
  group.classList.toggle("next", Boolean(sign?.next));
  const beside = sign?.text ? `translate(0 ${sign.move[0] === "D" ? 14 : -14})` : null;
  set(group.querySelector(".number"), { transform: beside });
  if (!sign) return;
  const pictured = group.classList.contains("pictured");
  const marks = svg("g", { class: `sign${sign.best ? " best" : ""}` });
  const [x, y] = EDGES[sign.move[0]];
  const growth = sign.strength === null ? 1 : 0.6 + sign.strength;
  const grown = `translate(${x} ${y}) scale(${growth}) translate(${-x} ${-y})`;
  marks.append(svg("path", { class: "arrow", d: ARROWS[sign.move[0]], transform: grown }));
  const height = sign.text.length > 5 ? size * 0.5 : size; // a share and a regret are long
  if (sign.text) marks.append(pill(sign.text, 50, pictured ? 56 : sign.move[0] === "D" ? 22 : 78, height));
  group.append(marks);
}

/** Size of the drawing, and the tray: beside the board if there is room, else below it, a strip if empty. */
export function layoutOf({ rows, columns, cells }, making, wide, needed) {
  const [width, height] = [columns * UNIT, rows * UNIT];
  if (!making) return { width, height, tray: null };
  const along = wide ? rows : columns;
  const perLine = Math.ceil(along * (along < 6 || wide ? 1.25 : 1));
  const slot = (along * UNIT) / perLine;
  const depth = wide || needed ? slot * Math.ceil((cells - 1) / perLine) : STRIP;
  const tray = { wide, slot, perLine, x: wide ? width + GAP : 0, y: wide ? 0 : height + GAP };
  Object.assign(tray, wide ? { width: depth, height } : { width, height: depth });
  return { tray, width: tray.x + tray.width, height: tray.y + tray.height };
}

/** The slot of a tile in the tray: each tile has its own, so that no tile moves when another is removed. */
function traySlot({ tray }, tile) {
  const across = Math.floor(tray.width / tray.slot + 0.01);
  const [line, place] = [Math.floor((tile - 1) / across), (tile - 1) % across];
  return { x: tray.x + place * tray.slot, y: tray.y + line * tray.slot, side: tray.slot };
}

/** Draw the tray of a view with these tiles, and an empty slot for every other tile. */
export function drawTray(view, tiles) {
  const { tray } = view.layout;
  const group = view.trayGroup;
  const key = tray && JSON.stringify([tray, tiles]);
  if (group.dataset.drawn === String(key)) return;
  const focused = group.contains(document.activeElement) ? Number(document.activeElement.dataset.tray) : null;
  group.dataset.drawn = key;
  group.replaceChildren();
  if (!tray) return;
  const frame = { x: tray.x - 6, y: tray.y - 6, width: tray.width + 12, height: tray.height + 12, rx: 14 };
  group.append(svg("rect", { class: "shelf", ...frame }));
  if (!tiles.length) group.append(...hint(tray, view.rules.columns));
  for (let tile = 1; tiles.length && tile < view.rules.cells; tile += 1) {
    group.append(trayPlace(view, tile, tiles.includes(tile)));
  }
  setFocusable(group, tiles, focused);
}

/** Make one tile of the tray reachable by Tab; if the focused tile was removed, the focus goes to the next one. */
function setFocusable(group, tiles, focused) {
  const wanted = tiles.find((tile) => focused !== null && tile >= focused) ?? tiles[0];
  const element = group.querySelector(`[data-tray="${wanted}"]`);
  if (element) set(element, { tabindex: 0 });
  if (focused !== null) element?.focus({ preventScroll: true });
}

/** The text of the empty tray, in short lines for a narrow tray. */
function hint(tray, columns) {
  const lines = tray.wide ? ["Drag a tile", "here to", "take it out"] : ["Drag a tile here to take it out"];
  const size = tray.wide ? Math.min(tray.width / 6.5, 24) : Math.min(24, columns * 6);
  const top = tray.y + tray.height / 2 - ((lines.length - 1) / 2) * size * 1.4;
  return lines.map((line, place) => label(line, tray.x + tray.width / 2, top + place * size * 1.4, size, "hint"));
}

function trayPlace(view, tile, present) {
  const { x, y, side } = traySlot(view.layout, tile);
  const scale = side / UNIT;
  const inner = { x: 10, y: 10, width: UNIT - 20, height: UNIT - 20, rx: 10 };
  const place = svg("g", { transform: `translate(${x} ${y}) scale(${scale})` });
  if (!present) {
    place.append(svg("rect", { class: "gone", ...inner }));
    return place;
  }
  const copy = view.copy(tile);
  set(place, { class: "cell", "data-tray": tile, role: "button", tabindex: -1, "aria-label": `tile ${view.rules.numbers[tile]}` });
  place.append(copy, svg("rect", { class: "ring", x: 3, y: 3, width: UNIT - 6, height: UNIT - 6, rx: 10 }));
  return place;
}

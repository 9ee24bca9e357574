/** Marks over a board of SameGame: the group under the pointer with its points, shares, regrets, and the next move. */

import { UNIT, percent, pill, regretText, svg } from "./grid.js";
import { border } from "./samegame-draw.js";
import { points } from "./samegame-words.js";

/** Smaller shares have no number; on a wide board only the largest have one. */
const MIN_SHARE = 0.005;
const WIDE_FROM = 11;
const MOST_SHARES = 12;

export class Marks {
  constructor(view) {
    Object.assign(this, { view, rules: view.rules, shown: {} });
    this.markLayer = svg("g", { class: "marks", "aria-hidden": "true" });
    this.previewLayer = svg("g", { class: "preview", "aria-hidden": "true" });
    this.layers = [this.markLayer, this.previewLayer];
  }

  clear() {
    for (const layer of this.layers) layer.replaceChildren();
  }

  /** Dim all but the group of this cell, and show its points; null shows nothing, and so does a single cell. */
  preview(cell) {
    const { rules, view } = this;
    this.previewLayer.replaceChildren();
    const group = cell === null ? null : rules.groups(view.state)[cell];
    if (!(group?.length > 1)) return;
    const hole = group.map((member) => `M${view.spot(member).join(" ")}h${UNIT}v${UNIT}h${-UNIT}Z`).join("");
    const frame = `M0 0H${rules.width * UNIT}V${rules.height * UNIT}H0Z`;
    const veil = svg("path", { class: "veil", "fill-rule": "evenodd", d: frame + hole });
    const dy = this.#hasText(group) ? -UNIT / 2 : 0;
    this.previewLayer.append(veil, ...this.#outlined(group, "looked"));
    this.previewLayer.append(this.#pill(group, `+${points(group.length)}`, dy));
  }

  /** Mark the next move, and the probabilities and regrets of groups. */
  draw({ heat = null, regrets = null, next = null }) {
    this.shown = { heat, regrets };
    this.markLayer.replaceChildren();
    if (next) this.markLayer.append(...this.#outlined(this.#groupOf(next), "next"));
    for (const [move, text] of textsOf(this.rules.width < WIDE_FROM ? heat : highest(heat), regrets)) {
      const group = this.#groupOf(move);
      if (group.length) this.markLayer.append(this.#pill(group, text, 0, regrets?.[move] === 0 ? "best" : ""));
    }
  }

  /** In the editor: mark the cells that would move. */
  drawUnrest() {
    const cells = this.rules.unrest(this.view.state)?.cells ?? [];
    this.markLayer.replaceChildren(...(cells.length ? this.#outlined(cells, "next") : []));
  }

  /** The cells that a move removes; none for an empty cell. */
  #groupOf(move) {
    return this.rules.groups(this.view.state)[this.rules.cellAt(move)] ?? [];
  }

  /** Whether a share or a regret stands in the middle of a group. */
  #hasText(group) {
    const move = this.rules.moveAt(group[0]);
    const { heat, regrets } = this.shown;
    return heat?.[move] >= MIN_SHARE || (regrets !== null && regrets !== undefined && move in regrets);
  }

  #outlined(cells, className) {
    const d = border(this.rules, cells, this.view.spot);
    return [svg("path", { class: "halo", d }), svg("path", { class: `outline ${className}`, d })];
  }

  /** A short text in the middle of the cell of a group that is nearest to its centre, moved down by `dy`. */
  #pill(cells, text, dy, className = "") {
    const places = cells.map(this.view.spot);
    const mean = [0, 1].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / cells.length);
    const distances = places.map(([x, y]) => Math.hypot(x - mean[0], y - mean[1]));
    const [x, y] = places[distances.indexOf(Math.min(...distances))];
    return pill(text, x + UNIT / 2, y + UNIT / 2 + dy, this.rules.width < WIDE_FROM ? 32 : 42, className);
  }
}

/** The moves with the largest shares. */
function highest(heat) {
  return heat && Object.fromEntries(Object.entries(heat).sort((a, b) => b[1] - a[1]).slice(0, MOST_SHARES));
}

/** The text of each move: its share, its regret, or both. */
function textsOf(heat, regrets) {
  const moves = new Set([...Object.keys(heat ?? {}), ...Object.keys(regrets ?? {})]);
  const texts = [...moves].map((move) => {
    const share = heat?.[move] >= MIN_SHARE ? [percent(heat[move])] : [];
    return [move, [...share, ...(regrets && move in regrets ? [regretText(regrets[move])] : [])].join(" ")];
  });
  return texts.filter(([, text]) => text);
}

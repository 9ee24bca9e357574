/** Marks over a board of dust: the effect of a click, shares, regrets, and the next move. */

import { UNIT, percent, pill, regretText, set, sizeWithin, svg } from "./grid.js";
import { arrow, border } from "./dust-draw.js";

/** Smaller shares have no number. */
const MIN_SHARE = 0.005;
const PALEST = 25;
/** The size of texts in units of a cell, at most, and the room of a cell for them. */
const TEXT_SIZE = 28;
const ROOM = 88;
/** The middle of the last line of text, from the top of its cell: below the shape. */
const LAST_LINE = 82;
/** The distance of two lines of text. */
const LINE = 36;
/** Texts that would be smaller than so many pixels are left out: the shades of the clusters say as much. */
const SMALLEST_PIXELS = 11;

export class Marks {
  constructor(view) {
    this.view = view;
    this.rules = view.rules;
    this.previewGroup = svg("g", { class: "preview", "aria-hidden": "true" });
    this.markGroup = svg("g", { class: "marks", "aria-hidden": "true" });
    this.layers = [this.markGroup, this.previewGroup];
  }

  clear() {
    for (const layer of this.layers) layer.replaceChildren();
  }

  /** Dim all but the cluster of this cell, and mark what would move; null shows nothing. */
  preview(cell) {
    const { rules, view } = this;
    this.previewGroup.replaceChildren();
    if (cell === null || !view.state[cell]) return;
    const transition = rules.click(view.state, cell);
    const [wide, high] = [rules.width * UNIT, rules.height * UNIT];
    const hole = transition.gone.map((member) => `M${view.spot(member).join(" ")}h${UNIT}v${UNIT}h${-UNIT}Z`).join("");
    const veil = svg("path", { class: "veil", "fill-rule": "evenodd", d: `M0 0H${wide}V${high}H0Z${hole}` });
    this.previewGroup.append(veil, ...this.outlined(transition.gone, "looked"), ...this.arrows(transition));
  }

  /** Draw the marks of the state; in the editor, mark the pieces that would fall. */
  draw({ heat = null, regrets = null, best = [] }, making) {
    const { state } = this.view;
    this.markGroup.replaceChildren();
    this.fade(heat);
    for (const move of best) this.markNext(move);
    for (const [move, lines] of texts(heat, regrets)) this.markCluster(move, lines, regrets?.[move] === 0);
    if (making && this.rules.unrest(state)) this.markGroup.append(...this.arrows(this.rules.fall(state)));
  }

  /** Clusters of low probability are pale. */
  fade(heat) {
    const { state, pieces } = this.view;
    const strength = new Map();
    const largest = Math.max(...Object.values(heat ?? {}), 1e-9);
    for (const [move, share] of Object.entries(heat ?? {})) {
      const value = PALEST + (100 - PALEST) * (share / largest);
      for (const member of this.clusterOf(move, state)) strength.set(member, value);
    }
    for (const { cell, group } of pieces) {
      if (heat) group.style.setProperty("--strength", `${strength.get(cell) ?? PALEST}%`);
      else group.style.removeProperty("--strength");
    }
  }

  /** The cells that a move removes; none for an empty cell. */
  clusterOf(move, state) {
    const cell = this.rules.cellAt(move);
    return state[cell] ? this.rules.cluster(state, cell) : [];
  }

  /** One or two lines of text at the lower edge of the middle cell of a cluster; they leave its shape to be seen. */
  markCluster(move, lines, best) {
    const cells = this.clusterOf(move, this.view.state);
    if (!cells.length) return;
    const [x, y] = this.view.spot(this.middle(cells));
    const smallest = SMALLEST_PIXELS / this.view.pixels();
    lines.forEach((text, at) => {
      const size = Math.min(TEXT_SIZE, sizeWithin(text, ROOM));
      const above = (lines.length - 1 - at) * LINE;
      if (size < smallest) return;
      this.markGroup.append(pill(text, x + UNIT / 2, y + LAST_LINE - above, size, best ? "best" : ""));
    });
  }

  markNext(move) {
    const cells = this.clusterOf(move, this.view.state);
    if (cells.length) this.markGroup.append(...this.outlined(cells, "next"));
  }

  /** The cell of a cluster that is nearest to its centre. */
  middle(cells) {
    const places = cells.map((cell) => this.view.spot(cell));
    const mean = [0, 1].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / cells.length);
    const distances = places.map(([x, y]) => Math.hypot(x - mean[0], y - mean[1]));
    return cells[distances.indexOf(Math.min(...distances))];
  }

  outlined(cells, className) {
    const d = border(this.rules, cells, this.view.spot);
    return [svg("path", { class: "halo", d }), svg("path", { class: `outline ${className}`, d })];
  }

  /** A sign on each piece that will move. */
  arrows({ closed }) {
    return closed.flatMap((to, cell) => {
      if (to === null || to === cell) return [];
      const [x, y] = this.view.spot(cell);
      const [toX, toY] = this.view.spot(to);
      const sign = arrow(Math.sign(toX - x), Math.sign(toY - y));
      set(sign, { transform: `translate(${x} ${y})` });
      return [sign];
    });
  }
}

/** The texts on each cluster: its share, its regret, or both. */
function texts(heat, regrets) {
  const moves = new Set([...Object.keys(heat ?? {}), ...Object.keys(regrets ?? {})]);
  return [...moves].map((move) => {
    const parts = [];
    if (heat?.[move] >= MIN_SHARE) parts.push(percent(heat[move]));
    if (regrets && move in regrets) parts.push(regretText(regrets[move]));
    return [move, parts];
  });
}

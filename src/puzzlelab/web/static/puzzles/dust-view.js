/** The board of dust: draws states and animates falling pieces. Marks are in dust-marks.js, input in dust-input.js. */

import { Cursor, UNIT, animate, label, prefersReducedMotion, placeOf, pointOf, sameState, set, svg } from "./grid.js";
import { COLOURS, drawPiece } from "./dust-draw.js";
import { ClickInput, PaintInput } from "./dust-input.js";
import { Marks } from "./dust-marks.js";
import { joinAll, motionOf } from "./dust-motion.js";

const MARGIN = 8;
/** The room for the numbers of columns and rows, and their size. */
const AXIS = 30;
const SETTLE_MS = 450;

export class DustView {
  constructor(rules, host, hooks) {
    Object.assign(this, { rules, host, hooks, brush: 1, showsFirst: false, pieces: [], annotations: { best: [] } });
    this.state = Array(rules.cells).fill(0);
    this.spot = (cell) => this.cornerOf(cell);
    this.motion = null;
    this.end = new AbortController();
    this.draw();
    host.append(this.root);
    this.cursor = new Cursor(this.lines, this.end.signal);
    this.cursor.go(rules.height - 1, rules.line);
    this.mode("watch");
  }

  // --- the interface of a view ---

  show(state, { from = null, move = null, duration = 0, heat = null, regrets = null, next = [], hint = null } = {}) {
    this.annotations = { heat, regrets, best: [...next, ...(hint?.best ?? [])] };
    const transition = from && this.transitionOf(from, move, state);
    if (transition) return this.fall(from, transition, duration);
    if (sameState(state, this.state)) {
      if (!this.motion) this.update();
      return this.motion?.done ?? Promise.resolve();
    }
    this.jump(state);
    return Promise.resolve();
  }

  mode(name) {
    this.input?.destroy();
    this.modeName = name;
    set(this.root, { class: `dust ${name}` });
    this.input = name === "make" ? new PaintInput(this) : new ClickInput(this, name === "play");
    this.cursor.enable(name !== "watch");
    this.update();
  }

  tool(id, value) {
    if (id === "colour") this.brush = Number(value);
    if (id === "settle") this.settle();
    if (id === "first") this.showsFirst = Boolean(value);
  }

  /** Take the keyboard; whether there is something to do with keys. */
  focus() {
    if (this.modeName === "watch") return false;
    this.cursor.focus();
    return true;
  }

  destroy() {
    this.motion?.stop();
    this.input.destroy();
    this.end.abort();
    this.root.remove();
  }

  // --- for the input ---

  /** The cell under a pointer, or null. */
  cellAt(event) {
    return this.cellAtPoint(pointOf(this.root, event));
  }

  cellAtPoint(point) {
    const place = placeOf(point, this.rules.height, this.rules.width);
    return place && this.rules.cellOf(place.column, this.rules.height - 1 - place.row);
  }

  /** The user changed the board. */
  edit(state, words) {
    this.jump(state);
    this.hooks.edited(state);
    const unrest = this.rules.unrest(state);
    this.hooks.say(unrest ? `${words}; ${unrest.cells.length} would fall` : words);
  }

  settle() {
    const from = this.state;
    const to = this.rules.settled(from);
    if (sameState(from, to)) return this.hooks.say("the board is at rest");
    this.show(to, { from, duration: prefersReducedMotion() ? 0 : SETTLE_MS });
    this.hooks.edited(to);
    return this.hooks.say("the board is at rest now");
  }

  /** Show what a click on this cell would do; null shows nothing. */
  preview(cell) {
    this.marks.preview(this.motion ? null : cell);
  }

  // --- drawing ---

  cornerOf(cell) {
    const [x, y] = this.rules.placeOf(cell);
    return [x * UNIT, (this.rules.height - 1 - y) * UNIT];
  }

  draw() {
    const { width, height, line, cells } = this.rules;
    const [wide, high] = [width * UNIT, height * UNIT];
    const ground = { x: -MARGIN, y: -MARGIN, width: wide + 2 * MARGIN, height: high + 2 * MARGIN };
    const frame = { x: -MARGIN - AXIS, y: -MARGIN, width: wide + 2 * MARGIN + AXIS, height: high + 2 * MARGIN + AXIS };
    const places = Array.from({ length: cells }, (_, cell) => this.at(cell, this.drawPlace()));
    this.pieceGroup = svg("g", { class: "pieces" });
    this.marks = new Marks(this);
    this.cells = Array.from({ length: cells }, (_, cell) => this.drawCell(cell));
    this.lines = Array.from({ length: height }, (_, row) =>
      Array.from({ length: width }, (__, column) => this.cells[this.rules.cellOf(column, height - 1 - row)]),
    );
    this.grid = svg("g", { role: "grid" }, ...this.lines.map((cellsOf) => svg("g", { role: "row" }, ...cellsOf)));
    this.root = svg(
      "svg",
      { viewBox: Object.values(frame).join(" "), role: "group", tabindex: -1, "aria-label": "Dust" },
      svg("rect", { class: "ground", ...ground, rx: 14 }),
      svg("g", { class: "axes", "aria-hidden": "true" }, ...this.axes()),
      svg("g", { class: "places" }, ...places),
      line ? svg("path", { class: "line", d: `M${line * UNIT} ${-MARGIN}V${high + MARGIN}` }) : "",
      this.pieceGroup,
      ...this.marks.layers,
      this.grid,
    );
  }

  /** The numbers of columns and rows, from 0 at the lower left, as moves are written. */
  axes() {
    const { width, height } = this.rules;
    const middle = (MARGIN + AXIS) / 2;
    const columns = Array.from({ length: width }, (_, column) =>
      label(String(column), (column + 0.5) * UNIT, height * UNIT + middle, AXIS, ""));
    const rows = Array.from({ length: height }, (_, row) =>
      label(String(row), -middle, (height - row - 0.5) * UNIT, AXIS, ""));
    return [...columns, ...rows];
  }

  /** How many pixels a unit of the drawing has. */
  pixels() {
    return this.root.clientWidth / this.root.viewBox.baseVal.width || 1;
  }

  drawPlace() {
    return svg("rect", { class: "place", x: 8, y: 8, width: UNIT - 16, height: UNIT - 16, rx: 14 });
  }

  drawCell(cell) {
    const inner = { x: 3, y: 3, width: UNIT - 6, height: UNIT - 6, rx: 12 };
    const ring = svg("rect", { class: "ring", ...inner });
    return this.at(cell, svg("g", { class: "cell", role: "gridcell", "data-cell": cell }, this.drawHit(), ring));
  }

  drawHit() {
    return svg("rect", { class: "hit", width: UNIT, height: UNIT, opacity: 0 });
  }

  at(cell, element) {
    set(element, { transform: `translate(${this.spot(cell).join(" ")})` });
    return element;
  }

  /** Draw a state at once, without animation. */
  jump(state) {
    this.motion?.stop();
    this.motion = null;
    this.state = state;
    this.lay(state);
    this.update();
  }

  /** The animation has ended: draw the pieces at rest, and the marks. */
  arrive() {
    this.motion = null;
    this.lay(this.state);
    this.mark();
  }

  lay(state) {
    this.pieces = state.flatMap((colour, cell) => (colour ? [{ colour, cell, group: drawPiece(colour) }] : []));
    for (const { cell, group } of this.pieces) this.at(cell, group);
    const cells = this.pieces.map(({ cell }) => cell);
    joinAll(this.rules, this.pieces, cells, cells);
    this.pieceGroup.replaceChildren(...this.pieces.map(({ group }) => group));
  }

  /** How the pieces move from one state to another, by a move or by settling; null if neither leads there. */
  transitionOf(from, move, state) {
    if (move !== null) return this.rules.click(from, this.rules.cellAt(move));
    const transition = { gone: [], ...this.rules.fall(from) };
    return sameState(transition.state, state) ? transition : null;
  }

  fall(from, transition, duration) {
    this.motion?.stop();
    if (this.motion || !sameState(from, this.state)) this.lay(from);
    this.state = transition.state;
    this.marks.clear();
    this.words();
    const motion = animate(duration, motionOf(this.rules, this.pieces, transition, this.spot));
    this.motion = motion;
    const done = motion.done.then(() => this.motion === motion && this.arrive());
    motion.done = done;
    return done;
  }

  // --- words ---

  update() {
    this.words();
    this.mark();
  }

  mark() {
    this.marks.draw(this.annotations, this.modeName === "make");
    this.input?.update();
  }

  words() {
    const { width, height } = this.rules;
    const making = this.modeName === "make";
    const label = `Dust, ${width} columns and ${height} rows`;
    set(this.grid, { "aria-label": label, "aria-readonly": making ? null : "true" });
    const first = this.rules.clusters(this.state);
    const sizes = new Map();
    for (const cell of first) sizes.set(cell, (sizes.get(cell) ?? 0) + 1);
    this.cells.forEach((element, cell) => {
      const [column, row] = this.rules.placeOf(cell);
      const colour = COLOURS[this.state[cell]].name;
      const size = !making && this.state[cell] ? `, cluster of ${sizes.get(first[cell])}` : "";
      set(element, { "aria-label": `column ${column}, row ${row}: ${colour}${size}` });
    });
  }
}

/** The board of SameGame: draws states and the score, and animates moves. Marks and input have their own files. */

import { el } from "../dom.js";
import { Cursor, UNIT, animate, placeOf, pointOf, prefersReducedMotion, sameState, set, svg } from "./grid.js";
import { COLOURS, drawPiece, motionOf } from "./samegame-draw.js";
import { ClickInput, PaintInput } from "./samegame-input.js";
import { Marks } from "./samegame-marks.js";
import { stateOf } from "./samegame-rules.js";
import { points, scoreInWords } from "./samegame-words.js";

const MARGIN = 8;
const SETTLE_MS = 450;

export class SameGameView {
  constructor(rules, host, hooks) {
    Object.assign(this, { rules, hooks, brush: 1, pieces: [], motion: null, start: null, annotations: {} });
    this.state = rules.empty();
    this.spot = (cell) => this.#cornerOf(cell);
    this.end = new AbortController();
    this.score = el("p", { className: "samegame-score", "data-testid": "score" });
    this.#draw();
    host.append(this.score, this.root);
    this.cursor = new Cursor(this.lines, this.end.signal);
    this.cursor.go(rules.height - 1, 0);
    this.mode("watch");
  }

  // --- the interface of a view ---

  show(state, { from = null, move = null, duration = 0, heat = null, regrets = null, next = null, clues = null } = {}) {
    this.start = clues;
    this.annotations = { heat, regrets, next };
    const transition = from && this.#transitionOf(from, move, state);
    if (transition) return this.#move(from, state, transition, duration);
    const same = sameState(state.cells, this.state.cells);
    this.state = state;
    if (same && this.motion) return this.motion.done;
    if (same) this.#update();
    else this.#jump(state);
    return Promise.resolve();
  }

  mode(name) {
    this.input?.destroy();
    this.modeName = name;
    set(this.root, { class: `samegame ${name}` });
    this.input = name === "make" ? new PaintInput(this) : new ClickInput(this, name === "play");
    this.cursor.enable(name !== "watch");
    this.#update();
  }

  tool(id, value) {
    if (id === "colour") this.brush = Number(value);
    if (id === "settle") this.#settle();
  }

  destroy() {
    this.motion?.stop();
    this.input.destroy();
    this.end.abort();
    this.score.remove();
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

  /** The accessible name of a cell. */
  nameOf(cell) {
    return this.cells[cell].getAttribute("aria-label");
  }

  /** Give cells a colour; whether that changes the board. */
  paint(chosen, colour) {
    if (chosen.every((cell) => this.state.cells[cell] === colour)) return false;
    this.#jump(stateOf(this.state.cells.map((old, cell) => (chosen.includes(cell) ? colour : old))));
    return true;
  }

  /** The user has changed the board. */
  edited(words) {
    const unrest = this.rules.unrest(this.state);
    this.hooks.edited(this.state);
    this.hooks.say(unrest ? `${words}; ${unrest.cells.length} would move` : words);
  }

  /** Highlight the group of this cell, with its points; null highlights nothing. */
  preview(cell) {
    this.marks.preview(this.motion ? null : cell);
  }

  // --- drawing ---

  #cornerOf(cell) {
    const [x, y] = this.rules.placeOf(cell);
    return [x * UNIT, (this.rules.height - 1 - y) * UNIT];
  }

  #draw() {
    const { width, height, cells } = this.rules;
    const frame = { x: -MARGIN, y: -MARGIN, width: width * UNIT + 2 * MARGIN, height: height * UNIT + 2 * MARGIN };
    const every = Array.from({ length: cells }, (_, cell) => cell);
    const place = { class: "place", x: 8, y: 8, width: UNIT - 16, height: UNIT - 16, rx: 14 };
    const places = every.map((cell) => this.#at(cell, svg("rect", place)));
    this.cells = every.map((cell) => this.#drawCell(cell));
    this.lines = Array.from({ length: height }, (_, line) =>
      Array.from({ length: width }, (__, column) => this.cells[this.rules.cellOf(column, height - 1 - line)]),
    );
    this.grid = svg("g", { role: "grid" }, ...this.lines.map((line) => svg("g", { role: "row" }, ...line)));
    this.pieceLayer = svg("g", { class: "pieces" });
    this.marks = new Marks(this);
    this.root = svg(
      "svg",
      { viewBox: Object.values(frame).join(" "), role: "group", tabindex: -1, "aria-label": "SameGame" },
      svg("rect", { class: "ground", ...frame, rx: 14 }),
      svg("g", { class: "places" }, ...places),
      this.pieceLayer,
      ...this.marks.layers,
      this.grid,
    );
  }

  #drawCell(cell) {
    const hit = svg("rect", { class: "hit", width: UNIT, height: UNIT, opacity: 0 });
    const ring = svg("rect", { class: "ring", x: 3, y: 3, width: UNIT - 6, height: UNIT - 6, rx: 12 });
    return this.#at(cell, svg("g", { class: "cell", role: "gridcell", "data-cell": cell }, hit, ring));
  }

  #at(cell, element) {
    set(element, { transform: `translate(${this.spot(cell).join(" ")})` });
    return element;
  }

  /** Draw a state at once, without animation. */
  #jump(state) {
    this.motion?.stop();
    this.motion = null;
    this.state = state;
    this.#lay(state);
    this.#update();
  }

  #lay({ cells }) {
    const piece = (colour, cell) => ({ cell, element: this.#at(cell, drawPiece(colour)) });
    this.pieces = cells.flatMap((colour, cell) => (colour ? [piece(colour, cell)] : []));
    this.pieceLayer.replaceChildren(...this.pieces.map(({ element }) => element));
  }

  /** How the pieces move from one state to another, by a move or by settling; null if neither leads there. */
  #transitionOf(from, move, state) {
    if (move !== null) return this.rules.click(from, this.rules.cellAt(move));
    const { cells, ...transition } = this.rules.fall(from.cells);
    return sameState(cells, state.cells) ? { gone: [], ...transition } : null;
  }

  /** Animate the pieces from one state to another. */
  #move(from, state, transition, duration) {
    this.motion?.stop();
    if (this.motion || !sameState(from.cells, this.state.cells)) this.#lay(from);
    this.state = state;
    this.marks.clear();
    this.#words();
    const motion = animate(duration, motionOf(this.pieces, transition, this.spot));
    this.motion = motion;
    motion.done = motion.done.then(() => this.motion === motion && this.#arrive());
    return motion.done;
  }

  /** The animation has ended: draw the pieces at rest, and the marks. */
  #arrive() {
    this.motion = null;
    this.#lay(this.state);
    this.#mark();
  }

  #settle() {
    const from = this.state;
    const to = this.rules.settled(from);
    if (sameState(from.cells, to.cells)) return this.hooks.say("the board is at rest");
    this.show(to, { from, duration: prefersReducedMotion() ? 0 : SETTLE_MS });
    this.hooks.edited(to);
    return this.hooks.say("the board is at rest now");
  }

  #mark() {
    if (this.modeName === "make") this.marks.drawUnrest();
    else this.marks.draw(this.annotations);
    this.input?.update();
  }

  // --- words ---

  #update() {
    this.#words();
    if (!this.motion) this.#mark();
  }

  #words() {
    const { width, height } = this.rules;
    const making = this.modeName === "make";
    this.score.hidden = making || !this.start;
    this.score.textContent = this.start ? scoreInWords(this.rules, this.state, this.start) : "";
    const label = `SameGame, ${width} columns and ${height} rows`;
    set(this.grid, { "aria-label": label, "aria-readonly": making ? null : "true" });
    const groups = making ? [] : this.rules.groups(this.state);
    this.cells.forEach((element, cell) => {
      const [column, row] = this.rules.placeOf(cell);
      const size = groups[cell]?.length;
      const group = !size ? "" : size === 1 ? ", single" : `, group of ${size}, ${points(size)} points`;
      const colour = COLOURS[this.state.cells[cell]];
      set(element, { "aria-label": `column ${column}, row ${row}: ${colour}${group}` });
    });
  }
}

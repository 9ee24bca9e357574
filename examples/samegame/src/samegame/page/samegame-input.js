/** Input for a board of SameGame: clicks on groups in play, and painting in the editor. */

import { UNIT, pointOf, preventFling } from "./grid.js";
import { COLOURS } from "./samegame-draw.js";

/** Milliseconds of a touch that highlights a group without removing it. */
const LONG_PRESS = 450;

/** Highlights the group under the pointer or the keyboard focus; removes it on a click if `plays`. */
export class ClickInput {
  constructor(view, plays) {
    Object.assign(this, { view, pressed: null, hovered: null });
    this.end = new AbortController();
    const listen = (type, act) => view.root.addEventListener(type, act, { signal: this.end.signal });
    listen("pointermove", (event) => this.#look(view.cellAt(event)));
    listen("pointerleave", () => this.#leave());
    listen("pointercancel", () => this.#leave());
    listen("focusin", () => this.update());
    listen("focusout", () => this.update());
    if (!plays) return;
    listen("pointerdown", (event) => this.#press(event));
    listen("pointerup", (event) => this.#release(event));
    listen("contextmenu", (event) => this.pressed?.touch && event.preventDefault());
    listen("keydown", (event) => this.#key(event));
  }

  destroy() {
    this.#leave();
    this.end.abort();
    this.view.preview(null);
  }

  /** Highlight the group under the pointer, else that of the cell with the keyboard focus. */
  update() {
    const focused = this.view.cells.find((cell) => cell.matches(":focus-visible"));
    this.view.preview(this.hovered ?? (focused ? Number(focused.dataset.cell) : null));
  }

  #look(cell) {
    if (cell === this.hovered) return;
    this.hovered = cell;
    this.update();
  }

  #leave() {
    clearTimeout(this.pressed?.timer);
    this.pressed = null;
    this.#look(null);
  }

  #press(event) {
    if (event.button !== 0) return;
    clearTimeout(this.pressed?.timer);
    const press = { cell: this.view.cellAt(event), touch: event.pointerType === "touch", looking: false };
    press.timer = setTimeout(() => this.#linger(press), LONG_PRESS);
    this.pressed = press;
    this.#look(press.cell);
  }

  /** A long touch only highlights; a mouse highlights without a press. */
  #linger(press) {
    press.looking = press.touch;
    if (press.looking && press.cell !== null) this.view.hooks.say(this.view.nameOf(press.cell));
  }

  #release(event) {
    const { pressed } = this;
    clearTimeout(pressed?.timer);
    this.pressed = null;
    const cell = this.view.cellAt(event);
    if (pressed?.touch) this.hovered = null;
    if (pressed && !pressed.looking && cell !== null && this.#sameGroup(cell, pressed.cell)) this.#play(cell);
    else this.update();
  }

  #sameGroup(one, other) {
    const groups = this.view.rules.groups(this.view.state);
    return groups[one] !== null && groups[one] === groups[other];
  }

  /** Click a cell; a single cell is no move, which the page says. */
  #play(cell) {
    const { rules, state, hooks } = this.view;
    const group = rules.groups(state)[cell];
    if (group?.length > 1) hooks.played(rules.moveAt(group[0]));
    else if (group) hooks.say(`${this.view.nameOf(cell)}: only groups of two cells or more can be removed`);
    this.update();
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = event.target.closest("[data-cell]")?.dataset.cell;
    if (cell === undefined || this.view.cursor.key(event)) return;
    if (event.key === "Enter" || event.key === " ") this.#play(Number(cell));
    else if (event.key === "Backspace") this.view.hooks.undo();
    else return;
    event.preventDefault();
  }
}

/** Paints with the brush of the view: a stroke of the pointer is one change; keys change the cell at the cursor. */
export class PaintInput {
  constructor(view) {
    Object.assign(this, { view, stroke: null });
    this.end = new AbortController();
    const listen = (type, act) => view.root.addEventListener(type, act, { signal: this.end.signal });
    listen("pointerdown", (event) => this.#press(event));
    listen("pointermove", (event) => this.stroke?.id === event.pointerId && this.#drag(event));
    listen("pointerup", (event) => this.stroke?.id === event.pointerId && this.#finish());
    listen("pointercancel", () => this.#finish());
    listen("contextmenu", (event) => event.preventDefault());
    preventFling(view.root, () => this.stroke !== null, this.end.signal);
    listen("keydown", (event) => this.#key(event));
  }

  destroy() {
    this.#finish();
    this.end.abort();
  }

  /** Painting highlights nothing. */
  update() {}

  /** The right button erases cells. */
  #press(event) {
    if (this.stroke || ![0, 2].includes(event.button)) return;
    const { view } = this;
    view.root.setPointerCapture(event.pointerId);
    const colour = event.button === 2 ? 0 : view.brush;
    this.stroke = { id: event.pointerId, colour, before: view.state, last: pointOf(view.root, event) };
    this.#drag(event);
  }

  /** Paint every cell between the last place of the pointer and this one. */
  #drag(event) {
    const { view, stroke } = this;
    const [from, to] = [stroke.last, pointOf(view.root, event)];
    const steps = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / (UNIT / 3)) || 1;
    const painted = new Set();
    for (let step = 0; step <= steps; step += 1) {
      const part = step / steps;
      painted.add(view.cellAtPoint({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }));
    }
    stroke.last = to;
    view.paint([...painted].filter((cell) => cell !== null), stroke.colour);
  }

  #finish() {
    const { stroke, view } = this;
    this.stroke = null;
    if (!stroke) return;
    const count = view.state.cells.filter((value, cell) => value !== stroke.before.cells[cell]).length;
    const cells = count === 1 ? "1 cell" : `${count} cells`;
    if (count) view.edited(`${cells} ${stroke.colour ? COLOURS[stroke.colour] : "emptied"}`);
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = event.target.closest("[data-cell]")?.dataset.cell;
    if (cell === undefined || this.view.cursor.key(event)) return;
    const colour = this.#colourOf(event.key);
    if (colour === null) return;
    event.preventDefault();
    this.#paintCell(Number(cell), colour);
  }

  /** The colour of a key: a digit, a letter from a, the brush, or 0 to erase; null for another key. */
  #colourOf(key) {
    if (/^[0-9]$/.test(key)) return Number(key);
    if (/^[a-iA-I]$/.test(key)) return key.toLowerCase().charCodeAt(0) - 96;
    if (["Backspace", "Delete", "."].includes(key)) return 0;
    return key === "Enter" || key === " " ? this.view.brush : null;
  }

  #paintCell(cell, colour) {
    const { view } = this;
    const { colours } = view.rules;
    if (colour > colours) view.hooks.say(`${COLOURS[colour]} is not among the ${colours} colours of this board`);
    else if (view.paint([cell], colour)) view.edited(view.nameOf(cell));
  }
}

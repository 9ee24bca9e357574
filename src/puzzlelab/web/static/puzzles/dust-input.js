/** Input for a board of dust: clicks on clusters in play, and painting in the editor. */

import { UNIT, preventFling, pointOf } from "./grid.js";
import { COLOURS } from "./dust-draw.js";

/** Milliseconds of a touch that highlights a cluster without removing it. */
const LONG_PRESS = 450;

/** Highlights the cluster under the pointer or the keyboard; removes it on a click if `plays`. */
export class ClickInput {
  constructor(view, plays) {
    Object.assign(this, { view, plays, pressed: null, hovered: null, shown: null });
    this.end = new AbortController();
    const listen = (type, act) => view.root.addEventListener(type, act, { signal: this.end.signal });
    listen("pointermove", (event) => this.look(view.cellAt(event)));
    listen("pointerleave", () => this.leave());
    listen("pointercancel", () => this.leave());
    listen("focusin", () => this.update());
    listen("focusout", () => this.update());
    if (!plays) return;
    listen("pointerdown", (event) => this.press(event));
    listen("pointerup", (event) => this.release(event));
    listen("contextmenu", (event) => this.pressed?.touch && event.preventDefault());
    listen("keydown", (event) => this.key(event));
  }

  destroy() {
    this.leave();
    this.end.abort();
    this.view.preview(null);
  }

  /** Draw the preview of the cell under the pointer, else of the cell with the keyboard focus. */
  update() {
    const focused = this.view.cells.find((cell) => cell.matches(":focus-visible"));
    this.view.preview(this.hovered ?? (focused ? Number(focused.dataset.cell) : null));
  }

  look(cell) {
    if (cell === this.hovered) return;
    this.hovered = cell;
    this.update();
  }

  leave() {
    clearTimeout(this.pressed?.timer);
    this.pressed = null;
    this.look(this.shown);
  }

  press(event) {
    if (event.button !== 0) return;
    clearTimeout(this.pressed?.timer);
    const cell = this.view.cellAt(event);
    const press = { cell, touch: event.pointerType === "touch", looking: false };
    press.timer = setTimeout(() => this.linger(press), LONG_PRESS);
    this.pressed = press;
    this.look(cell);
  }

  /** A long touch only highlights; a mouse highlights by hovering. */
  linger(press) {
    press.looking = press.touch;
    if (!press.looking || press.cell === null) return;
    this.view.hooks.say(this.view.cells[press.cell].getAttribute("aria-label"));
  }

  release(event) {
    const { pressed } = this;
    clearTimeout(pressed?.timer);
    this.pressed = null;
    const cell = this.view.cellAt(event);
    const isTap = pressed && !pressed.looking && cell !== null && this.sameCluster(cell, pressed.cell);
    const isFirst = isTap && pressed.touch && this.view.showsFirst && !this.sameCluster(cell, this.shown);
    this.shown = isFirst ? cell : null;
    if (pressed?.touch) this.hovered = this.shown;
    if (isTap && !isFirst) this.play(cell);
    else this.update();
  }

  /** Whether two cells belong to one cluster; no cell belongs to none. */
  sameCluster(one, other) {
    const first = this.view.rules.clusters(this.view.state);
    return other !== null && first[one] === first[other];
  }

  play(cell) {
    const { rules, state, hooks } = this.view;
    const first = rules.clusters(state)[cell];
    if (first >= 0) hooks.played(rules.moveAt(first));
    else this.update();
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = event.target.closest("[data-cell]")?.dataset.cell;
    if (cell === undefined || this.view.cursor.key(event)) return;
    if (event.key === "Enter" || event.key === " ") this.play(Number(cell));
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
    listen("pointerdown", (event) => this.press(event));
    listen("pointermove", (event) => this.stroke?.id === event.pointerId && this.drag(event));
    listen("pointerup", (event) => this.stroke?.id === event.pointerId && this.finish());
    listen("pointercancel", () => this.finish());
    listen("contextmenu", (event) => event.preventDefault());
    preventFling(view.root, () => this.stroke !== null, this.end.signal);
    listen("keydown", (event) => this.key(event));
  }

  destroy() {
    this.finish();
    this.end.abort();
  }

  /** Painting has no preview. */
  update() {}

  /** The right button erases cells. */
  press(event) {
    if (this.stroke || ![0, 2].includes(event.button)) return;
    const { view } = this;
    const colour = event.button === 2 ? 0 : view.brush;
    view.root.setPointerCapture(event.pointerId);
    this.stroke = { id: event.pointerId, colour, before: view.state, last: pointOf(view.root, event) };
    this.drag(event);
  }

  /** Paint every cell between the last place of the pointer and this one. */
  drag(event) {
    const { view, stroke } = this;
    const point = pointOf(view.root, event);
    const { last, colour } = stroke;
    const steps = Math.ceil(Math.hypot(point.x - last.x, point.y - last.y) / (UNIT / 3)) || 1;
    const state = [...view.state];
    for (let step = 0; step <= steps; step += 1) {
      const part = step / steps;
      const cell = view.cellAtPoint({ x: last.x + (point.x - last.x) * part, y: last.y + (point.y - last.y) * part });
      if (cell !== null) state[cell] = colour;
    }
    stroke.last = point;
    if (state.some((value, cell) => value !== view.state[cell])) view.jump(state);
  }

  finish() {
    const { stroke, view } = this;
    this.stroke = null;
    if (!stroke) return;
    const painted = view.state.filter((value, cell) => value !== stroke.before[cell]).length;
    const cells = painted === 1 ? "1 cell" : `${painted} cells`;
    if (painted) view.edit(view.state, `${cells} ${stroke.colour ? COLOURS[stroke.colour].name : "emptied"}`);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = event.target.closest("[data-cell]")?.dataset.cell;
    if (cell === undefined || this.view.cursor.key(event)) return;
    const colour = this.colourOf(event.key);
    if (colour === null) return;
    event.preventDefault();
    this.paint(Number(cell), colour);
  }

  /** The colour of a key: a digit, a letter, the brush, or 0 to erase; null for another key. */
  colourOf(key) {
    if (/^[0-9]$/.test(key)) return Number(key);
    if (["Backspace", "Delete", "."].includes(key)) return 0;
    if (key === "Enter" || key === " ") return this.view.brush;
    const colour = COLOURS.findIndex(({ letter }) => letter === key.toUpperCase());
    return colour < 0 ? null : colour;
  }

  paint(cell, colour) {
    const { rules, state, hooks } = this.view;
    if (colour > rules.colours) {
      hooks.say(`${COLOURS[colour].name} is not among the ${rules.colours} colours of this board`);
    } else if (state[cell] !== colour) {
      const [column, row] = rules.placeOf(cell);
      const next = state.map((old, place) => (place === cell ? colour : old));
      this.view.edit(next, `column ${column}, row ${row}: ${COLOURS[colour].name}`);
    }
  }
}

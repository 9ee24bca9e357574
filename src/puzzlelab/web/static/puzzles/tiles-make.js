/** Input of the editor: drag and drop, two taps, or keys. A tile that is picked up is identified by its piece. */

import { UNIT, preventFling, label, pointOf, set, svg } from "./grid.js";

/** The most pixels that a pointer may move in a tap. */
const TAP_PIXELS = 6;
/** Milliseconds to wait for a second digit. */
const TYPING_PAUSE_MS = 900;

export class EditInput {
  constructor(view) {
    Object.assign(this, { view, held: null, drag: null, typed: null });
    this.end = new AbortController();
    const listen = (type, act) => view.root.addEventListener(type, act, { signal: this.end.signal });
    listen("pointerdown", (event) => this.press(event));
    listen("pointermove", (event) => this.drag?.id === event.pointerId && this.pull(event));
    listen("pointerup", (event) => this.drag?.id === event.pointerId && this.release(event));
    listen("pointercancel", () => this.letGo());
    preventFling(view.root, () => this.drag !== null, this.end.signal);
    listen("keydown", (event) => this.key(event));
    listen("focusout", () => this.finishTyping());
  }

  destroy() {
    this.dropTyping();
    this.letGo();
    this.hold(null);
    this.end.abort();
  }

  /** After every drawing: the tile that is held may be gone. */
  update() {
    this.hold(this.held);
  }

  // --- picking up ---

  hold(tile) {
    this.held = tile;
    const { view } = this;
    view.cells.forEach((cell, place) => cell.classList.toggle("held", tile !== null && view.state[place] === tile));
    for (const place of view.trayGroup.querySelectorAll("[data-tray]")) {
      place.classList.toggle("held", Number(place.dataset.tray) === tile);
      set(place, { "aria-pressed": Number(place.dataset.tray) === tile });
    }
  }

  pickUp(tile) {
    this.hold(tile);
    this.view.hooks.say(`${this.words(tile)} picked up`);
  }

  putDown(cell) {
    const tile = this.held;
    this.hold(null);
    if (this.view.state[cell] !== tile) this.put(tile, cell);
  }

  put(tile, cell) {
    const { view } = this;
    view.edit(view.rules.put(view.state, tile, cell), `${this.words(tile)} at ${view.where(cell)}`);
  }

  /** "tile 5", "blank" */
  words(tile) {
    return tile ? `tile ${this.view.rules.numbers[tile]}` : "blank";
  }

  takeOut(cell) {
    const { view } = this;
    const tile = view.state[cell];
    this.hold(null);
    if (tile === null) return;
    view.edit(view.rules.take(view.state, cell), `${this.words(tile)} taken out`);
  }

  // --- pointer ---

  press(event) {
    if (event.button !== 0 || this.drag) return;
    const { view } = this;
    const tray = event.target.closest("[data-tray]");
    const cell = view.cellAt(event);
    const tile = tray ? Number(tray.dataset.tray) : (view.state[cell] ?? null) || null;
    view.root.setPointerCapture(event.pointerId);
    this.drag = { id: event.pointerId, x: event.clientX, y: event.clientY, tile, cell, ghost: null };
  }

  pull(event) {
    const { drag, view } = this;
    if (drag.tile === null) return;
    if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < TAP_PIXELS) return;
    drag.ghost ??= this.lift(drag.tile);
    const { x, y } = pointOf(view.root, event);
    set(drag.ghost, { transform: `translate(${x - UNIT / 2} ${y - UNIT / 2})` });
    this.aim(view.cellAt(event), drag.cell !== null && this.overTray(event));
  }

  /** A copy of the tile follows the pointer; the tile itself fades. */
  lift(tile) {
    const { view } = this;
    this.hold(null);
    this.origin = view.root.querySelector(`[data-tile="${tile}"], [data-tray="${tile}"]`);
    this.origin.classList.add("away");
    view.lift.replaceChildren(view.copy(tile));
    set(view.root, { "data-dragging": "" });
    return view.lift.firstChild;
  }

  /** Show where the tile would be dropped: on a cell, or in the tray. */
  aim(cell, tray) {
    const { view } = this;
    view.cells.forEach((element, place) => element.classList.toggle("target", place === cell));
    view.trayGroup.classList.toggle("target", tray);
  }

  release(event) {
    const { drag } = this;
    this.letGo();
    const cell = this.view.cellAt(event);
    const tray = this.overTray(event);
    if (!drag.ghost) this.tap(drag, tray);
    else if (cell !== null) this.put(drag.tile, cell);
    else if (tray && drag.cell !== null) this.takeOut(drag.cell);
  }

  tap({ tile, cell }, tray) {
    const { view } = this;
    const heldCell = this.held === null ? -1 : view.state.indexOf(this.held);
    if (tray && heldCell >= 0) this.takeOut(heldCell);
    else if (cell !== null && this.held !== null) this.putDown(cell);
    else if (tile !== null && tile !== this.held) this.pickUp(tile);
    else this.hold(null);
    if (cell !== null) view.cursor.go(...view.rules.placeOf(cell));
  }

  letGo() {
    this.drag = null;
    this.origin?.classList.remove("away");
    this.view.lift.replaceChildren();
    set(this.view.root, { "data-dragging": null });
    this.aim(null, false);
  }

  overTray(event) {
    const { tray } = this.view.layout;
    const { x, y } = pointOf(this.view.root, event);
    return tray !== null && x >= tray.x && x <= tray.x + tray.width && y >= tray.y && y <= tray.y + tray.height;
  }

  // --- keys ---

  key(event) {
    if (event.altKey || event.metaKey || (event.ctrlKey && !["Home", "End"].includes(event.key))) return;
    const place = event.target.closest("[data-tray], [data-cell]");
    if (!place) return;
    const handled = place.dataset.tray ? this.trayKey(event, place) : this.boardKey(event, Number(place.dataset.cell));
    if (handled) event.preventDefault();
  }

  boardKey(event, cell) {
    if (/^[0-9]$/.test(event.key)) this.type(cell, event.key);
    else if (this.typed && event.key === "Backspace") this.showTyping(cell, this.typed.text.slice(0, -1));
    else if (this.typed && [" ", "Enter"].includes(event.key)) this.finishTyping();
    else if (["Backspace", "Delete"].includes(event.key)) this.takeOut(cell);
    else if ([" ", "Enter"].includes(event.key)) this.grasp(cell);
    else if (event.key === "Escape") this.escape();
    else return this.view.cursor.key(event);
    return true;
  }

  grasp(cell) {
    const tile = this.view.state[cell];
    if (this.held !== null) this.putDown(cell);
    else if (tile) this.pickUp(tile);
  }

  escape() {
    this.dropTyping();
    this.letGo();
    this.hold(null);
  }

  /** Left and right go through the tray, up and down from line to line; Enter picks up and goes to the board. */
  trayKey(event, place) {
    const places = [...this.view.trayGroup.querySelectorAll("[data-tray]")];
    const at = places.indexOf(place);
    const across = Math.round(this.view.layout.tray.width / this.view.layout.tray.slot);
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across, Home: -at, End: places.length };
    if (event.key in steps) {
      const next = places[Math.max(0, Math.min(at + steps[event.key], places.length - 1))];
      for (const other of places) set(other, { tabindex: other === next ? 0 : -1 });
      next.focus({ preventScroll: true });
    } else if ([" ", "Enter"].includes(event.key)) {
      this.pickUp(Number(place.dataset.tray));
      this.view.cursor.focus();
    } else if (event.key === "Escape") {
      this.escape();
      this.view.cursor.focus();
    } else return false;
    return true;
  }

  // --- typing ---

  /** Enter a digit at once if no second one can follow; else wait for it. */
  type(cell, digit) {
    const text = (this.typed?.text ?? "") + digit;
    this.showTyping(cell, text);
    if (Number(text) === 0 || Number(text) * 10 >= this.view.rules.cells) this.finishTyping();
  }

  showTyping(cell, text) {
    this.dropTyping();
    if (!text) return;
    const note = svg("g", { class: "typed" }, svg("rect", { x: 8, y: 8, width: 84, height: 84, rx: 8 }));
    note.append(label(`${text}_`, UNIT / 2, UNIT / 2, 42));
    this.view.cells[cell].lastChild.before(note);
    this.typed = { cell, text, note, timer: setTimeout(() => this.finishTyping(), TYPING_PAUSE_MS) };
  }

  dropTyping() {
    clearTimeout(this.typed?.timer);
    this.typed?.note.remove();
    this.typed = null;
  }

  /** Move the cursor to the next cell, for typing one tile after the other, unless it was moved meanwhile. */
  goOn(cell) {
    const { cursor, rules } = this.view;
    if (cursor.row * rules.columns + cursor.column !== cell || cell + 1 === rules.cells) return;
    cursor.go(Math.floor((cell + 1) / rules.columns), (cell + 1) % rules.columns);
    cursor.focus();
  }

  finishTyping() {
    if (!this.typed) return;
    const { cell, text } = this.typed;
    this.dropTyping();
    const { rules, hooks, state } = this.view;
    const tile = rules.pieceOf(state, Number(text), cell);
    if (tile !== null) {
      this.put(tile, cell);
      this.goOn(cell);
    } else hooks.say(`there is no tile ${text}; tiles are ${rules.numbers[1]} to ${rules.numbers.at(-1)}`);
  }
}

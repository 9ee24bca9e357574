/** Input of play: a click, a drag along the axis, a swipe anywhere, or the arrow keys. */

import { UNIT, prefersReducedMotion, preventFling, pixelsPerUnit, pointOf } from "./grid.js";

const KEYS = { ArrowUp: "U", ArrowDown: "D", ArrowLeft: "L", ArrowRight: "R" };
const DIRECTIONS = { U: [0, -1], D: [0, 1], L: [-1, 0], R: [1, 0] };
const WORDS = { U: "up", D: "down", L: "left", R: "right" };
/** Pixels of a touch: below the first it is a tap; from the second on it is a swipe. */
const TAP_PIXELS = 6;
const SWIPE_PIXELS = 24;
/** The share of a cell from which a dragged tile moves on by itself; a smaller share for a fast drag. */
const SNAP_SHARE = 0.4;
const FLICK_SHARE = 0.12;
const FLICK_MS = 250;
const SNAP_MS = 120;

export class PlayInput {
  constructor(view) {
    this.view = view;
    this.drag = null;
    this.end = new AbortController();
    const listen = (type, act) => view.root.addEventListener(type, act, { signal: this.end.signal });
    listen("keydown", (event) => this.key(event));
    listen("pointerdown", (event) => this.press(event));
    listen("pointermove", (event) => this.drag?.id === event.pointerId && this.pull(event));
    listen("pointerup", (event) => this.drag?.id === event.pointerId && this.release(event));
    listen("pointercancel", () => this.letGo());
    preventFling(view.root, () => this.drag !== null, this.end.signal);
  }

  destroy() {
    this.letGo();
    this.end.abort();
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in KEYS) this.push(KEYS[event.key]);
    else if (event.key === "Backspace") this.view.hooks.undo();
    else return;
    event.preventDefault();
  }

  /** One tile slides this way, where one can. */
  push(move) {
    const { rules, state, hooks } = this.view;
    if (rules.legal(state).includes(move)) this.play([move]);
    else hooks.say(`no tile can slide ${WORDS[move]}`);
  }

  /** Play moves one by one, so that each can be undone. */
  async play(moves) {
    for (const move of moves) await this.view.hooks.played(move);
  }

  press(event) {
    const { view } = this;
    const cell = view.cellAt(event);
    if (event.button !== 0 || this.drag || cell === null || !view.rules.legal(view.state).length) return;
    view.root.setPointerCapture(event.pointerId);
    const moves = view.rules.slide(view.state, cell);
    const start = { id: event.pointerId, x: event.clientX, y: event.clientY, at: event.timeStamp };
    this.drag = { ...start, moves, tiles: this.between(moves), state: view.state, along: 0, pulled: false };
  }

  /** The tiles that these moves slide. */
  between(moves) {
    const { rules, state } = this.view;
    let blank = state.indexOf(0);
    return moves.flatMap((move) => {
      const line = rules.line(blank, move);
      blank = line.at(-1);
      return line.map((cell) => state[cell]);
    });
  }

  pull(event) {
    const { view, drag } = this;
    if (drag.state !== view.state) return this.letGo(); // the board changed under the finger
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.pulled && Math.hypot(dx, dy) < TAP_PIXELS) return undefined;
    if (!drag.pulled) view.settle(0);
    drag.pulled = true;
    if (!drag.moves.length) return undefined;
    const [wayX, wayY] = DIRECTIONS[drag.moves[0][0]];
    drag.along = Math.max(0, Math.min(UNIT, (dx * wayX + dy * wayY) / pixelsPerUnit(view.root)));
    for (const tile of drag.tiles) view.shift(tile, wayX * drag.along, wayY * drag.along);
    return undefined;
  }

  release(event) {
    const { drag } = this;
    if (drag.state !== this.view.state) return this.letGo();
    this.drag = null;
    if (!drag.pulled) return this.tap(drag);
    const share = drag.along / UNIT;
    const fast = event.timeStamp - drag.at < FLICK_MS;
    if (share > SNAP_SHARE || (fast && share > FLICK_SHARE)) return this.play(drag.moves);
    const swiped = share > FLICK_SHARE ? null : swipeOf(event.clientX - drag.x, event.clientY - drag.y);
    if (swiped) return this.push(swiped);
    return this.snap();
  }

  tap(drag) {
    if (drag.moves.length) return this.play(drag.moves);
    const { view } = this;
    const place = pointOf(view.root, { clientX: drag.x, clientY: drag.y });
    const tile = view.state[Math.floor(place.y / UNIT) * view.rules.columns + Math.floor(place.x / UNIT)];
    if (tile) view.hooks.say(`tile ${view.rules.numbers[tile]} cannot slide: it is not in line with the blank`);
    return undefined;
  }

  letGo() {
    if (this.drag?.pulled) this.snap();
    this.drag = null;
  }

  snap() {
    this.view.settle(prefersReducedMotion() ? 0 : SNAP_MS);
  }
}

/** The move that a swipe means, or null where it is too short or leads askew. */
function swipeOf(dx, dy) {
  const [long, short] = [Math.max(Math.abs(dx), Math.abs(dy)), Math.min(Math.abs(dx), Math.abs(dy))];
  if (long < SWIPE_PIXELS || short > long * 0.7) return null;
  if (Math.abs(dx) > Math.abs(dy)) return dx > 0 ? "R" : "L";
  return dy > 0 ? "D" : "U";
}

/** The board of sliding tiles: draws states and slides tiles. Input is in tiles-make.js and tiles-play.js. */

import { Cursor, UNIT, animate, easeInOut, isWide, pointOf, placeOf, sameState, set, svg } from "./grid.js";
import { drawTile, drawTray, layoutOf, markTile, signFor } from "./tiles-draw.js";
import { EditInput } from "./tiles-make.js";
import { Picture } from "./tiles-picture.js";
import { PlayInput } from "./tiles-play.js";

const MARGIN = 8;
/** From this width of the host on, in pixels, the tray stands beside the board; in a wide window it always does. */
const WIDE = 560;
/** Cells from which on a sign needs larger letters. */
const MANY = 25;

export class TilesView {
  constructor(rules, host, hooks) {
    Object.assign(this, { rules, host, hooks, state: rules.empty(), modeName: "watch", marks: { best: [] } });
    this.end = new AbortController();
    this.motion = { done: Promise.resolve(), stop() {} };
    this.draw();
    this.picture = new Picture(this);
    this.cursor = new Cursor(this.lines, this.end.signal);
    this.observer = new ResizeObserver(([{ contentRect }]) => this.arrange(contentRect.width));
    this.observer.observe(host);
    host.append(this.root);
    this.mode("watch");
  }

  // --- the interface of a view ---

  show(state, { from = null, duration = 0, heat = null, regrets = null, next = [], hint = null } = {}) {
    this.marks = { heat, regrets, best: [...next, ...(hint?.best ?? [])] };
    const moving = from !== null;
    if (moving || !sameState(state, this.state)) {
      this.motion.stop();
      if (moving && !sameState(from, this.state)) this.jump(from);
      if (moving) this.slide(state, duration);
      else this.jump(state);
    }
    this.update();
    return this.motion.done;
  }

  mode(name) {
    this.input?.destroy();
    this.modeName = name;
    set(this.root, { class: `tiles ${name}` });
    this.input = name === "make" ? new EditInput(this) : name === "play" ? new PlayInput(this) : null;
    this.cursor.enable(name === "make");
    this.update();
  }

  tool(id, value) {
    if (id === "picture") return this.picture.load(value);
    if (id === "numbers") return set(this.root, { "data-bare": value ? null : "" });
    if (id === "plain") return this.picture.clear();
    return null;
  }

  /** Take the keyboard; whether there is something to do with keys. */
  focus() {
    if (this.modeName === "watch") return false;
    if (this.modeName === "make") this.cursor.focus();
    else this.root.focus({ preventScroll: true });
    return true;
  }

  destroy() {
    this.motion.stop();
    this.input?.destroy();
    this.end.abort();
    this.observer.disconnect();
    this.picture.clear();
    this.root.remove();
  }

  // --- for the input ---

  /** The cell under a pointer, or null. */
  cellAt(event) {
    const place = placeOf(pointOf(this.root, event), this.rules.rows, this.rules.columns);
    return place && place.row * this.rules.columns + place.column;
  }

  /** The user changed the board: draw it at once, and report it. */
  edit(state, words) {
    if (sameState(state, this.state)) return;
    this.motion.stop();
    this.jump(state);
    this.update();
    this.hooks.edited(state);
    const inTray = this.rules.tray(state).length;
    this.hooks.say(inTray ? `${words}; ${inTray} left in the tray` : `${words}; all tiles are on the board`);
  }

  /** "row 1, column 2" */
  where(cell) {
    const [row, column] = this.rules.placeOf(cell);
    return `row ${row + 1}, column ${column + 1}`;
  }

  /** Draw a tile x and y units away from its cell. */
  shift(tile, x, y) {
    const piece = this.tiles[tile];
    const [row, column] = this.rules.placeOf(this.state.indexOf(tile));
    Object.assign(piece, { x: column * UNIT + x, y: row * UNIT + y });
    set(piece.group, { transform: x || y ? `translate(${x} ${y})` : null });
  }

  /** Let all tiles slide to their cells. */
  settle(duration) {
    this.motion.stop();
    this.motion = this.glide(duration);
  }

  // --- drawing ---

  draw() {
    const { rows, columns } = this.rules;
    const wide = columns * UNIT;
    const high = rows * UNIT;
    this.ground = svg("rect", { x: -MARGIN, y: -MARGIN, width: wide + 2 * MARGIN, height: high + 2 * MARGIN, rx: 14 });
    set(this.ground, { class: "ground" });
    this.cells = Array.from({ length: this.rules.cells }, (_, cell) => this.drawCell(cell));
    this.lines = Array.from({ length: rows }, (_, row) => this.cells.slice(row * columns, (row + 1) * columns));
    this.rowGroups = this.lines.map((line) => svg("g", {}, ...line));
    this.board = svg("g", { class: "board" }, ...this.rowGroups);
    const drawn = (tile, number) => ({ group: drawTile(tile, number, this.rules.cells), x: 0, y: 0 });
    this.tiles = this.rules.numbers.map((number, tile) => tile && drawn(tile, number));
    this.trayGroup = svg("g", { role: "group", "aria-label": "Tray", class: "tray" });
    this.lift = svg("g", { class: "lift", "aria-hidden": "true" });
    this.clip = svg("defs");
    this.root = svg("svg", { class: "tiles" }, this.clip, this.ground, this.board, this.trayGroup, this.lift);
  }

  drawCell(cell) {
    const [row, column] = this.rules.placeOf(cell);
    const inner = { x: 3, y: 3, width: UNIT - 6, height: UNIT - 6, rx: 10 };
    return svg(
      "g",
      { class: "cell", "data-cell": cell, transform: `translate(${column * UNIT} ${row * UNIT})` },
      svg("rect", { class: "well", width: UNIT, height: UNIT, opacity: 0 }),
      svg("rect", { class: "place", ...inner }),
      svg("rect", { class: "ring", ...inner }),
    );
  }

  /** Draw a state at once, without animation. */
  jump(state) {
    this.state = state;
    state.forEach((tile, cell) => tile && this.lay(tile, cell));
    this.tiles.forEach((piece, tile) => tile && !state.includes(tile) && piece.group.remove());
    this.glide(0);
  }

  /** Put the tile's group into its cell, below the ring. */
  lay(tile, cell) {
    const group = this.tiles[tile].group;
    if (group.parentNode !== this.cells[cell]) this.cells[cell].lastChild.before(group);
  }

  slide(state, duration) {
    this.state = state;
    state.forEach((tile, cell) => tile && this.lay(tile, cell));
    this.motion = this.glide(duration);
  }

  /** Animate every tile from its drawn position to its cell. */
  glide(duration) {
    const offsets = [];
    this.state.forEach((tile, cell) => {
      if (!tile) return;
      const [row, column] = this.rules.placeOf(cell);
      const piece = this.tiles[tile];
      offsets.push({ tile, x: piece.x - column * UNIT, y: piece.y - row * UNIT });
    });
    const moved = duration > 0 ? offsets.filter(({ x, y }) => x || y) : offsets;
    // A tile that was stopped on its way, and goes back to where it is drawn, has no way to go, but a new cell.
    for (const { tile, x, y } of offsets) if (!x && !y) this.shift(tile, 0, 0);
    return animate(moved.length ? duration : 0, (share) => {
      const remaining = 1 - easeInOut(share);
      for (const { tile, x, y } of moved) this.shift(tile, x * remaining, y * remaining);
    });
  }

  // --- words, marks, and the room for the tray ---

  update() {
    this.words();
    this.state.forEach((tile, cell) => tile && this.tiles[tile].group.classList.toggle("home", this.atHome(cell)));
    this.markUnsolvable();
    for (const piece of this.tiles) if (piece) markTile(piece.group, null);
    for (const move of this.rules.legal(this.state)) {
      const sign = signFor(move, this.marks);
      const source = this.rules.source(this.state.indexOf(0), move);
      if (sign) markTile(this.tiles[this.state[source]].group, sign, this.rules.cells > MANY ? 27 : 21);
    }
    this.arrange();
    this.input?.update?.();
  }

  /** In the editor: mark the two tiles whose exchange would make the board solvable. */
  markUnsolvable() {
    const whole = this.modeName === "make" && !this.state.includes(null);
    const pair = whole && this.rules.objection(this.state) ? this.rules.repairPair() : [];
    this.tiles.forEach((piece, tile) => piece && piece.group.classList.toggle("wrong", pair.includes(tile)));
  }

  atHome(cell) {
    return this.rules.isHome(this.state[cell], cell);
  }

  /** Roles and labels: a grid in the editor, a single widget with arrow keys in play. */
  words() {
    const { rows, columns } = this.rules;
    const size = `${rows} by ${columns} sliding tiles`;
    const blank = this.state.indexOf(0);
    const label = blank < 0 ? size : `${size}, blank at ${this.where(blank)}`;
    const playing = this.modeName === "play";
    const outer = playing ? { role: "application", tabindex: 0 } : { role: "group", tabindex: -1 };
    set(this.root, { ...outer, "aria-label": playing ? `${label}. Arrow keys slide tiles.` : size });
    const grid = { role: "grid", "aria-label": label, "aria-readonly": this.modeName === "make" ? null : "true" };
    set(this.board, playing ? { role: null, "aria-label": null, "aria-readonly": null } : grid);
    for (const group of this.rowGroups) set(group, { role: playing ? null : "row" });
    this.cells.forEach((cell, place) => {
      set(cell, { role: playing ? "img" : "gridcell", "aria-label": this.cellWords(place) });
    });
  }

  cellWords(cell) {
    const tile = this.state[cell];
    if (!tile) return `${this.where(cell)}: ${tile === 0 ? "blank" : "empty"}`;
    return `${this.where(cell)}: tile ${this.rules.numbers[tile]}${this.atHome(cell) ? ", in place" : ""}`;
  }

  /** Lay out board and tray. The width of the host is read only once, because reading it forces a layout. */
  arrange(width = this.width ?? this.host.clientWidth) {
    this.width = width;
    const making = this.modeName === "make";
    const tray = making ? this.rules.tray(this.state) : [];
    const layout = layoutOf(this.rules, making, width >= WIDE || isWide(), tray.length > 0);
    this.layout = layout;
    const box = [-MARGIN, -MARGIN, layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
    set(this.root, { viewBox: box.join(" ") });
    drawTray(this, tray);
  }

  /** A copy of a tile, for the tray and for the pointer. */
  copy(tile) {
    const copy = this.tiles[tile].group.cloneNode(true);
    set(copy, { "data-tile": null, transform: null });
    copy.classList.remove("home", "away", "next", "wrong");
    copy.querySelector(".sign")?.remove();
    return copy;
  }
}

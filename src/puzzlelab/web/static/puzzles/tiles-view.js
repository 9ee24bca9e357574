/** The board of sliding tiles: draws states and slides tiles. What a person does is in the hands. */

import { Cursor, UNIT, animate, easeInOut, pointOf, placeOf, same, set, svg } from "./grid.js";
import { drawTile, drawTray, layoutOf, markTile, signFor } from "./tiles-draw.js";
import { MakeHands } from "./tiles-make.js";
import { Picture } from "./tiles-picture.js";
import { PlayHands } from "./tiles-play.js";

const MARGIN = 8;
/** From this width of the host on, in pixels, the tray stands beside the board. */
const WIDE = 560;
/** Cells from which on a sign needs larger letters. */
const MANY = 25;

export class TilesView {
  constructor(rules, host, hooks) {
    Object.assign(this, { rules, host, hooks, state: rules.empty(), modeName: "watch", marks: {} });
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

  // --- what the shell calls ---

  show(state, { from = null, duration = 0, heat = null, regrets = null, next = null } = {}) {
    this.marks = { heat, regrets, next };
    const moving = from !== null;
    if (moving || !same(state, this.state)) {
      this.motion.stop();
      if (moving && !same(from, this.state)) this.jump(from);
      if (moving) this.slide(state, duration);
      else this.jump(state);
    }
    this.update();
    return this.motion.done;
  }

  mode(name) {
    this.hands?.destroy();
    this.modeName = name;
    set(this.root, { class: `tiles ${name}` });
    this.hands = name === "make" ? new MakeHands(this) : name === "play" ? new PlayHands(this) : null;
    this.cursor.enable(name === "make");
    this.update();
  }

  tool(id, value) {
    if (id === "picture") return this.picture.load(value);
    if (id === "numbers") return set(this.root, { "data-bare": value ? null : "" });
    if (id === "plain") return this.picture.clear();
    return null;
  }

  destroy() {
    this.motion.stop();
    this.hands?.destroy();
    this.end.abort();
    this.observer.disconnect();
    this.picture.clear();
    this.root.remove();
  }

  // --- what the hands use ---

  /** The cell under a pointer, or null. */
  cellAt(event) {
    const place = placeOf(pointOf(this.root, event), this.rules.rows, this.rules.columns);
    return place && place.row * this.rules.columns + place.column;
  }

  /** The person changed the board: it is drawn at once, and the shell told. */
  edit(state, words) {
    if (same(state, this.state)) return;
    this.motion.stop();
    this.jump(state);
    this.update();
    this.hooks.edited(state);
    const left = this.rules.tray(state).length;
    this.hooks.say(left ? `${words}; ${left} left in the tray` : `${words}; all tiles are on the board`);
  }

  /** "row 1, column 2" */
  where(cell) {
    const [row, column] = this.rules.placeOf(cell);
    return `row ${row + 1}, column ${column + 1}`;
  }

  /** Draw a tile beside the place where it lies, x and y units away. */
  shift(tile, x, y) {
    const piece = this.tiles[tile];
    const [row, column] = this.rules.placeOf(this.state.indexOf(tile));
    Object.assign(piece, { x: column * UNIT + x, y: row * UNIT + y });
    set(piece.group, { transform: x || y ? `translate(${x} ${y})` : null });
  }

  /** Let all tiles slide to where they lie. */
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
    this.tiles = this.rules.goal.map((_, tile) => tile && { group: drawTile(tile, this.rules.cells), x: 0, y: 0 });
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

  /** Everything at its place, at once. */
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

  /** Every tile from where it is drawn to where it lies. */
  glide(duration) {
    const loose = [];
    this.state.forEach((tile, cell) => {
      if (!tile) return;
      const [row, column] = this.rules.placeOf(cell);
      const piece = this.tiles[tile];
      loose.push({ tile, x: piece.x - column * UNIT, y: piece.y - row * UNIT });
    });
    const moved = duration > 0 ? loose.filter(({ x, y }) => x || y) : loose;
    return animate(moved.length ? duration : 0, (share) => {
      const rest = 1 - easeInOut(share);
      for (const { tile, x, y } of moved) this.shift(tile, x * rest, y * rest);
    });
  }

  // --- words, marks, and the room for the tray ---

  update() {
    this.words();
    this.state.forEach((tile, cell) => tile && this.tiles[tile].group.classList.toggle("home", this.atHome(cell)));
    this.accuse();
    for (const piece of this.tiles) if (piece) markTile(piece.group, null);
    for (const move of this.rules.legal(this.state)) {
      const sign = signFor(move, this.marks);
      const source = this.rules.source(this.state.indexOf(0), move);
      if (sign) markTile(this.tiles[this.state[source]].group, sign, this.rules.cells > MANY ? 27 : 21);
    }
    this.arrange();
    this.hands?.update?.();
  }

  /** While a board is made: mark the tiles whose exchange would make it solvable. */
  accuse() {
    const whole = this.modeName === "make" && !this.state.includes(null);
    const pair = whole && this.rules.objection(this.state) ? this.rules.repairPair() : [];
    this.tiles.forEach((piece, tile) => piece && piece.group.classList.toggle("wrong", pair.includes(tile)));
  }

  atHome(cell) {
    return this.state[cell] === this.rules.goal[cell];
  }

  /** Roles and labels: a grid while it is made, one thing that takes arrow keys while it is played. */
  words() {
    const { rows, columns } = this.rules;
    const size = `${rows} by ${columns} sliding tiles`;
    const blank = this.state.indexOf(0);
    const told = blank < 0 ? size : `${size}, blank at ${this.where(blank)}`;
    const playing = this.modeName === "play";
    const outer = playing ? { role: "application", tabindex: 0 } : { role: "group", tabindex: -1 };
    set(this.root, { ...outer, "aria-label": playing ? `${told}. Arrow keys slide tiles.` : size });
    const grid = { role: "grid", "aria-label": told, "aria-readonly": this.modeName === "make" ? null : "true" };
    set(this.board, playing ? { role: null, "aria-label": null, "aria-readonly": null } : grid);
    for (const group of this.rowGroups) set(group, { role: playing ? null : "row" });
    this.cells.forEach((cell, place) => {
      set(cell, { role: playing ? "img" : "gridcell", "aria-label": this.cellWords(place) });
    });
  }

  cellWords(cell) {
    const tile = this.state[cell];
    if (!tile) return `${this.where(cell)}: ${tile === 0 ? "blank" : "empty"}`;
    return `${this.where(cell)}: tile ${tile}${this.atHome(cell) ? ", in place" : ""}`;
  }

  /** Lay out board and tray; the width of the host is asked for once, because a browser must lay out all to tell it. */
  arrange(width = this.width ?? this.host.clientWidth) {
    this.width = width;
    const making = this.modeName === "make";
    const tray = making ? this.rules.tray(this.state) : [];
    const layout = layoutOf(this.rules, making, width >= WIDE, tray.length > 0);
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

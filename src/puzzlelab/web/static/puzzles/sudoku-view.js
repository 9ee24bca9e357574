/**
 * A Sudoku on the page: which cell is chosen, what keys and fingers write, the pencil marks, and what is highlighted.
 *
 * The board itself belongs to the shell: what a person writes goes out by the hooks, and comes back by `show`.
 */

import { percent, same } from "./grid.js";
import { Board } from "./sudoku-board.js";
import { boxAway, digitOf, requestOf } from "./sudoku-keys.js";
import { Pad } from "./sudoku-pad.js";
import { SYMBOLS, digitsOf } from "./sudoku-rules.js";
import { marks, shares, sharesByCell } from "./sudoku-small.js";

export class View {
  #rules;
  #hooks;
  #board;
  #pad;
  #root = document.createElement("div");
  #listening = new AbortController();
  #mode = "make";
  #state;
  #options = {};
  /** The clues that the pencil marks belong to. */
  #given = null;
  #shares = new Map();
  #chosen = null;
  #pencil = false;
  #tidy = true;
  /** For each cell the set of its pencil marks. A digit written over them, or beside them, only hides them. */
  #marks;

  constructor(rules, host, hooks) {
    this.#rules = rules;
    this.#hooks = hooks;
    this.#state = rules.empty();
    this.#marks = rules.empty();
    this.#board = new Board(rules, this.#listening.signal);
    this.#pad = new Pad(rules, {
      write: (digit) => this.#put(digit, this.#pencil),
      pencil: () => this.#togglePencil(),
    });
    this.#root.append(this.#board.svg, this.#pad.element);
    this.#root.className = "sudoku";
    this.#listen(this.#board.svg);
    this.mode(this.#mode);
    host.append(this.#root);
  }

  // --- what the shell asks ---

  show(state, options = {}) {
    const { clues, heat, move, duration } = options;
    if (clues && !same(clues, this.#given)) this.#marks = this.#rules.empty();
    if (heat !== this.#options.heat) this.#shares = heat ? sharesByCell(this.#rules, heat) : new Map();
    this.#given = clues ?? this.#given;
    this.#state = state;
    this.#options = options;
    this.#board.settle();
    this.#draw();
    return move && duration > 0 ? this.#board.appear(this.#rules.cellOf(move), duration) : Promise.resolve();
  }

  mode(name) {
    this.#mode = name;
    this.#root.dataset.mode = name;
    this.#pad.element.hidden = name === "watch";
    this.#pad.pencil.hidden = name !== "play";
    this.#draw();
  }

  tool(id, value) {
    if (id === "fill") this.#marks = this.#rules.candidates(this.#state);
    else if (id === "clear") this.#marks = this.#rules.empty();
    else if (id === "tidy") this.#tidy = Boolean(value);
    else return;
    this.#draw();
  }

  destroy() {
    this.#listening.abort();
    this.#board.settle();
    this.#root.remove();
  }

  // --- what a person does ---

  #listen(svg) {
    const withCell = (act) => (event) => {
      const group = event.target.closest("[data-cell]");
      if (group) act(Number(group.dataset.cell));
    };
    // Not on the SVG itself: Chromium lets Tab stop at an SVG that listens to the focus.
    this.#root.addEventListener("focusin", withCell((cell) => this.#choose(cell)));
    svg.addEventListener("click", withCell((cell) => this.#board.focus(cell)));
    svg.addEventListener("keydown", (event) => {
      if (this.#mode !== "watch" && this.#key(event)) event.preventDefault();
    });
  }

  #choose(cell) {
    this.#chosen = cell;
    this.#draw();
  }

  /** Whether the key meant something here. */
  #key(event) {
    const written = digitOf(this.#rules, event);
    const asked = this.#mode === "play" ? requestOf(event) : null;
    if (written) this.#put(written.digit, this.#pencil !== written.mark);
    else if (asked === "pencil") this.#togglePencil();
    else if (asked) this.#hooks[asked]();
    else return this.#move(event);
    return true;
  }

  #move(event) {
    const { cursor } = this.#board;
    const away = boxAway(this.#rules, cursor, event);
    if (!away) return cursor.key(event);
    cursor.go(...away);
    cursor.focus();
    return true;
  }

  #togglePencil() {
    this.#pencil = !this.#pencil;
    this.#draw();
    this.#hooks.say(this.#pencil ? "pencil on" : "pencil off");
  }

  /** Write a digit in the chosen cell, 0 for none; or a pencil mark. */
  #put(digit, mark) {
    const cell = this.#chosen;
    if (cell === null) return;
    const held = this.#state[cell];
    const marks = this.#mode === "play" && (digit ? mark : !held);
    if (this.#isClue(cell)) this.#hooks.say(`${this.#rules.cellWords(cell)} is a clue`);
    else if (marks && held) this.#hooks.say(`${this.#rules.cellWords(cell)} is filled`);
    else if (marks) this.#mark(cell, digit);
    else if (digit !== held) this.#write(cell, digit);
  }

  #mark(cell, digit) {
    const before = this.#marks[cell];
    this.#marks = this.#rules.written(this.#marks, cell, digit ? before ^ (1 << (digit - 1)) : 0);
    this.#draw();
    this.#hooks.say(this.#marksWords(cell));
  }

  /** Digits that a person wrote may be rubbed out or written over: no move does that, and the shell is told of both. */
  #write(cell, digit) {
    const rules = this.#rules;
    const before = this.#state[cell];
    const made = digit ? rules.moveName(cell, digit) : null;
    if (this.#mode === "play" && !before) return this.#hooks.played(made);
    const after = rules.written(this.#state, cell, digit);
    if (this.#mode === "make") this.#hooks.edited(after);
    else this.#hooks.rewrote(after, { gone: rules.moveName(cell, before), made });
    this.#hooks.say(made ? rules.describeMove(this.#state, made) : `${rules.cellWords(cell)} cleared`);
  }

  // --- what is drawn ---

  /** Whether a digit belongs to the board that was given: then play does not change it. */
  #isClue(cell) {
    return this.#mode === "make" ? false : Boolean(this.#options.clues?.[cell]);
  }

  #draw() {
    const seen = this.#rules.seen(this.#state);
    const clashing = new Set(this.#rules.conflicts(this.#state));
    const near = this.#near();
    this.#board.cells.forEach((view, cell) => view.paint(this.#face(cell, { seen, clashing, near })));
    this.#board.ring(this.#rings());
    this.#pad.show(this.#state, this.#pencil && this.#mode === "play");
  }

  /** The row, column and box of the chosen cell. */
  #near() {
    const chosen = this.#mode === "watch" ? null : this.#chosen;
    return new Set(chosen === null ? [] : this.#rules.peers[chosen]);
  }

  #face(cell, { seen, clashing, near }) {
    const digit = this.#state[cell];
    const set = this.#visibleMarks(cell, seen[cell]);
    const found = digit ? null : this.#shares.get(cell);
    return {
      digit,
      tone: this.#tone(cell, clashing, near),
      label: this.#label(cell, set, found, clashing.has(cell)),
      ...(found ? this.#heatKey(found) : { smallKey: set, small: () => marks(this.#rules, set) }),
    };
  }

  #heatKey(found) {
    const smallKey = found.map(({ digit, share }) => `${digit}:${share}`).join();
    return { smallKey, small: () => shares(this.#rules, found) };
  }

  #visibleMarks(cell, seen) {
    if (this.#mode !== "play" || this.#state[cell]) return 0;
    return this.#tidy ? this.#marks[cell] & ~seen : this.#marks[cell];
  }

  #tone(cell, clashing, near) {
    const digit = this.#state[cell];
    const chosen = this.#mode === "watch" ? null : this.#chosen;
    const given = digit && (this.#mode === "make" || this.#options.clues?.[cell]);
    const isSame = chosen !== null && chosen !== cell && digit && digit === this.#state[chosen];
    const tones = {
      "sudoku-clue": given,
      "sudoku-chosen": cell === chosen,
      "sudoku-near": near.has(cell),
      "sudoku-same": isSame,
      "sudoku-conflict": clashing.has(cell),
    };
    return Object.keys(tones).filter((tone) => tones[tone]).join(" ");
  }

  #rings() {
    const { next, notes } = this.#options;
    const forced = notes?.move;
    const at = (names, kind) => (names ?? []).filter(Boolean).map((name) => [this.#rules.cellOf(name), kind]);
    const [surest] = [...this.#shares].sort((one, other) => other[1][0].share - one[1][0].share);
    return [
      ...at(notes?.cells, "spoken").filter(([cell]) => !forced || cell !== this.#rules.cellOf(forced)),
      ...at(notes?.wrong, "wrong"),
      ...at([forced], "forced"),
      ...at([next === forced ? null : next], "next"),
      ...(surest ? [[surest[0], "surest"]] : []),
      ...(this.#chosen === null ? [] : [[this.#chosen, "cursor"]]),
    ].filter(([cell]) => cell >= 0);
  }

  #label(cell, set, found, clashes) {
    const digit = this.#state[cell];
    const where = this.#rules.cellWords(cell);
    if (!digit) {
      const best = found ? `, the network says ${SYMBOLS[found[0].digit - 1]} (${percent(found[0].share)})` : "";
      return `${where}, blank${set ? `, pencil marks ${symbols(set)}` : ""}${best}`;
    }
    const kind = this.#mode === "make" || this.#options.clues?.[cell] ? "clue " : "";
    return `${where}, ${kind}${SYMBOLS[digit - 1]}${clashes ? this.#rules.rivalWords(this.#state, cell) : ""}`;
  }

  #marksWords(cell) {
    const set = this.#marks[cell];
    return `${this.#rules.cellWords(cell)}, ${set ? `pencil marks ${symbols(set)}` : "no pencil marks"}`;
  }
}

function symbols(set) {
  return digitsOf(set).map((digit) => SYMBOLS[digit - 1]).join(" ");
}

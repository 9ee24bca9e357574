/**
 * A Sudoku on the page: the chosen cell, input by keys and touch, the pencil marks, and the highlighting.
 *
 * The page owns the board: input is reported by the hooks, and the new board comes back by `show`.
 */

import { percent } from "./grid.js";
import { Board } from "./sudoku-board.js";
import { boxJump, digitOf, commandOf } from "./sudoku-keys.js";
import { Pad } from "./sudoku-pad.js";
import { SYMBOLS, digitsOf } from "./sudoku-rules.js";
import { pencilMarks, candidateShares, sharesByCell } from "./sudoku-pencil-marks.js";

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
  #shares = new Map();
  #chosen = null;
  #pencil = false;
  #tidy = true;
  /** For each cell the set of its pencil marks. A digit written over them, or beside them, only hides them. */
  #marks;
  #noMarks;

  constructor(rules, host, hooks) {
    this.#rules = rules;
    this.#hooks = hooks;
    this.#state = rules.empty();
    this.#marks = this.#noMarks = rules.empty();
    this.#board = new Board(rules, this.#listening.signal);
    this.#pad = new Pad(rules, {
      write: (digit) => this.#enter(digit, this.#pencil),
      pencil: () => this.#togglePencil(),
    });
    this.#root.append(this.#board.svg, this.#pad.element);
    this.#root.className = "sudoku";
    this.#listen(this.#board.svg);
    this.mode(this.#mode);
    host.append(this.#root);
  }

  // --- the interface of a view ---

  show(state, options = {}) {
    const { heat, move, duration, marks } = options;
    if (heat !== this.#options.heat) this.#shares = heat ? sharesByCell(this.#rules, heat) : new Map();
    this.#marks = marks ?? this.#noMarks;
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
    if (id === "fill") this.#hooks.marked(this.#rules.candidates(this.#state));
    else if (id === "clear") this.#hooks.marked(null);
    else if (id === "tidy") this.#tidy = Boolean(value);
    this.#draw();
  }

  /** Take the keyboard; whether there is something to do with keys. */
  focus() {
    if (this.#mode === "watch") return false;
    this.#board.cursor.focus();
    return true;
  }

  destroy() {
    this.#listening.abort();
    this.#board.settle();
    this.#root.remove();
  }

  // --- input ---

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

  /** Whether the key had a meaning here. */
  #key(event) {
    const keyed = digitOf(this.#rules, event);
    const command = this.#mode === "play" ? commandOf(event) : null;
    if (this.#mode === "make" && event.key === "Backspace") this.#takeBack();
    else if (keyed) this.#enter(keyed.digit, this.#pencil !== keyed.mark, event.key !== "Delete");
    else if (command === "pencil") this.#togglePencil();
    else if (command) this.#hooks[command]();
    else return this.#move(event);
    return true;
  }

  #move(event) {
    const { cursor } = this.#board;
    const target = boxJump(this.#rules, cursor, event);
    if (!target) return cursor.key(event);
    cursor.go(...target);
    cursor.focus();
    return true;
  }

  #togglePencil() {
    this.#pencil = !this.#pencil;
    this.#draw();
    this.#hooks.say(this.#pencil ? "pencil on" : "pencil off");
  }

  /** Write a digit in the chosen cell, 0 for none; or a pencil mark. In the editor the next cell is chosen then. */
  #enter(digit, mark, advances = true) {
    const cell = this.#chosen;
    if (cell === null) return;
    const before = this.#state[cell];
    const pencilMarks = this.#mode === "play" && (digit ? mark : !before);
    if (this.#isClue(cell)) this.#hooks.say(`${this.#rules.cellWords(cell)} is a clue`);
    else if (pencilMarks && before) this.#hooks.say(`${this.#rules.cellWords(cell)} is filled`);
    else if (pencilMarks) this.#mark(cell, digit);
    else if (digit !== before) this.#write(cell, digit);
    if (this.#mode === "make" && advances) this.#goTo(cell + 1);
  }

  /** Backspace in the editor: clear this cell, or the one before if this one is blank. */
  #takeBack() {
    if (this.#chosen === null) return;
    const cell = this.#state[this.#chosen] ? this.#chosen : Math.max(0, this.#chosen - 1);
    this.#goTo(cell);
    if (this.#state[cell]) this.#write(cell, 0);
  }

  #goTo(cell) {
    this.#board.focus(Math.min(cell, this.#rules.cells - 1));
  }

  #mark(cell, digit) {
    const before = this.#marks[cell];
    this.#marks = this.#rules.written(this.#marks, cell, digit ? before ^ (1 << (digit - 1)) : 0);
    this.#draw(); // at once: the page shows it again when it has noted the marks
    this.#hooks.marked(this.#marks);
    this.#hooks.say(this.#marksWords(cell));
  }

  /** A digit that is not a clue may be erased or overwritten. No move does that, so the hook reports both digits. */
  #write(cell, digit) {
    const rules = this.#rules;
    const before = this.#state[cell];
    const added = digit ? rules.moveName(cell, digit) : null;
    if (this.#mode === "play" && !before) return this.#hooks.played(added);
    const after = rules.written(this.#state, cell, digit);
    if (this.#mode === "make") this.#hooks.edited(after);
    else this.#hooks.rewrote(after, { removed: rules.moveName(cell, before), added });
    this.#hooks.say(added ? rules.describeMove(this.#state, added) : `${rules.cellWords(cell)} cleared`);
  }

  // --- drawing ---

  /** Whether a digit is a clue, which play does not change. */
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
    const digits = this.#visibleMarks(cell, seen[cell]);
    const candidates = digit ? null : this.#shares.get(cell);
    return {
      digit,
      tone: this.#tone(cell, clashing, near),
      label: this.#label(cell, digits, candidates, clashing.has(cell)),
      ...(candidates ? this.#shareTexts(candidates) : this.#markTexts(digits)),
    };
  }

  #markTexts(digits) {
    return { textsKey: digits, smallTexts: () => pencilMarks(this.#rules, digits) };
  }

  #shareTexts(candidates) {
    const textsKey = candidates.map(({ digit, share }) => `${digit}:${share}`).join();
    return { textsKey, smallTexts: () => candidateShares(this.#rules, candidates) };
  }

  #visibleMarks(cell, seen) {
    if (this.#mode !== "play" || this.#state[cell]) return 0;
    return this.#tidy ? this.#marks[cell] & ~seen : this.#marks[cell];
  }

  #tone(cell, clashing, near) {
    const digit = this.#state[cell];
    const chosen = this.#mode === "watch" ? null : this.#chosen;
    const isClue = digit && (this.#mode === "make" || this.#options.clues?.[cell]);
    const isSame = chosen !== null && chosen !== cell && digit && digit === this.#state[chosen];
    const classes = {
      "sudoku-clue": isClue,
      "sudoku-chosen": cell === chosen,
      "sudoku-near": near.has(cell),
      "sudoku-same": isSame,
      "sudoku-conflict": clashing.has(cell),
    };
    return Object.keys(classes).filter((tone) => classes[tone]).join(" ");
  }

  #rings() {
    const { next = [], hint } = this.#options;
    const [forced] = hint?.best ?? [];
    const at = (names, kind) => (names ?? []).filter(Boolean).map((name) => [this.#rules.cellOf(name), kind]);
    const [surest] = [...this.#shares].sort((one, other) => other[1][0].share - one[1][0].share);
    return [
      ...at(hint?.cells, "spoken").filter(([cell]) => !forced || cell !== this.#rules.cellOf(forced)),
      ...at(hint?.wrong, "wrong"),
      ...at([forced], "forced"),
      ...at(next, "next"),
      ...(surest ? [[surest[0], "surest"]] : []),
      ...(this.#chosen === null ? [] : [[this.#chosen, "cursor"]]),
    ].filter(([cell]) => cell >= 0);
  }

  #label(cell, digits, candidates, clashes) {
    const digit = this.#state[cell];
    const where = this.#rules.cellWords(cell);
    if (!digit) {
      const [likeliest] = candidates ?? [];
      const symbol = likeliest && SYMBOLS[likeliest.digit - 1];
      const best = likeliest ? `, the network says ${symbol} (${percent(likeliest.share)})` : "";
      return `${where}, blank${digits ? `, pencil marks ${symbols(digits)}` : ""}${best}`;
    }
    const kind = this.#mode === "make" || this.#options.clues?.[cell] ? "clue " : "";
    return `${where}, ${kind}${SYMBOLS[digit - 1]}${clashes ? this.#rules.rivalWords(this.#state, cell) : ""}`;
  }

  #marksWords(cell) {
    const digits = this.#marks[cell];
    return `${this.#rules.cellWords(cell)}, ${digits ? `pencil marks ${symbols(digits)}` : "no pencil marks"}`;
  }
}

function symbols(digits) {
  return digitsOf(digits).map((digit) => SYMBOLS[digit - 1]).join(" ");
}

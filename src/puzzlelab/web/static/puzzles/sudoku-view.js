/**
 * A Sudoku on the page: which cell is chosen, what keys and fingers write, the pencil marks, and what is highlighted.
 *
 * The board itself belongs to the shell: what a person writes goes out by the hooks, and comes back by `show`.
 */

import { percent, same } from "./grid.js";
import { Board } from "./sudoku-board.js";
import { boxAway, digitOf } from "./sudoku-keys.js";
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
    this.#pad = new Pad(rules, { write: (digit) => this.#put(digit, this.#pencil), pencil: () => this.#togglePencil() });
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

  focus() {
    this.#board.focus(this.#board.stop);
  }

  destroy() {
    this.#listening.abort();
    this.#board.settle();
    this.#root.remove();
  }

  // --- what a person does ---

  #listen(svg) {
    const cellAt = (event) => event.target.closest("[data-cell]")?.dataset.cell;
    svg.addEventListener("focusin", (event) => this.#choose(Number(cellAt(event))));
    svg.addEventListener("click", (event) => cellAt(event) && this.#board.focus(Number(cellAt(event))));
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
    const { cursor } = this.#board;
    const away = boxAway(this.#rules, cursor, event);
    const written = digitOf(this.#rules, event);
    if (away) {
      cursor.go(...away);
      cursor.focus();
    } else if (written) this.#put(written.digit, this.#pencil !== written.mark);
    else if (this.#mode === "play" && isPencilKey(event)) this.#togglePencil();
    else return cursor.key(event);
    return true;
  }

  #togglePencil() {
    this.#pencil = !this.#pencil;
    this.#draw();
    this.#hooks.say(this.#pencil ? "pencil on" : "pencil off");
  }

  /** Writes a digit in the chosen cell, 0 for none; or a pencil mark. */
  #put(digit, mark) {
    const cell = this.#chosen;
    if (cell === null) return;
    if (this.#isClue(cell)) this.#hooks.say(`${this.#rules.cellWords(cell)} is a clue`);
    else if (this.#mode === "play" && !this.#state[cell] && (mark || !digit)) this.#mark(cell, digit);
    else if (digit !== this.#state[cell]) this.#write(cell, digit);
  }

  #mark(cell, digit) {
    const before = this.#marks[cell];
    this.#marks = this.#rules.written(this.#marks, cell, digit ? before ^ (1 << (digit - 1)) : 0);
    this.#draw();
    this.#hooks.say(this.#marksWords(cell));
  }

  #write(cell, digit) {
    const after = this.#rules.written(this.#state, cell, digit);
    const isMove = !this.#state[cell];
    if (this.#mode === "make") this.#hooks.edited(after);
    else if (isMove) this.#hooks.played(this.#rules.moveName(cell, digit));
    else this.#hooks.rewrote(after);
    this.#hooks.say(this.#writtenWords(after, cell));
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
    this.#pad.show(this.#state, this.#pencil);
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
    const at = (names, kind) => names.filter(Boolean).map((name) => [this.#rules.cellOf(name), kind]);
    const [surest] = [...this.#shares].sort((one, other) => other[1][0].share - one[1][0].share);
    return [
      ...at((notes?.cells ?? []).filter((name) => !notes.move?.startsWith(`${name}=`)), "spoken"),
      ...at([notes?.move], "forced"),
      ...at([next], "next"),
      ...(surest ? [[surest[0], "surest"]] : []),
      ...(this.#chosen === null ? [] : [[this.#chosen, "cursor"]]),
    ].filter(([cell]) => cell >= 0);
  }

  #label(cell, set, found, clashes) {
    const digit = this.#state[cell];
    const where = this.#rules.cellWords(cell);
    if (!digit) {
      const best = found ? `, ${SYMBOLS[found[0].digit - 1]} by ${percent(found[0].share)}` : "";
      return `${where}, blank${set ? `, pencil marks ${symbols(set)}` : ""}${best}`;
    }
    const kind = this.#mode === "make" || this.#options.clues?.[cell] ? "clue " : "";
    return `${where}, ${kind}${SYMBOLS[digit - 1]}${clashes ? this.#rivalWords(this.#state, cell) : ""}`;
  }

  #rivalWords(state, cell) {
    const rivals = this.#rules.rivals(state, cell).map((rival) => this.#rules.cellName(rival));
    return rivals.length ? `, conflict with ${rivals.join(" and ")}` : "";
  }

  #writtenWords(state, cell) {
    const where = this.#rules.cellWords(cell);
    return state[cell] ? `${SYMBOLS[state[cell] - 1]} in ${where}${this.#rivalWords(state, cell)}` : `${where} cleared`;
  }

  #marksWords(cell) {
    const set = this.#marks[cell];
    return `${this.#rules.cellWords(cell)}, ${set ? `pencil marks ${symbols(set)}` : "no pencil marks"}`;
  }
}

function isPencilKey(event) {
  return event.key.toLowerCase() === "p" && !event.ctrlKey && !event.metaKey && !event.altKey;
}

function symbols(set) {
  return digitsOf(set).map((digit) => SYMBOLS[digit - 1]).join(" ");
}

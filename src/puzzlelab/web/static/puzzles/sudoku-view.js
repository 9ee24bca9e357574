/**
 * A Sudoku on the page: the selected cells, input by keys and touch, notes, and the highlighting.
 *
 * The page owns the board: input is reported by the hooks, and the new board comes back by `show`.
 */

import { Board } from "./sudoku-board.js";
import { labelOf, ringsOf, toneOf } from "./sudoku-cells.js";
import { foundOn } from "./sudoku-found.js";
import { boxJump, commandOf, digitOf, penOf } from "./sudoku-keys.js";
import { erased, noNotes, notesInWords, toggled } from "./sudoku-notes.js";
import { Pad } from "./sudoku-pad.js";
import { SYMBOLS } from "./sudoku-rules.js";
import { Selection } from "./sudoku-selection.js";
import { stepDrawing } from "./sudoku-steps.js";
import { Zoom } from "./sudoku-zoom.js";
import { candidateShares, centreMarks, pencilMarks, sharesByCell } from "./sudoku-pencil-marks.js";

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
  #found;
  #shares = new Map();
  #selection;
  #zoom;
  #pen = "digit";
  #tidy = true;
  /** A digit written over marks, or beside them, only hides them. */
  #notes;
  #noNotes;

  constructor(rules, host, hooks) {
    this.#rules = rules;
    this.#hooks = hooks;
    this.#state = rules.empty();
    this.#notes = this.#noNotes = noNotes(rules);
    this.#found = foundOn(rules, null);
    this.#board = new Board(rules, this.#listening.signal);
    this.#pad = new Pad(rules, {
      write: (digit) => this.#enter(digit, this.#pen),
      choose: (pen) => this.#take(pen),
    });
    this.#zoom = new Zoom(rules, this.#board, this.#listening.signal);
    this.#root.append(this.#board.svg, this.#zoom.button);
    (hooks.beside ?? this.#root).append(this.#pad.element);
    this.#root.className = "sudoku";
    this.#selection = new Selection(rules, this.#board, this.#listening.signal, () => this.#draw());
    this.#listen(this.#board.svg);
    this.mode(this.#mode);
    host.append(this.#root);
  }

  // --- the interface of a view ---

  show(state, options = {}) {
    const { heat, move, duration, marks, found } = options;
    if (found !== this.#options.found) this.#found = foundOn(this.#rules, found);
    if (heat !== this.#options.heat) this.#shares = heat ? sharesByCell(this.#rules, heat) : new Map();
    this.#notes = marks ?? this.#noNotes;
    this.#state = state;
    this.#options = options;
    this.#board.settle();
    this.#draw();
    return move && duration > 0 ? this.#board.appear(this.#rules.cellOf(move), duration) : Promise.resolve();
  }

  mode(name) {
    this.#mode = name;
    this.#root.dataset.mode = name;
    this.#pad.mode(name);
    this.#selection.allowSeveral(name === "play");
    this.#draw();
  }

  tool(id, value) {
    if (id === "fill") this.#hooks.marked({ ...this.#notes, corner: this.#rules.candidates(this.#state) });
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
    this.#pad.element.remove();
    this.#root.remove();
  }

  // --- input ---

  #listen(svg) {
    // Not on the SVG itself: Chromium lets Tab stop at an SVG that listens to the focus.
    this.#root.addEventListener("focusin", (event) => {
      const group = event.target.closest("[data-cell]");
      if (!group) return;
      this.#selection.focused(Number(group.dataset.cell));
      this.#zoom.follow(this.#selection.chosen);
    });
    svg.addEventListener("dblclick", () => this.#mode === "play" && this.#selectSame());
    svg.addEventListener("keydown", (event) => {
      if (this.#mode !== "watch" && this.#key(event)) event.preventDefault();
    });
  }

  /** Select all cells with the digit of the chosen one. */
  #selectSame() {
    const digit = this.#state[this.#selection.chosen];
    if (digit) this.#selection.select(this.#state.flatMap((other, cell) => (other === digit ? [cell] : [])));
  }

  /** Whether the key had a meaning here. */
  #key(event) {
    const keyed = digitOf(this.#rules, event);
    const isPlay = this.#mode === "play";
    const command = isPlay ? commandOf(event) : null;
    const pen = isPlay ? penOf(this.#rules, event, this.#pen) : null;
    if (this.#mode === "make" && event.key === "Backspace") this.#takeBack();
    else if (keyed) this.#enter(keyed.digit, this.#penFor(keyed.pen), event.key !== "Delete");
    else if (command === "all") this.#selection.select(this.#state.keys());
    else if (command) this.#hooks[command]();
    else if (pen) this.#take(pen);
    else return this.#selection.moving(event.shiftKey, () => this.#move(event));
    return true;
  }

  /** The pen that a key with Shift or Alt asks for; if it is in use already, such a key writes a digit. */
  #penFor(asked) {
    if (!asked) return this.#pen;
    return asked === this.#pen ? "digit" : asked;
  }

  #move(event) {
    const { cursor } = this.#board;
    const target = boxJump(this.#rules, cursor, event);
    if (!target) return cursor.key(event);
    cursor.go(...target);
    cursor.focus();
    return true;
  }

  #take(pen) {
    this.#pen = pen;
    this.#draw();
    this.#hooks.say({ digit: "digits", corner: "corner marks", centre: "centre marks", colour: "colours" }[pen]);
  }

  /** Write a digit in the selected cells, 0 for none; or a note. In the editor the next cell is chosen then. */
  #enter(digit, pen, advances = true) {
    const { chosen, cells } = this.#selection;
    if (chosen === null) return;
    if (this.#mode === "make") {
      if (digit !== this.#state[chosen]) this.#write([chosen], digit);
      if (advances) this.#goTo(chosen + 1);
      return;
    }
    const open = [...cells].filter((cell) => !this.#isClue(cell));
    if (pen === "colour" || (!digit && !open.length)) this.#note([...cells], pen, digit);
    else if (!open.length) this.#hooks.say(`${this.#rules.cellWords(chosen)} is a clue`);
    else this.#enterOpen(open, pen, digit);
  }

  /** The same in cells without a clue. */
  #enterOpen(cells, pen, digit) {
    const filled = cells.filter((cell) => this.#state[cell]);
    const blank = cells.filter((cell) => !this.#state[cell]);
    const others = cells.filter((cell) => this.#state[cell] !== digit);
    if (!digit && filled.length) this.#write(filled, 0);
    else if (!digit) this.#note(cells, pen, 0);
    else if (pen === "digit" && others.length) this.#write(others, digit);
    else if (pen !== "digit" && blank.length) this.#note(blank, pen, digit);
    else if (pen !== "digit") this.#hooks.say(`${this.#rules.cellWords(cells[0])} is filled`);
  }

  /** Backspace in the editor: clear this cell, or the one before if this one is blank. */
  #takeBack() {
    const { chosen } = this.#selection;
    if (chosen === null) return;
    const cell = this.#state[chosen] ? chosen : Math.max(0, chosen - 1);
    this.#goTo(cell);
    if (this.#state[cell]) this.#write([cell], 0);
  }

  #goTo(cell) {
    this.#board.focus(Math.min(cell, this.#rules.cells - 1));
  }

  #note(cells, pen, digit) {
    this.#notes = digit ? toggled(this.#notes, pen, cells, digit) : erased(this.#notes, cells);
    this.#draw(); // at once: the page shows it again when it has stored the notes
    this.#hooks.marked(this.#notes);
    const [cell] = cells;
    const where = cells.length > 1 ? `${cells.length} cells` : this.#rules.cellWords(cell);
    this.#hooks.say(`${where}, ${notesInWords(this.#notes, cell) || "no pencil marks"}`);
  }

  /** Digits that are no clues may be erased or overwritten. No move does that, so the hook reports old and new ones. */
  #write(cells, digit) {
    const rules = this.#rules;
    const [cell] = cells;
    if (this.#mode === "play" && cells.length === 1 && digit && !this.#state[cell]) {
      return this.#hooks.played(rules.moveName(cell, digit));
    }
    const after = cells.reduce((state, each) => rules.written(state, each, digit), this.#state);
    const removed = cells.filter((each) => this.#state[each]).map((each) => rules.moveName(each, this.#state[each]));
    const added = digit ? cells.map((each) => rules.moveName(each, digit)) : [];
    const where = cells.length > 1 ? `${cells.length} cells` : rules.cellWords(cell);
    const sentence = digit && cells.length === 1 ? rules.describeMove(this.#state, added[0])
      : `${where} ${digit ? `filled with ${SYMBOLS[digit - 1]}` : "cleared"}`;
    if (this.#mode !== "make") return this.#hooks.rewrote(after, { removed, added }, sentence);
    this.#hooks.edited(after);
    return this.#hooks.say(sentence);
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
    const look = this.#look();
    this.#board.cells.forEach((view, cell) => view.paint(this.#face(look, cell, { seen, clashing, near })));
    this.#board.ring(ringsOf(look, this.#shares));
    const { step, withMove } = this.#options.hint ?? {};
    this.#board.overlay(step ? stepDrawing(this.#rules, step, withMove) : []);
    this.#pad.show(this.#state, this.#mode === "play" ? this.#pen : "digit");
  }

  /** The row, column and box of the chosen cell. */
  #near() {
    const { chosen, cells } = this.#selection;
    return new Set(this.#mode === "watch" || chosen === null || cells.size > 1 ? [] : this.#rules.peers[chosen]);
  }

  /** What the faces of the cells depend on. */
  #look() {
    const { chosen, cells } = this.#selection;
    return {
      rules: this.#rules,
      mode: this.#mode,
      state: this.#state,
      options: this.#options,
      notes: this.#notes,
      found: this.#found,
      chosen,
      cells,
    };
  }

  #face(look, cell, { seen, clashing, near }) {
    const digit = this.#state[cell];
    const visible = this.#tidy ? ~seen[cell] : -1;
    const candidates = digit ? null : this.#shares.get(cell);
    return {
      digit,
      tone: toneOf(look, cell, { clashing, near }),
      colour: this.#mode === "play" ? this.#notes.colour[cell] : 0,
      label: labelOf(look, cell, { visible, candidates, clashes: clashing.has(cell) }),
      ...(candidates ? this.#shareTexts(candidates) : this.#markTexts(cell, digit ? 0 : visible)),
    };
  }

  #markTexts(cell, visible) {
    const shown = this.#mode === "play" ? visible : 0;
    const open = this.#mode === "make" && visible ? this.#found.open[cell] : 0;
    const [corner, centre] = [(this.#notes.corner[cell] & shown) | open, this.#notes.centre[cell] & shown];
    const smallTexts = () => [...pencilMarks(this.#rules, corner), ...centreMarks(this.#rules, centre)];
    return { textsKey: centre ? `${corner} ${centre}` : corner, smallTexts };
  }

  #shareTexts(candidates) {
    const textsKey = candidates.map(({ digit, share }) => `${digit}:${share}`).join();
    return { textsKey, smallTexts: () => candidateShares(this.#rules, candidates) };
  }
}

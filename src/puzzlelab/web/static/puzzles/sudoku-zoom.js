/** Zooms in on a box of a large Sudoku, where its cells are too small to press or to read. */

import { UNIT, pixelsPerUnit } from "./grid.js";

/** The largest grid that is never zoomed. */
const MAX_WHOLE = 9;
/** Pixels of the side of a cell that can be pressed with a finger. */
const MIN_SIDE = 24;

export class Zoom {
  #board;
  #on = false;

  /** Listens on the board before all others: a press on a cell that is too small zooms in on its box. */
  constructor(rules, board, signal) {
    this.#board = board;
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.className = "sudoku-zoom";
    this.button.dataset.testid = "zoom";
    this.button.hidden = rules.size <= MAX_WHOLE;
    this.button.addEventListener("click", () => this.#turn(!this.#on, this.chosen ?? 0));
    this.chosen = null;
    const early = { capture: true, signal };
    board.svg.addEventListener("pointerdown", (event) => this.#isSmall() && event.stopPropagation(), early);
    board.svg.addEventListener("click", (event) => {
      const group = event.target.closest("[data-cell]");
      if (group && this.#isSmall()) this.#turn(true, Number(group.dataset.cell));
    }, early);
    this.#turn(false, null);
  }

  /** Another cell is chosen: its box comes into sight. */
  follow(cell) {
    this.chosen = cell;
    if (this.#on) this.#board.zoom(cell);
  }

  #isSmall() {
    return !this.button.hidden && !this.#on && pixelsPerUnit(this.#board.svg) * UNIT < MIN_SIDE;
  }

  #turn(on, cell) {
    this.#on = on;
    this.#board.zoom(on ? cell : null);
    this.button.textContent = on ? "Whole board" : "Zoom in";
    if (on && cell !== this.chosen) this.#board.focus(cell);
  }
}

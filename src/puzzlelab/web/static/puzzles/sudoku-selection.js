/** Which cells of a Sudoku are selected: the one with the keyboard, and in play others beside it. */

import { placeOf, pointOf, preventFling } from "./grid.js";

export class Selection {
  #board;
  #rules;
  #changed;
  #isExtending = false; // the next cell that takes the keyboard is added to the others
  #pointer = null; // the pointer that is dragged over cells
  #several = false;

  /** `changed()` is called when another cell is selected. */
  constructor(rules, board, signal, changed) {
    this.#rules = rules;
    this.#board = board;
    this.#changed = changed;
    this.cells = new Set();
    /** The cell that has or had the keyboard, or null. */
    this.chosen = null;
    const on = (name, act) => board.svg.addEventListener(name, act, { signal });
    on("click", (event) => !this.#several && this.#withCell(event, (cell) => board.focus(cell)));
    on("pointerdown", (event) => this.#press(event));
    on("pointermove", (event) => this.#drag(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) on(name, () => { this.#pointer = null; });
    preventFling(board.svg, () => this.#pointer !== null, signal);
  }

  /** Let several cells be selected, by dragging, with Ctrl or with Shift; or only one. */
  allowSeveral(on) {
    this.#several = on;
    if (!on && this.chosen !== null) this.cells = new Set([this.chosen]);
  }

  /** A cell has taken the keyboard. */
  focused(cell) {
    if (this.#isExtending) this.cells = new Set([...this.cells, cell]);
    else this.cells = new Set([cell]);
    this.chosen = cell;
    this.#changed();
  }

  /** Do something that moves the keyboard; with `isExtending`, the cells that are selected stay so. */
  moving(isExtending, act) {
    this.#isExtending = isExtending && this.#several;
    try {
      return act();
    } finally {
      this.#isExtending = false;
    }
  }

  /** Select these cells; the keyboard stays where it is. */
  select(cells) {
    this.cells = new Set(cells);
    this.#changed();
  }

  #withCell(event, act) {
    const group = event.target.closest("[data-cell]");
    if (group) act(Number(group.dataset.cell));
  }

  #press(event) {
    if (!this.#several || event.button > 0) return;
    this.#withCell(event, (cell) => {
      const isAdding = event.ctrlKey || event.metaKey || event.shiftKey;
      if (isAdding && this.cells.has(cell) && this.cells.size > 1) {
        this.select([...this.cells].filter((other) => other !== cell));
      } else {
        this.moving(isAdding, () => this.#go(cell));
      }
      this.#pointer = event.pointerId;
      event.preventDefault(); // the focus is in the cell already
    });
  }

  #drag(event) {
    if (event.pointerId !== this.#pointer) return;
    const place = placeOf(pointOf(this.#board.svg, event), this.#rules.size, this.#rules.size);
    const cell = place ? place.row * this.#rules.size + place.column : this.chosen;
    if (!this.cells.has(cell)) this.moving(true, () => this.#board.focus(cell));
  }

  /** Choose a cell; one that has the keyboard already takes it again. */
  #go(cell) {
    if (this.#board.cells[cell].group === document.activeElement) this.focused(cell);
    else this.#board.focus(cell);
  }
}

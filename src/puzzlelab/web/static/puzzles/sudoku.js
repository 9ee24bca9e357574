/** Sudoku on the page: its sizes, its rules, and its board. */

import { Rules, SHAPES, shapeName, shapeOf } from "./sudoku-rules.js";
import { View } from "./sudoku-view.js";

export const style = "sudoku.css";

export const fields = [
  {
    key: "size",
    label: "Size",
    options: SHAPES.map((shape) => ({
      value: shapeName(shape),
      label: `${shape.rows * shape.columns}×${shape.rows * shape.columns}, boxes ${shape.rows}×${shape.columns}`,
    })),
  },
];

export function nameOf({ size }) {
  return `sudoku-${size}`;
}

export function valuesOf(name) {
  return { size: shapeName(shapeOf(name)) };
}

/** The tools above the board; the digits and the pencil are below it, in reach of a thumb. */
const TOOLS = [
  {
    id: "fill",
    label: "All pencil marks",
    hint: "Pencil every digit that a blank cell could hold",
    kind: "button",
    modes: ["play"],
  },
  { id: "clear", label: "No pencil marks", hint: "Rub out every pencil mark", kind: "button", modes: ["play"] },
  {
    id: "tidy",
    label: "Tidy marks",
    hint: "Hide the pencil marks that a digit in the same row, column or box rules out",
    kind: "toggle",
    value: true,
    modes: ["play"],
  },
];

class Sudoku extends Rules {
  constructor(facts) {
    super(facts.puzzle);
    this.facts = facts;
    this.tools = TOOLS;
  }

  mount(host, hooks) {
    return new View(this, host, hooks);
  }
}

export function createGame(facts) {
  return new Sudoku(facts);
}

/** Sudoku on the page: its sizes, its rules, and its board. */

import { ruledOut, withoutCandidates } from "./sudoku-notes.js";
import { inOrder } from "./sudoku-order.js";
import { Rules, SHAPES, shapeName, shapeOf } from "./sudoku-rules.js";
import { View } from "./sudoku-view.js";

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

export const help = {
  title: "Sudoku",
  guide: {
    make: "Type the clues row by row, with a dot or the space bar for a blank cell.",
    play: "Fill every row, column and box with each digit once: press a cell, then a digit.",
    watch: "Step through the solution, or let it play.",
  },
  choices: [
    { name: "Easy", about: "one digit after the other has one place left", query: { rating: "1.0-1.5" } },
    { name: "Medium", about: "also cells with one candidate, and digits that are locked in a line", query: { rating: "1.6-2.9" } },
    { name: "Hard", about: "also pairs and triples, fish and wings", query: { rating: "3.0-4.4" } },
    { name: "Fiendish", about: "also unique rectangles, larger fish and chains", query: { rating: "4.5-7.5" } },
  ].map((choice) => ({ scale: "rating", ...choice })),
  rules: [
    "Fill the blank cells so that every row, every column and every box has each digit exactly once.",
    "In Play, choose a cell, and type a digit or press one below the board. Drag to select several cells at once.",
    "Corner and centre marks note what a cell could hold; colours note what you like.",
    "In Edit, put in a puzzle of your own: type digits row by row, with a dot or the space bar for a blank cell.",
    "Paste candidates, and they become clues and corner marks; a hint reads the marks if every blank cell has some.",
    "Hint tells more each time you press it: the kind of the next step, where it is, what it does and why; then it is done.",
    "Solve fills in the board; the steps are in the order of the logic.",
  ],
  keys: [
    ["Up, Down, Left, Right", "go to a cell; with Ctrl to the next box"],
    ["1–9", "write a digit"],
    ["Z, X, C, V", "write digits, corner marks, centre marks or colours"],
    ["Shift 1, Alt 1", "write a corner mark or a centre mark"],
    ["Shift Right, Ctrl A", "select several cells, or all"],
    ["Backspace, Delete", "clear the selected cells"],
  ],
  demo: { puzzle: "sudoku-4x4", board: "1.3434.2.14343.1", moves: ["r1c2=2", "r2c3=1", "r3c1=2", "r4c3=2"] },
};

export function nameOf({ size }) {
  return `sudoku-${size}`;
}

export function valuesOf(name) {
  return { size: shapeName(shapeOf(name)) };
}

/** A board of `sudoku-9x9:candidates` as one of its digits, with the candidates that its blank cells lack. */
export function asNotes({ puzzle, board }) {
  if (puzzle !== "sudoku-9x9:candidates") return null;
  const [cells, removed] = board.startsWith(":") ? board.split(":").slice(3, 5) : [board, ""];
  const ruledOut = (removed.match(/\d{3}/g) ?? []).map(([digit, row, column]) => `r${row}c${column}<>${digit}`);
  return { puzzle: "sudoku-9x9", board: cells, ruledOut };
}

export const sizeText = ({ size }) => size.split(":")[0].replace("x", " × ");

/** The tools above the board; the digits and the pencil are below it, in reach of a thumb. */
const TOOLS = [
  {
    id: "fill",
    label: "All corner marks",
    hint: "Write every digit that a blank cell could hold as a corner mark",
    kind: "button",
    modes: ["play"],
  },
  { id: "clear", label: "Clear all notes", hint: "Remove all marks and colours", kind: "button", modes: ["play"] },
  {
    id: "tidy",
    label: "Tidy marks",
    hint: "Hide the marks that a digit in the same row, column or box rules out",
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

  inOrder(state, moves) {
    return inOrder(this, state, moves);
  }

  ruledOut(state, notes) {
    return ruledOut(this, state, notes);
  }

  without(state, notes, candidates) {
    return withoutCandidates(this, state, notes, candidates);
  }

  mount(host, hooks) {
    return new View(this, host, hooks);
  }
}

export function createGame(facts) {
  return new Sudoku(facts);
}

/** Sudoku on the page: its sizes, its rules, and its board. */

import { ruledOut, withoutCandidates } from "./sudoku-notes.js";
import { inOrder } from "./sudoku-order.js";
import { FURTHER, Rules, SHAPES, partsOf, shapeName } from "./sudoku-rules.js";
import { View } from "./sudoku-view.js";

/** Regions that are offered for jigsaws; others come with the name of a puzzle in an address. */
const JIGSAWS = [
  "5x5:jigsaw=1122211322143334435544555",
  "7x7:jigsaw=1122222112233341115334555533455666644667674477777",
  "9x9:jigsaw=111111123456616123456666223456622223455577323445777333445577778499998888999998888",
];
const BOXES = SHAPES.map((shape) => ({
  value: shapeName(shape),
  label: `${shape.rows * shape.columns}×${shape.rows * shape.columns}, boxes ${shape.rows}×${shape.columns}`,
}));
const UNITS = { diagonal: "both diagonals", windoku: "windows", disjoint: "disjoint groups" };

export const fields = [
  { key: "size", label: "Size", options: ({ size }) => [...BOXES, ...[...new Set([...JIGSAWS, size])].flatMap(jigsaw)] },
  { key: "further", label: "Also", options: ({ size }) => furtherFor(size).map(named) },
];

function jigsaw(value) {
  const [size, regions] = value.split(":jigsaw=");
  const known = JIGSAWS.includes(value) ? "" : ", of your own";
  return regions ? [{ value, label: `${size.replace("x", "×")}, jigsaw${known}` }] : [];
}

/** The further units that go with boxes or regions. */
function furtherFor(size) {
  const { rows, columns, regions } = partsOf(`sudoku-${size}`);
  const can = { diagonal: true, windoku: !regions && rows === columns, disjoint: !regions };
  return FURTHER.reduce((sets, kind) => (can[kind] ? [...sets, ...sets.map((set) => [...set, kind])] : sets), [[]]);
}

const named = (kinds) => ({
  value: kinds.join(":"),
  label: kinds.map((kind) => UNITS[kind]).join(", ") || "nothing more",
});

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
    "So have both diagonals, the grey windows, and the groups of cells at one place of their boxes, where a puzzle has them. A jigsaw has regions in place of boxes.",
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

/** Further units that do not go with the size are left out. */
export function nameOf({ size, further = "" }) {
  const fitting = furtherFor(size).at(-1).filter((kind) => further.split(":").includes(kind));
  return ["sudoku-" + size, ...fitting].join(":");
}

export function valuesOf(name) {
  const { size, regions, further, ...shape } = partsOf(name);
  return { size: regions ? `${size}x${size}:jigsaw=${regions}` : shapeName(shape), further: further.join(":") };
}

/** A board of `sudoku-9x9:candidates` as one of its digits, with the candidates that its blank cells lack. */
export function asNotes({ puzzle, board }) {
  if (puzzle !== "sudoku-9x9:candidates") return null;
  const [cells, removed] = board.startsWith(":") ? board.split(":").slice(3, 5) : [board, ""];
  const ruledOut = (removed.match(/\d{3}/g) ?? []).map(([digit, row, column]) => `r${row}c${column}<>${digit}`);
  return { puzzle: "sudoku-9x9", board: cells, ruledOut };
}

export const sizeText = ({ size, further }) =>
  [size.split(":")[0].replace("x", " × "), ...(size.includes("jigsaw") ? ["jigsaw"] : []), ...further.split(":")]
    .filter(Boolean).join(", ");

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
    hint: "Hide the marks that a digit in the same row, column, box or further unit rules out",
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

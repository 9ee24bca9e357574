/** Dust on the page: the fields that name a puzzle, its rules, its texts, and its board. */

import { COLOURS, icon } from "./dust-draw.js";
import { DustRules, FEWEST_COLOURS, LARGEST, MOST_COLOURS } from "./dust-rules.js";
import { DustView } from "./dust-view.js";

export const fields = [
  { key: "columns", label: "Columns", min: 1, max: LARGEST },
  { key: "rows", label: "Rows", min: 1, max: LARGEST },
  { key: "colours", label: "Colours", min: FEWEST_COLOURS, max: MOST_COLOURS },
];

export const help = {
  title: "Dust",
  guide: {
    make: "Choose a colour, and paint cells with it.",
    play: "Clear the board in as few presses as you can: press a group of one colour, and the rest falls.",
    watch: "Step through the solution, or let it play.",
  },
  levels: "The fewest presses that clear the board.",
  rules: [
    "Press a cell to remove it with all cells of its colour that it touches, side by side.",
    "The cells above fall down. Then rows close towards the line in the middle.",
    "Clear the whole board in as few presses as possible. A single cell can be removed too.",
    "In Edit, paint a board of your own. Every colour has a shape of its own.",
    "A press is written as its column and row, such as 3,0. Both count from 0 at the lower left.",
    "Hint tells more each time you press it. Solve shows the fewest presses, and proves that fewer are impossible.",
  ],
  keys: [
    ["Up, Down, Left, Right", "go to a cell"],
    ["Enter, Space", "press a cell (Play), paint it (Edit)"],
    ["1–9", "paint a colour (Edit); so do the first letters of colours"],
    ["Backspace", "take back a press (Play), empty a cell (Edit)"],
  ],
  demo: { puzzle: "dust-4x3x3", board: "112123321333", moves: ["1,2", "1,1", "0,0", "2,0"] },
};

export function nameOf({ columns, rows, colours }) {
  return `dust-${columns}x${rows}x${colours}`;
}

export function valuesOf(name) {
  const [, columns, rows, colours] = /^dust-(\d+)x(\d+)x(\d+)$/.exec(name) ?? [null, 8, 6, 5];
  return { columns: Number(columns), rows: Number(rows), colours: Number(colours), variant: "" };
}

export const sizeText = ({ columns, rows, colours }) => `${columns} × ${rows}, ${colours} colours`;

export function createGame(facts) {
  const rules = DustRules.named(facts.puzzle);
  return {
    facts,
    tools: toolsFor(rules),
    empty: () => Array(rules.cells).fill(0),
    first: () => filled(rules),
    read: (text) => rules.read(text),
    write: (state) => rules.write(state),
    missing: (state) => (state.some(Boolean) ? null : "no cell is painted"),
    objection: (state) => objection(rules, state),
    legal: (state) => rules.legal(state),
    apply: (state, move) => rules.apply(state, move),
    solved: (state) => rules.solved(state),
    describeMove: (state, move) => describe(rules, state, rules.cellAt(move)),
    summary: (state) => summary(rules, state),
    mount: (host, hooks) => new DustView(rules, host, hooks),
  };
}

/** "cluster of 5 red cells at column 6, row 1" */
function describe(rules, state, cell) {
  const [column, row] = rules.placeOf(cell);
  const place = `column ${column}, row ${row}`;
  if (!state[cell]) return `nothing at ${place}`;
  return `cluster of ${count(rules.cluster(state, cell).length, `${COLOURS[state[cell]].name} cell`)} at ${place}`;
}

/** A full board, whose colours come from a fixed sequence of numbers. */
function filled(rules) {
  let number = 7;
  return Array.from({ length: rules.cells }, () => {
    number = (number * 16_807) % 2_147_483_647;
    return 1 + (number % rules.colours);
  });
}

/** The palette and the other tools of the editor. */
function toolsFor(rules) {
  const options = [];
  for (let value = 1; value <= rules.colours; value += 1) {
    const { name, letter, shape } = COLOURS[value];
    const hint = `${name}, a ${shape} (${value} or ${letter})`;
    options.push({ value, label: name, hint, shape, icon: () => icon(value) });
  }
  options.push({ value: 0, label: "eraser", hint: "take cells out (0 or Delete)", icon: () => icon(0) });
  const settle = { id: "settle", label: "Let it settle", hint: "Cells fall down, then towards the line in the middle" };
  return [
    { id: "colour", label: "Colour", hint: "What you paint with", kind: "choice", value: 1, options, modes: ["make"] },
    { ...settle, kind: "button", modes: ["make"] },
    {
      id: "first",
      label: "Show first",
      hint: "A tap shows what it takes away and what falls; a second tap on the same group takes it away",
      kind: "toggle",
      value: false,
      modes: ["play"],
    },
  ];
}

/** Every board at rest can be cleared; a board that is not at rest is not valid yet. */
function objection(rules, state) {
  const unrest = rules.unrest(state);
  if (unrest === null) return null;
  const [column, row] = rules.placeOf(unrest.first);
  const why = unrest.falls
    ? "nothing lies below this cell, so that it would fall"
    : "the cell beside this one towards the centre line is empty, so that it would slide there";
  const repair = { label: "let it settle", state: rules.settled(state) };
  return { text: `column ${column}, row ${row} (from 0 at the lower left): ${why}`, cells: unrest.cells, repair };
}

function summary(rules, state) {
  const cells = state.filter((colour) => colour).length;
  if (!cells) return "an empty board: nothing to clear, so it is solved";
  return `${count(cells, "cell")} in ${count(rules.legal(state).length, "cluster")}`;
}

const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

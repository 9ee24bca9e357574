/** Dust on the page: the fields that name a puzzle, its rules, its texts, and its board. */

import { COLOURS, icon } from "./dust-draw.js";
import { DustRules, FEWEST_COLOURS, LARGEST, MOST_COLOURS } from "./dust-rules.js";
import { DustView } from "./dust-view.js";

export const fields = [
  { key: "columns", label: "Columns", min: 1, max: LARGEST },
  { key: "rows", label: "Rows", min: 1, max: LARGEST },
  { key: "colours", label: "Colours", min: FEWEST_COLOURS, max: MOST_COLOURS },
];

export const style = "dust.css";

export function nameOf({ columns, rows, colours }) {
  return `dust-${columns}x${rows}x${colours}`;
}

export function valuesOf(name) {
  const [, columns, rows, colours] = /^dust-(\d+)x(\d+)x(\d+)$/.exec(name) ?? [null, 8, 6, 5];
  return { columns: Number(columns), rows: Number(rows), colours: Number(colours), variant: "" };
}

export function createGame(facts) {
  const rules = DustRules.named(facts.puzzle);
  return {
    facts,
    tools: toolsFor(rules),
    empty: () => Array(rules.cells).fill(0),
    read: (text) => rules.read(text),
    write: (state) => rules.write(state),
    missing: () => null,
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

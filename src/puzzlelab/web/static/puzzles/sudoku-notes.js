/**
 * What a person notes in the cells of a Sudoku: corner marks and centre marks, which are sets of digits, and a colour.
 * Notes are `{corner, centre, colour}` with a number for each cell, and are never changed in place.
 */

import { SYMBOLS, digitsOf } from "./sudoku-rules.js";

/** What a digit key writes. */
export const PENS = ["digit", "corner", "centre", "colour"];
/** The colours by their numbers, from 1. */
export const COLOURS = ["red", "orange", "yellow", "green", "teal", "blue", "violet", "pink", "grey"];
const MARKS = ["corner", "centre"];

export function noNotes(rules) {
  return { corner: rules.empty(), centre: rules.empty(), colour: rules.empty() };
}

/** The notes with this mark or colour in all these cells; without it, if all of them have it already. */
export function toggled(notes, pen, cells, digit) {
  if (pen === "colour") {
    const isEverywhere = cells.every((cell) => notes.colour[cell] === digit);
    return changed(notes, pen, cells, () => (isEverywhere ? 0 : digit));
  }
  const bit = 1 << (digit - 1);
  const isEverywhere = cells.every((cell) => notes[pen][cell] & bit);
  return changed(notes, pen, cells, (before) => (isEverywhere ? before & ~bit : before | bit));
}

/** The notes without the marks in these cells, or without their colours if there are no marks. */
export function erased(notes, cells) {
  const hasMarks = cells.some((cell) => MARKS.some((kind) => notes[kind][cell]));
  const kinds = hasMarks ? MARKS : ["colour"];
  return kinds.reduce((rest, kind) => changed(rest, kind, cells, () => 0), notes);
}

function changed(notes, kind, cells, change) {
  const values = [...notes[kind]];
  for (const cell of cells) values[cell] = change(values[cell]);
  return { ...notes, [kind]: values };
}

/**
 * The candidates that a person has ruled out, such as `r3c4<>5`: those that the digits leave and the marks of the cell
 * lack. Marks are complete only where every blank cell has some; else nothing is ruled out.
 */
export function ruledOut(rules, state, notes) {
  if (!notes) return [];
  const marks = state.map((digit, cell) => (digit ? 0 : notes.corner[cell] | notes.centre[cell]));
  if (state.some((digit, cell) => !digit && !marks[cell])) return [];
  return rules.candidates(state).flatMap((left, cell) =>
    digitsOf(left & ~marks[cell]).map((digit) => rules.moveName(cell, digit).replace("=", "<>")));
}

/** The notes without these candidates; where cells have no marks yet, with all other candidates as corner marks. */
export function withoutCandidates(rules, state, notes, names) {
  const before = notes ?? noNotes(rules);
  const left = rules.candidates(state);
  const corner = before.corner.map((set, cell) => set || (before.centre[cell] ? 0 : left[cell]));
  const centre = [...before.centre];
  for (const name of names) {
    const { cell, digit } = rules.readMove(name.replace("<>", "="));
    for (const marks of [corner, centre]) marks[cell] &= ~(1 << (digit - 1));
  }
  return { ...before, corner, centre };
}

/** The notes of a cell in words; empty if there are none. `visible` has the digits whose marks are shown. */
export function notesInWords({ corner, centre, colour }, cell, visible = -1) {
  const marks = (set, name) => (set & visible ? `${name} marks ${symbols(set & visible)}` : "");
  const parts = [marks(corner[cell], "pencil"), marks(centre[cell], "centre"), COLOURS[colour[cell] - 1] ?? ""];
  return parts.filter(Boolean).join(", ");
}

function symbols(digits) {
  return digitsOf(digits).map((digit) => SYMBOLS[digit - 1]).join(" ");
}

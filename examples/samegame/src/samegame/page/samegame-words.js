/** The sentences of SameGame. */

import { COLOURS } from "./samegame-draw.js";

/** The points of a group of so many cells. */
export const points = (size) => (size - 2) ** 2;

const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
const signed = (number) => (number < 0 ? `−${count(-number, "point")}` : count(number, "point"));

/** "group of 5 red cells at column 6, row 1: 9 points" */
export function describeMove(rules, state, move) {
  const cell = rules.cellAt(move);
  const [column, row] = rules.placeOf(cell);
  const place = `column ${column}, row ${row}`;
  if (!state.cells[cell]) return `nothing at ${place}`;
  if (rules.group(state, cell).length < 2) return `a single cell at ${place}`;
  const { gone, points: gain, ending, state: after } = rules.click(state, cell);
  const cells = count(gone.length, `${COLOURS[state.cells[cell]]} cell`);
  const group = `group of ${cells} at ${place}: ${count(gain, "point")}`;
  return ending === null ? group : `${group}, and ${signed(ending)} for ${leftover(after)}`;
}

/** The score since the board `start`, and how the game ended. */
export function scoreInWords(rules, state, start) {
  const score = `Score ${(state.score - start.score).toLocaleString("en").replace("-", "−")}`;
  if (!rules.solved(state)) return score;
  return `${score} · the game is over: ${leftover(state)}, ${signed(rules.endPoints(state.cells))}`;
}

/** What lies on a board. */
export function summary(rules, state) {
  const number = cellsOf(state);
  if (!number) return "an empty board";
  const groups = rules.legal(state).length;
  return `${count(number, "cell")}, ${groups ? `${count(groups, "group")} to click` : "no group to click"}`;
}

const cellsOf = ({ cells }) => cells.filter((colour) => colour).length;
const leftover = (state) => (cellsOf(state) ? `${count(cellsOf(state), "cell")} left` : "an empty board");

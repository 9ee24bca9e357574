/** What a key means on a Sudoku board: a leap of the cursor, a digit, or something that is asked for in play. */

import { SYMBOLS } from "./sudoku-rules.js";

const RUBBERS = new Set(["Backspace", "Delete", "0", ".", " "]);
const BY_BOX = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The row and column a box away from these, that Ctrl and an arrow lead to; null for another key. */
export function boxAway(rules, { row, column }, event) {
  const arrow = event.ctrlKey && BY_BOX[event.key];
  return arrow ? [row + arrow[0] * rules.boxRows, column + arrow[1] * rules.boxColumns] : null;
}

/** `{digit, mark}`: the digit that a key writes (0 clears), and whether Shift asks for a mark; null for another key. */
export function digitOf(rules, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (RUBBERS.has(event.key)) return { digit: 0, mark: false };
  const plain = event.key.length === 1 ? SYMBOLS.indexOf(event.key.toUpperCase()) + 1 : 0;
  if (plain) {
    // Where digits are typed with Shift, as on a French keyboard, Shift asks for nothing more.
    const asks = event.shiftKey && (plain > 9 || event.code.startsWith("Numpad"));
    return plain <= rules.size ? { digit: plain, mark: asks } : null;
  }
  // Shift and a digit is another sign ("!" for 1), so that only the place of the key says which digit it is.
  const digit = Number(/^Digit([1-9])$/.exec(event.code)?.[1] ?? 0);
  return digit && digit <= rules.size ? { digit, mark: event.shiftKey } : null;
}

/** "undo", "redo" or "pencil"; null for a key that asks for none of them. */
export function requestOf(event) {
  const key = event.key.toLowerCase();
  if (event.altKey) return null;
  if (!event.ctrlKey && !event.metaKey) return key === "p" ? "pencil" : null;
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  return key === "y" ? "redo" : null;
}

/** The meaning of keys on a Sudoku board: a jump of the cursor, a digit, or a command of play. */

import { SYMBOLS } from "./sudoku-rules.js";

const ERASERS = new Set(["Backspace", "Delete", "0", ".", " "]);
const BY_BOX = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The row and column one box further, for Ctrl and an arrow key; null for another key. */
export function boxJump(rules, { row, column }, event) {
  const arrow = event.ctrlKey && BY_BOX[event.key];
  return arrow ? [row + arrow[0] * rules.boxRows, column + arrow[1] * rules.boxColumns] : null;
}

/** `{digit, mark}`: the digit of a key (0 clears), and whether Shift makes it a pencil mark; null for another key. */
export function digitOf(rules, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (ERASERS.has(event.key)) return { digit: 0, mark: false };
  const plain = event.key.length === 1 ? SYMBOLS.indexOf(event.key.toUpperCase()) + 1 : 0;
  if (plain) {
    // On a keyboard where digits are typed with Shift, such as a French one, Shift has no further meaning.
    const isMark = event.shiftKey && (plain > 9 || event.code.startsWith("Numpad"));
    return plain <= rules.size ? { digit: plain, mark: isMark } : null;
  }
  // Shift and a digit is another sign ("!" for 1), so that only the place of the key says which digit it is.
  const digit = Number(/^Digit([1-9])$/.exec(event.code)?.[1] ?? 0);
  return digit && digit <= rules.size ? { digit, mark: event.shiftKey } : null;
}

/** "undo", "redo" or "pencil"; null for another key. */
export function commandOf(event) {
  const key = event.key.toLowerCase();
  if (event.altKey) return null;
  if (!event.ctrlKey && !event.metaKey) return key === "p" ? "pencil" : null;
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  return key === "y" ? "redo" : null;
}

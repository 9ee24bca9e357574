/** The meaning of keys on a Sudoku board: a jump of the cursor, a digit, a pen, or a command of play. */

import { PENS } from "./sudoku-notes.js";
import { SYMBOLS } from "./sudoku-rules.js";

const ERASERS = new Set(["Backspace", "Delete", "0", ".", " "]);
const BY_BOX = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The row and column one box further, for Ctrl and an arrow key; null for another key. */
export function boxJump(rules, { row, column }, event) {
  const arrow = event.ctrlKey && BY_BOX[event.key];
  return arrow ? [row + arrow[0] * rules.blockRows, column + arrow[1] * rules.blockColumns] : null;
}

/** `{digit, pen}`: the digit of a key (0 clears), and the kind of mark that Shift or Alt asks for; null for another key. */
export function digitOf(rules, event) {
  if (event.ctrlKey || event.metaKey) return null;
  if (ERASERS.has(event.key)) return { digit: 0, pen: null };
  const plain = event.key.length === 1 ? SYMBOLS.indexOf(event.key.toUpperCase()) + 1 : 0;
  if (plain) {
    if (plain > rules.size || (event.altKey && plain > 9)) return null;
    // On a keyboard where digits are typed with Shift, such as a French one, Shift has no further meaning.
    const isShifted = event.shiftKey && (plain > 9 || event.code.startsWith("Numpad"));
    return { digit: plain, pen: kindOf(event.altKey, isShifted) };
  }
  // Shift and a digit is another sign ("!" for 1), so that only the place of the key says which digit it is.
  const digit = Number(/^Digit([1-9])$/.exec(event.code)?.[1] ?? 0);
  return digit && digit <= rules.size ? { digit, pen: kindOf(event.altKey, event.shiftKey) } : null;
}

function kindOf(isCentre, isCorner) {
  if (isCentre) return "centre";
  return isCorner ? "corner" : null;
}

/** "undo", "redo" or "all"; null for another key. */
export function commandOf(event) {
  if (event.altKey || (!event.ctrlKey && !event.metaKey)) return null;
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? "redo" : "undo";
  if (key === "a") return "all";
  return key === "y" ? "redo" : null;
}

/** The pen that a key takes; P takes the corner marks, and puts them down again. Null for another key. */
export function penOf(rules, event, pen) {
  const key = event.key.toLowerCase();
  if (event.altKey || event.ctrlKey || event.metaKey || key.length > 1) return null;
  if (key === "p") return pen === "corner" ? "digit" : "corner";
  return PENS["zxcv".indexOf(key)] ?? null; // where a letter is a digit, it never comes here
}

/** What the editor shows of a Sudoku with several solutions: what open cells may be, and where two solutions differ. */

import { SYMBOLS, digitsOf } from "./sudoku-rules.js";

/** The answer of /api/candidates as `{open, apart}`: a set of digits for each cell, and the cells of the difference. */
export function foundOn(rules, found) {
  const bits = (signs) => [...signs].reduce((set, sign) => set | (1 << SYMBOLS.indexOf(sign)), 0);
  return {
    open: found ? found.candidates.map((signs) => (signs.length > 1 ? bits(signs) : 0)) : rules.empty(),
    apart: new Set(found?.difference?.cells.map((name) => rules.cellOf(name))),
  };
}

/** What an open cell may be, in words. */
export function openInWords(set) {
  return set ? `, open: ${digitsOf(set).map((digit) => SYMBOLS[digit - 1]).join(" ")}` : "";
}

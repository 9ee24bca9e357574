/** The digits beneath the board, for fingers: how many of each are still to place, a rubber, and the pencil. */

import { SYMBOLS } from "./sudoku-rules.js";

function button(parent, className, press) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = `sudoku-key ${className}`;
  element.addEventListener("click", press);
  parent.append(element);
  return element;
}

function part(parent, className, text = "") {
  const element = document.createElement("span");
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}

export class Pad {
  /** `hands`: what the keys do, `{write(digit), pencil()}`; 0 is no digit. */
  constructor(rules, hands) {
    this.rules = rules;
    this.element = document.createElement("div");
    this.element.className = "sudoku-pad";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Digits");
    // A press must not take the keyboard out of the board.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.keys = Array.from({ length: rules.size }, (_, at) => this.#digit(at + 1, hands));
    const rubber = button(this.element, "sudoku-rubber", () => hands.write(0));
    rubber.textContent = "Clear";
    this.pencil = button(this.element, "sudoku-pencil", () => hands.pencil());
    this.pencil.textContent = "Pencil";
    this.pencil.title = rules.size < SYMBOLS.length ? "Pencil marks (P, or Shift and a digit)" : "Pencil marks (Shift and a digit)";
  }

  #digit(digit, hands) {
    const key = button(this.element, "", () => hands.write(digit));
    key.setAttribute("data-pad", digit);
    part(key, "sudoku-key-digit", SYMBOLS[digit - 1]);
    return { key, count: part(key, "sudoku-key-count") };
  }

  show(state, pencil) {
    const left = new Array(this.rules.size + 1).fill(this.rules.size);
    for (const digit of state) left[digit] -= 1;
    this.keys.forEach(({ key, count }, at) => {
      const text = String(Math.max(0, left[at + 1]));
      if (count.textContent === text) return;
      count.textContent = text;
      key.setAttribute("aria-label", `${SYMBOLS[at]}, ${text} still to place`);
      key.classList.toggle("sudoku-key-done", text === "0");
    });
    this.pencil.setAttribute("aria-pressed", pencil);
    this.element.classList.toggle("sudoku-pad-pencil", pencil);
  }
}

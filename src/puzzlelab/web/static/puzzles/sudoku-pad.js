/** The digit keys below the board, for touch: how many of each digit are still to place, an eraser, and the pencil. */

import { SYMBOLS } from "./sudoku-rules.js";

/** Most keys in a row on a phone, where each is 44 pixels wide, and on a larger screen. */
const FEW = 7;
const MANY = 12;
/** Places that the rubber and the pencil take besides the digits; the pencil is the wider one. */
const BESIDES = 3;

/** Rows that are equally long, and the places left over in the last one. */
function keyLayout(size, most) {
  const places = size + BESIDES;
  const columns = Math.ceil(places / Math.ceil(places / most));
  return { columns, unused: Math.ceil(places / columns) * columns - places };
}

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
  /** `input`: the actions of the keys, `{write(digit), pencil()}`; the digit 0 clears the cell. */
  constructor(rules, input) {
    this.rules = rules;
    this.element = document.createElement("div");
    this.element.className = "sudoku-pad";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Digits");
    for (const [name, most] of [["few", FEW], ["many", MANY]]) {
      const { columns, unused } = keyLayout(rules.size, most);
      this.element.style.setProperty(`--${name}`, columns);
      this.element.style.setProperty(`--${name}-rest`, unused);
    }
    // A press must not take the keyboard out of the board.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.keys = Array.from({ length: rules.size }, (_, at) => this.#digit(at + 1, input));
    const eraser = button(this.element, "sudoku-rubber", () => input.write(0));
    eraser.textContent = "Clear";
    this.pencil = button(this.element, "sudoku-pencil", () => input.pencil());
    this.pencil.textContent = "Pencil";
    // Where P is a digit it is no key for the pencil.
    this.pencil.title = `Pencil marks (${rules.size < SYMBOLS.length ? "P, or " : ""}Shift and a digit)`;
  }

  #digit(digit, input) {
    const key = button(this.element, "", () => input.write(digit));
    key.setAttribute("data-pad", digit);
    part(key, "sudoku-key-digit", SYMBOLS[digit - 1]);
    return { key, count: part(key, "sudoku-key-count") };
  }

  show(state, pencil) {
    const remaining = new Array(this.rules.size + 1).fill(this.rules.size);
    for (const digit of state) remaining[digit] -= 1;
    this.keys.forEach(({ key, count }, at) => {
      const text = String(Math.max(0, remaining[at + 1]));
      if (count.textContent === text) return;
      count.textContent = text;
      key.setAttribute("aria-label", `${SYMBOLS[at]}, ${text} still to place`);
      key.classList.toggle("sudoku-key-done", text === "0");
    });
    this.pencil.setAttribute("aria-pressed", pencil);
    this.element.classList.toggle("sudoku-pad-pencil", pencil);
  }
}

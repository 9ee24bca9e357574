/** The digit keys below or beside the board, for touch: how many of each digit are still to place, an eraser, and the pens. */

import { COLOURS, PENS } from "./sudoku-notes.js";
import { SYMBOLS } from "./sudoku-rules.js";

/** Most keys in a row on a phone, where each is 44 pixels wide, and on a larger screen. */
const FEW = 7;
const MANY = 14;
/** Places that the eraser and the pens take besides the digits. */
const BESIDES = 1 + PENS.length;
/** The name of each pen, and the key for it; where letters are digits, only the buttons choose a pen. */
const NAMES = {
  digit: ["Digit", "Digits (Z)"],
  corner: ["Corner", "Corner marks (X, or Shift and a digit)"],
  centre: ["Centre", "Centre marks (C, or Alt and a digit)"],
  colour: ["Colour", "Colours (V)"],
};

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
  /** `input`: the actions of the keys, `{write(digit), choose(pen)}`; the digit 0 clears the cells. */
  constructor(rules, input) {
    this.rules = rules;
    this.element = document.createElement("div");
    this.element.className = "sudoku-pad";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Digits");
    this.element.style.setProperty("--square", Math.ceil(Math.sqrt(rules.size)));
    const [digits, pens] = ["sudoku-digits", "sudoku-pens"].map((name) => part(this.element, name));
    for (const [name, most] of [["few", FEW], ["many", MANY]]) {
      const { columns, unused } = keyLayout(rules.size, most);
      this.element.style.setProperty(`--${name}`, columns);
      this.element.style.setProperty(`--${name}-rest`, unused);
    }
    // A press must not take the keyboard out of the board.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.keys = Array.from({ length: rules.size }, (_, at) => this.#digit(digits, at + 1, input));
    const eraser = button(pens, "sudoku-rubber", () => input.write(0));
    eraser.textContent = "Clear";
    this.pens = PENS.map((pen) => {
      const key = button(pens, "sudoku-pen", () => input.choose(pen));
      [key.textContent, key.title] = NAMES[pen];
      key.dataset.pen = pen;
      return key;
    });
  }

  /** Offer what a mode needs: no key to who watches, and pens in play alone. */
  mode(name) {
    this.element.dataset.mode = name;
    this.element.hidden = name === "watch";
    for (const key of this.pens) key.hidden = name !== "play";
  }

  #digit(parent, digit, input) {
    const key = button(parent, "", () => input.write(digit));
    key.setAttribute("data-pad", digit);
    part(key, "sudoku-key-digit", SYMBOLS[digit - 1]);
    return { key, count: part(key, "sudoku-key-count") };
  }

  show(state, pen) {
    const remaining = new Array(this.rules.size + 1).fill(this.rules.size);
    for (const digit of state) remaining[digit] -= 1;
    this.keys.forEach(({ key, count }, at) => {
      const text = String(Math.max(0, remaining[at + 1]));
      const words = pen === "colour" ? COLOURS[at] ?? "no colour" : `${SYMBOLS[at]}, ${text} still to place`;
      if (key.getAttribute("aria-label") === words) return;
      count.textContent = text;
      key.setAttribute("aria-label", words);
      key.classList.toggle("sudoku-key-done", text === "0");
      key.disabled = pen === "colour" && at >= COLOURS.length;
    });
    for (const key of this.pens) key.setAttribute("aria-pressed", String(key.dataset.pen === pen));
    this.element.dataset.pen = pen;
  }
}

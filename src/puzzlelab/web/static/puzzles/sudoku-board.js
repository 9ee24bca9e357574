/** The Sudoku grid as one SVG: elements are created once, and only differences to the last drawing are updated. */

import { Cursor, UNIT, animate, easeOut, label, set, svg } from "./grid.js";
import { SYMBOLS } from "./sudoku-rules.js";

/** The margin around the grid, for the outer half of its outline. */
const EDGE = 5;
/** What is seen of the cells beside a box that is zoomed in on, in cells. */
const BESIDE_BOX = 0.25;
/** How far inside its cell a ring is drawn: it reaches no marks. */
const INSET = 3;

/** One cell; `paint` compares the new content with the last one. */
class Cell {
  constructor(cell, rules) {
    const column = cell % rules.size;
    const isInWindow = rules.kinds.window?.some((cells) => cells.includes(cell));
    const ground = `sudoku-ground${isInWindow ? " sudoku-window" : ""}`;
    const corner = `translate(${column * UNIT} ${Math.floor(cell / rules.size) * UNIT})`;
    this.digit = label("", UNIT / 2, UNIT / 2, UNIT * 0.62, "sudoku-digit");
    this.tint = svg("rect", { class: "sudoku-tint", x: 4, y: 4, width: UNIT - 8, height: UNIT - 8, rx: 10 });
    this.group = svg(
      "g",
      { role: "gridcell", transform: corner, "data-cell": cell, "aria-colindex": column + 1 },
      svg("rect", { class: ground, width: UNIT, height: UNIT }),
      this.tint,
      this.digit,
    );
    this.smallTexts = [];
    this.shown = { digit: -1, tone: null, label: null, textsKey: 0, colour: 0 };
  }

  /**
   * `tone`: class names. `colour`: its number, 0 for none. `label`: words. `smallTexts()`: the texts of `#write`, called
   * when `textsKey` has changed.
   */
  paint({ digit, tone, colour, label: words, textsKey, smallTexts }) {
    const { shown, group } = this;
    if (digit !== shown.digit) {
      this.digit.textContent = digit ? SYMBOLS[digit - 1] : "";
      set(group, { "data-digit": digit });
    }
    if (tone !== shown.tone) this.#tone(tone);
    if (colour !== shown.colour) set(this.tint, { "data-colour": colour || null });
    if (words !== shown.label) set(group, { "aria-label": words });
    if (textsKey !== shown.textsKey) this.#write(smallTexts());
    this.shown = { digit, tone, label: words, textsKey, colour };
  }

  #tone(tone) {
    const clash = tone.includes("sudoku-conflict");
    set(this.group, {
      class: `sudoku-cell ${tone}`,
      "aria-invalid": clash || null,
      "aria-selected": tone.includes("sudoku-chosen") || null,
    });
    if (clash && !this.clash) this.group.append((this.clash = svg("path", { class: "sudoku-zigzag", d: ZIGZAG })));
  }

  /** Small texts `{text, x, y, size, opacity, heat, strong}`; elements of earlier ones are used again. */
  #write(texts) {
    while (this.smallTexts.length < texts.length) {
      this.smallTexts.push(label("", 0, 0, 1));
      this.group.append(this.smallTexts.at(-1));
    }
    this.smallTexts.forEach((element, at) => {
      const { text = "", x, y, size, opacity, heat, strong } = texts[at] ?? {};
      const look = `sudoku-small${heat ? " sudoku-heat" : ""}${strong ? " sudoku-strong" : ""}`;
      element.textContent = text;
      set(element, { class: look, x, y, "font-size": size, opacity });
    });
  }
}

/** The units of a board beside rows and columns. */
function unitsInWords({ kinds, boxRows, boxColumns }) {
  const words = kinds.box ? [`boxes of ${boxRows} rows and ${boxColumns} columns`] : ["regions in place of boxes"];
  const further = { diagonal: "both diagonals", window: "windows", "disjoint group": "disjoint groups" };
  return [...words, ...Object.keys(further).filter((kind) => kinds[kind]).map((kind) => further[kind])].join(", ");
}

/** The line under a digit in conflict, as under a word that is spelt wrong: the conflict shows without its colour. */
const STEP = UNIT * 0.08;
const ZIGZAG = `M${UNIT * 0.26} ${UNIT * 0.9}${` l${STEP} ${-STEP} l${STEP} ${STEP}`.repeat(3)}`;

export class Board {
  /** `signal` ends the listening. */
  constructor(rules, signal) {
    const { size } = rules;
    this.rules = rules;
    this.cells = Array.from({ length: rules.cells }, (_, cell) => new Cell(cell, rules));
    const lines = Array.from({ length: size }, (_, row) =>
      this.cells.slice(row * size, (row + 1) * size).map((cell) => cell.group),
    );
    this.rings = svg("g", { "aria-hidden": "true" });
    this.step = svg("g", { "aria-hidden": "true", class: "sudoku-step" });
    this.svg = svg(
      "svg",
      {
        class: "sudoku-board",
        viewBox: this.#whole,
        role: "grid",
        "aria-label": `Sudoku, ${size} by ${size}, ${unitsInWords(rules)}`,
        "aria-rowcount": size,
        "aria-colcount": size,
      },
      ...lines.map((line, row) => svg("g", { role: "row", "aria-rowindex": row + 1 }, ...line)),
      ...this.#lines(),
      this.step,
      this.rings,
    );
    this.cursor = new Cursor(lines, signal);
    this.cursor.enable(true);
  }

  /** Thin lines between cells and along diagonals, heavy ones between boxes or regions. */
  #lines() {
    const { size, areas, kinds } = this.rules;
    const side = size * UNIT;
    const paths = { thin: kinds.diagonal ? `M0 0L${side} ${side}M${side} 0L0 ${side}` : "", thick: "" };
    const areaAt = (row, column) => (row < size && column < size ? areas[row * size + column] : undefined);
    for (let line = 0; line <= size; line++) {
      for (let place = 0; place < size; place++) {
        const [x, y] = [place * UNIT, line * UNIT];
        const isLevel = line === 0 || areaAt(line - 1, place) !== areaAt(line, place);
        const isUpright = line === 0 || areaAt(place, line - 1) !== areaAt(place, line);
        paths[isLevel ? "thick" : "thin"] += `M${x} ${y}h${UNIT}`;
        paths[isUpright ? "thick" : "thin"] += `M${y} ${x}v${UNIT}`;
      }
    }
    return Object.entries(paths).map(([kind, d]) =>
      svg("path", { class: `sudoku-lines sudoku-${kind}`, d, "aria-hidden": "true" }),
    );
  }

  /** Show the box of a cell alone, as large as the whole board; for null, the whole board. */
  zoom(cell) {
    const { size, blockRows: boxRows, blockColumns: boxColumns } = this.rules;
    if (cell === null) return set(this.svg, { viewBox: this.#whole });
    const side = Math.max(boxRows, boxColumns) + 2 * BESIDE_BOX;
    const start = (place, length) => {
      const middle = (Math.floor(place / length) + 0.5) * length;
      return Math.max(0, Math.min(middle - side / 2, size - side)) * UNIT;
    };
    const corner = [start(cell % size, boxColumns), start(Math.floor(cell / size), boxRows)];
    return set(this.svg, { viewBox: [...corner, side * UNIT, side * UNIT].join(" ") });
  }

  get #whole() {
    const side = this.rules.size * UNIT + 2 * EDGE;
    return `${-EDGE} ${-EDGE} ${side} ${side}`;
  }

  /** Put the keyboard in a cell. */
  focus(cell) {
    this.cursor.go(Math.floor(cell / this.rules.size), cell % this.rules.size);
    this.cursor.focus();
  }

  /** Rings `[cell, kind]`, the last one on top. */
  ring(rings) {
    const { children } = this.rings;
    while (children.length < rings.length) this.rings.append(svg("rect", { rx: 8 }));
    while (children.length > rings.length) this.rings.lastChild.remove();
    rings.forEach(([cell, kind], at) => {
      set(children[at], {
        class: `sudoku-ring sudoku-ring-${kind}`,
        x: (cell % this.rules.size) * UNIT + INSET,
        y: Math.floor(cell / this.rules.size) * UNIT + INSET,
        width: UNIT - 2 * INSET,
        height: UNIT - 2 * INSET,
      });
    });
  }

  /** Draw these elements over the board, in the place of those before. */
  overlay(elements) {
    if (elements.length || this.step.firstChild) this.step.replaceChildren(...elements);
  }

  /** The digit of a cell appears, in so many milliseconds; resolves when it is there, or when `settle` was called. */
  appear(cell, duration) {
    const { digit } = this.cells[cell];
    const { done, stop } = animate(duration, (share) => {
      const size = 0.5 + 0.5 * easeOut(share);
      const corner = (1 - size) * (UNIT / 2);
      set(digit, { opacity: easeOut(share), transform: `translate(${corner} ${corner}) scale(${size})` });
    });
    this.settle = () => {
      stop();
      set(digit, { opacity: null, transform: null });
    };
    return done;
  }

  /** Every digit is wholly there. */
  settle() {}
}

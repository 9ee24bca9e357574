/**
 * Shared by all boards: SVG elements, positions of the pointer, a keyboard cursor over cells, and animation.
 * Nothing here depends on a puzzle.
 */

const SVG = "http://www.w3.org/2000/svg";

/** The side of a cell, in units of a board's viewBox. */
export const UNIT = 100;

/** An SVG element with these attributes (null ones are left out) and children. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  set(element, attributes);
  element.append(...children);
  return element;
}

/** Set attributes; null removes one. Equal values are not set again, because even that costs a browser time. */
export function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) element.removeAttribute(key);
    else if (element.getAttribute(key) !== String(value)) element.setAttribute(key, value);
  }
}

/** A text centred at this point. */
export function label(text, x, y, size, className) {
  const attributes = { x, y, "font-size": size, "text-anchor": "middle", "dominant-baseline": "central" };
  return svg("text", { ...attributes, class: className }, text);
}

/** The width of a pill, in sizes of its text. */
const pillWidth = (text) => Math.max(1.3, text.length * 0.7 + 0.5);

/** The size of a text whose pill is so wide. */
export const sizeWithin = (text, width) => width / pillWidth(text);

/** A short text on a rounded background, readable over everything; (x, y) is its centre. */
export function pill(text, x, y, size, className) {
  const width = size * pillWidth(text);
  const height = size * 1.3;
  const ground = svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2 });
  return svg("g", { class: `pill ${className ?? ""}`, "aria-hidden": "true" }, ground, label(text, x, y, size));
}

/** A share from 0 to 1 in per cent; a small positive share is not rounded to 0. */
export function percent(share) {
  const rounded = Math.round(100 * share);
  return rounded === 0 && share > 0 ? "<1%" : `${rounded}%`;
}

/** The text of a regret: the number of moves that a move wastes. */
export function regretText(regret) {
  if (regret === 0) return "best";
  return typeof regret === "number" ? `+${regret}` : "?";
}

/** Where a pointer event is, in the units of the viewBox. */
export function pointOf(root, event) {
  const matrix = root.getScreenCTM();
  if (matrix === null) return { x: -1, y: -1 };
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  return { x, y };
}

/** How many pixels of the screen one unit of the viewBox has. */
export function pixelsPerUnit(root) {
  return root.getScreenCTM()?.a ?? 1;
}

/** The row and column (from the top left) of a point on a board of this size, or null beside it. */
export function placeOf({ x, y }, rows, columns) {
  const row = Math.floor(y / UNIT);
  const column = Math.floor(x / UNIT);
  return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
}

/** While `active()`, keep the browser from taking a drag for a fling, which would swallow the next tap. */
export function preventFling(root, active, signal) {
  root.addEventListener("touchmove", (event) => active() && event.preventDefault(), { passive: false, signal });
}

/** Whether two states are the same. */
export function sameState(one, other) {
  return one === other || (one?.length === other?.length && one.every((value, place) => value === other[place]));
}

const wideWindow = matchMedia("(min-aspect-ratio: 3/2)");

/** Whether the window is so wide that a board as high as it leaves room beside it. */
export const isWide = () => wideWindow.matches;

/** Whether the user's settings ask for reduced motion. */
export function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export const easeInOut = (t) => (t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) * (1 - t));
export const easeIn = (t) => t * t;
export const easeOut = (t) => 1 - (1 - t) * (1 - t);

/**
 * Call `draw(share)` on every frame, from 0 to 1 over so many milliseconds.
 * Returns `{done, stop}`: `done` resolves at the end or when stopped; `stop()` leaves things as they are drawn.
 */
export function animate(duration, draw) {
  if (!(duration > 0) || document.hidden) {
    draw(1);
    return { done: Promise.resolve(), stop() {} };
  }
  let frame = 0;
  let resolve;
  const done = new Promise((settle) => {
    resolve = settle;
  });
  let start = null;
  const step = (now) => {
    start ??= now;
    const share = Math.min(1, (now - start) / duration);
    draw(share);
    if (share < 1) frame = requestAnimationFrame(step);
    else resolve();
  };
  frame = requestAnimationFrame(step);
  const stop = () => {
    cancelAnimationFrame(frame);
    resolve();
  };
  return { done, stop };
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** A keyboard cursor over rows of elements: one of them can be reached by Tab, arrows go to the others. */
export class Cursor {
  /** `lines`: the elements, row by row from the top. `signal` ends the listening. */
  constructor(lines, signal) {
    this.lines = lines;
    this.row = 0;
    this.column = 0;
    this.on = false;
    lines.forEach((line, row) =>
      line.forEach((element, column) => {
        element.addEventListener("focus", () => this.on && this.go(row, column), { signal });
      }),
    );
  }

  get element() {
    return this.lines[this.row][this.column];
  }

  /** Let the keyboard in, or shut it out. */
  enable(on) {
    this.on = on;
    for (const element of this.lines.flat()) set(element, { tabindex: on ? -1 : null });
    if (on) set(this.element, { tabindex: 0 });
  }

  /** Make this the element that Tab reaches. */
  go(row, column) {
    set(this.element, { tabindex: -1 });
    this.row = Math.max(0, Math.min(row, this.lines.length - 1));
    this.column = Math.max(0, Math.min(column, this.lines[this.row].length - 1));
    set(this.element, { tabindex: 0 });
  }

  focus() {
    this.element.focus({ preventScroll: true });
  }

  /** Go where a key leads and take the focus there; whether the key was one of the cursor's. */
  key(event) {
    const step = STEPS[event.key];
    if (step) this.go(this.row + step[0], this.column + step[1]);
    else if (event.key === "Home") this.go(event.ctrlKey ? 0 : this.row, 0);
    else if (event.key === "End") this.go(event.ctrlKey ? this.lines.length - 1 : this.row, Infinity);
    else return false;
    event.preventDefault();
    this.focus();
    return true;
  }
}

/** The board of the pocket cube: its net, whose facelets can be painted, and buttons for the turns. */

import { el } from "../dom.js";
import { UNIT, set, svg } from "./grid.js";
import { COLOURS, FIXED_FACELETS, MOVES } from "./cube-rules.js";

/** The row and the column of each face in the net. */
const FACE_PLACES = [[0, 1], [1, 2], [1, 1], [2, 1], [1, 0], [1, 3]];
const NAMES = { U: "upper", R: "right", F: "front", D: "lower", L: "left", B: "back" };
const GAP = 16;

export class CubeView {
  #painting = "U";
  #mode = "watch";
  #state;
  #options = {};

  constructor(rules, host, hooks) {
    Object.assign(this, { rules, hooks });
    this.#state = rules.empty();
    this.facelets = this.#state.map((_, facelet) => this.#facelet(facelet));
    const size = { viewBox: `0 0 ${8 * UNIT + 5 * GAP} ${6 * UNIT + 4 * GAP}` };
    this.net = svg("svg", { class: "cube", role: "group", "aria-label": "Net of the cube", ...size }, ...this.facelets);
    this.buttons = el("div", { className: "drawn-moves", role: "group", "aria-label": "Turns" });
    this.root = el("div", { className: "drawn cube-board" }, this.net, this.buttons);
    this.root.addEventListener("keydown", (event) => this.#key(event));
    host.append(this.root);
    this.#update();
  }

  // --- the interface of a view ---

  show(state, options = {}) {
    this.#state = state;
    this.#options = options;
    this.#update();
    return Promise.resolve();
  }

  mode(name) {
    this.#mode = name;
    this.#update();
  }

  tool() {}

  destroy() {
    this.root.remove();
  }

  // --- input ---

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const letter = event.key.toUpperCase();
    const facelet = this.facelets.indexOf(event.target.closest("g.facelet"));
    if (this.#mode === "make" && facelet >= 0 && COLOURS.includes(letter)) this.#paint(facelet, letter);
    else if (this.#mode === "make" && facelet >= 0 && [" ", "Enter"].includes(event.key)) this.#paint(facelet);
    else if (this.#mode === "play" && "URF".includes(letter)) this.hooks.played(letter + (event.shiftKey ? "'" : ""));
    else if (this.#mode === "play" && event.key === "Backspace") this.hooks.undo();
    else return;
    event.preventDefault();
  }

  #paint(facelet, colour = this.#painting) {
    if (this.#mode !== "make" || FIXED_FACELETS.includes(facelet)) return;
    this.#state = this.#state.map((old, each) => (each === facelet ? colour : old));
    this.#update();
    this.hooks.edited(this.#state);
  }

  // --- drawing ---

  #facelet(facelet) {
    const [row, column] = FACE_PLACES[Math.floor(facelet / 4)];
    const x = column * (2 * UNIT + GAP) + GAP + (facelet % 2) * UNIT;
    const y = row * (2 * UNIT + GAP) + GAP + Math.floor((facelet % 4) / 2) * UNIT;
    const shape = svg("rect", { x: 4, y: 4, width: UNIT - 8, height: UNIT - 8, rx: 10 });
    const letter = svg("text", { x: UNIT / 2, y: UNIT / 2, dy: ".35em", "text-anchor": "middle" });
    const group = svg("g", { class: "facelet", transform: `translate(${x} ${y})`, "data-cell": facelet }, shape, letter);
    group.addEventListener("click", () => this.#paint(facelet));
    return group;
  }

  #update() {
    this.facelets.forEach((group, facelet) => {
      const colour = this.#state[facelet];
      const editable = this.#mode === "make" && !FIXED_FACELETS.includes(facelet);
      const where = `facelet ${(facelet % 4) + 1} of the ${NAMES[COLOURS[Math.floor(facelet / 4)]]} face`;
      group.lastChild.textContent = colour ?? "";
      set(group, {
        "data-colour": colour,
        "aria-label": `${where}: ${colour ?? "no colour"}`,
        role: editable ? "button" : "img",
        tabindex: editable ? 0 : null,
      });
    });
    const buttons = { make: () => this.#colours(), play: () => this.#turns(), watch: () => this.#turns() };
    const focused = this.buttons.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.buttons.replaceChildren(...buttons[this.#mode]());
    if (focused) [...this.buttons.children].find((button) => button.textContent === focused)?.focus();
  }

  /** The colours to paint with, as buttons. */
  #colours() {
    return [...COLOURS].map((colour) => {
      const choose = () => {
        this.#painting = colour;
        this.#update();
      };
      const pressed = String(colour === this.#painting);
      return this.#button(colour, { "aria-label": `paint ${NAMES[colour]}`, "aria-pressed": pressed, on: { click: choose } });
    });
  }

  /** The turns as buttons; in watch mode only if there is something to show on them. */
  #turns() {
    const { heat, regrets, next } = this.#options;
    if (this.#mode === "watch" && !heat && !regrets) return [];
    return (this.rules.legal(this.#state).length ? MOVES : []).map((move) => {
      const parts = [move];
      if (heat?.[move] !== undefined) parts.push(`${Math.round(100 * heat[move])}%`);
      if (regrets?.[move] !== undefined) parts.push(regrets[move] === 0 ? "best" : `+${regrets[move] ?? "?"}`);
      const button = this.#button(parts.join(" · "), {
        className: move === next ? "next" : "",
        disabled: this.#mode !== "play",
        on: { click: () => this.hooks.played(move) },
      });
      button.dataset.move = move;
      return button;
    });
  }

  #button(text, properties) {
    return el("button", { type: "button", textContent: text, ...properties });
  }
}

/**
 * Any puzzle that has no module of its own: the server knows its rules and draws its boards.
 * A state is what the server told of a board; it is asked once for each.
 */

import { get } from "../api.js";
import { el } from "../dom.js";

const CHECK_SECONDS = 0.2;

/** The module of a family: its puzzles are those that the catalog names. */
export function familyOf({ names }) {
  return {
    fields: [{ key: "name", label: "Puzzle", options: names.map((value) => ({ value, label: value })) }],
    nameOf: ({ name }) => name,
    valuesOf: (name) => ({ name }),
    style: null,
    createGame,
  };
}

const MISSING = "no board is here; type or paste one, or take a random one";
const NOTHING = Object.freeze({ board: "", legal: [], solved: false, svg: null, text: "" });

export function createGame(facts) {
  const puzzle = facts.puzzle;
  const told = new Map();

  /** The boards on the way, as the server draws them. */
  async function walk(state, moves) {
    const asked = { puzzle, board: state.board, moves: moves.join(" "), drawn: true };
    const { frames } = await get("frames", asked);
    return frames.map((frame) => keep(frame));
  }

  function keep(frame) {
    if (!told.has(frame.board)) told.set(frame.board, Object.freeze(frame));
    return told.get(frame.board);
  }

  return {
    facts,
    tools: [],
    empty: () => NOTHING,
    read: async (text) => told.get(text) ?? (await walk({ board: text }, []))[0],
    write: (state) => state.board,
    missing: (state) => (state === NOTHING ? MISSING : null),
    async objection(state) {
      if (state === NOTHING) return null;
      const [{ objections }] = await get("check", { puzzle, board: state.board, time: CHECK_SECONDS });
      return objections.length ? { text: objections.join("; "), cells: [], repair: null } : null;
    },
    legal: (state) => state.legal,
    apply: async (state, move) => (await walk(state, [move]))[1],
    solved: (state) => state.solved,
    describeMove: (_state, move) => `move ${move}`,
    summary: (state) => (state.solved ? `${puzzle}, solved` : puzzle),
    walk,
    mount: (host, hooks) => new DrawnView(host, hooks),
  };
}

/** The server's picture of a board, and its moves as buttons. It is an image, so that nothing in it can run. */
class DrawnView {
  #root = el("div", { className: "drawn" });
  #picture = el("div", { className: "drawn-picture" });
  #moves = el("div", { className: "drawn-moves", role: "group", "aria-label": "Moves" });
  #hooks;
  #mode = "make";
  #state = NOTHING;
  #options = {};
  #url = "";

  constructor(host, hooks) {
    this.#hooks = hooks;
    this.#root.append(this.#picture, this.#moves);
    host.append(this.#root);
  }

  show(state, options = {}) {
    if (state !== this.#state) this.#draw(state);
    this.#state = state;
    this.#options = options;
    this.#list();
    return Promise.resolve();
  }

  mode(name) {
    this.#mode = name;
    this.#list();
  }

  tool() {}

  destroy() {
    URL.revokeObjectURL(this.#url);
    this.#root.remove();
  }

  #draw(state) {
    URL.revokeObjectURL(this.#url);
    this.#url = state.svg ? URL.createObjectURL(new Blob([state.svg], { type: "image/svg+xml" })) : "";
    const label = state.board ? `Board ${state.board}` : "No board yet";
    if (state.svg) this.#picture.replaceChildren(el("img", { src: this.#url, alt: label }));
    else this.#picture.replaceChildren(el("pre", { textContent: state.text || label }));
  }

  /** Buttons while a person plays; else only where something is to be said of the moves. */
  #list() {
    const { heat, regrets, next } = this.#options;
    const hidden = this.#mode === "make" || (this.#mode === "watch" && !heat && !regrets);
    const held = this.#moves.contains(document.activeElement) ? document.activeElement.dataset.move : null;
    const legal = hidden ? [] : this.#state.legal;
    this.#moves.replaceChildren(...legal.map((move) => this.#button(move, heat, regrets, next)));
    if (held !== null) this.#refocus(held);
  }

  /** Put the keyboard back on the button of a move, or on the first one when that move is gone. */
  #refocus(move) {
    const again = this.#moves.querySelector(`[data-move="${CSS.escape(move)}"]`);
    (again ?? this.#moves.firstChild)?.focus();
  }

  #button(move, heat, regrets, next) {
    const said = [];
    if (heat?.[move] !== undefined) said.push(`${Math.round(100 * heat[move])}%`);
    if (regrets?.[move] !== undefined) said.push(regrets[move] === 0 ? "best" : `+${regrets[move]}`);
    const button = el("button", {
      type: "button",
      textContent: [move, ...said].join(" · "),
      className: move === next ? "next" : "",
      disabled: this.#mode !== "play",
      on: { click: () => this.#hooks.played(move) },
    });
    button.dataset.move = move;
    return button;
  }
}

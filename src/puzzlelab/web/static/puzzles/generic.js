/**
 * The module of puzzles that have none of their own: the server applies their rules and draws their boards.
 * A state is a frame of `/api/frames`; it is requested once for each board.
 */

import { get } from "../api.js";
import { el } from "../dom.js";

const CHECK_SECONDS = 0.2;

/** The module of a family, with the puzzles that the catalog names. */
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
  const framesByBoard = new Map();

  /** The boards along these moves, as the server draws them. */
  async function walk(state, moves) {
    const query = { puzzle, board: state.board, moves: moves.join(" "), drawn: true };
    const { frames } = await get("frames", query);
    return frames.map((frame) => keep(frame));
  }

  function keep(frame) {
    if (!framesByBoard.has(frame.board)) framesByBoard.set(frame.board, Object.freeze(frame));
    return framesByBoard.get(frame.board);
  }

  return {
    facts,
    tools: [],
    empty: () => NOTHING,
    read: async (text) => framesByBoard.get(text) ?? (await walk({ board: text }, []))[0],
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

/** The server's picture of a board, and its moves as buttons. The picture is an image, so that no script in it runs. */
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

  /** Show the moves as buttons in play, and in watch mode if there are probabilities or regrets to show. */
  #list() {
    const { heat, regrets, next = [], hint } = this.#options;
    const marked = new Set([...next, ...(hint?.best ?? [])]);
    const hidden = this.#mode === "make" || (this.#mode === "watch" && !heat && !regrets);
    const focusedMove = this.#moves.contains(document.activeElement) ? document.activeElement.dataset.move : null;
    const legal = hidden ? [] : this.#state.legal;
    this.#moves.replaceChildren(...legal.map((move) => this.#button(move, heat, regrets, marked)));
    if (focusedMove !== null) this.#refocus(focusedMove);
  }

  /** Move the focus back to the button of a move, or to the first one if that move is not legal any more. */
  #refocus(move) {
    const button = this.#moves.querySelector(`[data-move="${CSS.escape(move)}"]`);
    (button ?? this.#moves.firstChild)?.focus();
  }

  #button(move, heat, regrets, marked) {
    const parts = [];
    if (heat?.[move] !== undefined) parts.push(`${Math.round(100 * heat[move])}%`);
    if (regrets?.[move] !== undefined) parts.push(regrets[move] === 0 ? "best" : `+${regrets[move]}`);
    const button = el("button", {
      type: "button",
      textContent: [move, ...parts].join(" · "),
      className: marked.has(move) ? "next" : "",
      disabled: this.#mode !== "play",
      on: { click: () => this.#hooks.played(move) },
    });
    button.dataset.move = move;
    return button;
  }
}

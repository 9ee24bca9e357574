/** The part of the address after `#`: it holds what is shown, so that a copied link shows the same. */

import { later } from "./dom.js";
import { movesMade } from "./store.js";

const MODES = ["make", "play", "watch"];
const PAUSE = 200;
const KEYS = ["facts", "draft", "mode", "trail", "line", "step", "solver"];

/** What a hash says: `{puzzle, board, solver, mode, moves, step}`; what it does not say is empty. */
export function read(hash) {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const text = (name) => (said.get(name) ?? "").trim();
  const step = Number.parseInt(text("step"), 10);
  return {
    puzzle: text("puzzle"),
    board: text("board"),
    solver: text("with"),
    mode: MODES.includes(text("mode")) ? text("mode") : "make",
    moves: text("moves").split(/\s+/).filter(Boolean),
    step: Number.isSafeInteger(step) && step > 0 ? step : 0,
  };
}

/** The hash of what is shown. */
export function write(state) {
  const { facts, game, draft, mode, line, step, solver } = state;
  const said = new URLSearchParams({ puzzle: facts.puzzle });
  const board = game.write(draft);
  if (board) said.set("board", board);
  if (mode !== "make") said.set("mode", mode);
  if (mode === "play" && movesMade(state).length) said.set("moves", movesMade(state).join(" "));
  if (mode === "watch" && solver) said.set("with", solver);
  if (mode === "watch" && line && step) said.set("step", step);
  return `#${said}`;
}

/** Keep the address as the page is. Returns a function that writes what is due at once. */
export function follow(store) {
  const put = () => {
    const hash = write(store.get());
    if (hash !== location.hash) history.replaceState(null, "", hash);
  };
  const soon = later(put, PAUSE); // browsers refuse too many changes of the address in a row
  store.watch(KEYS, (state) => state.game && state.draft && soon());
  return soon.now;
}

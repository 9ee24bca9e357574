/** The part of the address after `#`: it encodes the state of the page, so that a copied link shows the same. */

import { debounce } from "./dom.js";
import { movesPlayed } from "./store.js";

const MODES = ["make", "play", "watch"];
const PAUSE = 200;
const KEYS = ["facts", "draft", "mode", "trail", "line", "step", "solver"];

/** The fields of a hash: `{puzzle, board, solver, mode, moves, step}`; missing ones are empty. */
export function read(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const text = (name) => (fields.get(name) ?? "").trim();
  const step = Number.parseInt(text("step"), 10);
  return {
    puzzle: text("puzzle"),
    board: text("board"),
    solver: text("with"),
    mode: MODES.includes(text("mode")) ? text("mode") : "make",
    moves: text("moves").split(/\s+/).filter(Boolean),
    step: Number.isSafeInteger(step) && step >= 0 ? step : undefined,
  };
}

/** The hash of a state of the page. */
export function write(state) {
  const { facts, game, draft, mode, line, step, solver } = state;
  const fields = new URLSearchParams({ puzzle: facts.puzzle });
  const board = game.write(draft);
  if (board) fields.set("board", board);
  if (mode !== "make") fields.set("mode", mode);
  if (mode !== "make" && movesPlayed(state).length) fields.set("moves", movesPlayed(state).join(" "));
  if (mode === "watch" && solver) fields.set("with", solver);
  if (mode === "watch" && line && (step || facts.shows_board)) fields.set("step", step);
  return `#${fields}`;
}

/** Whether a link shows another puzzle, or another board to play; what is typed in the editor is one board. */
function isAnother(link, before) {
  if (!before.puzzle) return false;
  return link.puzzle !== before.puzzle || (link.mode !== "make" && Boolean(before.board) && link.board !== before.board);
}

/**
 * Update the address when the page changes, but not while `isHeld()`: a link that is still being opened stays as it is.
 * Returns a function that writes a pending update at once.
 */
export function follow(store, isHeld) {
  let known = location.hash;
  const put = () => {
    // An address that the user has just entered is not overwritten before it is opened.
    if (isHeld() || location.hash !== known) return writeSoon();
    const hash = write(store.get());
    const isNew = isAnother(read(hash), read(location.hash)); // Back leads to the board before
    if (hash !== location.hash) history[isNew ? "pushState" : "replaceState"](null, "", hash);
    known = location.hash;
    return undefined;
  };
  addEventListener("hashchange", () => {
    known = location.hash;
  });
  const writeSoon = debounce(put, PAUSE); // browsers refuse too many changes of the address in a row
  store.watch(KEYS, (state) => state.game && state.draft && writeSoon());
  return writeSoon.now;
}

/** Keeps parts of the page in the browser, where storage is allowed: of the store, for the last board of each puzzle. */

import { onLeaving } from "./dom.js";
import { EMPTY } from "./store.js";

/** What is stored under a key; null if there is nothing, or storage is forbidden. */
function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Store a text under a key. Where storage is forbidden, or full, it lasts as long as the page. */
function write(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // nothing else can be done
  }
}

/**
 * Keep the part of this name in the store. Another board gets what was kept for it, or the part as it is at first.
 * `isValid(value)`: whether a stored value can be taken up.
 */
export function keepForBoard(store, name, isValid) {
  let kept = { draft: null, key: "", board: "" }; // the board whose value is in the store

  function save() {
    const value = store.get()[name];
    if (!kept.draft || value === EMPTY[name]) return;
    write(kept.key, JSON.stringify({ board: kept.board, value }));
  }

  function stored() {
    try {
      const { board, value } = JSON.parse(read(kept.key));
      return board === kept.board && isValid(value) ? value : EMPTY[name];
    } catch {
      return EMPTY[name]; // nothing is stored, or another version of the page stored it
    }
  }

  onLeaving(save);
  store.watch(["draft"], ({ draft, game, facts }) => {
    if (!draft || draft === kept.draft) return;
    save();
    kept = { draft, key: `puzzlelab-${name}:${facts.puzzle}`, board: game.write(draft) };
    store.set({ [name]: stored() });
  });
}

/** Keep in the browser whether a fold is open. It opens for a field in it that has no valid value. */
export function keepOpen(fold) {
  const key = `puzzlelab-${fold.id}`;
  fold.open = read(key) === "open";
  fold.addEventListener("invalid", () => (fold.open = true), { capture: true });
  fold.addEventListener("toggle", () => write(key, fold.open ? "open" : ""));
}

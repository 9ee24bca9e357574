/** Keeps parts of the page in the browser, where storage is allowed: of the store, for the last board of each puzzle. */

import { onLeaving } from "./dom.js";
import { EMPTY } from "./store.js";

/**
 * Keep the part of this name in the store. Another board gets what was kept for it, or the part as it is at first.
 * `isValid(value)`: whether a stored value can be taken up.
 */
export function keepForBoard(store, name, isValid) {
  let kept = { draft: null, key: "", board: "" }; // the board whose value is in the store

  function save() {
    const value = store.get()[name];
    if (!kept.draft || value === EMPTY[name]) return;
    try {
      localStorage.setItem(kept.key, JSON.stringify({ board: kept.board, value }));
    } catch {
      // the value then lasts as long as the page
    }
  }

  function stored() {
    try {
      const { board, value } = JSON.parse(localStorage.getItem(kept.key));
      return board === kept.board && isValid(value) ? value : EMPTY[name];
    } catch {
      return EMPTY[name]; // nothing is stored, or storage is forbidden
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
  try {
    fold.open = localStorage.getItem(key) === "open";
  } catch {
    // storage is forbidden
  }
  fold.addEventListener("invalid", () => (fold.open = true), { capture: true });
  fold.addEventListener("toggle", () => {
    try {
      localStorage.setItem(key, fold.open ? "open" : "");
    } catch {
      // it then stays so as long as the page
    }
  });
}

/** Tells in play, if the user wants it, when a move makes the way to the end longer than it has to be. */

import { get, isAborted, newRequest } from "../api.js";
import { byId, showText } from "../dom.js";
import { plural } from "../format.js";

const SECONDS = 3;

export function mountWasteWarning(store) {
  const place = byId("waste");
  byId("warn").addEventListener("change", (event) => store.set({ warn: event.target.checked }));

  store.watch(["facts"], ({ facts }) => {
    byId("warn-field").hidden = !facts || facts.shows_board || facts.objective !== "moves";
  });
  store.watch(["trail", "warn", "mode"], async ({ trail: { steps, at }, warn, mode, facts, game }) => {
    showText(place, "");
    const [before, now] = [steps[at - 1], steps[at]];
    if (!warn || mode !== "play" || !now?.move || !before || byId("warn-field").hidden) return;
    try {
      const query = { puzzle: facts.puzzle, board: game.write(before.state), time: SECONDS };
      const [answer] = await get("hint", query, newRequest("waste"));
      if (store.get().trail.steps[store.get().trail.at] === now) showText(place, wasteInWords(answer, now.move));
    } catch (error) {
      if (!isAborted(error)) showText(place, error.message);
    }
  });
}

/** What a move wastes, as a sentence; empty if it is one of the best. */
function wasteInWords({ moves }, played) {
  const regret = moves.find(({ move }) => move === played)?.regret;
  if (!regret || regret.length === 0) return "";
  if (regret.length === null) return "It is not known whether that move was a good one: the search took too long.";
  const count = plural(regret.length, "move");
  return regret.proven ? `That move wastes ${count}: this is proven.` : `That move seems to waste ${count}; this is not proven.`;
}

/** The panel below the board in play: undo and redo, the number of moves, hints, and the result. */

import { isAborted } from "../api.js";
import { byId, showText } from "../dom.js";
import { bestLength } from "../race.js";
import { plural } from "../format.js";

export function mountPlay(store, play, say) {
  for (const name of ["undo", "redo", "restart"]) byId(name).addEventListener("click", play[name]);

  byId("hint").addEventListener("click", async () => {
    showText(byId("hint-text"), "Thinking …");
    try {
      await play.hint();
    } catch (error) {
      if (!isAborted(error)) showText(byId("hint-text"), error.message);
    }
  });

  store.watch(["trail", "solved", "draft"], ({ trail: { steps, at }, solved }) => {
    const count = steps[at]?.moves.length ?? 0;
    byId("moves-played").textContent = plural(count, "move");
    byId("undo").disabled = byId("restart").disabled = at === 0;
    byId("redo").disabled = at >= steps.length - 1;
    byId("hint").disabled = solved;
  });

  store.watch(["hint", "trail", "facts"], ({ hint, facts }) => {
    byId("hint").hidden = facts ? facts.objective !== "moves" : false; // hints count moves
    showText(byId("hint-text"), hint ? hintInWords(hint, facts) : "");
    if (hint) say(hintInWords(hint, facts), { seen: true });
  });

  store.watch(["solved", "trail", "rows"], (state) => showText(byId("solved"), state.solved ? solvedText(state) : ""));
}

/** A hint as a sentence. */
function hintInWords(hint, facts) {
  if (hint.wrong?.length) return `Already wrong: ${hint.wrong.join(", ")}.`;
  if (hint.why) return hint.why;
  if (!hint.best.length) return hint.reason ? `No move helps: ${hint.reason}.` : "No way to the end was found in time.";
  const moves = hint.best.join(" or ");
  if (facts.shows_board) return `Next: ${moves}.`;
  const lengthText = `${hint.proven ? "" : "at most "}${plural(hint.length, "move")} to go`;
  return `${hint.settled ? "Best" : "Best known"}: ${moves} (${lengthText}).`;
}

function solvedText({ trail: { steps, at }, rows, facts }) {
  const count = steps[at].moves.length;
  if (facts.objective !== "moves") return `The end, after ${plural(count, "move")}.`;
  const best = bestLength(rows);
  if (facts.shows_board || best === null) return `Solved in ${plural(count, "move")}.`;
  if (count > best) return `Solved in ${plural(count, "move")}, ${count - best} more than the best known solution.`;
  return `Solved in ${plural(count, "move")}: ${count < best ? "better than" : "as short as"} the best known solution.`;
}

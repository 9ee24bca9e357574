/** What stands beneath the board while a person plays: undo and redo, moves made, hints, and the end. */

import { dropped } from "../api.js";
import { byId, tell } from "../dom.js";
import { bestLength } from "../race.js";
import { counted } from "../words.js";

export function mountPlay(store, play, say) {
  for (const name of ["undo", "redo", "restart"]) byId(name).addEventListener("click", play[name]);

  byId("hint").addEventListener("click", async () => {
    tell(byId("hint-text"), "Thinking …");
    try {
      await play.hint();
    } catch (error) {
      if (!dropped(error)) tell(byId("hint-text"), error.message);
    }
  });

  store.watch(["trail", "solved", "draft"], ({ trail: { steps, at }, solved }) => {
    const made = steps[at]?.moves.length ?? 0;
    byId("moves-played").textContent = counted(made, "move");
    byId("undo").disabled = byId("restart").disabled = at === 0;
    byId("redo").disabled = at >= steps.length - 1;
    byId("hint").disabled = solved;
  });

  store.watch(["hint", "trail", "facts"], ({ hint, facts }) => {
    tell(byId("hint-text"), hint ? hintInWords(hint, facts) : "");
    if (hint) say(hintInWords(hint, facts), { seen: true });
  });

  store.watch(["solved", "trail", "rows"], (state) => tell(byId("solved"), state.solved ? ending(state) : ""));
}

/** A hint as a person would give it. */
function hintInWords(hint, facts) {
  if (hint.wrong?.length) return `Already wrong: ${hint.wrong.join(", ")}.`;
  if (hint.why) return hint.why;
  if (!hint.best.length) return hint.reason ? `No move helps: ${hint.reason}.` : "No way to the end was found in time.";
  const moves = hint.best.join(" or ");
  if (facts.shows_board) return `Next: ${moves}.`;
  const known = hint.proven ? `${counted(hint.length, "move")} to go` : `at most ${counted(hint.length, "move")} to go`;
  return `${hint.settled ? "Best" : "Best known"}: ${moves} (${known}).`;
}

function ending({ trail: { steps, at }, rows, facts }) {
  const made = steps[at].moves.length;
  const best = bestLength(rows);
  if (facts.shows_board || best === null) return `Solved in ${counted(made, "move")}.`;
  if (made > best) return `Solved in ${counted(made, "move")}, ${made - best} more than the best known solution.`;
  return `Solved in ${counted(made, "move")}: ${made < best ? "better than" : "as short as"} the best known solution.`;
}

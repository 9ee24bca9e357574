/** The card at the end of a game: moves and time, how few moves there could have been, a new board, and a link. */

import { get, isAborted, newRequest } from "../api.js";
import { clockText } from "../clock.js";
import { byId, showText } from "../dom.js";
import { plural } from "../format.js";
import { bestLength } from "../solver-runs.js";

const SECONDS = 5;

/** `share()` copies the link to the page. */
export function mountWin(store, share) {
  let asked = null; // the trail of which the fewest moves are known, or asked for

  byId("win-share").addEventListener("click", share);
  store.watch(["solved", "trail", "rows", "mode", "seconds"], (state) => {
    const { solved, trail, mode, facts } = state;
    const isWon = solved && mode === "play" && trail.at > 0;
    byId("win").hidden = !isWon;
    if (!isWon) return;
    showText(byId("solved"), solvedText(state));
    if (asked === trail || facts.shows_board || facts.objective !== "moves") return;
    asked = trail;
    showText(byId("fewest"), "");
    tellFewest(trail).catch((error) => isAborted(error) || showText(byId("fewest"), ""));
  });

  /** Compare the moves with the fewest that are known, or else with what the server finds. */
  async function tellFewest(trail) {
    const { rows, facts, game, draft } = store.get();
    const known = bestLength(rows);
    const proven = rows.some(({ proof, start }) => proof === "optimal" && !start.moves.length);
    const tell = (fewest, isProven) => {
      if (store.get().trail === trail) showText(byId("fewest"), fewestText(trail.steps[trail.at].moves.length, fewest, isProven));
    };
    if (known !== null && proven) return tell(known, true);
    const query = { puzzle: facts.puzzle, board: game.write(draft), moves: "", time: SECONDS };
    const [{ length, proven: isProven, best_proven: isBest }] = await get("hint", query, newRequest("fewest"));
    return tell(Math.min(length ?? Infinity, known ?? Infinity), isProven || isBest);
  }
}

function solvedText({ trail: { steps, at }, seconds, facts }) {
  const time = seconds ? ` in ${clockText(seconds)}` : "";
  const count = steps[at].moves.length;
  if (facts.shows_board) return `Solved${time}.`;
  const moves = plural(count, "move");
  return facts.objective === "moves" ? `Solved with ${moves}${time}.` : `The end, after ${moves}${time}.`;
}

function fewestText(count, fewest, isProven) {
  if (!Number.isFinite(fewest)) return "";
  if (count <= fewest) return isProven ? "Fewer moves are impossible." : "No shorter way is known.";
  return isProven ? `The fewest moves are ${fewest}.` : `A way of ${plural(fewest, "move")} is known.`;
}

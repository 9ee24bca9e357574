/** The link to what is shown, and files of it. */

import { getText } from "../api.js";
import { byId, download } from "../dom.js";
import { shown } from "../store.js";

/** `settle` makes the address what is shown now. */
export function mountShare(store, settle, say, attempt) {
  byId("copy-link").addEventListener("click", async () => {
    settle();
    say((await copied(location.href)) ? "The link is copied." : `The link: ${location.href}`);
  });
  byId("save-text").addEventListener("click", () => save(store, "txt", "text/plain", textOf, say));
  byId("save-json").addEventListener("click", () => save(store, "json", "application/json", jsonOf, say));
  byId("save-svg").addEventListener("click", () => attempt(async () => {
    const { facts, game, ...state } = store.get();
    const asked = { puzzle: facts.puzzle, board: game.write(shown(state).state) };
    download(`${fileName(facts)}.svg`, await getText("svg", asked), "image/svg+xml");
  }));
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // without a secure origin, or forbidden
  }
}

function save(store, ending, type, write, say) {
  const text = write(store.get());
  if (text === null) say("There are no moves yet: play some, or press Solve.");
  else download(`${fileName(store.get().facts)}.${ending}`, text, type);
}

const fileName = ({ puzzle }) => puzzle.replace(/[^A-Za-z0-9.-]+/g, "_");

/** The moves of the solution that is watched, or else those that were played. */
function movesOf({ mode, line, trail }) {
  const made = trail.steps[trail.at]?.moves ?? [];
  if (line && (mode === "watch" || !made.length)) return line.moves;
  return made.length ? made : null;
}

function textOf(state) {
  const moves = movesOf(state);
  return moves && `${moves.join(" ")}\n`;
}

function jsonOf(state) {
  const moves = movesOf(state);
  if (!moves) return null;
  const { facts, game, draft, rows, line } = state;
  const answer = moves === line?.moves ? rows.find(({ id }) => id === line.id)?.answer : null;
  const played = { puzzle: facts.puzzle, board: game.write(draft), moves, length: moves.length };
  return `${JSON.stringify(answer ?? played)}\n`;
}

/** All shortest solutions of the board whose solution is watched, to walk among them; and a solve that is analysed. */

import { get, newRequest } from "../api.js";
import { byId, showText } from "../dom.js";
import { plural, regretText } from "../format.js";

/** Of the search for all shortest solutions, the number that is counted at most, and the number that is listed. */
const [SECONDS, MOST, LISTED] = [10, 10_000, 100];
const comparesLengths = (facts) => facts && !facts.shows_board && facts.objective === "moves";
const isSame = (moves, others) => moves.length === others.length && moves.every((move, at) => move === others[at]);

/** `session.watch` shows a solution, `session.analyse` a solve; `tryAndReport` runs what may fail. */
export function mountOptima(store, session, say, tryAndReport) {
  let found = null; // {board, solutions, complete, listed} of the board that was asked about last

  const placeOf = (line) => found.listed.findIndex((moves) => isSame(moves, line.moves));
  const startOf = ({ game, line }) => game.write(line.start.state);

  async function load() {
    const state = store.get();
    const board = startOf(state);
    const query = { puzzle: state.facts.puzzle, board, most: MOST, listed: LISTED, time: SECONDS };
    say("Looking for all shortest solutions.");
    const [{ solutions, complete, stop, listed }] = await get("count", query, newRequest("optima"));
    found = { board, solutions, isAll: complete || stop === "solutions", more: complete ? "" : "+", listed };
    draw(store.get());
    say(found.isAll ? `${plural(solutions, "shortest solution")}${found.more}.` : "They were not found in time.");
  }

  function walk(by) {
    const { line } = store.get();
    const at = placeOf(line) + by;
    const moves = found.listed[(at + found.listed.length) % found.listed.length];
    return session.watch({ ...line, id: 0, analysis: null, moves, lower_bound: moves.length });
  }

  function draw(state) {
    const { line, facts, mode } = state;
    const isKnown = line !== null && found?.board === startOf(state);
    byId("optima").hidden = mode !== "watch" || !comparesLengths(facts) || !(isKnown || line?.proof === "optimal");
    byId("optima-all").hidden = isKnown;
    byId("optima-walk").hidden = !isKnown;
    if (!isKnown) return;
    const { solutions, more, isAll, listed } = found;
    const at = placeOf(line);
    const total = `${solutions.toLocaleString("en")}${more}`;
    byId("optima-place").textContent = !isAll ? "not all found in time" : at < 0 ? `${total} shortest` : `${at + 1} of ${total} shortest`;
    byId("optima-back").disabled = byId("optima-next").disabled = !isAll || listed.length < 2;
    byId("optima-place").title = solutions > listed.length ? `The first ${listed.length} can be shown.` : "";
  }

  function showAnalysis({ line }) {
    const analysis = line?.analysis;
    showText(byId("analysis"), analysis ? sentenceOf(analysis) : "");
    byId("analysis-best").hidden = !analysis?.continuation.length;
  }

  function showBest() {
    const { line } = store.get();
    const { first_mistake: mistake, continuation } = line.analysis;
    const kept = mistake === null ? line.moves : line.moves.slice(0, mistake - 1);
    return session.watch({ ...line, id: 0, analysis: null, moves: [...kept, ...continuation], lower_bound: 0 }, kept.length);
  }

  byId("optima-all").addEventListener("click", () => tryAndReport(load));
  byId("optima-back").addEventListener("click", () => tryAndReport(() => walk(placeOf(store.get().line) < 0 ? 0 : -1)));
  byId("optima-next").addEventListener("click", () => tryAndReport(() => walk(1)));
  byId("analysis-best").addEventListener("click", () => tryAndReport(showBest));
  byId("analyse-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    showText(byId("analyse-error"), "");
    say("Analysing the solve.");
    await session.analyse(byId("solve-moves").value).then(
      () => say(sentenceOf(store.get().line.analysis)),
      (error) => showText(byId("analyse-error"), error.message),
    );
  });
  store.watch(["line", "facts", "mode"], (state) => {
    draw(state);
    showAnalysis(state);
  });
  store.watch(["facts", "draft"], ({ facts }) => {
    byId("analyse-panel").hidden = !comparesLengths(facts);
    showText(byId("analyse-error"), "");
  });
}

/** What was found about a solve, in words. */
function sentenceOf({ steps, first_mistake: mistake, regret, all_proven: proven }) {
  const total = regret.unsolvable ? "It ends on a board without a solution." : `Moves wasted: ${regretText(regret)}.`;
  const rest = proven ? "" : " Not every move could be proven in time.";
  if (mistake === null) return `No mistake is known. ${total}${rest}`;
  const step = steps[mistake - 1];
  return `First mistake: move ${mistake}, ${step.move} (${regretText(step.regret)}). ${total}${rest}`;
}

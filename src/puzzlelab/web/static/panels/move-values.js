/** The values of moves: switches for the network, regrets and the playouts of UCT, and a table of the playouts. */

import { byId, fillSelect, el, showText } from "../dom.js";
import { currentScene } from "../store.js";

const SWITCHES = ["heat", "regret", "tree"];
const REGRET = "The numbers are the moves that each move wastes; ? where that is not proven.";
const SOLVED = "The board is solved: there are no moves to evaluate.";

/** The panel. It returns `setError(kind, sentence)`, which shows an error, or clears it with an empty sentence. */
export function mountMoveValues(store, moveValuesOf) {
  const errors = new Map();

  for (const name of SWITCHES) {
    byId(name).addEventListener("change", (event) => store.set({ [name]: event.target.checked }));
  }
  byId("net").addEventListener("change", (event) => store.set({ net: event.target.value }));

  store.watch(["facts"], ({ facts, net }) => facts && offer(facts, net));
  store.watch(["mode", "draft", "trail", "line", "step", "learned", ...SWITCHES], (state) => {
    if (state.game) draw(state, moveValuesOf());
  });

  async function draw(state, moveValues) {
    const board = currentScene(state).state;
    if (!moveValues || !board) return;
    const text = state.game.write(board);
    const solved = await state.game.solved(board);
    const searchTree = solved ? null : moveValues.tree(text);
    showTree(searchTree, state.facts);
    showText(byId("insight-text"), sentenceOf(state, moveValues, text, solved));
  }

  function sentenceOf(state, moveValues, text, solved) {
    const on = SWITCHES.filter((name) => state[name]);
    if (!on.length) return "";
    if (solved) return SOLVED;
    const sentences = [...errors.values()].filter(Boolean);
    const open = on.filter((name) => !errors.get(name) && !moveValues[name === "regret" ? "regrets" : name](text));
    if (open.length) sentences.push("Thinking …");
    if (state.regret && !open.includes("regret")) sentences.push(REGRET);
    return sentences.join(" ");
  }

  return {
    setError(kind, sentence) {
      if ((errors.get(kind) ?? "") === sentence) return;
      errors.set(kind, sentence);
      store.set({ learned: store.get().learned + 1 });
    },
  };
}

function offer(facts, net) {
  const nets = facts.networks.length > 0;
  const countsMoves = facts.objective === "moves"; // as regrets do
  byId("insight-panel").hidden = !nets && (facts.shows_board || !countsMoves);
  byId("heat-field").hidden = byId("tree-field").hidden = !nets;
  byId("tree-field").hidden = !nets || facts.shows_board;
  byId("regret-field").hidden = facts.shows_board || !countsMoves;
  byId("net-field").hidden = facts.networks.length < 2;
  fillSelect(byId("net"), facts.networks.map(({ name, usual }) => [name, usual ? `${name} (usual)` : name]), net);
}

function showTree(searchTree, facts) {
  byId("tree-table").hidden = !searchTree;
  if (!searchTree) return;
  const toGo = facts.objective === "moves" ? `: ${remainingText(searchTree.remaining)}` : "";
  byId("tree-caption").textContent = `${searchTree.playouts} playouts${toGo}`;
  byId("tree-table").tBodies[0].replaceChildren(...searchTree.moves.map(({ move, visits, share, remaining, prior }) => {
    const cells = [visits, percent(share), remaining === null ? "–" : remaining.toFixed(1), percent(prior)];
    const numbers = cells.map((text) => el("td", { textContent: text }));
    return el("tr", {}, el("th", { scope: "row", textContent: move }), ...numbers);
  }));
}

/** The value of a board in words; it is a mean over playouts, not a bound. */
const remainingText = (moves) => (moves === null ? "all is lost" : `some ${moves.toFixed(1)} moves to go`);

const percent = (share) => `${Math.round(100 * share)}%`;

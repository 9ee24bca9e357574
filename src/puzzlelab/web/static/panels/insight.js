/** What each move is worth: the switches for the network, regrets and the playouts of UCT, and a table of these. */

import { byId, choices, el, tell } from "../dom.js";
import { shown } from "../store.js";

const SWITCHES = ["heat", "regret", "tree"];
const REGRET = "Regret: moves that a move wastes; ? where it is not proven.";
const SOLVED = "The board is solved: there are no moves to think of.";

/** The panel; `said(kind, sentence)` of what it returns tells what went wrong. */
export function mountInsight(store, insightOf) {
  const wrong = new Map();

  for (const name of SWITCHES) {
    byId(name).addEventListener("change", (event) => store.set({ [name]: event.target.checked }));
  }
  byId("net").addEventListener("change", (event) => store.set({ net: event.target.value }));

  store.watch(["facts"], ({ facts, net }) => facts && offer(facts, net));
  store.watch(["mode", "draft", "trail", "line", "step", "learned", ...SWITCHES], (state) => {
    if (state.game) draw(state, insightOf());
  });

  async function draw(state, insight) {
    const board = shown(state).state;
    if (!insight || !board) return;
    const text = state.game.write(board);
    const solved = await state.game.solved(board);
    const told = solved ? null : insight.tree(text);
    showTree(told);
    tell(byId("insight-text"), remark(state, insight, text, solved));
  }

  function remark(state, insight, text, solved) {
    const on = SWITCHES.filter((name) => state[name]);
    if (!on.length) return "";
    if (solved) return SOLVED;
    const sentences = [...wrong.values()].filter(Boolean);
    const open = on.filter((name) => !wrong.get(name) && !insight[name === "regret" ? "regrets" : name](text));
    if (open.length) sentences.push("Thinking …");
    if (state.regret && !open.includes("regret")) sentences.push(REGRET);
    return sentences.join(" ");
  }

  return {
    said(kind, sentence) {
      if ((wrong.get(kind) ?? "") === sentence) return;
      wrong.set(kind, sentence);
      store.set({ learned: store.get().learned + 1 });
    },
  };
}

function offer(facts, net) {
  const nets = facts.networks.length > 0;
  byId("insight-panel").hidden = !nets && facts.shows_board;
  byId("heat-field").hidden = byId("tree-field").hidden = !nets;
  byId("tree-field").hidden = !nets || facts.shows_board;
  byId("regret-field").hidden = facts.shows_board;
  byId("net-field").hidden = facts.networks.length < 2;
  choices(byId("net"), facts.networks.map(({ name, usual }) => [name, usual ? `${name} (usual)` : name]), net);
}

function showTree(told) {
  byId("tree-table").hidden = !told;
  if (!told) return;
  byId("tree-caption").textContent = `${told.playouts} playouts: ${togo(told.remaining)}`;
  byId("tree-table").tBodies[0].replaceChildren(...told.moves.map(({ move, visits, share, remaining, prior }) => {
    const cells = [visits, percent(share), remaining === null ? "–" : remaining.toFixed(1), percent(prior)];
    const numbers = cells.map((text) => el("td", { textContent: text }));
    return el("tr", {}, el("th", { scope: "row", textContent: move }), ...numbers);
  }));
}

/** What the value of a board means; it is that of a playout on the mean, and no bound. */
const togo = (moves) => (moves === null ? "all is lost" : `some ${moves.toFixed(1)} moves to go`);

const percent = (share) => `${Math.round(100 * share)}%`;

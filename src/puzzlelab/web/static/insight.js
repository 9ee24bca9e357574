/**
 * What the server thinks of the moves at a board: shares of the network, regrets, visits of UCT. Asked for once a
 * board, a moment after it is shown, and dropped when the person has gone on meanwhile.
 */

import { drop, dropped, get, only } from "./api.js";
import { later } from "./dom.js";
import { shown } from "./store.js";

const PAUSE = 160;
const REGRET_SECONDS = 4;
const PLAYOUTS = 200;
/** Answers that are kept. */
const MOST = 2000;

/** The insight of a store: `heat(text)`, `regrets(text)` and `tree(text)` tell what is known of a board. */
export function createInsight(store, onError) {
  const known = new Map();

  const key = (kind, text) => {
    const { facts, net } = store.get();
    return JSON.stringify([kind, facts.puzzle, kind === "regret" ? "" : net, text]);
  };
  const told = (kind, text) => known.get(key(kind, text)) ?? null;

  function keep(name, value) {
    if (known.size >= MOST) known.delete(known.keys().next().value);
    known.set(name, value);
  }

  /** The shares at every board of a line are asked for together, so that they are there before the person is. */
  async function askHeat({ facts, game, draft, net, mode, line }, text) {
    const whole = mode === "watch" && line;
    const asked = whole ? { board: game.write(draft), moves: line.moves.join(" ") } : { board: text };
    const { steps } = await get("scores", { puzzle: facts.puzzle, net, ...asked }, only("heat"));
    for (const { board, shares } of steps) keep(key("heat", board), shares);
    if (!told("heat", text)) keep(key("heat", text), {});
  }

  async function askRegret({ facts }, text) {
    const asked = { puzzle: facts.puzzle, board: text, time: REGRET_SECONDS };
    const [{ moves }] = await get("hint", asked, only("regret"));
    const wasted = ({ regret }) => (regret.proven && regret.length !== null ? regret.length : "?");
    keep(key("regret", text), Object.fromEntries(moves.map((one) => [one.move, wasted(one)])));
  }

  async function askTree({ facts, net }, text) {
    const name = key("tree", text);
    keep(name, await get("tree", { puzzle: facts.puzzle, net, board: text, playouts: PLAYOUTS }, only("tree")));
  }

  async function ask(kind, work, state, text) {
    if (told(kind, text)) return;
    try {
      await work(state, text);
      onError(kind, "");
    } catch (error) {
      if (!dropped(error)) onError(kind, error.message);
      return;
    }
    store.set({ learned: store.get().learned + 1 });
  }

  const askAll = later(async () => {
    const state = store.get();
    const board = shown(state).state;
    if (await state.game.solved(board)) return;
    const text = state.game.write(board);
    if (state.heat) ask("heat", askHeat, state, text);
    if (state.regret) ask("regret", askRegret, state, text);
    if (state.tree) ask("tree", askTree, state, text);
  }, PAUSE);

  store.watch(["mode", "draft", "trail", "line", "step", "heat", "regret", "tree", "net", "facts"], (state) => {
    for (const kind of ["regret", "tree"]) drop(kind);
    askAll.cancel();
    for (const kind of ["heat", "regret", "tree"]) onError(kind, "");
    if (state.mode !== "make" && state.game && (state.heat || state.regret || state.tree)) askAll();
  });

  return {
    heat: (text) => (store.get().heat ? told("heat", text) : null),
    regrets: (text) => (store.get().regret ? told("regret", text) : null),
    tree: (text) => (store.get().tree ? told("tree", text) : null),
  };
}

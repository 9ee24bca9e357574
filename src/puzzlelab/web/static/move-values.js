/**
 * What the server knows of the moves at a board: probabilities of the network, regrets, visits of UCT. They are
 * requested once for each board, a moment after it is shown; the request is aborted when another board is shown.
 */

import { abortRequest, isAborted, get, newRequest } from "./api.js";
import { debounce } from "./dom.js";
import { currentScene } from "./store.js";

const PAUSE = 60;
/** The seconds of one search for regrets after another, until all are proven: each answer is shown when it is there. */
const REGRET_SECONDS = [0.05, 4, 30];
const PLAYOUTS = 200;
const MAX_CACHED = 2000;

/** The values of moves in a store: `heat(text)`, `regrets(text)` and `tree(text)` give the cached answers for a board. */
export function createMoveValues(store, onError) {
  const cache = new Map();
  /** The keys of answers that a longer search may improve. */
  const open = new Set();

  const key = (kind, text) => {
    const { facts, net } = store.get();
    return JSON.stringify([kind, facts.puzzle, kind === "regret" ? "" : net, text]);
  };
  const cached = (kind, text) => cache.get(key(kind, text)) ?? null;

  function keep(name, value) {
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value);
    cache.set(name, value);
  }

  /** The shares of all boards of a line are requested together, so that they are there before each board is shown. */
  async function loadHeat({ facts, game, draft, net, mode, line }, text) {
    const whole = mode === "watch" && line;
    const query = whole ? { board: game.write(draft), moves: line.moves.join(" ") } : { board: text };
    const { steps } = await get("scores", { puzzle: facts.puzzle, net, ...query }, newRequest("heat"));
    for (const { board, shares } of steps) keep(key("heat", board), shares);
    if (!cached("heat", text)) keep(key("heat", text), {});
  }

  async function loadRegret({ facts }, text) {
    const query = { puzzle: facts.puzzle, board: text };
    const signal = newRequest("regret");
    const name = key("regret", text);
    open.add(name);
    for (const time of REGRET_SECONDS) {
      const [{ moves }] = await get("hint", { ...query, time }, signal);
      const wasted = ({ regret }) => (regret.proven && regret.length !== null ? regret.length : "?");
      keep(name, Object.fromEntries(moves.map((one) => [one.move, wasted(one)])));
      if (moves.every(({ regret }) => regret.proven)) break;
      store.set({ learned: store.get().learned + 1 });
    }
    open.delete(name);
  }

  async function loadTree({ facts, net }, text) {
    const name = key("tree", text);
    keep(name, await get("tree", { puzzle: facts.puzzle, net, board: text, playouts: PLAYOUTS }, newRequest("tree")));
  }

  async function load(kind, work, state, text) {
    if (cached(kind, text) && !open.has(key(kind, text))) return;
    try {
      await work(state, text);
      onError(kind, "");
    } catch (error) {
      if (!isAborted(error)) onError(kind, error.message);
      return;
    }
    store.set({ learned: store.get().learned + 1 });
  }

  const loadAll = debounce(async () => {
    const state = store.get();
    const board = currentScene(state).state;
    if (await state.game.solved(board)) return;
    const text = state.game.write(board);
    if (state.heat) load("heat", loadHeat, state, text);
    if (state.regret) load("regret", loadRegret, state, text);
    if (state.tree) load("tree", loadTree, state, text);
  }, PAUSE);

  store.watch(["mode", "draft", "trail", "line", "step", "heat", "regret", "tree", "net", "facts"], (state) => {
    for (const kind of ["regret", "tree"]) abortRequest(kind);
    loadAll.cancel();
    for (const kind of ["heat", "regret", "tree"]) onError(kind, "");
    if (state.mode !== "make" && state.game && (state.heat || state.regret || state.tree)) loadAll();
  });

  return {
    heat: (text) => (store.get().heat ? cached("heat", text) : null),
    regrets: (text) => (store.get().regret ? cached("regret", text) : null),
    tree: (text) => (store.get().tree ? cached("tree", text) : null),
  };
}

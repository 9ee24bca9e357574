/** Actions on the board as a whole: choose a puzzle, enter a board, change the mode, watch a solution. */

import { get, newRequest } from "./api.js";
import { familyModule } from "./modules.js";

/** Milliseconds after which the page says what it is waiting for. */
const WAIT_NOTICE_MS = 400;

/** The boards along these moves, the first one included. */
export async function walk(game, state, moves) {
  if (game.walk) return game.walk(state, moves);
  const states = [state];
  for (const move of moves) states.push(await game.apply(states.at(-1), move));
  return states;
}

/** The session of a store. `say` shows a sentence to the user. */
export function createSession(store, race, say) {
  let draftVersion = 0;
  let lineVersion = 0;

  /** Open a puzzle, with an empty board. Raises `Failure` for an unknown one. */
  async function open(name) {
    const notice = setTimeout(() => say(`Opening ${name} …`), WAIT_NOTICE_MS);
    const facts = await get("list", { puzzle: name }, newRequest("open")).finally(() => clearTimeout(notice));
    const { catalog } = store.get();
    const entry = catalog.puzzles.find(({ family }) => family === facts.family);
    const module = await familyModule(entry);
    const game = module.createGame(facts);
    const empty = await game.empty();
    race.clear();
    const usual = facts.networks.find((network) => network.usual) ?? facts.networks[0];
    const reset = { solver: "", mode: "make", problem: null };
    store.set({ family: facts.family, module, facts, game, net: usual?.name ?? "", ...reset });
    await edit(empty);
  }

  /** Replace the board; everything about the previous one is cleared. */
  async function edit(draft) {
    draftVersion += 1;
    const version = draftVersion;
    const { game } = store.get();
    race.clear();
    lineVersion += 1;
    const trail = { steps: [{ state: draft, moves: [], move: null }], at: 0 };
    store.set({ draft, trail, line: null, step: 0, playing: false, hint: null, solved: false, objection: null });
    const tell = (name) => (value) => version === draftVersion && store.set({ [name]: value });
    Promise.resolve(game.objection(draft)).then(tell("objection"), () => tell("objection")(null));
    await Promise.resolve(game.missing(draft)).then(tell("missing"));
  }

  /**
   * Read a board: in the notation of the module, which may be unfinished, or else by the server in any notation.
   * Raises `Error` with the sentence of the server.
   */
  async function paste(text) {
    const { facts, game } = store.get();
    let state;
    try {
      state = await game.read(text);
    } catch {
      const { frames } = await get("frames", { puzzle: facts.puzzle, board: text || " " }, newRequest("paste"));
      state = await game.read(frames[0].board);
    }
    await edit(state);
  }

  /** Make the position that was reached in play the board, unless the solution is a filled-in board. */
  async function adoptPosition() {
    const { mode: now, facts, trail } = store.get();
    if (now === "play" && trail.at > 0 && !facts.shows_board) await edit(trail.steps[trail.at].state);
  }

  function mode(name) {
    const { missing } = store.get();
    if (name !== "make" && missing) say(`Not yet: ${missing}.`);
    else store.set({ mode: name, playing: false, hint: null });
  }

  /** Watch the solution of a row of the race, from the beginning or from a step. */
  async function watch(row, step = 0) {
    lineVersion += 1;
    const version = lineVersion;
    const { game, draft } = store.get();
    const states = await walk(game, draft, row.moves);
    if (version !== lineVersion) return;
    const line = { id: row.id, moves: row.moves, states, bounds: null };
    store.set({ line, step: Math.min(step, row.moves.length), mode: "watch", playing: false, solver: row.solver });
    loadBounds(line, row.lower_bound);
  }

  /** Load lower bounds of the remaining moves at every step, in the background; an error leaves them out. */
  async function loadBounds(line, bound) {
    const { game, draft, facts } = store.get();
    const query = { puzzle: facts.puzzle, board: game.write(draft), moves: line.moves.join(" "), lower_bound: bound };
    const { frames } = await get("frames", query, newRequest("bounds")).catch(() => ({ frames: [] }));
    if (store.get().line === line) store.set({ line: { ...line, bounds: frames.map((frame) => frame.bound) } });
  }

  return { open, edit, paste, adoptPosition, mode, watch };
}

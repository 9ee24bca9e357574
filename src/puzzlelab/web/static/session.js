/** What a person does with the board as a whole: choose a puzzle, put a board in, change the mode, watch a solution. */

import { get, only } from "./api.js";
import { familyModule } from "./families.js";

/** Milliseconds after which a person is told what the page waits for. */
const PATIENCE = 400;

/** The boards that these moves lead over, the first one included. */
export async function walk(game, state, moves) {
  if (game.walk) return game.walk(state, moves);
  const states = [state];
  for (const move of moves) states.push(await game.apply(states.at(-1), move));
  return states;
}

/** The session of a store. `say` tells a sentence to the person. */
export function createSession(store, race, say) {
  let drafts = 0;
  let lines = 0;

  /** Turn to a puzzle, with an empty board. Raises `Failure` for one that there is not. */
  async function open(name) {
    const slow = setTimeout(() => say(`Opening ${name} …`), PATIENCE);
    const facts = await get("list", { puzzle: name }, only("open")).finally(() => clearTimeout(slow));
    const { catalog } = store.get();
    const entry = catalog.puzzles.find(({ family }) => family === facts.family);
    const module = await familyModule(entry);
    const game = module.createGame(facts);
    const empty = await game.empty();
    race.clear();
    const usual = facts.networks.find((network) => network.usual) ?? facts.networks[0];
    const fresh = { solver: "", mode: "make", problem: null };
    store.set({ family: facts.family, module, facts, game, net: usual?.name ?? "", ...fresh });
    await edit(empty);
  }

  /** Take this as the board; all that was known of the one before goes. */
  async function edit(draft) {
    drafts += 1;
    const mine = drafts;
    const { game } = store.get();
    race.clear();
    lines += 1;
    const trail = { steps: [{ state: draft, moves: [], move: null }], at: 0 };
    store.set({ draft, trail, line: null, step: 0, playing: false, hint: null, solved: false, objection: null });
    const tell = (name) => (value) => mine === drafts && store.set({ [name]: value });
    Promise.resolve(game.objection(draft)).then(tell("objection"), () => tell("objection")(null));
    await Promise.resolve(game.missing(draft)).then(tell("missing"));
  }

  /**
   * Read a board: as the module writes it, unfinished ones too, or else by the server in any notation. Raises `Error`
   * with what is wrong, in the server's words.
   */
  async function paste(text) {
    const { facts, game } = store.get();
    let state;
    try {
      state = await game.read(text);
    } catch {
      const { frames } = await get("frames", { puzzle: facts.puzzle, board: text || " " }, only("paste"));
      state = await game.read(frames[0].board);
    }
    await edit(state);
  }

  /** Take the position that was played to as the board, unless the answer to look for is that of the given one. */
  async function here() {
    const { mode: now, facts, trail } = store.get();
    if (now === "play" && trail.at > 0 && !facts.shows_board) await edit(trail.steps[trail.at].state);
  }

  function mode(name) {
    const { missing } = store.get();
    if (name !== "make" && missing) say(`Not yet: ${missing}.`);
    else store.set({ mode: name, playing: false, hint: null });
  }

  /** Watch what a row of the race found, from the beginning or from a step. */
  async function watch(row, step = 0) {
    lines += 1;
    const mine = lines;
    const { game, draft } = store.get();
    const states = await walk(game, draft, row.moves);
    if (mine !== lines) return;
    const line = { id: row.id, moves: row.moves, states, bounds: null };
    store.set({ line, step: Math.min(step, row.moves.length), mode: "watch", playing: false, solver: row.solver });
    learnBounds(line, row.lower_bound);
  }

  /** How many moves remain at least, at every step; nobody waits for it, and it is left out where it cannot be had. */
  async function learnBounds(line, bound) {
    const { game, draft, facts } = store.get();
    const asked = { puzzle: facts.puzzle, board: game.write(draft), moves: line.moves.join(" "), lower_bound: bound };
    const { frames } = await get("frames", asked, only("bounds")).catch(() => ({ frames: [] }));
    if (store.get().line === line) store.set({ line: { ...line, bounds: frames.map((frame) => frame.bound) } });
  }

  return { open, edit, paste, here, mode, watch };
}

/** Actions on the board as a whole: choose a puzzle, enter a board, change the mode, watch a solution. */

import { get, newRequest, post } from "./api.js";
import { familyModule } from "./modules.js";
import { searchStart } from "./store.js";

/** Milliseconds after which the page says what it is waiting for. */
const WAIT_NOTICE_MS = 400;
/** Of the searches below a solve that is analysed. */
const ANALYSIS_SECONDS = 30;
/** Of the search that proves that a board has one solution, before its logic is told. */
const WAY_SECONDS = 5;

/** The boards along these moves, the first one included. */
export async function walk(game, state, moves) {
  if (game.walk) return game.walk(state, moves);
  const states = [state];
  for (const move of moves) states.push(await game.apply(states.at(-1), move));
  return states;
}

/** The board of a first visit; null for a puzzle that has none. */
function exampleOf({ examples: [first] }, game) {
  return first ? game.read(first.board) : game.first?.() ?? null;
}

/** The trail of a board on which no move was played yet. */
const trailOf = (state) => ({ steps: [{ state, moves: [], move: null }], at: 0 });

/** The session of a store. `say` shows a sentence to the user. */
export function createSession(store, race, historyOf, say) {
  let draftVersion = 0;
  let lineVersion = 0;

  /**
   * Open a puzzle as it was left, or else with an example or an empty board. Returns whether it was left here before.
   * Raises `Failure` for an unknown one.
   */
  async function open(name, { withExample = false } = {}) {
    const notice = setTimeout(() => say(`Opening ${name} …`), WAIT_NOTICE_MS);
    const facts = await get("list", { puzzle: name }, newRequest("open")).finally(() => clearTimeout(notice));
    const { catalog } = store.get();
    const entry = catalog.puzzles.find(({ family }) => family === facts.family);
    const module = await familyModule(entry);
    const game = module.createGame(facts);
    const kept = await historyOf().open(facts.puzzle, game);
    const example = !kept && withExample ? await exampleOf(facts, game) : null;
    const draft = kept?.draft ?? example ?? (await game.empty());
    const shown = ["own", "usual"].map((kind) => facts.networks.find((network) => network[kind])).find(Boolean) ?? facts.networks[0];
    const board = kept ?? { draft, trail: trailOf(draft), mode: example ? "play" : "make", ...UNTOUCHED };
    const reset = { solver: kept?.line?.solver ?? "", step: 0, problem: null, net: shown?.name ?? "" };
    lineVersion += 1;
    store.set({ family: facts.family, module, facts, game, ...reset, ...board });
    await check(draft);
    return kept !== null;
  }

  /** Replace the board; everything about the previous one is cleared. */
  async function edit(draft) {
    lineVersion += 1;
    store.set({ draft, trail: trailOf(draft), step: 0, ...UNTOUCHED });
    await check(draft);
  }

  /** Replace the board by one to play: play begins, unless something is missing or speaks against it. */
  async function present(draft) {
    await edit(draft);
    if (store.get().draft !== draft) return;
    const { missing, objection } = store.get();
    mode(missing || objection ? "make" : "play");
    scrollTo({ top: 0 });
  }

  /** Find out what is missing on a new board, and what speaks against it; searches of another board end. */
  async function check(draft) {
    draftVersion += 1;
    const version = draftVersion;
    const { game } = store.get();
    race.clear();
    store.set({ objection: null });
    const tell = (name) => (value) => version === draftVersion && store.set({ [name]: value });
    const objecting = Promise.resolve(game.objection(draft)).then(tell("objection"), () => tell("objection")(null));
    await Promise.resolve(game.missing(draft)).then(tell("missing"));
    await objecting;
  }

  /**
   * Read what was pasted: a board in the notation of the module, which may be unfinished, or else anything that the
   * server understands, also of another puzzle. Many boards become the list of the page, and the first one is shown.
   * Returns the number of boards. Raises `Error` with a sentence.
   */
  async function paste(text) {
    const { facts, game } = store.get();
    const own = () => Promise.resolve().then(() => game.read(text));
    if (!text.trim().includes("\n")) {
      const state = await own().catch(() => null);
      if (state) return present(state).then(() => 1);
    }
    try {
      const { boards, count } = await post("read", { text, puzzle: facts.puzzle }, newRequest("paste"));
      if (count > 1) store.set({ list: { boards: boards.map((board) => ({ ...board, row: null })), count } });
      await show(boards[0]);
      return count;
    } catch (error) {
      if (!error.busy) throw error;
      await present(await own().catch(() => { throw error; })); // without the server
      return 1;
    }
  }

  /** Show a board of any puzzle. What a module takes from a board as notes is marked in play. */
  async function show(board) {
    const entry = store.get().catalog.puzzles.find(({ family }) => board.puzzle.startsWith(`${family}-`));
    const { puzzle, board: text, ruledOut } = { ruledOut: [], ...board, ...(await familyModule(entry)).asNotes?.(board) };
    if (puzzle !== store.get().facts.puzzle) await open(puzzle);
    const { game } = store.get();
    const draft = await game.read(text);
    await present(draft);
    if (ruledOut.length && store.get().draft === draft) store.set({ marks: game.without(draft, null, ruledOut) });
  }

  function mode(name) {
    const { missing } = store.get();
    if (name !== "make" && missing) say(`Not yet: ${missing}.`);
    else store.set({ mode: name, playing: false, hint: null });
  }

  /**
   * Show the solution of a row of the race at a step; without one, at its end where the solution is a filled-in board,
   * and else at its beginning. The moves that were played stay.
   */
  async function watch(row, step) {
    lineVersion += 1;
    const version = lineVersion;
    const { game, facts } = store.get();
    const start = row.start ?? searchStart(store.get());
    const moves = game.inOrder ? game.inOrder(start.state, row.moves) : row.moves;
    const states = await walk(game, start.state, moves);
    if (version !== lineVersion) return;
    const { id, solver, proof = "none", analysis = null } = row;
    const line = { id, solver, start, moves, states, proof, analysis, bounds: null };
    const shown = Math.min(step ?? (facts.shows_board ? moves.length : 0), moves.length);
    store.set({ line, step: shown, mode: "watch", playing: false, solver: row.solver });
    if (facts.shows_board) explain(line);
    else loadBounds(line, row.lower_bound);
  }

  /** Analyse a solve of the board, or the moves that were played, and show it before its first mistake. */
  async function analyse(text) {
    const { game, facts, draft, trail } = store.get();
    const moves = text.trim() || (trail.steps.at(-1)?.moves ?? []).join(" ");
    if (!moves) throw new Error("Enter the moves of a solve, or play some.");
    const query = { puzzle: facts.puzzle, board: game.write(draft), moves, time: ANALYSIS_SECONDS };
    const analysis = await get("analyse", query, newRequest("analyse"));
    const { steps, first_mistake: mistake } = analysis;
    const start = { state: draft, moves: [] };
    const row = { id: 0, solver: facts.usual_solver.name, start, moves: steps.map(({ move }) => move), analysis };
    await watch({ ...row, lower_bound: steps[0].before.lower_bound ?? 0 }, (mistake ?? 1) - 1);
  }

  /** Put a solution in the order of the logic, with the steps that lead to each move; an error leaves it as it is. */
  async function explain(line) {
    const { game, facts } = store.get();
    const query = { puzzle: facts.puzzle, board: game.write(line.start.state), time: WAY_SECONDS };
    const { steps } = await get("way", query, newRequest("way")).catch(() => ({ steps: [] }));
    const [moves, reasons, open] = [[], [], new Set(line.moves)];
    let pending = [];
    for (const step of steps) {
      pending.push(step);
      if (!step.placements.length) continue;
      for (const name of step.placements.filter((each) => open.delete(each))) {
        moves.push(name);
        reasons.push(pending);
      }
      pending = [];
    }
    moves.push(...line.moves.filter((name) => open.has(name)));
    const states = await walk(game, line.start.state, moves);
    const { line: shown } = store.get();
    if (reasons.length && shown?.moves === line.moves) store.set({ line: { ...shown, moves, states, reasons } });
  }

  /** Load lower bounds of the remaining moves at every step, in the background; an error leaves them out. */
  async function loadBounds(line, bound) {
    const { game, facts } = store.get();
    const board = game.write(line.start.state);
    const query = { puzzle: facts.puzzle, board, moves: line.moves.join(" "), lower_bound: bound };
    const { frames } = await get("frames", query, newRequest("bounds")).catch(() => ({ frames: [] }));
    const { line: shown } = store.get();
    if (shown?.moves === line.moves) store.set({ line: { ...shown, bounds: frames.map((frame) => frame.bound) } });
  }

  return { open, edit, present, check, paste, show, mode, watch, analyse };
}

/** The parts of the store about a board on which nothing was done yet. */
const UNTOUCHED = Object.freeze({ marks: null, line: null, playing: false, hint: null, solved: false });

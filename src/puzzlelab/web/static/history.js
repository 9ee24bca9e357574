/**
 * One history of everything that changes the board: edits, moves, pencil marks, and solutions. It is kept in the
 * browser for each puzzle, so that a reload or a crash loses nothing.
 *
 * An entry is `{board, moves, marks, mode, solution}` in the notation of the game, which is what is stored. `live` has
 * the same as `{draft, trail, marks, line}`, as long as the page is open.
 */

import { debounce, onLeaving } from "./dom.js";
import { load, save } from "./history-storage.js";
import { walk } from "./session.js";

/** Changes that can be taken back. */
const MAX_ENTRIES = 400;
const SAVE_PAUSE_MS = 250;

/** The history of a store; it follows the store by itself. `say` shows a sentence to the user. */
export function createHistory(store, say, onDraft) {
  let puzzle = "";
  let entries = [];
  let at = -1;
  let calls = 0;
  const saveSoon = debounce(() => save(puzzle, entries, at), SAVE_PAUSE_MS);

  const flags = () => ({ undo: at > 0, redo: at < entries.length - 1 });

  /** Take up the stored history of a puzzle; what it showed last, as a patch for the store, or null. */
  async function open(name, game) {
    saveSoon.now();
    puzzle = name;
    ({ entries, at } = load(name) ?? { entries: [], at: -1 });
    try {
      return at < 0 ? null : await shown(entries[at], game);
    } catch { // another version of the page stored it
      [entries, at] = [[], -1];
      return null;
    }
  }

  function follow(state) {
    const { game, facts, draft, trail, marks, line, mode } = state;
    if (!game || !draft || facts.puzzle !== puzzle) return;
    const entry = entries[at];
    if (entry?.live && isSame(entry.live, state)) {
      entry.live.line = line; // its bounds may be known now
      if (entry.mode !== mode) saveSoon();
      entry.mode = mode;
      return;
    }
    const isSolution = mode === "watch" && line !== null && line.moves !== entry?.live?.line?.moves;
    push({
      board: entry?.live?.draft === draft ? entry.board : game.write(draft),
      moves: trail.steps[trail.at].moves,
      marks,
      mode,
      solution: isSolution ? { solver: line.solver, moves: line.moves, from: line.start.moves.length } : null,
      live: { draft, trail, marks, line },
    });
  }

  function push(entry) {
    entries = [...entries.slice(Math.max(0, at + 2 - MAX_ENTRIES), at + 1), entry];
    at = entries.length - 1;
    store.set({ history: flags() });
    saveSoon();
  }

  /** What an entry shows, as a patch for the store. */
  async function shown(entry, game) {
    entry.live ??= await restored(game, entry);
    const { draft, trail, marks, line } = entry.live;
    const mode = entry.mode === "watch" && !line ? "play" : entry.mode;
    const solved = await game.solved(trail.steps[trail.at].state);
    return { draft, trail, marks, line, mode, solved, hint: null, playing: false, history: flags() };
  }

  async function go(by) {
    const { game, trail, draft, mode } = store.get();
    const place = at + by;
    const changed = entries[Math.max(at, place)]; // the entry whose change is taken back, or made again
    calls += 1;
    const call = calls;
    at = place;
    const patch = await shown(entries[place], game);
    if (call !== calls || store.get().game !== game) return;
    patch.trail = entries[place].live.trail = withLaterMoves(patch.trail, trail);
    if (patch.draft !== draft) onDraft(patch.draft);
    else if (mode !== "watch" && !changed.solution) patch.mode = mode; // a move or a mark: what one does stays the same
    store.set(patch);
    if (patch.draft !== draft) say(by < 0 ? "This is the board before." : "This is the board after it.");
    saveSoon();
  }

  onLeaving(saveSoon.now);
  store.watch(["draft", "trail", "marks", "line", "mode"], follow);
  return {
    open,
    undo: () => (at > 0 ? go(-1) : say("There is nothing to undo.")),
    redo: () => (at < entries.length - 1 ? go(1) : say("There is nothing to redo.")),
  };
}

function isSame(live, { draft, trail, marks, line }) {
  const isLine = live.line === line || (line !== null && line.moves === live.line?.moves);
  const isTrail = live.trail.steps[live.trail.at] === trail.steps[trail.at];
  return live.draft === draft && isTrail && live.marks === marks && isLine;
}

/** The states of an entry that was stored. */
async function restored(game, { board, moves, marks, solution }) {
  const draft = await game.read(board);
  const states = moves.length ? await walk(game, draft, moves) : [draft];
  const steps = states.map((state, index) => ({ state, moves: moves.slice(0, index), move: moves[index - 1] ?? null }));
  const trail = { steps, at: moves.length };
  if (!solution) return { draft, trail, marks, line: null };
  const start = steps[solution.from];
  const line = { id: 0, solver: solution.solver, start, moves: solution.moves, bounds: null };
  return { draft, trail, marks, line: { ...line, states: await walk(game, start.state, solution.moves) } };
}

/** A trail with the moves after it, where those are on the page: they show how a move is taken back. */
function withLaterMoves(trail, { steps }) {
  const own = trail.steps.slice(0, trail.at + 1);
  const isPart = own.length <= steps.length && own.every((step, index) => step === steps[index]);
  return isPart ? { steps, at: trail.at } : trail;
}

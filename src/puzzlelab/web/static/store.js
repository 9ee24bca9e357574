/** The store: one object with the whole state of the page. Parts of the page watch the keys that they draw. */

/**
 * A store that starts with `initial`. `set` merges a patch. Watchers of changed keys are called once, in a microtask,
 * so that several changes in a row are drawn together.
 */
export function createStore(initial) {
  let state = { ...initial };
  let changed = new Set();
  const listeners = new Set();

  function flush() {
    const keys = changed;
    changed = new Set();
    for (const [watchedKeys, listener] of [...listeners]) {
      if (watchedKeys.some((key) => keys.has(key))) listener(state);
    }
  }

  return {
    get: () => state,
    set(patch) {
      const changedKeys = Object.keys(patch).filter((key) => !Object.is(state[key], patch[key]));
      if (!changedKeys.length) return;
      state = { ...state, ...patch };
      if (!changed.size) queueMicrotask(flush);
      for (const key of changedKeys) changed.add(key);
    },
    /** Call `listener(state)` now and whenever one of these keys changed. */
    watch(keys, listener) {
      listeners.add([keys, listener]);
      listener(state);
    },
  };
}

/** The state of the page before the first answer of the server. */
export const EMPTY = Object.freeze({
  catalog: null, // the answer of /api/list
  limits: null, // the answer of /api/limits
  family: "",
  module: null, // the fields and names of the family
  facts: null, // the answer of /api/list?puzzle=
  game: null,
  mode: "make",
  draft: null, // the board in the editor, perhaps unfinished
  missing: null,
  objection: null,
  found: null, // the answer of /api/candidates about a `draft` with several solutions
  trail: { steps: [], at: 0 }, // the played positions {state, moves, move}; the current one is `steps[at]`
  marks: null, // what a person noted on the board, such as pencil marks; the view of the game knows what it means
  solved: false,
  seconds: 0, // that the board has been played
  lines: Object.freeze([]), // the lines that were played, as lists of moves
  hint: null, // the answer of /api/hint, with the `level` to which it is told
  history: { undo: false, redo: false }, // whether there is a change to take back, or to make again
  rows: [], // the race
  list: null, // many boards: {boards: [{puzzle, board, row}], count}, with the rows of the server where it has solved them
  line: null, // the solution that is watched: {id, solver, start: {state, moves}, moves, states, bounds, proof, analysis}
  step: 0,
  playing: false,
  speed: 1,
  solver: "", // as it stands in the address, with its options
  heat: false,
  regret: false,
  tree: false,
  warn: false, // whether play tells which moves waste moves
  net: "",
  learned: 0, // a counter of the answers of the server about the moves at boards
  problem: null, // {text, again}
});

/** The scene on the page: the board, the number of moves to it, and the moves and boards before and after it. */
export function currentScene({ mode, draft, trail, line, step }) {
  if (mode === "play" && trail.steps.length) return scenePlayed(trail);
  if (mode === "watch" && line) {
    const { states, moves } = line;
    const beside = { from: states[step - 1], move: moves[step - 1], after: states[step + 1], next: moves[step] };
    return { state: states[step], at: step, ...beside };
  }
  return { state: draft, at: 0 };
}

function scenePlayed({ steps, at }) {
  const { state, moves, move } = steps[at];
  return { state, at: moves.length, from: steps[at - 1]?.state, move, after: steps[at + 1]?.state };
}

/** The moves that were played from the board to the position on the page. */
export const movesPlayed = ({ trail }) => trail.steps[trail.at]?.moves ?? [];

/**
 * Where a search begins, as `{state, moves}`: at the position that was reached in play, with the moves to it; at the
 * board itself in the editor, and where a solution is a filled-in board.
 */
export function searchStart({ mode, facts, draft, trail }) {
  const played = trail.steps[trail.at];
  if (mode === "make" || facts.shows_board || !played) return { state: draft, moves: [] };
  return { state: played.state, moves: played.moves };
}

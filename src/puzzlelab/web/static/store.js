/** The one object that holds all that the page shows. Parts listen to the keys that they draw. */

/**
 * A store over `initial`. `set` merges; listeners of what really changed are called once, after the running code is
 * through, so that several changes in a row are drawn together.
 */
export function createStore(initial) {
  let state = { ...initial };
  let changed = new Set();
  const listeners = new Set();

  function flush() {
    const keys = changed;
    changed = new Set();
    for (const [wanted, listener] of [...listeners]) {
      if (wanted.some((key) => keys.has(key))) listener(state);
    }
  }

  return {
    get: () => state,
    set(patch) {
      const fresh = Object.keys(patch).filter((key) => !Object.is(state[key], patch[key]));
      if (!fresh.length) return;
      state = { ...state, ...patch };
      if (!changed.size) queueMicrotask(flush);
      for (const key of fresh) changed.add(key);
    },
    /** Call `listener(state)` now and whenever one of these keys changed. */
    watch(keys, listener) {
      listeners.add([keys, listener]);
      listener(state);
    },
  };
}

/** What the page knows before it has asked the server. */
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
  trail: { steps: [], at: 0 }, // what was played: {state, moves, move}; the first `at` moves of it are made
  solved: false,
  hint: null,
  rows: [], // the race
  line: null, // the solution that is watched: {id, moves, states, bounds}
  step: 0,
  playing: false,
  speed: 1,
  solver: "", // as it stands in the address, with its options
  heat: false,
  regret: false,
  tree: false,
  net: "",
  learned: 0, // grows whenever the server told more of a board
  problem: null, // {text, again}
});

/** What is shown: the board, how many moves led to it, the last one and the board before, the next and that after. */
export function shown({ mode, draft, trail, line, step }) {
  if (mode === "play" && trail.steps.length) return played(trail);
  if (mode === "watch" && line) {
    const { states, moves } = line;
    const beside = { from: states[step - 1], move: moves[step - 1], after: states[step + 1], next: moves[step] };
    return { state: states[step], at: step, ...beside };
  }
  return { state: draft, at: 0 };
}

function played({ steps, at }) {
  const { state, moves, move } = steps[at];
  return { state, at: moves.length, from: steps[at - 1]?.state, move, after: steps[at + 1]?.state };
}

/** The moves that lead to the board that is shown from the one that was given. */
export function movesMade({ mode, trail, line, step }) {
  if (mode === "play") return trail.steps[trail.at]?.moves ?? [];
  return mode === "watch" && line ? line.moves.slice(0, step) : [];
}

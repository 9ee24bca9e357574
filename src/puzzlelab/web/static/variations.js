/**
 * The lines that were played on a board, as a tree: taking moves back and playing others keeps both. A line is a list
 * of moves from the board; no line is the beginning of another.
 */

const PREFIX = "puzzlelab-lines:";
const MAX_LINES = 60;

const begins = (line, start) => start.length <= line.length && start.every((move, at) => move === line[at]);

/** The lines with one more. The oldest ones are left out where there are too many. */
export function withLine(lines, added) {
  if (!added.length || lines.some((line) => begins(line, added))) return lines;
  return [...lines.filter((line) => !begins(added, line)), added].slice(-MAX_LINES);
}

/** The lines as a tree of `{move, moves, children}`; `moves` are those from the board to it. */
export function treeOf(lines) {
  const root = { move: null, moves: [], children: [] };
  for (const line of lines) {
    let node = root;
    for (const move of line) {
      let child = node.children.find((other) => other.move === move);
      if (!child) node.children.push((child = { move, moves: [...node.moves, move], children: [] }));
      node = child;
    }
  }
  return root;
}

/** Keep the lines of a store, as its `lines`; the browser keeps them, for the last board of each puzzle. */
export function createVariations(store) {
  let draft = null; // the board on which the lines are played

  const nameOf = () => PREFIX + store.get().facts.puzzle;

  function stored({ game }) {
    try {
      const kept = JSON.parse(localStorage.getItem(nameOf()));
      return kept.board === game.write(draft) ? kept.lines : [];
    } catch {
      return []; // nothing is stored, or storage is forbidden
    }
  }

  function save() {
    const { game, lines } = store.get();
    if (!game || !draft) return;
    try {
      localStorage.setItem(nameOf(), JSON.stringify({ board: game.write(draft), lines }));
    } catch {
      // the lines then last as long as the page
    }
  }

  addEventListener("pagehide", save);
  document.addEventListener("visibilitychange", () => document.hidden && save());
  store.watch(["draft", "trail", "facts"], (state) => {
    if (!state.draft || state.facts.shows_board) return;
    if (state.draft !== draft) {
      draft = state.draft;
      store.set({ lines: stored(state) });
    }
    const moves = state.trail.steps.at(-1)?.moves ?? [];
    store.set({ lines: withLine(store.get().lines, moves) });
  });
}

/** Keeps the history of each puzzle in the local storage of the browser, where that is allowed. */

const PREFIX = "puzzlelab-history:";
/** Entries that are kept if all of them need too much room. */
const FEW_ENTRIES = 40;

/** The stored history `{entries, at}` of a puzzle, or null if there is none that can be read. */
export function load(puzzle) {
  try {
    const stored = JSON.parse(localStorage.getItem(PREFIX + puzzle));
    const entries = unfolded(stored.entries);
    return Number.isInteger(stored.at) && entries[stored.at] ? { entries, at: stored.at } : null;
  } catch {
    return null; // there is none, storage is forbidden, or another version wrote it
  }
}

/** Store a history. If there is no room for it, the last entries are stored; without any room, none. */
export function save(puzzle, entries, at) {
  if (!puzzle || at < 0) return;
  const first = Math.max(0, at + 1 - FEW_ENTRIES);
  if (!put(puzzle, entries, at)) put(puzzle, entries.slice(first, at + 1), at - first);
}

function put(puzzle, entries, at) {
  try {
    localStorage.setItem(PREFIX + puzzle, JSON.stringify({ entries: folded(entries), at }));
    return true;
  } catch {
    return false;
  }
}

/** Each entry as its difference from the one before: moves are `[number of equal ones, ...the others]`. */
function folded(entries) {
  let before = { board: "", moves: [], marks: null, mode: "" };
  return entries.map((entry) => {
    const { board, moves, marks, mode, solution } = entry;
    const small = { moves: foldedMoves(moves, before.moves), mode };
    if (board !== before.board) small.board = board;
    if (marks !== before.marks) small.marks = marks;
    if (solution) small.solution = solution;
    before = entry;
    return small;
  });
}

function foldedMoves(moves, before) {
  let equal = 0;
  while (equal < moves.length && equal < before.length && moves[equal] === before[equal]) equal += 1;
  return [equal, ...moves.slice(equal)];
}

function unfolded(entries) {
  let before = { board: "", moves: [], marks: null };
  return entries.map(({ board = before.board, moves: [equal, ...rest], marks = before.marks, mode, solution = null }) => {
    before = { board, moves: [...before.moves.slice(0, equal), ...rest], marks, mode, solution };
    return before;
  });
}

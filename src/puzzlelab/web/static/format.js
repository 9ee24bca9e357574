/** Formats numbers, durations and results of solvers as text. */

const STOPS = {
  time: "time is up",
  nodes: "as many nodes as it may",
  memory: "memory is used up",
  patience: "no better one for a while",
  interrupted: "stopped",
  "dead end": "came to a dead end",
  solutions: "enough solutions",
};

/** "1 move", "7 moves". */
export const plural = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/** A large number in a narrow column: 950, 14.6k, 2.3M. */
export function compactNumber(number) {
  if (number === null || number === undefined) return "–";
  for (const [size, sign] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (number >= size) return `${(number / size).toPrecision(3)}${sign}`;
  }
  return String(number);
}

/** Seconds as text: 35 ms, 1.25 s, 75 s. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 0.001) return "<1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(0)} s`;
}

/** "7 moves"; where a solution is a filled-in board, "7 cells". */
export const movesText = (number, { shows_board: showsBoard }) => plural(number, showsBoard ? "cell" : "move");

/** What a row's solution is measured by: the number of its moves, their cost, or its score. */
export const valueOf = (row, { objective }) => (objective === "moves" ? row.length : row[objective]);

/** The bound that a row proves of that number, or null: of a score it is an upper one. */
export function boundOf(row, { objective, shows_board: showsBoard }) {
  if (objective === "score") return row.upper_bound ?? null;
  return showsBoard || !row.lower_bound ? null : row.lower_bound;
}

/** "7 moves", "7 moves at a cost of 12", "7 moves, score 1,043". */
export function solutionInWords(row, facts) {
  const moves = movesText(row.length, facts);
  if (facts.objective === "moves") return moves;
  const value = valueOf(row, facts).toLocaleString("en");
  return facts.objective === "score" ? `${moves}, score ${value}` : `${moves} at a cost of ${value}`;
}

const BOUNDS = {
  moves: (bound) => `a solution has at least ${plural(bound, "move")}`,
  cost: (bound) => `a solution costs at least ${bound.toLocaleString("en")}`,
  score: (bound) => `no score is above ${bound.toLocaleString("en")}`,
};

/** The result of a row of the race, as a sentence without a full stop. */
export function claimText(row, facts) {
  if (row.error) return row.error;
  if (row.status !== "done") return row.text;
  if (row.proof === "optimal") return "proven optimal";
  if (row.proof === "unique") return "the only solution";
  if (row.proof === "several") return "one of several solutions";
  if (row.proof === "unsolvable") return row.reason ? `proven unsolvable: ${row.reason}` : "proven unsolvable";
  const parts = [row.moves ? STOPS[row.stop] ?? "solved" : `${STOPS[row.stop] ?? "no solution"}`];
  if (!row.moves && row.stop in STOPS) parts.push("no solution found");
  if (row.reason) parts.push(row.reason);
  const bound = boundOf(row, facts);
  if (row.moves && bound !== null) parts.push(BOUNDS[facts.objective](bound));
  return parts.join("; ");
}

/** How far a move leaves the optimum: "+2", "+0?" where that is not proven. */
export function regretText({ length, lower_bound: least, proven, unsolvable }) {
  if (unsolvable) return "no solution after it";
  return proven ? `+${length}` : `+${least}?`;
}

/** The number of solutions of a board as a sentence, for the editor; of several with what was `found` of their cells. */
export function solutionsInWords({ solutions, complete }, found = null) {
  if (solutions === null || solutions === undefined) return "";
  if (solutions === 0) return complete ? "No solution: something contradicts." : "No solution was found in time.";
  if (solutions === 1 && complete) return "Exactly one solution.";
  const count = complete ? plural(solutions, "solution") : "Several solutions";
  if (!found) return `${count}: each clue more rules some out.`;
  const open = `${plural(found.open.length, "open cell")}${found.undecided.length ? " so far" : ""}`;
  const cells = found.difference?.cells;
  return cells ? `${count}, ${open}: two solutions differ in ${cells.join(", ")} alone. A clue there rules one of them out.` : `${count}, ${open}.`;
}

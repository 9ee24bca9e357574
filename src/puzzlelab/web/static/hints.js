/**
 * Hints as sentences and as marks on the board, in three levels: how far it is to the end, where to look, and the move
 * with its reason. Of a board that is filled in, the first level is the kind of the next step of logic.
 */

import { plural } from "./format.js";

/** Places that a hint names; more are only counted. */
const MOST_PLACES = 5;

/** A hint at a position as a sentence. */
export async function hintInWords(hint, facts, game, state) {
  if (hint.wrong?.length) return `Something is wrong already: ${hint.why || hint.wrong.join(", ")}.`;
  if (hint.step) return ofCell(hint, facts, game, state);
  if (!hint.best.length && hint.isQuick) return `${distance(hint)} Looking for a way …`;
  if (!hint.best.length) return hint.reason ? `No move helps: ${hint.reason}.` : "No way to the end was found in time.";
  if (facts.shows_board) return ofCell(hint, facts, game, state);
  if (hint.level === 1) return distance(hint);
  if (hint.level === 2) return markedInWords(hint);
  return ofMoves(hint, game, state);
}

/** The marks of a hint for the view: from the second level on the best moves, and in the third all that is told. */
export function hintMarks(hint) {
  const { level, shown = [], cells = [], wrong = [], step = null } = hint;
  const best = level >= 2 && !step ? shown : [];
  return { best, cells: level >= 3 && !step ? cells : [], wrong, withMove: level >= 3, step: level >= 2 ? step : null };
}

function distance({ proven, best_proven: bestProven, length, lower_bound: least }) {
  if (length === null) return `At least ${plural(least, "move")} to go.`;
  if (proven || bestProven || least === length) return `${plural(length, "move")} to go, if each of them is a best one.`;
  return `At least ${plural(least, "move")} to go; a way of ${length} is known.`;
}

/** The next step of a board that is filled in, or a cell of its solution where no step is known. */
function ofCell({ level, step, why }, facts, game, state) {
  if (level === 1) {
    const blanks = game.blanks ? `${plural(game.blanks(state), "cell")} to go. ` : "";
    return blanks + (step ? `Next: ${kindOf(step)}.` : `${sentence(why.split(":")[0])}.`);
  }
  if (level === 2) return step ? `Look at ${placesOf(step)}: marked on the board.` : "The cell is marked.";
  return `${sentence(step ? step.sentence : why)}.`;
}

/** The name of a technique and how hard it is. */
const kindOf = ({ title, rating }) => (rating === null ? title : `${title} (${rating.toFixed(1)})`);

/** Where a person must look to find a step. */
function placesOf({ units, cells, candidates, nodes }) {
  const names = units.length ? units.map(({ unit }) => unit) : [
    ...cells.map(({ cell }) => cell),
    ...candidates.map(({ candidate }) => candidate.split("=")[0]),
    ...nodes.flatMap((node) => node.candidates.map((name) => name.split("=")[0])),
  ];
  const places = [...new Set(names)];
  return places.length > MOST_PLACES ? `${places.length} cells` : places.join(", ").replace(/, ([^,]*)$/, " and $1");
}

function markedInWords({ best, shown }) {
  const others = best.length - shown.length;
  const more = others ? `; ${others} more ${others === 1 ? "is" : "are"} as good` : "";
  return `${shown.length === 1 ? "A best move is" : `${shown.length} best moves are`} marked on the board${more}.`;
}

async function ofMoves({ best, shown, proven, length, best_proven: bestProven, moves }, game, state) {
  const names = await Promise.all(shown.map((move) => game.describeMove(state, move)));
  if (best.length > shown.length) names.push(`one of ${best.length - shown.length} others`);
  const others = moves.filter(({ move }) => !best.includes(move)).map(({ regret }) => regret);
  const waste = others.every((regret) => regret.proven) ? Math.min(...others.map((regret) => regret.length ?? Infinity)) : 0;
  const wasted = Number.isFinite(waste) && waste > 0 ? ` Every other move wastes ${waste} or more.` : "";
  const rest = `${proven ? "" : "at most "}${plural(length - 1, "move")}`;
  return `${bestProven ? "Best" : "Best known"}: ${names.join(", or ")}. After it ${rest} remain.${wasted}`;
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1);

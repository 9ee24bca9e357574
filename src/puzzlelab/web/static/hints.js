/**
 * Hints as sentences and as marks on the board, in three levels: how far it is to the end, where to look, and the move
 * with its reason.
 */

import { plural } from "./format.js";

/** A hint at a position as a sentence. */
export async function hintInWords(hint, facts, game, state) {
  if (hint.wrong?.length) return `Something is wrong already: ${hint.why || hint.wrong.join(", ")}.`;
  if (!hint.best.length && hint.isQuick) return `${distance(hint)} Looking for a way …`;
  if (!hint.best.length) return hint.reason ? `No move helps: ${hint.reason}.` : "No way to the end was found in time.";
  if (facts.shows_board) return ofCell(hint, facts, game, state);
  if (hint.level === 1) return distance(hint);
  if (hint.level === 2) return markedInWords(hint);
  return ofMoves(hint, game, state);
}

/** The marks of a hint for the view: from the second level on the best moves, and in the third all that is told. */
export function hintMarks(hint) {
  const { level, shown = [], cells = [], wrong = [] } = hint;
  return { best: level >= 2 ? shown : [], cells: level >= 3 ? cells : [], wrong, withMove: level >= 3 };
}

function distance({ proven, best_proven: bestProven, length, lower_bound: least }) {
  if (length === null) return `At least ${plural(least, "move")} to go.`;
  if (proven || bestProven || least === length) return `${plural(length, "move")} to go, if each of them is a best one.`;
  return `At least ${plural(least, "move")} to go; a way of ${length} is known.`;
}

/** The next cell of a board that is filled in. */
function ofCell({ level, best: [move], forced, why }, facts, game, state) {
  if (level === 1) {
    const blanks = game.blanks ? `${plural(game.blanks(state), "cell")} to go. ` : "";
    return blanks + (forced ? "One of them follows from the digits on the board." : `${sentence(why.split(":")[0])}.`);
  }
  return level === 2 ? "The cell is marked." : `${sentence(why)}.`;
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

/**
 * Hints as sentences and as marks on the board, in three levels: how far it is to the end, where to look, and the move
 * with its reason.
 */

import { plural } from "./format.js";

/** Best moves that a sentence names. */
const MOST_NAMES = 2;

/** A hint at a position as a sentence. */
export async function hintInWords(hint, facts, game, state) {
  if (hint.wrong?.length) return `Something is wrong already: ${hint.why || hint.wrong.join(", ")}.`;
  if (!hint.best.length && hint.isQuick) return `${distance(hint)} Looking for a way …`;
  if (!hint.best.length) return hint.reason ? `No move helps: ${hint.reason}.` : "No way to the end was found in time.";
  if (facts.shows_board) return ofCell(hint, facts, game, state);
  if (hint.level === 1) return distance(hint);
  const count = hint.best.length;
  if (hint.level === 2) return count === 1 ? "The best move is marked on the board." : `${count} best moves are marked.`;
  return ofMoves(hint, game, state);
}

/** The marks of a hint for the view: from the second level on the best moves, and in the third all that is told. */
export function hintMarks(hint) {
  const { level, best = [], cells = [], wrong = [] } = hint;
  return { best: level >= 2 ? best : [], cells: level >= 3 ? cells : [], wrong, withMove: level >= 3 };
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

async function ofMoves({ best, proven, length, best_proven: bestProven, moves }, game, state) {
  const names = await Promise.all(best.slice(0, MOST_NAMES).map((move) => game.describeMove(state, move)));
  if (best.length > MOST_NAMES) names.push(`${plural(best.length - MOST_NAMES, "other marked move")}`);
  const others = moves.filter(({ move }) => !best.includes(move)).map(({ regret }) => regret);
  const waste = others.every((regret) => regret.proven) ? Math.min(...others.map((regret) => regret.length ?? Infinity)) : 0;
  const wasted = Number.isFinite(waste) && waste > 0 ? ` Every other move wastes ${waste} or more.` : "";
  const rest = `${proven ? "" : "at most "}${plural(length - 1, "move")}`;
  return `${bestProven ? "Best" : "Best known"}: ${names.join(", or ")}. After it ${rest} remain.${wasted}`;
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1);

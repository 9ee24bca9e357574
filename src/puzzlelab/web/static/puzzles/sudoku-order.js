/** The order in which a person would fill in a solution: what follows from the digits on the board comes first. */

/**
 * The moves of a solution in that order: a digit with one place left in a box, a cell with one candidate, a digit with
 * one place left in a row or column; and where nothing follows, the cell with the fewest candidates.
 */
export function inOrder(rules, state, moves) {
  const open = new Map(moves.map((move) => [rules.readMove(move).cell, move]));
  const candidates = rules.candidates(state);
  const ordered = [];
  while (open.size) {
    const cell = nextCell(rules, candidates, open);
    const move = open.get(cell);
    ordered.push(move);
    open.delete(cell);
    const bit = 1 << (rules.readMove(move).digit - 1);
    candidates[cell] = 0;
    for (const peer of rules.peers[cell]) candidates[peer] &= ~bit;
  }
  return ordered;
}

function nextCell(rules, candidates, open) {
  const [lines, boxes] = [rules.units.slice(0, 2 * rules.size), rules.units.slice(2 * rules.size)];
  return onlyPlace(boxes, candidates, open) ?? fewest(candidates, open, 1) ?? onlyPlace(lines, candidates, open) ??
    fewest(candidates, open, Infinity);
}

/** A cell that alone in its unit can hold some digit. */
function onlyPlace(units, candidates, open) {
  for (const unit of units) {
    let [once, twice] = [0, 0];
    for (const cell of unit) {
      twice |= once & candidates[cell];
      once |= candidates[cell];
    }
    const cell = once & ~twice ? unit.find((each) => candidates[each] & once & ~twice && open.has(each)) : undefined;
    if (cell !== undefined) return cell;
  }
  return undefined;
}

/** The cell with the fewest candidates, if these are not more than `most`. */
function fewest(candidates, open, most) {
  let [found, count] = [undefined, most + 1];
  for (const cell of open.keys()) {
    let number = 0;
    for (let set = candidates[cell]; set; set &= set - 1) number += 1;
    if (number < count) [found, count] = [cell, number];
  }
  return found;
}

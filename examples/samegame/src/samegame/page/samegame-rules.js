/**
 * The rules of SameGame, as in rules.py and notation.py. A state is `{cells, score}`: W * H numbers in column order,
 * each column from the bottom up, 0 for empty and colours from 1, and the points of the moves since the board was read.
 */

export const MOST_ROWS = 16;
export const FEWEST_COLOURS = 2;
export const MOST_COLOURS = 9;
export const ALL_CLEARED = 1000;
const LETTERS = "abcdefghi";

export class SameGameRules {
  constructor(width, height, colours) {
    Object.assign(this, { width, height, colours, cells: width * height });
  }

  /** The rules of the puzzle with this name. */
  static named(name) {
    const match = /^samegame-(\d+)x(\d+)x(\d+)(:batch|:plain)?$/.exec(name);
    if (!match) throw new Error(`${name} is no SameGame board`);
    return new SameGameRules(...match.slice(1, 4).map(Number));
  }

  // --- places ---

  /** Column and row, from 0 at the lower left. */
  placeOf(cell) {
    return [Math.floor(cell / this.height), cell % this.height];
  }

  /** The cell at a column and a row; null beside the board. */
  cellOf(column, row) {
    const inside = column >= 0 && column < this.width && row >= 0 && row < this.height;
    return inside ? column * this.height + row : null;
  }

  /** The cells to the left, to the right, below and above; null beside the board. */
  around(cell) {
    const [x, y] = this.placeOf(cell);
    return [this.cellOf(x - 1, y), this.cellOf(x + 1, y), this.cellOf(x, y - 1), this.cellOf(x, y + 1)];
  }

  // --- rules ---

  empty() {
    return stateOf(Array(this.cells).fill(0));
  }

  /** The cells of the connected cells of one colour around a cell that is not empty, a single cell too. */
  group({ cells }, cell) {
    const members = [cell];
    const seen = new Set(members);
    for (const here of members) {
      for (const there of this.around(here)) {
        if (there === null || seen.has(there) || cells[there] !== cells[cell]) continue;
        seen.add(there);
        members.push(there);
      }
    }
    return members;
  }

  /** For each cell its group, which all its members share; null for an empty cell. */
  groups(state) {
    const groups = state.cells.map(() => null);
    state.cells.forEach((colour, cell) => {
      if (!colour || groups[cell]) return;
      const group = this.group(state, cell);
      for (const member of group) groups[member] = group;
    });
    return groups;
  }

  /** The first cell of every group of at least two. */
  legal(state) {
    const groups = this.groups(state);
    const first = groups.flatMap((group, cell) => (group?.length > 1 && group[0] === cell ? [cell] : []));
    return first.map((cell) => this.moveAt(cell));
  }

  apply(state, move) {
    return this.click(state, this.cellAt(move)).state;
  }

  /** Whether the game is over: no two neighbours are equal. */
  solved({ cells }) {
    return cells.every((colour, cell) => !colour || this.around(cell).every((other) => cells[other] !== colour));
  }

  /**
   * Remove the group of a cell and let the rest fall: `{gone, fallen, closed, points, ending, state}`. `points` are
   * those of the group, `ending` those of the end of the game, null before it; `fallen` and `closed` as in `fall`.
   */
  click(state, cell) {
    const gone = state.cells[cell] ? this.group(state, cell) : [];
    if (gone.length < 2) throw new Error(`there is no group of two cells or more at ${this.moveAt(cell)}`);
    const kept = [...state.cells];
    for (const member of gone) kept[member] = 0;
    const { fallen, closed, cells } = this.fall(kept);
    const points = (gone.length - 2) ** 2;
    const ending = this.solved({ cells }) ? this.endPoints(cells) : null;
    return { gone, fallen, closed, points, ending, state: stateOf(cells, state.score + points + (ending ?? 0)) };
  }

  /** What a board is worth at which the game is over. */
  endPoints(cells) {
    const counts = Array(this.colours + 1).fill(0);
    for (const colour of cells) counts[colour] += 1;
    const left = counts.slice(1).filter((count) => count);
    return left.length ? left.reduce((sum, count) => sum - (count - 2) ** 2, 0) : ALL_CLEARED;
  }

  /** The cell of each piece after it fell (`fallen[cell]`) and after columns closed (`closed[cell]`); null if empty. */
  fall(cells) {
    const levels = Array(this.width).fill(0);
    const fallen = cells.map((colour, cell) => {
      const [x] = this.placeOf(cell);
      return colour ? this.cellOf(x, levels[x]++) : null;
    });
    const columns = levels.map((_, x) => levels.slice(0, x).filter((level) => level).length);
    const closed = fallen.map((cell) => {
      if (cell === null) return null;
      const [x, y] = this.placeOf(cell);
      return this.cellOf(columns[x], y);
    });
    const settled = Array(this.cells).fill(0);
    closed.forEach((to, cell) => {
      if (to !== null) settled[to] = cells[cell];
    });
    return { fallen, closed, cells: settled };
  }

  settled({ cells }) {
    return stateOf(this.fall(cells).cells);
  }

  /** Why a board is not at rest, in the words of notation.py: `{text, cells}`, with the cells that would move. */
  unrest({ cells }) {
    const { closed } = this.fall(cells);
    const moving = closed.flatMap((to, cell) => (to === null || to === cell ? [] : [cell]));
    if (!moving.length) return null;
    const floating = cells.findIndex((colour, cell) => colour && cell % this.height && !cells[cell - 1]);
    if (floating >= 0) {
      const [x, y] = this.placeOf(floating);
      const where = `column ${x}, row ${y} (from 0 at the lower left)`;
      return { text: `${where}: nothing lies below this cell, so that it would fall`, cells: moving };
    }
    const isEmpty = (x) => cells[this.cellOf(x, 0)] === 0;
    const column = Array.from({ length: this.width }, (_, x) => x).find((x) => isEmpty(x) && !isEmpty(x + 1));
    const why = "this column is empty and the next one is not, which would move left";
    return { text: `column ${column} (from 0): ${why}`, cells: moving };
  }

  // --- notation ---

  moveAt(cell) {
    return this.placeOf(cell).join(",");
  }

  cellAt(move) {
    const match = /^\(?\s*(\d{1,3}),\s*(\d{1,3})\s*\)?$/.exec(move);
    const cell = match && this.cellOf(Number(match[1]), Number(match[2]));
    if (cell === null) throw new Error(`'${String(move).slice(0, 20)}' is no move; 6,1 clicks column 6, row 1`);
    return cell;
  }

  /** A board that may be unfinished: rows from the top, parted by strokes or spaces. Raises `Error`. */
  read(text) {
    const trimmed = text.trim().replace(/^\/+|\/+$/g, "");
    const rows = trimmed.split(/[\s/]+/);
    if (rows.length !== this.height || rows.some((row) => row.length !== this.width)) {
      throw new Error(`a board is ${this.height} rows of ${this.width} from the top, parted by / or line ends`);
    }
    const values = rows.map((row) => [...row.toLowerCase()].map((symbol) => this.#valueOf(symbol)));
    return stateOf(Array.from({ length: this.cells }, (_, cell) => {
      const [x, y] = this.placeOf(cell);
      return values[this.height - 1 - y][x];
    }));
  }

  #valueOf(symbol) {
    const value = symbol === "." ? 0 : LETTERS.indexOf(symbol) + 1 || Number(symbol) || -1;
    if (value >= 0 && value <= this.colours) return value;
    throw new Error(`'${symbol}' is no colour; colours are 1 to ${this.colours}, and . is an empty cell`);
  }

  /** The canonical notation. */
  write({ cells }) {
    const row = (y) => Array.from({ length: this.width }, (_, x) => cells[this.cellOf(x, y)] || ".").join("");
    return Array.from({ length: this.height }, (_, line) => row(this.height - 1 - line)).join("/");
  }
}

/** A state; a board that was read or edited has the score 0. */
export function stateOf(cells, score = 0) {
  return Object.freeze({ cells: Object.freeze(cells), score });
}

/**
 * The rules of dust, as in puzzles/dust/rules.py, and the target of every piece in a move.
 * A state has W * H numbers in column order, each column from the bottom up: 0 for empty, colours from 1.
 */

export const LARGEST = 16;
export const FEWEST_COLOURS = 2;
export const MOST_COLOURS = 9;

export class DustRules {
  constructor(width, height, colours) {
    Object.assign(this, { width, height, colours, cells: width * height, line: Math.floor(width / 2) });
  }

  /** The rules of the puzzle with this name. */
  static named(name) {
    const match = /^dust-(\d+)x(\d+)x(\d+)$/.exec(name);
    if (!match) throw new Error(`${name} is no dust puzzle`);
    return new DustRules(...match.slice(1).map(Number));
  }

  // --- places ---

  /** Column and row, from 0 at the lower left. */
  placeOf(cell) {
    return [Math.floor(cell / this.height), cell % this.height];
  }

  cellOf(column, row) {
    const inside = column >= 0 && column < this.width && row >= 0 && row < this.height;
    return inside ? column * this.height + row : null;
  }

  /** The cells to the left, to the right, below and above; null beside the board. */
  around(cell) {
    const [x, y] = this.placeOf(cell);
    return [this.cellOf(x - 1, y), this.cellOf(x + 1, y), this.cellOf(x, y - 1), this.cellOf(x, y + 1)];
  }

  /** Those around, then those at the corners: left below, right below, left above, right above. */
  touching(cell) {
    const [x, y] = this.placeOf(cell);
    const corners = [[-1, -1], [1, -1], [-1, 1], [1, 1]].map(([dx, dy]) => this.cellOf(x + dx, y + dy));
    return [...this.around(cell), ...corners];
  }

  // --- rules ---

  /** The cells of the cluster around a cell that is not empty. */
  cluster(state, cell) {
    const members = [cell];
    const seen = new Set(members);
    for (const here of members) {
      for (const there of this.around(here)) {
        if (there === null || seen.has(there) || state[there] !== state[cell]) continue;
        seen.add(there);
        members.push(there);
      }
    }
    return members;
  }

  /** For each cell the first cell of its cluster, -1 for an empty one. */
  clusters(state) {
    const first = state.map(() => -1);
    state.forEach((colour, cell) => {
      if (colour && first[cell] < 0) for (const member of this.cluster(state, cell)) first[member] = cell;
    });
    return first;
  }

  legal(state) {
    const first = this.clusters(state);
    return state.map((_, cell) => cell).filter((cell) => first[cell] === cell).map((cell) => this.moveAt(cell));
  }

  apply(state, move) {
    return this.click(state, this.cellAt(move)).state;
  }

  solved(state) {
    return state.every((colour) => colour === 0);
  }

  settled(state) {
    return this.fall(state).state;
  }

  /** Remove a cluster and let the rest fall: `{gone: [cell], state, fallen, closed}`; the last two as in `fall`. */
  click(state, cell) {
    if (!state[cell]) throw new Error(`nothing lies at ${this.moveAt(cell)}`);
    const gone = this.cluster(state, cell);
    const remaining = [...state];
    for (const member of gone) remaining[member] = 0;
    return { gone, ...this.fall(remaining) };
  }

  /** The cell of each piece after falling (`fallen[cell]`) and after rows close up (`closed[cell]`); null if empty. */
  fall(state) {
    const fallen = state.map(() => null);
    const levels = Array(this.width).fill(0);
    state.forEach((colour, cell) => {
      const [x] = this.placeOf(cell);
      if (colour) fallen[cell] = this.cellOf(x, levels[x]++);
    });
    const closing = this.closing(levels);
    const closed = fallen.map((cell) => (cell === null ? null : closing.get(cell)));
    const next = state.map(() => 0);
    state.forEach((colour, cell) => {
      if (colour) next[closed[cell]] = colour;
    });
    return { fallen, closed, state: next };
  }

  /** Where each cell of piles with these heights goes when the rows of both halves close up. */
  closing(levels) {
    const target = new Map();
    for (let y = 0; y < this.height; y += 1) {
      const full = levels.map((level, x) => (level > y ? x : -1)).filter((x) => x >= 0);
      const left = full.filter((x) => x < this.line);
      left.forEach((x, place) => target.set(this.cellOf(x, y), this.cellOf(this.line - left.length + place, y)));
      const right = full.filter((x) => x >= this.line);
      right.forEach((x, place) => target.set(this.cellOf(x, y), this.cellOf(this.line + place, y)));
    }
    return target;
  }

  /** The cells that would move if the board settled, and why the first of them would; null for a board at rest. */
  unrest(state) {
    const cells = state.map((_, cell) => cell).filter((cell) => state[cell]);
    const floating = cells.find((cell) => cell % this.height && !state[cell - 1]);
    const loose = cells.find((cell) => this.inwards(cell) !== null && !state[this.inwards(cell)]);
    if (floating === undefined && loose === undefined) return null;
    const { closed } = this.fall(state);
    const moving = cells.filter((cell) => closed[cell] !== cell);
    return { first: floating ?? loose, falls: floating !== undefined, cells: moving };
  }

  /** The neighbour towards the centre line, in the same half; null at the line. */
  inwards(cell) {
    const [x, y] = this.placeOf(cell);
    if (x === this.line || x === this.line - 1) return null;
    return this.cellOf(x < this.line ? x + 1 : x - 1, y);
  }

  // --- notation ---

  moveAt(cell) {
    return this.placeOf(cell).join(",");
  }

  cellAt(move) {
    const match = /^\(?\s*(\d{1,2}),\s*(\d{1,2})\s*\)?$/.exec(move);
    const cell = match && this.cellOf(Number(match[1]), Number(match[2]));
    if (cell === null) throw new Error(`'${String(move).slice(0, 20)}' is no move; 6,1 clicks column 6, row 1`);
    return cell;
  }

  read(text) {
    const word = text.trim().replaceAll(".", "0");
    if (word.length !== this.cells) {
      throw new Error(`${word.length} characters given; the board has ${this.cells} cells, column by column`);
    }
    const state = Array.from(word, (symbol) => (/^[0-9]$/.test(symbol) ? Number(symbol) : LARGEST));
    if (state.some((colour) => colour > this.colours)) {
      throw new Error(`a cell is 1 to ${this.colours}, or 0 for empty`);
    }
    return state;
  }

  write(state) {
    return state.join("");
  }
}

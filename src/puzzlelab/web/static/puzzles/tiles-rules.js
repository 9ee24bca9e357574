/**
 * The rules of sliding tiles, as in puzzles/tiles/rules.py, and the operations of the editor.
 * A state has N pieces row by row, 0 for the blank; in the editor, null for a cell without a tile. A piece is its number,
 * unless tiles are equal: then `numbers` tells the number of each piece.
 */

export const SMALLEST = 2;
export const LARGEST = 12;

const STEPS = { U: [1, 0], D: [-1, 0], L: [0, 1], R: [0, -1] };

/** The goal of a name, and whether several tiles slide in one move. */
export function variantOf(words) {
  const parts = words.split(":").filter((word) => word && word !== "moves=single");
  const goal = parts.find((word) => word !== "moves=multi") ?? "";
  return { goal, moves: parts.includes("moves=multi") ? "multi" : "single" };
}

/** Whether an odd number of swaps makes this permutation. */
function isOdd(permutation) {
  const seen = permutation.map(() => false);
  let swaps = 0;
  for (let start = 0; start < permutation.length; start += 1) {
    let length = 0;
    for (let place = start; !seen[place]; place = permutation[place]) {
      seen[place] = true;
      length += 1;
    }
    swaps += Math.max(0, length - 1);
  }
  return swaps % 2 === 1;
}

export class TilesRules {
  /**
   * `goal`: N numbers, null where anything may lie; without it 1, 2, ... and the blank last.
   * `isMulti`: several tiles slide in one move, such as R2.
   */
  constructor(rows, columns, goal = null, isMulti = false) {
    this.rows = rows;
    this.columns = columns;
    this.cells = rows * columns;
    this.isMulti = isMulti;
    const reach = { U: rows - 1, D: rows - 1, L: columns - 1, R: columns - 1 };
    this.moves = Object.entries(reach).flatMap(([way, most]) =>
      Array.from({ length: isMulti ? most : 1 }, (_, more) => nameOf(way, more + 1)),
    );
    const places = Array.from({ length: this.cells }, (_, place) => place);
    this.goal = goal ?? places.map((place) => (place + 1) % this.cells);
    const unnamed = [...places.slice(1), 0].filter((number) => !this.goal.includes(number));
    const rest = this.goal.includes(null) ? [...unnamed] : [];
    const whole = this.goal.map((number) => number ?? rest.shift());
    /** The number of each piece. */
    this.numbers = [...whole].sort((one, other) => one - other);
    /** A solved board. */
    this.whole = this.pieces(whole);
    /** The cell of each piece there. */
    this.home = places.map((piece) => this.whole.indexOf(piece));
    const free = this.goal.includes(null) ? unnamed.filter((number) => number > 0).length : 0;
    /** Whether two tiles may stand for each other. */
    this.hasAlike = free > 1 || new Set(this.numbers).size < this.cells;
  }

  /** The rules of the puzzle with this name. */
  static named(name) {
    const match = /^tiles-(\d+)x(\d+)(?::(.+))?$/.exec(name);
    if (!match) throw new Error(`${name} is no tiles puzzle`);
    const [rows, columns] = [Number(match[1]), Number(match[2])];
    const { goal, moves } = variantOf(match[3] ?? "");
    return new TilesRules(rows, columns, goalOf(goal, rows * columns), moves === "multi");
  }

  /** The cells of the tiles that slide by this move, from the cell `blank` on; null where it leaves the board. */
  line(blank, move) {
    const [row, column] = this.placeOf(blank);
    const [down, right] = STEPS[move[0]];
    const cells = [];
    for (let tile = 1; tile <= Number(move.slice(1) || 1); tile += 1) {
      const [r, c] = [row + down * tile, column + right * tile];
      if (r < 0 || r >= this.rows || c < 0 || c >= this.columns) return null;
      cells.push(r * this.columns + c);
    }
    return cells;
  }

  /** The cell where the blank of the cell `blank` is after this move, or null. */
  source(blank, move) {
    return this.line(blank, move)?.at(-1) ?? null;
  }

  legal(state) {
    const blank = state.indexOf(0);
    return blank < 0 || state.includes(null) ? [] : this.moves.filter((move) => this.source(blank, move) !== null);
  }

  apply(state, move) {
    if (!this.legal(state).includes(move)) throw new Error(`no tile can slide ${move} on ${this.write(state)}`);
    const blank = state.indexOf(0);
    return this.line(blank, move).reduce((after, cell) => swapped(after, after.indexOf(0), cell), state);
  }

  solved(state) {
    return state.every((piece, cell) => this.isHome(piece, cell));
  }

  /** Whether a piece may lie in this cell in the end. */
  isHome(piece, cell) {
    return this.goal[cell] === null || this.numbers[piece] === this.goal[cell];
  }

  /** Solved boards: one for each cell where the blank may lie in the end. */
  goals() {
    if (this.goal.includes(0)) return [this.whole];
    const open = this.goal.flatMap((number, cell) => (number === null ? [cell] : []));
    return open.map((cell) => swapped(this.whole, this.home[0], cell));
  }

  /** Whether a board without tiles that are alike can become this one. */
  hasParityOf(state, goal) {
    const [row, column] = this.placeOf(state.indexOf(0));
    const [homeRow, homeColumn] = this.placeOf(goal.indexOf(0));
    const oddTiles = isOdd(state.map((piece) => goal.indexOf(piece)));
    return oddTiles === ((Math.abs(row - homeRow) + Math.abs(column - homeColumn)) % 2 === 1);
  }

  /** Why a complete board cannot be solved, with the sentence of the rules in Python; null if it can. */
  objection(state) {
    if (this.hasAlike || this.goals().some((goal) => this.hasParityOf(state, goal))) return null;
    return (
      "odd permutation: no sequence of moves reaches the goal " +
      "(with the blank moved to its place, the tiles are an odd number of swaps from theirs)"
    );
  }

  /** The two tiles whose exchange turns an unsolvable board into a solvable one. */
  repairPair() {
    return this.whole.filter((tile) => tile !== 0).slice(-2);
  }

  /** The moves that slide the tile of a cell, and those between, towards the blank; none where it cannot. */
  slide(state, cell) {
    const [row, column] = this.placeOf(cell);
    const [blankRow, blankColumn] = this.placeOf(state.indexOf(0));
    if (row !== blankRow && column !== blankColumn) return [];
    const [down, right] = [row - blankRow, column - blankColumn];
    const tiles = Math.abs(down + right);
    const way = down ? (down > 0 ? "U" : "D") : right > 0 ? "L" : "R";
    return this.isMulti && tiles ? [nameOf(way, tiles)] : Array(tiles).fill(way);
  }

  /** Row and column, from 0. */
  placeOf(cell) {
    return [Math.floor(cell / this.columns), cell % this.columns];
  }

  // --- notation ---

  read(text) {
    const words = text.trim().split(/[\s,]+/);
    if (words.length !== this.cells) {
      throw new Error(`${words.length} numbers given; the board has ${this.cells}, 0 for the blank`);
    }
    const wrong = words.find((word) => word !== "_" && !(/^\d{1,3}$/.test(word) && this.numbers.includes(Number(word))));
    if (wrong !== undefined) throw new Error(`there is no tile ${wrong.slice(0, 20)}`);
    return this.pieces(words.map((word) => (word === "_" ? null : Number(word))));
  }

  /** The pieces with these numbers, null for null. */
  pieces(numbers) {
    const left = this.numbers.map((_, piece) => piece);
    return numbers.map((number) => {
      if (number === null) return null;
      const place = left.findIndex((piece) => this.numbers[piece] === number);
      if (place < 0) throw new Error(`tile ${number} stands in too many places`);
      return left.splice(place, 1)[0];
    });
  }

  write(state) {
    return state.map((piece) => (piece === null ? "_" : this.numbers[piece])).join(" ");
  }

  // --- making a board ---

  empty() {
    return Array(this.cells).fill(null);
  }

  /** The tiles that are not on the board. */
  tray(state) {
    return this.absent(state).filter((tile) => tile !== 0);
  }

  absent(state) {
    const there = new Set(state);
    return state.map((_, tile) => tile).filter((tile) => !there.has(tile));
  }

  /** The piece with this number to put into a cell: the one that is there, or is in the tray; null for no such number. */
  pieceOf(state, number, cell) {
    const known = this.numbers.flatMap((each, piece) => (each === number ? [piece] : []));
    return known.find((piece) => state[cell] === piece) ?? known.find((piece) => !state.includes(piece)) ?? known[0] ?? null;
  }

  /** A tile (or 0, the blank) goes to a cell: from the board in exchange, from the tray in place of what was there. */
  put(state, tile, cell) {
    const from = state.indexOf(tile);
    if (from >= 0) return swapped(state, from, cell);
    return this.filled(replaced(state, cell, tile));
  }

  /** Put the only absent value in the only free cell. */
  filled(state) {
    const places = state.filter((tile) => tile === null).length;
    return places === 1 ? replaced(state, state.indexOf(null), this.absent(state)[0]) : state;
  }

  /** Move the tile of a cell to the tray. The blank goes too if only one cell would be free. */
  take(state, cell) {
    const next = replaced(state, cell, null);
    if (next.filter((tile) => tile === null).length > 1) return next;
    return state[cell] === 0 ? state : next.map((tile) => tile || null);
  }
}

/** "R", "R2" */
function nameOf(way, tiles) {
  return tiles > 1 ? `${way}${tiles}` : way;
}

function swapped(state, one, other) {
  return replaced(replaced(state, one, state[other]), other, state[one]);
}

function replaced(state, cell, value) {
  return state.map((old, place) => (place === cell ? value : old));
}

/** The goal that the variant in a name says, or null for the usual one. */
function goalOf(variant, cells) {
  if (!variant) return null;
  if (variant === "blank-first") return Array.from({ length: cells }, (_, tile) => tile);
  const words = variant.replace(/^goal=/, "").split(",");
  const goal = words.map((word) => (word === "*" ? null : Number(word)));
  const fits = goal.length === cells && goal.every((tile) => tile === null || (tile >= 0 && tile < cells));
  if (!fits) throw new Error(`a goal holds ${cells} numbers from 0 to ${cells - 1}, or *`);
  return goal;
}

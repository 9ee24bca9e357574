/**
 * The rules of Sudoku in the browser, equal to `puzzlelab.puzzles.sudoku` word for word: nothing here draws.
 *
 * A state is an array of N * N numbers, row by row, 0 for a blank. The move `r3c5=7` writes a 7 in row 3, column 5.
 * Sets of digits are the bits of a number, the lowest for digit 1 (there are 25 digits at most).
 */

export const SYMBOLS = "123456789ABCDEFGHIJKLMNOP";
const LOWER = SYMBOLS.toLowerCase();
const BLANKS = ".0_*";
/** The further units, in the order in which the name of a puzzle has them. */
export const FURTHER = ["diagonal", "windoku", "disjoint"];
/** Rows of the smallest jigsaw. */
const SMALLEST_JIGSAW = 3;

/** Sides of a box, smallest and largest. */
const SMALLEST = 2;
const LARGEST = 5;

/** Every shape of box that there is, `{rows, columns}`, ordered by the size of the grid. */
export const SHAPES = [];
for (let rows = SMALLEST; rows <= LARGEST; rows++) {
  for (let columns = SMALLEST; columns <= LARGEST; columns++) SHAPES.push({ rows, columns });
}
SHAPES.sort((a, b) => a.rows * a.columns - b.rows * b.columns || a.rows - b.rows);

/** What comes after `sudoku-` in the name of the puzzle with such boxes. */
export function shapeName({ rows, columns }) {
  const size = rows * columns;
  return `${size}x${size}${rows > columns ? `:boxes=${rows}x${columns}` : ""}`;
}

/**
 * What the canonical name of a puzzle says: `{size, rows, columns, regions, further}`, its boxes or the regions in place
 * of them, and its further units. Throws where there is no such puzzle.
 */
export function partsOf(name) {
  const match = /^sudoku-(\d{1,3})x(\d{1,3})(?::boxes=(\d{1,2})x(\d{1,2})|:jigsaw=([1-9A-P]+))?((?::[a-z]+)*)$/.exec(name);
  const wrong = new Error(`'${name}' is no Sudoku; write sudoku-9x9, or sudoku-6x6:boxes=3x2`);
  if (!match || match[1] !== match[2]) throw wrong;
  const size = Number(match[1]);
  const further = match[6].split(":").filter(Boolean);
  if (further.some((kind, at) => !FURTHER.includes(kind) || further.indexOf(kind) !== at)) throw wrong;
  if (match[5]) {
    if (match[5].length !== size ** 2 || size < SMALLEST_JIGSAW || !"diagonal".startsWith(further.join())) throw wrong;
    return { size, rows: 1, columns: size, regions: match[5], further };
  }
  const fits = ({ rows, columns }) =>
    rows * columns === size &&
    (match[3] ? rows === Number(match[3]) && columns === Number(match[4]) : rows <= columns);
  const shape = SHAPES.find(fits);
  if (!shape || (further.includes("windoku") && shape.rows !== shape.columns)) throw wrong;
  return { size, ...shape, regions: "", further };
}

/** The digits of a set, in order. */
export function digitsOf(set) {
  const digits = [];
  for (let digit = 1; set >> (digit - 1); digit++) if ((set >> (digit - 1)) & 1) digits.push(digit);
  return digits;
}

/** The places of a sign in a text. */
const cellsWith = (text, sign) => [...text].flatMap((each, at) => (each === sign ? [at] : []));

export class Rules {
  constructor(name) {
    const { size, rows, columns, regions, further } = partsOf(name);
    this.name = name;
    this.boxRows = rows;
    this.boxColumns = columns;
    /** The rows and columns of marks in a cell, of what is zoomed in on, and of a jump of the cursor: as in a box. */
    this.blockColumns = regions ? Math.ceil(Math.sqrt(size)) : columns;
    this.blockRows = regions ? Math.ceil(size / this.blockColumns) : rows;
    this.size = size;
    this.cells = size ** 2;
    this.all = 2 ** size - 1;
    this.kinds = this.#kindsOf(regions, further);
    const named = Object.entries(this.kinds).flatMap(([kind, units]) => units.map((_, at) => [kind, `${kind} ${at + 1}`]));
    this.kindOfUnit = named.map(([kind]) => kind);
    this.unitNames = named.map(([, words]) => words);
    this.units = Object.values(this.kinds).flat();
    this.homes = Array.from({ length: this.cells }, () => []);
    this.units.forEach((cells, unit) => cells.forEach((cell) => this.homes[cell].push(unit)));
    /** The box or region of each cell. */
    this.areas = this.homes.map(([, , area]) => area);
    this.peers = this.homes.map((homes, cell) => {
      const seen = new Set(homes.flatMap((unit) => this.units[unit]));
      seen.delete(cell);
      return [...seen];
    });
  }

  /** The units by kind, in the order of the server. */
  #kindsOf(regions, further) {
    const { size, boxRows, boxColumns } = this;
    const numbers = [...Array(size).keys()];
    const at = (row, column) => row * size + column;
    const kinds = {
      row: numbers.map((row) => numbers.map((column) => at(row, column))),
      column: numbers.map((column) => numbers.map((row) => at(row, column))),
    };
    const area = (columns, top, left) => numbers.map((k) => at(top + Math.floor(k / columns), left + (k % columns)));
    const boxes = numbers.map((box) =>
      area(boxColumns, Math.floor(box / boxRows) * boxRows, (box % boxRows) * boxColumns));
    if (regions) kinds.region = numbers.map((region) => cellsWith(regions, SYMBOLS[region]));
    else kinds.box = boxes;
    if (further.includes("diagonal")) {
      kinds.diagonal = [numbers.map((k) => at(k, k)), numbers.map((k) => at(k, size - 1 - k))];
    }
    if (further.includes("windoku")) {
      const starts = numbers.slice(1, boxRows).map((k) => 1 + (k - 1) * (boxRows + 1));
      kinds.window = starts.flatMap((top) => starts.map((left) => area(boxRows, top, left)));
    }
    if (further.includes("disjoint")) {
      kinds["disjoint group"] = numbers.map((place) => boxes.map((box) => box[place]));
    }
    return kinds;
  }

  empty() {
    return new Array(this.cells).fill(0);
  }

  // --- rules ---

  /** For each unit the set of digits in it. */
  held(state) {
    const set = (cell) => (state[cell] ? 1 << (state[cell] - 1) : 0);
    return this.units.map((unit) => unit.reduce((sets, cell) => sets | set(cell), 0));
  }

  /** For each cell the set of digits in its units. */
  seen(state) {
    const held = this.held(state);
    return this.homes.map((units) => units.reduce((sets, unit) => sets | held[unit], 0));
  }

  /** For each cell the set of digits that it could hold without a conflict; empty where it is filled. */
  candidates(state) {
    return this.seen(state).map((seen, cell) => (state[cell] ? 0 : this.all & ~seen));
  }

  /** Names of the moves that write a digit in a blank cell whose units do not hold it. */
  legal(state) {
    return this.candidates(state).flatMap((set, cell) => digitsOf(set).map((digit) => this.moveName(cell, digit)));
  }

  /** The board with one digit more. A conflict is no objection: people make mistakes, and see them marked. */
  apply(state, move) {
    const { cell, digit } = this.readMove(move);
    if (state[cell]) throw new Error(`${move} writes in a cell that is filled`);
    return this.written(state, cell, digit);
  }

  /** The board with this digit in the cell, or 0 for none, whatever stood there. */
  written(state, cell, digit) {
    return state.map((before, at) => (at === cell ? digit : before));
  }

  solved(state) {
    return this.held(state).every((set) => set === this.all);
  }

  /** A board without a clue is none to play or to solve. */
  missing(state) {
    return state.some(Boolean) ? null : "no clue is on the board";
  }

  blanks(state) {
    return state.filter((digit) => !digit).length;
  }

  /** The cells that hold the same digit as another one in one of their units. */
  conflicts(state) {
    return state.flatMap((digit, cell) => (digit && this.rivals(state, cell).length ? [cell] : []));
  }

  /** The cells in conflict with this one. */
  rivals(state, cell) {
    return this.peers[cell].filter((peer) => state[peer] === state[cell]);
  }

  /** Two equal digits in a unit, a cell without a candidate, or a digit without a place in a unit; else null. */
  objection(state) {
    return this.#conflict(state) ?? this.#withoutCandidate(state) ?? this.#withoutPlace(state);
  }

  #conflict(state) {
    for (const [number, unit] of this.units.entries()) {
      const first = [];
      for (const cell of unit) {
        const digit = state[cell];
        if (digit && first[digit] !== undefined) {
          const where = `${this.cellName(first[digit])} and ${this.cellName(cell)}`;
          const text = `${this.unitNames[number]} holds two ${SYMBOLS[digit - 1]}s, in ${where}`;
          return { text, cells: [first[digit], cell], repair: null };
        }
        first[digit] = cell;
      }
    }
    return null;
  }

  #withoutCandidate(state) {
    const cell = this.candidates(state).findIndex((set, at) => !set && !state[at]);
    if (cell < 0) return null;
    const text = `${this.cellName(cell)} has no candidate left: its ${this.#kindsOfCell(cell)} hold every digit`;
    return { text, cells: [cell], repair: null };
  }

  /** The kinds of the units of a cell, such as `row, column and box`. */
  #kindsOfCell(cell) {
    const kinds = [...new Set(this.homes[cell].map((unit) => this.kindOfUnit[unit]))];
    return `${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1)}`;
  }

  #withoutPlace(state) {
    const candidates = this.candidates(state);
    const placed = candidates.map((set, cell) => (state[cell] ? 1 << (state[cell] - 1) : set));
    for (const [number, unit] of this.units.entries()) {
      const missing = this.all & ~unit.reduce((set, cell) => set | placed[cell], 0);
      if (missing) {
        const text = `${this.unitNames[number]} has no place left for a ${SYMBOLS[digitsOf(missing)[0] - 1]}`;
        return { text, cells: unit.filter((cell) => !state[cell]), repair: null };
      }
    }
    return null;
  }

  // --- names and notation ---

  /** The cells of a unit by its name, such as `row 3`. */
  unitCells(name) {
    return this.units[this.unitNames.indexOf(name)] ?? [];
  }

  /** A cell by its row and column from 1, such as `r3c5`. */
  cellName(cell) {
    return `r${Math.floor(cell / this.size) + 1}c${(cell % this.size) + 1}`;
  }

  /** The same in words, for a person who listens. */
  cellWords(cell) {
    return `row ${Math.floor(cell / this.size) + 1}, column ${(cell % this.size) + 1}`;
  }

  moveName(cell, digit) {
    return `${this.cellName(cell)}=${SYMBOLS[digit - 1]}`;
  }

  /** The cell of `r3c5`, of the move `r3c5=7`, or of `r3c5<>7`; -1 where there is none. */
  cellOf(name) {
    const match = /^r([1-9][0-9]?)c([1-9][0-9]?)(?:=|<>|$)/.exec(name);
    if (!match || Math.max(match[1], match[2]) > this.size) return -1;
    return (match[1] - 1) * this.size + Number(match[2]) - 1;
  }

  /** `{cell, digit}` of `r3c5=7`; throws where this puzzle has no such move. */
  readMove(move) {
    const cell = this.cellOf(move);
    const digit = /=[1-9A-P]$/.test(move) ? SYMBOLS.indexOf(move.at(-1)) + 1 : 0;
    if (cell < 0 || !digit || digit > this.size || move !== this.moveName(cell, digit)) {
      throw new Error(`'${move}' is no move; r3c5=7 writes a 7 in row 3, column 5`);
    }
    return { cell, digit };
  }

  /** A board from its canonical notation, one character a cell; throws with the place. */
  read(text) {
    const symbols = [...text.trim()];
    if (!symbols.length) {
      throw new Error(`the board is empty; ${this.name} has ${this.cells} cells, one character each and . for blank`);
    }
    const state = symbols.map((symbol, place) => this.#value(symbol, place));
    if (state.length !== this.cells) {
      throw new Error(`${state.length} cell${state.length === 1 ? "" : "s"} given; ${this.name} has ${this.cells}`);
    }
    return state;
  }

  #value(symbol, place) {
    const value = BLANKS.includes(symbol) ? 0 : Math.max(SYMBOLS.indexOf(symbol), LOWER.indexOf(symbol)) + 1;
    if (value <= this.size && (value || BLANKS.includes(symbol))) return value;
    const top = SYMBOLS[this.size - 1];
    const range = this.size < 10 ? `1 to ${top}` : `1 to 9 and A to ${top}`;
    const where = `character ${place + 1} (${this.cellWords(place)})`;
    throw new Error(`${where}: '${symbol}' is no digit; ${this.name} has ${range}, and . for blank`);
  }

  write(state) {
    return state.map((digit) => (digit ? SYMBOLS[digit - 1] : ".")).join("");
  }

  describeMove(state, move) {
    const { cell, digit } = this.readMove(move);
    return `${SYMBOLS[digit - 1]} in ${this.cellWords(cell)}${this.rivalWords(this.written(state, cell, digit), cell)}`;
  }

  /** With which cells this one is in conflict, for the end of a sentence. */
  rivalWords(state, cell) {
    const rivals = this.rivals(state, cell).map((rival) => this.cellName(rival));
    return rivals.length ? `, conflict with ${rivals.join(" and ")}` : "";
  }

  summary(state) {
    return `${state.filter(Boolean).length} of ${this.cells} cells filled`;
  }
}

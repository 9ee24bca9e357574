/**
 * The rules of Sudoku in the browser, equal to `puzzlelab.puzzles.sudoku` word for word: nothing here draws.
 *
 * A state is an array of N * N numbers, row by row, 0 for a blank. The move `r3c5=7` writes a 7 in row 3, column 5.
 * Sets of digits are the bits of a number, the lowest for digit 1 (there are 25 digits at most).
 */

export const SYMBOLS = "123456789ABCDEFGHIJKLMNOP";
const LOWER = SYMBOLS.toLowerCase();
const BLANKS = ".0_*";
const KINDS = ["row", "column", "box"];

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

/** The boxes `{rows, columns}` of the puzzle with this name; throws where there is no such puzzle. */
export function shapeOf(name) {
  const match = /^sudoku-(\d{1,3})x(\d{1,3})(?::boxes=(\d{1,2})x(\d{1,2}))?$/.exec(name);
  const fits = ({ rows, columns }) =>
    match[1] === match[2] && rows * columns === Number(match[1]) &&
    (match[3] ? rows === Number(match[3]) && columns === Number(match[4]) : rows <= columns);
  const shape = match && SHAPES.find(fits);
  if (!shape) throw new Error(`'${name}' is no Sudoku; write sudoku-9x9, or sudoku-6x6:boxes=3x2`);
  return shape;
}

/** The digits of a set, in order. */
export function digitsOf(set) {
  const digits = [];
  for (let digit = 1; set >> (digit - 1); digit++) if ((set >> (digit - 1)) & 1) digits.push(digit);
  return digits;
}

export class Rules {
  constructor(name) {
    const { rows, columns } = shapeOf(name);
    this.name = name;
    this.boxRows = rows;
    this.boxColumns = columns;
    this.size = rows * columns;
    this.cells = this.size ** 2;
    this.all = 2 ** this.size - 1;
    this.homes = Array.from({ length: this.cells }, (_, cell) => this.#homesOf(cell));
    this.units = Array.from({ length: 3 * this.size }, () => []);
    this.homes.forEach((homes, cell) => homes.forEach((unit) => this.units[unit].push(cell)));
    this.peers = this.homes.map((homes, cell) => {
      const seen = new Set(homes.flatMap((unit) => this.units[unit]));
      seen.delete(cell);
      return [...seen];
    });
  }

  /** The numbers of a cell's row, column and box among all units. */
  #homesOf(cell) {
    const row = Math.floor(cell / this.size);
    const column = cell % this.size;
    const box = Math.floor(row / this.boxRows) * this.boxRows + Math.floor(column / this.boxColumns);
    return [row, this.size + column, 2 * this.size + box];
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

  /** For each cell the set of digits in its row, column and box. */
  seen(state) {
    const held = this.held(state);
    return this.homes.map(([row, column, box]) => held[row] | held[column] | held[box]);
  }

  /** For each cell the set of digits that it could hold without a conflict; empty where it is filled. */
  candidates(state) {
    return this.seen(state).map((seen, cell) => (state[cell] ? 0 : this.all & ~seen));
  }

  /** Names of the moves that write a digit in a blank cell whose row, column and box do not hold it. */
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

  /** The cells that hold the same digit as another one in their row, column or box. */
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
          const text = `${this.unitName(number)} holds two ${SYMBOLS[digit - 1]}s, in ${where}`;
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
    const text = `${this.cellName(cell)} has no candidate left: its row, column and box hold every digit`;
    return { text, cells: [cell], repair: null };
  }

  #withoutPlace(state) {
    const candidates = this.candidates(state);
    const placed = candidates.map((set, cell) => (state[cell] ? 1 << (state[cell] - 1) : set));
    for (const [number, unit] of this.units.entries()) {
      const missing = this.all & ~unit.reduce((set, cell) => set | placed[cell], 0);
      if (missing) {
        const text = `${this.unitName(number)} has no place left for a ${SYMBOLS[digitsOf(missing)[0] - 1]}`;
        return { text, cells: unit.filter((cell) => !state[cell]), repair: null };
      }
    }
    return null;
  }

  // --- names and notation ---

  /** The cells of a unit by its name, such as `row 3`. */
  unitCells(name) {
    return this.units.find((_, number) => this.unitName(number) === name) ?? [];
  }

  unitName(number) {
    return `${KINDS[Math.floor(number / this.size)]} ${(number % this.size) + 1}`;
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

/** Sliding tiles on the page: the fields that name a puzzle, its rules, its texts, and its board. */

import { LARGEST, SMALLEST, TilesRules, variantOf } from "./tiles-rules.js";
import { TilesView } from "./tiles-view.js";

export const fields = [
  { key: "rows", label: "Rows", min: SMALLEST, max: LARGEST },
  { key: "columns", label: "Columns", min: SMALLEST, max: LARGEST },
  {
    key: "moves",
    label: "A move slides",
    options: [{ value: "single", label: "one tile" }, { value: "multi", label: "several tiles" }],
  },
];

export const help = {
  title: "Sliding tiles",
  guide: {
    make: "Drag tiles from the tray to their places, or choose a place and type a number.",
    play: "Slide the tiles into order: press a tile in line with the gap, or an arrow key.",
    watch: "Step through the solution, or let it play.",
  },
  levels: "The higher, the further the tiles are from their places, and the more moves it takes.",
  rules: [
    "Slide tiles into the gap until the numbers are in order and the gap is at the end.",
    "In Play, press a tile in line with the gap, drag it, swipe, or use the arrow keys.",
    "In Edit, put in a puzzle of your own: drag tiles from the tray, or type their numbers.",
    "Hint tells more each time you press it. Solve shows the fewest moves, and proves that fewer are impossible.",
  ],
  keys: [
    ["Up, Down, Left, Right", "slide a tile (Play), go to a cell (Edit)"],
    ["0–9", "type the number of a tile (Edit)"],
    ["Backspace", "take back a move (Play), take a tile away (Edit)"],
  ],
  demo: { puzzle: "tiles-3x3", board: "1 0 2 4 5 3 7 8 6", moves: ["L", "U", "U"] },
};

/** The name of a puzzle; a goal of another size is left out, because it does not fit the board. */
export function nameOf({ rows, columns, goal = "", moves = "single" }) {
  const fits = !goal.startsWith("goal=") || goal.split(",").length === rows * columns;
  const words = [`tiles-${rows}x${columns}`, fits ? goal : "", moves === "multi" ? "moves=multi" : ""];
  return words.filter(Boolean).join(":");
}

export function valuesOf(name) {
  const [, rows, columns, variant] = /^tiles-(\d+)x(\d+)(?::(.+))?$/.exec(name) ?? [null, 4, 4, ""];
  return { rows: Number(rows), columns: Number(columns), ...variantOf(variant ?? "") };
}

export const sizeText = ({ rows, columns, moves }) =>
  `${rows} × ${columns}${moves === "multi" ? ", several tiles a move" : ""}`;

const EVERYWHERE = ["make", "play", "watch"];

const TOOLS = [
  {
    id: "picture",
    label: "Picture",
    hint: "Cut a picture of yours into tiles; it stays in this browser",
    kind: "file",
    accept: "image/*",
    modes: EVERYWHERE,
  },
  {
    id: "numbers",
    label: "Numbers",
    hint: "Numbers in the corners of a picture's tiles",
    kind: "toggle",
    value: true,
    modes: EVERYWHERE,
    after: "picture",
  },
  {
    id: "plain",
    label: "No picture",
    hint: "Tiles with numbers alone again",
    kind: "button",
    modes: EVERYWHERE,
    after: "picture",
    ends: "picture",
  },
];

const SCRAMBLE_MOVES = 24;
const OPPOSITE = { U: "D", D: "U", L: "R", R: "L" };
const DIRECTIONS = { U: "up", D: "down", L: "left", R: "right" };

export function createGame(facts) {
  const rules = TilesRules.named(facts.puzzle);
  return {
    facts,
    tools: TOOLS,
    empty: () => rules.empty(),
    first: () => scrambled(rules),
    read: (text) => rules.read(text),
    write: (state) => rules.write(state),
    missing: (state) => missing(rules, state),
    objection: (state) => objection(rules, state),
    legal: (state) => rules.legal(state),
    apply: (state, move) => rules.apply(state, move),
    solved: (state) => rules.solved(state),
    describeMove: (state, move) => describe(rules, state, move),
    summary: (state) => summary(rules, state),
    mount: (host, hooks) => new TilesView(rules, host, hooks),
  };
}

function describe(rules, state, move) {
  const tiles = rules.line(state.indexOf(0), move).map((cell) => rules.numbers[state[cell]]);
  const way = DIRECTIONS[move[0]];
  if (tiles.length === 1) return `tile ${tiles[0]} slides ${way}`;
  return `tiles ${tiles.slice(0, -1).join(", ")} and ${tiles.at(-1)} slide ${way}`;
}

/** A board that is some 20 moves from the goal: moves that never go back, chosen by a fixed sequence of numbers. */
function scrambled(rules) {
  let [state, last, number] = [rules.whole, "", 7];
  for (let move = 0; move < SCRAMBLE_MOVES; move += 1) {
    const moves = rules.legal(state).filter((each) => each !== backOf(last));
    number = (number * 16_807) % 2_147_483_647;
    last = moves[number % moves.length] ?? backOf(last);
    state = rules.apply(state, last);
  }
  return state;
}

/** The move that undoes this one. */
function backOf(move) {
  return OPPOSITE[move[0]] + move.slice(1);
}

function missing(rules, state) {
  if (!state.includes(null)) return null;
  const count = rules.tray(state).length;
  return `${count} ${count === 1 ? "tile is" : "tiles are"} still in the tray`;
}

/** The objection to a complete board; an incomplete one has none, because its free cells can still make it solvable. */
function objection(rules, state) {
  const text = state.includes(null) ? null : rules.objection(state);
  if (text === null) return null;
  const [one, other] = rules.repairPair();
  const cells = [state.indexOf(one), state.indexOf(other)];
  return { text, cells, repair: { label: `swap ${rules.numbers[one]} and ${rules.numbers[other]}`, state: rules.put(state, one, cells[1]) } };
}

function summary(rules, state) {
  const tiles = rules.cells - 1;
  const onBoard = tiles - rules.tray(state).length;
  if (state.includes(null)) return `${tiles}-puzzle, ${onBoard} of ${tiles} tiles on the board`;
  if (rules.solved(state)) return `${tiles}-puzzle, solved`;
  const home = state.filter((tile, cell) => tile !== 0 && rules.isHome(tile, cell)).length;
  return `${tiles}-puzzle, ${home} of ${tiles} tiles in place`;
}

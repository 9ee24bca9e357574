/** SameGame on the page: the fields that name a puzzle, its rules, its texts, and its board. */

import { COLOURS, icon } from "./samegame-draw.js";
import { FEWEST_COLOURS, MOST_COLOURS, MOST_ROWS, SameGameRules } from "./samegame-rules.js";
import { SameGameView } from "./samegame-view.js";
import { describeMove, summary } from "./samegame-words.js";

/** Columns on offer; a link may name more. The server refuses a board of more than 256 cells. */
const MOST_COLUMNS = 32;

export const fields = [
  { key: "columns", label: "Columns", min: 1, max: MOST_COLUMNS },
  { key: "rows", label: "Rows", min: 1, max: MOST_ROWS },
  { key: "colours", label: "Colours", min: FEWEST_COLOURS, max: MOST_COLOURS },
  {
    key: "rules",
    label: "Rules",
    options: [
      { value: "", label: "compiled" },
      { value: ":batch", label: "for batches, to compare" },
      { value: ":plain", label: "plain, to compare" },
    ],
  },
];

export const style = "samegame.css";

export function nameOf({ columns, rows, colours, rules }) {
  return `samegame-${columns}x${rows}x${colours}${rules}`;
}

export function valuesOf(name) {
  const [, columns, rows, colours, rules] = /^samegame-(\d+)x(\d+)x(\d+)(:batch|:plain)?$/.exec(name) ?? [null, 15, 15, 5];
  return { columns: Number(columns), rows: Number(rows), colours: Number(colours), rules: rules ?? "" };
}

export function createGame(facts) {
  const rules = SameGameRules.named(facts.puzzle);
  return {
    facts,
    tools: toolsFor(rules),
    empty: () => rules.empty(),
    read: (text) => rules.read(text),
    write: (state) => rules.write(state),
    missing: () => null,
    objection: (state) => objection(rules, state),
    legal: (state) => rules.legal(state),
    apply: (state, move) => rules.apply(state, move),
    solved: (state) => rules.solved(state),
    describeMove: (state, move) => describeMove(rules, state, move),
    summary: (state) => summary(rules, state),
    mount: (host, hooks) => new SameGameView(rules, host, hooks),
  };
}

/** Every game ends; a board that is not at rest is not valid yet. */
function objection(rules, state) {
  const unrest = rules.unrest(state);
  return unrest && { ...unrest, repair: { label: "let it settle", state: rules.settled(state) } };
}

/** The palette and the other tools of the editor. */
function toolsFor(rules) {
  const colours = COLOURS.slice(1, rules.colours + 1);
  const options = colours.map((label, place) => {
    const value = place + 1;
    return { value, label, hint: `${label} (${value} or ${String.fromCharCode(96 + value)})`, icon: () => icon(value) };
  });
  options.push({ value: 0, label: "eraser", hint: "take cells out (0 or Delete)", icon: () => icon(0) });
  const settle = { id: "settle", label: "Let it settle", hint: "Cells fall down, then columns close to the left" };
  return [
    { id: "colour", label: "Colour", hint: "What you paint with", kind: "choice", value: 1, options, modes: ["make"] },
    { ...settle, kind: "button", modes: ["make"] },
  ];
}

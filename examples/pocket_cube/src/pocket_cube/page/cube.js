/** The pocket cube on the page: its name, its rules, its texts, and its board. */

import { CubeRules, PLACES } from "./cube-rules.js";
import { CubeView } from "./cube-view.js";

export const fields = [
  {
    key: "rules",
    label: "Rules",
    options: [
      { value: "", label: "compiled" },
      { value: "plain", label: "plain, to compare" },
    ],
  },
];

export const style = "cube.css";

export function nameOf({ rules }) {
  return rules ? `cube-2x2x2:${rules}` : "cube-2x2x2";
}

export function valuesOf(name) {
  return { rules: name.split(":")[1] ?? "" };
}

const FACES = { U: "upper", R: "right", F: "front" };
const TURNS = { "": "turns clockwise", 2: "makes a half turn", "'": "turns counterclockwise" };

export function createGame(facts) {
  const rules = new CubeRules();
  return {
    facts,
    tools: [],
    empty: () => rules.empty(),
    read: (text) => rules.read(text),
    write: (state) => rules.write(state),
    missing: (state) => {
      const count = state.filter((colour) => colour === null).length;
      return count ? `${count} ${count === 1 ? "facelet has" : "facelets have"} no colour yet` : null;
    },
    objection: (state) => objection(rules, state),
    legal: (state) => rules.legal(state),
    apply: (state, move) => rules.apply(state, move),
    solved: (state) => rules.solved(state),
    describeMove: (_state, move) => `the ${FACES[move[0]]} face ${TURNS[move.slice(1)]}`,
    summary: (state) => summary(rules, state),
    mount: (host, hooks) => new CubeView(rules, host, hooks),
  };
}

function objection(rules, state) {
  const found = rules.objection(state);
  return found && { ...found, repair: null };
}

function summary(rules, state) {
  if (rules.solved(state)) return "pocket cube, solved";
  if (state.includes(null) || rules.objection(state)) return "pocket cube";
  return `pocket cube, ${rules.cornersInPlace(state)} of ${PLACES + 1} corners in place`;
}

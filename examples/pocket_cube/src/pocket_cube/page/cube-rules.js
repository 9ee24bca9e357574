/**
 * The rules of the pocket cube, as in rules.py and notation.py. A state has the colours of the 24 facelets, face by face
 * in the order U, R, F, D, L, B; in the editor, null for a facelet without a colour. A move is a permutation of facelets.
 */

export const COLOURS = "URFDLB";
const CORNERS = ["URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB"];
const FIXED = "DBL";
const FACELETS = [[3, 4, 9], [2, 8, 17], [0, 16, 21], [1, 20, 5], [13, 11, 6], [12, 19, 10], [15, 7, 22]];
export const FIXED_FACELETS = [14, 23, 18];
export const PLACES = CORNERS.length;
const OPPOSITE = { U: "D", R: "L", F: "B", D: "U", L: "R", B: "F" };

/** Of a clockwise quarter turn of each face: the place from which each corner comes, and its twist. */
const QUARTER_TURNS = {
  U: [[3, 0, 1, 2, 4, 5, 6], [0, 0, 0, 0, 0, 0, 0]],
  R: [[4, 1, 2, 0, 6, 5, 3], [2, 0, 0, 1, 1, 0, 2]],
  F: [[1, 5, 2, 3, 0, 4, 6], [1, 2, 0, 0, 2, 1, 0]],
};
const TURNS = ["", "2", "'"];
export const MOVES = Object.keys(QUARTER_TURNS).flatMap((face) => TURNS.map((turn) => face + turn));

/** Move -> for each facelet the one whose colour it gets. */
const SOURCES = new Map(MOVES.map((move) => [move, sources(move)]));

function sources(move) {
  const [places, twists] = QUARTER_TURNS[move[0]];
  const quarter = Array.from({ length: 24 }, (_, facelet) => facelet);
  places.forEach((source, place) => {
    FACELETS[source].forEach((facelet, number) => {
      quarter[FACELETS[place][(number + twists[place]) % 3]] = facelet;
    });
  });
  let turned = quarter;
  for (let count = TURNS.indexOf(move.slice(1)); count > 0; count -= 1) turned = turned.map((facelet) => quarter[facelet]);
  return turned;
}

const SOLVED = Object.freeze([...COLOURS].flatMap((colour) => Array(4).fill(colour)));

export class CubeRules {
  empty() {
    return SOLVED.map((colour, facelet) => (FIXED_FACELETS.includes(facelet) ? colour : null));
  }

  /** The state with these colours, or after these turns. Raises `Error` for a text of any other form. */
  read(text) {
    const words = text.trim().split(/\s+/);
    if (words.every((word) => SOURCES.has(word))) return words.reduce((state, move) => this.apply(state, move), SOLVED);
    const letters = words.join("");
    const known = `${COLOURS}.`;
    if (letters.length !== 24) throw new Error(`${letters.length} colours; a cube has 24, four of each of U R F D L B`);
    const wrong = [...letters].find((letter) => !known.includes(letter));
    if (wrong) throw new Error(`'${wrong}' is no colour; colours are U R F D L B`);
    return [...letters].map((letter) => (letter === "." ? null : letter));
  }

  /** The canonical notation, with a dot for a facelet without a colour. */
  write(state) {
    return state.map((colour) => colour ?? ".").join("").match(/.{4}/g).join(" ");
  }

  legal(state) {
    return state.includes(null) ? [] : MOVES;
  }

  apply(state, move) {
    return SOURCES.get(move).map((facelet) => state[facelet]);
  }

  solved(state) {
    return state.every((colour, facelet) => colour === SOLVED[facelet]);
  }

  /** Why these colours are no cube that can be solved: `{text, cells}`, or null. Facelets without a colour are not judged. */
  objection(state) {
    if (state.includes(null)) return null;
    const wrong = [...COLOURS]
      .map((colour) => [state.filter((each) => each === colour).length, colour])
      .filter(([count]) => count !== 4);
    if (wrong.length) {
      const counts = wrong.map(([count, colour]) => `${count} of ${colour}`).join(", ");
      return { text: `each colour has 4 facelets; here are ${counts}`, cells: [] };
    }
    const fixed = FIXED_FACELETS.map((facelet) => state[facelet]).join("");
    if (fixed !== FIXED) {
      const text = `corner ${FIXED}: the colours here are ${fixed}; turn the whole cube until they are ${FIXED}`;
      return { text, cells: FIXED_FACELETS };
    }
    return this.#objectionToCorners(this.corners(state));
  }

  #objectionToCorners(found) {
    for (const [place, { corner, colours }] of found.entries()) {
      const first = found.findIndex((other) => other.corner === corner);
      const why =
        corner < 0 ? whyImpossible(colours)
        : first < place ? `the corner ${CORNERS[corner]} is here and at ${CORNERS[first]}`
        : null;
      if (why) return { text: `corner ${CORNERS[place]}: ${why}`, cells: FACELETS[place] };
    }
    const thirds = found.reduce((sum, { twist }) => sum + twist, 0) % 3;
    const text =
      `twisted corner: the twists of all corners add up to ${thirds}/3 of a turn, which no move changes; ` +
      "a corner was twisted by hand";
    return thirds ? { text, cells: [] } : null;
  }

  /** The corner at each place with its twist, and its colours; the corner is -1 where there is no such one. */
  corners(state) {
    return FACELETS.map((facelets) => {
      const colours = facelets.map((facelet) => state[facelet]).join("");
      const turned = [0, 1, 2].map((twist) => colours.slice(twist) + colours.slice(0, twist));
      const twist = turned.findIndex((each) => CORNERS.includes(each));
      return { colours, twist, corner: twist < 0 ? -1 : CORNERS.indexOf(turned[twist]) };
    });
  }

  cornersInPlace(state) {
    return 1 + this.corners(state).filter(({ corner, twist }, place) => corner === place && twist === 0).length;
  }
}

/** Why no corner that can move has these three colours in this order; the sentences of notation.py. */
function whyImpossible(found) {
  for (const colour of found) {
    if (found.split(colour).length > 2) return `${found} has the colour ${colour} more than once`;
    if (found.includes(OPPOSITE[colour])) {
      return `${found} has the colours ${colour} and ${OPPOSITE[colour]}, which lie on opposite faces`;
    }
  }
  const alike = (corner) => [...corner].every((colour) => found.includes(colour));
  if (alike(FIXED)) return `${found} has the colours of the corner ${FIXED}, which is at its own place`;
  return `${found} is the mirror image of a corner: clockwise its colours are ${CORNERS.find(alike)}`;
}

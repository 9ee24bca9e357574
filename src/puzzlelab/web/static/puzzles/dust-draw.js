/** Drawing of cells of dust: each colour has its own shape, and cells of a cluster are joined. No state here. */

import { UNIT, set, svg } from "./grid.js";

/** By number; the first is no colour. Letters are those of the command line. `path` lies in a cell of 100 x 100. */
export const COLOURS = [
  { name: "empty", letter: ".", shape: "gap", path: "" },
  { name: "red", letter: "R", shape: "circle", path: "M50 27A23 23 0 1 1 50 73A23 23 0 1 1 50 27Z" },
  { name: "green", letter: "G", shape: "triangle", path: "M50 25 77 71H23Z" },
  { name: "blue", letter: "B", shape: "square", path: "M30 30H70V70H30Z" },
  {
    name: "yellow",
    letter: "Y",
    shape: "star",
    path: "M50 20 57.6 41.5 80.4 42.1 62.4 56 68.8 77.9 50 65 31.2 77.9 37.6 56 19.6 42.1 42.4 41.5Z",
  },
  { name: "orange", letter: "O", shape: "diamond", path: "M50 20 76 50 50 80 24 50Z" },
  { name: "purple", letter: "P", shape: "plus", path: "M42 24H58V42H76V58H58V76H42V58H24V42H42Z" },
  {
    name: "cyan",
    letter: "C",
    shape: "ring",
    path: "M50 23A27 27 0 1 1 50 77A27 27 0 1 1 50 23ZM50 37A13 13 0 1 0 50 63A13 13 0 1 0 50 37Z",
  },
  { name: "magenta", letter: "M", shape: "pair of bars", path: "M31 24H44V76H31ZM56 24H69V76H56Z" },
  {
    name: "white",
    letter: "W",
    shape: "cross",
    path: "M34 25 50 41 66 25 75 34 59 50 75 66 66 75 50 59 34 75 25 66 41 50 25 34Z",
  },
];

const INSET = 4;
const ROUND = 20;
/** The overlap of joined cells, so that no hairline shows between them. */
const OVERLAP = 0.4;

/** A piece of this colour as a group at the origin; `join` gives its outline. */
export function drawPiece(colour) {
  return svg(
    "g",
    { class: `dust-c${colour}` },
    svg("path", { class: "dust-body" }),
    svg("path", { class: "dust-edge" }),
    svg("path", { class: "dust-shape", d: COLOURS[colour].path }),
  );
}

/** Join a piece with its neighbours; `sides`: booleans for left, right, below, above, and for the four corners. */
export function join(piece, sides) {
  const key = sides.map(Number).join("");
  if (piece.dataset.sides === key) return;
  piece.dataset.sides = key;
  const { body, edge } = outline(sides);
  set(piece.children[0], { d: body });
  set(piece.children[1], { d: edge });
}

/** Body and free edges of a cell: round where both sides are free, a notch where only the corner between is. */
function outline([left, right, below, above, leftBelow, rightBelow, leftAbove, rightAbove]) {
  const [west, north, east, south] = [INSET, INSET, UNIT - INSET, UNIT - INSET];
  const bends = [
    bend(west, north, [0, 1], [1, 0], left, above, leftAbove),
    bend(east, north, [-1, 0], [0, 1], above, right, rightAbove),
    bend(east, south, [0, -1], [-1, 0], right, below, rightBelow),
    bend(west, south, [1, 0], [0, -1], below, left, leftBelow),
  ];
  const joined = [above, right, below, left];
  const body = bends.map(({ path }, place) => `${place ? "L" : "M"}${path}`).join("");
  const edge = bends.map(({ drawn, last }, place) => {
    const side = joined[place] ? "" : `M${last}L${bends[(place + 1) % 4].first}`;
    return (drawn ? `M${drawn}` : "") + side;
  });
  return { body: `${body}Z`, edge: edge.join("") };
}

/**
 * One corner, clockwise. (x, y): where it lies; `back` and `ahead`: the ways along the sides before and after it;
 * `before`, `after` and `across`: whether the neighbours at these sides and at the corner belong to the piece.
 */
function bend(x, y, back, ahead, before, after, across) {
  const reach = INSET + OVERLAP;
  const at = (forth, sideways) => {
    return `${x + ahead[0] * forth + back[0] * sideways} ${y + ahead[1] * forth + back[1] * sideways}`;
  };
  if (!before && !after) {
    const path = `${at(0, ROUND)}Q${at(0, 0)} ${at(ROUND, 0)}`;
    return { path, drawn: path, first: at(0, ROUND), last: at(ROUND, 0) };
  }
  if (before && after) {
    const notch = `${at(-reach, 0)}L${at(0, 0)}L${at(0, -reach)}`;
    return across ? { path: at(-reach, -reach) } : { path: notch, drawn: notch };
  }
  const end = before ? at(-reach, 0) : at(0, -reach);
  return { path: end, first: end, last: end };
}

/** The border of a set of cells; `spot(cell)` gives the upper left corner of a cell. */
export function border(rules, cells, spot) {
  const inside = new Set(cells);
  const sides = (cell) => {
    const [x, y] = spot(cell);
    const [left, right, below, above] = rules.around(cell).map((other) => other === null || !inside.has(other));
    return [
      left && `M${x} ${y}v${UNIT}`,
      right && `M${x + UNIT} ${y}v${UNIT}`,
      above && `M${x} ${y}h${UNIT}`,
      below && `M${x} ${y + UNIT}h${UNIT}`,
    ];
  };
  return cells.flatMap(sides).filter(Boolean).join("");
}

/** A small arrow in the corner of a cell, in the direction in which a piece will move. */
export function arrow(dx, dy) {
  const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
  return svg(
    "g",
    { class: "dust-arrow" },
    svg("circle", { cx: 75, cy: 25, r: 17 }),
    svg("path", { d: "M64 25H84M76 17 85 25 76 33", transform: `rotate(${angle} 75 25)` }),
  );
}

/** A colour for the palette, or the eraser (0). */
export function icon(colour) {
  const size = { viewBox: "0 0 100 100", width: 28, height: 28 };
  const image = svg("svg", { ...size, class: "dust-icon", "aria-hidden": "true" });
  if (colour === 0) {
    image.append(svg("path", { class: "dust-eraser", d: "M12 12H88V88H12ZM34 34 66 66M66 34 34 66" }));
    return image;
  }
  const piece = drawPiece(colour);
  join(piece, Array(8).fill(false));
  image.append(piece);
  return image;
}

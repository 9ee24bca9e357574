/** A step of logic as it is drawn over the board: where to look and, with `isWhole`, what follows from what. */

import { UNIT, label, svg } from "./grid.js";
import { markPlace, markSize } from "./sudoku-pencil-marks.js";
import { SYMBOLS } from "./sudoku-rules.js";

/** Kinds of cells and candidates that are told apart by their looks. */
const ROLES = 4;
/** How much larger than its digit the ground of a candidate is. */
const GROUND = 0.62;

/** The elements of a step. */
export function stepDrawing(rules, step, isWhole) {
  const places = [...step.units.map((each) => unitOutline(rules, each)), ...step.cells.map((each) => cellGround(rules, each))];
  if (!isWhole) return [...places, ...(places.length ? [] : chainCells(rules, step))];
  const marks = [
    ...step.candidates.map(({ candidate, role }) => [candidate, `role-${role % ROLES}`]),
    ...step.nodes.flatMap(({ candidates, on }) => candidates.map((name) => [name, on ? "on" : "off"])),
    ...step.eliminations.map((name) => [name.replace("<>", "="), "out"]),
    ...step.placements.map((name) => [name, "in"]),
  ];
  const last = new Map(marks);
  return [...places, ...step.links.map((link) => linkPath(rules, step.nodes, link)),
    ...[...last].map(([name, kind]) => candidateMark(rules, name, kind))];
}

function corner(rules, cell) {
  return { x: (cell % rules.size) * UNIT, y: Math.floor(cell / rules.size) * UNIT };
}

/** The outline of a unit: one around all of it if it is a rectangle, else one around each cell. */
function unitOutline(rules, { unit }) {
  const corners = rules.unitCells(unit).map((cell) => corner(rules, cell));
  const [x, y] = ["x", "y"].map((axis) => Math.min(...corners.map((each) => each[axis])));
  const [width, height] = [[x, "x"], [y, "y"]].map(([least, axis]) =>
    Math.max(...corners.map((each) => each[axis])) - least + UNIT);
  const outline = (area) => svg("rect", { class: "sudoku-step-unit", rx: 8, ...area });
  if (width * height === corners.length * UNIT * UNIT) return outline({ x, y, width, height });
  return svg("g", {}, ...corners.map((each) => outline({ ...each, width: UNIT, height: UNIT })));
}

function cellGround(rules, { cell, role }) {
  const { x, y } = corner(rules, rules.cellOf(cell));
  return svg("rect", { class: `sudoku-step-cell sudoku-step-role-${role % ROLES}`, x, y, width: UNIT, height: UNIT });
}

/** The cells of a chain, which has no other place. */
function chainCells(rules, { nodes, candidates }) {
  const names = [...nodes.flatMap((node) => node.candidates), ...candidates.map(({ candidate }) => candidate)];
  const cells = new Set(names.map((name) => name.split("=")[0]));
  return [...cells].map((cell) => cellGround(rules, { cell, role: 0 }));
}

function placeOf(rules, name) {
  const { cell, digit } = rules.readMove(name);
  const from = corner(rules, cell);
  const { x, y } = markPlace(rules, digit);
  return { x: from.x + x, y: from.y + y, digit };
}

function candidateMark(rules, name, kind) {
  const { x, y, digit } = placeOf(rules, name);
  const size = markSize(rules);
  const group = svg("g", { class: `sudoku-step-mark sudoku-step-${kind}` },
    svg("circle", { cx: x, cy: y, r: size * GROUND }), label(SYMBOLS[digit - 1], x, y, size));
  if (kind === "out") group.append(svg("path", { d: `M${x - size / 2} ${y + size / 2}l${size} ${-size}` }));
  return group;
}

function linkPath(rules, nodes, { start, end, strong }) {
  const [from, to] = [nodes[start], nodes[end]].map((node) => placeOf(rules, node.candidates[0]));
  const bend = UNIT * 0.18; // so that links on one line can be told apart
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [x, y] = [(from.x + to.x) / 2 - ((to.y - from.y) / length) * bend, (from.y + to.y) / 2 + ((to.x - from.x) / length) * bend];
  return svg("path", { class: `sudoku-step-link${strong ? "" : " sudoku-step-weak"}`, d: `M${from.x} ${from.y}Q${x} ${y} ${to.x} ${to.y}` });
}

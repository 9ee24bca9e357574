/** The race table: two lines for each solver, with its numbers, its result as a sentence, and its buttons. */

import { byId, el } from "../dom.js";
import { boundOf, claimText, compactNumber, duration, valueOf } from "../format.js";

const CELLS = ["Cells", "At least"];
const HEADS = { moves: ["Moves", "At least"], cost: ["Cost", "At least"], score: ["Score", "At most"] };

/** `watch(row)` shows the solution of a row; `again(row)` runs its solver once more. */
export function mountSolverTable(store, race, watch, again) {
  const table = byId("race");
  const partsByRow = new Map(); // the parts of each row by its id

  function partsFor(row) {
    if (!partsByRow.has(row.id)) partsByRow.set(row.id, newParts(row, { race, watch, again }, store));
    return partsByRow.get(row.id);
  }

  store.watch(["rows", "facts", "line"], ({ rows, facts, line }) => {
    for (const [id, { body }] of partsByRow) {
      if (rows.some((row) => row.id === id)) continue;
      body.remove();
      partsByRow.delete(id);
    }
    for (const [at, row] of rows.entries()) {
      const parts = partsFor(row);
      if (table.tBodies[at] !== parts.body) table.insertBefore(parts.body, table.tBodies[at] ?? null);
      parts.buttons.watch.dataset.testid = `watch-${at + 1}`;
      fill(parts, row, facts, line?.id === row.id);
    }
    if (facts) (facts.shows_board ? CELLS : HEADS[facts.objective]).forEach((text, at) => setText(byId(`race-head-${at + 1}`), text));
    table.hidden = !rows.length;
    byId("stop-all").hidden = rows.filter(({ status }) => status !== "done").length === 0;
  });
}

function newParts(row, { race, watch, again }, store) {
  const current = () => store.get().rows.find(({ id }) => id === row.id);
  const cells = ["moves", "bound", "time", "nodes"].map((name) => el("td", { "data-part": name }));
  const claimElement = el("span", { "data-part": "claim" });
  const button = (text, press, testId) => {
    const label = `${text}: ${row.solver}`;
    const properties = { textContent: text, "data-testid": testId, "aria-label": label };
    return el("button", { type: "button", ...properties, on: { click: press } });
  };
  const buttons = {
    watch: button("Watch", () => watch(current())),
    stop: button("Stop", () => race.stop(row.id), "stop"),
    again: button("Try again", () => again(current()), "again"),
  };
  const actions = el("span", { className: "row-actions" });
  const head = el("th", { scope: "row", textContent: row.solver, title: row.solver });
  buttons.place = actions;
  const line = el("td", { colspan: "5" }, el("div", { className: "row-claim" }, claimElement, actions));
  const lines = [el("tr", {}, head, ...cells), el("tr", { className: "claim" }, line)];
  const body = el("tbody", { "data-solver": row.solver }, ...lines);
  return { body, cells, claimElement, buttons };
}

function fill({ body, cells, claimElement, buttons }, row, facts, watched) {
  const texts = [
    row.moves ? shortNumber(valueOf(row, facts), facts) : "–",
    boundOf(row, facts) === null ? "–" : shortNumber(boundOf(row, facts), facts),
    duration(row.seconds),
    compactNumber(row.expanded),
  ];
  cells.forEach((cell, at) => setText(cell, texts[at]));
  setText(claimElement, claimText(row, facts));
  body.dataset.status = row.error ? "failed" : row.status;
  body.dataset.proof = row.status === "done" ? row.proof ?? "none" : "";
  body.classList.toggle("watched", watched);
  showButtons(buttons, [row.moves && "watch", row.status !== "done" && "stop", row.error && "again"]);
}

/** Show only the buttons that have an effect; the focus stays among them. */
function showButtons({ place, ...buttons }, names) {
  const visible = names.filter(Boolean).map((name) => buttons[name]);
  if (visible.length === place.children.length && visible.every((button, at) => button === place.children[at])) return;
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...visible);
  if (hadFocus) visible[0]?.focus();
}

/** A number of moves in a narrow column; costs and scores have all their digits. */
function shortNumber(number, { objective }) {
  return objective === "moves" ? compactNumber(number) : number.toLocaleString("en");
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

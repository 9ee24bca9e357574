/** The race table: two lines for each solver, its numbers, and what it claims with what can be done about it. */

import { byId, el } from "../dom.js";
import { brief, claim, duration } from "../words.js";

/** `watch(row)` shows what a row found; `again(row)` runs its solver once more. */
export function mountRace(store, race, watch, again) {
  const table = byId("race");
  const shown = new Map(); // the parts of each row by its id

  function partsOf(row) {
    if (!shown.has(row.id)) shown.set(row.id, newParts(row, { race, watch, again }, store));
    return shown.get(row.id);
  }

  store.watch(["rows", "facts", "line"], ({ rows, facts, line }) => {
    for (const [id, { body }] of shown) {
      if (rows.some((row) => row.id === id)) continue;
      body.remove();
      shown.delete(id);
    }
    for (const [at, row] of rows.entries()) {
      const parts = partsOf(row);
      if (table.tBodies[at] !== parts.body) table.insertBefore(parts.body, table.tBodies[at] ?? null);
      parts.buttons.watch.dataset.testid = `watch-${at + 1}`;
      fill(parts, row, facts, line?.id === row.id);
    }
    table.hidden = !rows.length;
    byId("stop-all").hidden = rows.filter(({ status }) => status !== "done").length === 0;
  });
}

function newParts(row, { race, watch, again }, store) {
  const current = () => store.get().rows.find(({ id }) => id === row.id);
  const cells = ["moves", "bound", "time", "nodes"].map((name) => el("td", { "data-part": name }));
  const said = el("span", { "data-part": "claim" });
  const button = (text, press, testId) => {
    const label = `${text}: ${row.solver}`;
    const named = { textContent: text, "data-testid": testId, "aria-label": label };
    return el("button", { type: "button", ...named, on: { click: press } });
  };
  const buttons = {
    watch: button("Watch", () => watch(current())),
    stop: button("Stop", () => race.stop(row.id), "stop"),
    again: button("Try again", () => again(current()), "again"),
  };
  const actions = el("span", { className: "row-actions" });
  const head = el("th", { scope: "row", textContent: row.solver, title: row.solver });
  buttons.place = actions;
  const line = el("td", { colspan: "5" }, el("div", { className: "row-claim" }, said, actions));
  const lines = [el("tr", {}, head, ...cells), el("tr", { className: "claim" }, line)];
  const body = el("tbody", { "data-solver": row.solver }, ...lines);
  return { body, cells, said, buttons };
}

function fill({ body, cells, said, buttons }, row, facts, watched) {
  const texts = [
    row.moves ? brief(row.length) : "–",
    facts.shows_board || !row.lower_bound ? "–" : brief(row.lower_bound),
    duration(row.seconds),
    brief(row.expanded),
  ];
  cells.forEach((cell, at) => put(cell, texts[at]));
  put(said, claim(row, facts));
  body.dataset.status = row.error ? "failed" : row.status;
  body.dataset.proof = row.status === "done" ? row.proof ?? "none" : "";
  body.classList.toggle("watched", watched);
  offer(buttons, [row.moves && "watch", row.status !== "done" && "stop", row.error && "again"]);
}

/** Only the buttons that do something are there; the focus stays among them. */
function offer({ place, ...buttons }, names) {
  const wanted = names.filter(Boolean).map((name) => buttons[name]);
  if (wanted.length === place.children.length && wanted.every((button, at) => button === place.children[at])) return;
  const held = place.contains(document.activeElement);
  place.replaceChildren(...wanted);
  if (held) wanted[0]?.focus();
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The header: tabs of the families, and the fields that name a puzzle of the family. */

import { byId, choices, el } from "../dom.js";

/** `open(name, board)` turns to another puzzle; the board of a family is there again when a person comes back to it. */
export function mountHeader(store, open) {
  const tabs = byId("families");
  const fields = byId("fields");

  const left = new Map();

  function turn(entry) {
    const { family, facts, game, draft } = store.get();
    if (entry.family === family) return;
    if (facts) left.set(family, [facts.puzzle, game.write(draft)]);
    open(...(left.get(entry.family) ?? [entry.names[0], ""]));
  }

  store.watch(["catalog", "family"], ({ catalog, family }) => {
    if (!catalog) return;
    const held = tabs.contains(document.activeElement);
    tabs.replaceChildren(...catalog.puzzles.map((entry) => tabOf(entry, family, () => turn(entry))));
    if (held) tabs.querySelector("[aria-pressed=true]")?.focus();
  });

  store.watch(["facts"], ({ facts, module }) => {
    if (!facts) return;
    document.title = `${facts.puzzle} · puzzlelab`;
    const held = fields.contains(document.activeElement) ? document.activeElement.name : "";
    const values = module.valuesOf(facts.puzzle);
    fields.replaceChildren(...module.fields.map((field) => fieldOf(field, values, (value) => {
      open(module.nameOf({ ...values, [field.key]: value }));
    })));
    if (held) fields.querySelector(`[name="${CSS.escape(held)}"]`)?.focus();
  });
}

function tabOf(entry, family, turn) {
  const name = entry.family;
  return el("button", {
    type: "button",
    textContent: name[0].toUpperCase() + name.slice(1),
    title: entry.about,
    "data-testid": `family-${name}`,
    "aria-pressed": String(name === family),
    on: { click: turn },
  });
}

/** A list for a choice, and for a small range of numbers too: one press instead of typing. */
function fieldOf(field, values, changed) {
  const options = field.options ?? range(field).map((value) => ({ value, label: String(value) }));
  const select = el("select", { name: field.key, "data-testid": `field-${field.key}` });
  choices(select, options.map(({ value, label }) => [String(value), label]), String(values[field.key]));
  select.addEventListener("change", () => {
    changed(options.find(({ value }) => String(value) === select.value).value);
  });
  return el("label", {}, field.label, " ", select);
}

const range = ({ min, max }) => Array.from({ length: max - min + 1 }, (_, at) => min + at);

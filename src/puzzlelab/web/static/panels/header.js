/** The header: tabs of the families, and the fields that name a puzzle of the family. */

import { byId, fillSelect, el } from "../dom.js";

/** `open(name)` opens another puzzle as it was left. */
export function mountHeader(store, open) {
  const tabs = byId("families");
  const fields = byId("fields");

  const size = byId("size");
  document.addEventListener("pointerdown", ({ target }) => size.contains(target) || (size.open = false));
  document.addEventListener("keydown", ({ key }) => key === "Escape" && (size.open = false));

  const lastNames = new Map(); // family -> the puzzle of it that was open last

  function openFamily(entry) {
    const { family, facts } = store.get();
    if (entry.family === family) return;
    if (facts) lastNames.set(family, facts.puzzle);
    open(lastNames.get(entry.family) ?? entry.names[0]);
  }

  store.watch(["catalog", "family"], ({ catalog, family }) => {
    if (!catalog) return;
    const focused = tabs.contains(document.activeElement);
    tabs.replaceChildren(...catalog.puzzles.map((entry) => tabOf(entry, family, () => openFamily(entry))));
    if (focused) tabs.querySelector("[aria-pressed=true]")?.focus();
  });

  store.watch(["facts"], ({ facts, module }) => {
    if (!facts) return;
    document.title = `${facts.puzzle} · puzzlelab`;
    const focused = fields.contains(document.activeElement) ? document.activeElement.name : "";
    const values = module.valuesOf(facts.puzzle);
    byId("size-text").textContent = module.sizeText?.(values) ?? facts.puzzle;
    size.open = false;
    fields.replaceChildren(...module.fields.map((field) => fieldOf(field, values, (value) => {
      open(module.nameOf({ ...values, [field.key]: value }));
    })));
    if (focused) fields.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
  });
}

function tabOf(entry, family, openFamily) {
  const name = entry.family;
  return el("button", {
    type: "button",
    textContent: name[0].toUpperCase() + name.slice(1),
    title: entry.about,
    "data-testid": `family-${name}`,
    "aria-pressed": String(name === family),
    on: { click: openFamily },
  });
}

/** A list for a choice, and for a small range of numbers too: one press instead of typing. */
function fieldOf(field, values, changed) {
  const listed = typeof field.options === "function" ? field.options(values) : field.options;
  const options = listed ?? range(field).map((value) => ({ value, label: String(value) }));
  const select = el("select", { name: field.key, "data-testid": `field-${field.key}` });
  fillSelect(select, options.map(({ value, label }) => [String(value), label]), String(values[field.key]));
  select.addEventListener("change", () => {
    changed(options.find(({ value }) => String(value) === select.value).value);
  });
  return el("label", {}, field.label, " ", select);
}

const range = ({ min, max }) => Array.from({ length: max - min + 1 }, (_, at) => min + at);

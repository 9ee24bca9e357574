/** The tools that a game brings along, as controls over the board; each says in which modes it is of use. */

import { byId, choices, el } from "../dom.js";

const MODES = ["make", "play", "watch"];

/** `use(id, value)` hands a tool to the view. */
export function mountTools(store, use) {
  const place = byId("tools");

  store.watch(["game"], ({ game }) => {
    place.replaceChildren(...(game?.tools ?? []).map((tool) => made(tool, use)));
  });
  store.watch(["game", "mode"], ({ game, mode }) => {
    (game?.tools ?? []).forEach((tool, at) => {
      place.children[at].hidden = !(tool.modes ?? MODES).includes(mode);
    });
    place.hidden = [...place.children].every((child) => child.hidden);
  });
}

function made(tool, use) {
  if (tool.kind === "choice") return choiceOf(tool, use);
  if (tool.kind === "file") return fileOf(tool, use);
  return tool.kind === "toggle" ? toggleOf(tool, use) : buttonOf(tool, use);
}

const named = ({ id, hint }) => ({ "data-testid": `tool-${id}`, title: hint ?? "" });

function buttonOf(tool, use) {
  return el("button", { type: "button", textContent: tool.label, ...named(tool), on: { click: () => use(tool.id) } });
}

function toggleOf(tool, use) {
  const button = el("button", { type: "button", textContent: tool.label, ...named(tool) });
  button.setAttribute("aria-pressed", String(Boolean(tool.value)));
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    use(tool.id, on);
  });
  return button;
}

function choiceOf(tool, use) {
  const select = el("select", named(tool));
  choices(select, tool.options.map(({ value, label }) => [String(value), label]), tool.value === undefined ? undefined : String(tool.value));
  select.addEventListener("change", () => {
    use(tool.id, tool.options.find(({ value }) => String(value) === select.value).value);
  });
  return el("label", {}, tool.label, " ", select);
}

function fileOf(tool, use) {
  const input = el("input", { type: "file", accept: tool.accept ?? "", className: "hidden", ...named(tool) });
  input.addEventListener("change", () => {
    if (input.files[0]) use(tool.id, input.files[0]);
    input.value = "";
  });
  return el("label", { className: "button", title: tool.hint ?? "" }, tool.label, input);
}

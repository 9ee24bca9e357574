/**
 * The tools that a game brings along, as controls over the board. Each says in which `modes` it is of use, `after`
 * which other tool was used, and of which one it `ends` the use.
 */

import { byId, choices, el } from "../dom.js";

const MODES = ["make", "play", "watch"];
const MOST_BUTTONS = 12;

/** `use(id, value)` hands a tool to the view. */
export function mountTools(store, use) {
  const place = byId("tools");
  let used = new Set();

  function offer({ game, mode }) {
    (game?.tools ?? []).forEach(({ modes = MODES, after }, at) => {
      place.children[at].hidden = !modes.includes(mode) || (after !== undefined && !used.has(after));
    });
    place.hidden = [...place.children].every((child) => child.hidden);
  }

  const using = (tool) => (id, value) => {
    use(id, value);
    used.add(id);
    used.delete(tool.ends);
    offer(store.get());
  };
  store.watch(["game"], ({ game }) => {
    used = new Set();
    place.replaceChildren(...(game?.tools ?? []).map((tool) => made(tool, using(tool))));
  });
  store.watch(["game", "mode"], offer);
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

/** Few options are buttons side by side, with their icons if they have any; many are a list. */
function choiceOf(tool, use) {
  return tool.options.length > MOST_BUTTONS ? listOf(tool, use) : paletteOf(tool, use);
}

function paletteOf(tool, use) {
  const buttons = tool.options.map((option) => {
    const properties = {
      type: "button",
      title: option.hint ?? option.label,
      "data-testid": `tool-${tool.id}-${option.value}`,
      "aria-label": option.label,
      "aria-pressed": String(option.value === tool.value),
    };
    const button = el("button", properties, option.icon?.() ?? option.label);
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      use(tool.id, option.value);
    });
    return button;
  });
  const group = { className: "segments palette", role: "group", "aria-label": tool.label, title: tool.hint ?? "" };
  return el("div", group, ...buttons);
}

function listOf(tool, use) {
  const select = el("select", named(tool));
  const entries = tool.options.map(({ value, label }) => [String(value), label]);
  choices(select, entries, String(tool.value ?? tool.options[0].value));
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

/**
 * The tools of a game, as controls above the board. `modes`: the modes in which a tool is shown; `after`: another tool
 * that must have been used before; `ends`: another tool whose use it ends.
 */

import { byId, fillSelect, el } from "../dom.js";

const MODES = ["make", "play", "watch"];
const MOST_BUTTONS = 12;

/** `use(id, value)` passes a tool to the view. */
export function mountTools(store, use) {
  const place = byId("tools");
  let usedTools = new Set();

  function offer({ game, mode }) {
    (game?.tools ?? []).forEach(({ modes = MODES, after }, at) => {
      place.children[at].hidden = !modes.includes(mode) || (after !== undefined && !usedTools.has(after));
    });
    place.hidden = [...place.children].every((child) => child.hidden);
  }

  const using = (tool) => (id, value) => {
    use(id, value);
    usedTools.add(id);
    usedTools.delete(tool.ends);
    offer(store.get());
  };
  store.watch(["game"], ({ game }) => {
    usedTools = new Set();
    place.replaceChildren(...(game?.tools ?? []).map((tool) => createTool(tool, using(tool))));
  });
  store.watch(["game", "mode"], offer);
}

function createTool(tool, use) {
  if (tool.kind === "choice") return choiceOf(tool, use);
  if (tool.kind === "file") return fileOf(tool, use);
  return tool.kind === "toggle" ? toggleOf(tool, use) : buttonOf(tool, use);
}

const attributes = ({ id, hint }) => ({ "data-testid": `tool-${id}`, title: hint ?? "" });

function buttonOf(tool, use) {
  const on = { click: () => use(tool.id) };
  return el("button", { type: "button", textContent: tool.label, ...attributes(tool), on });
}

function toggleOf(tool, use) {
  const button = el("button", { type: "button", textContent: tool.label, ...attributes(tool) });
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
  const select = el("select", attributes(tool));
  const entries = tool.options.map(({ value, label }) => [String(value), label]);
  fillSelect(select, entries, String(tool.value ?? tool.options[0].value));
  select.addEventListener("change", () => {
    use(tool.id, tool.options.find(({ value }) => String(value) === select.value).value);
  });
  return el("label", {}, tool.label, " ", select);
}

function fileOf(tool, use) {
  const input = el("input", { type: "file", accept: tool.accept ?? "", className: "hidden", ...attributes(tool) });
  input.addEventListener("change", () => {
    if (input.files[0]) use(tool.id, input.files[0]);
    input.value = "";
  });
  return el("label", { className: "button", title: tool.hint ?? "" }, tool.label, input);
}

/** New boards: levels to press, and behind *More* the kinds of boards, any difficulty, and seeds. */

import { get, isAborted, newRequest } from "../api.js";
import { byId, closeByPressOutside, el, fillSelect, showText } from "../dom.js";

/** Kinds of new boards as people call them; the note below the choice tells what the scale counts. */
const KINDS = {
  level: "By difficulty",
  "walk-to-level": "Shuffled to a difficulty",
  uniform: "Any board",
  walk: "Shuffled",
  distance: "By fewest moves",
  optimum: "By fewest clicks",
  backwards: "Built backwards",
  blind: "Several solutions",
  clues: "By clues",
  minimal: "No clue too many",
  rating: "By logic",
};
/** Levels that are offered as buttons; of more than these, as many at equal distances. */
const MOST_LEVELS = 9;
const FEW_LEVELS = 5;
/** Random seeds are below this number, so that they are short enough to read out. */
const SEEDS = 1_000_000;

/** Returns `open()`, which offers new boards. */
export function mountNew(store, session, say) {
  const [dialog, scale, level, seed] = ["new-dialog", "scale", "level", "seed"].map(byId);
  const chosenScale = () => store.get().facts.scales.find(({ name }) => name === scale.value);
  const usualScale = ({ scales }) => scales.find((one) => one.usual) ?? scales[0];

  function open() {
    showText(byId("random-error"), "");
    byId("new-more").open = false;
    dialog.showModal();
  }

  function showScale() {
    const { about, levels } = chosenScale();
    byId("level-field").hidden = !levels;
    [level.min, level.max] = levels ?? ["", ""];
    level.placeholder = levels ? `${levels[0]}–${levels[1]}` : "";
    byId("scale-about").textContent = about;
  }

  async function make(query) {
    showText(byId("random-error"), "");
    const wait = setTimeout(() => showText(byId("random-error"), "Making a board …"), 400);
    try {
      const { facts, game } = store.get();
      const [{ board }] = await get("generate", { puzzle: facts.puzzle, ...query }, newRequest("generate"));
      if (store.get().game !== game) return;
      dialog.close();
      await session.present(await game.read(board));
      say(query.level ? `New puzzle of difficulty ${query.level}.` : "New puzzle.");
    } catch (error) {
      if (!isAborted(error)) showText(byId("random-error"), error.message);
    } finally {
      clearTimeout(wait);
    }
  }

  const anySeed = () => Math.floor(Math.random() * SEEDS);

  function buttonOf(text, name, value) {
    const label = value === "" ? text : `Difficulty ${text}`;
    const properties = { textContent: text, "aria-label": label, "data-testid": `level-${value || "any"}` };
    return pressed({ className: value === "" ? "any" : "", ...properties }, { scale: name, level: value });
  }

  /** A kind of boards that has a name, and what it means. */
  function choiceOf({ name, about, query }) {
    const properties = { "aria-label": `${name}: ${about}`, "data-testid": `choice-${name.toLowerCase()}` };
    const button = pressed({ className: "choice", ...properties }, query);
    button.append(name, el("small", {}, about));
    return button;
  }

  const pressed = (properties, query) =>
    el("button", { type: "button", ...properties, on: { click: () => make({ ...query, seed: anySeed() }) } });

  store.watch(["facts"], ({ facts, module }) => {
    if (!facts) return;
    byId("new").hidden = byId("win-new").hidden = !facts.scales.length;
    if (!facts.scales.length) return;
    const usual = usualScale(facts);
    fillSelect(scale, facts.scales.map(({ name }) => [name, KINDS[name] ?? name]), usual.name);
    [level.value, seed.value] = ["", ""];
    showScale();
    const choices = (module.help?.choices ?? []).filter(({ scale }) => facts.scales.some(({ name }) => name === scale));
    const levels = choices.length ? choices.map(choiceOf)
      : levelsOf(usual).map((each) => buttonOf(String(each), usual.name, each));
    byId("levels").replaceChildren(...levels, buttonOf("Any", usual.name, ""));
    showText(byId("levels-about"), choices.length ? "" : module.help?.levels ?? usual.about);
  });

  for (const id of ["new", "win-new"]) byId(id).addEventListener("click", open);
  closeByPressOutside(dialog);
  scale.addEventListener("change", showScale);
  byId("random-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = chosenScale();
    make({ scale: chosen.name, level: chosen.levels ? level.value : "", seed: seed.value === "" ? anySeed() : seed.value });
  });
}

/** The levels of a scale to press: all of them, or some from the lowest to the highest. */
function levelsOf({ levels }) {
  if (!levels) return [];
  const [least, most] = levels;
  const count = most - least + 1 <= MOST_LEVELS ? most - least + 1 : FEW_LEVELS;
  const step = count > 1 ? (most - least) / (count - 1) : 0;
  return Array.from({ length: count }, (_, at) => Math.round(least + at * step));
}

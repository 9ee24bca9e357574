/** Putting a board in: typed or pasted, at random, from the examples; and what is to be said of it while it is made. */

import { drop, dropped, get, only } from "../api.js";
import { byId, choices, el, later, takesKeys, tell } from "../dom.js";
import { solutionsInWords } from "../words.js";

const PAUSE = 350;
const MOST_SOLUTIONS = 100;
const COUNT_SECONDS = 2;
/** Longest random seed; short enough to be read out. */
const SEEDS = 1_000_000;

export function mountMake(store, session, say, attempt) {
  mountPaste(store, session, say);
  store.watch(["facts"], () => {
    for (const id of ["paste-error", "random-error"]) tell(byId(id), "");
    byId("paste").removeAttribute("aria-invalid");
  });
  mountRandom(store, session, say);
  mountExamples(store, session);
  mountObjection(store, session, say);
  mountSolutions(store);
  byId("clear").addEventListener("click", () => attempt(async () => session.edit(await store.get().game.empty())));
}

function mountPaste(store, session, say) {
  const field = byId("paste");
  const read = async () => {
    tell(byId("paste-error"), "");
    field.removeAttribute("aria-invalid");
    try {
      await session.paste(field.value);
      say("The board was read.");
    } catch (error) {
      if (dropped(error)) return;
      tell(byId("paste-error"), error.message);
      field.setAttribute("aria-invalid", "true");
      say(error.message, { seen: true });
    }
  };
  byId("paste-form").addEventListener("submit", (event) => {
    event.preventDefault();
    read();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) read();
  });
  document.addEventListener("paste", (event) => {
    if (store.get().mode !== "make" || takesKeys(event.target)) return;
    field.value = event.clipboardData.getData("text/plain");
    if (field.value) read();
  });
}

function mountRandom(store, session, say) {
  const [scale, level, seed] = [byId("scale"), byId("level"), byId("seed")];
  const chosen = () => store.get().facts.scales.find(({ name }) => name === scale.value);

  function showScale() {
    const { about, levels } = chosen();
    byId("level-field").hidden = !levels;
    [level.min, level.max] = levels ?? ["", ""];
    level.placeholder = levels ? `${levels[0]}–${levels[1]}` : "";
    byId("scale-about").textContent = about;
  }

  store.watch(["facts"], ({ facts }) => {
    if (!facts) return;
    byId("random-form").hidden = !facts.scales.length;
    if (!facts.scales.length) return;
    const usual = facts.scales.find((one) => one.usual) ?? facts.scales[0];
    choices(scale, facts.scales.map(({ name }) => [name, name]), usual.name);
    [level.value, seed.value] = ["", ""];
    showScale();
  });
  scale.addEventListener("change", showScale);

  byId("random-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    tell(byId("random-error"), "");
    const asked = { scale: scale.value, level: chosen().levels ? level.value : "" };
    asked.seed = seed.value === "" ? Math.floor(Math.random() * SEEDS) : seed.value;
    say("Making a board …");
    try {
      const [{ board }] = await get("generate", { puzzle: store.get().facts.puzzle, ...asked }, only("generate"));
      await session.edit(await store.get().game.read(board));
      say(`A board with the seed ${asked.seed}.`);
    } catch (error) {
      if (dropped(error)) return;
      say("");
      tell(byId("random-error"), error.message);
    }
  });
}

function mountExamples(store, session) {
  store.watch(["facts"], ({ facts, game }) => {
    byId("examples-part").hidden = !facts?.examples.length;
    byId("examples").replaceChildren(...(facts?.examples ?? []).map(({ name, board, about }) => {
      const put = async () => session.edit(await game.read(board));
      const named = { textContent: name, "data-testid": `example-${name}` };
      const button = el("button", { type: "button", ...named, on: { click: put } });
      return el("li", {}, button, el("span", { className: "muted", textContent: about }));
    }));
  });
}

function mountObjection(store, session, say) {
  const repair = byId("repair");
  store.watch(["missing", "objection"], ({ missing, objection }) => {
    tell(byId("missing"), missing);
    byId("objection").hidden = !objection;
    const text = objection ? `As it stands, this board cannot be solved: ${objection.text}` : "";
    byId("objection-text").textContent = text;
    repair.hidden = !objection?.repair;
    repair.textContent = objection?.repair ? sentenceCase(objection.repair.label) : "";
    if (text) say(text, { seen: true });
  });
  repair.addEventListener("click", () => session.edit(store.get().objection.repair.state));
}

const sentenceCase = (text) => text[0].toUpperCase() + text.slice(1);

/** For puzzles with one solution: how many there are now, a moment after each change. */
function mountSolutions(store) {
  const place = byId("solutions");
  const count = later(async () => {
    const { facts, game, draft } = store.get();
    const asked = { puzzle: facts.puzzle, board: game.write(draft), most: MOST_SOLUTIONS, time: COUNT_SECONDS };
    try {
      const [told] = await get("count", asked, only("count"));
      tell(place, solutionsInWords(told));
    } catch (error) {
      if (!dropped(error)) tell(place, error.message);
    }
  }, PAUSE);
  store.watch(["draft", "missing", "objection", "mode", "facts"], ({ facts, draft, missing, objection, mode }) => {
    drop("count");
    count.cancel();
    const wanted = facts?.one_way && draft && !missing && !objection && mode === "make";
    tell(place, wanted ? "Counting solutions …" : "");
    if (wanted) count();
  });
}

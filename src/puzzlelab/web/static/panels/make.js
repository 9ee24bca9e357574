/** The editor panel: boards that are typed, pasted, random or examples; objections, and the number of solutions. */

import { abortRequest, isAborted, get, newRequest } from "../api.js";
import { byId, fillSelect, el, debounce, ownsKeys, showText } from "../dom.js";
import { solutionsInWords } from "../format.js";

const PAUSE = 350;
const MAX_FILE_BYTES = 2 ** 20;
const MOST_SOLUTIONS = 100;
const COUNT_SECONDS = 2;
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
};
/** Random seeds are below this number, so that they are short enough to read out. */
const SEEDS = 1_000_000;

export function mountMake(store, session, say, attempt) {
  mountPaste(store, session, say);
  store.watch(["facts"], () => {
    showText(byId("random-error"), "");
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
    showText(byId("paste-error"), "");
    field.removeAttribute("aria-invalid");
    try {
      const { facts } = store.get();
      const count = await session.paste(field.value);
      const { puzzle } = store.get().facts;
      if (count > 1) say(`${count} boards were read; they are in the list.`);
      else say(puzzle === facts.puzzle ? "The board was read." : `This is a board of ${puzzle}, which is open now.`);
    } catch (error) {
      if (isAborted(error)) return;
      showText(byId("paste-error"), error.message);
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
    if (ownsKeys(event.target)) return;
    field.value = event.clipboardData.getData("text/plain");
    if (field.value) read();
  });
  mountFile(async (file) => {
    if (file.size > MAX_FILE_BYTES) return say(`${file.name} is too large: at most ${MAX_FILE_BYTES >> 20} MB are read here.`);
    field.value = await file.text();
    return read();
  });
}

/** Files with boards: one that is chosen, or dropped on the page. */
function mountFile(read) {
  const input = byId("open-file");
  input.addEventListener("change", () => {
    if (input.files[0]) read(input.files[0]);
    input.value = "";
  });
  const isText = ({ types }) => types.includes("Files");
  document.addEventListener("dragover", (event) => isText(event.dataTransfer) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    const file = [...event.dataTransfer.files].find(({ type }) => !type.startsWith("image/"));
    if (!file || event.defaultPrevented) return;
    event.preventDefault();
    read(file);
  });
}

function mountRandom(store, session, say) {
  const [scale, level, seed] = [byId("scale"), byId("level"), byId("seed")];
  const chosenScale = () => store.get().facts.scales.find(({ name }) => name === scale.value);

  function showScale() {
    const { about, levels } = chosenScale();
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
    fillSelect(scale, facts.scales.map(({ name }) => [name, KINDS[name] ?? name]), usual.name);
    [level.value, seed.value] = ["", ""];
    showScale();
  });
  scale.addEventListener("change", showScale);

  byId("random-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    showText(byId("random-error"), "");
    const query = { scale: scale.value, level: chosenScale().levels ? level.value : "" };
    query.seed = seed.value === "" ? Math.floor(Math.random() * SEEDS) : seed.value;
    say("Making a board …");
    try {
      const [{ board }] = await get("generate", { puzzle: store.get().facts.puzzle, ...query }, newRequest("generate"));
      await session.edit(await store.get().game.read(board));
      say(`A board with the seed ${query.seed}.`);
    } catch (error) {
      if (isAborted(error)) return;
      say("");
      showText(byId("random-error"), error.message);
    }
  });
}

function mountExamples(store, session) {
  store.watch(["facts"], ({ facts, game }) => {
    byId("examples-part").hidden = !facts?.examples.length;
    byId("examples").replaceChildren(...(facts?.examples ?? []).map(({ name, board, about }) => {
      const put = async () => session.edit(await game.read(board));
      const properties = { textContent: name, "data-testid": `example-${name}` };
      const button = el("button", { type: "button", ...properties, on: { click: put } });
      return el("li", {}, button, el("span", { className: "muted", textContent: about }));
    }));
  });
}

function mountObjection(store, session, say) {
  const repair = byId("repair");
  store.watch(["missing", "objection"], ({ missing, objection }) => {
    showText(byId("missing"), missing);
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

/** For puzzles whose boards should have one solution: count the solutions, a moment after each change. */
function mountSolutions(store) {
  const place = byId("solutions");
  const count = debounce(async () => {
    const { facts, game, draft } = store.get();
    const query = { puzzle: facts.puzzle, board: game.write(draft), most: MOST_SOLUTIONS, time: COUNT_SECONDS };
    try {
      const [answer] = await get("count", query, newRequest("count"));
      showText(place, solutionsInWords(answer));
    } catch (error) {
      if (!isAborted(error)) showText(place, error.message);
    }
  }, PAUSE);
  store.watch(["draft", "missing", "objection", "mode", "facts"], ({ facts, draft, missing, objection, mode }) => {
    abortRequest("count");
    count.cancel();
    const needed = facts?.one_way && draft && !missing && !objection && mode === "make";
    showText(place, needed ? "Counting solutions …" : "");
    if (needed) count();
  });
}

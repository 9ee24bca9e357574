/** The editor panel: boards that are typed, pasted or examples; objections, and the number of solutions. */

import { abortRequest, isAborted, get, newRequest } from "../api.js";
import { byId, el, debounce, ownsKeys, showText } from "../dom.js";
import { solutionsInWords } from "../format.js";

const PAUSE = 80;
const PHOTO = "A photo cannot be read. Type the board in Edit, or paste it as text.";
const MAX_FILE_BYTES = 2 ** 20;
const MOST_SOLUTIONS = 100;
const COUNT_SECONDS = 2;

export function mountMake(store, session, say, attempt) {
  mountPaste(store, session, say);
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
      say(error.message, { seen: store.get().mode === "make" }); // elsewhere the field is not there
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
    if (file.type.startsWith("image/")) return say(PHOTO);
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
    const [file] = event.dataTransfer.files;
    if (!file || event.defaultPrevented) return;
    event.preventDefault();
    read(file);
  });
}

function mountExamples(store, session) {
  store.watch(["facts"], ({ facts, game }) => {
    byId("examples-part").hidden = !facts?.examples.length;
    byId("examples").replaceChildren(...(facts?.examples ?? []).map(({ name, board, about }) => {
      const put = async () => session.present(await game.read(board));
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

/**
 * For puzzles whose boards should have one solution: count the solutions, a moment after each change, and of several find
 * what each cell is in some of them. The editor always shows the number, and on the board the cells that are open; who
 * plays is told of a board that has none or several.
 */
function mountSolutions(store) {
  const place = byId("solutions");
  let counted = { draft: null, sentence: "", isOne: true };

  const tell = ({ mode, draft }) => {
    const isOf = counted.draft === draft;
    if (mode === "make") showText(place, isOf ? counted.sentence : "Counting solutions …");
    else showText(place, isOf && !counted.isOne ? counted.sentence : "");
  };

  const count = debounce(async () => {
    const { facts, game, draft } = store.get();
    const query = { puzzle: facts.puzzle, board: game.write(draft), time: COUNT_SECONDS };
    try {
      const signal = newRequest("count");
      const [answer] = await get("count", { ...query, most: MOST_SOLUTIONS }, signal);
      counted = { draft, sentence: solutionsInWords(answer), isOne: answer.solutions === 1 };
      if (answer.solutions > 1 && facts.has_candidates) {
        tell(store.get());
        const [found] = await get("candidates", query, signal);
        counted = { ...counted, sentence: solutionsInWords(answer, found) };
        store.set({ found: { draft, ...found } });
      }
    } catch (error) {
      if (isAborted(error)) return;
      counted = { draft, sentence: error.message, isOne: true };
    }
    tell(store.get());
  }, PAUSE);

  store.watch(["draft", "missing", "objection", "mode", "facts"], (state) => {
    const { facts, draft, missing, objection } = state;
    if (counted.draft === draft) return tell(state);
    abortRequest("count");
    count.cancel();
    if (!facts?.one_way || !draft || missing || objection) return showText(place, "");
    tell(state);
    return count();
  });
}

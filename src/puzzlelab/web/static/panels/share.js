/** The link to the current page, and downloads of its moves and its board, also in the forms of other programs. */

import { get, getText, newRequest } from "../api.js";
import { byId, copyText, debounce, download, fillSelect } from "../dom.js";
import { currentScene } from "../store.js";

/** Moves are written a moment after the last one. */
const PAUSE_MS = 120;

/**
 * `updateAddress` writes the current state of the page into the address, `replay(moves)` plays from the board. Returns
 * what copies the link.
 */
export function mountShare(store, updateAddress, replay, say, attempt) {
  const share = async () => {
    updateAddress();
    say((await copyText(location.href)) ? "The link is copied." : `The link: ${location.href}`);
  };
  byId("copy-link").addEventListener("click", share);
  byId("save-text").addEventListener("click", () => save(store, "txt", "text/plain", textOf, say));
  byId("save-json").addEventListener("click", () => save(store, "json", "application/json", jsonOf, say));
  byId("save-svg").addEventListener("click", () => attempt(async () => {
    const { facts, game, ...state } = store.get();
    const query = { puzzle: facts.puzzle, board: game.write(currentScene(state).state) };
    download(`${fileName(facts)}.svg`, await getText("svg", query), "image/svg+xml");
  }));
  mountForms(store, say, attempt);
  mountMoves(store, replay, say, attempt);
  return share;
}

/** The forms of the board that is played, which are asked for when they can be seen. */
function mountForms(store, say, attempt) {
  const select = byId("board-form"), panel = byId("advanced");
  let forms = [], owner = null;
  const list = () => attempt(async () => {
    const { facts } = store.get();
    if (!facts || !panel.open || owner === facts.puzzle) return;
    forms = await get("forms", { puzzle: facts.puzzle }, newRequest("forms"));
    owner = facts.puzzle;
    fillSelect(select, forms.map(({ name, about }) => [name, `${name}: ${about}`]));
  });
  const write = async () => {
    const { facts, game, draft } = store.get();
    return getText("write", { puzzle: facts.puzzle, board: game.write(draft), form: select.value });
  };
  panel.addEventListener("toggle", list);
  store.watch(["facts"], list);
  byId("copy-board").addEventListener("click", () => attempt(async () => {
    const text = await write();
    say((await copyText(text)) ? "The board is copied." : text);
  }));
  byId("save-board").addEventListener("click", () => attempt(async () => {
    const { ending } = forms.find(({ name }) => name === select.value);
    download(`${fileName(store.get().facts)}${ending || ".txt"}`, await write(), "text/plain");
  }));
}

/** The moves as text in a form of the puzzle, which can be copied, and another text of moves in its place, played. */
function mountMoves(store, replay, say, attempt) {
  const select = byId("moves-form"), text = byId("moves-text"), panel = byId("advanced");
  const choice = () => select.value.split(": ");
  let isTyped = false; // a text that is not played yet stays
  const write = debounce(async () => {
    const { facts, game, draft, line, ...state } = store.get();
    if (!facts || !panel.open || byId("moves-bar").hidden || isTyped) return;
    const moves = movesOf({ line, ...state });
    if (!moves) {
      text.value = "";
      return;
    }
    const board = game.write(moves === line?.moves ? line.start.state : draft);
    const [letters, form] = choice();
    const query = { puzzle: facts.puzzle, board, moves: moves.join(" "), form, form_letters: letters };
    const answer = await get("moves", query, newRequest("moves")).catch(() => null); // not asked for: no error is shown
    if (answer && !isTyped) text.value = answer.text;
  }, PAUSE_MS);
  panel.addEventListener("toggle", write);
  select.addEventListener("change", write);
  store.watch(["facts"], ({ facts }) => {
    const forms = Object.entries(facts?.move_forms ?? {});
    const names = forms.flatMap(([letters, about]) => Object.keys(about).map((form) => `${letters}: ${form}`));
    byId("moves-bar").hidden = !names.length;
    fillSelect(select, names.map((name) => [name, name]));
  });
  store.watch(["facts", "draft", "trail", "line", "mode"], () => {
    isTyped = false;
    write();
  });
  text.addEventListener("input", () => (isTyped = text.value !== ""));
  byId("copy-moves").addEventListener("click", async () => {
    say((await copyText(text.value)) ? "The moves are copied." : text.value);
  });
  byId("moves-bar").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(async () => {
      const { facts, game, draft } = store.get();
      const query = { puzzle: facts.puzzle, board: game.write(draft), moves: text.value, letters: choice()[0] };
      const { moves } = await get("moves", query);
      store.set({ mode: "play", playing: false });
      await replay(moves);
      say(`${moves.length} moves are played.`);
    });
  });
}

function save(store, extension, type, write, say) {
  const text = write(store.get());
  if (text === null) say("There are no moves yet: play some, or press Solve.");
  else download(`${fileName(store.get().facts)}.${extension}`, text, type);
}

const fileName = ({ puzzle }) => puzzle.replace(/[^A-Za-z0-9.-]+/g, "_");

/** The moves of the solution that is watched, or else those that were played. */
function movesOf({ mode, line, trail }) {
  const playedMoves = trail.steps[trail.at]?.moves ?? [];
  if (line && (mode === "watch" || !playedMoves.length)) return line.moves;
  return playedMoves.length ? playedMoves : null;
}

function textOf(state) {
  const moves = movesOf(state);
  return moves && `${moves.join(" ")}\n`;
}

function jsonOf(state) {
  const moves = movesOf(state);
  if (!moves) return null;
  const { facts, game, draft, rows, line } = state;
  const answer = moves === line?.moves ? rows.find(({ id }) => id === line.id)?.answer : null;
  const played = { puzzle: facts.puzzle, board: game.write(draft), moves, length: moves.length };
  return `${JSON.stringify(answer ?? played)}\n`;
}

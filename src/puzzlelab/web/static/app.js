/** Starts the page: creates and connects its parts, and shows the board of the address. */

import * as address from "./address.js";
import { isAborted, get, setMaxSeconds } from "./api.js";
import { byId, showText } from "./dom.js";
import { createInsight } from "./insight.js";
import { mountHeader } from "./panels/header.js";
import { mountInsight } from "./panels/insight.js";
import { mountMake } from "./panels/make.js";
import { mountPlay } from "./panels/play.js";
import { mountRace } from "./panels/race.js";
import { mountShare } from "./panels/share.js";
import { mountSolve } from "./panels/solve.js";
import { mountTools } from "./panels/tools.js";
import { mountWatch } from "./panels/watch.js";
import { createPlay } from "./play.js";
import { createPlayer } from "./player.js";
import { createRace } from "./race.js";
import { createSession } from "./session.js";
import { createBoardView } from "./board-view.js";
import { createStore, EMPTY, currentScene } from "./store.js";
import { mountTheme } from "./theme.js";
import { claimText, solutionInWords } from "./format.js";

const DEFAULT_PUZZLE = "tiles-4x4";
/** The board of an address without one: one of Korf's hundred (1985). */
const DEFAULT_BOARD = "10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3";

const store = createStore(EMPTY);
/** Show a sentence in the status line; one that is `seen` elsewhere on the page is only for screen readers. */
const say = (sentence, { seen = false } = {}) => {
  const status = byId("status");
  status.textContent = sentence;
  status.classList.toggle("hidden", seen);
};

/** The row to watch when its search is over: `{id, step, mode}`, with the mode in which the search was started. */
let rowToWatch = null;

const race = createRace(store, (row) => {
  if (rowToWatch?.id !== row.id || row.status !== "done") return;
  if (!row.moves) say(row.error ?? `No solution: ${claimText(row, store.get().facts)}.`);
  else if (store.get().mode === rowToWatch.mode) tryAndReport(() => watch(row, rowToWatch.step));
});
const session = createSession(store, race, say);
const play = createPlay(store, say);
const player = createPlayer(store);

/** Do something that may fail; an error is shown above the page, with a button to try again. */
async function tryAndReport(work) {
  try {
    store.set({ problem: null });
    await work();
  } catch (error) {
    if (isAborted(error)) return;
    store.set({ problem: { text: error.message, again: error.busy ? () => tryAndReport(work) : null } });
  }
}

function solve(solver, seconds, step = 0) {
  say(`Solving with ${solver}.`);
  store.set({ solver });
  rowToWatch = { id: race.start(solver, seconds), step, mode: store.get().mode };
}

async function watch(row, step = 0) {
  const fromSolveButton = document.activeElement.closest("#race, #solve-form button");
  await session.watch(row, step);
  if (fromSolveButton) byId("play").focus({ preventScroll: true }); // so that Space plays, and does not solve again
  say(`A solution of ${solutionInWords(row, store.get().facts)}.`);
}

/** Load the puzzles and solvers of this server, and its limits. */
async function loadCatalog() {
  const [catalog, limits] = await Promise.all([get("list"), get("limits")]);
  setMaxSeconds(limits);
  store.set({ catalog, limits });
}

/** Show the board of the address; a part that cannot be shown is reported, and the rest is shown. */
async function show(link) {
  const { catalog } = store.get();
  if (!catalog) await loadCatalog();
  try {
    await session.open(link.puzzle || DEFAULT_PUZZLE);
  } catch (error) {
    if (!link.puzzle || error.busy) throw error;
    await session.open(DEFAULT_PUZZLE);
    throw new Error(`The link cannot be shown: ${error.message}`);
  }
  if (!link.puzzle) await session.paste(DEFAULT_BOARD);
  if (link.board) await showBoard(link).catch((error) => {
    throw new Error(`The link cannot be shown: ${error.message}`);
  });
}

async function showBoard(link) {
  await session.paste(link.board);
  session.mode(link.mode);
  if (link.mode === "play") await play.replay(link.moves);
  if (link.solver) store.set({ solver: link.solver });
  if (link.mode === "watch" && link.solver && store.get().mode === "watch") solve(link.solver, "", link.step);
}

function mountParts() {
  let insight = null;
  const panel = mountInsight(store, () => insight);
  insight = createInsight(store, panel.setError);
  const hooks = {
    edited: (state) => tryAndReport(() => session.edit(state)),
    played: play.move,
    rewrote: play.rewrite,
    undo: play.undo,
    redo: play.redo,
    say,
  };
  const boardView = createBoardView(byId("board"), store, insight, hooks);
  mountHeader(store, (name, board) => tryAndReport(async () => {
    await session.open(name);
    if (board) await session.paste(board);
  }));
  mountTools(store, boardView.tool);
  mountMake(store, session, say, tryAndReport);
  mountPlay(store, play, say);
  mountWatch(store, player);
  mountSolve(store, session, race, solve, say);
  mountRace(store, race, (row) => tryAndReport(() => watch(row)), (row) => solve(row.solver, row.query?.time ?? ""));
  mountShare(store, address.follow(store), say, tryAndReport);
}

function mountFrame() {
  mountTheme(byId("theme"));
  for (const button of document.querySelectorAll("[data-mode-name]")) {
    button.addEventListener("click", () => session.mode(button.dataset.modeName));
  }
  store.watch(["mode"], ({ mode }) => {
    for (const button of document.querySelectorAll("[data-mode-name]")) {
      button.setAttribute("aria-pressed", String(button.dataset.modeName === mode));
    }
    document.body.dataset.mode = mode;
  });
  store.watch(["problem"], ({ problem }) => {
    byId("problem").hidden = !problem;
    showText(byId("problem-text"), problem?.text);
    byId("problem-again").hidden = !problem?.again;
    if (problem) say(problem.text, { seen: true });
  });
  byId("problem-again").addEventListener("click", () => store.get().problem.again());
  byId("problem-close").addEventListener("click", () => store.set({ problem: null }));
  store.watch(["draft", "trail", "line", "step", "mode"], async (state) => {
    if (state.game && state.draft) byId("summary").textContent = await state.game.summary(currentScene(state).state);
  });
}

async function start() {
  mountFrame();
  mountParts();
  await tryAndReport(() => show(address.read(location.hash)));
  window.addEventListener("hashchange", () => tryAndReport(() => show(address.read(location.hash))));
  document.documentElement.dataset.ready = "true";
}

start();

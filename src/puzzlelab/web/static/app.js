/** Starts the page: makes the parts, joins them, and shows what the address asks for. */

import * as address from "./address.js";
import { dropped, get, within } from "./api.js";
import { byId, tell } from "./dom.js";
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
import { createStage } from "./stage.js";
import { createStore, EMPTY, shown } from "./store.js";
import { mountTheme } from "./theme.js";
import { claim } from "./words.js";

const FIRST = "tiles-4x4";
/** What a person sees who asks for nothing: a board of Korf's hundred (1985). */
const FIRST_BOARD = "10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3";

const store = createStore(EMPTY);
/** Tell a sentence; one that is `seen` elsewhere on the page is told here to screen readers alone. */
const say = (sentence, { seen = false } = {}) => {
  const status = byId("status");
  status.textContent = sentence;
  status.classList.toggle("hidden", seen);
};

/** The row to be watched when its search is over: `{id, step, mode}`, with the mode that it was asked in. */
let awaited = null;

const race = createRace(store, (row) => {
  if (awaited?.id !== row.id || row.status !== "done") return;
  if (!row.moves) say(row.error ?? `No solution: ${claim(row, store.get().facts)}.`);
  else if (store.get().mode === awaited.mode) attempt(() => watch(row, awaited.step));
});
const session = createSession(store, race, say);
const play = createPlay(store, say);
const player = createPlayer(store);

/** Do something that may fail; what went wrong is told over the page, with a button to do it again. */
async function attempt(work) {
  try {
    store.set({ problem: null });
    await work();
  } catch (error) {
    if (dropped(error)) return;
    store.set({ problem: { text: error.message, again: error.busy ? () => attempt(work) : null } });
  }
}

function solve(solver, seconds, step = 0) {
  say(`Solving with ${solver}.`);
  store.set({ solver });
  awaited = { id: race.start(solver, seconds), step, mode: store.get().mode };
}

async function watch(row, step = 0) {
  const asked = document.activeElement.closest("#race, #solve-form button");
  await session.watch(row, step);
  if (asked) byId("play").focus({ preventScroll: true }); // so that Space plays, and does not solve again
  say(`A solution of ${row.length} moves.`);
}

/** What there is on this server, and how much of it may be used. */
async function greet() {
  const [catalog, limits] = await Promise.all([get("list"), get("limits")]);
  within(limits);
  store.set({ catalog, limits });
}

/** Show what the address says; what cannot be shown of it is told, and the rest is. */
async function show(said) {
  const { catalog } = store.get();
  if (!catalog) await greet();
  try {
    await session.open(said.puzzle || FIRST);
  } catch (error) {
    if (!said.puzzle || error.busy) throw error;
    await session.open(FIRST);
    throw new Error(`The link cannot be shown: ${error.message}`);
  }
  if (!said.puzzle) await session.paste(FIRST_BOARD);
  if (said.board) await showBoard(said).catch((error) => {
    throw new Error(`The link cannot be shown: ${error.message}`);
  });
}

async function showBoard(said) {
  await session.paste(said.board);
  session.mode(said.mode);
  if (said.mode === "play") await play.replay(said.moves);
  if (said.solver) store.set({ solver: said.solver });
  if (said.mode === "watch" && said.solver && store.get().mode === "watch") solve(said.solver, "", said.step);
}

function mountParts() {
  let insight = null;
  const panel = mountInsight(store, () => insight);
  insight = createInsight(store, panel.said);
  const hooks = {
    edited: (state) => attempt(() => session.edit(state)),
    played: play.move,
    rewrote: play.rewrite,
    undo: play.undo,
    redo: play.redo,
    say,
  };
  const stage = createStage(byId("board"), store, insight, hooks);
  mountHeader(store, (name, board) => attempt(async () => {
    await session.open(name);
    if (board) await session.paste(board);
  }));
  mountTools(store, stage.tool);
  mountMake(store, session, say, attempt);
  mountPlay(store, play, say);
  mountWatch(store, player);
  mountSolve(store, session, race, solve, say);
  mountRace(store, race, (row) => attempt(() => watch(row)), (row) => solve(row.solver, row.asked?.time ?? ""));
  mountShare(store, address.follow(store), say, attempt);
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
    tell(byId("problem-text"), problem?.text);
    byId("problem-again").hidden = !problem?.again;
    if (problem) say(problem.text, { seen: true });
  });
  byId("problem-again").addEventListener("click", () => store.get().problem.again());
  byId("problem-close").addEventListener("click", () => store.set({ problem: null }));
  store.watch(["draft", "trail", "line", "step", "mode"], async (state) => {
    if (state.game && state.draft) byId("summary").textContent = await state.game.summary(shown(state).state);
  });
}

async function start() {
  mountFrame();
  mountParts();
  await attempt(() => show(address.read(location.hash)));
  window.addEventListener("hashchange", () => attempt(() => show(address.read(location.hash))));
  document.documentElement.dataset.ready = "true";
}

start();

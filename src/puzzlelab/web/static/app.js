/** Starts the page: creates and connects its parts, and shows the board of the address. */

import * as address from "./address.js";
import { isAborted, get, setMaxSeconds } from "./api.js";
import { byId, copyText, debounce, showText } from "./dom.js";
import { createClock } from "./clock.js";
import { createHistory } from "./history.js";
import { keepOpen } from "./kept.js";
import { createMoveValues } from "./move-values.js";
import { mountBoards } from "./panels/boards.js";
import { mountHeader } from "./panels/header.js";
import { mountHelp } from "./panels/help.js";
import { mountMoveValues } from "./panels/move-values.js";
import { mountMake } from "./panels/make.js";
import { mountNew } from "./panels/new.js";
import { mountOptima } from "./panels/optima.js";
import { mountPlay } from "./panels/play.js";
import { mountSolverTable } from "./panels/solver-table.js";
import { mountShare } from "./panels/share.js";
import { mountSolve } from "./panels/solve.js";
import { mountTools } from "./panels/tools.js";
import { mountVariations } from "./panels/variations.js";
import { mountWasteWarning } from "./panels/waste-warning.js";
import { mountWatch } from "./panels/watch.js";
import { mountWin } from "./panels/win.js";
import { createPlay } from "./play.js";
import { createPlayer } from "./player.js";
import { createSolverRuns } from "./solver-runs.js";
import { createSession } from "./session.js";
import { createBoardView } from "./board-view.js";
import { mountStatus } from "./status.js";
import { createStore, EMPTY, currentScene } from "./store.js";
import { createVariations } from "./variations.js";
import { mountTheme } from "./theme.js";
import { claimText, solutionInWords } from "./format.js";

/** A search that takes longer shows its best answer so far. */
const BEST_PAUSE_MS = 500;
const DEFAULT_PUZZLE = "tiles-4x4";

const store = createStore(EMPTY);
const say = mountStatus(store);

/** The row to watch when its search is over: `{id, step, isLink, mode}`, with the mode in which the search was started. */
let rowToWatch = null;
/** What was said last about the preparations of that search. */
let preparation = "";
/** How many links and solutions are being opened. */
let opening = 0;

/** The row to watch as it is now, if there is one. */
const watchedRow = () => store.get().rows.find(({ id }) => id === rowToWatch?.id);

/**
 * Whether the page does not show yet what the address says: a link is being opened, or its solution is searched for. A
 * search that failed may be repeated.
 */
function isBehindAddress() {
  const row = watchedRow();
  const isMissing = row !== undefined && rowToWatch.isLink && (row.status !== "done" || Boolean(row.error));
  return opening > 0 || (store.get().mode === "watch" && isMissing);
}

const race = createSolverRuns(store, (row) => {
  if (rowToWatch?.id !== row.id) return;
  if (row.status !== "done") showBestSoon();
  else if (!row.moves) sayNoSolution(row);
  else if (isWaitedFor(row)) tryAndReport(() => watch(row, rowToWatch.step));
});

function sayNoSolution(row) {
  const { facts, objection, mode } = store.get();
  if (objection && mode === "make") say("No solution: the reason stands below the board."); // not a second time
  else say(row.error ?? `No solution: ${claimText(row, facts)}.`);
}

/** Whether the page still shows what it showed when the search began, or an earlier answer of it. */
function isWaitedFor({ id }) {
  const { mode, line } = store.get();
  return mode === rowToWatch.mode || (mode === "watch" && line?.id === id);
}

/** Show the best answer so far of a search that goes on, before its proof. */
const showBestSoon = debounce(() => {
  const row = watchedRow();
  if (row?.status !== "running" || !row.moves || !isWaitedFor(row)) return;
  if (row.moves.length !== store.get().line?.moves.length) tryAndReport(() => watch(row, rowToWatch.step));
}, BEST_PAUSE_MS);
const session = createSession(store, race, () => history, say);
const history = createHistory(store, say, (draft) => session.check(draft));
const play = createPlay(store, say);
const player = createPlayer(store);
createClock(store);
createVariations(store);

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

function solve(solver, seconds, { step, isLink = false } = {}) {
  say(`Solving with ${solver}.`);
  store.set({ solver });
  rowToWatch = { id: race.start(solver, seconds), step, isLink, mode: store.get().mode };
}

async function watch(row, step = undefined) {
  const fromSolveButton = document.activeElement.closest("#race, #solve, #solve-form");
  opening += 1;
  await session.watch(row, step).finally(() => { opening -= 1; });
  if (fromSolveButton) byId("play").focus({ preventScroll: true }); // so that Space plays, and does not solve again
  byId("board").scrollIntoView({ block: "nearest" });
  const { facts } = store.get();
  const proof = row.status === "done" && row.proof !== "none" ? `, ${claimText(row, facts)}` : "";
  if (row.status !== "done") say(`A solution of ${solutionInWords(row, facts)}; looking for a better one.`);
  else say(facts.shows_board ? `Solved${proof}.` : `A solution of ${solutionInWords(row, facts)}${proof}.`);
}

/** Load the puzzles and solvers of this server, and its limits. */
async function loadCatalog() {
  const [catalog, limits] = await Promise.all([get("list"), get("limits")]);
  setMaxSeconds(limits);
  store.set({ catalog, limits });
}

/**
 * Show the board of the address; a part that cannot be shown is reported, and the rest is shown. After a reload the
 * history has the newest board: the address may be some moves behind it.
 */
async function show(link, isReload = false) {
  opening += 1;
  await openLink(link, isReload).finally(() => { opening -= 1; });
}

async function openLink(link, isReload) {
  const { catalog } = store.get();
  if (!catalog) await loadCatalog();
  let isKept = false;
  try {
    isKept = await session.open(link.puzzle || DEFAULT_PUZZLE, { withExample: !link.puzzle });
  } catch (error) {
    if (!link.puzzle || error.busy) throw error;
    await session.open(DEFAULT_PUZZLE, { withExample: true });
    throw new Error(`The link cannot be shown: ${error.message}`);
  }
  if (isKept && isReload && !isUnanswered(link)) showLine(link);
  else if (link.board) await showBoard(link).catch((error) => {
    throw new Error(`The link cannot be shown: ${error.message}`);
  });
}

/** Whether a link to a solution was reloaded before the solution was there. */
function isUnanswered(link) {
  const { game, draft, line } = store.get();
  return link.mode === "watch" && !line && game.write(draft) === link.board;
}

async function showBoard(link) {
  const { game, draft, trail } = store.get();
  const [board, moves] = [game.write(draft), trail.steps[trail.at].moves.join(" ")];
  if (board !== link.board) await session.paste(link.board);
  session.mode(link.mode === "make" ? "make" : "play");
  if (link.mode !== "make" && link.moves.join(" ") !== moves) await play.replay(link.moves);
  if (link.solver) store.set({ solver: link.solver });
  if (link.mode !== "watch" || store.get().missing) return;
  session.mode("watch");
  showLine(link);
}

/** Show the solution of a link: as it was left if the history has it, or by a search. Other sites begin no search. */
function showLine({ solver, step }) {
  const { line, mode } = store.get();
  if (mode !== "watch" || !solver) return;
  if (line?.solver === solver) store.set({ step: Math.min(step ?? line.moves.length, line.moves.length) });
  else if (isOpenedByUser()) solve(solver, "", { step, isLink: true });
  else say("A link opened this board. Press Solve to see its solution.");
}

/**
 * Whether the user opened this page, as the server learns from the browser (`Sec-Fetch-Site`) and says with the page. Over
 * plain HTTP from another machine browsers do not say it; a page of the history may have been opened by another site.
 */
function isOpenedByUser() {
  const [{ type, serverTiming }] = performance.getEntriesByType("navigation");
  return type !== "back_forward" && (serverTiming ?? []).some(({ name }) => name === "user");
}

function mountParts() {
  let moveValues = null;
  const panel = mountMoveValues(store, () => moveValues);
  moveValues = createMoveValues(store, panel.setError);
  const hooks = {
    edited: (state) => tryAndReport(() => session.edit(state)),
    played: play.move,
    rewrote: play.rewrite,
    marked: (marks) => store.set({ marks }),
    undo: history.undo,
    redo: history.redo,
    say,
    beside: byId("pad"),
  };
  const boardView = createBoardView(byId("board"), store, moveValues, hooks);
  mountHeader(store, (name) => tryAndReport(async () => {
    await session.open(name, { withExample: true });
  }));
  mountTools(store, boardView.tool);
  mountBoards(store, (board) => tryAndReport(() => session.show(board)), say);
  mountMake(store, session, say, tryAndReport);
  mountNew(store, session, say);
  mountPlay(store, play, history, say);
  mountWatch(store, player, async (text, done) => say((await copyText(text)) ? done : text));
  mountOptima(store, session, say, tryAndReport);
  mountVariations(store, play.goTo);
  mountWasteWarning(store);
  mountHelp(store);
  mountSolve(store, race, solve, say);
  mountSolverTable(store, race, (row) => tryAndReport(() => watch(row)), (row) => solve(row.solver, row.query?.time ?? ""));
  mountWin(store, mountShare(store, address.follow(store, isBehindAddress), play.replay, say, tryAndReport));
  keepOpen(byId("advanced"));
}

/** Say what the search that is waited for does before it can begin, such as compiling. */
function sayPreparation() {
  const row = watchedRow();
  if (row?.status !== "running" || !row.waitsFor || row.waitsFor === preparation) return;
  preparation = row.waitsFor;
  say(`${preparation[0].toUpperCase()}${preparation.slice(1)}`);
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
  store.watch(["rows"], sayPreparation);
  byId("problem-again").addEventListener("click", () => store.get().problem.again());
  byId("problem-close").addEventListener("click", () => store.set({ problem: null }));
  store.watch(["draft", "trail", "line", "step", "mode"], async (state) => {
    if (state.game && state.draft) byId("summary").textContent = await state.game.summary(currentScene(state).state);
  });
}

async function start() {
  mountFrame();
  mountParts();
  document.querySelector("main").inert = false;
  const [{ type }] = performance.getEntriesByType("navigation");
  await tryAndReport(() => show(address.read(location.hash), type !== "navigate"));
  window.addEventListener("hashchange", () => tryAndReport(() => show(address.read(location.hash))));
  document.documentElement.dataset.ready = "true";
  await keepForOffline();
}

/** Let the browser keep the page, so that it works without the server; browsers allow that on secure origins alone. */
async function keepForOffline() {
  await navigator.serviceWorker?.register("./worker.js").catch(() => {}); // a browser may forbid it, as it may storage
}

start();

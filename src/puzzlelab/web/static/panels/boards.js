/** Many boards, as a table: they are solved one after the other, shown with their results, and saved as CSV. */

import { isAborted, newRequest, abortRequest, post } from "../api.js";
import { byId, download, el, showText } from "../dom.js";
import { plural } from "../format.js";

/** Boards of one request: few at first, and more where they are solved quickly. */
const MAX_BLOCK = 64;
const QUICK_MS = 400;
const SLOW_MS = 2000;
/** Rows of the table; further boards are solved and saved too. */
const MAX_ROWS = 200;
const COLUMNS = ["puzzle", "board", "length", "proof", "lower_bound", "seconds", "expanded", "stop", "reason", "moves"];

/** `show(board)` shows a board of the list on the page. */
export function mountBoards(store, show, say) {
  let isSolving = false;

  store.watch(["list"], ({ list }) => draw(list, show));
  byId("solve-all").addEventListener("click", () => solveAll().catch((error) => {
    if (!isAborted(error)) say(error.message);
  }));
  byId("stop-list").addEventListener("click", () => abortRequest("list"));
  byId("close-list").addEventListener("click", () => {
    abortRequest("list");
    store.set({ list: null });
  });
  byId("save-csv").addEventListener("click", () => download("boards.csv", csvOf(store.get().list.boards), "text/csv"));

  async function solveAll() {
    if (isSolving) return;
    const signal = newRequest("list");
    isSolving = true;
    byId("stop-list").hidden = false;
    try {
      let size = 1;
      for (let block = nextBlock(size); block.length; block = nextBlock(size)) {
        const began = performance.now();
        await solve(block, signal);
        const spent = performance.now() - began;
        if (spent < QUICK_MS) size = Math.min(2 * size, MAX_BLOCK);
        else if (spent > SLOW_MS) size = Math.max(1, size >> 1);
      }
      say("All boards of the list are solved.");
    } finally {
      isSolving = false;
      byId("stop-list").hidden = true;
    }
  }

  /** The first boards without a result, of one puzzle. */
  function nextBlock(size) {
    const open = (store.get().list?.boards ?? []).filter(({ row }) => row === null);
    return open.filter(({ puzzle }) => puzzle === open[0].puzzle).slice(0, size);
  }

  async function solve(block, signal) {
    const { limits } = store.get();
    const seconds = Number(byId("time").value) || limits.seconds;
    const time = Math.min(seconds, limits.seconds / block.length);
    const rows = await post("solve", { puzzle: block[0].puzzle, boards: block.map(({ board }) => board), time }, signal);
    const { list } = store.get();
    if (!list) return;
    const results = new Map(block.map((each, at) => [each, rows[at]]));
    const boards = list.boards.map((each) => (results.has(each) ? { ...each, row: results.get(each) } : each));
    store.set({ list: { ...list, boards } });
  }
}

function draw(list, show) {
  byId("boards-panel").hidden = !list;
  if (!list) return;
  const { boards, count } = list;
  const solved = boards.filter(({ row }) => row);
  byId("boards-title").textContent = plural(count, "board");
  const shown = Math.min(boards.length, MAX_ROWS);
  const more = count > boards.length ? ` The server reads ${boards.length} of them at once.` : "";
  showText(byId("boards-note"), `${solved.length} of ${boards.length} solved; ${shown} shown.${more}`);
  const most = (name) => Math.max(1e-9, ...solved.map(({ row }) => row[name] ?? 0));
  const scales = { length: most("length"), seconds: most("seconds") };
  byId("boards").tBodies[0].replaceChildren(...boards.slice(0, MAX_ROWS).map((each, at) => rowOf(each, at, scales, show)));
  byId("save-csv").disabled = !solved.length;
}

function rowOf(each, at, scales, show) {
  const { puzzle, board, row } = each;
  const open = el("button", { type: "button", className: "plain", textContent: `${at + 1}`, on: { click: () => show(each) } });
  open.setAttribute("aria-label", `Show board ${at + 1}, ${puzzle}`);
  open.title = board;
  const bars = ["length", "seconds"].map((name) => el("td", {}, ...barOf(row, name, scales[name])));
  return el("tr", {}, el("th", { scope: "row" }, open), el("td", { textContent: puzzle }), ...bars,
    el("td", { textContent: row ? resultOf(row) : "" }));
}

/** A number of a row, with a bar as long as it is large. */
function barOf(row, name, most) {
  const value = row?.[name];
  if (value === undefined || value === null) return ["–"];
  const text = name === "seconds" ? value.toFixed(2) : String(value);
  return [text, " ", el("meter", { min: 0, max: most, value, "aria-label": `${text} of at most ${most}` })];
}

function resultOf({ error, moves, proof, reason }) {
  if (error) return error;
  if (!moves) return reason || "no solution found";
  return { none: "solved", several: "one of several" }[proof] ?? proof;
}

/** The results as CSV, with a line for each board. */
export function csvOf(boards) {
  const quoted = (value) => `"${String(value ?? "").replaceAll('"', '""')}"`;
  const lines = boards.map(({ puzzle, board, row }) => {
    const values = { ...row, puzzle, board, moves: row?.moves?.join(" ") };
    return COLUMNS.map((name) => quoted(values[name])).join(",");
  });
  return `${[COLUMNS.join(","), ...lines].join("\r\n")}\r\n`;
}

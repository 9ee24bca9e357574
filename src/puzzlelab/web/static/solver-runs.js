/** Runs solvers on the board, with one stream of events each; their results so far are in the rows of the store. */

import { isAborted, events, post } from "./api.js";
import { searchStart } from "./store.js";

/** Streams at once. A browser opens six connections to a server; some must be free for the requests that stop a job. */
const MAX_STREAMS = 4;
/** Milliseconds that a stopped job has to send its result. */
const STOP_TIMEOUT_MS = 4000;

/**
 * The race of a store. `onAnswer(row)` is called for every better solution and at the end of every search.
 * A row: `{id, solver, start, status: "queued" | "running" | "done", text, waitsFor, moves, length, cost, score, proof, lower_bound,
 * upper_bound, seconds, expanded, stop, reason, error, busy, answer}`, where `answer` is the final answer of the server.
 */
export function createSolverRuns(store, onAnswer) {
  const controllers = new Map();
  const queue = [];
  let number = 0;

  const rowOf = (id) => store.get().rows.find((row) => row.id === id);

  function update(id, patch) {
    store.set({ rows: store.get().rows.map((row) => (row.id === id ? { ...row, ...patch } : row)) });
  }

  /** Start a solver; its row replaces its earlier one. */
  function start(solver, seconds) {
    const { rows, facts, game } = store.get();
    const begin = searchStart(store.get());
    const previous = rows.find((row) => row.solver === solver);
    if (previous) discard(previous.id);
    number += 1;
    const waiting = { status: "queued", text: "waits for its turn", moves: null, lower_bound: null };
    const row = { id: number, solver, start: begin, ...waiting };
    store.set({ rows: previous ? rows.map((other) => (other === previous ? row : other)) : [...rows, row] });
    const wanted = solver === facts.usual_solver.name ? "" : solver; // the server knows the usual one's options
    queue.push({ id: row.id, query: { puzzle: facts.puzzle, board: game.write(begin.state), solver: wanted, time: seconds } });
    next();
    return row.id;
  }

  function next() {
    while (controllers.size < MAX_STREAMS && queue.length) run(queue.shift());
  }

  async function run({ id, query }) {
    const controller = new AbortController();
    controllers.set(id, controller);
    update(id, { status: "running", text: "starts", query });
    try {
      for await (const [name, data] of events("solve/events", query, controller.signal)) handleEvent(id, name, data);
      if (rowOf(id)?.status === "running") end(id, { error: "The server ended without an answer.", busy: true });
    } catch (error) {
      if (!isAborted(error)) end(id, { error: error.message, busy: error.busy });
    } finally {
      controllers.delete(id);
      next();
    }
  }

  function handleEvent(id, name, data) {
    if (!rowOf(id)) return;
    if (name === "job") update(id, { job: data.id, text: "searching" });
    else if (name === "waiting") update(id, { text: data.text, waitsFor: data.text });
    else if (name === "progress") update(id, { ...progressOf(data, store.get().facts), text: "searching", waitsFor: "" });
    else if (name === "solution") improve(id, data);
    else if (name === "row") end(id, data.error ? { error: data.error } : { ...answerOf(data), answer: data });
    else if (name === "failure") end(id, rowOf(id).stopping ? { stop: "interrupted" } : { error: data.error });
  }

  function improve(id, data) {
    update(id, { ...answerOf(data), text: "has a solution, and looks for a better one" });
    onAnswer(rowOf(id));
  }

  function end(id, patch) {
    if (!rowOf(id)) return;
    update(id, { ...patch, status: "done" });
    onAnswer(rowOf(id));
  }

  /** Stop a search; its result so far stays. */
  async function stop(id) {
    const waiting = queue.findIndex((job) => job.id === id);
    if (waiting >= 0) {
      queue.splice(waiting, 1);
      return end(id, { stop: "interrupted" });
    }
    const row = rowOf(id);
    if (row?.status !== "running") return undefined;
    update(id, { text: "stopping", stopping: true });
    setTimeout(() => disconnect(id), row.job ? STOP_TIMEOUT_MS : 0);
    return row.job ? post(`jobs/${encodeURIComponent(row.job)}/stop`).catch(() => disconnect(id)) : undefined;
  }

  /** Close the stream of a search that did not end in time. */
  function disconnect(id) {
    if (rowOf(id)?.status !== "running") return;
    controllers.get(id)?.abort();
    end(id, { stop: "interrupted" });
  }

  function discard(id) {
    const waiting = queue.findIndex((job) => job.id === id);
    if (waiting >= 0) queue.splice(waiting, 1);
    controllers.get(id)?.abort();
  }

  return {
    start,
    stop,
    stopAll: () => store.get().rows.forEach((row) => row.status !== "done" && stop(row.id)),
    /** Remove all rows, because the board has changed. */
    clear() {
      for (const row of store.get().rows) discard(row.id);
      store.set({ rows: [] });
    },
  };
}

/** The progress as parts of a row: the bound of a score is an upper one. */
function progressOf({ expanded, bound, upper_bound, seconds }, { objective }) {
  return { expanded, seconds, ...(objective === "score" ? { upper_bound } : { lower_bound: bound }) };
}

function answerOf(data) {
  const { moves, length, cost, score, proof, lower_bound, upper_bound, seconds, expanded, stop, reason } = data;
  return { moves, length, cost, score, proof, lower_bound, upper_bound, seconds, expanded, stop, reason };
}

/** The length of the shortest solution of all rows, with the moves that were played before its search. */
export function bestLength(rows) {
  const lengths = rows.filter(({ moves }) => moves).map(({ start, length }) => start.moves.length + length);
  return lengths.length ? Math.min(...lengths) : null;
}

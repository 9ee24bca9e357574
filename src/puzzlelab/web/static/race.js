/** Solvers at work on the board, one stream of events each: what they found so far is in the rows of the store. */

import { dropped, events, post } from "./api.js";

/** Streams at once. A browser opens six connections to a server, and those that stop a job must get through. */
const AT_ONCE = 4;
/** Milliseconds that a stopped job has to tell what it found. */
const PATIENCE = 4000;

/**
 * The race of a store. `onAnswer(row)` hears of every better solution and of every end.
 * A row: `{id, solver, status: "queued" | "running" | "done", text, moves, length, proof, lower_bound, seconds,
 * expanded, stop, reason, error, busy, answer}`, where `answer` is the server's last word.
 */
export function createRace(store, onAnswer) {
  const controllers = new Map();
  const queue = [];
  let number = 0;

  const rowOf = (id) => store.get().rows.find((row) => row.id === id);

  function update(id, patch) {
    store.set({ rows: store.get().rows.map((row) => (row.id === id ? { ...row, ...patch } : row)) });
  }

  /** Let a solver run; its row takes the place of the one that this solver had. */
  function start(solver, seconds) {
    const { rows, facts, game, draft } = store.get();
    const before = rows.find((row) => row.solver === solver);
    if (before) abandon(before.id);
    number += 1;
    const row = { id: number, solver, status: "queued", text: "waits for its turn", moves: null, lower_bound: null };
    store.set({ rows: before ? rows.map((other) => (other === before ? row : other)) : [...rows, row] });
    queue.push({ id: row.id, asked: { puzzle: facts.puzzle, board: game.write(draft), solver, time: seconds } });
    next();
    return row.id;
  }

  function next() {
    while (controllers.size < AT_ONCE && queue.length) run(queue.shift());
  }

  async function run({ id, asked }) {
    const controller = new AbortController();
    controllers.set(id, controller);
    update(id, { status: "running", text: "starts", asked });
    try {
      for await (const [name, data] of events("solve/events", asked, controller.signal)) hear(id, name, data);
      if (rowOf(id)?.status === "running") end(id, { error: "The server ended without an answer.", busy: true });
    } catch (error) {
      if (!dropped(error)) end(id, { error: error.message, busy: error.busy });
    } finally {
      controllers.delete(id);
      next();
    }
  }

  function hear(id, name, data) {
    if (!rowOf(id)) return;
    if (name === "job") update(id, { job: data.id, text: "searching" });
    else if (name === "waiting") update(id, { text: data.text });
    else if (name === "progress") update(id, { ...progressOf(data), text: "searching" });
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

  /** Stop one; what it found stays. */
  async function stop(id) {
    const waiting = queue.findIndex((job) => job.id === id);
    if (waiting >= 0) {
      queue.splice(waiting, 1);
      return end(id, { stop: "interrupted" });
    }
    const row = rowOf(id);
    if (row?.status !== "running") return undefined;
    update(id, { text: "stopping", stopping: true });
    setTimeout(() => leave(id), row.job ? PATIENCE : 0);
    return row.job ? post(`jobs/${encodeURIComponent(row.job)}/stop`).catch(() => leave(id)) : undefined;
  }

  /** Hang up on one that has not ended by itself. */
  function leave(id) {
    if (rowOf(id)?.status !== "running") return;
    controllers.get(id)?.abort();
    end(id, { stop: "interrupted" });
  }

  function abandon(id) {
    const waiting = queue.findIndex((job) => job.id === id);
    if (waiting >= 0) queue.splice(waiting, 1);
    controllers.get(id)?.abort();
  }

  return {
    start,
    stop,
    stopAll: () => store.get().rows.forEach((row) => row.status !== "done" && stop(row.id)),
    /** Forget all, because the board is another one. */
    clear() {
      for (const row of store.get().rows) abandon(row.id);
      store.set({ rows: [] });
    },
  };
}

function progressOf({ expanded, bound, seconds }) {
  return { expanded, lower_bound: bound, seconds };
}

function answerOf(data) {
  const { moves, length, proof, lower_bound, seconds, expanded, stop, reason } = data;
  return { moves, length, proof, lower_bound, seconds, expanded, stop, reason };
}

/** The fewest moves that any row has found. */
export function bestLength(rows) {
  return rows.reduce((best, row) => (row.moves && (best === null || row.length < best) ? row.length : best), null);
}

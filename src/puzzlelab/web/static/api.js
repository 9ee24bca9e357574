/** Questions to the server. Whatever goes wrong is a `Failure` with a sentence for the person in front of the page. */

const UNREACHABLE = "The server cannot be reached. Is puzzlelab web still running?";
const LOST = "The connection to the server was lost; what was found before is kept.";

/** An answer that did not come; `busy` where asking again soon may help. */
export class Failure extends Error {
  constructor(sentence, busy = false) {
    super(sentence);
    this.busy = busy;
  }
}

/** Whether this is no failure: the question was dropped because nobody waits for its answer any more. */
export const dropped = (error) => error?.name === "AbortError";

const asking = new Map();

/** A signal for a question of this kind; the one before it is dropped. */
export function only(kind) {
  drop(kind);
  const controller = new AbortController();
  asking.set(kind, controller);
  return controller.signal;
}

/** Nobody waits for the answer to a question of this kind any more. */
export function drop(kind) {
  asking.get(kind)?.abort();
  asking.delete(kind);
}

/** The JSON answer of `GET /api/path`; parameters that are null or empty are left out. */
export async function get(path, parameters = {}, signal = undefined) {
  const answer = await send(path, parameters, { signal });
  return answer.json();
}

/** The text of an answer, such as an image. */
export async function getText(path, parameters = {}, signal = undefined) {
  const answer = await send(path, parameters, { signal });
  return answer.text();
}

/** The JSON answer of `POST /api/path`. */
export async function post(path) {
  const answer = await send(path, {}, { method: "POST" });
  return answer.json();
}

let mostSeconds = Infinity;

/** Ask for no more seconds than the server gives, whatever is asked for from now on. */
export function within({ seconds }) {
  mostSeconds = seconds;
}

async function send(path, parameters, options) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null || value === undefined || value === "") continue;
    query.append(name, name === "time" ? Math.min(value, mostSeconds) : value);
  }
  const url = `/api/${path}${query.size ? `?${query}` : ""}`;
  let answer;
  try {
    answer = await fetch(url, options);
  } catch (error) {
    throw dropped(error) ? error : new Failure(UNREACHABLE, true);
  }
  if (!answer.ok) throw await failure(answer);
  return answer;
}

async function failure(answer) {
  const told = await answer.json().catch(() => ({}));
  const sentence = typeof told.error === "string" ? told.error : `The server answered with status ${answer.status}.`;
  return new Failure(sentence, answer.status === 503 || answer.status === 429);
}

/**
 * The events of a job, one after the other, as `[name, data]`. It is read with `fetch`, because an EventSource cannot
 * tell why it was refused, and asks again when the job is over.
 */
export async function* events(path, parameters, signal) {
  const answer = await send(path, parameters, { signal, headers: { Accept: "text/event-stream" } });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw dropped(error) ? error : new Failure(LOST, true);
    });
    if (done) return;
    const blocks = (text + value).replaceAll("\r\n", "\n").split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const event = parsed(block);
      if (event) yield event;
    }
  }
}

function parsed(block) {
  const lines = block.split("\n");
  const start = (field) => (line) => line.startsWith(`${field}:`);
  const of = (field) => lines.filter(start(field)).map((line) => line.slice(field.length + 1));
  const data = of("data").join("\n");
  return data ? [of("event").join("").trim() || "message", JSON.parse(data)] : null;
}

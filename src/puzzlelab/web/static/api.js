/** Requests to the server. Every error is a `Failure` with a sentence for the user. */

const UNREACHABLE = "The server cannot be reached. Is puzzlelab web still running?";
const LOST = "The connection to the server was lost; earlier results are kept.";

/** A failed request; `busy` if it may succeed when repeated soon. */
export class Failure extends Error {
  constructor(sentence, busy = false) {
    super(sentence);
    this.busy = busy;
  }
}

/** Whether the request was aborted because its answer is no longer needed; that is no failure. */
export const isAborted = (error) => error?.name === "AbortError";

const requests = new Map();

/** A signal for a new request of this kind; the one before it is aborted. */
export function newRequest(kind) {
  abortRequest(kind);
  const controller = new AbortController();
  requests.set(kind, controller);
  return controller.signal;
}

/** Abort the request of this kind, whose answer is no longer needed. */
export function abortRequest(kind) {
  requests.get(kind)?.abort();
  requests.delete(kind);
}

/** Answers that came with the page, by their addresses. */
const known = JSON.parse(document.getElementById("answers")?.textContent ?? "{}");

/** The JSON answer of `GET /api/path`; parameters that are null or empty are left out. */
export async function get(path, parameters = {}, signal = undefined) {
  const address = addressOf(path, parameters);
  if (address in known) return known[address];
  const answer = await send(path, parameters, { signal });
  return answer.json();
}

/** The text of an answer, such as an image. */
export async function getText(path, parameters = {}, signal = undefined) {
  const answer = await send(path, parameters, { signal });
  return answer.text();
}

/** The JSON answer of `POST /api/path`, with this body if there is one. */
export async function post(path, body = undefined, signal = undefined) {
  const content = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const answer = await send(path, {}, { method: "POST", signal, ...content });
  return answer.json();
}

/** The name of this page, by which the server gives each page its turns. */
const client = Math.random().toString(36).slice(2);

let maxSeconds = Infinity;

/** Limit the `time` of all later requests to the seconds that the server allows. */
export function setMaxSeconds({ seconds }) {
  maxSeconds = seconds;
}

/** The address of a request below /api/. */
function addressOf(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null || value === undefined || value === "") continue;
    query.append(name, name === "time" ? Math.min(value, maxSeconds) : value);
  }
  return `${path}${query.size ? `?${query}` : ""}`;
}

async function send(path, parameters, options) {
  let answer;
  try {
    const headers = { ...options.headers, "X-Client": client };
    answer = await fetch(`/api/${addressOf(path, parameters)}`, { ...options, headers });
  } catch (error) {
    throw isAborted(error) ? error : new Failure(UNREACHABLE, true);
  }
  if (!answer.ok) throw await failure(answer);
  return answer;
}

async function failure(answer) {
  const body = await answer.json().catch(() => ({}));
  const sentence = typeof body.error === "string" ? body.error : `The server answered with status ${answer.status}.`;
  return new Failure(sentence, answer.status === 503 || answer.status === 429);
}

/**
 * The events of a job, one after the other, as `[name, data]`. They are read with `fetch`, because an EventSource does
 * not say why it was refused, and reconnects when the job is over.
 */
export async function* events(path, parameters, signal) {
  const answer = await send(path, parameters, { signal, headers: { Accept: "text/event-stream" } });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw isAborted(error) ? error : new Failure(LOST, true);
    });
    if (done) return;
    const blocks = (text + value).replaceAll("\r\n", "\n").split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event) yield event;
    }
  }
}

function parseEvent(block) {
  const lines = block.split("\n");
  const start = (field) => (line) => line.startsWith(`${field}:`);
  const of = (field) => lines.filter(start(field)).map((line) => line.slice(field.length + 1));
  const data = of("data").join("\n");
  return data ? [of("event").join("").trim() || "message", JSON.parse(data)] : null;
}

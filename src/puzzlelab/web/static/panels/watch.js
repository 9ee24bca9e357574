/** The controls of the player, and the list of moves. */

import { byId, debounce, fillSelect, el, ownsKeys, showText } from "../dom.js";
import { SPEEDS } from "../player.js";
import { movesText, regretText } from "../format.js";

const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M17 5l-10 7 10 7z",
  play: "M7 4l13 8-13 8z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  forward: "M7 5l10 7-10 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
};
const SCROLL_PAUSE_MS = 60;
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "toggle" };

export function mountWatch(store, player, copy) {
  byId("copy-board").addEventListener("click", () => {
    const { line, step, game } = store.get();
    copy(game.write(line.states[step]), "The board is copied.");
  });
  for (const name of ["first", "back", "forward", "last"]) {
    draw(byId(name), name);
    byId(name).addEventListener("click", player[name]);
  }
  byId("play").addEventListener("click", player.toggle);
  byId("slider").addEventListener("input", (event) => player.step(Number(event.target.value)));
  fillSelect(byId("speed"), SPEEDS.map((speed) => [speed, `${speed}×`]), 1);
  byId("speed").addEventListener("change", (event) => player.speed(Number(event.target.value)));
  document.addEventListener("keydown", (event) => onKey(store, player, event));

  store.watch(["line", "step", "playing", "game"], (state) => showStep(state));
  store.watch(["line"], (state) => showMoves(state, player));
  store.watch(["line", "step"], ({ step }) => markMove(step));
}

/** An icon, built from elements: the page takes no markup from texts. */
function draw(button, name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  button.replaceChildren(svg);
}

function onKey(store, player, event) {
  const { mode, line } = store.get();
  const action = KEYS[event.key];
  if (!action || mode !== "watch" || !line || event.ctrlKey || event.altKey || event.metaKey) return;
  if (ownsKeys(event.target)) return;
  if (action === "toggle" && event.target.closest("button, summary, a, input")) return;
  event.preventDefault();
  player[action]();
}

function showStep({ line, step, playing, game, facts }) {
  for (const id of ["player", "step-facts", "copy-board"]) byId(id).hidden = !line;
  if (!line) return;
  const last = line.moves.length;
  const slider = byId("slider");
  slider.max = last;
  slider.value = step;
  slider.setAttribute("aria-valuetext", `move ${step} of ${last}`);
  byId("first").disabled = byId("back").disabled = step === 0;
  byId("last").disabled = byId("forward").disabled = step === last;
  draw(byId("play"), playing ? "pause" : "play");
  byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  byId("play").title = playing ? "Pause (Space)" : "Play (Space)";
  document.body.toggleAttribute("data-reasons", Boolean(line.reasons));
  describeStep(line, step, game, facts);
}

async function describeStep(line, step, game, facts) {
  const last = line.moves.length;
  const move = line.moves[step - 1];
  const description = move ? await game.describeMove(line.states[step - 1], move) : "the start";
  byId("step").textContent = `${facts.shows_board ? "Cell" : "Move"} ${step} of ${last}: ${description}`;
  const bound = line.bounds?.[step];
  const boundText = typeof bound === "number" && step < last ? `at least ${bound.toLocaleString("en")} more` : "";
  const reasons = line.reasons?.[step - 1]?.map(({ title, sentence }) => el("div", {}, `${title}: ${sentence}.`));
  byId("bound").replaceChildren(...(reasons ?? [boundText]));
}

function showMoves({ line, facts }, player) {
  byId("moves-panel").hidden = !line?.moves.length;
  if (!line) return;
  byId("moves-title").textContent = movesText(line.moves.length, facts);
  showText(byId("move-note"), facts.move_note);
  const items = line.moves.map((move, at) => {
    const go = () => player.step(at + 1);
    const regret = line.analysis?.steps[at].regret;
    const isWasted = regret && (regret.unsolvable || regret.lower_bound > 0);
    const text = isWasted ? `${move} ${regretText(regret)}` : move;
    const properties = { textContent: text, "aria-label": `Move ${at + 1}: ${text}`, className: isWasted ? "wasted" : "" };
    return el("li", {}, el("button", { type: "button", ...properties, on: { click: go } }));
  });
  byId("moves").replaceChildren(...items);
}

let marked = null; // the button of the move that led to the board

/** Mark the move that led to the board; a moment later, bring it into sight within the list. */
function markMove(step) {
  marked?.removeAttribute("aria-current");
  marked = byId("moves").children[step - 1]?.firstChild ?? null;
  marked?.setAttribute("aria-current", "step");
  scrollSoon();
}

/** Reading places forces the browser to lay out the page, so that it waits until no key follows. */
const scrollSoon = debounce(() => {
  const list = byId("moves");
  if (!marked) {
    list.scrollTop = 0;
    return;
  }
  const top = marked.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + marked.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = top - list.clientHeight / 2;
  }
}, SCROLL_PAUSE_MS);

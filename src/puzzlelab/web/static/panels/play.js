/** Undo and redo, the number of moves, and hints. */

import { isAborted } from "../api.js";
import { clockText } from "../clock.js";
import { byId, showText } from "../dom.js";
import { hintInWords } from "../hints.js";
import { movesText } from "../format.js";
import { MAX_LEVEL, canBePutIn } from "../play.js";

/** A hint that takes longer tells why. */
const LONG_SECONDS = 3;

export function mountPlay(store, play, history, say) {
  for (const name of ["undo", "redo"]) byId(name).addEventListener("click", history[name]);
  byId("restart").addEventListener("click", play.restart);
  byId("check").addEventListener("click", () => {
    say("Checking …");
    play.check().catch((error) => isAborted(error) || say(error.message));
  });
  byId("hint").addEventListener("click", () => askForHint(store, play, say));
  document.addEventListener("keydown", (event) => onKey(history, event));

  store.watch(["history"], ({ history: { undo, redo } }) => {
    byId("undo").disabled = !undo;
    byId("redo").disabled = !redo;
  });
  store.watch(["trail", "solved", "facts"], ({ trail: { steps, at }, solved, facts }) => {
    if (facts) byId("moves-played").textContent = movesText(steps[at]?.moves.length ?? 0, facts);
    byId("restart").disabled = at === 0;
    byId("hint").disabled = solved;
    byId("check").hidden = !facts?.shows_board;
    byId("hint").hidden = facts ? facts.objective !== "moves" : false; // hints count moves
  });
  store.watch(["hint", "trail", "facts"], async ({ hint, trail, facts, game }) => {
    const sentence = hint ? await hintInWords(hint, facts, game, trail.steps[trail.at].state) : "";
    if (store.get().hint !== hint) return;
    showText(byId("hint-text"), sentence);
    byId("hint").textContent = hint && hint.level < MAX_LEVEL ? "More" : hint && canBePutIn(hint) ? "Do it" : "Hint";
    if (hint) say(sentence, { seen: true });
  });
  store.watch(["seconds"], ({ seconds }) => {
    byId("clock").textContent = seconds ? clockText(seconds) : "";
  });
}

/** Ctrl-Z and Ctrl-Y work everywhere but in fields, which have a history of their own. */
function onKey(history, event) {
  const key = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(key)) return;
  if (event.defaultPrevented || event.target.closest("input:not([type=checkbox], [type=range]), textarea")) return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) history.redo();
  else history.undo();
}

async function askForHint(store, play, say) {
  const { mode, missing } = store.get();
  if (missing) return say(`Not yet: ${missing}.`);
  if (mode !== "play") store.set({ mode: "play", playing: false, hint: null });
  const stopWaiting = store.get().hint ? () => {} : showWaiting(byId("hint-text"));
  try {
    await play.hint();
  } catch (error) {
    if (!isAborted(error)) showText(byId("hint-text"), error.message);
  } finally {
    stopWaiting();
  }
  return undefined;
}

/** Say that a hint is on its way, and for how long so far; returns how to end that. */
function showWaiting(place) {
  const began = performance.now();
  const show = () => {
    const seconds = Math.round((performance.now() - began) / 1000);
    const why = seconds < LONG_SECONDS ? "" : ` ${seconds} s so far; the first time, kernels are compiled.`;
    showText(place, `Thinking …${why}`);
    last = place.textContent;
  };
  let last = "";
  show();
  // Another text in its place ends it: the hint is there.
  const timer = setInterval(() => (place.textContent === last ? show() : clearInterval(timer)), 1000);
  return () => clearInterval(timer);
}

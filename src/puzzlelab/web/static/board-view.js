/** The board on the page: mounts the view of the game, and draws the current scene of the store. */

import { ownsKeys } from "./dom.js";
import { moveDuration } from "./player.js";
import { prefersReducedMotion } from "./puzzles/grid.js";
import { hintMarks } from "./hints.js";
import { currentScene } from "./store.js";

const KEYS = ["game", "mode", "draft", "found", "trail", "marks", "line", "step", "hint", "learned", "heat", "regret", "tree", "net"];

/** The board in `host`. `hooks` are the callbacks of the view; `moveValues` gives the marks drawn over the board. */
export function createBoardView(host, store, moveValues, hooks) {
  let view = null;
  let game = null;
  let mode = "";
  let previous = null; // the state that was drawn last
  let drawing = Promise.resolve();
  let drawCount = 0;
  let frame = 0;
  let aspect = "";

  function mount(state) {
    view?.destroy();
    host.replaceChildren();
    game = state.game;
    host.dataset.family = state.family;
    view = game.mount(host, hooks);
    previous = null;
    mode = "";
  }

  /** Draw once in the next frame, however many keys are pressed until then. */
  function drawSoon() {
    if (document.hidden) draw(); // no frame comes
    else frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  }

  /** The next key or press is about the board as it is now, not as it was drawn last. */
  function drawNow() {
    if (!frame) return;
    cancelAnimationFrame(frame);
    frame = 0;
    draw();
  }

  async function draw() {
    drawCount += 1;
    const thisDraw = drawCount;
    const state = store.get();
    if (!state.game || !state.draft) return;
    if (state.game !== game) mount(state);
    const scene = currentScene(state);
    mark(state, scene);
    // New marks must not interrupt the animation of a move.
    if (scene.state === previous && mode === state.mode) await drawing;
    if (thisDraw !== drawCount) return;
    if (mode !== state.mode) {
      mode = state.mode;
      view.mode(mode);
    }
    const motion = motionOf(scene, previous);
    previous = scene.state;
    drawing = Promise.resolve(view.show(scene.state, optionsOf(state, scene, motion)));
    fit();
  }

  /** Tell the stylesheets how wide the board is by its height, so that it gets as much room as the window has. */
  function fit() {
    const box = host.querySelector("svg")?.viewBox.baseVal;
    const shape = box?.height ? (box.width / box.height).toFixed(3) : "1";
    if (shape !== aspect) document.documentElement.style.setProperty("--aspect", shape); // even an equal one costs time
    aspect = shape;
  }

  /** Set the attributes that tests and stylesheets read. */
  function mark({ mode: name }, { state, at }) {
    host.dataset.board = game.write(state);
    host.dataset.mode = name;
    host.dataset.step = String(at);
  }

  function optionsOf(state, scene, motion) {
    const text = game.write(scene.state);
    const withMarks = state.mode !== "make";
    const duration = prefersReducedMotion() ? 0 : moveDuration(state.playing ? state.speed : 1);
    return {
      ...motion,
      duration: motion.from ? duration : 0,
      clues: withMarks ? state.draft : null,
      heat: withMarks ? moveValues.heat(text) : null,
      regrets: withMarks ? moveValues.regrets(text) : null,
      next: scene.next ? [scene.next] : [],
      marks: state.mode === "play" ? state.marks : null,
      hint: hintOf(state),
      found: state.mode === "make" && state.found?.draft === state.draft ? state.found : null,
    };
  }

  /** Give the keyboard to the board, unless a field has it. */
  function focus() {
    if (!ownsKeys(document.activeElement)) view?.focus?.();
  }

  /** Keys of the board work wherever the focus is, but for fields and for the keys that press a button. */
  function forward(event) {
    if (event.defaultPrevented || host.contains(event.target) || ownsKeys(event.target) || event.isComposing) return;
    if (event.target.closest?.("dialog, .moves") || !/^(Arrow\w+|[0-9A-Za-z.]|Backspace|Delete)$/.test(event.key)) return;
    if (event.ctrlKey || event.altKey || event.metaKey || !view?.focus?.()) return;
    const { key, code, shiftKey } = event;
    const again = new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true });
    if (!document.activeElement.dispatchEvent(again)) event.preventDefault();
  }

  document.addEventListener("keydown", forward);
  for (const name of ["keydown", "pointerdown"]) document.addEventListener(name, drawNow, { capture: true });
  store.watch(KEYS, drawSoon);
  store.watch(["game", "mode"], () => requestAnimationFrame(focus));
  return { tool: (id, value) => view?.tool(id, value) };
}

/** The marks of a hint in play, or of the step of logic that led to the board in a solution. */
function hintOf({ mode, hint, line, step }) {
  if (mode === "play") return hint ? hintMarks(hint) : null;
  const reasons = mode === "watch" ? line?.reasons?.[step - 1] : null;
  return reasons ? { best: [], cells: [], wrong: [], step: reasons.at(-1), withMove: true } : null;
}

/** How the previous board became this one: by its last move, by undoing the next one, or at once. */
function motionOf(scene, previous) {
  const moved = previous !== null && scene.state !== previous;
  if (moved && scene.from === previous) return { from: previous, move: scene.move ?? null };
  return { from: moved && scene.after === previous ? previous : null, move: null };
}

/** The board on the page: mounts the view of the game, and shows whatever the store says is to be seen. */

import { moveDuration } from "./player.js";
import { calm } from "./puzzles/grid.js";
import { shown } from "./store.js";

const KEYS = ["game", "mode", "draft", "trail", "line", "step", "hint", "learned", "heat", "regret", "tree", "net"];

/** The stage in `host`. `hooks` go to the view, `insight` tells what is drawn over the board. */
export function createStage(host, store, insight, hooks) {
  let view = null;
  let game = null;
  let mode = "";
  let before = null; // the state that was shown last
  let drawing = Promise.resolve();
  let turn = 0;

  function mount(state) {
    view?.destroy();
    host.replaceChildren();
    game = state.game;
    host.dataset.family = state.family;
    view = game.mount(host, hooks);
    before = null;
    mode = "";
  }

  async function draw() {
    turn += 1;
    const mine = turn;
    const state = store.get();
    if (!state.game || !state.draft) return;
    if (state.game !== game) mount(state);
    const scene = shown(state);
    mark(state, scene);
    if (scene.state === before && mode === state.mode) await drawing; // what is drawn over must not cut a move short
    if (mine !== turn) return;
    if (mode !== state.mode) {
      mode = state.mode;
      view.mode(mode);
    }
    const motion = motionOf(scene, before);
    before = scene.state;
    drawing = Promise.resolve(view.show(scene.state, optionsOf(state, scene, motion)));
  }

  /** What tests and stylesheets can read of the board. */
  function mark({ mode: name }, { state, at }) {
    host.dataset.board = game.write(state);
    host.dataset.mode = name;
    host.dataset.step = String(at);
  }

  function optionsOf(state, scene, motion) {
    const text = game.write(scene.state);
    const over = state.mode !== "make";
    const duration = calm() ? 0 : moveDuration(state.playing ? state.speed : 1);
    return {
      ...motion,
      duration: motion.from ? duration : 0,
      clues: over ? state.draft : null,
      heat: over ? insight.heat(text) : null,
      regrets: over ? insight.regrets(text) : null,
      next: scene.next ?? (over ? state.hint?.best?.[0] : null) ?? null,
      notes: over && state.hint ? notesOf(state.hint) : null,
    };
  }

  store.watch(KEYS, draw);
  return { tool: (id, value) => view?.tool(id, value) };
}

/** How the board that was shown became this one: by its last move, by taking the next one back, or at once. */
function motionOf(scene, before) {
  const moved = before !== null && scene.state !== before;
  if (moved && scene.from === before) return { from: before, move: scene.move ?? null };
  return { from: moved && scene.after === before ? before : null, move: null };
}

function notesOf({ cells = [], best = [], wrong = [] }) {
  return { cells, move: best[0] ?? null, best, wrong };
}

/** The dialog with the rules of a puzzle, a moving picture of it, and the keys. `?` opens it. */

import { byId, closeByPressOutside, el, ownsKeys } from "../dom.js";
import { prefersReducedMotion } from "../puzzles/grid.js";
import { walk } from "../session.js";

const STEP_MS = 900;
const MOVE_MS = 350;
const KEYS = [
  ["Ctrl Z, Ctrl Y", "undo, redo"],
  ["Left, Right, Home, End", "steps of a solution"],
  ["Space", "play a solution, or pause it"],
  ["?", "this list"],
];
const NO_HOOKS = { edited() {}, played() {}, rewrote() {}, marked() {}, undo() {}, redo() {}, say() {} };

export function mountHelp(store) {
  const dialog = byId("help");
  let demo = null;

  function open() {
    const { module, facts } = store.get();
    if (!facts) return;
    const help = module.help ?? { title: facts.puzzle, rules: [], keys: [] };
    byId("help-title").textContent = help.title;
    byId("help-rules").replaceChildren(...help.rules.map((text) => el("p", { textContent: text })));
    byId("help-keys").replaceChildren(...[...help.keys, ...KEYS].map(([keys, text]) => rowOf(keys, text)));
    dialog.showModal();
    demo = help.demo ? createDemo(byId("help-demo"), module, help.demo) : null;
  }

  byId("help-open").addEventListener("click", open);
  closeByPressOutside(dialog);
  dialog.addEventListener("close", () => demo?.end());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || ownsKeys(event.target)) return;
    event.preventDefault();
    if (!dialog.open) open();
  });
}

function rowOf(keys, text) {
  const parts = keys.split(", ").flatMap((key, at) => (at ? [" ", el("kbd", { textContent: key })] : [el("kbd", { textContent: key })]));
  return el("tr", {}, el("th", { scope: "row" }, ...parts), el("td", { textContent: text }));
}

/** A small board that plays the same moves again and again. */
function createDemo(host, module, { puzzle, board, moves }) {
  const game = module.createGame({ puzzle, networks: [], examples: [] });
  host.replaceChildren();
  const view = game.mount(host, NO_HOOKS);
  let timer = 0;
  let over = false;

  async function run() {
    const states = await walk(game, game.read(board), moves);
    view.mode("watch");
    for (let at = 0; !over; at = (at + 1) % states.length) {
      const moved = at > 0 && !prefersReducedMotion();
      const motion = moved ? { from: states[at - 1], move: moves[at - 1], duration: MOVE_MS } : {};
      view.show(states[at], { ...motion, clues: states[0], next: moves[at] ? [moves[at]] : [] });
      await new Promise((done) => {
        timer = setTimeout(done, at === states.length - 1 ? 2 * STEP_MS : STEP_MS);
      });
    }
  }

  run();
  return {
    end() {
      over = true;
      clearTimeout(timer);
      view.destroy();
    },
  };
}

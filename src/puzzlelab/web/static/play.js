/** Playing by hand: moves, undo and redo, hints. Every step keeps its board, so that undo needs no work. */

import { get, newRequest } from "./api.js";
import { walk } from "./session.js";

const HINT_SECONDS = 5;

/** The game that is played in a store; `say` shows a sentence to the user. */
export function createPlay(store, say) {
  let pending = Promise.resolve();

  const currentStep = () => store.get().trail.steps[store.get().trail.at];

  /** Run changes of the trail one after the other: a slide of three tiles makes three moves at once. */
  function enqueue(work) {
    pending = pending.then(work).catch((error) => say(error.message));
    return pending;
  }

  async function add(step, sentence) {
    const { trail, game } = store.get();
    const steps = [...trail.steps.slice(0, trail.at + 1), step];
    const solved = await game.solved(step.state);
    store.set({ trail: { steps, at: trail.at + 1 }, hint: null, solved });
    if (sentence) say(solved ? `${sentence}. Solved!` : sentence);
  }

  function move(name) {
    return enqueue(async () => {
      const { game } = store.get();
      const { state, moves } = currentStep();
      const after = await game.apply(state, name);
      await add({ state: after, moves: [...moves, name], move: name }, await game.describeMove(state, name));
    });
  }

  /**
   * Apply a change of the board that is no move, such as erasing a digit: the move `removed` is taken back, and
   * `added`, if it is not null, takes its place. The order of the moves of such a puzzle does not matter.
   */
  function rewrite(after, { removed, added }) {
    return enqueue(async () => {
      const kept = currentStep().moves.filter((move) => move !== removed);
      await add({ state: after, moves: added ? [...kept, added] : kept, move: null }, "");
    });
  }

  function goTo(at) {
    return enqueue(async () => {
      const { trail, game } = store.get();
      const place = Math.max(0, Math.min(at(trail), trail.steps.length - 1));
      const solved = await game.solved(trail.steps[place].state);
      store.set({ trail: { ...trail, at: place }, hint: null, solved });
    });
  }

  async function hint() {
    const { facts, game, draft, trail } = store.get();
    const { moves } = currentStep();
    const query = { puzzle: facts.puzzle, board: game.write(draft), moves: moves.join(" "), time: HINT_SECONDS };
    const [answer] = await get("hint", query, newRequest("hint"));
    if (store.get().trail === trail) store.set({ hint: answer });
  }

  /** Play these moves at once, as a link has them. Raises `Error` for one that cannot be made. */
  async function replay(moves) {
    const { game, draft } = store.get();
    const states = await walk(game, draft, moves);
    const steps = states.map((state, at) => ({ state, moves: moves.slice(0, at), move: moves[at - 1] ?? null }));
    store.set({ trail: { steps, at: moves.length }, solved: await game.solved(states.at(-1)) });
  }

  return {
    move,
    rewrite,
    hint,
    replay,
    undo: () => goTo(({ at }) => at - 1),
    redo: () => goTo(({ at }) => at + 1),
    restart: () => goTo(() => 0),
  };
}

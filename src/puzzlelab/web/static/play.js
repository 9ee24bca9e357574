/** Playing by hand: moves, undo and redo, hints. Every step keeps its board, so that going back needs no work. */

import { get, only } from "./api.js";
import { walk } from "./session.js";

const HINT_SECONDS = 5;

/** The playing of a store; `say` tells a sentence to the person. */
export function createPlay(store, say) {
  let turn = Promise.resolve();

  const now = () => store.get().trail.steps[store.get().trail.at];

  /** Work that changes the trail, one after the other: a slide of three tiles comes as three moves at once. */
  function inTurn(work) {
    turn = turn.then(work).catch((error) => say(error.message));
    return turn;
  }

  async function add(step, sentence) {
    const { trail, game } = store.get();
    const steps = [...trail.steps.slice(0, trail.at + 1), step];
    const solved = await game.solved(step.state);
    store.set({ trail: { steps, at: trail.at + 1 }, hint: null, solved });
    if (sentence) say(solved ? `${sentence}. Solved!` : sentence);
  }

  function move(name) {
    return inTurn(async () => {
      const { game } = store.get();
      const { state, moves } = now();
      const after = await game.apply(state, name);
      await add({ state: after, moves: [...moves, name], move: name }, await game.describeMove(state, name));
    });
  }

  /**
   * The person changed the board in a way that is no move, such as rubbing a digit out: the move `gone` is taken back,
   * and perhaps `made` stands in its place. Moves of such a puzzle may be made in any order.
   */
  function rewrite(after, { gone, made }) {
    return inTurn(async () => {
      const kept = now().moves.filter((move) => move !== gone);
      await add({ state: after, moves: made ? [...kept, made] : kept, move: null }, "");
    });
  }

  function goTo(at) {
    return inTurn(async () => {
      const { trail, game } = store.get();
      const place = Math.max(0, Math.min(at(trail), trail.steps.length - 1));
      const solved = await game.solved(trail.steps[place].state);
      store.set({ trail: { ...trail, at: place }, hint: null, solved });
    });
  }

  async function hint() {
    const { facts, game, draft, trail } = store.get();
    const { moves } = now();
    const asked = { puzzle: facts.puzzle, board: game.write(draft), moves: moves.join(" "), time: HINT_SECONDS };
    const [told] = await get("hint", asked, only("hint"));
    if (store.get().trail === trail) store.set({ hint: told });
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

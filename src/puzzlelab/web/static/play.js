/** Playing by hand: moves and hints. The history takes moves back. */

import { get, newRequest } from "./api.js";
import { walk } from "./session.js";

const HINT_SECONDS = 5;
/** Of the first answer, which is there at once and may be no more than a guess. */
const QUICK_SECONDS = 0.05;
/** Best moves that a hint marks and names. */
const MOST_SHOWN = 2;
/** The levels of a hint: how far it is to the end, where to look, and the move with its reason. */
export const MAX_LEVEL = 3;

/** The moves of a hint that are marked and named: those that are shown already, where they are among the best. */
function movesToShow(best, shown) {
  const kept = shown.filter((move) => best.includes(move));
  return kept.length ? kept : best.slice(0, MOST_SHOWN);
}

/** Whether the next press of the button does what a hint says. */
export const canBePutIn = ({ level, step, wrong = [] }) => level >= MAX_LEVEL && Boolean(step) && !wrong.length;

/** The game that is played in a store; `say` shows a sentence to the user. */
export function createPlay(store, say) {
  let pending = Promise.resolve();
  let asked = null; // the hint that is being searched, as {trail, level}

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
   * Apply a change of the board that is no move, such as erasing a digit: the moves `removed` are taken back, and those
   * in `added` take their place. The order of the moves of such a puzzle does not matter.
   */
  function rewrite(after, { removed, added }, sentence) {
    return enqueue(async () => {
      const kept = currentStep().moves.filter((move) => !removed.includes(move));
      await add({ state: after, moves: [...kept, ...added], move: null }, sentence);
    });
  }

  /** Go back to the board as it was given. */
  function restart() {
    return enqueue(async () => {
      const { trail, game } = store.get();
      const solved = await game.solved(trail.steps[0].state);
      store.set({ trail: { ...trail, at: 0 }, marks: null, hint: null, solved, seconds: 0 });
    });
  }

  /**
   * Tell a hint, or more of the one that is told already: each call tells one level more, and a call after the last level
   * does what a step of logic says.
   */
  async function hint() {
    const { trail, hint: told } = store.get();
    if (told && canBePutIn(told)) return putIn(told);
    if (told) return store.set({ hint: { ...told, level: Math.min(told.level + 1, MAX_LEVEL) } });
    if (asked?.trail === trail) return void (asked.level = Math.min(asked.level + 1, MAX_LEVEL));
    asked = { trail, level: 1 };
    try {
      await answerHint(asked);
    } finally {
      if (asked?.trail === trail) asked = null;
    }
    return undefined;
  }

  /** Do what a step of logic says: write its digits, or take its candidates out of the notes. */
  async function putIn({ step }) {
    const { game, marks } = store.get();
    store.set({ hint: null });
    if (step.placements.length) return step.placements.reduce((done, name) => done.then(() => move(name)), Promise.resolve());
    return store.set({ marks: game.without(currentStep().state, marks, step.eliminations) });
  }

  /** What the server knows of the position, after a search of so many seconds. */
  async function ask(time) {
    const { facts, game, draft, marks } = store.get();
    const { moves, state } = currentStep();
    const notes = [...moves, ...(game.ruledOut?.(state, marks) ?? [])];
    const query = { puzzle: facts.puzzle, board: game.write(draft), moves: notes.join(" "), time };
    const [answer] = await get("hint", query, newRequest("hint"));
    return answer;
  }

  async function answerHint(question) {
    if (!store.get().facts.shows_board) {
      const quick = await ask(QUICK_SECONDS);
      if (store.get().trail !== question.trail) return;
      tell(question, { ...quick, isQuick: !quick.best_proven });
      if (quick.all_proven) return;
    }
    tell(question, await ask(HINT_SECONDS));
  }

  /** Show a hint, as far as it is asked for by now. */
  function tell(question, answer) {
    const { trail, hint: told } = store.get();
    if (trail !== question.trail) return;
    const level = answer.wrong?.length ? MAX_LEVEL : told?.level ?? question.level;
    store.set({ hint: { ...answer, level, shown: movesToShow(answer.best ?? [], told?.shown ?? []) } });
  }

  /** Show the position after these moves, which is on the page or in another line. */
  function goTo(moves) {
    return enqueue(async () => {
      const { trail, game } = store.get();
      const last = trail.steps.at(-1).moves;
      store.set({ hint: null, mode: "play" });
      if (!moves.every((move, at) => move === last[at])) return replay(moves);
      const solved = await game.solved(trail.steps[moves.length].state);
      return store.set({ trail: { ...trail, at: moves.length }, solved });
    });
  }

  /** Find out whether something on the board is wrong already, and say so. */
  async function check() {
    const { trail } = store.get();
    const answer = await ask(HINT_SECONDS);
    if (store.get().trail !== trail) return;
    if (answer.wrong?.length) store.set({ hint: { ...answer, level: MAX_LEVEL } });
    else say("No mistakes so far.");
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
    restart,
    goTo,
    check,
  };
}

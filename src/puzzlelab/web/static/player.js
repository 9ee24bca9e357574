/** Steps through the solution that is watched, by hand or automatically. */

/** Milliseconds from move to move at speed 1. */
const STEP_MS = 640;
export const SPEEDS = [0.5, 1, 2, 4, 8];

/** Milliseconds that a move may take to be drawn at this speed: less than the pause to the next one. */
export const moveDuration = (speed) => Math.min(260, (0.75 * STEP_MS) / speed);

/** The player of the line in a store. */
export function createPlayer(store) {
  let timer = 0;

  const last = () => (store.get().line?.moves.length ?? 0);

  /** Show the board after `step` moves. */
  function go(step) {
    store.set({ step: Math.max(0, Math.min(step, last())) });
  }

  function pause() {
    clearTimeout(timer);
    store.set({ playing: false });
  }

  function play() {
    if (!last()) return;
    if (store.get().step === last()) go(0);
    store.set({ playing: true });
    scheduleStep();
  }

  function scheduleStep() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      go(store.get().step + 1);
      if (store.get().step < last()) scheduleStep();
      else pause();
    }, STEP_MS / store.get().speed);
  }

  /** Go to a step by hand; this ends the automatic playing. */
  function step(to) {
    pause();
    go(to);
  }

  return {
    step,
    toggle: () => (store.get().playing ? pause() : play()),
    first: () => step(0),
    back: () => step(store.get().step - 1),
    forward: () => step(store.get().step + 1),
    last: () => step(last()),
    speed(value) {
      store.set({ speed: value });
      if (store.get().playing) scheduleStep();
    },
  };
}

/** Steps through the line that is watched, by hand or by itself. */

/** Milliseconds from move to move at the usual speed. */
const PACE = 640;
export const SPEEDS = [0.5, 1, 2, 4, 8];

/** Milliseconds that a move may take to be drawn at this speed: less than the pause to the next one. */
export const moveDuration = (speed) => Math.min(260, (0.75 * PACE) / speed);

/** The player of a store's line. */
export function createPlayer(store) {
  let timer = 0;

  const last = () => (store.get().line?.moves.length ?? 0);

  /** Show the board after so many moves. */
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
    beat();
  }

  function beat() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      go(store.get().step + 1);
      if (store.get().step < last()) beat();
      else pause();
    }, PACE / store.get().speed);
  }

  /** What a person asks for; it ends the playing by itself. */
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
      if (store.get().playing) beat();
    },
  };
}

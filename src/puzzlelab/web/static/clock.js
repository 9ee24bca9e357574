/** The time that a board has been played, in whole seconds: it runs in play while the page is in sight. */

import { keepForBoard } from "./kept.js";

const TICK_MS = 1000;

/** Measure the time for a store, as its `seconds`; the browser keeps it, for the last board of each puzzle. */
export function createClock(store) {
  function tick() {
    const { mode, solved, trail, marks, seconds } = store.get();
    const begun = trail.steps.length > 1 || marks !== null || seconds > 0;
    if (mode === "play" && begun && !solved && !document.hidden) store.set({ seconds: seconds + 1 });
  }

  keepForBoard(store, "seconds", Number.isSafeInteger);
  setInterval(tick, TICK_MS);
}

/** Seconds as on a clock: 75 is 1:15. */
export function clockText(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** The time that a board has been played, in whole seconds: it runs in play while the page is in sight. */

const PREFIX = "puzzlelab-clock:";
const TICK_MS = 1000;

/** Measure the time for a store, as its `seconds`; the browser keeps it, for the last board of each puzzle. */
export function createClock(store) {
  let draft = null; // the board whose time is measured

  const nameOf = () => PREFIX + store.get().facts.puzzle;

  function stored({ game }) {
    try {
      const kept = JSON.parse(localStorage.getItem(nameOf()));
      return kept.board === game.write(draft) && Number.isSafeInteger(kept.seconds) ? kept.seconds : 0;
    } catch {
      return 0; // nothing is stored, or storage is forbidden
    }
  }

  function save() {
    const { game, seconds } = store.get();
    if (!game || !draft || !seconds) return;
    try {
      localStorage.setItem(nameOf(), JSON.stringify({ board: game.write(draft), seconds }));
    } catch {
      // the time then lasts as long as the page
    }
  }

  function tick() {
    const { mode, solved, trail, marks, seconds } = store.get();
    const begun = trail.steps.length > 1 || marks !== null || seconds > 0;
    if (mode === "play" && begun && !solved && !document.hidden) store.set({ seconds: seconds + 1 });
  }

  addEventListener("pagehide", save);
  document.addEventListener("visibilitychange", () => document.hidden && save());
  store.watch(["draft", "facts"], (state) => {
    if (!state.draft || state.draft === draft) return;
    draft = state.draft;
    store.set({ seconds: stored(state) });
  });
  setInterval(tick, TICK_MS);
}

/** Seconds as on a clock: 75 is 1:15. */
export function clockText(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

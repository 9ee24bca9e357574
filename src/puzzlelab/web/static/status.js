/** The status line: what happened last, as long as the page shows what it was said of; else what one can do. */

import { byId } from "./dom.js";

const KEYS = ["game", "mode", "draft", "trail", "line"];
/** What a sentence was said of: it is true until one of these changes. */
const subjectOf = ({ game, mode, draft, trail, line }) => [game, mode, draft, trail, line?.moves];
const GUIDE = {
  make: "Type or paste a board, or press New.",
  play: "Press a move.",
  watch: "Step through the solution, or let it play.",
};
const NOTHING = Object.freeze({ sentence: "", seen: false, of: [] });
const NO_LINE = "No solution is shown yet: press Solve.";

/** The status line of a store. Returns `say(sentence, {seen})`; one that is `seen` elsewhere is for screen readers alone. */
export function mountStatus(store) {
  const line = byId("status");
  let said = NOTHING;

  function show() {
    const state = store.get();
    if (!subjectOf(state).every((each, at) => each === said.of[at])) said = NOTHING;
    const text = said.sentence || guideOf(state);
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle("hidden", said.seen);
  }

  store.watch(KEYS, show);
  return (sentence, { seen = false } = {}) => {
    said = { sentence, seen: seen && Boolean(sentence), of: subjectOf(store.get()) };
    show();
  };
}

/** What one can do with this puzzle in this mode. */
function guideOf({ module, mode, line, solved }) {
  if (!module || (mode === "play" && solved)) return "";
  if (mode === "watch" && !line) return NO_LINE;
  return module.help?.guide?.[mode] ?? GUIDE[mode];
}

/** The choice of a solver, its options and its time; one solver, or several to compare. */

import { byId, fillSelect, el, showText } from "../dom.js";

const COMPARED = 3;
/** Options that the server sets itself. */
const OWN_OPTIONS = new Set(["jobs"]);
const USUAL_SECONDS = 30;

/** The solver as the server reads it: `name` or `name:option=value`. A full text in the options field is used as is. */
function solverText(name, options) {
  const text = options.trim().replace(/^:/, "");
  if (!text) return name;
  return text.split(":")[0].includes("=") ? `${name}:${text}` : text;
}

/** `solve(solver)` runs one solver and shows its solution; `race.start` runs several. */
export function mountSolve(store, race, solve, say) {
  const [solver, options, time] = [byId("solver"), byId("options"), byId("time")];

  store.watch(["facts"], ({ facts }) => {
    if (!facts) return;
    const names = ordered(facts);
    fillSelect(solver, names.map((name) => [name, methodInWords(name, facts)]));
    options.value = "";
    byId("compare-list").replaceChildren(...names.map((name, at) => checkOf(store, name, at < COMPARED)));
  });

  store.watch(["facts", "catalog"], () => showAbout(store));
  solver.addEventListener("change", () => showAbout(store));

  store.watch(["solver"], ({ solver: text }) => {
    const [name, ...rest] = text.split(":");
    if (text && [...solver.options].some(({ value }) => value === name)) {
      solver.value = name;
      options.value = rest.join(":");
      showAbout(store);
    }
  });

  store.watch(["limits"], ({ limits }) => {
    if (!limits) return;
    time.max = limits.seconds;
    time.value = Math.min(USUAL_SECONDS, limits.seconds);
  });

  byId("solve-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (ready()) solve(solverText(solver.value, options.value), seconds());
  });
  byId("compare").addEventListener("click", () => {
    const chosen = [...document.querySelectorAll("#compare-list input:checked")].map(({ value }) => value);
    if (!chosen.length) say("Choose the methods to compare.");
    else if (ready()) for (const name of chosen) race.start(name, seconds());
  });
  byId("stop-all").addEventListener("click", race.stopAll);

  const seconds = () => (time.value === "" ? "" : Number(time.value));
  const ready = () => {
    const { missing } = store.get();
    if (missing) say(`Not yet: ${missing}.`);
    return !missing;
  };
}

/** The usual solver, those by networks of the user, and all others. */
function ordered({ solvers, solvers_by_network: byNetwork, usual_solver: usual }) {
  return [usual.name, ...byNetwork, ...solvers.filter((name) => name !== usual.name)];
}

/** What methods do for a person; the name of the solver stands beside it. */
const METHODS = {
  annealing: "Chance, with cooling",
  astar: "Shortest, best first",
  backtracking: "Guesses and logic",
  bands: "Fast, proven",
  beam: "Quick, then better",
  bfs: "Shortest, step by step",
  "dancing-links": "Exact cover, proven",
  "depth-first": "Deep first, proven",
  discrepancy: "Learned, then better",
  greedy: "Learned, at once",
  halves: "Fewest moves, proven",
  ida: "Fewest moves, proven",
  integer: "Integer program",
  lattice: "Learned",
  permutation: "Row by row",
  portfolio: "Several at once",
  random: "Chance",
  sat: "Logic formula",
  shortest: "Fewest moves, proven",
  uct: "Learned, tree search",
};

function methodInWords(name, { usual_solver: usual }) {
  const [solver, ...network] = name.split(/:\w+=net:/);
  const words = METHODS[solver] ? `${METHODS[solver]} (${[solver, ...network].join(", ")})` : name;
  return name === usual.name ? `${words}, usual` : words;
}

const solverInfo = ({ catalog }, name) => catalog?.solvers.find((one) => one.name === name.split(":")[0]);

function showAbout(store) {
  const info = solverInfo(store.get(), byId("solver").value);
  showText(byId("solver-about"), info?.about.replaceAll("`", ""));
  const options = (info?.options ?? []).filter(({ name }) => !OWN_OPTIONS.has(name));
  const [first] = options;
  const names = options.map(({ name }) => name).join(", ");
  byId("options-such").textContent = first ? `${first.name}=${first.default ?? "…"}` : "name:option=value";
  showText(byId("options-known"), first ? `${info.name} has ${names}.` : "It has no options.");
}

function checkOf(store, name, checked) {
  const about = solverInfo(store.get(), name)?.about ?? "";
  const box = el("input", { type: "checkbox", value: name, checked, "data-testid": `compare-${name}` });
  return el("li", {}, el("label", { className: "switch", title: about }, box, ` ${name}`));
}

/** Finds the module of a puzzle family; families without one are drawn by the server. */

import * as generic from "./puzzles/generic.js";
import { el } from "./dom.js";

const NONE = 404;
const found = new Map();

/** The module of a family of the catalog: `{fields, nameOf, valuesOf, style, createGame}`. */
export function familyModule(entry) {
  const { family } = entry;
  if (!found.has(family)) {
    found.set(family, load(entry));
    found.get(family).catch(() => found.delete(family)); // it may be there the next time
  }
  return found.get(family);
}

async function load(entry) {
  const url = new URL(`./puzzles/${entry.family}.js`, import.meta.url);
  const { status } = await fetch(url, { method: "HEAD" });
  if (status === NONE) return generic.familyOf(entry);
  const module = await import(url);
  if (module.style) await styled(module.style);
  return module;
}

/** Link a stylesheet of a family, and wait until it holds. */
function styled(name) {
  const href = new URL(`./puzzles/${name}`, import.meta.url).href;
  return new Promise((done) => {
    document.head.append(el("link", { rel: "stylesheet", href, on: { load: done, error: done } }));
  });
}

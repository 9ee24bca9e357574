/** Finds the module of a puzzle family; families without one are drawn by the server. */

import * as dust from "./puzzles/dust.js";
import * as generic from "./puzzles/generic.js";
import * as sudoku from "./puzzles/sudoku.js";
import * as tiles from "./puzzles/tiles.js";
import { el } from "./dom.js";

const NOT_FOUND = 404;
/** Families that are loaded; those of plug-ins are added when they are first opened. */
const modules = new Map(Object.entries({ dust, sudoku, tiles }));

/** The module of a family of the catalog: `{fields, nameOf, valuesOf, style, createGame}`. */
export function familyModule(entry) {
  const { family } = entry;
  if (!modules.has(family)) {
    modules.set(family, load(entry));
    modules.get(family).catch(() => modules.delete(family)); // so that the next call tries again
  }
  return modules.get(family);
}

async function load(entry) {
  const url = new URL(`./puzzles/${entry.family}.js`, import.meta.url);
  const { status } = await fetch(url, { method: "HEAD" });
  if (status === NOT_FOUND) return generic.familyOf(entry);
  const module = await import(url);
  if (module.style) await linkStylesheet(module.style);
  return module;
}

/** Link the stylesheet of a family, and wait until it is loaded. */
function linkStylesheet(name) {
  const href = new URL(`./puzzles/${name}`, import.meta.url).href;
  return new Promise((done) => {
    document.head.append(el("link", { rel: "stylesheet", href, on: { load: done, error: done } }));
  });
}

/** Finds the module of a puzzle family; families without one are drawn by the server. */

import * as generic from "./puzzles/generic.js";
import { el } from "./dom.js";

const found = new Map();

/** The module of a family of the catalog: `{fields, nameOf, valuesOf, style, createGame}`. */
export function familyModule(entry) {
  if (!found.has(entry.family)) found.set(entry.family, load(entry));
  return found.get(entry.family);
}

async function load(entry) {
  let module;
  try {
    module = await import(`./puzzles/${entry.family}.js`);
  } catch (error) {
    if (error instanceof TypeError) return generic.familyOf(entry); // there is no such file
    throw error;
  }
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

/** Small helpers for elements. Elements are created by functions, never from HTML text. */

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * A new element. Names with a hyphen, `role` and `for` are set as attributes, `on` holds listeners, and all else are
 * properties of the element.
 */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name.includes("-") || ["role", "for", "scope", "colspan"].includes(name)) node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children);
  return node;
}

/** Show a sentence in an element, which is hidden while there is none. */
export function showText(node, sentence) {
  node.textContent = sentence ?? "";
  node.hidden = !sentence;
}

/** An `<option>` for each `[value, text]`. */
export function fillSelect(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => el("option", { value, textContent: text })));
  if (chosen !== undefined) select.value = chosen;
}

/** Whether a key pressed here belongs to the element itself: to a field, a slider or a list of choices. */
export function ownsKeys(target) {
  const fields = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog";
  return target instanceof Element && target.closest(fields) !== null;
}

/** Close a dialog by its button and by a press outside; Esc closes it by itself. */
export function closeByPressOutside(dialog) {
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target, clientX: x, clientY: y }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    if (target === dialog && (x < left || x > right || y < top || y > bottom)) dialog.close();
  });
}

/** Let the browser save a text as a file. */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Call this when the user leaves the page or its tab; nothing is sure to run after that. */
export function onLeaving(act) {
  addEventListener("pagehide", act);
  document.addEventListener("visibilitychange", () => document.hidden && act());
}

/** Copy a text; whether that was possible. Without a secure origin only the older way of browsers works. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text) {
  const field = el("textarea", { value: text, className: "hidden", "aria-hidden": "true" });
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  return copied;
}

/** `work`, delayed until it was not called for `pause` milliseconds; `now()` runs a pending call at once. */
export function debounce(work, pause) {
  let timer = 0;
  const run = () => {
    timer = 0;
    work();
  };
  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(run, pause);
  };
  schedule.now = () => {
    if (!timer) return;
    clearTimeout(timer);
    run();
  };
  schedule.cancel = () => {
    clearTimeout(timer);
    timer = 0;
  };
  return schedule;
}

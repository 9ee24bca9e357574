/** Small helpers for elements: made by functions, never from HTML text. */

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * A new element. Names with a hyphen, `role` and `for` are set as attributes, `on` holds listeners, and all else are
 * properties of the element.
 */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (name.includes("-") || ["role", "for", "scope", "colspan"].includes(name)) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

/** Show a sentence in an element, which is hidden while there is none. */
export function tell(element, sentence) {
  element.textContent = sentence ?? "";
  element.hidden = !sentence;
}

/** An `<option>` for each `[value, text]`. */
export function choices(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => el("option", { value, textContent: text })));
  if (chosen !== undefined) select.value = chosen;
}

/** Whether a key pressed here belongs to the element itself: to a field, a slider or a list of choices. */
export function takesKeys(target) {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
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

/** `work` once nothing has called for `pause` milliseconds; `now()` does what is due at once. */
export function later(work, pause) {
  let timer = 0;
  const run = () => {
    timer = 0;
    work();
  };
  const ask = () => {
    clearTimeout(timer);
    timer = setTimeout(run, pause);
  };
  ask.now = () => {
    if (!timer) return;
    clearTimeout(timer);
    run();
  };
  ask.cancel = () => {
    clearTimeout(timer);
    timer = 0;
  };
  return ask;
}

/** Light, dark, or as the system has it. Runs before the page is drawn, so that it never flashes. */

const KEY = "puzzlelab-theme";
const CHOICES = ["system", "light", "dark"];
const LABELS = { system: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" };
const SIGNS = { system: "◐", light: "☀", dark: "☾" };
const dark = matchMedia("(prefers-color-scheme: dark)");

let chosen = remembered();

function remembered() {
  try {
    const kept = localStorage.getItem(KEY);
    return CHOICES.includes(kept) ? kept : "system";
  } catch {
    return "system"; // storage can be forbidden
  }
}

function remember() {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // the choice then lasts as long as the page
  }
}

function apply() {
  document.documentElement.dataset.theme = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
}

/** Make a button go round the three choices. */
export function mountTheme(button) {
  const show = () => {
    button.textContent = SIGNS[chosen];
    button.setAttribute("aria-label", LABELS[chosen]);
    button.title = LABELS[chosen];
  };
  button.addEventListener("click", () => {
    chosen = CHOICES[(CHOICES.indexOf(chosen) + 1) % CHOICES.length];
    remember();
    apply();
    show();
  });
  show();
}

dark.addEventListener("change", apply);
apply();

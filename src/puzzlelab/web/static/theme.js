/** The theme: light, dark, or that of the system. It is set before the page is drawn, so that nothing flashes. */

const KEY = "puzzlelab-theme";
const CHOICES = ["system", "light", "dark"];
const LABELS = { system: "Theme: as the system", light: "Theme: light", dark: "Theme: dark" };
const SIGNS = { system: "◐", light: "☀", dark: "☾" };
const dark = matchMedia("(prefers-color-scheme: dark)");

let choice = storedChoice();

function storedChoice() {
  try {
    const stored = localStorage.getItem(KEY);
    return CHOICES.includes(stored) ? stored : "system";
  } catch {
    return "system"; // storage can be forbidden
  }
}

function storeChoice() {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // the choice then lasts as long as the page
  }
}

function apply() {
  document.documentElement.dataset.theme = choice === "system" ? (dark.matches ? "dark" : "light") : choice;
}

/** Let a button cycle through the three choices. */
export function mountTheme(button) {
  const show = () => {
    button.textContent = SIGNS[choice];
    button.setAttribute("aria-label", LABELS[choice]);
    button.title = LABELS[choice];
  };
  button.addEventListener("click", () => {
    // From the system's theme the first press leads to the other one, so that each press changes what is seen.
    const order = dark.matches ? ["system", "light", "dark"] : ["system", "dark", "light"];
    choice = order[(order.indexOf(choice) + 1) % order.length];
    storeChoice();
    apply();
    show();
  });
  show();
}

dark.addEventListener("change", apply);
apply();

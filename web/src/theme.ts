// Light or dark: what the system says, until the button says otherwise.
const KEY = "strata-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
let choice: string | null = null;
try {
  choice = localStorage.getItem(KEY);
} catch {
  // a page opened from a file may have no storage
}

export const isDark = () => (choice ?? (system.matches ? "dark" : "light")) === "dark";

export function startTheme(button: HTMLButtonElement, changed: () => void): void {
  const show = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  };
  button.addEventListener("click", () => {
    choice = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // kept for this visit only
    }
    show();
    changed();
  });
  system.addEventListener("change", () => {
    show();
    changed();
  });
  show();
}

// Runs before the page is drawn, so that a chosen theme does not flash. Not a module for that reason.
(() => {
  "use strict";
  const root = document.documentElement;
  root.dataset.script = "on"; // what is said to browsers without scripts goes away
  const themes = ["auto", "light", "dark"];

  const stored = () => {
    try {
      return localStorage.getItem("phaseten-theme");
    } catch {
      return null; // storage is switched off: the system's theme it is
    }
  };

  const show = (theme) => {
    if (theme === "light" || theme === "dark") {
      root.dataset.theme = theme;
    } else {
      delete root.dataset.theme;
    }
    const name = root.dataset.theme ?? "auto";
    const button = document.querySelector("[data-theme-switch]");
    if (button) {
      button.hidden = false;
      button.dataset.now = name;
      button.setAttribute("aria-label", `Theme: ${name === "auto" ? "as the system" : name}. Change`);
    }
    document.dispatchEvent(new CustomEvent("themechange"));
  };

  show(stored());
  document.addEventListener("DOMContentLoaded", () => {
    show(stored());
    document.querySelector("[data-theme-switch]")?.addEventListener("click", () => {
      const next = themes[(themes.indexOf(root.dataset.theme ?? "auto") + 1) % themes.length];
      try {
        localStorage.setItem("phaseten-theme", next);
      } catch {
        // not kept, but shown
      }
      show(next);
    });
  });
})();

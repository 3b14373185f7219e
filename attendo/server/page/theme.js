// Before anything is drawn: the colours that were chosen here, where they are not the system's. A plain script, not a
// module, for a module would run after the first picture.

(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("attendo.theme");
  } catch {
    // a browser that keeps nothing
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();

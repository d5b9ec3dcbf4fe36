// What needs a script: copying, printing, where the keyboard goes on. Everything else works without one.
"use strict";
(() => {
  const show = (root) => root.querySelectorAll("[data-copy], [data-print]").forEach((button) => { button.hidden = false; });
  const say = (text) => { const said = document.getElementById("said"); if (said) said.textContent = text; };
  document.addEventListener("DOMContentLoaded", () => show(document));
  document.addEventListener("htmx:afterSettle", () => {
    show(document);
    // Whoever pressed a button that is gone goes on from the list that it was in.
    const asked = document.getElementById("asked");
    if (asked && document.activeElement === document.body) asked.focus({preventScroll: true});
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-print]");
    if (!button) return;
    if (button.hasAttribute("data-print")) { window.print(); return; }
    navigator.clipboard.writeText(window.location.href).then(
      () => { button.textContent = "Copied"; say("The link is copied."); },
      () => say("The link could not be copied; it is in the address line.")
    );
  });
})();

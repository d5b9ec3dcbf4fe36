// Copying, printing and the keyboard focus need a script. Everything else works without one.
"use strict";
(() => {
  const show = (root) => root.querySelectorAll("[data-copy], [data-print]").forEach((button) => { button.hidden = false; });
  const announce = (text) => { const status = document.getElementById("status"); if (status) status.textContent = text; };
  document.addEventListener("DOMContentLoaded", () => show(document));

  // Changes made while an answer is on its way stay in their fields and are sent next.
  const isEdited = (field) => field instanceof HTMLSelectElement
    ? field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected))
    : field.value !== field.defaultValue;
  // Fields that the browser restored after "Back" must not be hidden.
  window.addEventListener("pageshow", () => document.querySelectorAll("details :is(input, select)").forEach((field) => {
    if (isEdited(field)) field.closest("details").open = true;
  }));
  let edited = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    const {elt, formData} = event.detail.requestConfig;
    const isSent = (field) => elt.contains(field) && formData.getAll(field.name).includes(field.value);
    edited = [...event.detail.target.querySelectorAll("input[id], select[id]")]
      .filter((field) => isEdited(field) && !isSent(field))
      .map(({id, value, selectionStart}) => ({id, value, selectionStart}));
  });
  document.addEventListener("htmx:afterSwap", () => {
    edited.forEach(({id, value, selectionStart}) => {
      const field = document.getElementById(id);
      if (!field) return;
      field.value = value;
      if (document.activeElement === field && field.setSelectionRange) field.setSelectionRange(selectionStart, selectionStart);
    });
    edited = [];
  });
  const askForEdited = () => document.querySelectorAll("form[hx-trigger] :is(input, select)[id]").forEach((field) => {
    if (isEdited(field)) field.dispatchEvent(new Event("change", {bubbles: true}));
  });

  // A button pressed while an answer is on its way is pressed again on the new page.
  let running = null, pressed = null;
  document.addEventListener("htmx:confirm", (event) => {
    const button = event.detail.triggeringEvent?.submitter;
    if (!running || !button?.id) return;
    event.preventDefault();
    pressed = button.id;
  });
  document.addEventListener("htmx:beforeRequest", (event) => { running = event.detail.xhr; });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (running === event.detail.xhr) running = null;
    if (!event.detail.successful) pressed = null;
  });

  document.addEventListener("htmx:afterSettle", () => {
    show(document);
    // If the focused button is gone, the focus moves to the list it was in.
    const asked = document.getElementById("asked");
    if (asked && document.activeElement === document.body) asked.focus({preventScroll: true});
    const next = pressed && document.getElementById(pressed);
    pressed = null;
    if (next) next.click(); else if (!running) askForEdited();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-print]");
    if (!button) return;
    if (button.hasAttribute("data-print")) { window.print(); return; }
    navigator.clipboard.writeText(window.location.href).then(
      () => { button.textContent = "Copied"; announce("The link is copied."); },
      () => announce("The link could not be copied. It is in the address line.")
    );
  });
})();

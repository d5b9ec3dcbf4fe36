// Searching and ticking columns while typing. Without this script the same buttons ask the server.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form[data-columns]");
  if (!form) return;
  const rows = [...form.querySelectorAll("[data-column]")];
  const groups = [...form.querySelectorAll("[data-group]")];
  const find = form.querySelector("[data-find]");
  const chips = [...form.querySelectorAll("[data-role]")];
  const box = (row) => row.querySelector("input[type=checkbox]");
  const wasOpen = new Map(groups.map((group) => [group, group.open]));
  const count = () => {
    const ticked = (list) => list.filter((row) => box(row)?.checked).length;
    form.querySelector("[data-ticked]").textContent = ticked(rows).toLocaleString("en");
    groups.forEach((group) => {
      group.querySelector("[data-ticked-here]").textContent = ticked([...group.querySelectorAll("[data-column]")]).toLocaleString("en");
    });
  };
  const filter = () => {
    const role = chips.find((chip) => chip.getAttribute("aria-pressed") === "true")?.dataset.role ?? "";
    const text = find.value.trim().toLowerCase();
    rows.forEach((row) => {
      row.hidden = !row.dataset.column.includes(text) || (role !== "" && row.dataset.roleOf !== role);
    });
    groups.forEach((group) => {
      group.hidden = ![...group.querySelectorAll("[data-column]")].some((row) => !row.hidden);
      group.open = text !== "" || role !== "" || wasOpen.get(group);
    });
    document.getElementById("none-found").hidden = rows.some((row) => !row.hidden);
  };
  groups.forEach((group) => group.addEventListener("toggle", () => {
    if (find.value.trim() === "" && chips[0].getAttribute("aria-pressed") === "true") wasOpen.set(group, group.open);
  }));
  form.querySelector("[data-filter]").hidden = true;
  find.addEventListener("input", filter);
  find.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  chips.forEach((chip) => chip.addEventListener("click", (event) => {
    event.preventDefault();
    chips.forEach((other) => other.setAttribute("aria-pressed", String(other === chip)));
    filter();
  }));
  form.querySelectorAll("[data-tick]").forEach((button) => button.addEventListener("click", (event) => {
    event.preventDefault();
    rows.filter((row) => !row.hidden && box(row)).forEach((row) => { box(row).checked = button.dataset.tick === "all"; });
    count();
  }));
  form.addEventListener("change", count);
  // Fields that say nothing would only make the address longer.
  form.addEventListener("submit", () => form.querySelectorAll("select, input").forEach((field) => {
    if (field.value === "" || field === find) { field.disabled = true; setTimeout(() => { field.disabled = false; }); }
  }));
  window.addEventListener("pageshow", () => { filter(); count(); });
});

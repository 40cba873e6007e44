"use strict";
const $ = (id) => document.getElementById(id);
const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
// A table that is wider than the page gets a block for each row and a line for each cell; a figure can be scrolled.
const fit = (box) => {
  const table = box.querySelector("table");
  box.classList.remove("wide", "stacked");
  if (box.scrollWidth <= box.clientWidth) return;
  box.classList.add(table ? "stacked" : "wide");
  if (!table) return;
  const titles = [...table.tHead.rows[0].cells].map((cell) => [...cell.childNodes].map((node) => node.textContent).join(" ").trim());
  for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, k) => { cell.dataset.title = titles[k]; });
};
const watcher = new ResizeObserver((entries) => requestAnimationFrame(() => {
  new Set(entries.map(({ target }) => target.closest(".scroll"))).forEach(fit);
}));
document.querySelectorAll(".scroll").forEach((box) => { watcher.observe(box); watcher.observe(box.firstElementChild); });
$("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

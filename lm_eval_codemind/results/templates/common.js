"use strict";
const $ = (id) => document.getElementById(id);
const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
// A table or figure that is wider than the page says so.
const watcher = new ResizeObserver((entries) => entries.forEach(({ target }) => {
  const box = target.closest(".scroll");
  box.classList.toggle("wide", box.scrollWidth > box.clientWidth);
}));
document.querySelectorAll(".scroll").forEach((box) => { watcher.observe(box); watcher.observe(box.firstElementChild); });
$("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

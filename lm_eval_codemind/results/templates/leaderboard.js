"use strict";
(() => {
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  const compare = (one, other) => {
    const [a, b] = [Number(one), Number(other)];
    if (one === "" || other === "") return (one === "") - (other === "");
    return Number.isNaN(a) || Number.isNaN(b) ? one.localeCompare(other) : a - b;
  };
  document.querySelectorAll("table.sortable").forEach((table) => {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => heading.querySelector("button").addEventListener("click", () => {
      const number = heading.classList.contains("num");
      // Scores start with the best, names with the first; a second click turns the order round.
      const before = heading.getAttribute("aria-sort");
      const descending = before ? before === "ascending" : number;
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const body = table.tBodies[0];
      const value = (row) => row.cells[column].dataset.value;
      const rows = [...body.rows].sort((one, other) => {
        // A missing value comes last in either order.
        if (value(one) === "" || value(other) === "") return compare(value(one), value(other));
        return (descending ? -1 : 1) * compare(value(one), value(other));
      });
      body.append(...rows);
    }));
  });
  document.documentElement.dataset.ready = "yes";
})();

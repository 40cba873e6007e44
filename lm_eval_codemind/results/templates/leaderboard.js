(() => {
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

  // The filters hide rows, columns, charts and marks.
  const chosen = (id) => $(id).value;
  const filter = () => {
    const family = chosen("f-family"), model = chosen("f-model").toLowerCase();
    document.querySelectorAll("[data-family]").forEach((node) => {
      node.hidden = family !== "" && node.dataset.family !== family;
    });
    document.querySelectorAll("tr[data-model]").forEach((row) => {
      row.hidden = !row.dataset.model.toLowerCase().includes(model);
    });
    document.querySelectorAll("[data-series]").forEach((mark) => {
      mark.style.display = mark.dataset.series.toLowerCase().includes(model) ? "" : "none";
    });
  };
  for (const kind of ["input", "change"]) $("filters").addEventListener(kind, filter);
  $("filters").addEventListener("reset", () => setTimeout(filter));
  $("filters").addEventListener("submit", (event) => event.preventDefault());

  // Two models side by side on the problems that both ran.
  const pairs = JSON.parse($("data").textContent);
  const percent = (value) => `${(100 * value).toFixed(1)}%`;
  const line = (cells) => {
    const row = make("tr");
    cells.forEach(([value, small], k) => {
      const cell = make("td", k ? "num" : "", value);
      if (small) cell.append(make("small", "", small));
      row.append(cell);
    });
    return row;
  };
  const side = () => {
    const [one, other] = [chosen("first"), chosen("second")];
    $("side-first").textContent = one;
    $("side-second").textContent = other;
    $("side").tBodies[0].replaceChildren(...pairs.flatMap((row) => {
      const same = row.first === one && row.second === other;
      if (!same && !(row.first === other && row.second === one)) return [];
      const [sign, ends] = same ? [1, [row.low, row.high]] : [-1, [-row.high, -row.low]];
      const p = row.p_corrected === null ? "–" : row.p_corrected < 0.001 ? "<0.001" : row.p_corrected.toFixed(3);
      const scores = ["first", "second"].map((name) => [percent(row[`${name}_score`]), `on ${row.n} of its ${row[`${name}_n`]} problems`]);
      return [line([[row.family, row.score_name], ...(same ? scores : scores.reverse()), [percent(sign * row.difference), row.low === null ? "" : ends.map(percent).join(" to ")], [p]])];
    }));
  };
  if ($("side")) {
    $("second").selectedIndex = 1;
    for (const id of ["first", "second"]) $(id).addEventListener("change", side);
    side();
  }
  document.documentElement.dataset.ready = "yes";
})();

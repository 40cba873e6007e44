(() => {
  const ROW = 48;

  // Chunks lie in the file as base64 of gzip of JSON and are unpacked when they are first needed.
  const unpacked = new Map();
  const unpack = (id) => {
    if (!unpacked.has(id)) {
      const bytes = Uint8Array.from(atob($(id).textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      unpacked.set(id, new Response(stream).json());
      // A bound on memory: what was unpacked first goes first.
      if (unpacked.size > 60) unpacked.delete([...unpacked.keys()].find((key) => key !== "index"));
    }
    return unpacked.get(id);
  };

  // Texts come from models: they are only ever set as text, and characters that would act or hide are shown by name.
  const visible = (text) => text.toWellFormed ? mark(text.toWellFormed()) : mark(text);
  const mark = (text) => text
    .replace(/\r\n/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\x7f/g, "\u2421")
    .replace(/[\u0080-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
      (c) => `⟦U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`);
  document.querySelectorAll("[data-csv]").forEach((button) => button.addEventListener("click", async () => {
    const tables = await unpack("tables");
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([tables[button.dataset.csv]], { type: "text/csv" }));
    link.download = `${button.dataset.csv}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }));

  if (!$("index")) return;
  const list = $("list"), detail = $("detail"), count = $("count");
  const sizer = make("div");
  let index, shown = [], active = -1, opened = -1, query = 0;

  const GLYPHS = ["✓", "~", "✗"], CLASSES = ["correct", "partly", "incorrect"];

  const render = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 5);
    const rows = [];
    for (let place = first; place < last; place++) {
      const i = shown[place];
      const problem = index.problems[index.problem[i]];
      const row = make("div", "row");
      row.id = `row-${place}`;
      row.style.top = `${place * ROW}px`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(place === active));
      row.setAttribute("aria-posinset", String(place + 1));
      row.setAttribute("aria-setsize", String(shown.length));
      const verdict = index.verdict[i];
      const glyph = make("span", CLASSES[verdict], GLYPHS[verdict]);
      glyph.title = index.verdicts[verdict];
      row.append(glyph, make("span", "", visible(problem[0])), make("span", "facts", index.outcomes[index.outcome[i]]),
        make("span", "where", visible(`${index.models[index.model[i]]} · ${index.tasks[index.task[i]]}`)));
      row.addEventListener("click", () => { choose(place); open(i); });
      rows.push(row);
    }
    list.replaceChildren(sizer, ...rows);
    if (active >= 0) list.setAttribute("aria-activedescendant", `row-${active}`);
    else list.removeAttribute("aria-activedescendant");
  };

  const choose = (place) => {
    active = Math.max(0, Math.min(shown.length - 1, place));
    const top = active * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    render();
  };

  const colour = (pre, text, language) => {
    const marks = text.length <= 200000 && index.marks[language] || [];
    let at = 0;
    if (marks.length) {
      const pattern = new RegExp(marks.map(([, found]) => `(${found})`).join("|"), "g");
      for (const found of text.matchAll(pattern)) {
        const k = found.slice(1).findIndex((group) => group !== undefined);
        pre.append(text.slice(at, found.index), make("span", `c-${marks[k][0]}`, found[0]));
        at = found.index + found[0].length;
      }
    }
    pre.append(text.slice(at));
  };

  const textNode = (kind, text, language) => {
    const LIMIT = 20000;
    const box = make("div", kind === "code" || kind === "diff" ? "text" : "text wrap");
    box.tabIndex = 0;
    const fill = (full) => {
      const part = full || text.length <= LIMIT ? text : text.slice(0, LIMIT);
      const content = visible(kind === "code" ? part.replace(/\n$/, "") : part);
      const pre = make("pre");
      box.replaceChildren();
      if (kind === "code") {
        const n = content.split("\n").length;
        const numbers = make("pre", "lines", Array.from({ length: n }, (_, k) => k + 1).join("\n"));
        numbers.setAttribute("aria-hidden", "true");
        box.append(numbers);
      }
      if (kind === "diff") {
        for (const line of content.split("\n")) {
          const sign = line[0];
          pre.append(make("span", sign === "+" ? "add" : sign === "-" ? "del" : sign === "@" ? "hunk" : "", line + "\n"));
        }
      } else {
        colour(pre, content, kind === "code" ? language : "");
      }
      box.append(pre);
    };
    fill(false);
    if (text.length <= LIMIT) return [box];
    const more = make("button", "", `Show all ${text.length.toLocaleString()} characters`);
    more.type = "button";
    more.addEventListener("click", () => { fill(true); more.remove(); });
    return [box, more];
  };

  const texts = async (references) => {
    const found = [];
    for (const reference of references) {
      let chunk = 0;
      while (chunk + 1 < index.texts.length && index.texts[chunk + 1] <= reference) chunk++;
      found.push((await unpack(`texts-${chunk}`))[reference - index.texts[chunk]]);
    }
    return found;
  };

  const partsOf = async (i) => (await unpack(`samples-${Math.floor(i / index.block)}`))[i % index.block];

  const open = async (i) => {
    opened = i;
    const parts = await partsOf(i);
    const contents = await texts(parts.map((part) => part[2]));
    if (opened !== i) return;
    const problem = index.problems[index.problem[i]];
    const verdict = index.verdict[i];
    const bar = make("div", "bar");
    for (const [label, id, step] of [["Back", "back", 0], ["Previous", "", -1], ["Next", "", 1]]) {
      const button = make("button", "", label);
      button.type = "button";
      if (id) button.id = id;
      button.addEventListener("click", () => step ? go(step) : close());
      bar.append(button);
    }
    const outcome = make("p", `outcome ${CLASSES[verdict]}`,
      `${GLYPHS[verdict]} ${index.outcomes[index.outcome[i]]} (${index.scores[index.task[i]]} = ${Number(index.score[i].toFixed(4))})`);
    const [id, benchmark, measures] = problem;
    const properties = index.properties[i].map((k) => index.categories[k]).join(", ");
    const facts = [`${index.models[index.model[i]]} · ${index.tasks[index.task[i]]} · ${index.benchmarks[benchmark]}`];
    const complexity = index.measures.map((name, k) => measures[k] === null ? "" : `${name} ${measures[k]}`).filter(Boolean);
    if (complexity.length) facts.push(`${complexity.join(", ")}; ${properties}`);
    const nodes = [bar, make("h3", "", visible(id)), outcome, ...facts.map((fact) => make("p", "facts", visible(fact)))];
    let beside = null;
    parts.forEach(([title, kind, , side, note, language], k) => {
      const section = make("section");
      section.append(make("h4", "", note ? `${title}, ${note}` : title), ...textNode(kind, contents[k], language));
      if (side) {
        if (!beside) nodes.push(beside = make("div", "beside"));
        beside.append(section);
      } else {
        beside = null;
        nodes.push(section);
      }
    });
    detail.replaceChildren(...nodes);
    detail.scrollTop = 0;
    detail.classList.add("open");
    history.replaceState(null, "", `#${new URLSearchParams({ model: index.models[index.model[i]], task: index.tasks[index.task[i]], problem: id })}`);
    detail.focus({ preventScroll: true });
  };

  const close = () => {
    detail.classList.remove("open");
    opened = -1;
    history.replaceState(null, "", "#samples");
    list.focus({ preventScroll: true });
  };
  const go = (step) => {
    if (!shown.length) return;
    choose((active < 0 ? -1 : active) + step);
    open(shown[active]);
  };

  const chosen = (id) => $(id).value === "" ? null : Number($(id).value);
  const apply = async () => {
    const mine = ++query;
    const model = chosen("f-model"), task = chosen("f-task"), benchmark = chosen("f-benchmark");
    const property = chosen("f-property"), outcome = chosen("f-outcome");
    // After the tasks come the sets of tasks, and after the verdicts the outcomes.
    const tasks = index.sets[task - index.tasks.length]?.[1] ?? [task];
    const words = $("search").value.trim().toLowerCase(), deep = $("deep").checked;
    const passes = (i) => {
      const problem = index.problems[index.problem[i]];
      return (model === null || index.model[i] === model) && (task === null || tasks.includes(index.task[i]))
        && (benchmark === null || problem[1] === benchmark) && (property === null || index.properties[i].includes(property))
        && (outcome === null || index.verdict[i] === outcome || index.outcome[i] === outcome - index.verdicts.length);
    };
    const candidates = index.model.map((_, i) => i).filter(passes);
    const exact = index.problems.some(([name]) => name.toLowerCase() === words);
    const named = (i) => {
      const name = index.problems[index.problem[i]][0].toLowerCase();
      return exact ? name === words : name.includes(words);
    };
    const show = (found, note) => {
      shown = found;
      active = -1;
      sizer.style.height = `${shown.length * ROW}px`;
      list.scrollTop = 0;
      render();
      count.textContent = `${shown.length.toLocaleString()} of ${index.model.length.toLocaleString()} samples${note}`;
    };
    if (!words || !deep) return show(words ? candidates.filter(named) : candidates, "");
    // First the texts that hold the words, then the samples that show such a text.
    const hits = new Set();
    for (let chunk = 0; chunk < index.texts.length; chunk++) {
      const contents = await unpack(`texts-${chunk}`);
      if (mine !== query) return;
      contents.forEach((text, k) => { if (text.toLowerCase().includes(words)) hits.add(index.texts[chunk] + k); });
      count.textContent = `Searching … ${Math.round(100 * (chunk + 1) / index.texts.length)} %`;
    }
    const found = [];
    for (const i of candidates) {
      const parts = await partsOf(i);
      if (mine !== query) return;
      if (named(i) || parts.some((part) => hits.has(part[2]))) found.push(i);
    }
    show(found, ` with “${words}”`);
  };

  const options = (id, names) => names.forEach((name, k) => {
    const option = make("option", "", visible(name));
    option.value = String(k);
    $(id).append(option);
  });

  // The address asks for samples: `#model=…&task=…&outcome=incorrect`, or for one of them with `problem=…`.
  const SELECTS = ["model", "task", "benchmark", "outcome", "property"];
  const follow = async () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (![...SELECTS, "search"].some((name) => wanted.has(name))) return;
    for (const name of SELECTS) {
      const select = $(`f-${name}`), text = wanted.has(name) ? visible(wanted.get(name)) : "all";
      select.selectedIndex = Math.max(0, [...select.options].findIndex((option) => option.textContent === text));
    }
    $("search").value = wanted.get("search") ?? "";
    $("deep").checked = false;
    detail.classList.remove("open");
    await apply();
    $("samples").scrollIntoView();
    const at = shown.findIndex((i) => index.problems[index.problem[i]][0] === wanted.get("problem"));
    if (at >= 0) { choose(at); await open(shown[at]); }
  };

  const start = async () => {
    index = await unpack("index");
    options("f-model", index.models);
    options("f-task", [...index.tasks, ...index.sets.map(([name]) => name)]);
    options("f-benchmark", index.benchmarks);
    options("f-property", index.categories);
    options("f-outcome", [...index.verdicts, ...index.outcomes]);
    let timer;
    for (const kind of ["input", "change"]) $("filters").addEventListener(kind, (event) => {
      clearTimeout(timer);
      timer = setTimeout(apply, event.target.id === "search" ? 150 : 0);
    });
    $("filters").addEventListener("reset", () => setTimeout(apply));
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    list.addEventListener("scroll", () => requestAnimationFrame(render), { passive: true });
    addEventListener("resize", render);
    list.addEventListener("keydown", (event) => {
      const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
      const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
      if (event.key in steps && shown.length) {
        event.preventDefault();
        choose(active < 0 ? 0 : active + steps[event.key]);
      } else if (event.key === "Enter" && active >= 0) open(shown[active]);
    });
    document.addEventListener("keydown", (event) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") { if (typing) event.target.blur(); else if (opened >= 0) close(); }
      else if (typing) return;
      else if (event.key === "/") { event.preventDefault(); $("search").focus(); }
      else if (event.key === "n") go(1);
      else if (event.key === "p") go(-1);
    });
    addEventListener("hashchange", follow);
    document.addEventListener("click", (event) => {
      // A second click on the same link does not change the address.
      if (event.target.closest("a")?.hash === location.hash) follow();
    });
    await apply();
    await follow();
    document.documentElement.dataset.ready = "yes";
  };
  start().catch((error) => { count.textContent = `This browser could not unpack the samples (${error}); use a current one.`; });
})();

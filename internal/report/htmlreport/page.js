// Adds to the page, which is complete without it: filter, folding, theme and links. It
// writes no markup; the page's policy lets no other script run.
(() => {
  "use strict";
  const tools = document.getElementById("tools");
  const folds = () => [...document.querySelectorAll("main details")];
  const turns = [...document.querySelectorAll("main section > details, main > details, main .leaf, .sortable tbody tr")];

  function button(text, press) {
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = text;
    b.addEventListener("click", press);
    tools.append(b);
    return b;
  }

  // A link to a turn or a call opens what it lies in.
  function follow() {
    const at = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!at) return;
    for (let e = at; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    at.scrollIntoView();
  }

  const filter = document.createElement("input");
  filter.type = "search";
  filter.placeholder = "Filter";
  filter.setAttribute("aria-label", "Show only turns and scenarios with this text");
  const failed = document.createElement("input");
  failed.type = "checkbox";
  const label = document.createElement("label");
  label.append(failed, " failed only");
  const sift = () => {
    const want = filter.value.toLowerCase();
    for (const t of turns) {
      t.hidden = (want !== "" && !t.textContent.toLowerCase().includes(want)) || (failed.checked && !t.querySelector(".note.bad, p.bad, td.bad"));
    }
  };
  for (const input of [filter, failed]) input.addEventListener("input", sift);
  tools.append(filter, label);
  button("Open all", () => folds().forEach((d) => { d.open = d.id.split("-").pop() !== "events"; }));
  button("Close all", () => folds().forEach((d) => { d.open = false; }));

  // The head of a column sorts the rows of its table, by numbers where the cells have some.
  const units = { ms: 0.001, min: 60, h: 3600 };
  const worth = (text) => (/^[<$\d]/.test(text) ? [...text.split("(")[0].matchAll(/([\d.,]+) ?(ms|min|h)?/g)].reduce((sum, m) => sum + parseFloat(m[1].replaceAll(",", "")) * (units[m[2]] ?? 1), 0) : NaN);
  for (const head of document.querySelectorAll(".sortable thead th")) {
    const press = document.createElement("button");
    press.type = "button";
    press.textContent = head.textContent;
    head.replaceChildren(press);
    press.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = head.closest("table").tBodies[0];
      const cell = (row) => row.children[head.cellIndex].textContent;
      const order = (a, b) => worth(a) - worth(b) || a.localeCompare(b, undefined, { numeric: true });
      body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * order(cell(a), cell(b))));
    });
  }

  const root = document.documentElement;
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const theme = button("Dark", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    theme.setAttribute("aria-pressed", String(dark()));
  });
  theme.id = "theme";
  theme.setAttribute("aria-pressed", String(dark()));

  // Arrow keys go from one part that can be folded to the next; opening one names it in
  // the address, so that it can be shared.
  document.addEventListener("keydown", (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step || e.target.tagName !== "SUMMARY") return;
    const all = [...document.querySelectorAll("summary")].filter((s) => s.checkVisibility());
    const next = all[all.indexOf(e.target) + step];
    if (!next) return;
    e.preventDefault();
    next.focus();
  });
  document.addEventListener("click", (e) => {
    const box = e.target.closest("summary")?.parentElement ?? e.target.closest(".leaf");
    if (box?.id) history.replaceState(null, "", "#" + box.id);
  });
  let shut = [];
  addEventListener("beforeprint", () => {
    shut = folds().filter((d) => !d.open);
    shut.forEach((d) => { d.open = true; });
  });
  addEventListener("afterprint", () => shut.forEach((d) => { d.open = false; }));
  addEventListener("hashchange", follow);
  follow();
})();

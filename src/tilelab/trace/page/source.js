/* The panel of the source: the author's lines beside the machine code, coloured alike, with cycles. */
import { make, number } from "./dom.js";
import { ownerColour } from "./palette.js";

const SOURCE_NOTE = "Click a line to see its instructions, an instruction to see its line. Cycles of a line: until its word was issued, " +
  "counted from the word that its thread issued before; a core's waits: where it stood while it could not go on.";

/* Cycles by line: of each thread up to the issue of its words, and of each core's waits. */
export function cyclesByLine(model, from = 0, to = model.end) {
  const e = model.events, lines = new Map();
  const at = (line) => {
    if (!lines.has(line)) lines.set(line, { threads: model.threads.map(() => 0), issued: 0, waits: 0, first: -1 });
    return lines.get(line);
  };
  model.threads.forEach((_, t) => {
    let before = 0;
    for (const i of model.of(model.kinds.ISSUE, t)) {
      const row = at(model.site(i).line), clock = e.clock[i];
      if (clock >= from && clock < to) {
        row.threads[t] += Math.min(clock, to - 1) - Math.max(before, from - 1);
        row.issued += 1;
        if (row.first < 0) row.first = i;
      }
      before = clock;
    }
  });
  model.cores.forEach((_, core) => {
    const list = model.of(model.kinds.CORE, core);
    list.forEach((i, k) => {
      const start = Math.max(e.clock[i], from), stop = Math.min(k + 1 < list.length ? e.clock[list[k + 1]] : model.end, to);
      if (e.value[i] !== 0 && e.value[i] !== model.in_reset && stop > start) at(model.site(i).line).waits += stop - start;
    });
  });
  return lines;
}

/* Shows a file and a core's code in a panel; ``state`` keeps the choice and the line. */
export function showSource(panel, model, jump, state, range) {
  const files = Object.keys(model.files), cores = Object.keys(model.code);
  if (!files.length && !cores.length) {
    panel.replaceChildren(make("p", { class: "quiet" }, "No source was found beside the programs, and they have no code of cores."));
    return;
  }
  const again = () => showSource(panel, model, jump, state, range);
  const chosen = state.line ? state.line.slice(0, state.line.lastIndexOf(":")) : "";
  if (files.includes(chosen)) state.file = chosen;
  if (!files.includes(state.file)) state.file = files[0];
  const owner = (core) => model.code[core].some((row) => row[3] === state.line);
  if (state.line && cores.length && !(state.core in model.code && owner(state.core))) state.core = cores.find(owner) || state.core;
  if (!cores.includes(state.core)) state.core = cores.includes("1") ? "1" : cores[0];
  const found = cyclesByLine(model, ...(range || []));
  const pick = (line) => { state.line = line; again(); };
  const choose = (label, names, value, set) => {
    const node = make("select", { "aria-label": label }, ...names.map(([key, text]) => make("option", { value: key }, text)));
    node.value = value;
    node.addEventListener("change", () => { set(node.value); again(); });
    return node;
  };
  const bar = make("p", { class: "row" });
  if (files.length > 1) bar.append(choose("File", files.map((f) => [f, f]), state.file, (f) => { state.file = f; state.line = null; }));
  if (cores.length) bar.append(choose("Core", cores.map((c) => [c, model.cores[c]]), state.core, (c) => { state.core = c; state.line = null; }));
  const event = state.line && found.get(state.line) ? found.get(state.line).first : -1;
  if (event >= 0) bar.append(make("button", { class: "link", onclick: () => jump(event) }, `first word of ${state.line}`));
  bar.append(make("small", {}, range ? `cycles ${number(range[0])} to ${number(range[1] - 1)}. ` : "", SOURCE_NOTE));
  panel.replaceChildren(bar, make("div", { class: "beside" }, lines(model, state, found, pick, again), listing(model, state, pick)));
  for (const box of panel.querySelectorAll(".listing")) {   /* the page itself stays where it is */
    const row = box.querySelector("tr.first");
    if (row) box.scrollTop = row.offsetTop - box.clientHeight / 3;
  }
}

const colour = (line) => `border-left:4px solid ${line ? ownerColour(Number(line.split(":").pop()) || 0) : "transparent"}`;

/* The author's lines: cycles of those columns that have any; hot lines stand out, and come first if so sorted. */
function lines(model, state, found, pick, again) {
  const columns = [...model.threads.map((name, t) => [name.split(" ")[0], (row) => row.threads[t]]), ["waits", (row) => row.waits]];
  const rows = (model.files[state.file] || []).map((text, k) => {
    const name = `${state.file}:${k + 1}`;
    return { text, k, name, row: found.get(name) };
  });
  const shown = columns.filter(([, of]) => rows.some(({ row }) => row && of(row)));
  const hottest = (row) => (row ? Math.max(...row.threads) : 0), most = Math.max(1, ...rows.map(({ row }) => hottest(row)));
  const by = shown.find(([name]) => name === state.by);
  if (by) rows.sort((a, b) => (b.row ? by[1](b.row) : 0) - (a.row ? by[1](a.row) : 0) || a.k - b.k);
  const sorter = (name, text, about) => make("th", { "aria-sort": name === (by ? state.by : "") ? (name ? "descending" : "ascending") : "none" },
    make("button", { class: "link", title: about, "aria-label": about, onclick: () => { state.by = name; again(); } }, text + (name === (by ? state.by : "") ? (name ? " ▾" : " ▴") : "")));
  const head = make("tr", {}, sorter("", "line", "Sort by line"), ...shown.map(([name]) => sorter(name, name, `Sort by cycles of ${name}`)), make("th", {}, ""));
  const body = rows.map(({ text, k, name, row }) => {
    const heat = (n, whole) => (n ? `background:color-mix(in srgb, var(--hot) ${Math.round((55 * n) / whole)}%, transparent)` : "");
    const used = row || Object.values(model.code).some((code) => code.lines && code.lines.has(name));
    const counts = shown.map(([, of]) => { const n = row ? of(row) : 0; return make("td", { class: "number", style: heat(Math.min(n, most), most) }, n ? number(n) : ""); });
    return make("tr", { class: name === state.line ? "chosen first" : "", onclick: () => pick(name) },
      make("td", { class: "number quiet", style: colour(used ? name : "") }, String(k + 1)), ...counts,
      make("td", { class: "text", style: heat(hottest(row) / 2, most) }, text));
  });
  return make("div", { class: "listing lines" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
}

function listing(model, state, pick) {
  let first = true;
  const body = (model.code[state.core] || []).map(([pc, text, ours, line]) => {
    const chosen = state.line && line === state.line, mark = chosen && first;
    if (chosen) first = false;
    return make("tr", { class: `${chosen ? "chosen" : ""}${mark ? " first" : ""}`, onclick: () => line && pick(line) },
      make("td", { class: "quiet", style: colour(line) }, pc.toString(16)),
      make("td", { class: ours ? "text ours" : "text" }, text), make("td", { class: "quiet" }, line));
  });
  return make("div", { class: "listing instructions" }, make("table", {}, make("tbody", {}, ...body)));
}

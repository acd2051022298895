/* The panel of the source: the author's lines beside the machine code, coloured alike, with cycles. */
import { byId, make, number } from "./dom.js";
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

/* Shows a file and a core's code; ``state`` keeps the choice and the line. */
export function showSource(model, jump, state, range) {
  const panel = byId("source"), files = Object.keys(model.files), cores = Object.keys(model.code);
  if (!files.length && !cores.length) {
    panel.replaceChildren(make("p", { class: "quiet" }, "No source was found beside the programs, and they have no code of cores."));
    return;
  }
  const again = () => showSource(model, jump, state, range);
  const chosen = state.line ? state.line.replace(/:[^:]*$/, "") : "";
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
  panel.replaceChildren(bar, make("div", { class: "beside" }, lines(model, state, found, pick), listing(model, state, pick)));
  for (const box of panel.querySelectorAll(".listing")) {   /* the page itself stays where it is */
    const row = box.querySelector("tr.first");
    if (row) box.scrollTop = row.offsetTop - box.clientHeight / 3;
  }
}

const colour = (line) => `border-left:4px solid ${line ? ownerColour(Number(line.split(":").pop()) || 0) : "transparent"}`;

function lines(model, state, found, pick) {
  const head = make("tr", {}, ...["", ...model.threads.map((name) => name.split(" ")[0]), "waits", ""].map((text) => make("th", {}, text)));
  const most = Math.max(1, ...[...found.values()].flatMap((row) => row.threads));
  const body = (model.files[state.file] || []).map((text, k) => {
    const name = `${state.file}:${k + 1}`, row = found.get(name), count = (n) => make("td", { class: "number",
      style: n ? `background:color-mix(in srgb, var(--accent) ${Math.round((45 * n) / most)}%, transparent)` : "" }, n ? number(n) : "");
    const used = row || Object.values(model.code).some((code) => code.lines && code.lines.has(name));
    return make("tr", { class: name === state.line ? "chosen first" : "", onclick: () => pick(name) },
      make("td", { class: "number quiet", style: colour(used ? name : "") }, String(k + 1)),
      ...(row ? row.threads : model.threads.map(() => 0)).map(count), count(row ? row.waits : 0), make("td", { class: "text" }, text));
  });
  return make("div", { class: "listing", id: "lines" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
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
  return make("div", { class: "listing", id: "instructions" }, make("table", {}, make("tbody", {}, ...body)));
}

/* The panel "Where the time went", the legend of colours, and the report of what went wrong. */
import { byId, make, number, percent } from "./dom.js";
import { causesTable, showWords } from "./summary.js";
import { causeColour, coreColour, unitColour } from "./palette.js";

/* Shares of a whole, beside each other. */
export function bar(parts, whole) {
  const shares = parts.filter(([, count]) => count).map(([name, count]) => `${name} ${percent(count, whole)}`).join(", ");
  const node = make("div", { class: "bar", role: "img", "aria-label": shares || "nothing" });
  for (const [name, count, colour] of parts) {
    if (count) node.append(make("span", { title: `${name}: ${number(count)} cycles, ${percent(count, whole)}`,
      style: `width:${(100 * count) / whole}%;background:${colour}` }));
  }
  return node;
}

export function legend(entries) {
  return make("div", { class: "legend" }, ...entries.map(([name, colour, meaning]) =>
    make("span", { title: meaning || name }, make("span", { class: "swatch", style: `background:${colour}` }), name)));
}

/* Bars of threads or cores; those causes that occur are legend's. */
function parts(rows, first, causes, colour, details) {
  const index = new Map(causes.map(([name], i) => [name, i])), used = new Set();
  const grid = make("div", { class: "grid" });
  for (const part of rows) {
    const idle = Object.entries(part.idle);
    idle.forEach(([name]) => used.add(name));
    grid.append(make("span", {}, part.name), bar([[first, part.active, colour(0)],
      ...idle.map(([name, n]) => [name, n, colour(index.get(name))])], part.cycles),
      make("span", {}, percent(part.active, part.cycles)));
    const more = details(part);
    if (more) grid.append(make("span", {}), make("small", {}, more), make("span", {}));
  }
  const entries = [...used].map((name) => [name, colour(index.get(name)), causes[index.get(name)][1]]);
  return [grid, legend([[first, colour(0), causes[0][1]], ...entries])];
}

export function showTime(model, range = null, whole = null) {
  const panel = byId("time"), report = range || model.report;
  panel.replaceChildren();
  if (range) {
    const { from, to } = whole, issued = range.threads.reduce((sum, part) => sum + part.issued, 0);
    panel.append(make("p", { class: "row" }, make("span", {}, make("b", {}, `cycles ${number(from)} to ${number(to - 1)}`),
      `: ${number(to - from)} cycles, ${number(issued)} words issued`), make("button", { class: "link", onclick: whole.forget }, "the whole run")));
  }
  if (!report.threads) { panel.append(make("p", {}, "no breakdown")); return; }
  const waits = (part) => {
    const found = Object.entries(part.waits).slice(0, 4).map(([name, n]) => `${name.replace(/([a-z])_(?=[a-z])/g, "$1 ")}: ${number(n)}`).join(", ");
    return found && `waited for ${found}`;
  };
  const left = make("div", {}, make("h3", {}, "threads: issued, and bubbles by cause"),
    ...parts(report.threads, "issued", model.causes, causeColour, waits));
  const running = report.cores.filter((part) => part.active);
  if (running.length) {
    left.append(make("h3", {}, "RISC-V cores"), ...parts(running, "executed", model.core_causes, coreColour, () => ""));
  }
  left.append(causesTable("threads: cycles by cause", report.threads, "issued", report.cycles));
  if (running.length) left.append(causesTable("RISC-V cores: cycles by cause", running, "executed", report.cycles));
  const units = make("div", { class: "grid" });
  for (const unit of report.units) {
    units.append(make("span", {}, unit.name), bar([[unit.name, unit.busy, unitColour(unit.colour)]], report.cycles),
      make("span", {}, percent(unit.busy, report.cycles)));
  }
  const chain = report.chain.reduceRight((inner, line) => make("ul", { class: "because" }, make("li", {}, line, inner || "")), null);
  const bound = range ? [] : [make("h3", {}, "bound by"), chain || make("p", {}, "nothing ran")];
  const advice = report.advice || [];
  if (!range && advice.length) bound.push(make("h3", {}, "what would shorten it"), make("ul", { class: "advice" }, ...advice.map((line) => make("li", {}, line))));
  const right = make("div", {}, ...bound, make("h3", {}, "units"), units);
  for (const line of report.throttled || []) right.append(make("p", {}, line));
  if (range) {
    const words = make("div", {}), { from, to } = whole, found = model.threads.flatMap((_, t) => [...model.of(model.kinds.ISSUE, t)]);
    showWords(words, model, found.filter((i) => model.events.clock[i] >= from && model.events.clock[i] < to), "in this range:");
    right.append(make("h3", {}, "words"), words);
  }
  panel.append(make("div", { class: "columns" }, left, right));
}

/* What the colours on the timeline mean, for the help. */
export function showLegend(model, tracks) {
  const used = new Set(model.words.map((row) => row[3]).filter((unit) => unit >= 0));
  const table = (rows) => make("table", {}, ...rows.map(([name, colour, meaning]) => make("tr", {},
    make("td", {}, make("span", { class: "swatch", style: `background:${colour}` }), name), make("td", {}, meaning))));
  byId("legend").replaceChildren(make("h2", {}, "Colours of words: their units"),
    legend([...used].sort((a, b) => a - b).map((unit) => [model.unitName(unit), unitColour(unit)])),
    make("h2", {}, "Colours of bubbles at a wait gate"),
    table(model.causes.slice(1).map(([name, meaning], i) => [name, causeColour(i + 1), meaning])),
    make("h2", {}, "Colours of RISC-V cores"),
    table(model.core_causes.map(([name, meaning], i) => [name, coreColour(i), meaning])),
    make("h2", {}, "Tracks"),
    make("table", {}, ...[...new Set(tracks.filter((track) => track.kind !== "group").map((track) => track.name))].map((name) =>
      make("tr", {}, make("td", {}, name), make("td", {}, model.meaning(name))))));
}

/* The verdict in the header, and the whole report in its panel. */
export function showReport(model, open) {
  const { verdict, problem, detail, outputs, warnings = [], flop, flops, peak_flops: peak, vector_flop: vector, chain } = model.report;
  const figures = byId("figures");
  const add = (title, value, kind = "") => figures.append(make("span", {}, `${title} `, make("b", { class: kind }, value)));
  if (verdict) add("", verdict, problem ? "bad" : "good");
  if (flop) add("matrix unit", `${(flops / 1e12).toFixed(2)} of ${(peak / 1e12).toFixed(2)} TFLOP/s, ${percent(flops, peak)}`);
  if (vector) {
    const { vector_flops: rate, vector_peak_flops: most } = model.report;
    add("vector unit", `${(rate / 1e12).toFixed(4)} of ${(most / 1e12).toFixed(4)} TFLOP/s, ${percent(rate, most)}`);
  }
  if (!problem && chain && chain.length) add("limited by:", chain[chain.length - 1].split(": ")[0]);
  if (warnings.length) {
    figures.append(make("button", { class: "link", onclick: open }, warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`));
  }
  const lines = [...(outputs || []), ...warnings, ...(detail ? [detail] : []), ...model.notes.map((note) => `note: ${note}`)];
  const shown = Boolean(problem) || lines.length > 0;
  document.querySelector("[data-tab=report]").hidden = !shown;
  byId("error").hidden = !problem;
  if (problem) byId("error").append(problem, " ", make("button", { class: "link", onclick: open }, "report"));
  byId("report").replaceChildren(...(problem ? [make("h2", {}, problem)] : []), make("pre", {}, lines.join("\n")));
}

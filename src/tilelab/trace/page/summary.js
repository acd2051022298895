/* Tables of what happened, with numbers: causes of bubbles, words of a range or of a search. */
import { make, number, percent } from "./dom.js";

const MOST = 40;   /* rows of words: those that come most often */

/* A table whose first column names the rows; numbers stand right. */
export function tableOf(caption, heads, rows) {
  const cell = (value, k) => (k ? make("td", { class: "number" }, typeof value === "number" ? number(value) : value) : make("th", { scope: "row" }, value));
  return make("table", { class: "numbers" }, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell)))));
}

/* Cycles of each cause, a column for each part (thread or core); those that cost most come first. */
export function causesTable(caption, parts, first, whole) {
  const names = [...new Set(parts.flatMap((part) => Object.keys(part.idle)))], of = (name) => parts.map((part) => part.idle[name] || 0);
  const most = (counts) => Math.max(...counts);
  names.sort((a, b) => most(of(b)) - most(of(a)));
  const cells = (counts) => counts.map((n) => (n ? `${number(n)}  ${percent(n, whole)}` : ""));
  const rows = [[first, ...cells(parts.map((part) => part.active))], ...names.map((name) => [name, ...cells(of(name))])];
  return tableOf(caption, ["cycles", ...parts.map((part) => part.name)], rows);
}

/* How often each instruction is among some events, by thread, and how long bubbles among them are. */
export function showWords(panel, model, events, what) {
  const e = model.events, { ISSUE } = model.kinds, counts = new Map();
  for (const i of events) {
    if (e.kind[i] !== ISSUE) continue;
    const name = model.word(i).text.split(" ")[0];
    if (!counts.has(name)) counts.set(name, model.threads.map(() => 0));
    counts.get(name)[e.part[i]] += 1;
  }
  const sum = (row) => row.reduce((a, b) => a + b, 0), all = [...counts].sort((a, b) => sum(b[1]) - sum(a[1]));
  const rows = all.slice(0, MOST).map(([name, row]) => [name, ...row, sum(row)]);
  const total = model.threads.map((_, t) => sum(all.map(([, row]) => row[t])));
  const others = events.length - sum(total);
  const note = `${number(sum(total))} words` + (others ? `, ${number(others)} bubbles and waits of cores` : "")
    + (all.length > MOST ? `; the ${MOST} commonest of ${all.length} instructions` : "");
  panel.replaceChildren(make("p", {}, make("b", {}, what), ` ${note}`),
    tableOf("words issued, by thread", ["instruction", ...model.threads, "all"], [...rows, ["all", ...total, sum(total)]]));
}

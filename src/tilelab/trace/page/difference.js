/* The panels of two runs: where the time of each went, and the changes that add up to the difference. */
import { make, number } from "./dom.js";
import { drawMap, largest } from "./maps.js";
import { causeColour, coreColour, unitColour } from "./palette.js";
import { bar, legend } from "./time.js";

const signed = (n) => `${n > 0 ? "+" : n < 0 ? "−" : ""}${number(Math.abs(n))}`;
const heads = (...names) => make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name))));
const counts = (...numbers) => numbers.map((n) => make("td", { class: "number" }, n));

/* Bars of one part of both runs, as long as they took, and the table of what changed. */
function onePart(name, pair, whole, first, index, colour) {
  const shares = pair.map((part) => [[first, part.active], ...Object.entries(part.idle)]);
  const names = [...new Set(shares.flat().map(([cause]) => cause))];
  const of = (side, cause) => (shares[side].find(([other]) => other === cause) || [cause, 0])[1];
  const shade = (cause) => colour(cause === first ? 0 : index.get(cause));
  const bars = pair.map((part, side) => make("div", { class: "run-bar" }, make("small", {}, side ? "after" : "before"),
    bar([...names.map((cause) => [cause, of(side, cause), shade(cause)]), ["over", whole - part.cycles, "transparent"]], whole)));
  const changed = names.map((cause) => [cause, of(0, cause), of(1, cause)]).filter(([, a, b]) => a !== b)
    .sort((p, q) => Math.abs(q[2] - q[1]) - Math.abs(p[2] - p[1]));
  const rows = changed.map(([cause, a, b]) => make("tr", {}, make("td", {}, make("span", { class: "swatch", style: `background:${shade(cause)}` }), cause),
    ...counts(number(a), number(b), signed(b - a))));
  const sum = make("tr", { class: "sum" }, make("td", {}, "all"), ...counts(...pair.map((part) => number(part.cycles)), signed(pair[1].cycles - pair[0].cycles)));
  const body = rows.length ? [...rows, sum] : [make("tr", {}, make("td", { class: "quiet" }, "the same"))];
  return make("div", { class: "part" }, make("h3", {}, name), ...bars,
    make("table", {}, heads("cycles", "before", "after", "change"), make("tbody", {}, ...body)));
}

export function showChanges(panel, models, reports, range, forget) {
  const whole = Math.max(...reports.map((report) => report.cycles || 1)), [model] = models, nodes = [];
  if (range) {
    nodes.push(make("p", { class: "row" }, make("b", {}, `cycles ${number(range[0])} to ${number(range[1] - 1)} of both`),
      " ", make("button", { class: "link", onclick: forget }, "the whole runs")));
  }
  const parts = (kind, first, causes, colour) => {
    const index = new Map(causes.map(([name], i) => [name, i])), none = (part) => ({ ...part, active: 0, idle: {}, cycles: 0 });
    return reports[0][kind].map((part) => [part, reports[1][kind].find((other) => other.name === part.name) || none(part)])
      .filter((pair) => pair.some((part) => part.active)).map((pair) => onePart(pair[0].name, pair, whole, first, index, colour));
  };
  const threads = parts("threads", "issued", model.causes, causeColour), cores = parts("cores", "executed", model.core_causes, coreColour);
  nodes.push(make("div", { class: "parts" }, ...threads, ...cores, onlyUnits(reports)));
  nodes.push(legend([...new Set(reports.flatMap((r) => r.threads.flatMap((part) => Object.keys(part.idle))))].map((name) => {
    const at = model.causes.findIndex(([cause]) => cause === name);
    return [name, causeColour(at), model.causes[at][1]];
  })));
  panel.replaceChildren(...nodes);
}

function onlyUnits([before, after]) {
  const rows = before.units.map((unit) => {
    const other = after.units.find((found) => found.name === unit.name), busy = other ? other.busy : 0;
    return make("tr", {}, make("td", {}, make("span", { class: "swatch", style: `background:${unitColour(unit.colour)}` }), unit.name),
      ...counts(number(unit.busy), number(busy), signed(busy - unit.busy)));
  });
  return make("div", { class: "part" }, make("h3", {}, "units"),
    make("table", {}, heads("busy cycles", "before", "after", "change"), make("tbody", {}, ...rows)));
}

/* Lines whose MOPs and REPLAYs became more or fewer words. */
export function showLines(panel, lines) {
  const rows = lines.map(({ name, before, after }) => make("tr", {}, make("td", { class: "mono" }, name), ...counts(number(before), number(after), signed(after - before))));
  panel.replaceChildren(make("p", { class: "quiet" }, "Words that the expanders made, by the line whose word they came from; lines where they differ."),
    rows.length ? make("table", {}, heads("line", "before", "after", "change"), make("tbody", {}, ...rows)) : make("p", {}, "No line differs."));
}

/* Outputs of both: after minus before, as a heat map. */
export function showValues(panel, models, columns, compared) {
  const nodes = models[0].results.map((about, i) => {
    const other = models[1].results[i], told = compared[i];
    if (!other || !told || told.differ === null) return make("p", {}, `${about.name}: of another shape`);
    const [a, b] = columns.map((column, side) => column[`${models[side].results[i].key}_got`]), { width, height } = about;
    const title = make("h3", {}, `${about.name}: ${told.differ ? `${number(told.differ)} of ${number(told.elements)} elements differ` : "the same"}`);
    if (!told.differ) return make("div", {}, title);
    const maps = [["before", (x, y) => a[y * width + x]], ["after", (x, y) => b[y * width + x]],
      ["after − before", (x, y) => (Object.is(a[y * width + x], b[y * width + x]) ? 0 : b[y * width + x] - a[y * width + x])]];
    return make("div", {}, title, make("div", { class: "maps" }, ...maps.map(([name, value]) => {
      const top = largest(width, height, value);
      return make("figure", {}, make("figcaption", {}, make("b", {}, name), ` −${Number(top.toPrecision(4))} … ${Number(top.toPrecision(4))}`), drawMap(width, height, value, `${about.name}, ${name}`, top, () => {}));
    })));
  });
  panel.replaceChildren(...(nodes.length ? nodes : [make("p", {}, "Neither run has outputs.")]));
}

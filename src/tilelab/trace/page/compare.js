/* Two runs, one above the other over one axis of cycles, and what makes the difference. */
import { showChanges, showLines, showValues } from "./difference.js";
import { byId, make, number, unpack } from "./dom.js";
import { listenToPaper, listenToPointers, listenToSplitter } from "./input.js";
import { Model } from "./model.js";
import { dark, useColours } from "./palette.js";
import { reportOf } from "./range.js";
import { describe, showSelected } from "./selected.js";
import { showSource } from "./source.js";
import { showLegend } from "./time.js";
import { Timeline } from "./timeline.js";

const data = JSON.parse(byId("data").textContent), told = data.difference;
const wanted = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.documentElement.dataset.theme = new URLSearchParams(location.search).get("theme") || wanted;
useColours(data.runs[0].colours);
const tabs = [...document.querySelectorAll("[role=tab]")];
const end = Math.max(...data.runs.map((run) => run.end));
const timelines = await Promise.all(data.runs.map(async (run, i) => {
  const model = new Model(run, await unpack(run.events));
  return new Timeline(byId(`view${i}`), byId(`canvas${i}`), byId(`extent${i}`), byId(`more${i}`), model, end);
}));
const models = timelines.map((timeline) => timeline.model), outputs = await Promise.all(data.runs.map((run) => unpack(run.values)));

/* What is done to one timeline is done to the other. */
let following = false;
function follow(from, to) {
  if (following) return;
  following = true;
  to.show(from.from, from.to);
  Object.assign(to, { closed: from.closed, filter: from.filter, pinned: from.pinned });
  to.arrange();
  if (String(to.range) !== String(from.range)) to.setRange(...(from.range || [0, 0]));
  following = false;
  fill();
}
let leading = 0;   /* the one that is scrolled; the other follows as far as it goes */
timelines.forEach((timeline, i) => {
  const other = timelines[1 - i], hover = byId(`hover${i}`);
  const tell = (text, x, y) => {
    hover.hidden = !text;
    hover.textContent = text;
    hover.style.left = `${Math.max(0, Math.min(x + 14, timeline.view.clientWidth - hover.offsetWidth - 4))}px`;
    hover.style.top = `${Math.max(0, Math.min(y + 14, timeline.view.clientHeight - hover.offsetHeight - 4))}px`;
  };
  timeline.changed = () => follow(timeline, other);
  for (const name of ["pointerenter", "focus"]) timeline.view.addEventListener(name, () => { leading = i; });
  timeline.view.addEventListener("scroll", () => { if (i === leading) other.scroll = timeline.scroll; });
  byId(`more${i}`).onclick = () => { timeline.scroll += timeline.view.clientHeight - 40; };
  listenToPointers(timeline,
    (found) => select(i, found),
    (found, x, y) => tell(found ? describe(models[i], found) : "", x, y),
    (track, x, y) => tell(`${track.name}\n${track.kind === "group" ? "" : models[i].meaning(track.name)}`, x, y));
});

/* What is selected in one run is shown with its chain; its line, in the source of that run. */
const sources = [{}, {}];
function select(i, found, reveal = false) {
  timelines.forEach((timeline, k) => { timeline.selected = k === i ? found : null; });
  if (found && reveal) timelines[i].reveal(found.spans.event[found.index], found.track);
  const line = found && found.spans.event ? models[i].lineOf(found.spans.event[found.index]) : "";
  if (line) sources[i].line = line;
  showSelected(models[i], found, (event) => jump(i, event), null, (name) => { sources[i].line = name; fillSources(); openTab("source"); });
  if (found && panelOpen() !== "source") openTab("selected");
  fillSources();
  for (const timeline of timelines) timeline.redraw();
}
function jump(i, event) {
  const found = timelines[i].find(event);
  if (found) select(i, found, true);
}
function fillSources() {
  if (panelOpen() !== "source" && !matchMedia("print").matches) return;   /* it is counted when it is looked at */
  models.forEach((model, i) => showSource(byId(`source${i}`), model, (event) => jump(i, event), sources[i], timelines[i].range));
}
function fill() {
  const range = timelines[0].range;
  const reports = range ? timelines.map((timeline) => reportOf(timeline.model, timeline.all, ...range)) : models.map((model) => model.report);
  showChanges(byId("difference"), models, reports, range, () => timelines[0].setRange(0, 0));
  fillSources();
}
function fillAll() {
  fill();
  showLines(byId("lines"), told.lines);
  showLegend(models[0], timelines[0].all);
  showValues(byId("outputs"), models, outputs, told.outputs);
}
function openTab(name) {
  for (const tab of tabs) tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
  for (const panel of document.querySelectorAll("[role=tabpanel]")) panel.hidden = panel.id !== name;
  fillSources();
}
const panelOpen = () => tabs.find((tab) => tab.getAttribute("aria-selected") === "true").dataset.tab;
function showHelp() {
  byId("help").showModal();
  byId("help").scrollTop = 0;
}
function toggleTheme() {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  fillAll();
  for (const timeline of timelines) timeline.redraw();
}

const [first] = timelines;
for (const tab of tabs) tab.onclick = () => openTab(tab.dataset.tab);
/* A run's name by the end of its path that tells it from the other. */
const ends = models.map((model) => model.name.split("/"));
let depth = 1;
while (depth < Math.max(...ends.map((path) => path.length)) && ends[0].slice(-depth).join("/") === ends[1].slice(-depth).join("/")) depth += 1;
const names = ends.map((path) => path.slice(-depth).join("/"));
byId("subtitle").textContent = names.join(" and ");
byId("because").textContent = told.explanation;
models.forEach((model, i) => {
  const { verdict, chain, warnings = [] } = model.report;
  byId(`name${i}`).title = model.name;
  byId(`name${i}`).replaceChildren(`${names[i]} `, make("small", {}, `${number(model.end)} cycles  `),
    ...(verdict ? [make("b", { class: verdict === "PASS" ? "good" : "bad" }, verdict)] : []),
    make("small", {}, chain && chain.length ? `  limited by: ${chain[chain.length - 1].split(": ")[0]}` : ""),
    ...warnings.map((line) => make("small", { class: "bad" }, `  ${line}`)));
});
const { before, after } = told.cycles, by = after - before;
byId("figures").append(make("span", {}, `${by > 0 ? "+" : by < 0 ? "−" : ""}${number(Math.abs(by))} cycles, `, make("b", {}, `${told.speedup.toFixed(2)} ×`), " as fast"));
byId("zoom-in").onclick = () => first.zoom(0.6);
byId("zoom-out").onclick = () => first.zoom(1 / 0.6);
byId("fit").onclick = () => first.fit();
byId("theme").onclick = toggleTheme;
byId("keys").onclick = showHelp;
byId("tracks").addEventListener("input", () => first.setFilter(byId("tracks").value.trim()));
listenToSplitter();
listenToPaper(timelines, toggleTheme, fillSources);

function scrollTo(y) {   /* the longer one leads, so that the ends of both are reached */
  leading = timelines[0].extent >= timelines[1].extent ? 0 : 1;
  for (const timeline of timelines) timeline.scroll = Math.min(y, timeline.extent);
}
const page = (by) => scrollTo(Math.max(0, timelines[leading].scroll + by * (first.view.clientHeight - 40)));
const zoomIn = () => first.zoom(0.7), zoomOut = () => first.zoom(1 / 0.7);
const left = () => first.move(-0.15), right = () => first.move(0.15);
const KEYS = {
  ArrowLeft: left, a: left, ArrowRight: right, d: right,
  ArrowUp: zoomIn, w: zoomIn, "+": zoomIn, "=": zoomIn, ArrowDown: zoomOut, s: zoomOut, "-": zoomOut,
  f: () => first.fit(), t: toggleTheme, "?": showHelp,
  PageUp: () => page(-1), PageDown: () => page(1), Home: () => scrollTo(0), End: () => scrollTo(Infinity),
  r: () => first.setRange(first.from, first.to), Escape: () => { select(0, null); first.setRange(0, 0); }, l: () => byId("tracks").focus(),
  k: () => timelines.forEach((timeline) => timeline.selected && timeline.pin(timeline.selected.track)),
};
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, dialog *") || event.ctrlKey || event.metaKey || event.altKey) return;
  const tab = tabs[Number(event.key) - 1], action = KEYS[event.key] || (tab && (() => openTab(tab.dataset.tab)));
  if (!action) return;
  event.preventDefault();
  action();
});
select(0, null);
fillAll();
window.tilelab = { models, timelines };
document.documentElement.dataset.ready = "yes";

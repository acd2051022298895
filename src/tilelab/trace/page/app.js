/* Puts it together: loads the data, keeps the selection, listens to keys. */
import { readAddress, writeAddress } from "./address.js";
import { byId, number, unpack } from "./dom.js";
import { showFindings } from "./findings.js";
import { Frames } from "./frames.js";
import { listenToPaper, listenToPointers, listenToSplitter } from "./input.js";
import { showDst, showSrc } from "./maps.js";
import { Model } from "./model.js";
import { showOutputs } from "./outputs.js";
import { dark, useColours } from "./palette.js";
import { reportOf } from "./range.js";
import { showRegisters } from "./registers.js";
import { showReplay } from "./replay.js";
import { describe, showSelected } from "./selected.js";
import { showLegend, showReport, showTime } from "./time.js";
import { showSource } from "./source.js";
import { showWords } from "./summary.js";
import { Timeline } from "./timeline.js";

const data = JSON.parse(byId("data").textContent);
const wanted = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.documentElement.dataset.theme = document.documentElement.dataset.chosen || new URLSearchParams(location.search).get("theme") || wanted;
useColours(data.colours);
const [events, pictures, values] = await Promise.all([data.events, data.pictures, data.values].map(unpack));
const frames = new Frames(data.frames, pictures), panelState = { registers: {}, dst: {}, source: {}, outputs: {} };
const address = readAddress();
const model = new Model(data, events), view = byId("view"), hover = byId("hover");
const timeline = new Timeline(view, byId("canvas"), byId("extent"), byId("more"), model);
const tabs = [...document.querySelectorAll("[role=tab]")];
let selection = null, match = -1;

function select(found, reveal = false) {
  selection = found;
  timeline.selected = found;
  if (found && reveal) timeline.reveal(found.spans.event[found.index], found.track);
  const line = found && found.spans.event ? model.lineOf(found.spans.event[found.index]) : "";
  if (line) panelState.source.line = line;
  if (found && panelOpen() !== "source") openTab("selected"); else if (line) fillSource();
  showSelected(model, found, jump, showState, showLine);
  timeline.redraw();
  remember();
}
function showLine(line) {
  panelState.source.line = line;
  fillSource();
  openTab("source");
}
function fillSource() { showSource(byId("source"), model, jump, panelState.source, timeline.range); }
function fillTime() {
  const range = timeline.range, forget = () => { timeline.setRange(0, 0); };
  if (range) showTime(model, reportOf(model, timeline.all, ...range), { from: range[0], to: range[1], forget });
  else showTime(model);
}
let counted = null;
function rangeChanged() {   /* counting waits until the mouse has come to rest */
  remember();
  const key = String(timeline.range);
  if (key === counted) return;
  counted = key;
  requestAnimationFrame(() => {
    if (key !== String(timeline.range)) return;
    fillTime();
    if (panelOpen() === "source") fillSource();
    else if (timeline.range) openTab("time");
  });
}
const panelOpen = () => tabs.find((tab) => tab.getAttribute("aria-selected") === "true").dataset.tab;
function remember() {
  writeAddress(() => ({
    view: timeline.from > 0 || timeline.to < model.end ? `${Math.max(0, Math.round(timeline.from))}-${Math.round(timeline.to)}` : "",
    range: timeline.range ? timeline.range.join("-") : "", event: selection && selection.spans.event ? selection.spans.event[selection.index] : null,
    tab: panelOpen(), line: panelState.source.line || "", tracks: timeline.filter, closed: [...timeline.closed].join(","), pinned: timeline.pinned.join(","), search: byId("search").value,
  }));
}
function recall() {
  if (address.closed.length || address.pinned.length || address.tracks) {
    timeline.closed = new Set(address.closed);
    timeline.pinned = address.pinned;
    timeline.filter = byId("tracks").value = address.tracks;
    timeline.arrange();
  }
  if (address.search) { byId("search").value = address.search; search(); }
  if (address.event !== null) jump(address.event);
  if (address.view) timeline.show(...address.view);
  if (address.range) timeline.setRange(...address.range);
  if (address.line) panelState.source.line = address.line;
  if (tabs.some((tab) => tab.dataset.tab === address.tab && !tab.hidden)) openTab(address.tab);
}
function showState(cycle) {
  [frames.from, frames.to] = frames.around(cycle);
  fillStates();
  openTab("registers");
}
function fillStates() {
  showRegisters(frames, fillStates, panelState.registers);
  showDst(frames, fillStates, panelState.dst);
  showSrc(frames, fillStates);
}
function jump(event) {
  const found = timeline.find(event);
  if (found) select(found, true);
}
function step(by) {
  if (selection && selection.spans.event) {
    const index = Math.max(0, Math.min(selection.spans.start.length - 1, selection.index + by));
    select({ ...selection, index }, true);
    return;
  }
  const first = [1, 0, 2].map((t) => model.of(model.kinds.ISSUE, t)[0]).find((event) => event !== undefined);
  if (first !== undefined) jump(first);
}
function openTab(name) {
  for (const tab of tabs) {
    tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
    if (tab.dataset.tab === name) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  for (const panel of document.querySelectorAll("[role=tabpanel]")) panel.hidden = panel.id !== name;
  if (name === "source") fillSource();
  remember();
}
function search() {
  const text = byId("search").value.trim();
  timeline.setMatches(text.length > 1 ? model.search(text) : new Uint32Array(0));
  match = -1;
  byId("matches").textContent = text.length > 1 ? `${number(timeline.matches.length)} found` : "";
  showWords(byId("found"), model, timeline.matches, `“${text}”`);
  const tab = tabs.find((one) => one.dataset.tab === "found"), none = text.length < 2;
  if (none && panelOpen() === "found") openTab("time");
  tab.hidden = none;
  timeline.redraw();
}
function toMatch(by) {
  const n = timeline.matches.length;
  if (!n) return;
  match = (match + by + n) % n;
  byId("matches").textContent = `${match + 1} of ${number(n)}`;
  jump(timeline.matches[match]);
}
function fillPanels() {
  showSelected(model, selection, jump, showState, showLine);
  fillTime();
  fillStates();
  showReplay(model, jump);
  showLegend(model, timeline.all);
  showOutputs(model, values, panelState.outputs);
  showFindings(model, timeline, jump);
  if (panelOpen() === "source") fillSource();
}
function toggleTheme() {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  fillPanels();
  timeline.redraw();
}
function showHelp() {
  byId("help").showModal();
  byId("help").scrollTop = 0;
}
function showHover(found, x, y) {
  hover.hidden = !found;
  if (!found) return;
  hover.textContent = describe(model, found);
  hover.style.left = `${Math.max(0, Math.min(x + 14, view.clientWidth - hover.offsetWidth - 4))}px`;
  hover.style.top = `${Math.max(0, Math.min(y + 14, view.clientHeight - hover.offsetHeight - 4))}px`;
}

function showLabel(track, x, y) {
  const meaning = track.kind === "group" ? "" : `${model.meaning(track.name)}\n`, pinned = timeline.kept.includes(track);
  hover.hidden = false;
  hover.textContent = `${track.name}\n${meaning}Click: ${track.kind === "group" ? "close or open" : pinned ? "no longer keep on top" : "keep on top"}`;
  hover.style.left = `${x + 14}px`;
  hover.style.top = `${Math.max(0, Math.min(y + 14, view.clientHeight - hover.offsetHeight - 4))}px`;
}

byId("name").textContent = data.name;
byId("subtitle").textContent = `${data.arch}, ${number(data.end)} cycles`;
byId("zoom-in").onclick = () => timeline.zoom(0.6);
byId("zoom-out").onclick = () => timeline.zoom(1 / 0.6);
byId("fit").onclick = () => timeline.fit();
byId("theme").onclick = toggleTheme;
byId("keys").onclick = showHelp;
byId("more").onclick = () => page(1);
byId("search").addEventListener("input", search);
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") { event.preventDefault(); toMatch(event.shiftKey ? -1 : 1); }
  if (event.key === "Escape") { byId("search").value = ""; search(); view.focus(); }
});
for (const tab of tabs) tab.onclick = () => openTab(tab.dataset.tab);
listenToPointers(timeline, select, showHover, showLabel);
byId("tracks").addEventListener("input", () => timeline.setFilter(byId("tracks").value.trim()));
byId("tracks").addEventListener("keydown", (event) => {
  if (event.key === "Escape") { byId("tracks").value = ""; timeline.setFilter(""); view.focus(); }
});
listenToSplitter();
listenToPaper([timeline], toggleTheme, fillSource);

const zoomIn = () => timeline.zoom(0.7), zoomOut = () => timeline.zoom(1 / 0.7);
const left = () => timeline.move(-0.15), right = () => timeline.move(0.15);
const page = (by) => { timeline.scroll += by * (view.clientHeight - 40); };
const KEYS = {
  ArrowLeft: left, a: left, ArrowRight: right, d: right,
  ArrowUp: zoomIn, w: zoomIn, "+": zoomIn, "=": zoomIn, ArrowDown: zoomOut, s: zoomOut, "-": zoomOut,
  PageUp: () => page(-1), PageDown: () => page(1),
  Home: () => { timeline.scroll = 0; }, End: () => { timeline.scroll = timeline.extent; },
  r: () => timeline.setRange(timeline.from, timeline.to), l: () => byId("tracks").focus(), k: () => selection && timeline.pin(selection.track),
  f: () => timeline.fit(), t: toggleTheme, "?": showHelp,
  "/": () => byId("search").focus(), n: () => toMatch(1), p: () => toMatch(-1),
  ".": () => step(1), ",": () => step(-1), Escape: () => { select(null); timeline.setRange(0, 0); },
};
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, dialog *") || event.ctrlKey || event.metaKey || event.altKey) return;
  const tab = tabs[Number(event.key) - 1];
  const action = KEYS[event.key] || (tab && !tab.hidden && (() => openTab(tab.dataset.tab)));
  if (!action) return;
  event.preventDefault();
  action();
});

fillPanels();
showReport(model, () => openTab("report"));
if (data.report.problem) openTab("report");
else if (data.report.findings && data.report.findings.length) openTab("findings");
else if (data.report.chain && data.report.chain.length) openTab("time");
recall();
counted = String(timeline.range);
if (timeline.range) fillTime();
timeline.changed = rangeChanged;
window.tilelab = { model, timeline, frames, select, jump };
document.documentElement.dataset.ready = "yes";

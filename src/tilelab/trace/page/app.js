/* Puts it together: loads the data, keeps the selection, listens to keys. */
import { byId, number, unpack } from "./dom.js";
import { Frames } from "./frames.js";
import { listenToPointers, listenToSplitter } from "./input.js";
import { showDst, showSrc } from "./maps.js";
import { Model } from "./model.js";
import { dark, useColours } from "./palette.js";
import { showRegisters } from "./registers.js";
import { showReplay } from "./replay.js";
import { describe, showSelected } from "./selected.js";
import { showLegend, showReport, showTime } from "./time.js";
import { Timeline } from "./timeline.js";

const data = JSON.parse(byId("data").textContent);
const wanted = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.documentElement.dataset.theme = new URLSearchParams(location.search).get("theme") || wanted;
useColours(data.colours);
const [events, pictures] = await Promise.all([unpack(data.events), unpack(data.pictures)]);
const frames = new Frames(data.frames, pictures), panelState = { registers: {}, dst: {} };
const model = new Model(data, events), view = byId("view"), hover = byId("hover");
const timeline = new Timeline(view, byId("canvas"), byId("extent"), byId("more"), model);
const tabs = [...document.querySelectorAll("[role=tab]")];
let selection = null, match = -1;

function select(found, reveal = false) {
  selection = found;
  timeline.selected = found;
  if (found && reveal) timeline.reveal(found.spans.event[found.index], found.track);
  if (found) openTab("selected");
  showSelected(model, found, jump, showState);
  timeline.redraw();
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
  for (const tab of tabs) tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
  for (const panel of document.querySelectorAll("[role=tabpanel]")) panel.hidden = panel.id !== name;
}
function search() {
  const text = byId("search").value.trim();
  timeline.setMatches(text.length > 1 ? model.search(text) : new Uint32Array(0));
  match = -1;
  byId("matches").textContent = text.length > 1 ? `${number(timeline.matches.length)} found` : "";
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
  showSelected(model, selection, jump, showState);
  showTime(model);
  fillStates();
  showReplay(model, jump);
  showLegend(model);
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
listenToPointers(timeline, select, showHover);
listenToSplitter();

const zoomIn = () => timeline.zoom(0.7), zoomOut = () => timeline.zoom(1 / 0.7);
const left = () => timeline.move(-0.15), right = () => timeline.move(0.15);
const page = (by) => { timeline.scroll += by * (view.clientHeight - 40); };
const KEYS = {
  ArrowLeft: left, a: left, ArrowRight: right, d: right,
  ArrowUp: zoomIn, w: zoomIn, "+": zoomIn, "=": zoomIn, ArrowDown: zoomOut, s: zoomOut, "-": zoomOut,
  PageUp: () => page(-1), PageDown: () => page(1),
  Home: () => { timeline.scroll = 0; }, End: () => { timeline.scroll = timeline.extent; },
  f: () => timeline.fit(), t: toggleTheme, "?": showHelp,
  "/": () => byId("search").focus(), n: () => toMatch(1), p: () => toMatch(-1),
  ".": () => step(1), ",": () => step(-1), Escape: () => select(null),
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
else if (data.report.chain && data.report.chain.length) openTab("time");
window.tilelab = { model, timeline, frames, select, jump };
document.documentElement.dataset.ready = "yes";

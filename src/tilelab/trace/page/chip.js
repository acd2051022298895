/* The page of a chip, put together: its data, what is chosen, keys. */
import { ChipModel } from "./chip_model.js";
import { drawMap } from "./chip_map.js";
import { Heat } from "./chip_heat.js";
import { drawLinks } from "./chip_links.js";
import { showAbout, showFindingsOfChip, showPrograms, showReportOfChip, showRequests } from "./chip_panels.js";
import { TileView } from "./chip_tile.js";
import { byId, make, number, unpack } from "./dom.js";
import { dark } from "./palette.js";

const data = JSON.parse(byId("data").textContent);
const preferred = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.documentElement.dataset.theme = new URLSearchParams(location.search).get("theme") || preferred;
const [columns, requests, { used }] = await Promise.all([data.activity, data.requests, data.used].map(unpack));
const model = new ChipModel(data, columns, requests, used);
const tileView = new TileView(model);
const state = { node: model.busiest(), from: 0, to: model.end, kind: model.startKind() };
const tabs = [...document.querySelectorAll("[role=tab]")];
const strip = new Heat(byId("heat"), byId("hover"), model, state, (from, to) => show(from, to), (node) => choose(node));
let playing = null;

function draw() {
  drawMap(byId("map"), model, state, byId("arrows").checked, { choose, open }, byId("links").checked && drawLinks);
  strip.draw();
  fillPanel();
  const part = state.to - state.from < model.end ? `cycles ${number(state.from)} to ${number(state.to)}` : "the whole time";
  byId("figures").replaceChildren(make("span", {}, "shown ", make("b", {}, part)),
    ...(data.report.verdict ? [make("span", {}, data.report.verdict)] : []));
}
function fillPanel() {
  const open_ = tabs.find((tab) => tab.getAttribute("aria-selected") === "true").dataset.tab;
  if (open_ === "about") showAbout(byId("about"), model, state, open, openPiece);
  if (open_ === "requests") showRequests(byId("requests"), model, state, choose);
  if (open_ === "programs") showPrograms(byId("programs"), model, state, (piece) => { state.node = piece.node; show(piece.start, piece.start + piece.length); }, openPiece);
  if (open_ === "findings") showFindingsOfChip(byId("findings"), model, choose);
  if (open_ === "report") showReportOfChip(byId("report"), model);
}
function choose(node) {
  state.node = node;
  openTab("about");
  draw();
}
function show(from, to) {
  const length = Math.max(16, Math.min(model.end, to - from));
  state.from = Math.max(0, Math.min(model.end - length, Math.round(from)));
  state.to = Math.round(state.from + length);
  draw();
}
function openPiece(piece) { if (piece && piece.page >= 0) tileView.open(piece); }
function open(node) {
  state.node = node;
  const mine = model.piecesOf(node).filter((piece) => piece.page >= 0);
  const inView = mine.filter((piece) => piece.start < state.to && piece.start + piece.length > state.from);
  const best = (inView.length ? inView : mine).sort((a, b) => b.issued - a.issued)[0];
  draw();
  openPiece(best);
}
function openTab(name) {
  for (const tab of tabs) tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
  for (const panel of document.querySelectorAll("[role=tabpanel]")) panel.hidden = panel.id !== name;
  fillPanel();
}
function play() {
  if (playing) { clearInterval(playing); playing = null; byId("play").textContent = "▶"; return; }
  const length = state.to - state.from < model.end ? state.to - state.from : model.end / 40;
  if (state.to >= model.end) show(0, length);
  byId("play").textContent = "⏸";
  playing = setInterval(() => {
    if (state.to >= model.end) { play(); return; }
    show(state.from + length / 2, state.from + length * 1.5);
  }, 120);
}
function toggleTheme() {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  draw();
}

byId("name").textContent = data.name;
byId("subtitle").textContent = `${data.arch}, ${model.tiles === 1 ? "1 tile" : `${number(model.tiles)} tiles`}, ${number(model.end)} cycles`;
byId("kind").append(...Object.entries(data.kinds).map(([kind, name]) => make("option", { value: kind }, name)));
byId("kind").value = state.kind;
byId("kind").onchange = () => { state.kind = byId("kind").value; draw(); };
byId("arrows").onchange = draw;
byId("links").onchange = () => { if (byId("links").checked) byId("arrows").checked = false; draw(); };
byId("play").onclick = play;
byId("whole").onclick = () => show(0, model.end);
byId("theme").onclick = toggleTheme;
byId("keys").onclick = () => byId("help").showModal();
byId("back").onclick = () => tileView.close();
for (const tab of tabs) tab.onclick = () => openTab(tab.dataset.tab);
const found = (data.report.findings || []).length, findingsTab = tabs.find((tab) => tab.dataset.tab === "findings");
findingsTab.hidden = !found;
findingsTab.textContent = `Findings (${found})`;
byId("error").hidden = !data.report.problem;
byId("error").textContent = data.report.problem || "";
byId("legend").append(make("h2", {}, "Arrows"), make("table", {}, ...model.requestKinds.map((kind) =>
  make("tr", {}, make("td", { class: `kind ${model.kindClass(kind)}` }, kind), make("td", {}, kind === "read" ? "from where the data are to who asked" : "from who asked to where it goes")))),
make("p", {}, "Links: NoC 0 runs above and left of tiles, NoC 1 below and right. The warmer and thicker, the more of the time it was taken. Squares in a tile: into it, out of it."),
make("p", {}, model.modelled));

const zoom = (by) => {
  const middle = (state.from + state.to) / 2, length = (state.to - state.from) * by;
  show(middle - length / 2, middle + length / 2);
};
const KEYS = {
  ArrowLeft: () => show(state.from - (state.to - state.from) / 4, state.to - (state.to - state.from) / 4),
  ArrowRight: () => show(state.from + (state.to - state.from) / 4, state.to + (state.to - state.from) / 4),
  "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), f: () => show(0, model.end), " ": play,
  t: toggleTheme, "?": () => byId("help").showModal(), Escape: () => tileView.close(), Enter: () => open(state.node),
};
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, dialog *") || event.ctrlKey || event.metaKey || event.altKey) return;
  const tab = tabs.filter((one) => !one.hidden)[Number(event.key) - 1];
  const action = event.target.matches("button") && (event.key === " " || event.key === "Enter") ? null : KEYS[event.key] || (tab && (() => openTab(tab.dataset.tab)));
  if (!action || (tileView.shown && event.key !== "Escape")) return;
  event.preventDefault();
  action();
});
addEventListener("resize", () => strip.draw());
draw();
if (found) openTab("findings");
window.tilelab = { model, state, show, choose, open, tileView };
document.documentElement.dataset.ready = "yes";

/* Puts it together: loads the data, keeps the selection, listens. */
(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const wanted = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = new URLSearchParams(location.search).get("theme") || wanted;
  const [events, pictures] = await Promise.all([unpack(data.events), unpack(data.pictures)]);
  const frames = new Frames(data.frames, pictures), panelState = { registers: {}, dst: {} };
  const model = new Model(data, events), canvas = document.getElementById("canvas");
  const timeline = new Timeline(canvas, model), view = document.getElementById("view");
  const byId = (id) => document.getElementById(id);
  let selection = null, match = -1;

  function select(found, reveal = false) {
    selection = found;
    timeline.selected = found;
    if (found && reveal) timeline.reveal(found.spans.event[found.index]);
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
    showDst(model, frames, fillStates, panelState.dst);
    showSrc(frames, fillStates);
  }
  function jump(event) {
    const found = timeline.find(event);
    if (!found) return;
    const y = found.track.y - timeline.scroll;
    if (y < 24 || y + found.track.height > canvas.clientHeight) timeline.scroll = found.track.y - canvas.clientHeight / 2;
    select(found, true);
  }
  function step(by) {
    if (!selection) { const first = timeline.find(model.of(ISSUE, 1)[0] ?? model.of(ISSUE, 0)[0]); if (first) select(first, true); return; }
    const index = Math.max(0, Math.min(selection.spans.start.length - 1, selection.index + by));
    select({ ...selection, index }, true);
  }
  function openTab(name) {
    for (const tab of document.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
    for (const panel of document.querySelectorAll("[role=tabpanel]")) panel.hidden = panel.id !== name;
  }
  function search() {
    const text = byId("search").value.trim();
    timeline.setMatches(text.length > 1 ? model.search(text) : new Uint32Array(0));
    match = -1;
    byId("matches").textContent = text.length > 1 ? `${timeline.matches.length.toLocaleString("en")} found` : "";
    timeline.redraw();
  }
  function toMatch(by) {
    const n = timeline.matches.length;
    if (!n) return;
    match = (match + by + n) % n;
    byId("matches").textContent = `${match + 1} of ${n.toLocaleString("en")}`;
    jump(timeline.matches[match]);
  }
  function fillPanels() {
    showSelected(model, selection, jump, showState); showTime(model); fillStates(); showReplay(model, jump);
  }
  function toggleTheme() {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    fillPanels();
    timeline.redraw();
  }

  byId("name").textContent = data.name;
  byId("subtitle").textContent = `${data.arch}, ${data.end.toLocaleString("en")} cycles`;
  const figures = byId("figures");
  const report = data.report;
  const add = (title, value) => figures.append(make("span", {}, `${title} `, make("b", {}, value)));
  if (report.verdict) add("", report.verdict);
  if (report.flop) add("matrix unit", `${(report.flops / 1e12).toFixed(2)} of ${(report.peak_flops / 1e12).toFixed(2)} TFLOP/s, ${percent(report.flops, report.peak_flops)}`);
  if (report.chain && report.chain.length) add("bound by", report.chain[report.chain.length - 1].split(": ")[0]);
  if (report.error) { byId("error").hidden = false; byId("error").textContent = report.error; }

  const hover = byId("hover");
  let dragging = null;
  view.addEventListener("mousedown", (event) => { dragging = { x: event.offsetX, from: timeline.from, to: timeline.to, moved: false }; });
  window.addEventListener("mouseup", () => { if (dragging) setTimeout(() => { dragging = null; }); });
  view.addEventListener("mousemove", (event) => {
    if (dragging && Math.abs(event.offsetX - dragging.x) > 3) {
      dragging.moved = true;
      const by = ((dragging.x - event.offsetX) / timeline.width) * timeline.span;
      timeline.show(dragging.from + by, dragging.to + by);
    }
    const found = timeline.hit(event.offsetX, event.offsetY);
    hover.hidden = !found || (dragging && dragging.moved);
    if (found) {
      hover.textContent = describe(found);
      hover.style.left = `${Math.min(event.offsetX + 14, view.clientWidth - 320)}px`;
      hover.style.top = `${Math.min(event.offsetY + 14, view.clientHeight - 60)}px`;
    }
  });
  view.addEventListener("mouseleave", () => { hover.hidden = true; });
  view.addEventListener("click", (event) => {
    if (dragging && dragging.moved) return;
    select(timeline.hit(event.offsetX, event.offsetY));
  });
  view.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.shiftKey || event.offsetX < LABELS) { timeline.scroll += event.deltaY; timeline.redraw(); }
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) timeline.move(event.deltaX / 1500);
    else timeline.zoom(1.0018 ** event.deltaY, timeline.cycle(event.offsetX));
  }, { passive: false });

  function describe({ track, spans, index }) {
    const i = spans.event[index], e = model.events;
    const when = `cycle ${number(spans.start[index])}, ${number(spans.end[index] - spans.start[index])} long`;
    if (e.kind[i] === GATE) return `${timeline.gateLabel(i)}\n${when}`;
    if (e.kind[i] === CORE) return `${model.core_causes[e.value[i]][0]}: ${model.site(i)[2]}\n${when}`;
    if (e.kind[i] === RECORD_SLOT) return `slot ${e.slot[i]}: ${model.word(i)[2]}\n${model.site(i)[2]}\n${when}`;
    if ([ISSUE, MOP_OUT, REPLAY_OUT, PUSH].includes(e.kind[i])) return `${model.word(i)[2]}\n${model.site(i)[2]}\n${when}`;
    return `${track.name}: ${spans.key[index]}\n${when}`;
  }

  byId("zoom-in").onclick = () => timeline.zoom(0.6);
  byId("zoom-out").onclick = () => timeline.zoom(1 / 0.6);
  byId("fit").onclick = () => timeline.fit();
  byId("theme").onclick = toggleTheme;
  byId("keys").onclick = () => byId("help").showModal();
  byId("search").addEventListener("input", search);
  byId("search").addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); toMatch(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { byId("search").value = ""; search(); view.focus(); }
  });
  const tabs = [...document.querySelectorAll("[role=tab]")];
  for (const tab of tabs) tab.onclick = () => openTab(tab.dataset.tab);
  const KEYS = {
    ArrowLeft: () => timeline.move(-0.15), ArrowRight: () => timeline.move(0.15),
    ArrowUp: () => timeline.zoom(0.7), ArrowDown: () => timeline.zoom(1 / 0.7),
    "+": () => timeline.zoom(0.7), "=": () => timeline.zoom(0.7), "-": () => timeline.zoom(1 / 0.7),
    f: () => timeline.fit(), t: toggleTheme, "?": () => byId("help").showModal(),
    "/": () => byId("search").focus(), n: () => toMatch(1), p: () => toMatch(-1),
    ".": () => step(1), ",": () => step(-1), Escape: () => select(null),
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, dialog *") || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = KEYS[event.key] || (tabs[Number(event.key) - 1] && (() => openTab(tabs[Number(event.key) - 1].dataset.tab)));
    if (!action) return;
    event.preventDefault();
    action();
  });
  fillPanels();
  if (report.chain && report.chain.length) openTab("time");
  window.tilelab = { model, timeline, frames, select, jump };
  document.documentElement.dataset.ready = "yes";
})();

/* The panels below the timeline. Everything that came from a program is set as text, never as HTML. */
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") node.className = value;
    else if (name === "style") node.style.cssText = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
const number = (n) => n.toLocaleString("en");
const cell = (n) => make("td", { class: "number" }, number(n));

function showSelected(model, selection, jump, showState) {
  const panel = document.getElementById("selected");
  panel.replaceChildren();
  if (!selection) {
    panel.append(make("p", { class: "quiet" },
      "Click a word in the timeline to see where it came from, or a bubble to see why. Press ? for keys."));
    return;
  }
  const { track, spans, index } = selection, i = spans.event[index], e = model.events, kind = e.kind[i];
  const when = `cycle ${number(spans.start[index])}` +
    (spans.end[index] - spans.start[index] > 1 ? ` to ${number(spans.end[index] - 1)}` : "");
  if ([ISSUE, MOP_OUT, REPLAY_OUT, RECORD_SLOT].includes(kind)) {
    const [word, , assembly, unit] = model.word(i);
    panel.append(make("h2", {}, make("code", {}, assembly), ` ${word}`,
      make("small", {}, `  ${model.threads[e.part[i]]}, ${unit.replace("_", " ")}, ${when}`)));
    if (kind === RECORD_SLOT) panel.append(make("p", {}, `recorded into replay slot ${e.slot[i]}`));
    const list = make("ol", { class: "chain" });
    for (const step of model.chain(i)) {
      list.append(make("li", {}, make("button", { class: "step", onclick: () => step.event >= 0 && jump(step.event) },
        make("b", {}, step.title), make("small", {}, step.text))));
    }
    panel.append(list);
    const text = "registers around this cycle";
    panel.append(make("p", {}, make("button", { class: "link around", onclick: () => showState(spans.start[index]) }, text)));
  } else if (kind === PUSH) {
    const [core, pc, source] = model.site(i);
    panel.append(make("h2", {}, make("code", {}, model.word(i)[2]), make("small", {}, `  pushed by ${core}, ${when}`)),
      make("p", { class: "mono" }, `${hex(pc)}  ${source}`));
  } else if (kind === GATE) {
    const name = model.waits[e.value[i] * 256 + e.site[i]];
    panel.append(make("h2", {}, name, make("small", {}, `  ${model.threads[e.part[i]]}'s wait gate, ${when}, ` +
      `${number(spans.end[index] - spans.start[index])} cycles`)), make("p", {}, model.causes[e.value[i]][1]));
    const next = nextIssue(model, e.part[i], spans.end[index]);
    if (next >= 0) {
      panel.append(make("p", {}, "then: ", make("button", { class: "link", onclick: () => jump(next) }, model.word(next)[2])));
    }
  } else if (kind === CORE) {
    const [core, pc, source] = model.site(i);
    panel.append(make("h2", {}, model.core_causes[e.value[i]][0], make("small", {}, `  ${core}, ${when}`)),
      make("p", {}, model.core_causes[e.value[i]][1]), make("p", { class: "mono" }, `${hex(pc)}  ${source}`));
  } else {
    panel.append(make("h2", {}, `${track.name}: ${spans.key[index]}`, make("small", {}, `  ${when}`)));
  }
}

function nextIssue(model, thread, clock) {
  const list = model.of(ISSUE, thread);
  for (let k = 0, n = list.length, low = 0, high = n; k < 1; k++) {
    while (low < high) {
      const middle = (low + high) >> 1;
      if (model.events.clock[list[middle]] < clock) low = middle + 1; else high = middle;
    }
    return low < n ? list[low] : -1;
  }
  return -1;
}

function bar(parts, whole) {
  const node = make("div", { class: "bar" });
  for (const [name, count, colour] of parts) {
    if (count) node.append(make("span", { title: `${name}: ${number(count)} cycles, ${percent(count, whole)}`,
      style: `width:${(100 * count) / whole}%;background:${colour}` }));
  }
  return node;
}

function legend(entries) {
  return make("div", { class: "legend" }, ...entries.map(([name, colour, meaning]) =>
    make("span", { title: meaning || name }, make("span", { class: "swatch", style: `background:${colour}` }), name)));
}

function showTime(model) {
  const panel = document.getElementById("time"), report = model.report;
  panel.replaceChildren();
  if (!report.threads) { panel.append(make("p", {}, "no breakdown")); return; }
  const causeIndex = new Map(model.causes.map(([name], i) => [name, i]));
  const coreIndex = new Map(model.core_causes.map(([name], i) => [name, i]));
  const used = new Set(), usedCores = new Set();
  const grid = make("div", { class: "grid" }), cores = make("div", { class: "grid" });
  for (const part of report.threads) {
    Object.keys(part.idle).forEach((name) => used.add(name));
    grid.append(make("span", {}, part.name), bar([["issued", part.active, causeColour(0)],
      ...Object.entries(part.idle).map(([name, n]) => [name, n, causeColour(causeIndex.get(name))])], part.cycles),
      make("span", {}, percent(part.active, part.cycles)));
    const waits = Object.entries(part.waits).slice(0, 4).map(([name, n]) => `${name} ${number(n)}`).join(", ");
    if (waits) grid.append(make("span", {}), make("small", {}, `waited for ${waits}`), make("span", {}));
  }
  for (const part of report.cores) {
    if (!part.active) continue;
    Object.keys(part.idle).forEach((name) => usedCores.add(name));
    cores.append(make("span", {}, part.name), bar([["executed", part.active, coreColour(0)],
      ...Object.entries(part.idle).map(([name, n]) => [name, n, coreColour(coreIndex.get(name))])], part.cycles),
      make("span", {}, percent(part.active, part.cycles)));
  }
  const units = make("div", { class: "grid" });
  for (const unit of report.units) {
    const shown = unit.name.startsWith("packer") ? "packers" : unit.name;
    units.append(make("span", {}, unit.name.replace("_", " ")), bar([[unit.name, unit.busy, unitColour(shown)]], report.cycles),
      make("span", {}, percent(unit.busy, report.cycles)));
  }
  const chain = report.chain.reduceRight((inner, line) => make("ul", { class: "because" }, make("li", {}, line, inner || "")), null);
  const left = make("div", {}, make("h3", {}, "threads: issued, and bubbles by cause"), grid,
    legend([["issued", causeColour(0), model.causes[0][1]], ...[...used].map((name) =>
      [name, causeColour(causeIndex.get(name)), model.causes[causeIndex.get(name)][1]])]),
    make("h3", {}, "RISC-V cores"), cores,
    legend([["executed", coreColour(0)], ...[...usedCores].map((name) =>
      [name, coreColour(coreIndex.get(name)), model.core_causes[coreIndex.get(name)][1]])]));
  const right = make("div", {}, make("h3", {}, "bound by"), chain || make("p", {}, "nothing ran"), make("h3", {}, "units"), units);
  for (const line of report.throttled || []) right.append(make("p", {}, line));
  panel.append(make("div", { class: "columns" }, left, right));
}

function showReplay(model, jump) {
  const panel = document.getElementById("replay"), e = model.events;
  panel.replaceChildren(make("p", { class: "quiet" },
    "Who recorded each slot last, and how often it was played back. The timeline's “replay slots” tracks show it over time."));
  const columns = make("div", { class: "columns" });
  model.threads.forEach((name, t) => {
    const recorded = model.of(RECORD_SLOT, t);
    if (!recorded.length) return;
    const last = new Map(), times = new Map(), played = new Map();
    for (const i of recorded) { last.set(e.slot[i], i); times.set(e.slot[i], (times.get(e.slot[i]) || 0) + 1); }
    for (const i of model.of(REPLAY_OUT, t)) if (e.slot[i]) played.set(e.slot[i] - 1, (played.get(e.slot[i] - 1) || 0) + 1);
    const rows = [...last].sort((a, b) => a[0] - b[0]).map(([slot, i]) => {
      const [core, pc, source] = model.site(i);
      return make("tr", {}, cell(slot), make("td", {}, make("span", { class: "swatch", style: `background:${ownerColour(e.value[i])}` }),
        make("button", { class: "link mono", onclick: () => jump(i) }, model.word(i)[2])),
        make("td", {}, source || `${core} ${hex(pc)}`), cell(times.get(slot)), cell(played.get(slot) || 0));
    });
    columns.append(make("div", {}, make("h3", {}, name), make("table", {}, make("thead", {}, make("tr", {},
      ...["slot", "word", "recorded by", "times", "played"].map((text) => make("th", {}, text)))), make("tbody", {}, ...rows))));
  });
  if (!columns.children.length) columns.append(make("p", {}, "Nothing was recorded."));
  panel.append(columns);
}

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

function showSelected(model, selection, jump) {
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
    for (const step of kind === RECORD_SLOT ? sourceOnly(model, i) : model.chain(i)) {
      list.append(make("li", {}, make("button", { class: "step", onclick: () => step.event >= 0 && jump(step.event) },
        make("b", {}, step.title), make("small", {}, step.text))));
    }
    panel.append(list);
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

function sourceOnly(model, i) {
  const [core, pc, source] = model.site(i);
  return [{ title: source || core, text: `${core} ${hex(pc)}`, event: -1 }];
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

function showRegisters(model) {
  const panel = document.getElementById("registers");
  const filter = make("input", { type: "search", placeholder: "Filter", "aria-label": "Filter registers" });
  const body = make("tbody");
  const fill = () => {
    const wanted = filter.value.toLowerCase();
    body.replaceChildren(...model.changes.filter(([name]) => name.toLowerCase().includes(wanted)).slice(0, 800).map(
      ([name, before, after]) => make("tr", {}, make("td", {}, make("code", {}, name)),
        make("td", { class: "number" }, make("code", {}, hex(before))), make("td", { class: "number" }, make("code", {}, hex(after))),
        make("td", { class: "number" }, number(after)))));
  };
  filter.addEventListener("input", fill);
  fill();
  panel.replaceChildren(make("p", {}, filter, make("small", {}, `  ${number(model.changes.length)} registers differ from before the run`)),
    make("table", {}, make("thead", {}, make("tr", {}, ...["register", "before", "after", ""].map((t) => make("th", {}, t)))), body));
}

/* ---------------------------------------------------------------- heat maps */

const f32 = new DataView(new ArrayBuffer(4));
function bitsToFloat(bits) { f32.setUint32(0, bits >>> 0); return f32.getFloat32(0); }
/* Dst keeps bf16 as sign, 7 mantissa bits, 8 exponent bits. */
const dstBf16 = (v) => bitsToFloat(((v & 0x8000) << 16) | ((v & 0xff) << 23) | (((v >> 8) & 0x7f) << 16));
const dstFp16 = (v) => (v & 0x8000 ? -1 : 1) * ((v & 31) ? (1 + ((v >> 5) & 1023) / 1024) * 2 ** ((v & 31) - 15) : 0);
function dst32(high, low) {
  return bitsToFloat(((high & 0x8000) << 16) | ((high & 0xff) << 23) | (((high >> 8) & 0x7f) << 16) | low);
}

function heat(value, top) {
  if (!Number.isFinite(value)) return [200, 60, 200];
  const share = Math.max(-1, Math.min(1, value / (top || 1))), s = Math.sqrt(Math.abs(share));
  const ground = dark() ? [28, 32, 39] : [255, 255, 255], ink = share >= 0 ? [47, 111, 219] : [214, 69, 69];
  return ground.map((g, i) => g + (ink[i] - g) * s);
}

function drawMap(width, height, scale, value, label) {
  const canvas = make("canvas", { class: "map", width, height, role: "img", "aria-label": label,
    style: `width:${width * scale}px;height:${height * scale}px` });
  let top = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const v = Math.abs(value(x, y) ?? 0);
    if (Number.isFinite(v) && v > top) top = v;
  }
  const image = canvas.getContext("2d").createImageData(width, height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const v = value(x, y), at = 4 * (y * width + x);
    const rgb = v === null ? (((x + y) & 1) ? [150, 150, 150] : [110, 110, 110]) : heat(v, top);
    image.data.set([...rgb, 255], at);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  canvas.addEventListener("mousemove", (event) => {
    const x = Math.floor(event.offsetX / scale), y = Math.floor(event.offsetY / scale);
    canvas.title = `row ${y}, column ${x}: ${value(x, y) ?? "undefined (ZEROACC)"}`;
  });
  return [canvas, top];
}

function figure(canvas, text) { return make("figure", {}, canvas, make("figcaption", {}, text)); }

function showDst(model, pictures) {
  const panel = document.getElementById("dst"), { dst, dst_valid: valid } = pictures;
  const choice = make("select", { "aria-label": "Format" }, ...["bf16", "fp16", "fp32", "raw 16 bits"].map((name) => make("option", {}, name)));
  choice.value = model.dst32 ? "fp32" : "bf16";
  const all = make("input", { type: "checkbox" });
  all.checked = !valid.some((row) => row);   /* the packer has cleared everything: show what it packed */
  const maps = make("div", { class: "maps" });
  const fill = () => {
    const wide = choice.value === "fp32", tiles = wide ? 8 : 16;
    const read = { bf16: dstBf16, fp16: dstFp16, "raw 16 bits": (v) => v }[choice.value];
    maps.replaceChildren();
    for (let tile = 0; tile < tiles; tile++) {
      const at = (x, y) => {   /* four faces of 16 x 16, one after the other */
        const row = 64 * tile + 32 * (y >> 4) + 16 * (x >> 4) + (y & 15), column = x & 15;
        if (!wide) return valid[row] || all.checked ? read(dst[16 * row + column]) : null;
        const high = ((row & 0x1f8) << 1) | (row & 0x207);
        return valid[high] || all.checked ? dst32(dst[16 * high + column], dst[16 * (high + 8) + column]) : null;
      };
      const [canvas, top] = drawMap(32, 32, 4, at, `Dst tile ${tile}`);
      maps.append(figure(canvas, `tile ${tile}, rows ${64 * tile}–${64 * tile + 63}, largest ${Number(top.toPrecision(4))}`));
    }
  };
  choice.addEventListener("change", fill);
  all.addEventListener("change", fill);
  fill();
  panel.replaceChildren(make("p", {}, "Dst as the run left it, read as ", choice,
    make("label", {}, all, " with rows that ZEROACC has left undefined"),
    make("small", {}, "  blue positive, red negative, each tile by its own largest value; chequered: undefined")), maps);
}

function showSrc(pictures) {
  const maps = make("div", { class: "maps" });
  for (const name of ["src_a", "src_b"]) for (const bank of [0, 1]) {
    const at = (x, y) => bitsToFloat(pictures[name][1024 * bank + 16 * y + x]);
    const [canvas, top] = drawMap(16, 64, 5, at, `${name} bank ${bank}`);
    maps.append(figure(canvas, `${name === "src_a" ? "SrcA" : "SrcB"} bank ${bank}, largest ${Number(top.toPrecision(4))}`));
  }
  document.getElementById("src").replaceChildren(make("p", { class: "quiet" }, "64 rows of 16 data, as the run left them"), maps);
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

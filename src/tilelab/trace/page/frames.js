/* Registers and heat maps: how they were in one frame, and in another. */
class Frames {
  constructor(about, columns) {
    Object.assign(this, about);   /* clocks, registers (names), first (values), dropped */
    this.columns = columns;
    this.count = this.clocks.length;
    this.from = 0;
    this.to = this.count - 1;
    for (const name of ["dst", "dst_valid", "src_a", "src_b"]) {
      const all = columns[name], size = all.length / this.count;
      for (let k = size; k < all.length; k++) all[k] ^= all[k - size];
    }
  }

  picture(name, frame) {
    const all = this.columns[name], size = all.length / this.count;
    return all.subarray(frame * size, (frame + 1) * size);
  }

  label(frame) {
    if (frame === 0) return "before the run";
    return frame === this.count - 1 ? "after the run" : `cycle ${number(this.clocks[frame])}`;
  }

  /* The frames around a cycle: the last one before it and the first one after it. */
  around(cycle) {
    const after = Math.max(1, Math.min(this.count - 1, lowerBound(this.clocks, cycle + 1)));
    return [after - 1, after];
  }

  values(frame) {
    const { change_frame: frames, change_register: register, change_value: value } = this.columns;
    const found = this.first.slice();
    for (let k = 0; k < frames.length && frames[k] <= frame; k++) found[register[k]] = value[k];
    return found;
  }

  /* Registers that differ: [name, old, new], in order of their names. */
  changes() {
    const old = this.values(this.from), now = this.values(this.to), found = [];
    this.registers.forEach((name, i) => { if (old[i] !== now[i]) found.push([name, old[i], now[i]]); });
    return found.sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
  }
}

/* What chooses the two frames; ``changed`` is called after a choice. */
function frameChoice(frames, changed) {
  const options = () => [...Array(frames.count).keys()].map((k) => make("option", { value: k }, frames.label(k)));
  const pick = (which, label) => {
    const node = make("select", { "aria-label": label, class: which }, ...options());
    node.value = frames[which];
    node.addEventListener("change", () => { frames[which] = Number(node.value); changed(); });
    return node;
  };
  const step = (by) => make("button", { title: by < 0 ? "Both one frame earlier" : "Both one frame later", onclick: () => {
    const { from, to } = frames;
    if (from + by < 0 || to + by >= frames.count) return;
    frames.from += by; frames.to += by;
    changed();
  } }, by < 0 ? "‹" : "›");
  return make("span", { class: "choice" }, "from ", pick("from", "From frame"), " to ", pick("to", "To frame"), " ", step(-1), step(1));
}

const REGISTER_GROUPS = [
  ["all", () => true], ["GPR", (name) => name.startsWith("gpr")], ["LReg", (name) => name.startsWith("lreg")],
  ["config", (name) => /config/.test(name)], ["counters", (name) => /^(rwc|adc)/.test(name)],
  ["frontends", (name) => name.startsWith("frontend")], ["RISC-V", (name) => name.startsWith("riscv")],
];
const REGISTERS_SHOWN = 800;

function showRegisters(frames, changed, panelState) {
  const panel = document.getElementById("registers");
  const filter = make("input", { type: "search", placeholder: "Filter", "aria-label": "Filter registers" });
  filter.value = panelState.filter || "";
  const groups = make("select", { "aria-label": "Kind of register" }, ...REGISTER_GROUPS.map(([name]) => make("option", {}, name)));
  groups.value = panelState.group || "all";
  const body = make("tbody"), every = frames.changes(), note = make("small");
  const fill = () => {
    panelState.filter = filter.value;
    panelState.group = groups.value;
    const wanted = filter.value.toLowerCase(), of = REGISTER_GROUPS.find(([name]) => name === groups.value)[1];
    const found = every.filter(([name]) => of(name) && name.toLowerCase().includes(wanted));
    body.replaceChildren(...found.slice(0, REGISTERS_SHOWN).map(
      ([name, before, after]) => make("tr", {}, make("td", {}, make("code", {}, name)),
        make("td", { class: "number" }, make("code", {}, hex(before))), make("td", { class: "number" }, make("code", {}, hex(after))),
        make("td", { class: "number" }, name.startsWith("lreg") ? String(Number(bitsToFloat(after).toPrecision(7))) : number(after)))));
    note.textContent = `  ${number(found.length)} of ${number(every.length)} registers that differ` +
      (found.length > REGISTERS_SHOWN ? `, the first ${REGISTERS_SHOWN}` : "") +
      (frames.dropped ? `; ${number(frames.dropped)} later changes are left out` : "");
  };
  filter.addEventListener("input", fill);
  groups.addEventListener("change", fill);
  fill();
  panel.replaceChildren(make("p", {}, frameChoice(frames, changed), " ", groups, " ", filter, note),
    make("table", {}, make("thead", {}, make("tr", {}, ...["register", frames.label(frames.from), frames.label(frames.to), ""].map((t) => make("th", {}, t)))), body));
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
  const ground = dark() ? [28, 32, 39] : [255, 255, 255];
  const ink = share >= 0 ? (dark() ? [111, 157, 255] : [47, 111, 219]) : (dark() ? [242, 109, 109] : [214, 69, 69]);
  return ground.map((g, i) => g + (ink[i] - g) * s);
}

function largest(width, height, value) {
  let top = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const v = Math.abs(value(x, y) ?? 0);
    if (Number.isFinite(v) && v > top) top = v;
  }
  return top;
}

function drawMap(width, height, scale, value, label, top) {
  const canvas = make("canvas", { class: "map", width, height, role: "img", "aria-label": label,
    style: `width:${width * scale}px;height:${height * scale}px` });
  const image = canvas.getContext("2d").createImageData(width, height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const v = value(x, y), at = 4 * (y * width + x);
    const rgb = v === null ? (((x + y) & 1) ? [150, 150, 150] : [110, 110, 110]) : heat(v, top);
    image.data.set([...rgb, 255], at);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  canvas.addEventListener("mousemove", (event) => {
    const x = Math.floor(event.offsetX / scale), y = Math.floor(event.offsetY / scale);
    canvas.title = `${label}, row ${y}, column ${x}: ${value(x, y) ?? "undefined (ZEROACC)"}`;
  });
  return canvas;
}

/* One register file in both frames, side by side, in one scale of colours. */
function pair(name, width, height, scale, frames, values) {
  const [before, after] = values;
  const top = Math.max(largest(width, height, before), largest(width, height, after));
  let differ = 0, undefinedRows = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    if (!Object.is(before(x, y), after(x, y))) differ += 1;
    if (after(x, y) === null) undefinedRows += 1;
  }
  const maps = values.map((value, k) => drawMap(width, height, scale, value, `${name}, ${frames.label([frames.from, frames.to][k])}`, top));
  const text = `${name}: largest ${Number(top.toPrecision(4))}, ${differ ? `${number(differ)} differ` : "no change"}`;
  const node = make("figure", {}, make("div", { class: "pair" }, maps[0], make("span", {}, "→"), maps[1]), make("figcaption", {}, text));
  return { node, empty: !top && !differ && !undefinedRows };
}

function fillMaps(maps, pairs, what) {
  const shown = pairs.filter((made) => !made.empty), rest = pairs.length - shown.length;
  maps.replaceChildren(...shown.map((made) => made.node));
  if (rest) maps.append(make("p", { class: "quiet" }, `${rest} ${what} hold only zeros, in both.`));
}

function showDst(model, frames, changed, panelState) {
  const panel = document.getElementById("dst");
  const choice = make("select", { "aria-label": "Format" }, ...["bf16", "fp16", "fp32", "raw 16 bits"].map((name) => make("option", {}, name)));
  choice.value = panelState.format || (model.dst32 ? "fp32" : "bf16");
  const all = make("input", { type: "checkbox" });
  /* the packer has cleared everything: show what it packed */
  all.checked = panelState.all ?? !frames.picture("dst_valid", frames.count - 1).some((row) => row);
  const maps = make("div", { class: "maps" });
  const fill = () => {
    panelState.format = choice.value;
    panelState.all = all.checked;
    const wide = choice.value === "fp32", tiles = wide ? 8 : 16;
    const read = { bf16: dstBf16, fp16: dstFp16, "raw 16 bits": (v) => v }[choice.value];
    const reader = (frame, tile) => {
      const dst = frames.picture("dst", frame), valid = frames.picture("dst_valid", frame);
      return (x, y) => {   /* four faces of 16 x 16, one after the other */
        const row = 64 * tile + 32 * (y >> 4) + 16 * (x >> 4) + (y & 15), column = x & 15;
        if (!wide) return valid[row] || all.checked ? read(dst[16 * row + column]) : null;
        const high = ((row & 0x1f8) << 1) | (row & 0x207);
        return valid[high] || all.checked ? dst32(dst[16 * high + column], dst[16 * (high + 8) + column]) : null;
      };
    };
    fillMaps(maps, [...Array(tiles).keys()].map((tile) => pair(`tile ${tile}, rows ${64 * tile}–${64 * tile + 63}`,
      32, 32, 4, frames, [reader(frames.from, tile), reader(frames.to, tile)])), "tiles");
  };
  choice.addEventListener("change", fill);
  all.addEventListener("change", fill);
  fill();
  panel.replaceChildren(make("p", {}, "Dst ", frameChoice(frames, changed), " read as ", choice,
    make("label", {}, all, " with rows that ZEROACC has left undefined"),
    make("small", {}, "  blue positive, red negative, one scale for each pair; chequered: undefined")), maps);
}

function showSrc(frames, changed) {
  const maps = make("div", { class: "maps" }), pairs = [];
  for (const name of ["src_a", "src_b"]) for (const bank of [0, 1]) {
    const reader = (frame) => (x, y) => bitsToFloat(frames.picture(name, frame)[1024 * bank + 16 * y + x]);
    pairs.push(pair(`${name === "src_a" ? "SrcA" : "SrcB"} bank ${bank}`, 16, 64, 4, frames, [reader(frames.from), reader(frames.to)]));
  }
  fillMaps(maps, pairs, "banks");
  document.getElementById("src").replaceChildren(make("p", {}, "SrcA and SrcB ", frameChoice(frames, changed),
    make("small", {}, "  64 rows of 16 data in each bank")), maps);
}

/* The run: columns of events, and tracks made of them. Kinds as in cycle/events.py. */
const ISSUE = 1, GATE = 2, CORE = 3, DEPTH = 4, SEMAPHORE = 5, BANKS = 6;
const MOP_OUT = 7, REPLAY_OUT = 8, RECORD_SLOT = 9, PUSH = 10;
const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

async function unpack(packed) {
  const raw = Uint8Array.from(atob(packed.data), (c) => c.charCodeAt(0));
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const columns = {};
  for (const [name, [type, start, length]] of Object.entries(packed.places)) {
    columns[name] = new TYPES[type](buffer, start, length);
  }
  return columns;
}

/* The first index in a sorted array whose value is not below x. */
function lowerBound(array, x, end = array.length) {
  let low = 0, high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] < x) low = middle + 1; else high = middle;
  }
  return low;
}

class Model {
  constructor(data, events) {
    Object.assign(this, data);
    this.events = events;
    this.count = events.clock.length;
    this.byKind = new Map();
    const sizes = new Map();
    for (let i = 0; i < this.count; i++) {
      const key = events.kind[i] * 16 + events.part[i];
      sizes.set(key, (sizes.get(key) || 0) + 1);
    }
    for (const [key, size] of sizes) this.byKind.set(key, new Uint32Array(size));
    const filled = new Map();
    for (let i = 0; i < this.count; i++) {
      const key = events.kind[i] * 16 + events.part[i];
      const at = filled.get(key) || 0;
      this.byKind.get(key)[at] = i;
      filled.set(key, at + 1);
    }
    this.tracks = this.makeTracks();
  }

  of(kind, part = 0) {
    return this.byKind.get(kind * 16 + part) || new Uint32Array(0);
  }

  word(i) { return this.words[this.events.value[i]]; }
  site(i) { return this.sites[this.events.site[i]]; }

  /* Spans: start, end, colour key, event. States last until the next one. */
  states(indices, value = (i) => this.events.value[i]) {
    const n = indices.length, clock = this.events.clock;
    const start = new Uint32Array(n), end = new Uint32Array(n), key = new Int32Array(n);
    for (let k = 0; k < n; k++) {
      start[k] = clock[indices[k]];
      end[k] = k + 1 < n ? clock[indices[k + 1]] : this.end;
      key[k] = value(indices[k]);
    }
    return { start, end, key, event: indices };
  }

  spans(indices, length, key) {
    const n = indices.length, clock = this.events.clock;
    const start = new Uint32Array(n), end = new Uint32Array(n), keys = new Int32Array(n);
    for (let k = 0; k < n; k++) {
      start[k] = clock[indices[k]];
      end[k] = start[k] + Math.max(1, length(indices[k]));
      if (k && end[k - 1] > start[k]) end[k - 1] = Math.max(start[k], start[k - 1] + 1);
      keys[k] = key(indices[k]);
    }
    return { start, end, key: keys, event: indices };
  }

  unitIndex(i) { return UNIT_NAMES.indexOf(this.word(i)[3]); }

  makeTracks() {
    const tracks = [], e = this.events, one = () => 1, unit = (i) => this.unitIndex(i);
    const add = (track) => { if (track.spans.start.length || track.always) tracks.push(track); };
    const group = (name) => tracks.push({ name, kind: "group", height: 20 });
    group("RISC-V cores");
    this.cores.forEach((name, core) => {
      const spans = this.states(this.of(CORE, core));
      if (spans.key.every((cause) => cause === 7)) return;
      add({ name, kind: "core", height: 16, spans });
    });
    this.threads.forEach((name, t) => {
      group(name);
      const push = this.of(PUSH, t);
      add({ name: "pushes", kind: "word", height: 12, spans: this.spans(push, one, unit) });
      const stages = [["MOP expander", MOP_OUT, 12], ["replay expander", REPLAY_OUT, 12]];
      for (const [stage, kind, height] of stages) {
        add({ name: stage, kind: "word", height, spans: this.spans(this.of(kind, t), one, unit) });
      }
      const gate = this.states(this.of(GATE, t));
      add({ name: "wait gate", kind: "gate", height: 24, thread: t, spans: gate, always: true,
            issues: this.spans(this.of(ISSUE, t), one, unit) });
      const depth = this.of(DEPTH, t);
      add({ name: "input FIFO", kind: "depth", height: 22, max: 32,
            spans: this.states(depth, (i) => e.value[i] & 255) });
      add({ name: "FIFO behind MOP", kind: "depth", height: 14, max: 8,
            spans: this.states(depth, (i) => (e.value[i] >> 8) & 255) });
      const slots = this.slots(t);
      if (slots.start.length) {
        tracks.push({ name: "replay slots", kind: "slots", height: 66, thread: t, spans: slots });
      }
    });
    group("units");
    const issues = [0, 1, 2].flatMap((t) => [...this.of(ISSUE, t)]).sort((a, b) => a - b);
    for (const [u, name] of UNIT_NAMES.entries()) {
      const own = Uint32Array.from(issues.filter((i) => this.unitIndex(i) === u));
      if (!own.length) continue;
      add({ name: name.replace("_", " "), kind: "word", height: 16,
            spans: this.spans(own, (i) => e.length[i], unit) });
    }
    group("synchronisation");
    const semaphores = this.of(SEMAPHORE);
    for (let s = 0; s < 8; s++) {
      const spans = this.states(semaphores, (i) => (e.value[i] >> (4 * s)) & 15);
      if (spans.key.some((value) => value)) {
        const max = Math.max(...spans.key);
        add({ name: `${s} ${this.semaphores[s]}`, kind: "depth", height: 16, max, spans });
      }
    }
    const banks = this.of(BANKS);
    ["SrcA bank 0", "SrcA bank 1", "SrcB bank 0", "SrcB bank 1"].forEach((name, bank) => {
      add({ name, kind: "bank", height: 10, spans: this.states(banks, (i) => (e.value[i] >> bank) & 1) });
    });
    let y = 24;
    for (const track of tracks) { track.y = y; y += track.height + 3; }
    this.height = y + 8;
    return tracks;
  }

  /* Who owns each replay slot when: one span per recorded word, ordered by time; row by slot. */
  slots(t) {
    const found = this.of(RECORD_SLOT, t), n = found.length, e = this.events;
    const start = new Uint32Array(n), end = new Uint32Array(n), key = new Int32Array(n);
    const row = new Uint8Array(n), last = new Map();
    for (let k = 0; k < n; k++) {
      const i = found[k], slot = e.slot[i];
      start[k] = e.clock[i]; end[k] = this.end; key[k] = e.value[i]; row[k] = slot;
      if (last.has(slot)) end[last.get(slot)] = start[k];
      last.set(slot, k);
    }
    return { start, end, key, row, event: found };
  }

  /* The event of a kind that event i goes back to, perhaps itself; -1 if there is none. */
  origin(i, kind) {
    const e = this.events;
    while (i >= 0 && e.kind[i] !== kind) i = e.back[i] ? i - e.back[i] : -1;
    return i;
  }

  /* The latest recording of a replay slot before event i; -1 if there is none. */
  recording(i, t, slot) {
    const list = this.of(RECORD_SLOT, t);
    for (let k = lowerBound(list, i) - 1; k >= 0; k--) {
      if (this.events.slot[list[k]] === slot) return list[k];
    }
    return -1;
  }

  /* Where in a MOP's loops its expander emitted event i: [role, iterations, register], or null. */
  place(i) {
    const e = this.events;
    if (i < 0 || !e.step[i]) return null;
    const place = e.place[i], template = place >> 20, register = place & 15;
    const inner = template ? `, inner ${(place >> 12) & 255}` : "";
    return [this.roles[template][register], `outer ${(place >> 4) & 255}${inner}`, `MopCfg[${register}]`];
  }

  /* From an issued word back to the source line: steps {title, text, event}. */
  chain(i) {
    const e = this.events, t = e.part[i], [core, pc, source] = this.site(i), steps = [];
    const out = this.origin(i, REPLAY_OUT), left = this.origin(i, MOP_OUT), push = this.origin(i, PUSH);
    const place = core === "host" ? source : `${core} ${hex(pc)}`;
    steps.push({ title: source || place, text: `source of the push, ${place}`, event: push });
    if (push >= 0) {
      steps.push({ title: this.word(push)[2], text: `pushed in cycle ${number(e.clock[push])}`, event: push });
    }
    if (e.step[i]) {
      const where = this.place(left), emitted = left >= 0 ? `, ${this.word(left)[2]}` : "";
      steps.push({ title: `MOP word ${e.step[i] - 1}${where ? `, ${where[0]}` : ""}${emitted}`,
                   text: where ? `${where[1]}, from ${where[2]}, emitted in cycle ${number(e.clock[left])}` : "emitted",
                   event: left });
    }
    if (e.slot[i] && e.kind[i] !== RECORD_SLOT) {
      const slot = e.slot[i] - 1, recorded = this.recording(out >= 0 ? out : i, t, slot);
      const by = recorded >= 0 ? this.site(recorded) : null;
      const text = by ? `recorded in cycle ${number(e.clock[recorded])} by ${by[2] || `${by[0]} ${hex(by[1])}`}` : "";
      steps.push({ title: `replay slot ${slot}`, text, event: recorded });
    }
    if (out >= 0 && e.kind[i] === ISSUE) {
      const waited = e.clock[i] - e.clock[out] - 1;
      steps.push({ title: "wait gate", text: `reached in cycle ${number(e.clock[out] + 1)}` +
        (waited > 0 ? `, waited ${waited}` : ""), event: out });
    }
    if (e.kind[i] === ISSUE) {
      steps.push({ title: this.word(i)[2], text: `issued in cycle ${number(e.clock[i])} to the ` +
        `${this.word(i)[3].replace("_", " ")}, ${e.length[i]} cycles`, event: i });
    }
    return steps;
  }

  /* Events whose word, source or cause contains a text: a sorted list of indices. */
  search(text) {
    const wanted = text.toLowerCase(), e = this.events;
    const words = this.words.map((row) => row.join(" ").toLowerCase().includes(wanted));
    const sites = this.sites.map((row) => row[2].toLowerCase().includes(wanted) || hex(row[1]) === wanted);
    const causes = new Map();
    for (const [key, name] of Object.entries(this.waits)) {
      causes.set(Number(key), name.toLowerCase().includes(wanted));
    }
    const cores = this.core_causes.map((row) => row[0].toLowerCase().includes(wanted));
    const found = new Uint32Array(this.count);
    let n = 0;
    for (let i = 0; i < this.count; i++) {
      const kind = e.kind[i];
      if (kind === ISSUE ? words[e.value[i]] || sites[e.site[i]] :
          kind === GATE ? causes.get(e.value[i] * 256 + e.site[i]) :
          kind === CORE && cores[e.value[i]]) found[n++] = i;
    }
    return found.slice(0, n);
  }
}

const UNIT_NAMES = Object.keys(UNIT_COLOURS);
const hex = (n) => `0x${n.toString(16)}`;

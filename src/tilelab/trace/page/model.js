/* The run: columns of events, the tables that they index, and the chain from a word to its source. */
import { number } from "./dom.js";

const LARGEST_KEY = 4096;
const PARTS = 16;   /* threads or cores of a kind of events, at most */

/* Clocks come as differences. */
function addUp(column) {
  for (let k = 1; k < column.length; k++) column[k] += column[k - 1];
}

/* Numbers from 0 on, in lists by a key (a small number) of each; the loops run over millions. */
export function sorted(count, key) {
  const sizes = new Uint32Array(LARGEST_KEY), filled = new Uint32Array(LARGEST_KEY);
  for (let i = 0; i < count; i++) sizes[key(i)] += 1;
  const lists = Array.from(sizes, (size) => (size ? new Uint32Array(size) : null));
  for (let i = 0; i < count; i++) {
    const k = key(i);
    lists[k][filled[k]++] = i;
  }
  return lists;
}

export class Model {
  constructor(data, events) {
    Object.assign(this, data);
    this.events = events;
    for (const [name, column] of Object.entries(events)) if (name.endsWith("clock")) addUp(column);
    this.count = events.clock.length;
    this.lists = sorted(this.count, (i) => events.kind[i] * PARTS + events.part[i]);   /* by kind and part */
    this.wordUnits = Int32Array.from(this.words, (row) => row[3]);
    const { ISSUE, MOP_OUT, REPLAY_OUT, RECORD_SLOT, PUSH } = this.kinds;
    this.stages = [ISSUE, MOP_OUT, REPLAY_OUT, RECORD_SLOT];
    this.wordKinds = [...this.stages, PUSH];
    for (const rows of Object.values(this.code)) rows.lines = new Set(rows.map((row) => row[3]));
  }

  /* What a track is. */
  meaning(name) {
    if (this.glossary[name]) return this.glossary[name];
    if (name.startsWith("c_")) return this.buffer;
    return name >= "0" && name < ":" ? this.semaphore : "";
  }

  of(kind, part = 0) { return this.lists[kind * PARTS + part] || new Uint32Array(0); }
  unitOf(i) { return this.wordUnits[this.events.value[i]]; }
  word(i) { const row = this.words[this.events.value[i]]; return { bits: row[0], name: row[1], text: row[2], unit: row[3] }; }
  unitName(unit) { return this.units[unit] || "no unit"; }

  /* Who pushed; the author's line, or else who; all of the place in the source. */
  site(i) {
    const [where, line, source] = this.sites[this.events.site[i]];
    return { where, line, source: source || where };
  }

  wait(i) { return this.waits[this.events.site[i]]; }
  cause(i) { return this.causes[this.events.value[i]]; }
  coreCause(i) { return this.core_causes[this.events.value[i]]; }

  /* The event of a kind that event i goes back to, perhaps itself; -1 if there is none. */
  origin(i, kind) {
    const e = this.events;
    while (i >= 0 && e.kind[i] !== kind) i = e.back[i] ? i - e.back[i] : -1;
    return i;
  }

  /* The latest recording of a replay slot (from 1) before event i; -1 if there is none. */
  recording(i, t, slot) {
    const list = this.of(this.kinds.RECORD_SLOT, t);
    let k = list.length - 1;
    for (let low = 0, high = k; low <= high;) {
      const middle = Math.floor((low + high) / 2);
      if (list[middle] < i) { low = middle + 1; k = middle; } else { high = middle - 1; k = high; }
    }
    for (; k >= 0; k--) if (this.events.slot[list[k]] === slot) return list[k];
    return -1;
  }

  /* Where in a MOP's loops its expander emitted event i: [role, iterations, register], or null. */
  place(i) {
    const e = this.events;
    if (i < 0 || !e.role[i]) return null;
    const [role, register, isInner] = this.roles[e.role[i] - 1];
    return [role, `outer ${e.outer[i]}${isInner ? `, inner ${e.inner[i]}` : ""}`, register];
  }

  /* From an issued word back to the source line: steps {title, text, event}. */
  chain(i) {
    const e = this.events, t = e.part[i], { where, line, source } = this.site(i), steps = [];
    const { ISSUE, MOP_OUT, REPLAY_OUT, RECORD_SLOT, PUSH } = this.kinds;
    const out = this.origin(i, REPLAY_OUT), left = this.origin(i, MOP_OUT), push = this.origin(i, PUSH);
    const cycle = (event) => number(e.clock[event]);
    steps.push({ title: line, text: source === line || source === where ? "source of the push" : `${source}; ${where}`, event: push });
    if (push >= 0) {
      steps.push({ title: this.word(push).text, text: `pushed in cycle ${cycle(push)}`, event: push });
    }
    if (e.step[i]) {
      const place = this.place(left), emitted = left >= 0 ? `, ${this.word(left).text}` : "";
      steps.push({ title: `MOP word ${e.step[i] - 1}${place ? `, ${place[0]}` : ""}${emitted}`,
                   text: place ? `${place[1]}, from ${place[2]}, emitted in cycle ${cycle(left)}` : "emitted",
                   event: left });
    }
    if (e.slot[i] && e.kind[i] !== RECORD_SLOT) {
      const recorded = this.recording(out >= 0 ? out : i, t, e.slot[i]);
      const text = recorded >= 0 ? `recorded in cycle ${cycle(recorded)} by ${this.site(recorded).source}` : "";
      steps.push({ title: `replay slot ${e.slot[i] - 1}`, text, event: recorded });
    }
    if (out >= 0 && e.kind[i] === ISSUE) {
      const waited = e.clock[i] - e.clock[out] - 1;
      steps.push({ title: "wait gate", text: `reached in cycle ${number(e.clock[out] + 1)}` +
        (waited > 0 ? `, waited ${waited}` : ""), event: out });
    }
    if (e.kind[i] === ISSUE) {
      steps.push({ title: this.word(i).text, text: `issued in cycle ${cycle(i)} to the ` +
        `${this.unitName(this.word(i).unit)}, ${e.length[i]} cycles`, event: i });
    }
    return steps;
  }

  /* Events whose word, source or cause contains a text: a sorted list of indices. */
  /* The source line that an event is of; "" if it is of none. */
  lineOf(i) {
    const { CORE, PUSH } = this.kinds, kind = this.events.kind[i];
    return this.stages.includes(kind) || kind === CORE || kind === PUSH ? this.site(i).line || "" : "";
  }
  search(text) {
    const wanted = text.toLowerCase(), e = this.events, { ISSUE, GATE, CORE } = this.kinds;
    const has = (...texts) => texts.join(" ").toLowerCase().includes(wanted);
    const words = this.words.map((row) => has(...row.slice(0, 3), this.unitName(row[3])));
    const sites = this.sites.map((row) => has(row.join(" ")));
    const waits = this.waits.map((name) => has(name));
    const cores = this.core_causes.map(([name]) => has(name));
    const found = new Uint32Array(this.count);
    let n = 0;
    for (let i = 0; i < this.count; i++) {
      const kind = e.kind[i];
      if (kind === ISSUE ? words[e.value[i]] || sites[e.site[i]] :
          kind === GATE ? waits[e.site[i]] :
          kind === CORE && cores[e.value[i]]) found[n++] = i;
    }
    return found.slice(0, n);
  }
}

/* The timeline's tracks: spans made of the run's events and states, and where each is drawn. */
import { sorted } from "./model.js";

/* Spans: start, end, colour key, event. States last until the next one. */
function lasting(clock, value, end, event = null) {
  const stop = new Uint32Array(clock.length);
  for (let k = 0; k < clock.length; k++) stop[k] = k + 1 < clock.length ? clock[k + 1] : end;
  return { start: clock, end: stop, key: value, event };
}

function eventStates(model, indices) {
  const e = model.events;
  const clock = new Uint32Array(indices.length), value = new Uint8Array(indices.length);
  for (let k = 0; k < indices.length; k++) {
    clock[k] = e.clock[indices[k]];
    value[k] = e.value[indices[k]];
  }
  return lasting(clock, value, model.end, indices);
}

/* Words that take some cycles each, cut where the next one begins. */
function words(model, indices, length) {
  const n = indices.length, clock = model.events.clock;
  const start = new Uint32Array(n), end = new Uint32Array(n), key = new Int32Array(n);
  for (let k = 0; k < n; k++) {
    start[k] = clock[indices[k]];
    end[k] = start[k] + Math.max(1, length(indices[k]));
    if (k && end[k - 1] > start[k]) end[k - 1] = Math.max(start[k], start[k - 1] + 1);
    key[k] = model.unitOf(indices[k]);
  }
  return { start, end, key, event: indices };
}

/* The numbers of some sorted lists as one. */
function inOrder(lists) {
  const all = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) { all.set(list, at); at += list.length; }
  return lists.filter((list) => list.length).length > 1 ? all.sort() : all;
}

/* Who owns each replay slot when: one span per recorded word, ordered by time; row by slot. */
function slots(model, t) {
  const e = model.events, found = model.of(model.kinds.RECORD_SLOT, t), n = found.length;
  const start = new Uint32Array(n), end = new Uint32Array(n), key = new Int32Array(n);
  const row = new Uint8Array(n), last = new Map();
  for (let k = 0; k < n; k++) {
    const i = found[k], slot = e.slot[i] - 1;
    start[k] = e.clock[i]; end[k] = model.end; key[k] = e.value[i]; row[k] = slot;
    if (last.has(slot)) end[last.get(slot)] = start[k];
    last.set(slot, k);
  }
  return { start, end, key, row, event: found };
}

/* What tells a track from those of the same name in other groups. */
export const idOf = (track) => `${track.group}/${track.name}`;

export const SLOT_HEIGHT = 2;

export function makeTracks(model) {
  const tracks = [], e = model.events, kinds = model.kinds, one = () => 1;
  let title = null;
  let current = "";
  const group = (name) => { current = name; title = { name, kind: "group", group: name, height: 20 }; };
  const add = (track) => {
    if (!track.spans.start.length && !(track.issues && track.issues.start.length)) return;
    if (title) tracks.push(title);
    title = null;
    tracks.push({ ...track, group: current });
  };
  const state = ({ name, kind, most, key }, height) => add({ name, kind, height, max: most,
    spans: lasting(e[`${key}_clock`], e[`${key}_value`], model.end) });

  group("RISC-V cores");
  model.cores.forEach((name, core) => {
    const spans = eventStates(model, model.of(kinds.CORE, core));
    if (!spans.key.every((cause) => cause === model.in_reset)) add({ name, kind: "core", height: 16, spans });
  });
  model.threads.forEach((name, t) => {
    group(name);
    add({ name: "pushes", kind: "word", height: 12, spans: words(model, model.of(kinds.PUSH, t), one) });
    for (const [stage, kind] of [["MOP expander", kinds.MOP_OUT], ["replay expander", kinds.REPLAY_OUT]]) {
      add({ name: stage, kind: "word", height: 12, spans: words(model, model.of(kind, t), one) });
    }
    add({ name: "wait gate", kind: "gate", height: 24, thread: t, spans: eventStates(model, model.of(kinds.GATE, t)),
          issues: words(model, model.of(kinds.ISSUE, t), one) });
    for (const found of model.states) if (found.thread === t) state(found, found.most > 8 ? 22 : 14);
    add({ name: "replay slots", kind: "slots", height: SLOT_HEIGHT * (model.slots + 1), thread: t, spans: slots(model, t) });
  });
  group("units");
  const issues = inOrder(model.threads.map((_, t) => model.of(kinds.ISSUE, t)));
  const ofUnit = sorted(issues.length, (k) => model.unitOf(issues[k]) + 1);   /* -1: no unit */
  model.units.forEach((name, unit) => {
    const own = (ofUnit[unit + 1] || new Uint32Array(0)).map((k) => issues[k]);
    add({ name, kind: "word", height: 16, unit, spans: words(model, own, (i) => e.length[i]) });
  });
  group("synchronisation");
  for (const found of model.states) if (found.thread === null && found.kind !== "buffer") state(found, found.kind === "bank" ? 10 : 16);
  group("circular buffers");
  for (const found of model.states) if (found.kind === "buffer") state(found, 26);
  return tracks;
}

/* Those tracks that are shown, each with its place: not those of closed groups, and of a filter only what it names;
   pinned ones, in their order, on top of all, whatever is closed or filtered. */
export function placed(tracks, closed, filter, pinned) {
  const wanted = filter.toLowerCase();
  const has = (track) => !wanted || `${track.group} ${track.name}`.toLowerCase().includes(wanted);
  const groups = new Set(tracks.filter((track) => track.kind !== "group" && has(track)).map((track) => track.group));
  const shown = tracks.filter((track) => (track.kind === "group" ? groups.has(track.group) : has(track) && !closed.has(track.group)));
  const kept = pinned.map((id) => tracks.find((track) => track.kind !== "group" && idOf(track) === id)).filter(Boolean);
  let y = 24;
  for (const track of kept) { track.y = y; y += track.height + 3; }
  const head = kept.length ? y + 3 : 20;   /* below it the others scroll */
  if (kept.length) y += 6;
  for (const track of shown.filter((track) => !kept.includes(track))) { track.y = y; y += track.height + 3; }
  return { tracks: [...shown.filter((track) => !kept.includes(track)), ...kept], kept, head, extent: y + 8 };
}

/* Statistics of a range of cycles: what "Where the time went" says of the run, counted from the events. */
import { lowerBound } from "./dom.js";

/* Cycles of each key of some spans within a range. */
function inside(spans, from, to, sums) {
  const { start, end, key } = spans;
  for (let k = Math.max(0, lowerBound(end, from + 1) - 1); k < start.length && start[k] < to; k++) {
    const length = Math.min(end[k], to) - Math.max(start[k], from);
    if (length > 0) sums.set(key[k], (sums.get(key[k]) || 0) + length);
  }
  return sums;
}

const named = (sums, names, without) => Object.fromEntries([...sums].filter(([key]) => key !== without)
  .sort((a, b) => b[1] - a[1]).map(([key, n]) => [names[key][0], n]));

/* A report of the range, as the run's: threads, cores, units. */
export function reportOf(model, tracks, from, to) {
  const cycles = to - from, threads = [], cores = [], units = [];
  for (const track of tracks) {
    if (track.kind === "gate") {
      const sums = inside(track.spans, from, to, new Map()), clocks = track.issues.start;
      const issued = lowerBound(clocks, to) - lowerBound(clocks, from);
      threads.push({ name: model.threads[track.thread], cycles, active: sums.get(0) || 0, idle: named(sums, model.causes, 0), waits: {}, issued });
    } else if (track.kind === "core") {
      const sums = inside(track.spans, from, to, new Map());
      cores.push({ name: track.name, cycles, active: sums.get(0) || 0, idle: named(sums, model.core_causes, 0) });
    } else if (track.group === "units" && track.kind === "word") {
      const busy = [...inside(track.spans, from, to, new Map()).values()].reduce((sum, n) => sum + n, 0);
      units.push({ name: track.name, busy, colour: track.unit });
    }
  }
  return { cycles, threads, cores, units, chain: [], throttled: [] };
}

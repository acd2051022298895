/* What a chip's page knows: nodes, activity by part of the time, requests, pieces of tiles. */
import { lowerBound } from "./dom.js";

export class ChipModel {
  constructor(data, activity, requests, used) {
    Object.assign(this, { nodes: data.nodes, kinds: data.kinds, tops: data.tops, texts: data.texts, cores: data.cores,
      rectangles: data.rectangles, pieces: data.pieces, pages: data.pages, listings: data.listings, template: data.template, report: data.report,
      modelled: data.modelled, requestKinds: data.request_kinds, dropped: data.dropped, end: Math.max(1, data.end), name: data.name });
    this.activity = activity;
    this.ways = data.ways;
    this.used = used;
    this.routers = data.routers;
    this.requests = requests;
    this.grid = this.nodes.filter((node) => node.kind === "Tensix").length;
    this.tiles = this.nodes.filter((node) => node.kind === "Tensix" && node.there).length;
    this.parts = activity.tensix.length / this.grid;
    for (let k = 1; k < requests.clock.length; k++) requests.clock[k] += requests.clock[k - 1];
    this.asking = this.nodes.flatMap((node, i) => (node.kind === "Tensix" && node.there ? [i] : []));
  }

  kindClass(name) { return name.replace(" ", "-"); }
  piecesOf(node) { return this.pieces.filter((piece) => piece.node === node); }
  startKind() { return this.pieces.some((piece) => piece.issued) ? "tensix" : "riscv"; }

  /* The tile that issued most, so that something is shown at once. */
  busiest() {
    const best = this.pieces.reduce((most, piece) => (!most || piece.issued > most.issued ? piece : most), null);
    return best ? best.node : this.asking[0];
  }

  /* How busy a node was between two clocks, in the kind's unit. */
  level(kind, node, from, to) {
    if (node >= this.grid) return 0;
    const row = this.activity[kind].subarray(node * this.parts, (node + 1) * this.parts), scale = this.parts / this.end;
    const first = Math.min(this.parts - 1, Math.floor(from * scale)), last = Math.min(this.parts, Math.max(first + 1, Math.ceil(to * scale)));
    let sum = 0;
    for (let k = first; k < last; k++) sum += row[k];
    return (sum / (last - first)) * (this.tops[kind] / 65535);
  }

  /* For which part of the time between two clocks a way was taken. */
  share(way, from, to) {
    const scale = this.parts / this.end, first = Math.min(this.parts - 1, Math.floor(from * scale));
    const last = Math.min(this.parts, Math.max(first + 1, Math.ceil(to * scale)));
    let sum = 0;
    for (let k = first; k < last; k++) sum += this.used[way * this.parts + k];
    return sum / (last - first) / 255;
  }

  /* The ways taken most between two clocks: numbers and shares. */
  busiestWays(from, to, count) {
    return this.ways.map((_, i) => [i, this.share(i, from, to)]).filter(([, share]) => share >= 0.005).sort((a, b) => b[1] - a[1]).slice(0, count);
  }

  /* The requests between two clocks, as a range of numbers. */
  between(from, to) { return [lowerBound(this.requests.clock, from), lowerBound(this.requests.clock, to)]; }

  /* Which nodes a request reached. */
  reached(k) { return this.requests.broadcast[k] ? this.rectangles[this.requests.to[k]] : [this.requests.to[k]]; }

  /* Transfers between two clocks by who, to whom and how, most bytes first. */
  flows(from, to) {
    const found = new Map(), q = this.requests, [first, last] = this.between(from, to);
    for (let k = first; k < last; k++) {
      const key = `${q.from[k]} ${q.broadcast[k] ? "b" : ""}${q.to[k]} ${q.kind[k]}`;
      const old = found.get(key);
      if (old) { old.bytes += q.bytes[k]; old.count += 1; }
      else found.set(key, { from: q.from[k], to: this.reached(k), broadcast: q.broadcast[k] === 1, kind: q.kind[k], bytes: q.bytes[k], count: 1 });
    }
    return [...found.values()].sort((a, b) => b.bytes - a.bytes);
  }
}

/* The timeline: one canvas over one axis of cycles, in a box that scrolls over all tracks. */
import { lowerBound } from "./dom.js";
import { drawTrack, LABELS } from "./draw.js";
import { drawFindings } from "./findings.js";
import { css } from "./palette.js";
import { idOf, makeTracks, placed, SLOT_HEIGHT } from "./tracks.js";

export class Timeline {
  constructor(view, canvas, extent, more, model, end = model.end) {
    Object.assign(this, { view, canvas, more, model, end, extentBox: extent, all: makeTracks(model) });
    this.closed = new Set();   /* names of groups */
    this.filter = "";
    this.pinned = [];   /* ids of tracks */
    this.findings = [];   /* events of the parties of each */
    this.range = null;   /* [first cycle, the one after the last] */
    this.changed = () => {};
    this.context = canvas.getContext("2d");
    this.selected = null;   /* {track, spans, index} */
    this.setMatches(new Uint32Array(0));
    this.pending = false;
    this.arrange();
    this.measure();
    this.fit();
    view.addEventListener("scroll", () => this.redraw());
    new ResizeObserver(() => { this.measure(); this.redraw(); }).observe(view);
  }

  arrange() {
    Object.assign(this, placed(this.all, this.closed, this.filter, this.pinned));
    this.extentBox.style.height = `${this.extent}px`;
    this.redraw();
    this.changed();
  }

  setFilter(text) { this.filter = text; this.arrange(); }

  toggle(group) {
    if (!this.closed.delete(group)) this.closed.add(group);
    this.arrange();
  }

  /* Keep a track on top while the others scroll, or no longer. */
  pin(track) {
    const id = idOf(track), at = this.pinned.indexOf(id);
    this.pinned = at < 0 ? [...this.pinned, id] : this.pinned.filter((other) => other !== id);
    this.arrange();
  }

  /* Pixels from the top of the canvas to a track. Pinned ones that would leave no room scroll like the others. */
  get stays() { return this.head < this.height * 0.7; }
  top(track) { return this.stays && this.kept.includes(track) ? track.y : track.y - this.scroll; }
  at(py, track) { return py >= this.top(track) && py <= this.top(track) + track.height && (py >= this.head || this.kept.includes(track) || !this.stays); }

  setRange(from, to) {
    const end = this.end, [a, b] = [Math.floor(Math.min(from, to)), Math.ceil(Math.max(from, to))];
    this.range = b > a ? [Math.max(0, a), Math.min(end, b)] : null;
    this.redraw();
    this.changed();
  }

  setMatches(events) {
    this.matches = events;
    this.matchClocks = events.map((i) => this.model.events.clock[i]);
  }

  get span() { return this.to - this.from; }
  get scroll() { return this.view.scrollTop; }
  set scroll(y) { this.view.scrollTop = y; }
  x(cycle) { return LABELS + ((cycle - this.from) / this.span) * this.width; }
  cycle(x) { return this.from + ((x - LABELS) / this.width) * this.span; }

  measure() {
    this.height = this.view.clientHeight;
    this.width = this.view.clientWidth - LABELS;
  }

  fit() { this.show(0, Math.max(16, this.end)); }

  show(from, to) {
    const span = Math.min(Math.max(to - from, 8), Math.max(16, this.end * 1.1));
    const centre = (from + to) / 2;
    this.from = Math.max(-span * 0.05, Math.min(centre - span / 2, this.end - span * 0.2));
    this.to = this.from + span;
    this.redraw();
    this.changed();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  move(share) { this.show(this.from + share * this.span, this.to + share * this.span); }

  /* Make an event visible: its cycle, and its track if it is given. */
  reveal(event, track = null) {
    const clock = this.model.events.clock[event];
    const span = Math.min(this.span, 400);
    if (clock < this.from || clock > this.to || this.span > 4000) {
      this.show(clock - span / 2, clock + span / 2);
    }
    if (track && !this.tracks.includes(track)) {   /* hidden, so what hides it goes */
      this.closed.delete(track.group);
      this.filter = "";
      this.arrange();
    }
    if (track) {
      const y = this.top(track);
      if (!this.kept.includes(track) && (y < this.head || y + track.height > this.height)) this.scroll = track.y - this.height / 2;
    }
    this.redraw();
  }

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() {
    const began = performance.now(), scale = window.devicePixelRatio || 1, c = this.context;
    const w = this.width + LABELS, h = this.height;
    if (this.canvas.width !== Math.round(w * scale) || this.canvas.height !== Math.round(h * scale)) {
      this.canvas.style.height = `${h}px`;
      this.canvas.width = Math.round(w * scale);
      this.canvas.height = Math.round(h * scale);
    }
    c.setTransform(scale, 0, 0, scale, 0, 0);
    this.ink = { ground: css("--ground"), text: css("--text"), quiet: css("--quiet"),
                 line: css("--line"), panel: css("--panel"), accent: css("--accent"), bad: css("--bad") };
    c.fillStyle = this.ink.ground;
    c.fillRect(0, 0, w, h);
    c.font = "12px system-ui, sans-serif";
    c.textBaseline = "middle";
    this.tracks.forEach((track) => {   /* pinned ones last, over what has scrolled below them */
      const y = this.top(track);
      if (track === this.kept[0] && this.stays) this.drawHead(w);
      if (y + track.height >= 20 && y <= h) drawTrack(this, track, y);
    });
    if (!this.tracks.length) {
      c.fillStyle = this.ink.quiet;
      c.fillText(this.filter ? `no track has “${this.filter}” in its name` : "nothing ran", LABELS + 8, 44);
    }
    this.drawMatches(h);
    this.drawRange(h);
    this.drawAxis(w);
    drawFindings(this);
    this.drawSelection(h);
    const below = this.tracks.filter((track) => track.kind !== "group" && this.top(track) + track.height / 2 > h).length;
    if (below !== this.below) {
      this.below = below;
      this.more.hidden = !below;
      this.more.textContent = below === 1 ? "1 more track ▾" : `${below} more tracks ▾`;
    }
    this.drawn = performance.now() - began;
  }

  /* The ground of the pinned tracks, and the line below them. */
  drawHead(w) {
    const c = this.context;
    c.fillStyle = this.ink.ground;
    c.fillRect(0, 20, w, this.head - 20);
    c.fillStyle = this.ink.accent;
    c.fillRect(0, this.head - 1, w, 1);
  }

  drawAxis(w) {
    const c = this.context;
    c.fillStyle = this.ink.panel;
    c.fillRect(0, 0, w, 20);
    c.fillStyle = this.ink.quiet;
    const raw = this.span / Math.max(2, this.width / 110);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = Math.max(1, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw));
    c.strokeStyle = this.ink.line;
    c.beginPath();
    for (let cycle = Math.max(0, Math.ceil(this.from / step) * step); cycle <= this.to; cycle += step) {
      const x = Math.round(this.x(cycle)) + 0.5;
      const label = cycle.toLocaleString("en");
      if (x + 4 + c.measureText(label).width < w) c.fillText(label, x + 4, 10);
      c.moveTo(x, 14); c.lineTo(x, 20);
    }
    c.stroke();
    c.fillStyle = this.ink.panel;
    c.fillRect(0, 0, LABELS, 20);
    c.fillStyle = this.ink.quiet;
    c.fillText("cycle", 10, 10);
    if (!this.range) return;
    const [a, b] = this.range, middle = this.x((a + b) / 2), text = `${(b - a).toLocaleString("en")} cycles`;
    c.fillStyle = this.ink.accent;
    c.fillRect(Math.max(LABELS, this.x(a)), 16, Math.min(LABELS + this.width, this.x(b)) - Math.max(LABELS, this.x(a)), 4);
    const width = c.measureText(text).width, x = Math.max(LABELS, Math.min(LABELS + this.width - width - 8, middle - width / 2 - 4));
    c.fillRect(x, 1, width + 8, 15);
    c.fillStyle = this.ink.ground;
    c.fillText(text, x + 4, 9);
  }

  /* The chosen range: what is outside is dimmed, its length stands on top. */
  drawRange(h) {
    if (!this.range) return;
    const c = this.context, [from, to] = this.range.map((cycle) => Math.max(LABELS, Math.min(LABELS + this.width, this.x(cycle))));
    c.globalAlpha = 0.55;
    c.fillStyle = this.ink.ground;
    c.fillRect(LABELS, 20, from - LABELS, h);
    c.fillRect(to, 20, LABELS + this.width - to, h);
    c.globalAlpha = 1;
    c.fillStyle = this.ink.accent;
    c.fillRect(from - 1, 20, 1, h);
    c.fillRect(to, 20, 1, h);
  }

  drawMatches(h) {
    const c = this.context, width = this.width, perPixel = this.span / width, clocks = this.matchClocks;
    c.fillStyle = this.ink.accent;
    let k = lowerBound(clocks, this.from);
    while (k < clocks.length && clocks[k] <= this.to) {   /* one mark for each pixel, at most */
      const x = LABELS + (clocks[k] - this.from) / perPixel;
      c.fillRect(x, 20, 1.4, 5);
      c.globalAlpha = 0.12; c.fillRect(x, 25, 1.4, h); c.globalAlpha = 1;
      k = Math.max(k + 1, lowerBound(clocks, clocks[k] + perPixel));
    }
  }

  drawSelection(h) {
    if (!this.selected || !this.tracks.includes(this.selected.track)) return;
    const c = this.context, { track, spans, index } = this.selected, y = this.top(track);
    const x = this.x(spans.start[index]), right = Math.max(this.x(spans.end[index]), x + 2);
    c.strokeStyle = this.ink.text;
    c.lineWidth = 1.5;
    if (right > LABELS && y > (this.stays && !this.kept.includes(track) ? this.head - 10 : 10)) c.strokeRect(Math.max(x, LABELS) - 1, y - 1.5, right - Math.max(x, LABELS) + 1, track.height + 3);
    c.lineWidth = 1;
    if (x < LABELS) return;
    c.globalAlpha = 0.5;
    c.beginPath(); c.moveTo(x, 20); c.lineTo(x, h); c.stroke();
    c.globalAlpha = 1;
  }

  /* The track whose name is at a point of the canvas, or null. */
  label(px, py) {
    if (py < 20 || px >= LABELS) return null;
    return this.tracks.find((t) => this.at(py, t)) || null;
  }

  /* What is at a point of the canvas: {track, spans, index}, or null. */
  hit(px, py) {
    const cycle = this.cycle(px);
    if (px < LABELS || py < 20) return null;
    const track = this.tracks.find((t) => t.kind !== "group" && this.at(py, t));
    if (!track) return null;
    if (track.kind === "slots") {
      const row = Math.floor((py - this.top(track)) / SLOT_HEIGHT), { start, end } = track.spans;
      for (let k = start.length - 1; k >= 0; k--) {
        if (track.spans.row[k] === row && start[k] <= cycle && cycle < end[k]) return { track, spans: track.spans, index: k };
      }
      return null;
    }
    for (const spans of track.issues ? [track.issues, track.spans] : [track.spans]) {
      const near = (this.span / this.width) * 2;
      let k = lowerBound(spans.start, cycle + 1e-9) - 1;
      if (k + 1 < spans.start.length && spans.start[k + 1] - cycle < near && (k < 0 || spans.end[k] <= cycle)) k += 1;
      if (k >= 0 && cycle < spans.end[k] + near) return { track, spans, index: k };
    }
    return null;
  }

  /* The track and place of an event, to select it. */
  find(event) {
    for (const track of this.all) {
      for (const spans of track.spans ? [track.issues, track.spans] : []) {
        if (!spans || !spans.event) continue;
        const k = lowerBound(spans.event, event);
        if (spans.event[k] === event) return { track, spans, index: k };
      }
    }
    return null;
  }
}

/* The timeline: one canvas, all tracks over one axis of cycles. */
const LABELS = 132;

class Timeline {
  constructor(canvas, model) {
    this.canvas = canvas;
    this.model = model;
    this.context = canvas.getContext("2d");
    this.scroll = 0;
    this.selected = null;   /* {track, index} */
    this.setMatches(new Uint32Array(0));
    this.pending = false;
    this.fit();
    new ResizeObserver(() => this.redraw()).observe(canvas);
  }

  setMatches(events) {
    this.matches = events;
    this.matchClocks = events.map((i) => this.model.events.clock[i]);
  }

  get width() { return this.canvas.clientWidth - LABELS; }
  get span() { return this.to - this.from; }
  x(cycle) { return LABELS + ((cycle - this.from) / this.span) * this.width; }
  cycle(x) { return this.from + ((x - LABELS) / this.width) * this.span; }

  fit() { this.show(0, Math.max(16, this.model.end)); }

  show(from, to) {
    const span = Math.min(Math.max(to - from, 8), Math.max(16, this.model.end * 1.1));
    const centre = (from + to) / 2;
    this.from = Math.max(-span * 0.05, Math.min(centre - span / 2, this.model.end - span * 0.2));
    this.to = this.from + span;
    this.redraw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  move(share) { this.show(this.from + share * this.span, this.to + share * this.span); }

  reveal(event) {
    const clock = this.model.events.clock[event];
    const span = Math.min(this.span, 400);
    if (clock < this.from || clock > this.to || this.span > 4000) {
      this.show(clock - span / 2, clock + span / 2);
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
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (this.canvas.width !== Math.round(w * scale) || this.canvas.height !== Math.round(h * scale)) {
      this.canvas.width = Math.round(w * scale);
      this.canvas.height = Math.round(h * scale);
    }
    c.setTransform(scale, 0, 0, scale, 0, 0);
    this.scroll = Math.max(0, Math.min(this.scroll, this.model.height - h));
    this.ink = { ground: css("--ground"), text: css("--text"), quiet: css("--quiet"),
                 line: css("--line"), panel: css("--panel"), accent: css("--accent") };
    c.fillStyle = this.ink.ground;
    c.fillRect(0, 0, w, h);
    c.font = "12px system-ui, sans-serif";
    c.textBaseline = "middle";
    this.model.tracks.forEach((track) => {
      const y = track.y - this.scroll;
      if (y + track.height < 20 || y > h) return;
      this.drawTrack(track, y);
    });
    this.drawMatches(h);
    this.drawAxis(w);
    this.drawSelection(h);
    this.drawn = performance.now() - began;
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
      c.fillText(cycle.toLocaleString("en"), x + 4, 10);
      c.moveTo(x, 14); c.lineTo(x, 20);
    }
    c.stroke();
    c.fillStyle = this.ink.panel;
    c.fillRect(0, 0, LABELS, 20);
    c.fillStyle = this.ink.quiet;
    c.fillText("cycle", 10, 10);
  }

  drawTrack(track, y) {
    const c = this.context, ink = this.ink;
    if (track.kind === "group") {
      c.fillStyle = ink.text;
      c.font = "600 12px system-ui, sans-serif";
      c.fillText(track.name, 10, y + 12);
      c.font = "12px system-ui, sans-serif";
      c.strokeStyle = ink.line;
      c.beginPath(); c.moveTo(LABELS, y + 12.5); c.lineTo(this.canvas.clientWidth, y + 12.5); c.stroke();
      return;
    }
    const chosen = this.selected && this.selected.track === track;
    c.fillStyle = chosen ? ink.accent : ink.quiet;
    c.fillText(track.name, 20, y + Math.min(track.height, 24) / 2, LABELS - 26);
    c.save();
    c.beginPath(); c.rect(LABELS, y - 1, this.width, track.height + 2); c.clip();
    if (track.kind === "depth") this.drawDepth(track, y);
    else if (track.kind === "slots") this.drawSlots(track, y);
    else if (track.kind === "gate") {
      this.drawSpans(track.spans, y, track.height, causeColour, (k) => k !== 0, (i) => this.gateLabel(i));
      const unit = (k) => unitColour(UNIT_NAMES[k]);
      this.drawSpans(track.issues, y, track.height, unit, () => true, (i) => this.model.word(i)[1]);
    } else if (track.kind === "core") {
      this.drawSpans(track.spans, y, track.height, coreColour, () => true,
                     (i) => this.model.core_causes[this.model.events.value[i]][0]);
    } else if (track.kind === "bank") {
      this.drawSpans(track.spans, y, track.height, () => unitColour("matrix_unit"), (k) => k === 1, () => "");
    } else {
      const unit = (k) => unitColour(UNIT_NAMES[k]);
      this.drawSpans(track.spans, y, track.height, unit, () => true, (i) => this.model.word(i)[1]);
    }
    c.restore();
  }

  gateLabel(i) {
    const e = this.model.events;
    return this.model.waits[e.value[i] * 256 + e.site[i]] || this.model.causes[e.value[i]][0];
  }

  /* Rectangles; where several share a pixel, one is drawn and the rest of that pixel skipped. */
  drawSpans(spans, y, height, colour, shown, label) {
    const c = this.context, { start, end, key, event } = spans, n = start.length;
    const perPixel = this.span / this.width;
    let k = Math.max(0, lowerBound(end, Math.floor(this.from) + 1) - 1);
    while (k < n && start[k] < this.to) {
      const x = this.x(start[k]), right = this.x(end[k]), w = right - x;
      if (shown(key[k])) {
        c.fillStyle = colour(key[k]);
        c.fillRect(x, y, Math.max(w - (w > 6 ? 1 : 0), 0.8), height);
        if (w > 34 && height > 13) {
          c.fillStyle = inkOn(c.fillStyle);
          const left = Math.max(x, LABELS);
          c.save(); c.beginPath(); c.rect(left, y, right - left - 3, height); c.clip();
          c.fillText(label(event[k]), left + 4, y + height / 2 + 0.5);
          c.restore();
        }
      }
      k = w < 0.5 ? Math.max(k + 1, lowerBound(end, start[k] + perPixel * 0.7)) : k + 1;
    }
  }

  drawDepth(track, y) {
    const c = this.context, { start, end, key } = track.spans, n = start.length;
    const base = y + track.height, perPixel = this.span / this.width;
    c.fillStyle = dark() ? "#5a7bb8" : "#9db8e6";
    let k = Math.max(0, lowerBound(end, Math.floor(this.from) + 1) - 1);
    while (k < n && start[k] < this.to) {
      let value = key[k], stop = end[k], next = k + 1;
      while (next < n && stop - start[k] < perPixel) { value = Math.max(value, key[next]); stop = end[next++]; }
      if (value) {
        const top = Math.max(1, (value / track.max) * track.height);
        c.fillRect(this.x(start[k]), base - top, Math.max(this.x(stop) - this.x(start[k]), 0.8), top);
      }
      k = next;
    }
    c.strokeStyle = this.ink.line;
    c.beginPath(); c.moveTo(LABELS, base + 0.5); c.lineTo(LABELS + this.width, base + 0.5); c.stroke();
  }

  drawSlots(track, y) {
    const c = this.context, { start, end, key, row } = track.spans;
    c.fillStyle = this.ink.panel;
    c.fillRect(LABELS, y, this.width, 64);
    for (let k = 0; k < start.length; k++) {
      if (end[k] < this.from || start[k] > this.to) continue;
      const x = this.x(start[k]);
      c.fillStyle = ownerColour(key[k]);
      c.fillRect(x, y + 2 * row[k], Math.max(this.x(end[k]) - x, 1), 1.6);
    }
    c.strokeStyle = this.ink.line;
    c.beginPath(); c.moveTo(LABELS, y + 32); c.lineTo(LABELS + this.width, y + 32); c.stroke();
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
    if (!this.selected) return;
    const c = this.context, { track, spans, index } = this.selected, y = track.y - this.scroll;
    const x = this.x(spans.start[index]), right = Math.max(this.x(spans.end[index]), x + 2);
    c.strokeStyle = this.ink.text;
    c.lineWidth = 1.5;
    if (right > LABELS && y > 10) c.strokeRect(Math.max(x, LABELS) - 1, y - 1.5, right - Math.max(x, LABELS) + 1, track.height + 3);
    c.lineWidth = 1;
    if (x < LABELS) return;
    c.globalAlpha = 0.5;
    c.beginPath(); c.moveTo(x, 20); c.lineTo(x, h); c.stroke();
    c.globalAlpha = 1;
  }

  /* What is at a point: {track, spans, index}, or null. */
  hit(px, py) {
    const y = py + this.scroll, cycle = this.cycle(px);
    if (px < LABELS || py < 20) return null;
    const track = this.model.tracks.find((t) => t.kind !== "group" && y >= t.y - 1 && y <= t.y + t.height + 1);
    if (!track) return null;
    if (track.kind === "slots") {
      const row = Math.floor((y - track.y) / 2), { start, end } = track.spans;
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
    for (const track of this.model.tracks) {
      for (const spans of track.spans ? [track.issues, track.spans] : []) {
        if (!spans) continue;
        const k = lowerBound(spans.event, event);
        if (spans.event[k] === event) return { track, spans, index: k };
      }
    }
    return null;
  }
}

/* Activity of every tile over time; dragging chooses a part of it. */
import { number } from "./dom.js";
import { css } from "./palette.js";

const LABEL = 52, AXIS = 22;

export class Heat {
  constructor(canvas, hover, model, state, show, choose) {
    Object.assign(this, { canvas, hover, model, state, show, choose });
    this.rows = model.asking;
    this.down = null;
    canvas.addEventListener("pointerdown", (event) => { this.down = this.cycle(event.offsetX); this.moved = false; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => { hover.hidden = true; });
    canvas.addEventListener("dblclick", () => show(0, model.end));
  }

  get height() { return Math.max(4, Math.min(22, Math.floor(260 / this.rows.length))); }
  cycle(x) { return Math.max(0, Math.min(this.model.end, ((x - LABEL) / this.width) * this.model.end)); }
  row(y) { return this.rows[Math.floor(y / this.height)]; }

  move(event) {
    if (this.down !== null && Math.abs(this.cycle(event.offsetX) - this.down) > (3 / this.width) * this.model.end) {
      this.moved = true;
      this.chosen = [this.down, this.cycle(event.offsetX)].sort((a, b) => a - b);
      this.draw();
    }
    const node = this.row(event.offsetY);
    this.hover.hidden = node === undefined || event.offsetX < LABEL;
    if (this.hover.hidden) return;
    const clock = this.cycle(event.offsetX), step = this.model.end / this.model.parts;
    const piece = this.model.piecesOf(node).find((p) => p.start <= clock && clock < p.start + p.length);
    this.hover.textContent = `tile ${this.model.nodes[node].name}, cycle ${number(Math.floor(clock))}\n${this.model.level(this.state.kind, node, clock, clock + step).toPrecision(3)} ${this.model.kinds[this.state.kind]}${piece ? `\n${piece.label}` : ""}`;
    this.hover.style.left = `${Math.min(event.offsetX + 16, this.width - 160)}px`;
    this.hover.style.top = `${Math.max(-70, event.offsetY - 80)}px`;
  }

  up(event) {
    const chosen = this.chosen;
    this.down = this.chosen = null;
    if (this.moved && chosen) this.show(...chosen);
    else if (this.row(event.offsetY) !== undefined) this.choose(this.row(event.offsetY));
  }

  draw() {
    const { canvas, model, state, rows, height } = this, ratio = devicePixelRatio || 1;
    const full = canvas.parentElement.clientWidth, tall = rows.length * height + AXIS;
    canvas.style.height = `${tall}px`;
    canvas.width = full * ratio;
    canvas.height = tall * ratio;
    this.width = Math.max(50, full - LABEL - 8);
    const c = canvas.getContext("2d"), table = model.activity[state.kind], parts = model.parts;
    c.scale(ratio, ratio);
    c.fillStyle = css("--panel");
    c.fillRect(LABEL, 0, this.width, rows.length * height);
    c.fillStyle = css("--accent");
    rows.forEach((node, r) => {
      for (let k = 0; k < parts; k++) {
        const value = table[node * parts + k];
        if (!value) continue;
        c.globalAlpha = 0.12 + 0.88 * Math.sqrt(value / 65535);
        c.fillRect(LABEL + (k * this.width) / parts, r * height, this.width / parts + 0.5, height - (height > 5 ? 1 : 0));
      }
    });
    c.globalAlpha = 1;
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    const every = Math.ceil(11 / height), own = rows.indexOf(state.node), far = (r) => Math.abs(r - own) >= every;
    rows.forEach((node, r) => {
      c.fillStyle = css(node === state.node ? "--accent" : "--quiet");
      if (r === own || (r % every === 0 && far(r))) c.fillText(model.nodes[node].name, 4, r * height + height / 2);
    });
    this.axis(c, rows.length * height);
    this.window(c, rows.length * height);
  }

  axis(c, y) {
    const rough = this.model.end / 8, step = [1, 2, 5, 10].map((m) => m * 10 ** Math.floor(Math.log10(rough))).find((m) => m >= rough);
    c.fillStyle = css("--quiet");
    for (let t = 0; t <= this.model.end; t += step) {
      const x = LABEL + (t / this.model.end) * this.width;
      c.fillRect(x, y, 1, 4);
      c.fillText(number(t), Math.min(x + 3, LABEL + this.width - 40), y + 12);
    }
  }

  window(c, y) {
    const [from, to] = this.chosen || [this.state.from, this.state.to];
    if (to - from >= this.model.end) return;
    const x = (t) => LABEL + (t / this.model.end) * this.width;
    c.fillStyle = css("--ground");
    c.globalAlpha = 0.55;
    c.fillRect(LABEL, 0, x(from) - LABEL, y);
    c.fillRect(x(to), 0, LABEL + this.width - x(to), y);
    c.globalAlpha = 1;
    c.strokeStyle = css("--accent");
    c.strokeRect(x(from), 0.5, Math.max(1, x(to) - x(from)), y);
  }
}

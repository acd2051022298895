/* Mouse, touch and wheel on the timeline, and the bar between it and the panels. */
import { byId } from "./dom.js";
import { LABELS } from "./draw.js";
import { dark } from "./palette.js";

const MOVED = 4;   /* pixels from which a press is no click */
const AXIS = 20;   /* pixels of the axis on top */
const LEAST = 120;   /* pixels that timeline and panels keep */

/* A finger or the mouse moves, two fingers zoom, the wheel scrolls and with Ctrl zooms. */
export function listenToPointers(timeline, select, showHover, showLabel) {
  const { canvas, view } = timeline, down = new Map();
  let ranging = null;   /* the cycle where a range begins */
  let grip = null;   /* what was under the fingers when they touched */
  const centre = () => [...down.values()].reduce((sum, p) => sum + p.x, 0) / down.size;
  const apart = () => { const [a, b] = [...down.values()]; return b ? Math.max(20, Math.abs(a.x - b.x)) : 0; };
  const take = () => {
    grip = down.size ? { cycle: timeline.cycle(centre()), span: timeline.span, apart: apart(), moved: grip ? grip.moved : false } : null;
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    if (event.offsetY < AXIS || event.shiftKey) {   /* a range, from here on */
      ranging = timeline.cycle(Math.max(LABELS, event.offsetX));
      canvas.setPointerCapture(event.pointerId);
      timeline.setRange(ranging, ranging);
      return;
    }
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY, startX: event.offsetX, startY: event.offsetY });
    take();
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const held = down.get(event.pointerId);
    if (ranging !== null) { timeline.setRange(ranging, timeline.cycle(Math.max(LABELS, event.offsetX))); return; }
    if (!held && timeline.label(event.offsetX, event.offsetY)) { showLabel(timeline.label(event.offsetX, event.offsetY), event.offsetX, event.offsetY); return; }
    if (!held) { showHover(timeline.hit(event.offsetX, event.offsetY), event.offsetX, event.offsetY); return; }
    if (event.pointerType === "mouse" && grip.moved) view.scrollTop -= event.offsetY - held.y;
    held.x = event.offsetX;
    held.y = event.offsetY;
    if (down.size > 1 || Math.abs(held.x - held.startX) > MOVED || Math.abs(held.y - held.startY) > MOVED) grip.moved = true;
    if (!grip.moved) return;
    showHover(null);
    const span = down.size > 1 ? (grip.span * grip.apart) / apart() : grip.span;
    const from = grip.cycle - ((centre() - LABELS) / timeline.width) * span;
    timeline.show(from, from + span);
  });
  const up = (event) => {
    if (ranging !== null) { ranging = null; return; }
    const held = down.get(event.pointerId), click = held && event.type === "pointerup" && !grip.moved && down.size === 1;
    down.delete(event.pointerId);
    take();
    const name = click && timeline.label(event.offsetX, event.offsetY);
    if (name && name.kind === "group") timeline.toggle(name.group);
    else if (name) { timeline.pin(name); showHover(null); }
    else if (click) select(timeline.hit(event.offsetX, event.offsetY));
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => showHover(null));
  canvas.addEventListener("wheel", (event) => {
    const sideways = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
    if (event.ctrlKey || event.metaKey) timeline.zoom(1.0018 ** event.deltaY, timeline.cycle(event.offsetX));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) timeline.move(sideways / 1500);
    else return;   /* the box scrolls over its tracks */
    event.preventDefault();
  }, { passive: false });
}

/* The bar that divides timeline and panels: dragged, or moved by its arrow keys. */
export function listenToSplitter() {
  const splitter = byId("splitter"), details = byId("details"), main = document.querySelector("main");
  const set = (height) => {
    const most = main.clientHeight - LEAST;
    details.style.flex = `0 0 ${Math.max(LEAST, Math.min(most, height))}px`;
  };
  splitter.addEventListener("pointerdown", (event) => { splitter.setPointerCapture(event.pointerId); event.preventDefault(); });
  splitter.addEventListener("pointermove", (event) => {
    if (splitter.hasPointerCapture(event.pointerId)) set(main.getBoundingClientRect().bottom - event.clientY - splitter.offsetHeight / 2);
  });
  splitter.addEventListener("dblclick", () => { details.style.flex = ""; });
  splitter.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 40, ArrowDown: -40 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    set(details.clientHeight + by);
  });
}

/* On paper: light, with sources and all tracks, drawn before the browser takes the picture. */
export function listenToPaper(timelines, toggleTheme, fillSource) {
  const paper = matchMedia("print");
  let wasDark = false;
  paper.addEventListener("change", () => {
    const whole = paper.matches;
    if (whole) wasDark = dark();
    if (wasDark) toggleTheme();
    fillSource();
    for (const timeline of timelines) {
      timeline.view.parentElement.style.height = whole ? `${timeline.extent}px` : "";
      timeline.measure();
      timeline.draw();
    }
  });
}

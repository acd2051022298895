/* The map: tiles where they are, coloured by activity, and transfers as arrows. */
import { number } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg", MOST_ARROWS = 240, SIZE = 0.82;
export function shape(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value); else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/* Where nodes are drawn: Tensix tiles without the gaps between them unless routers are shown, all else in a column of its own. */
export function places(model, routers) {
  const grid = model.nodes.slice(0, model.grid), lone = model.tiles === 1;
  const spots = (axis) => (routers ? [...Array(model.routers[axis]).keys()] : [...new Set(grid.map((node) => node.at[axis]))].sort((a, b) => a - b));
  const columns = spots(0), rows = spots(1);
  const shown = lone ? grid.findIndex((node) => node.there) : -1;
  const others = model.nodes.slice(model.grid);
  const at = model.nodes.map((node, i) => {
    if (i < model.grid) return lone ? (i === shown ? [0, Math.max(0, (others.length - 1) / 2)] : null) : [columns.indexOf(node.at[0]), rows.indexOf(node.at[1])];
    const k = i - model.grid, high = lone ? others.length : rows.length;
    return [(lone ? 3 : columns.length + 1) + 1.3 * Math.floor(k / high), (k % high) * Math.max(1, others.length > high ? 1 : (high - 1) / Math.max(1, others.length - 1))];
  });
  const used = at.filter(Boolean);
  return { at, width: Math.max(...used.map(([x]) => x)) + 1.5, height: Math.max(lone ? 6 : rows.length, ...used.map(([, y]) => y + 1)) };
}

const short = (node) => node.name.replace(" bank", "");

function colour(share) {
  const percent = Math.round(100 * Math.min(1, Math.sqrt(share)));
  return `color-mix(in oklab, var(--accent) ${percent}%, var(--panel))`;
}

export function drawMap(box, model, state, arrows, { choose, open }, links) {
  const routers = links && model.tiles > 1, { at, width, height } = places(model, routers), rim = routers ? 0.6 : 0.1, wide = (i) => (i < model.grid ? SIZE : 1.25);
  const middle = (i) => [at[i][0] + wide(i) / 2, at[i][1] + SIZE / 2];
  const levels = model.asking.map((i) => model.level(state.kind, i, state.from, state.to)), top = Math.max(...levels, 1e-9);
  const focus = box.contains(document.activeElement) ? state.node : -1;
  const svg = shape("svg", { viewBox: `${-rim} ${-rim} ${width + rim + 0.1} ${height + 2 * rim}`, role: "group" }, ...markers(model.requestKinds.map(model.kindClass)));
  model.nodes.forEach((node, i) => {
    if (!at[i]) return;
    const level = model.level(state.kind, i, state.from, state.to), share = node.kind === "Tensix" && !routers ? level / top : 0;
    const said = node.kind === "Tensix" ? `tile ${node.name}: ${level.toPrecision(3)} ${model.kinds[state.kind]}` : node.name;
    const group = shape("g", { class: `node${node.there ? "" : " absent"}${i === state.node ? " chosen" : ""}${share > 0.3 ? " on-dark" : ""}`,
      "data-node": i, ...(node.there ? { tabindex: 0, role: "button", "aria-label": said } : {}) },
    shape("rect", { x: at[i][0], y: at[i][1], width: wide(i), height: SIZE, rx: 0.1, ...(node.there ? { style: `fill:${colour(share)}` } : {}) }));
    const value = node.kind === "Tensix" && share > 0.02;
    group.append(shape("text", { x: middle(i)[0], y: middle(i)[1] - (value ? 0.11 : 0) }, short(node)));
    if (value) group.append(shape("text", { class: "value", x: middle(i)[0], y: middle(i)[1] + 0.17 }, level >= 100 ? level.toFixed(0) : level.toPrecision(2)));
    group.append(shape("title"));
    group.lastChild.textContent = said;
    if (node.there) {
      group.addEventListener("click", () => choose(i));
      if (node.kind === "Tensix") group.addEventListener("dblclick", () => open(i));
      group.addEventListener("keydown", (event) => { if (event.key === " ") { event.preventDefault(); event.stopPropagation(); choose(i); } });
    }
    svg.append(group);
  });
  if (routers) links(svg, model, state, at, SIZE);
  if (arrows) drawFlows(svg, model, state, middle, at);
  box.replaceChildren(svg);
  if (focus >= 0) { const found = box.querySelector(`[data-node="${focus}"]`); if (found) found.focus(); }
}

/* The heads of arrows, in each kind's colour. */
function markers(kinds) {
  const heads = kinds.map((kind) => shape("marker", { id: `head-${kind}`, class: kind, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 0.24, markerHeight: 0.24, markerUnits: "userSpaceOnUse", orient: "auto" },
    shape("path", { d: "M0,1 L10,5 L0,9 z" })));
  return [shape("defs", {}, ...heads)];
}

function drawFlows(svg, model, state, middle, at) {
  const flows = model.flows(state.from, state.to).slice(0, MOST_ARROWS), most = flows.length ? flows[0].bytes : 1;
  for (const flow of flows.reverse()) {
    const targets = flow.to.filter((i) => at[i]);
    if (!targets.length || !at[flow.from]) continue;
    const ends = targets.map(middle);
    const end = [ends.reduce((sum, p) => sum + p[0], 0) / ends.length, ends.reduce((sum, p) => sum + p[1], 0) / ends.length];
    const start = middle(flow.from), mine = flow.from === state.node || targets.includes(state.node);
    const kind = model.requestKinds[flow.kind], classes = `${model.kindClass(kind)}${mine || flows.length < 30 ? "" : " faint"}`;
    if (flow.broadcast && ends.length > 1) {
      const xs = targets.map((i) => at[i][0]), ys = targets.map((i) => at[i][1]);
      svg.append(shape("rect", { class: `around ${mine ? "" : "faint"}`, x: Math.min(...xs) - 0.06, y: Math.min(...ys) - 0.06,
        width: Math.max(...xs) - Math.min(...xs) + SIZE + 0.12, height: Math.max(...ys) - Math.min(...ys) + SIZE + 0.12, rx: 0.12 }));
    }
    const path = shape("path", { class: `flow ${classes}`, d: curve(start, end), "stroke-width": 0.025 + 0.075 * Math.sqrt(flow.bytes / most), "marker-end": `url(#head-${model.kindClass(kind)})` }, shape("title"));
    path.lastChild.textContent = `${kind}${flow.broadcast ? " to many" : ""}: ${model.nodes[flow.from].name} → ${flow.broadcast ? `${targets.length} tiles` : model.nodes[targets[0]].name}, ${number(flow.count)} requests, ${number(flow.bytes)} bytes`;
    svg.append(path);
  }
}

/* From the rim of one to the rim of the other, bent to one side so that both ways can be seen. */
function curve([x0, y0], [x1, y1]) {
  const dx = x1 - x0, dy = y1 - y0, length = Math.hypot(dx, dy);
  if (length < 0.01) return `M${x0 + 0.2},${y0 - 0.38} c0.5,-0.6 0.8,0.3 0.22,0.3`;
  const near = 0.44 / length, sx = x0 + dx * near, sy = y0 + dy * near, ex = x1 - dx * near, ey = y1 - dy * near, bend = Math.min(0.12, 0.35 / length);
  return `M${sx},${sy} Q${(sx + ex) / 2 - dy * bend},${(sy + ey) / 2 + dx * bend} ${ex},${ey}`;
}

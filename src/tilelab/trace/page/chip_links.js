/* Links, ways in and out, and DRAM channels on the map, coloured by how much of the time they were taken. */
import { shape } from "./chip_map.js";

const LEAST = 0.005, STUB = 0.55;

export function warmth(share) {
  const hot = Math.round(100 * Math.min(1, share));
  return `color-mix(in oklab, var(--hot) ${hot}%, var(--cool))`;
}

export function drawLinks(svg, model, state, at, size) {
  const banks = new Map();
  model.ways.forEach((way, i) => {
    const share = model.share(i, state.from, state.to);
    if (way.kind === "bank") banks.set(way.at[0], Math.max(share, banks.get(way.at[0]) || 0));
    else if (share >= LEAST) svg.append(titled(link(way, share, size, model.routers), `${way.name}: taken ${(100 * share).toFixed(0)}% of the time`));
  });
  for (const [bank, share] of banks) {
    const node = model.nodes.findIndex((one) => one.name === `DRAM bank ${bank}`);
    if (node < 0 || !at[node]) continue;
    const rect = svg.querySelector(`[data-node="${node}"] rect`);
    rect.style.fill = share >= LEAST ? warmth(share) : "";
    svg.querySelector(`[data-node="${node}"] title`).textContent = `DRAM bank ${bank}: its channel is taken ${(100 * share).toFixed(0)}% of the time`;
  }
}

/* NoC 0 runs above and left of tiles, NoC 1 below and right; what goes round the torus ends in a stub. */
function link(way, share, size, routers) {
  const [x, y] = way.at, side = way.noc ? size + 0.05 : -0.05, middle = size / 2, step = way.noc ? -1 : 1;
  const style = `stroke:${warmth(share)}`, wide = 0.05 + 0.07 * share;
  const ahead = (value, most) => value + middle + (value + step < 0 || value + step >= most ? step * STUB : step);
  if (way.kind === "x") return shape("line", { class: "noc-link", x1: x + middle, x2: ahead(x, routers[0]), y1: y + side, y2: y + side, style, "stroke-width": wide });
  if (way.kind === "y") return shape("line", { class: "noc-link", y1: y + middle, y2: ahead(y, routers[1]), x1: x + side, x2: x + side, style, "stroke-width": wide });
  const corner = (way.noc ? size - 0.26 : 0.06) + (way.kind === "out" ? 0.11 : 0);
  return shape("rect", { class: "port", x: x + corner, y: y + (way.noc ? size - 0.14 : 0.05), width: 0.09, height: 0.09, style: `fill:${warmth(share)}` });
}

function titled(node, text) {
  node.append(shape("title"));
  node.lastChild.textContent = text;
  return node;
}

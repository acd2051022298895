/* What a chip's page says beside its map: a tile, requests, programs, the report. */
import { hex, make, number } from "./dom.js";

const MOST = 250;
const row = (...cells) => make("tr", {}, ...cells);
const td = (text, kind = "") => make("td", kind ? { class: kind } : {}, text);
const head = (...names) => make("tr", {}, ...names.map((name) => make("th", {}, name)));

export function showAbout(panel, model, state, open, openPiece) {
  const node = model.nodes[state.node], tile = node.kind === "Tensix";
  const parts = [make("h2", {}, tile ? `Tensix tile ${node.name}` : node.name)];
  if (tile) {
    parts.push(make("table", {}, ...Object.entries(model.kinds).map(([kind, name]) =>
      row(td(name), td(model.level(kind, state.node, state.from, state.to).toPrecision(3), "number")))));
    const pieces = model.piecesOf(state.node);
    if (pieces.some((piece) => piece.page >= 0)) parts.push(make("p", {}, make("button", { onclick: () => open(state.node) }, "Open its timeline")));
    parts.push(make("h3", {}, "what it ran"), programs(model, state, pieces, null, openPiece));
  }
  parts.push(make("h3", {}, "its NoC requests in this time, and those for it"), table(model, state, (k) => {
    const q = model.requests;
    return model.asking[q.tile[k]] === state.node || q.from[k] === state.node || model.reached(k).includes(state.node);
  }));
  panel.replaceChildren(...parts);
}

export function showRequests(panel, model, state) {
  const busiest = model.busiestWays(state.from, state.to, 8);
  panel.replaceChildren(...(busiest.length ? [make("h2", {}, "taken most of this time"), make("table", { id: "busiest" }, ...busiest.map(([i, share]) =>
    row(td(`${(100 * share).toFixed(0)}%`, "number"), td(model.ways[i].name))))] : []),
  make("h2", {}, "NoC requests in this time"), ...(model.dropped ? [make("p", { class: "note" }, `${number(model.dropped)} later requests were not kept`)] : []),
    table(model, state, () => true));
}

function table(model, state, wanted) {
  const q = model.requests, [first, last] = model.between(state.from, state.to), rows = [];
  let count = 0, bytes = 0;
  for (let k = first; k < last; k++) {
    if (!wanted(k)) continue;
    count += 1;
    bytes += q.bytes[k];
    if (rows.length < MOST) rows.push(request(model, k));
  }
  const more = count > rows.length ? ` (the first ${number(rows.length)} are listed)` : "";
  return make("div", {}, make("p", {}, `${number(count)} requests, ${number(bytes)} bytes${more}`),
    count ? make("table", {}, head("cycle", "what", "bytes", "from", "to", "where"), ...rows) : "");
}

function request(model, k) {
  const q = model.requests, kind = model.requestKinds[q.kind[k]], asks = model.nodes[model.asking[q.tile[k]]].name;
  const text = model.texts[q.site[k]], core = model.cores[q.core[k]];
  const to = q.broadcast[k] ? `${model.rectangles[q.to[k]].length} tiles` : model.nodes[q.to[k]].name;
  const plain = q.kind[k] < 2, goes = hex(plain ? q.ret[k] : q.target[k]), steps = text.split(" → ");
  const brief = steps.length > 3 ? `${steps[0]} → … → ${steps.at(-1)}` : text;
  const place = (name, address) => make("td", { class: "tight" }, name.replace(" bank", ""), make("small", {}, ` ${address}`));
  return row(td(number(q.clock[k]), "number"), td(kind, `kind tight ${model.kindClass(kind)}`), td(number(q.bytes[k]), "number"),
    place(model.nodes[q.from[k]].name, plain ? hex(q.target[k]) : ""), place(to, goes),
    make("td", { title: text }, `${asks} ${core}, NoC ${q.noc[k]}${text ? `: ${brief}` : ""}`));
}

function programs(model, state, pieces, choose, open) {
  return make("table", {}, head("from cycle", "cycles", "issued", choose ? "tile" : "", "kernels", ""), ...pieces.slice(0, 400).map((piece) => {
    const now = piece.start < state.to && piece.start + piece.length > state.from;
    const line = row(td(number(piece.start), "number"), td(number(piece.length), "number"), td(number(piece.issued), "number"),
      td(choose ? model.nodes[piece.node].name : ""), td(piece.label),
      make("td", { class: "tight" }, ...(choose ? [make("button", { class: "link", onclick: () => choose(piece) }, "show")] : []), " ",
        ...(piece.page >= 0 ? [make("button", { class: "link", onclick: () => open(piece) }, "timeline")] : [])));
    if (now) line.className = "now";
    return line;
  }));
}

export function showPrograms(panel, model, state, choose, open) {
  const found = model.pieces.filter((piece) => piece.label !== "firmware"), shown = found.length ? found : model.pieces;
  panel.replaceChildren(make("h2", {}, found.length ? "Kernels that tiles ran" : "What tiles ran"), programs(model, state, shown, choose, open));
}

/* What the checker found: both parties of each, the tiles, the cure. */
export function showFindingsOfChip(panel, model, choose) {
  const nodes = new Map(model.nodes.map((node, k) => [node.name, k]));
  panel.replaceChildren(make("h2", {}, "What the checker found"), ...model.report.findings.map((one) => {
    const tiles = one.tiles.map(([x, y]) => `${x},${y}`).filter((name) => nodes.has(name)), shown = tiles.slice(0, 16);
    const parties = one.parties.map((party, k) => row(td(k ? `the other ${one.relation}` : "this"), td([party.assembly, `[${party.actor}]`, party.line || party.origin].filter(Boolean).join("  "))));
    return make("article", {}, make("h3", {}, one.check), make("p", {}, one.message), make("table", {}, ...parties,
      ...(tiles.length ? [row(td("tiles"), make("td", {}, ...shown.map((name) => make("button", { class: "link", onclick: () => choose(nodes.get(name)) }, `${name} `)), tiles.length > 16 ? `and ${tiles.length - 16} more` : ""))] : [])),
    ...(one.cure ? [make("p", {}, `cure: ${one.cure}`)] : []), ...(one.page ? [make("p", {}, `manual: ${one.page}`)] : []), ...(one.detail.length ? [make("pre", {}, one.detail.join("\n"))] : []));
  }));
}

export function showReportOfChip(panel, model) {
  const { verdict, problem, notes, checked, findings } = model.report, count = (findings || []).length;
  const said = checked ? [count ? `the checker found ${count}` : "the checker found nothing"] : [];
  panel.replaceChildren(...[verdict, problem, ...said].filter(Boolean).map((text) => make("h2", {}, text)),
    make("p", {}, model.modelled), make("pre", {}, (notes || []).join("\n")));
}

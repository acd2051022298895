/* Heat maps of Dst, SrcA and SrcB in two frames, side by side. */
import { byId, make, number } from "./dom.js";
import { frameChoice } from "./frames.js";
import { heat } from "./palette.js";
import { fillTable } from "./table.js";

const SCALE = 4;
const TABLE_ROWS = 32;

export function largest(width, height, value) {
  let top = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const v = Math.abs(value(x, y) ?? 0);
    if (Number.isFinite(v) && v > top) top = v;
  }
  return top;
}

export function drawMap(width, height, value, label, top, picked = null) {
  const canvas = make("canvas", { class: "map", width, height, role: "img", "aria-label": label,
    style: `width:${width * SCALE}px;height:${height * SCALE}px` });
  const image = canvas.getContext("2d").createImageData(width, height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const v = value(x, y), at = 4 * (y * width + x);
    const rgb = v === null ? ((x + y) % 2 ? [150, 150, 150] : [110, 110, 110]) : heat(v, top);
    image.data.set([...rgb, 255], at);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
  canvas.addEventListener("mousemove", (event) => {
    const x = Math.floor(event.offsetX / SCALE), y = Math.floor(event.offsetY / SCALE);
    canvas.title = `${label}, row ${y}, column ${x}: ${value(x, y) ?? "undefined (ZEROACC)"}`;
  });
  if (picked) {
    canvas.tabIndex = 0;
    canvas.style.cursor = "pointer";
    canvas.addEventListener("click", (event) => picked(Math.floor(event.offsetX / SCALE), Math.floor(event.offsetY / SCALE)));
  }
  return canvas;
}

/* One picture in both frames, in one scale of colours; a click shows the numbers of one of them. */
function pair(name, { width, height }, frames, values, table) {
  const [before, after] = values;
  const top = Math.max(largest(width, height, before), largest(width, height, after));
  let differ = 0, undefinedRows = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    if (!Object.is(before(x, y), after(x, y))) differ += 1;
    if (after(x, y) === null) undefinedRows += 1;
  }
  const maps = values.map((value, k) => {
    const label = `${name}, ${frames.label([frames.from, frames.to][k])}`;
    return drawMap(width, height, value, label, top, (x, y) => fillTable(table, { width, height }, [[label, value]], 0, y - (y % TABLE_ROWS)));
  });
  const text = `${name}: largest ${Number(top.toPrecision(4))}, ${differ ? `${number(differ)} differ` : "no change"}`;
  const node = make("figure", {}, make("div", { class: "pair" }, maps[0], make("span", {}, "→"), maps[1]), make("figcaption", {}, text));
  return { node, empty: !top && !differ && !undefinedRows };
}

function fillMaps(maps, pairs, what) {
  const shown = pairs.filter((made) => !made.empty), rest = pairs.length - shown.length;
  maps.replaceChildren(...shown.map((made) => made.node));
  if (rest) maps.append(make("p", { class: "quiet" }, `${rest} ${what} hold only zeros, in both.`));
}

export function showDst(frames, changed, panelState) {
  const about = frames.maps.dst, { width, height, line } = about;
  const choice = make("select", { "aria-label": "Format" }, ...Object.keys(about.readings).map((name) => make("option", {}, name)));
  choice.value = panelState.format || about.usual;
  const all = make("input", { type: "checkbox" });
  const last = about.readings[about.usual];
  /* the packer has cleared everything: show what it packed */
  all.checked = panelState.all ?? !frames.picture(last.valid, frames.count - 1).some((row) => row);
  const maps = make("div", { class: "maps" }), table = make("div", { class: "values" });
  const fill = () => {
    table.replaceChildren();
    panelState.format = choice.value;
    panelState.all = all.checked;
    const { data, valid, values, tiles } = about.readings[choice.value], numbers = values && frames.columns[values];
    const reader = (frame, tile) => {
      const found = frames.picture(data, frame), flags = frames.picture(valid, frame);
      return (x, y) => {
        const at = (tile * height + y) * width + x;
        if (!flags[Math.floor(at / line)] && !all.checked) return null;
        return numbers ? numbers[found[at]] : found[at];
      };
    };
    fillMaps(maps, [...Array(tiles).keys()].map((tile) => pair(
      `tile ${tile}, rows ${about.rows * tile}–${about.rows * (tile + 1) - 1}`, about, frames,
      [reader(frames.from, tile), reader(frames.to, tile)], table)), "tiles");
  };
  choice.addEventListener("change", fill);
  all.addEventListener("change", fill);
  fill();
  byId("dst").replaceChildren(make("p", { class: "row" }, "Dst ", frameChoice(frames, changed), " read as ", choice,
    make("label", {}, all, " with rows that ZEROACC has left undefined"),
    make("small", {}, "  blue positive, red negative, one scale for each pair; chequered: undefined; click: its numbers")), maps, table);
}

export function showSrc(frames, changed) {
  const about = frames.maps.src, { width, height } = about, maps = make("div", { class: "maps" }), table = make("div", { class: "values" });
  const reader = (name, bank, frame) => (x, y) => frames.picture(name, frame)[(bank * height + y) * width + x];
  fillMaps(maps, about.banks.map(([title, name, bank]) => pair(title, about, frames,
    [frames.from, frames.to].map((frame) => reader(name, bank, frame)), table)), "banks");
  byId("src").replaceChildren(make("p", { class: "row" }, "SrcA and SrcB ", frameChoice(frames, changed),
    make("small", {}, `  ${height} rows of ${width} data in each bank; click: its numbers`)), maps, table);
}

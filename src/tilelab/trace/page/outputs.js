/* The panel of the outputs: what came out, what was expected, and where they differ; tiles as tables. */
import { byId, make } from "./dom.js";
import { drawMap, largest } from "./maps.js";
import { fillTable, TILE_SIDE } from "./table.js";

export function showOutputs(model, columns, state) {
  const panel = byId("outputs"), tab = document.querySelector("[data-tab=outputs]");
  tab.hidden = !model.results.length;
  panel.replaceChildren(...model.results.map((about) => oneOutput(about, columns, state)));
}

function oneOutput(about, columns, state) {
  const { width, height, key, compared } = about, got = columns[`${key}_got`], expected = columns[`${key}_expected`];
  const reader = (column) => (x, y) => column[y * width + x];
  const difference = (x, y) => { const at = y * width + x; return Object.is(got[at], expected[at]) ? 0 : got[at] - expected[at]; };
  const kinds = compared ? [["expected", reader(expected)], ["got", reader(got)], ["got − expected", difference]] : [["got", reader(got)]];
  const top = Math.max(...kinds.slice(0, 2).map(([, value]) => largest(width, height, value)));
  const table = make("div", { class: "values" });
  const show = (x, y) => { state.outputs = [about.key, x, y]; fillTable(table, about, kinds, x - (x % TILE_SIDE), y - (y % TILE_SIDE)); };
  const maps = kinds.map(([name, value]) => {
    const scale = name.startsWith("got −") ? largest(width, height, value) : top;
    const map = drawMap(width, height, value, `${about.name}, ${name}`, scale, show);
    return make("figure", {}, make("figcaption", {}, make("b", {}, name), ` −${Number(scale.toPrecision(4))} … ${Number(scale.toPrecision(4))}`), map);
  });
  const [which, x, y] = state.outputs || [key, 0, 0];
  fillTable(table, about, kinds, which === key ? x - (x % TILE_SIDE) : 0, which === key ? y - (y % TILE_SIDE) : 0);
  return make("div", {}, make("h3", {}, about.name), make("pre", {}, about.lines.join("\n")), make("div", { class: "maps" }, ...maps),
    make("p", { class: "quiet" }, "Blue positive, red negative. Click a tile to see its numbers."), table);
}

/* A tile as a table of its numbers. */
import { make, number } from "./dom.js";

export const TILE_SIDE = 32;

/* A tile's numbers; those that differ stand out and say both. */
export function fillTable(table, { width, height }, kinds, left, top) {
  const [name, value] = kinds[kinds.length > 1 ? 1 : 0], expected = kinds.length > 1 ? kinds[0][1] : null;
  const columns = [...Array(Math.min(TILE_SIDE, width - left)).keys()], rows = [...Array(Math.min(TILE_SIDE, height - top)).keys()];
  const text = (v) => (v === null ? "–" : Number.isInteger(v) ? String(v) : String(Number(v.toPrecision(4))));
  const cell = (x, y) => {
    const v = value(x, y), differs = expected && !Object.is(v, expected(x, y));
    return make("td", { class: differs ? "number differs" : "number", title: `[${y}, ${x}]: ${v ?? "undefined (ZEROACC)"}${expected ? `, expected ${expected(x, y)}` : ""}` }, text(v));
  };
  const head = make("tr", {}, make("th", {}, ""), ...columns.map((x) => make("th", {}, String(left + x))));
  table.replaceChildren(make("h3", {}, `${name}: rows ${number(top)} to ${number(top + rows.length - 1)}, columns ${number(left)} to ${number(left + columns.length - 1)}`),
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows.map((y) => make("tr", {}, make("th", {}, String(top + y)),
      ...columns.map((x) => cell(left + x, top + y)))))));
}

/* Small things that every part of the page needs. */

/* An element. Everything that came from a program is set as text, never as HTML. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") node.className = value;
    else if (name === "style") node.style.cssText = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

export const byId = (id) => document.getElementById(id);
export const number = (n) => n.toLocaleString("en");
export const hex = (n) => `0x${n.toString(16)}`;
export const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
export const cell = (n) => make("td", { class: "number" }, number(n));

/* The first index in a sorted array whose value is not below x. */
export function lowerBound(array, x) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (array[middle] < x) low = middle + 1; else high = middle;
  }
  return low;
}

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array };

/* Columns of numbers out of a compressed text. */
export async function unpack(packed) {
  const text = atob(packed.data), raw = new Uint8Array(text.length);
  for (let k = 0; k < raw.length; k++) raw[k] = text.charCodeAt(k);
  const stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const columns = {};
  for (const [name, [type, start, length]] of Object.entries(packed.places)) {
    columns[name] = new TYPES[type](buffer, start, length);
  }
  return columns;
}

/* The same bytes, read as 32-bit floats. */
export const asFloats = (column) => new Float32Array(column.buffer, column.byteOffset, column.length);

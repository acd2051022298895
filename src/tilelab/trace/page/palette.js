/* Colours by meaning, for both themes. Bubbles are warm, work is cool, emptiness is grey. */
const UNIT_COLOURS = {
  matrix_unit: ["#2f6fdb", "#6f9dff"],
  vector_unit: ["#7a4fd0", "#b292ff"],
  "unpacker 0": ["#0e8a8a", "#45c9c9"],
  "unpacker 1": ["#2b9b63", "#6fd8a0"],
  packers: ["#4c8f1d", "#a3d35c"],
  sync_unit: ["#7b8797", "#9eabbd"],
  scalar_unit: ["#8a6d3b", "#cbae78"],
  configuration_unit: ["#5c6b8a", "#8fa1c7"],
  misc_unit: ["#94a3b8", "#75859b"],
  mover: ["#3b7f8f", "#7fc3d3"],
};
const CAUSE_COLOURS = [
  ["#2f6fdb", "#6f9dff"], /* issued */
  ["#e6e8ec", "#272c35"], /* FIFO empty */
  ["#e255a1", "#ff8cc8"], /* MOP transition */
  ["#c9b6d9", "#5b4a6b"], /* absorbed */
  ["#d8c7a0", "#6a5c3c"], /* recorded */
  ["#f0a92e", "#f5be5b"], /* semaphore */
  ["#e8843c", "#f39c5f"], /* unit to drain */
  ["#d9693a", "#ef8560"], /* bank */
  ["#f6cf7a", "#8d763a"], /* wait released */
  ["#d64545", "#f26d6d"], /* operands */
  ["#b03a6b", "#e06c9b"], /* Src banks full */
  ["#a01fa8", "#e070e8"], /* Dst hazard */
  ["#c98b6b", "#a8704f"], /* unit busy */
  ["#b59a7a", "#8f7757"], /* unit shared */
  ["#c2a13d", "#a58a35"], /* thread held */
  ["#9a6fd6", "#7c58b0"], /* result late */
  ["#8f3030", "#c05a5a"], /* mutex */
];
const CORE_COLOURS = [
  ["#5a8f5a", "#6fae6f"], /* executed */
  ["#e8843c", "#f39c5f"], /* load latency */
  ["#e255a1", "#ff8cc8"], /* mispredicted */
  ["#b59a7a", "#8f7757"], /* divide */
  ["#9db8e6", "#41587f"], /* back-pressure */
  ["#f0a92e", "#f5be5b"], /* sync */
  ["#f6cf7a", "#8d763a"], /* mailbox */
  ["#e6e8ec", "#272c35"], /* in reset */
];

const dark = () => document.documentElement.dataset.theme === "dark";
const shade = (pair) => pair[dark() ? 1 : 0];
const unitColour = (unit) => shade(UNIT_COLOURS[unit] || ["#888", "#999"]);
const causeColour = (cause) => shade(CAUSE_COLOURS[cause] || ["#888", "#999"]);
const coreColour = (cause) => shade(CORE_COLOURS[cause] || ["#888", "#999"]);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Black or white, whichever can be read better on a colour (#rrggbb): WCAG's relative luminance. */
const inks = new Map();
function luminance(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const s = parseInt(colour.slice(at, at + 2), 16) / 255;
    return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function inkOn(colour) {
  if (!inks.has(colour)) {
    const light = luminance(colour);
    inks.set(colour, 1.05 / (light + 0.05) >= (light + 0.05) / (luminance("#10131a") + 0.05) ? "#ffffff" : "#10131a");
  }
  return inks.get(colour);
}

/* A colour for one of many owners, far from its neighbours. */
function ownerColour(index) {
  return `hsl(${(index * 137.508) % 360} 55% ${dark() ? 62 : 46}%)`;
}

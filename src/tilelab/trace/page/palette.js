/* Colours by meaning, for both themes; the data names them. */
let colours = { units: [], causes: [], cores: [], other: ["#888888", "#999999"] };

export function useColours(given) { colours = given; }

export const dark = () => document.documentElement.dataset.theme === "dark";
const shade = (pair) => (pair || colours.other)[dark() ? 1 : 0];
export const unitColour = (unit) => shade(colours.units[unit]);
export const causeColour = (cause) => shade(colours.causes[cause]);
export const coreColour = (cause) => shade(colours.cores[cause]);
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Black or white, whichever can be read better on a colour (#rrggbb): WCAG's relative luminance. */
const inks = new Map();
function luminance(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const s = parseInt(colour.slice(at, at + 2), 16) / 255;
    return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
export function inkOn(colour) {
  if (!inks.has(colour)) {
    const light = luminance(colour);
    inks.set(colour, 1.05 / (light + 0.05) >= (light + 0.05) / (luminance("#10131a") + 0.05) ? "#ffffff" : "#10131a");
  }
  return inks.get(colour);
}

/* A colour for one of many owners, far from its neighbours. */
export function ownerColour(index) {
  return `hsl(${(index * 137.508) % 360} 55% ${dark() ? 62 : 46}%)`;
}

/* Red, green and blue of a datum in a heat map: blue positive, red negative. */
export function heat(value, top) {
  if (!Number.isFinite(value)) return [200, 60, 200];
  const share = Math.max(-1, Math.min(1, value / (top || 1))), s = Math.sqrt(Math.abs(share));
  const ground = dark() ? [28, 32, 39] : [255, 255, 255];
  const ink = share >= 0 ? (dark() ? [111, 157, 255] : [47, 111, 219]) : (dark() ? [242, 109, 109] : [214, 69, 69]);
  return ground.map((g, i) => g + (ink[i] - g) * s);
}

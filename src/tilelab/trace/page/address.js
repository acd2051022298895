/* What the page's address says: the part of the run, the panel, the selection; so that a link shows what one saw. */

const LATER = 200;   /* milliseconds between a change and its place in the address */

export function readAddress() {
  const found = new URLSearchParams(location.hash.slice(1)), number = (name) => (found.has(name) ? Number(found.get(name)) : null);
  const pair = (name) => {
    const [a, b] = (found.get(name) || "").split("-").map(Number);
    return found.has(name) && Number.isFinite(a) && b > a ? [a, b] : null;
  };
  const list = (name) => (found.get(name) || "").split(",").filter(Boolean);
  return { view: pair("view"), range: pair("range"), event: number("event"), tab: found.get("tab"), line: found.get("line"),
    tracks: found.get("tracks") || "", closed: list("closed"), pinned: list("pinned"), search: found.get("search") || "" };
}

let pending = null;
export function writeAddress(state) {
  if (location.protocol === "about:") return;   /* a page in a frame has no address of its own */
  clearTimeout(pending);
  pending = setTimeout(() => {
    const parts = Object.entries(state()).filter(([, value]) => value !== null && value !== "");
    const text = new URLSearchParams(parts).toString();
    history.replaceState(null, "", `${location.pathname}${location.search}${text ? `#${text}` : ""}`);
  }, LATER);
}

/* The panel of registers that differ between two frames. */
import { byId, hex, make, number } from "./dom.js";
import { frameChoice } from "./frames.js";

const SHOWN = 800;

export function showRegisters(frames, changed, panelState) {
  const filter = make("input", { type: "search", placeholder: "Filter", "aria-label": "Filter registers" });
  filter.value = panelState.filter || "";
  const groups = make("select", { "aria-label": "Kind of register" }, ...["all", ...frames.groups].map((name) => make("option", {}, name)));
  groups.value = panelState.group || "all";
  const body = make("tbody"), every = frames.changes(), note = make("small");
  const bits = (value) => make("td", { class: "number" }, make("code", {}, hex(value)));
  const fill = () => {
    panelState.filter = filter.value;
    panelState.group = groups.value;
    const wanted = filter.value.toLowerCase(), group = frames.groups.indexOf(groups.value);
    const found = every.filter((row) => (group < 0 || row.group === group) && row.name.toLowerCase().includes(wanted));
    body.replaceChildren(...found.slice(0, SHOWN).map((row) => make("tr", {}, make("td", {}, make("code", {}, row.name)),
      bits(row.before), bits(row.after),
      make("td", { class: "number" }, row.float === null ? number(row.after) : String(Number(row.float.toPrecision(7)))))));
    note.textContent = `  ${number(found.length)} of ${number(every.length)} registers that differ` +
      (found.length > SHOWN ? `, the first ${SHOWN}` : "") +
      (frames.dropped ? `; ${number(frames.dropped)} later changes are left out` : "");
  };
  filter.addEventListener("input", fill);
  groups.addEventListener("change", fill);
  fill();
  byId("registers").replaceChildren(make("p", { class: "row" }, frameChoice(frames, changed), " ", groups, " ", filter, note),
    make("table", {}, make("thead", {}, make("tr", {}, ...["register", frames.label(frames.from), frames.label(frames.to), ""].map((t) => make("th", {}, t)))), body));
}

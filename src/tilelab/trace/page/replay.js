/* The panel of the replay buffer: who recorded each slot last, and how often it was played back. */
import { byId, cell, make } from "./dom.js";
import { ownerColour } from "./palette.js";

const NOTE = "Who recorded each slot last, and how often it was played back. The timeline's “replay slots” tracks show it over time.";

export function showReplay(model, jump) {
  const panel = byId("replay"), e = model.events, columns = make("div", { class: "columns" });
  const count = (map, key) => map.set(key, (map.get(key) || 0) + 1);
  model.threads.forEach((name, t) => {
    const recorded = model.of(model.kinds.RECORD_SLOT, t);
    if (!recorded.length) return;
    const last = new Map(), times = new Map(), played = new Map();
    for (const i of recorded) { last.set(e.slot[i], i); count(times, e.slot[i]); }
    for (const i of model.of(model.kinds.REPLAY_OUT, t)) if (e.slot[i]) count(played, e.slot[i]);
    const rows = [...last].sort((a, b) => a[0] - b[0]).map(([slot, i]) => make("tr", {}, cell(slot - 1),
      make("td", {}, make("span", { class: "swatch", style: `background:${ownerColour(e.value[i])}` }),
        make("button", { class: "link mono", onclick: () => jump(i) }, model.word(i).text)),
      make("td", {}, model.site(i).source), cell(times.get(slot)), cell(played.get(slot) || 0)));
    columns.append(make("div", {}, make("h3", {}, name), make("table", {}, make("thead", {}, make("tr", {},
      ...["slot", "word", "recorded by", "times", "played"].map((text) => make("th", {}, text)))), make("tbody", {}, ...rows))));
  });
  if (!columns.children.length) columns.append(make("p", {}, "Nothing was recorded."));
  panel.replaceChildren(make("p", { class: "quiet" }, NOTE), columns);
}

/* What the checker found: a panel with both parties of each, and marks on the timeline. */
import { byId, make } from "./dom.js";
import { LABELS } from "./draw.js";

/* The event of a party's word: the n-th that its thread issued; -1 if it is none. */
function eventOf(model, party) {
  if (party.issue === null) return -1;
  const events = model.of(model.kinds.ISSUE, party.thread);
  return party.issue < events.length ? events[party.issue] : -1;
}

export function showFindings(model, timeline, jump) {
  const found = model.report.findings || [], tab = document.querySelector("[data-tab=findings]");
  tab.hidden = !found.length;
  tab.textContent = `Findings (${found.length})`;
  timeline.findings = found.map((one) => one.parties.map((party) => eventOf(model, party)).filter((event) => event >= 0));
  byId("findings").replaceChildren(...found.map((one) => oneFinding(model, one, jump)));
}

function oneFinding(model, one, jump) {
  const parties = one.parties.map((party, k) => {
    const event = eventOf(model, party), text = [party.assembly, `[${party.actor}]`, party.line || party.origin].filter(Boolean).join("  ");
    const shown = event < 0 ? text : make("button", { class: "link", onclick: () => jump(event) }, text);
    return make("tr", {}, make("td", {}, k ? `the other ${one.relation}` : "this"), make("td", {}, shown));
  });
  return make("article", {}, make("h2", {}, one.check), make("p", {}, one.message), make("table", {}, ...parties),
    ...(one.cure ? [make("p", {}, `cure: ${one.cure}`)] : []), make("p", {}, one.page ? `manual: ${one.page}` : ""));
}

/* A frame around each party's word, and a line from one to the other. */
export function drawFindings(line) {
  const c = line.context, width = line.width + LABELS;
  c.save();
  c.beginPath(); c.rect(LABELS, 20, line.width, line.height); c.clip();
  c.strokeStyle = line.ink.bad;
  c.lineWidth = 2;
  for (const events of line.findings) {
    const places = events.map((event) => boxOf(line, event)).filter((box) => box !== null);
    for (const [x, y, wide, high] of places) if (x < width && x + wide > LABELS) c.strokeRect(x - 1, y - 1, wide + 2, high + 2);
    if (places.length < 2) continue;
    const [[ax, ay, aw, ah], [bx, by, bw, bh]] = places;
    c.setLineDash([4, 3]);
    c.beginPath(); c.moveTo(ax + aw / 2, ay + ah / 2); c.lineTo(bx + bw / 2, by + bh / 2); c.stroke();
    c.setLineDash([]);
  }
  c.restore();
}

/* Where a word is drawn, or null if its track is not. */
function boxOf(line, event) {
  const found = line.find(event);
  if (!found || !line.tracks.includes(found.track)) return null;
  const { track, spans, index } = found, x = line.x(spans.start[index]);
  return [x, line.top(track), Math.max(3, line.x(spans.end[index]) - x), track.height];
}

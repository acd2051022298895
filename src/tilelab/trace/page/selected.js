/* The panel of what was clicked: a word's chain, or why nothing happened. */
import { byId, make, number } from "./dom.js";

const IDLE = "Click a word in the timeline to see where it came from, or a bubble to see why. The wheel scrolls; with Ctrl, " +
  "or two fingers, it zooms; dragging moves, dragging on the axis chooses a range. Press ? for keys, colours, tracks.";

export function showSelected(model, selection, jump, showState, showLine) {
  const panel = byId("selected");
  panel.replaceChildren();
  if (!selection) {
    panel.append(make("p", { class: "quiet" }, IDLE), ...model.notes.map((note) => make("p", { class: "note" }, note)));
    return;
  }
  const { track, spans, index } = selection, i = spans.event ? spans.event[index] : -1, e = model.events;
  const { GATE, CORE, PUSH, RECORD_SLOT } = model.kinds, kind = i >= 0 ? e.kind[i] : -1;
  const length = spans.end[index] - spans.start[index];
  const when = `cycle ${number(spans.start[index])}` + (length > 1 ? ` to ${number(spans.end[index] - 1)}` : "");
  const title = (text, about) => panel.append(make("h2", {}, text, make("small", {}, `  ${about}`)));
  if (model.stages.includes(kind)) {
    const word = model.word(i);
    panel.append(make("h2", {}, make("code", {}, word.text), ` ${word.bits}`,
      make("small", {}, `  ${model.threads[e.part[i]]}, ${model.unitName(word.unit)}, ${when}`)));
    if (kind === RECORD_SLOT) panel.append(make("p", {}, `recorded into replay slot ${e.slot[i] - 1}`));
    const list = make("ol", { class: "chain" });
    for (const step of model.chain(i)) {
      list.append(make("li", {}, make("button", { class: "step", onclick: () => step.event >= 0 && jump(step.event) },
        make("b", {}, step.title), make("small", {}, step.text))));
    }
    panel.append(list, make("p", {}, ...(showState ? [make("button", { class: "link around", onclick: () => showState(spans.start[index]) },
      "registers around this cycle"), "  "] : []), make("button", { class: "link", onclick: () => showLine(model.site(i).line) }, "this line in the source")));
  } else if (kind === PUSH) {
    const { where, source } = model.site(i);
    title(make("code", {}, model.word(i).text), `pushed by ${where}, ${when}`);
    panel.append(make("p", { class: "mono" }, source));
  } else if (kind === GATE) {
    title(model.wait(i), `${model.threads[e.part[i]]}'s wait gate, ${when}, ${number(length)} cycles`);
    panel.append(make("p", {}, model.cause(i)[1]));
    const list = model.of(model.kinds.ISSUE, e.part[i]);
    const next = list.find((event) => e.clock[event] >= spans.end[index]);
    if (next !== undefined) {
      panel.append(make("p", {}, "then: ", make("button", { class: "link", onclick: () => jump(next) }, model.word(next).text)));
    }
  } else if (kind === CORE) {
    const { where, source } = model.site(i);
    title(model.coreCause(i)[0], `${where}, ${when}`);
    panel.append(make("p", {}, model.coreCause(i)[1]), make("p", { class: "mono" }, source));
  } else {
    title(`${track.name}: ${spans.key[index]}`, when);
  }
}

/* A few words on what is under the pointer. */
export function describe(model, { track, spans, index }) {
  const i = spans.event ? spans.event[index] : -1, e = model.events, { GATE, CORE, RECORD_SLOT } = model.kinds;
  const when = `cycle ${number(spans.start[index])}, ${number(spans.end[index] - spans.start[index])} long`;
  if (i < 0) return `${track.name}: ${spans.key[index]}\n${when}`;
  if (e.kind[i] === GATE) return `${model.wait(i)}\n${when}`;
  const { source } = model.site(i);
  if (e.kind[i] === CORE) return `${model.coreCause(i)[0]}: ${source}\n${when}`;
  if (e.kind[i] === RECORD_SLOT) return `slot ${e.slot[i] - 1}: ${model.word(i).text}\n${source}\n${when}`;
  return `${model.word(i).text}\n${source}\n${when}`;
}

/* Registers and pictures: how they were in one frame, and in another. */
import { asFloats, lowerBound, make, number } from "./dom.js";

/* Columns that come as differences from frame to frame. */
const STEPWISE = ["dst16", "dst16_valid", "dst32", "dst32_valid", "src_a", "src_b"];
const FLOATS = ["dst32", "src_a", "src_b"];

export class Frames {
  constructor(about, columns) {
    Object.assign(this, about);   /* clocks, registers, groups, dropped, maps */
    this.columns = { ...columns };
    this.count = this.clocks.length;
    this.from = 0;
    this.to = this.count - 1;
    for (const name of STEPWISE) {
      const all = columns[name], size = all.length / this.count;
      for (let k = size; k < all.length; k++) all[k] += all[k - size];   /* modulo the type's size */
    }
    for (const name of FLOATS) this.columns[name] = asFloats(columns[name]);
  }

  picture(name, frame) {
    const all = this.columns[name], size = all.length / this.count;
    return all.subarray(frame * size, (frame + 1) * size);
  }

  label(frame) {
    if (frame === 0) return "before the run";
    return frame === this.count - 1 ? "after the run" : `cycle ${number(this.clocks[frame])}`;
  }

  /* The frames around a cycle: the last one before it and the first one after it. */
  around(cycle) {
    const after = Math.max(1, Math.min(this.count - 1, lowerBound(this.clocks, cycle + 1)));
    return [after - 1, after];
  }

  values(frame) {
    const { first, change_frame: frames, change_register: register, change_value: value } = this.columns;
    const found = first.slice();
    for (let k = 0; k < frames.length && frames[k] <= frame; k++) found[register[k]] = value[k];
    return found;
  }

  /* Registers that differ, in order of their names; floats also as such. */
  changes() {
    const old = this.values(this.from), now = this.values(this.to), floats = asFloats(now), found = [];
    this.registers.forEach(([name, group, isFloat], i) => {
      if (old[i] !== now[i]) found.push({ name, group, before: old[i], after: now[i], float: isFloat ? floats[i] : null });
    });
    return found.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  }
}

/* What chooses the two frames; ``changed`` is called after a choice. */
export function frameChoice(frames, changed) {
  const options = () => [...Array(frames.count).keys()].map((k) => make("option", { value: k }, frames.label(k)));
  const pick = (which, label) => {
    const node = make("select", { "aria-label": label, class: which }, ...options());
    node.value = frames[which];
    node.addEventListener("change", () => { frames[which] = Number(node.value); changed(); });
    return node;
  };
  const step = (by) => make("button", { title: by < 0 ? "Both one frame earlier" : "Both one frame later", onclick: () => {
    const { from, to } = frames;
    if (from + by < 0 || to + by >= frames.count) return;
    frames.from += by; frames.to += by;
    changed();
  } }, by < 0 ? "‹" : "›");
  return make("span", { class: "choice" }, "from ", pick("from", "From frame"), " to ", pick("to", "To frame"), " ", step(-1), step(1));
}

/* How each kind of track is drawn. */
import { lowerBound } from "./dom.js";
import { causeColour, coreColour, dark, inkOn, ownerColour, unitColour } from "./palette.js";
import { SLOT_HEIGHT } from "./tracks.js";

export const LABELS = 132;
const ELLIPSIS = "…";

export function drawTrack(line, track, y) {
  const c = line.context, ink = line.ink, model = line.model;
  if (track.kind === "group") {
    c.fillStyle = ink.text;
    c.font = "600 12px system-ui, sans-serif";
    c.fillText(`${line.closed.has(track.group) ? "▸" : "▾"} ${track.name}`, 6, y + 12);
    c.font = "12px system-ui, sans-serif";
    c.strokeStyle = ink.line;
    c.beginPath(); c.moveTo(LABELS, y + 12.5); c.lineTo(LABELS + line.width, y + 12.5); c.stroke();
    return;
  }
  const chosen = line.selected && line.selected.track === track;
  c.fillStyle = chosen ? ink.accent : ink.quiet;
  const pinned = line.kept.includes(track), name = pinned ? `${track.name}  ${track.group}` : track.name;
  c.fillText(fitted(c, name, LABELS - 24), 20, y + Math.min(track.height, 24) / 2);
  if (pinned) drawPin(c, y + Math.min(track.height, 24) / 2);
  c.save();
  c.beginPath(); c.rect(LABELS, y - 1, line.width, track.height + 2); c.clip();
  if (track.kind === "depth" || track.kind === "buffer") drawDepth(line, track, y);
  else if (track.kind === "slots") drawSlots(line, track, y);
  else if (track.kind === "bank") drawSpans(line, track.spans, y, track.height, () => unitColour(0), (k) => k === 1, () => "");
  else if (track.kind === "core") drawSpans(line, track.spans, y, track.height, coreColour, () => true, (i) => model.coreCause(i)[0]);
  else if (track.kind === "gate") {
    drawSpans(line, track.spans, y, track.height, causeColour, (k) => k !== 0, (i) => model.wait(i));
    drawSpans(line, track.issues, y, track.height, unitColour, () => true, (i) => model.word(i).name);
  } else drawSpans(line, track.spans, y, track.height, unitColour, () => true, (i) => model.word(i).name);
  c.restore();
}

function drawPin(c, y) {
  c.beginPath(); c.arc(11, y - 2, 2.6, 0, 2 * Math.PI); c.fill();
  c.fillRect(10.5, y, 1, 5);
}

/* As much of a text as fits a width, with an ellipsis where it is cut. */
const widths = new Map();
function widthOf(c, text) {
  if (!widths.has(text)) widths.set(text, c.measureText(text).width);
  return widths.get(text);
}
function fitted(c, text, width) {
  if (widthOf(c, text) <= width) return text;
  const room = width - widthOf(c, ELLIPSIS);
  let kept = Math.floor((text.length * room) / widthOf(c, text));
  while (kept > 0 && widthOf(c, text.slice(0, kept)) > room) kept -= 1;
  return kept > 1 ? text.slice(0, kept).trimEnd() + ELLIPSIS : "";
}

/* Rectangles; where several share a pixel, one is drawn and the rest of that pixel skipped. */
function drawSpans(line, spans, y, height, colour, shown, label) {
  const c = line.context, { start, end, key, event } = spans, n = start.length;
  const perPixel = line.span / line.width;
  let k = Math.max(0, lowerBound(end, Math.floor(line.from) + 1) - 1);
  while (k < n && start[k] < line.to) {
    const x = line.x(start[k]), right = line.x(end[k]), w = right - x;
    if (shown(key[k])) {
      c.fillStyle = colour(key[k]);
      c.fillRect(x, y, Math.max(w - (w > 6 ? 1 : 0), 0.8), height);
      if (w > 34 && height > 13) {
        const left = Math.max(x, LABELS), room = Math.min(right, LABELS + line.width) - left - 8;
        c.fillStyle = inkOn(c.fillStyle);
        c.fillText(fitted(c, label(event && event[k]), room), left + 4, y + height / 2 + 0.5);
      }
    }
    k = w < 0.5 ? Math.max(k + 1, lowerBound(end, start[k] + perPixel * 0.7)) : k + 1;
  }
}

function drawDepth(line, track, y) {
  const c = line.context, { start, end, key } = track.spans, n = start.length;
  const base = y + track.height, perPixel = line.span / line.width;
  c.fillStyle = dark() ? "#5a7bb8" : "#9db8e6";
  let k = Math.max(0, lowerBound(end, Math.floor(line.from) + 1) - 1);
  while (k < n && start[k] < line.to) {
    let value = key[k], stop = end[k], next = k + 1;
    while (next < n && stop - start[k] < perPixel) { value = Math.max(value, key[next]); stop = end[next++]; }
    if (value) {
      const top = Math.max(1, (value / track.max) * track.height);
      c.fillRect(line.x(start[k]), base - top, Math.max(line.x(stop) - line.x(start[k]), 0.8), top);
    }
    k = next;
  }
  c.strokeStyle = line.ink.line;
  c.beginPath(); c.moveTo(LABELS, base + 0.5); c.lineTo(LABELS + line.width, base + 0.5); c.stroke();
}

function drawSlots(line, track, y) {
  const c = line.context, { start, end, key, row } = track.spans, half = (track.height - SLOT_HEIGHT) / 2;
  c.fillStyle = line.ink.panel;
  c.fillRect(LABELS, y, line.width, track.height - SLOT_HEIGHT);
  for (let k = 0; k < start.length; k++) {
    if (end[k] < line.from || start[k] > line.to) continue;
    const x = line.x(start[k]);
    c.fillStyle = ownerColour(key[k]);
    c.fillRect(x, y + SLOT_HEIGHT * row[k], Math.max(line.x(end[k]) - x, 1), SLOT_HEIGHT - 0.4);
  }
  c.strokeStyle = line.ink.line;
  c.beginPath(); c.moveTo(LABELS, y + half); c.lineTo(LABELS + line.width, y + half); c.stroke();
}

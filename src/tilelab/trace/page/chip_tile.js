/* A tile's own timeline, over the chip: its page is made when it is asked for. */
import { byId } from "./dom.js";

async function expanded(text) {
  const raw = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

export class TileView {
  constructor(model) {
    this.model = model;
    this.shown = false;
  }

  async open(piece) {
    const node = this.model.nodes[piece.node].name, title = `${this.model.name}, tile ${node}: ${piece.label}`;
    const [events, listing] = await Promise.all([this.model.pages[piece.page], this.model.listings[piece.listing]].map(expanded));
    const text = `${events.slice(0, -1)},${listing.slice(1)}`;   /* two objects as one */
    const escaped = new Option(title).innerHTML;
    const page = this.model.template.replaceAll("@@TITLE@@", () => escaped).replace("@@DATA@@", () => text.replaceAll("</", "<\\/"))
      .replace("<html ", `<html data-chosen="${document.documentElement.dataset.theme}" `);
    byId("tile-name").textContent = `cycle 0 here is the chip's ${piece.start.toLocaleString("en")}`;
    byId("tile").hidden = false;
    byId("tile-frame").srcdoc = page;
    byId("back").focus();
    this.shown = true;
  }

  close() {
    byId("tile").hidden = true;
    byId("tile-frame").srcdoc = "";
    this.shown = false;
  }
}

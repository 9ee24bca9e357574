/** A picture from the user's disk, cut into tiles. It is read in the browser and not uploaded. */

import { UNIT, set, svg } from "./grid.js";

let pictures = 0;

export class Picture {
  constructor(view) {
    this.view = view;
    this.url = null;
    this.clipId = `tiles-clip-${(pictures += 1)}`;
    const shape = svg("rect", { x: 4, y: 4, width: UNIT - 8, height: UNIT - 8, rx: 10 });
    view.clip.append(svg("clipPath", { id: this.clipId }, shape));
  }

  /** Show a file as the tiles' faces, its middle cut to the shape of the board. */
  async load(file) {
    if (!file) return;
    const url = URL.createObjectURL(file);
    const image = new Image();
    image.src = url;
    const good = await image.decode().then(() => true, () => false);
    if (!good || this.view.end.signal.aborted) {
      URL.revokeObjectURL(url);
      if (!good) this.view.hooks.say(`${file.name} is no picture that can be shown`);
      return;
    }
    this.clear();
    this.url = url;
    this.each((piece, tile) => piece.replaceChildren(this.cut(tile)));
    this.redraw();
  }

  clear() {
    if (this.url === null) return;
    URL.revokeObjectURL(this.url);
    this.url = null;
    this.each((piece) => piece.replaceChildren());
    this.redraw();
  }

  /** The part of the picture that belongs to a tile. */
  cut(tile) {
    const { rules } = this.view;
    const [row, column] = rules.placeOf(rules.home[tile]);
    const size = { width: rules.columns * UNIT, height: rules.rows * UNIT };
    const corner = { x: -column * UNIT, y: -row * UNIT };
    const image = svg("image", { href: this.url, ...corner, ...size, preserveAspectRatio: "xMidYMid slice" });
    return svg("g", { "clip-path": `url(#${this.clipId})` }, image);
  }

  each(draw) {
    this.view.tiles.forEach((piece, tile) => piece && draw(piece.group.querySelector(".piece"), tile));
  }

  /** Tiles with a picture have small numbers; the tray holds copies of the tiles. */
  redraw() {
    for (const piece of this.view.tiles) if (piece) piece.group.classList.toggle("pictured", this.url !== null);
    set(this.view.trayGroup, { "data-drawn": null });
    this.view.arrange();
  }
}

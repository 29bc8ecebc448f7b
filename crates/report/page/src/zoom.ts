// A part of the horizontal axis, chosen by dragging or by key, held by all graphs along it.

import type { Range } from "./axes";

/** A part smaller than this share of the whole axis is not worth showing. */
const LEAST_SHARE = 0.002;

/** The part of an axis that was chosen; all of it where nothing was, or where the two do not meet. */
export function within(full: Range, chosen: Range | null): Range {
  if (!chosen) return full;
  const part: Range = [Math.max(full[0], chosen[0]), Math.min(full[1], chosen[1])];
  const share = (part[1] - part[0]) / (full[1] - full[0]);
  return share >= LEAST_SHARE && share < 1 ? part : full;
}

/** What a key makes of the part that is shown: plus halves it around the cursor, minus doubles it, 0 ends it. */
export function byKey(key: string, shown: Range, at: number | null): Range | null | undefined {
  if (key === "0") return null;
  const factor = { "+": 0.5, "=": 0.5, "-": 2 }[key];
  if (factor === undefined) return undefined;
  const centre = at ?? (shown[0] + shown[1]) / 2;
  return [centre - (centre - shown[0]) * factor, centre + (shown[1] - centre) * factor];
}

/** A button that ends the choice, hidden while there is none. */
export function resetButton(reset: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "reset";
  button.textContent = "Whole axis";
  button.hidden = true;
  button.addEventListener("click", reset);
  return button;
}

// A part of a horizontal axis, chosen by dragging or by key, held by all charts of a view along the same axis.

import type { Range } from "./model";

/** A part smaller than this share of the whole axis is not worth showing. */
const LEAST_SHARE = 0.002;

/** The part of an axis that was chosen; all of it where nothing was, or where the two do not meet. */
export function within(full: Range, chosen: Range | null, log: boolean): Range {
  if (!chosen) return full;
  const part: Range = [Math.max(full[0], chosen[0]), Math.min(full[1], chosen[1])];
  const length = ([low, high]: Range): number => (log ? Math.log(high / low) : high - low);
  const share = length(part) / length(full);
  return share >= LEAST_SHARE && share < 0.9999 ? part : full;
}

/** What a key makes of the part that is shown: plus halves it around the cursor, minus doubles it, 0 ends it. */
export function byKey(key: string, shown: Range, at: number | null, log: boolean): Range | null | undefined {
  if (key === "0") return null;
  const factor = { "+": 0.5, "=": 0.5, "-": 2 }[key];
  if (factor === undefined) return undefined;
  if (log) {
    const [low, high] = shown.map(Math.log) as Range;
    const centre = at === null ? (low + high) / 2 : Math.log(at);
    return [Math.exp(centre - (centre - low) * factor), Math.exp(centre + (high - centre) * factor)];
  }
  const centre = at ?? (shown[0] + shown[1]) / 2;
  return [centre - (centre - shown[0]) * factor, centre + (shown[1] - centre) * factor];
}

// The cursor and the zoom of a frame by key.

import type uPlot from "uplot";
import type { Range } from "./model";
import { byKey } from "./zoom";

/** uPlot's types leave out the last argument: whether frames that share the cursor are told. */
type SetCursor = (at: { left: number; top: number }, fire: boolean, publish: boolean) => void;

/** Arrow keys move the cursor from place to place, with Shift farther; plus, minus and 0 zoom; Escape ends both. */
export function keys(
  plot: uPlot,
  place: HTMLElement,
  shown: { part: Range; log: boolean },
  zoom: (part: Range | null) => void,
): () => void {
  const move = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const left = plot.cursor.left ?? -1;
    const chosen = byKey(event.key, shown.part, left >= 0 ? plot.posToVal(left, "x") : null, shown.log);
    if (chosen !== undefined) return zoom(chosen);
    const target = targetOf(event, plot);
    if (target === null) return;
    event.preventDefault();
    const top = target < 0 ? -10 : plot.over.clientHeight / 2;
    (plot.setCursor as SetCursor)({ left: target, top }, true, true);
  };
  const whole = (): void => zoom(null);
  place.addEventListener("keydown", move);
  place.addEventListener("dblclick", whole);
  return () => {
    place.removeEventListener("keydown", move);
    place.removeEventListener("dblclick", whole);
  };
}

function targetOf(event: KeyboardEvent, plot: uPlot): number | null {
  const width = plot.over.clientWidth;
  const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "Escape") return -10;
  if (event.key === "Home") return 0;
  if (event.key === "End") return width;
  if (direction === undefined) return null;
  const left = plot.cursor.left ?? -1;
  if (left < 0) return direction > 0 ? 0 : width;
  if (event.shiftKey) return clamp(left + (direction * width) / 20, width);
  const places = plot.data[0];
  let index = (plot.cursor.idx ?? 0) + direction;
  while (places[index] !== undefined) {
    const target = plot.valToPos(places[index] as number, "x");
    if (Math.abs(target - left) >= 0.5 && target >= 0 && target <= width) return target;
    if (target < 0 || target > width) break;
    index += direction;
  }
  return clamp(left + direction, width);
}

const clamp = (value: number, high: number): number => Math.min(Math.max(value, 0), high);

// Marks of subjects: as elements in legends, and as stamps on canvases.

import type { Mark } from "./document";
import { COLOURS } from "./theme";

const SVG = "http://www.w3.org/2000/svg";

let outlines: Mark[] = [];

/** Takes the outlines from the document, once. */
export function useMarks(marks: Mark[]): void {
  outlines = marks;
}

function outline(look: number): Mark {
  return outlines[look % outlines.length] ?? { path: "", hollow: false };
}

/** A mark as it stands before a subject's name; without its colour where colours mean something else. */
export function markElement(look: number, coloured = true): SVGElement {
  const { path, hollow } = outline(look);
  const mark = document.createElementNS(SVG, "svg");
  mark.setAttribute("class", `mark ${hollow ? "hollow" : "full"}${coloured ? ` c${look % COLOURS}` : ""}`);
  mark.setAttribute("viewBox", "-1.2 -1.2 2.4 2.4");
  mark.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  mark.append(shape);
  return mark;
}

/** A piece of a line as it stands before a series' name: full, dashed, or with a dot. */
export function lineElement(kind: string, look: number | null): SVGElement {
  const sample = document.createElementNS(SVG, "svg");
  sample.setAttribute("class", `sample ${kind}${look === null ? "" : ` c${look % COLOURS}`}`);
  sample.setAttribute("viewBox", "0 0 22 10");
  sample.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  const paths: Record<string, string> = {
    steps: "M1 8H8V2H15V8H21",
    bars: "M2 9V5H7V9ZM9 9V1H14V9ZM16 9V4H21V9Z",
    band: "M1 3L21 1V7L1 9Z",
    "top-crosses": "M8 2L14 8M14 2L8 8",
    dots: "M11 3A2 2 0 1 1 11 7A2 2 0 1 1 11 3Z",
    "small-dots": "M11 4A1 1 0 1 1 11 6A1 1 0 1 1 11 4Z",
    rings: "M11 1.5A3.5 3.5 0 1 1 11 8.5A3.5 3.5 0 1 1 11 1.5Z",
    "dotted-line": "M1 5H21M11 3A2 2 0 1 1 11 7A2 2 0 1 1 11 3Z",
  };
  path.setAttribute("d", paths[kind] ?? "M1 5H21");
  sample.append(path);
  return sample;
}

export type Fill = "as-is" | "hollow" | "ring";

/** Draws one mark at every place; `radius` in canvas pixels. Thousands are copies of one stamp. */
export function drawMarks(
  context: CanvasRenderingContext2D,
  look: number,
  colour: string,
  radius: number,
  places: [x: number, y: number][],
  fill: Fill = "as-is",
): void {
  if (places.length === 0) return;
  const half = Math.ceil(radius * 1.2 + 2);
  const stamp = document.createElement("canvas");
  stamp.width = stamp.height = 2 * half;
  const brush = stamp.getContext("2d");
  if (!brush) return;
  const { path, hollow } = fill === "ring" ? { path: "M0-1A1 1 0 1 1 0 1A1 1 0 1 1 0-1Z", hollow: true } : outline(look);
  brush.translate(half, half);
  brush.scale(radius, radius);
  if (hollow || fill === "hollow") {
    brush.lineWidth = fill === "ring" ? Math.min(0.6, (1.5 * devicePixelRatio) / radius) : 0.6;
    brush.strokeStyle = colour;
    brush.stroke(new Path2D(path));
  } else {
    brush.fillStyle = colour;
    brush.fill(new Path2D(path));
  }
  for (const [x, y] of places) context.drawImage(stamp, x - half, y - half);
}

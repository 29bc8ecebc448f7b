// Dots of distinct shapes.

import type { Shape } from "./theme";

/** Draws one mark of every place as a single path; `radius` in canvas pixels. */
export function drawMarks(
  context: CanvasRenderingContext2D,
  shape: Shape,
  colour: string,
  radius: number,
  places: Iterable<[x: number, y: number]>,
): void {
  context.beginPath();
  for (const [x, y] of places) trace(context, shape, radius, x, y);
  if (shape === "ring" || shape === "frame" || shape === "cross") {
    context.strokeStyle = colour;
    context.lineWidth = radius * 0.7;
    context.stroke();
  } else {
    context.fillStyle = colour;
    context.fill();
  }
}

function trace(context: CanvasRenderingContext2D, shape: Shape, r: number, x: number, y: number): void {
  switch (shape) {
    case "circle":
    case "ring":
      context.moveTo(x + r, y);
      context.arc(x, y, r, 0, 2 * Math.PI);
      break;
    case "square":
    case "frame":
      context.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
      break;
    case "triangle":
      polygon(context, [x, y - r * 1.2], [x + r * 1.15, y + r * 0.9], [x - r * 1.15, y + r * 0.9]);
      break;
    case "wedge":
      polygon(context, [x, y + r * 1.2], [x + r * 1.15, y - r * 0.9], [x - r * 1.15, y - r * 0.9]);
      break;
    case "diamond":
      polygon(context, [x, y - r * 1.35], [x + r * 1.35, y], [x, y + r * 1.35], [x - r * 1.35, y]);
      break;
    case "cross":
      context.moveTo(x - r, y - r);
      context.lineTo(x + r, y + r);
      context.moveTo(x + r, y - r);
      context.lineTo(x - r, y + r);
      break;
  }
}

function polygon(
  context: CanvasRenderingContext2D,
  first: [number, number],
  ...rest: [number, number][]
): void {
  context.moveTo(first[0], first[1]);
  for (const [x, y] of rest) context.lineTo(x, y);
  context.closePath();
}

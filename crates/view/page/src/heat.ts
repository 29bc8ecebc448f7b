// Heat maps: one frame a subject, one scale of colours for all.

import { bare } from "./format";
import type { Heat, Range } from "./model";
import type { Canvas } from "./canvas";
import type { Palette } from "./theme";

/** The least and the greatest count of all maps. */
export function heatRange(heats: Heat[]): Range {
  let [least, most] = [Infinity, 0];
  for (const heat of heats)
    for (const column of heat.columns)
      for (let place = 1; place < column.length; place++) {
        const value = column[place] ?? 0;
        if (value > 0 && value < least) least = value;
        if (value > most) most = value;
      }
  return most === 0 ? [1, 10] : [least, Math.max(most, least * 2)];
}

export function drawHeat(canvas: Canvas, heat: Heat, range: Range, palette: Palette): void {
  const shades = shadesOf(palette.heat);
  const across = (column: number): number => Math.round(canvas.x(heat.start + column * heat.width));
  const up = (row: number): number => {
    const edge = heat.edges[row] ?? 0;
    return Math.round(canvas.logY && edge <= 0 ? canvas.floor : canvas.y(edge));
  };
  const whole = Math.log(range[1] / range[0]);
  heat.columns.forEach((column, number) => {
    const [left, right] = [across(number), across(number + 1)];
    for (let place = 1; place < column.length; place++) {
      const value = column[place] ?? 0;
      if (value === 0) continue;
      const row = (column[0] ?? 0) + place - 1;
      const share = Math.log(value / range[0]) / whole;
      canvas.context.fillStyle = shades[Math.min(255, Math.max(0, Math.round(share * 255)))] ?? "";
      const [top, bottom] = [up(row + 1), up(row)];
      canvas.context.fillRect(left, top, Math.max(right - left, 1), Math.max(bottom - top, 1));
    }
  });
}

/** 256 colours between the stops. */
function shadesOf(stops: string[]): string[] {
  const channels = stops.map((stop) => [1, 3, 5].map((at) => parseInt(stop.slice(at, at + 2), 16)));
  return Array.from({ length: 256 }, (_, index) => {
    const place = (index / 255) * (channels.length - 1);
    const [from, to] = [channels[Math.floor(place)] ?? [], channels[Math.ceil(place)] ?? []];
    const mixed = [0, 1, 2].map((channel) => {
      const [a, b] = [from[channel] ?? 0, to[channel] ?? 0];
      return Math.round(a + (b - a) * (place % 1));
    });
    return `rgb(${mixed.join(" ")})`;
  });
}

/** The scale of colours with its ends. */
export function heatLegend(heats: Heat[], range: Range, palette: Palette): HTMLElement {
  const place = document.createElement("span");
  place.className = "heat-legend";
  const bar = document.createElement("canvas");
  [bar.width, bar.height] = [256, 1];
  const context = bar.getContext("2d");
  shadesOf(palette.heat).forEach((shade, index) => {
    if (!context) return;
    context.fillStyle = shade;
    context.fillRect(index, 0, 1, 1);
  });
  const quantity = heats[0]?.quantity ?? "count";
  const unit = heats[0]?.unit ?? "";
  place.append(bare(quantity, range[0]), bar, `${bare(quantity, range[1])} ${unit} in a cell, log scale`);
  return place;
}

/** How many lie in the cells of the column at a place, and between which edges. */
export function heatAt(heat: Heat, at: number): { total: number; low: number; high: number } | null {
  const column = heat.columns[Math.floor((at - heat.start) / heat.width)];
  if (!column || column.length < 2) return null;
  const first = column[0] ?? 0;
  const total = column.slice(1).reduce((sum, value) => sum + value, 0);
  return { total, low: heat.edges[first] ?? NaN, high: heat.edges[first + column.length - 1] ?? NaN };
}

/** The edges of a heat map's columns: where the cursor stops. */
export function heatPlaces(heat: Heat): number[] {
  return heat.columns.map((_, column) => heat.start + (column + 0.5) * heat.width);
}


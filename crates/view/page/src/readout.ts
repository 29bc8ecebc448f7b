// What lies under the cursor, in words.

import { placeText } from "./clock";
import type { DocumentAxis } from "./document";
import { element } from "./elements";
import { text } from "./format";
import { heatAt } from "./heat";
import { hasNames, lookOf } from "./looks";
import { lineElement, markElement } from "./marks";
import { firstAbove, nearest, type Chart, type Numbers, type Series, type View } from "./model";
import { barEnd } from "./scales";

export interface Reading {
  sign: SVGElement | null;
  words: string;
}

/** The readings of the series and heat maps that are shown, at a place on a horizontal axis. */
export function readings(
  chart: Chart,
  view: View,
  shown: number[],
  hidden: Set<number | string>,
  across: number,
  at: number,
  reach: number,
): Reading[] {
  const axis = chart.across[across] as DocumentAxis;
  const named = hasNames(chart);
  const isShown = (one: { subject: number; name: string }): boolean =>
    shown.includes(one.subject) && !hidden.has(one.subject) && !(named && hidden.has(one.name));
  let place = at;
  const values: Reading[] = [];
  for (const series of chart.series.filter(isShown)) {
    const found = placeAt(series, series.xs[across] ?? new Float64Array(), at, reach);
    if (found === null) continue;
    if (values.length === 0) place = series.xs[across]?.[found] ?? at;
    const words = `${nameOf(chart, view, shown, series, named)}${valueWords(chart, series, found)}`;
    values.push({ sign: sign(chart, view, series), words });
  }
  for (const heat of across === 0 ? chart.heats.filter(isShown) : []) {
    const found = heatAt(heat, at);
    const label = `${view.subjects[heat.subject]?.label ?? ""}: `;
    const edge = (value: number): string => text(chart.up.quantity, value);
    const words = found
      ? `${text(heat.quantity, found.total)} ${heat.unit}, ${edge(found.low)} to ${edge(found.high)}`
      : "none";
    values.push({ sign: markElement(view.subjects[heat.subject]?.look ?? 0), words: label + words });
  }
  const tick = axis.ticks?.find(([value, name]) => name !== null && value === place);
  return [{ sign: null, words: `${axis.label} ${tick?.[1] ?? placeText(axis, place)}` }, ...values];
}

function sign(chart: Chart, view: View, series: Series): SVGElement {
  const look = lookOf(chart, view, series);
  return chart.byName && !series.shape.endsWith("dots") ? lineElement(series.shape, look) : markElement(look);
}

/** Where a series has a value for a place: below it for steps and bars, else near it; none where nothing is near. */
function placeAt(series: Series, xs: Numbers, at: number, reach: number): number | null {
  if (series.shape === "steps" || series.shape === "bars") {
    const place = firstAbove(xs, at) - 1;
    const log = series.shape === "bars" && (xs[0] ?? 0) > 0;
    return place >= 0 && at <= barEnd(xs, place, log) ? place : null;
  }
  const place = nearest(xs, at);
  if (place === null) return null;
  const gap = Math.max((xs[place + 1] ?? -Infinity) - (xs[place] ?? 0), (xs[place] ?? 0) - (xs[place - 1] ?? Infinity));
  return Math.abs((xs[place] ?? 0) - at) <= Math.max(reach, gap / 2) ? place : null;
}

function nameOf(chart: Chart, view: View, shown: number[], series: Series, named: boolean): string {
  const label = view.subjects[series.subject]?.label ?? "";
  const isAlone = shown.filter((one) => chart.series.some(({ subject }) => subject === one)).length < 2;
  const parts = [isAlone ? "" : label, named ? series.name : ""].filter((part) => part !== "");
  return parts.length > 0 ? `${parts.join(" · ")}: ` : "";
}

/** A value with its interval and what else is known there. */
function valueWords(chart: Chart, series: Series, place: number): string {
  const { quantity } = chart.up;
  const value = series.ys[place] ?? NaN;
  const [low, high] = [series.low?.[place] ?? NaN, series.high?.[place] ?? NaN];
  const interval = Number.isNaN(low) || Number.isNaN(high) ? "" : `${text(quantity, low)} to ${text(quantity, high)}`;
  const isCount = series.shape === "top-crosses";
  const main = series.shape === "band" ? interval : text(isCount ? "count" : quantity, value);
  const around = interval !== "" && series.shape !== "band" ? ` (${interval})` : "";
  const extras = series.extras
    .map((extra) => [extra, extra.values[place] ?? NaN] as const)
    .filter(([, number]) => !Number.isNaN(number))
    .map(([extra, number]) => `${extra.name} ${text(extra.quantity, number)}`);
  return [main + around, ...extras].join(", ");
}

/** Shows readings below the chart; its place keeps the height that it once needed, so that nothing below it jumps. */
export function showReadings(place: HTMLElement, list: Reading[]): void {
  const parts = list.map(({ sign, words }) => element("span", "", ...(sign ? [sign] : []), words));
  place.replaceChildren(...parts);
  const height = place.getBoundingClientRect().height;
  if (height > parseFloat(place.style.minHeight || "0")) place.style.minHeight = `${height}px`;
}

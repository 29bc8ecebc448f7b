// Which colour and mark each series of a chart has, and what its legend names.

import type { Chart, Series, View } from "./model";
import { lineElement, markElement } from "./marks";

export interface Entry {
  /** What a click switches: a subject by its place, or all series of a name. */
  key: number | string;
  label: string;
  sign: () => SVGElement;
}

/** The names of a chart's series, each once, in their order. */
export function namesOf(chart: Chart): string[] {
  return [...new Set(chart.series.map((series) => series.name))];
}

/** The subjects that a chart shows something of. */
export function subjectsOf(chart: Chart): number[] {
  const found = new Set([...chart.series, ...chart.heats].map((plot) => plot.subject));
  return [...found].sort((a, b) => a - b);
}

/** The number of the look of a series: by its name, or by its subject. */
export function lookOf(chart: Chart, view: View, series: Series): number {
  return chart.byName ? namesOf(chart).indexOf(series.name) : (view.subjects[series.subject]?.look ?? 0);
}

/** Whether a subject has several series, so that their names have to be told apart. */
export function hasNames(chart: Chart): boolean {
  const seen = new Set<number>();
  return chart.series.some(({ subject }) => seen.size === seen.add(subject).size);
}

/** The legend: subjects where several share the chart, names where a subject has several series. */
export function entriesOf(chart: Chart, view: View, shown: number[]): Entry[] {
  const subjects = subjectsOf(chart).filter((subject) => shown.includes(subject));
  const entries: Entry[] = [];
  if (subjects.length > 1) {
    for (const subject of subjects) {
      const { label = "", look = 0 } = view.subjects[subject] ?? {};
      // Where colours are those of names, the colour of a subject would be taken for that of a line.
      const sign = (): SVGElement => markElement(look, !chart.byName);
      entries.push({ key: subject, label, sign });
    }
  }
  if (!hasNames(chart)) return entries;
  namesOf(chart).forEach((name, place) => {
    const first = chart.series.find((series) => series.name === name);
    const own = subjects.length === 1 ? (view.subjects[subjects[0] ?? 0]?.look ?? 0) : null;
    const look = chart.byName ? place : own;
    const sign = (): SVGElement => signOf(first?.shape ?? "line", look, chart.byName);
    entries.push({ key: name, label: name, sign });
  });
  return entries;
}

function signOf(shape: Series["shape"], look: number | null, byName: boolean): SVGElement {
  const isDot = shape === "dots" || shape === "small-dots";
  return isDot && byName && look !== null ? markElement(look) : lineElement(shape, look);
}

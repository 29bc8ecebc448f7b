// How a chart is divided into frames, and what stands in each.

import type { Ink } from "./canvas";
import type { Chart, Heat, View } from "./model";
import { hasNames, lookOf, subjectsOf } from "./looks";
import type { Palette } from "./theme";

/** From so many subjects on, a frame that all share is hard to read. */
export const MANY = 4;

export interface Frame {
  subjects: number[];
  heat: Heat | null;
  /** The subject that it belongs to alone, where there are several frames. */
  owner: number | null;
  /** The name of its heat map, where a subject has several. */
  name: string;
}

/** Whether the reader chooses between a frame for each subject and one for all. */
export function offersTogether(chart: Chart, shown: number[]): boolean {
  return !chart.byName && chart.heats.length === 0 && subjectsOf(chart).filter((one) => shown.includes(one)).length >= MANY;
}

export function framesOf(chart: Chart, shown: number[], together: boolean): Frame[] {
  const subjects = subjectsOf(chart).filter((subject) => shown.includes(subject));
  if (chart.heats.length > 0) {
    const heats = chart.heats.filter((heat) => shown.includes(heat.subject));
    const severalOf = (subject: number): boolean => chart.heats.filter((heat) => heat.subject === subject).length > 1;
    return heats.map((heat) => ({
      subjects: [heat.subject],
      heat,
      owner: subjects.length > 1 ? heat.subject : null,
      name: severalOf(heat.subject) ? heat.name : "",
    }));
  }
  const apart = chart.byName ? subjects.length > 1 : subjects.length >= MANY && !together;
  if (!apart) return [{ subjects, heat: null, owner: null, name: "" }];
  return subjects.map((subject) => ({ subjects: [subject], heat: null, owner: subject, name: "" }));
}

/** The series of a frame with their colours; those behind come first. */
export function inksOf(
  chart: Chart,
  view: View,
  frame: Frame,
  across: number,
  hidden: Set<number | string>,
  palette: Palette,
): Ink[] {
  const named = hasNames(chart);
  const series = chart.series.filter(
    (one) => frame.subjects.includes(one.subject) && !(named && hidden.has(one.name)) && !hidden.has(one.subject),
  );
  const bars = series.filter((one) => one.shape === "bars");
  const all = series.map((one, place) => {
    const look = lookOf(chart, view, one);
    const alike = (other: (typeof series)[number]): boolean =>
      other.shape === one.shape && lookOf(chart, view, other) === look;
    return {
      series: one,
      xs: one.xs[across] ?? new Float64Array(),
      colour: palette.colour(look),
      look,
      slot: Math.max(bars.indexOf(one), 0),
      slots: Math.max(bars.length, 1),
      variant: series.slice(0, place).filter(alike).length,
    };
  });
  const depth = ({ series: { shape } }: Ink): number => (shape === "band" ? 0 : shape === "bars" ? 1 : shape === "rings" ? 3 : 2);
  return all.sort((a, b) => depth(a) - depth(b));
}

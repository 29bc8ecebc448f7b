// Axes that hold every subject, so that switching from subject to subject never moves a scale.

import { clockLabel, clockMarks } from "./clock";
import type { DocumentAxis, Quantity } from "./document";
import { text as withUnit, tick, trimmed, unitOf } from "./format";
import type { Chart, Numbers, Range, Series } from "./model";
import { linearMarks, logMarks, niceStep } from "./ticks";

export interface Scale {
  range: Range;
  log: boolean;
  /** What is measured, with its unit where the marks do not bring theirs. */
  label: string;
  quantity: Quantity;
  /** Where an axis of this range and length is marked, and the words there. */
  marks: (range: Range, most: number) => { at: number; text: string }[];
}

/** Intervals that reach this much beyond the values still move the axis; longer ones end in an arrow. */
const INTERVAL_ROOM = 0.3;

const SIGNED: Quantity[] = ["number", "celsius", "factor"];

/** The scale of one of a chart's horizontal axes. */
export function acrossScale(chart: Chart, place: number, log: boolean): Scale {
  const axis = chart.across[place] as DocumentAxis;
  let [low, high] = [Infinity, -Infinity];
  const take = (value: number): void => {
    if (!Number.isFinite(value) || (log && value <= 0)) return;
    low = Math.min(low, value);
    high = Math.max(high, value);
  };
  for (const series of chart.series) {
    const xs = series.xs[place] ?? new Float64Array();
    xs.forEach(take);
    if ((series.shape === "bars" || series.shape === "steps") && xs.length > 0) take(barEnd(xs, xs.length - 1, log));
  }
  if (place === 0)
    for (const heat of chart.heats) [heat.start, heat.start + heat.width * heat.columns.length].forEach(take);
  axis.span?.forEach(take);
  if (low > high) [low, high] = log ? [1, 10] : [0, 1];
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
  if (!log && axis.span === null && low > 0 && !SIGNED.includes(axis.quantity)) low = 0;
  return scaleOf(axis, log || axis.span || axis.ticks || axis.clock !== null ? [low, high] : [low, roundEnd(low, high)], log);
}

/** A round end where one lies near: bins of a run of 1,000 s have their middles at 999.5 s. */
function roundEnd(low: number, high: number): number {
  const step = niceStep(high - low, 10);
  const round = Math.ceil(high / step - 1e-9) * step;
  return round - high <= (high - low) * 0.02 ? round : high;
}

/** Where a bar ends: at the next place, the last one as far from its place as the one before. */
export function barEnd(xs: Numbers, index: number, log: boolean): number {
  const at = xs[index] ?? 0;
  const next = xs[index + 1];
  if (next !== undefined) return next;
  const before = xs[index - 1];
  if (before === undefined) return log ? at * 2 : at + 1;
  return log && before > 0 ? (at * at) / before : at + (at - before);
}

/** The scale of a chart's vertical axis: chosen by the values, and not by the intervals around them. */
export function upScale(chart: Chart, log: boolean): Scale {
  const axis = chart.up;
  const found = valueRange(chart, log);
  for (const heat of chart.heats) for (const edge of [heat.edges[0], heat.edges[heat.edges.length - 1]]) widen(found, edge);
  if (chart.heats.length > 0) {
    if (log && found[0] <= 0) found[0] = firstPositive(chart);
    return scaleOf(axis, found[0] < found[1] ? found : [1, 10], log);
  }
  axis.span?.forEach((end) => {
    if (!log || end > 0) widen(found, end);
  });
  // On a logarithmic axis the least bar has to have a height.
  if (log && chart.series.some(({ shape }) => shape === "bars")) found[0] /= 2;
  if (found[0] > found[1]) return scaleOf(axis, log ? [1, 10] : [0, 1], log);
  return scaleOf(axis, log ? roundedLog(found) : roundedLinear(found, axis), log);
}

function firstPositive(chart: Chart): number {
  return Math.min(...chart.heats.map((heat) => heat.edges.find((edge) => edge > 0) ?? 1));
}

function widen(range: Range, value: number | undefined): void {
  if (value === undefined || !Number.isFinite(value)) return;
  range[0] = Math.min(range[0], value);
  range[1] = Math.max(range[1], value);
}

function valueRange(chart: Chart, log: boolean): Range {
  const values: Range = [Infinity, -Infinity];
  const ends: Range = [Infinity, -Infinity];
  const take = (range: Range, value: number): void => {
    if (!log || value > 0) widen(range, value);
  };
  for (const series of chart.series) {
    if (series.shape === "top-crosses") continue;
    const target = series.shape === "band" ? values : ends;
    if (series.shape !== "band") for (const value of series.ys) take(values, value);
    for (const side of [series.low, series.high]) for (const value of side ?? []) take(target, value);
  }
  if (values[0] > values[1]) return values;
  const room = log ? (values[1] / values[0]) ** INTERVAL_ROOM : (values[1] - values[0]) * INTERVAL_ROOM;
  const limits: Range = log
    ? [values[0] / Math.max(room, 1.5), values[1] * Math.max(room, 1.5)]
    : [values[0] - room, values[1] + Math.max(room, Math.abs(values[1]) * INTERVAL_ROOM)];
  return [Math.min(values[0], Math.max(ends[0], limits[0])), Math.max(values[1], Math.min(ends[1], limits[1]))];
}

/** Outwards to 1, 2 or 5 times a power of ten. */
function roundedLog([low, high]: Range): Range {
  const steps = (value: number): number[] => {
    const power = 10 ** Math.floor(Math.log10(value) + 1e-9);
    return [1, 2, 5, 10].map((factor) => factor * power);
  };
  const below = steps(low).filter((step) => step <= low * 1.0001).pop() ?? low;
  const above = steps(high).find((step) => step >= high * 0.9999) ?? high;
  return below < above ? [below, above] : [below / 2, above * 2];
}

/** From zero, where values cannot be negative, to a round number above the greatest. */
function roundedLinear([low, high]: Range, axis: DocumentAxis): Range {
  const isSigned = SIGNED.includes(axis.quantity) && axis.quantity !== "factor";
  const fromZero = !isSigned && low >= 0 && !(axis.span && axis.span[0] > 0);
  const start = fromZero ? 0 : low;
  const unit = unitFor(axis.quantity, high).size;
  const step = niceStep((high - start || Math.abs(high) || unit) / unit, 5) * unit;
  // Where the axis is given, or a share is all there can be, no room is left above.
  const isEnd = high === axis.span?.[1] || (axis.quantity === "share" && high <= 1 && high > 0.98);
  const end = Math.ceil((high + (isEnd ? 0 : (high - start) * 0.02)) / step - 1e-9) * step;
  const begin = fromZero ? 0 : Math.floor(start / step + 1e-9) * step;
  return begin < end ? [begin, end] : [begin, begin + step];
}

function scaleOf(axis: DocumentAxis, range: Range, log: boolean): Scale {
  const unit = unitFor(axis.quantity, log ? 0 : Math.max(Math.abs(range[0]), Math.abs(range[1])));
  const words = (value: number): string => {
    if (axis.ticks || log) return shortText(axis.quantity, value);
    return trimmedUnit(axis.quantity, value, unit.size);
  };
  const name = axis.ticks || log ? (unitOf(axis.quantity) ?? "") : unit.name;
  const isNamed = axis.ticks?.some(([, name]) => name !== null) ?? false;
  const inUnits = isNamed || name === "" ? axis.label : `${axis.label} (${name})`;
  const label = axis.clock !== null ? clockLabel(axis, range[0]) : inUnits;
  const marks = (shown: Range, most: number): { at: number; text: string }[] => {
    if (axis.ticks) return axis.ticks.map(([at, name]) => ({ at, text: name ?? words(at) }));
    if (axis.clock !== null) return clockMarks(axis.clock, shown, most);
    const places = log ? logMarks(shown, most) : linearMarks(shown, most, unit.size);
    return places.map((at) => ({ at, text: words(at) }));
  };
  // Values that say their own unit need none in the label: IOPS are called IOPS.
  return { range, log, label: axis.label === name ? name : label, quantity: axis.quantity, marks };
}

/** What a linear axis is marked in. */
function unitFor(quantity: Quantity, most: number): { size: number; name: string } {
  const among = (units: [number, string][]): { size: number; name: string } => {
    const [size, name] = units.find(([size]) => most >= size * 1.5) ?? units[units.length - 1] ?? [1, ""];
    return { size, name };
  };
  switch (quantity) {
    case "bytes":
      return among([[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]);
    case "nanoseconds":
      return among([[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]]);
    case "seconds":
      // As in src/svg/ticks.rs.
      if (most > 4 * 86_400) return { size: 86_400, name: "days" };
      return most > 4 * 3600 ? { size: 3600, name: "h" } : { size: 1, name: "s" };
    case "bytes-per-second":
      return { size: 1e6, name: "MB/s" };
    case "share":
      return { size: 0.01, name: "%" };
    default:
      return { size: 1, name: unitOf(quantity) ?? "" };
  }
}

function trimmedUnit(quantity: Quantity, value: number, size: number): string {
  if (quantity === "iops" || quantity === "files-per-second" || quantity === "count" || quantity === "lba") return tick(value);
  if (quantity === "block-size") return shortText(quantity, value);
  return Number((value / size).toPrecision(6)).toLocaleString("en");
}

/** A mark with its unit, where marks of one axis have units of different sizes. */
function shortText(quantity: Quantity, value: number): string {
  switch (quantity) {
    case "iops":
    case "files-per-second":
    case "count":
    case "lba":
    case "number":
    case "factor":
      return tick(value);
    case "bytes-per-second":
      return tick(value / 1e6);
    case "share":
      return `${trimmed(value * 100)} %`;
    case "bytes":
    case "nanoseconds":
    case "block-size":
      return withUnit(quantity, value).replace(/\.0+(?=\u00a0)/, "").replace(/(\.\d*?)0+(?=\u00a0)/, "$1");
    case "seconds":
      return `${trimmed(value)} s`;
    default:
      return tick(value);
  }
}

/** All places of some series on an axis, in ascending order, each once: where the cursor stops. */
export function placesOf(series: Series[], place: number): number[] {
  const all = new Set<number>();
  for (const one of series) one.xs[place]?.forEach((x) => Number.isFinite(x) && all.add(x));
  return [...all].sort((a, b) => a - b);
}

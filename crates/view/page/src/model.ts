// The page's document, with its columns as arrays of numbers.

import type {
  Document,
  DocumentAxis,
  DocumentChart,
  DocumentData,
  DocumentHeat,
  DocumentLandmark,
  DocumentShape,
  DocumentSubject,
  Mark,
  Quantity,
} from "./document";

export type Numbers = Float64Array;
export type Range = [low: number, high: number];

export interface Series {
  name: string;
  subject: number;
  shape: DocumentShape;
  xs: Numbers[];
  ys: Numbers;
  low: Numbers | null;
  high: Numbers | null;
  extras: { name: string; quantity: Quantity; values: Numbers }[];
}

export interface Heat extends Omit<DocumentHeat, "edges"> {
  edges: Numbers;
}

export interface Chart {
  place: string;
  id: string;
  title: string;
  across: DocumentAxis[];
  up: DocumentAxis;
  series: Series[];
  heats: Heat[];
  landmarks: DocumentLandmark[];
  byName: boolean;
  small: boolean;
}

export interface Catalogue {
  place: string;
  /** The heads of its rows. */
  rows: string[];
  /** The subjects of its series are the places of rows. */
  curves: Chart | null;
}

export interface View {
  anchor: string;
  title: string;
  facets: string[];
  subjects: DocumentSubject[];
  charts: Chart[];
  catalogues: Catalogue[];
}

export function readDocument(): { views: View[]; marks: Mark[] } {
  const source = JSON.parse(document.getElementById("page-document")?.textContent ?? "") as Document;
  const columns = source.columns.map((column) => Float64Array.from(column, (value) => value ?? NaN));
  const numbers = (data: DocumentData): Numbers => {
    if (!Array.isArray(data))
      return Float64Array.from({ length: data.count }, (_, place) => data.start + place * data.step);
    const [column, from, until] = data;
    return (columns[column] ?? new Float64Array()).subarray(from, until);
  };
  const chart = (chart: DocumentChart): Chart => ({
    place: chart.place,
    id: chart.id,
    title: chart.title,
    across: chart.across,
    up: chart.up,
    landmarks: chart.landmarks,
    byName: chart.by_name,
    small: chart.small,
    heats: chart.heats.map((heat) => ({ ...heat, edges: numbers(heat.edges) })),
    series: chart.series.map((series) => ({
      ...series,
      xs: series.xs.map(numbers),
      ys: numbers(series.ys),
      low: series.low && numbers(series.low),
      high: series.high && numbers(series.high),
      extras: series.extras.map((extra) => ({ ...extra, values: numbers(extra.values) })),
    })),
  });
  const views = source.views.map((view) => ({
    ...view,
    charts: view.charts.map(chart),
    catalogues: view.catalogues.map((one) => ({ ...one, curves: one.curves && chart(one.curves) })),
  }));
  return { views, marks: source.marks };
}

/** The place of the number in an ascending column that is nearest to a value; none in an empty one. */
export function nearest(column: Numbers, value: number): number | null {
  if (column.length === 0) return null;
  const after = firstAbove(column, value);
  if (after === 0) return 0;
  if (after === column.length) return after - 1;
  const [below, above] = [column[after - 1] ?? 0, column[after] ?? 0];
  return value - below <= above - value ? after - 1 : after;
}

/** The first place of an ascending column whose number lies above a value. */
export function firstAbove(column: Numbers, value: number): number {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((column[middle] ?? Infinity) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

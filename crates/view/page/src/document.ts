// Made from the types of src/html/document/mod.rs; a test of that module says how.

export type Document = {
  /** The columns that charts take their numbers from. */
  columns: Array<Array<number | null>>,
  /** The outlines of the marks, as SVG paths around 0 within 1. */
  marks: Array<Mark>,
  views: Array<DocumentView>,
};

export type Mark = {
  /** An SVG path around 0 that reaches from -1 to 1. */
  path: string,
  /** Whether only the outline is drawn. */
  hollow: boolean,
};

export type DocumentView = {
  /** The name of the view in the page's links. */
  anchor: string,
  title: string,
  /** The names of the subjects' facets. */
  facets: Array<string>,
  subjects: Array<DocumentSubject>,
  charts: Array<DocumentChart>,
  catalogues: Array<DocumentCatalogue>,
};

export type DocumentCatalogue = {
  /** The name of its element. */
  place: string,
  rows: Array<string>,
  /** The subjects of its series are the places of rows. */
  curves: DocumentChart | null,
};

export type DocumentSubject = {
  label: string,
  /** The number of its colour and of its mark, the same for one label on the whole page. */
  look: number,
  /** Its values of the facets. */
  facets: Array<string>,
};

export type DocumentChart = {
  /** The name of the element that it is drawn into. */
  place: string,
  id: string,
  title: string,
  across: Array<DocumentAxis>,
  up: DocumentAxis,
  series: Array<DocumentSeries>,
  heats: Array<DocumentHeat>,
  landmarks: Array<DocumentLandmark>,
  /** Whether colours are those of the series' names rather than of their subjects. */
  by_name: boolean,
  small: boolean,
};

export type DocumentAxis = {
  /** What is measured, without its unit, such as "Time". */
  label: string,
  /** What its numbers are. */
  quantity: Quantity,
  /** How values become places. */
  scale: DocumentScale,
  /** The least that the axis reaches over, so that charts can be compared; it grows where values lie outside. */
  span: [number, number]
  | null,
  /** Where it is marked: in a document places with names, which may be null; null for round values. */
  ticks: Array<[number, string
  | null]>
  | null,
  /** What a clock showed at 0, where the axis is one of seconds that are shown as times of that clock: in a document in
   * seconds since it showed the beginning of 1970. */
  clock: number
  | null,
  /** The command that shows a part of the axis, without that part, such as `drivelab trace show desktop`: with `--after` and
   * `--before` in seconds it gives the figures of what was chosen on a page. */
  command: string
  | null,
};

export type DocumentScale = "linear" | "log" | "log-or-linear";

export type DocumentShape = "dots"
  | "small-dots"
  | "rings"
  | "top-crosses"
  | "line"
  | "dashed-line"
  | "dotted-line"
  | "steps"
  | "bars"
  | "band";

export type DocumentSeries = {
  name: string,
  subject: number,
  shape: DocumentShape,
  xs: Array<DocumentData>,
  ys: DocumentData,
  low: DocumentData | null,
  high: DocumentData | null,
  extras: Array<DocumentExtra>,
};

export type DocumentExtra = {
  name: string,
  quantity: Quantity,
  values: DocumentData,
};

export type DocumentData = {
  start: number,
  step: number,
  count: number,
} | [number,
  number,
  number];

export type DocumentHeat = {
  name: string,
  subject: number,
  start: number,
  width: number,
  edges: DocumentData,
  /** Of each column its lowest row with a count, and the counts from there on; nothing where it has none. */
  columns: Array<Array<number>>,
  unit: string,
  quantity: Quantity,
};

export type DocumentLandmark = {
  /** Its name. */
  label: string,
  /** The subject that it belongs to. */
  subject: number | null,
  /** Where it lies on each of the chart's horizontal axes. */
  at: Array<number | null>,
};

export type Quantity = "count"
  | "lba"
  | "iops"
  | "bytes-per-second"
  | "files-per-second"
  | "bytes"
  | "block-size"
  | "nanoseconds"
  | "seconds"
  | "share"
  | "factor"
  | "number"
  | "watts"
  | "amperes"
  | "joules"
  | "joules-per-gigabyte"
  | "iops-per-watt"
  | "celsius";

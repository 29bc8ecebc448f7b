// The values of a chart as a table, and as a CSV file to save.

import { placeText } from "./clock";
import type { DocumentAxis, Quantity } from "./document";
import { button, element } from "./elements";
import { bare, suffix, unitOf } from "./format";
import { hasNames, subjectsOf } from "./looks";
import type { Chart, View } from "./model";

/** A longer table would take the browser seconds; the CSV file has everything. */
const ROWS_MAX = 500;

interface Field {
  head: string;
  quantity: Quantity | null;
}

type Row = (string | number)[];

/** A place for the values, which is filled when it is opened. */
export function valuesPlace(chart: Chart, view: View): HTMLElement {
  const body = element("div", "values-body");
  const details = element("details", "values", element("summary", "", "The values as a table"), body);
  details.addEventListener("toggle", () => {
    if (details.open && body.childElementCount === 0) fill(body, chart, view);
  });
  return details;
}

function fill(body: HTMLElement, chart: Chart, view: View): void {
  const fields = fieldsOf(chart, view);
  const all = rowsOf(chart, view);
  const save = button("action", () => saveCsv(chart, view, fields, all), "Save as CSV");
  const head = element("tr", "", ...fields.map(({ head, quantity }) => headCell(head, quantity)));
  const lines = all.slice(0, ROWS_MAX).map((row) => {
    const cells = row.map((value, place) => cell(value, fields[place]?.quantity ?? null));
    return element("tr", "", ...cells);
  });
  const table = element("table", "values-table", element("thead", "", head), element("tbody", "", ...lines));
  const scroller = element("div", "scroller", table);
  scroller.tabIndex = 0;
  const more = all.length > ROWS_MAX ? `The first ${ROWS_MAX} of ${bare("count", all.length)} rows; the CSV file has all. ` : "";
  const note = element("p", "fine", `${more}Numbers are rounded to five digits.`);
  body.append(element("div", "values-head", note, save), scroller);
}

function headCell(head: string, quantity: Quantity | null): HTMLElement {
  const unit = quantity && unitOf(quantity);
  const made = element("th", "", head);
  made.scope = "col";
  if (unit && unit !== head) made.append(" ", element("small", "", unit));
  return made;
}

function cell(value: string | number, quantity: Quantity | null): HTMLElement {
  if (typeof value === "string") return element("td", "words", value);
  return element("td", "", quantity && !Number.isNaN(value) ? bare(quantity, value).replace(/ /g, "\u00a0") : "");
}

function extrasOf(chart: Chart): Field[] {
  const found: Field[] = [];
  for (const extra of chart.series.flatMap((series) => series.extras))
    if (!found.some(({ head }) => head === extra.name)) found.push({ head: extra.name, quantity: extra.quantity });
  return found;
}

const hasSpread = (chart: Chart): boolean => chart.series.some((series) => series.low !== null);

function fieldsOf(chart: Chart, view: View): Field[] {
  const fields: Field[] = [];
  if (view.subjects.length > 1) fields.push({ head: "Subject", quantity: null });
  if (hasNames(chart) || chart.heats.length > 0) fields.push({ head: "Series", quantity: null });
  for (const axis of chart.across) fields.push(axisField(axis));
  if (chart.heats.length > 0) {
    const { label, quantity } = chart.up;
    fields.push({ head: `${label} from`, quantity }, { head: `${label} to`, quantity });
    fields.push({ head: chart.heats[0]?.unit ?? "Count", quantity: chart.heats[0]?.quantity ?? "count" });
    return fields;
  }
  fields.push(axisField(chart.up));
  if (hasSpread(chart)) {
    const { quantity } = chart.up;
    fields.push({ head: "Interval from", quantity }, { head: "Interval to", quantity });
  }
  return fields.concat(extrasOf(chart));
}

const axisField = (axis: DocumentAxis): Field => ({ head: axis.label, quantity: axis.clock === null ? axis.quantity : null });

/** A place on an axis: a number, or a time of its clock. */
function placeOf(axis: DocumentAxis, place: number): string | number {
  return axis.clock === null || Number.isNaN(place) ? place : placeText(axis, place);
}

function rowsOf(chart: Chart, view: View): Row[] {
  const [several, named, spread] = [view.subjects.length > 1, hasNames(chart) || chart.heats.length > 0, hasSpread(chart)];
  const front = (subject: number, name: string): Row => [
    ...(several ? [view.subjects[subject]?.label ?? ""] : []),
    ...(named ? [name] : []),
  ];
  const extras = extrasOf(chart);
  const rows: Row[] = [];
  for (const subject of subjectsOf(chart)) {
    const heats = chart.heats.filter((one) => one.subject === subject);
    for (const heat of heats) heatRows(heat, chart, front(subject, heat.name), rows);
    if (chart.heats.length > 0) continue;
    for (const series of chart.series.filter((one) => one.subject === subject)) {
      const start = front(subject, series.name);
      series.ys.forEach((value, place) => {
        const ends = spread ? [series.low?.[place] ?? NaN, series.high?.[place] ?? NaN] : [];
        const more = extras.map(({ head }) => series.extras.find(({ name }) => name === head)?.values[place] ?? NaN);
        const places = chart.across.map((axis, number) => placeOf(axis, series.xs[number]?.[place] ?? NaN));
        rows.push([...start, ...places, value, ...ends, ...more]);
      });
    }
  }
  return rows;
}

function heatRows(heat: Chart["heats"][number], chart: Chart, start: Row, rows: Row[]): void {
  heat.columns.forEach((column, number) => {
    const places = chart.across.map((_, axis) => (axis === 0 ? heat.start + number * heat.width : NaN));
    for (let place = 1; place < column.length; place++) {
      const row = (column[0] ?? 0) + place - 1;
      const count = column[place] ?? 0;
      if (count > 0) rows.push([...start, ...places, heat.edges[row] ?? NaN, heat.edges[row + 1] ?? NaN, count]);
    }
  });
}

function saveCsv(chart: Chart, view: View, fields: Field[], rows: Row[]): void {
  const heads = fields.map(({ head, quantity }) => quote(snake(head) + (quantity ? suffixFor(head, quantity) : "")));
  const lines = rows.map((row) => row.map((value) => (typeof value === "string" ? quote(value) : number(value))).join(","));
  const text = [heads.join(","), ...lines, ""].join("\n");
  const link = element("a", "");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = `${view.anchor}-${chart.id}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const number = (value: number): string => (Number.isNaN(value) ? "" : String(value));

/** A head that is its unit says it once. */
function suffixFor(head: string, quantity: Quantity): string {
  const end = suffix(quantity);
  return snake(head) === end.slice(1) ? "" : end;
}

function snake(head: string): string {
  return head.toLowerCase().replace(/[^a-z0-9.]+/g, "_").replace(/^_|_$/g, "");
}

/** A field that a spreadsheet would take for a formula begins with a quotation mark of its own. */
function quote(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

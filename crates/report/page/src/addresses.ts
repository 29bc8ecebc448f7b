// Where a device was read and written over busy time: a cell's colour says of which there was more, its strength how many.

import type uPlot from "uplot";
import { niceStep, type Range } from "./axes";
import { chart, type Scale } from "./chart";
import { busyScale, caption, spanOf } from "./course";
import { whole } from "./format";
import { empty, exposeAxes, read, rest, type Place, type Reading, type Subject } from "./graph";
import { radios } from "./radios";
import type { Palette } from "./theme";
import { WORDS, type PageMap, type Trace, type Ways } from "./tracemodel";

export interface AddressView {
  place: Place;
  traces: Trace[];
  ways: Ways;
  x: Range;
  zoom: (part: Range | null) => void;
  palette: Palette;
  /** The device that is shown where a trace has several, and what chooses another. */
  device: number;
  choose: (device: number) => void;
}

const HEIGHT = 320;
const HEIGHT_AMONG = 200;
/** The strength of a cell of one request; a full one has 1. */
const FAINT = 0.45;

export function addresses(view: AddressView): () => void {
  const { place } = view;
  const shown = view.traces.filter((trace) => trace.maps.length > 0);
  exposeAxes(place, busyScale(view.x), { range: [0, 1], log: false, text: whole, label: "" }, view.traces);
  place.tools.replaceChildren(...tools(view, shown));
  place.state.textContent = words(view, shown);
  if (shown.length === 0) {
    empty(place, "Nothing was read or written: there is nothing to draw.");
    return () => undefined;
  }
  const marks: Subject[] = view.ways.map((way) => ({ index: way, label: WORDS[way] }));
  rest(place, marks);
  const ends = shown.flatMap((trace) => {
    const map = mapOf(view, trace, shown);
    if (!map || !trace.course) return [];
    if (shown.length > 1) place.plot.append(caption(trace));
    const spot = document.createElement("div");
    place.plot.append(spot);
    return [drawMap(view, map, trace, spot, shown, marks)];
  });
  return () => ends.forEach((end) => end());
}

/** Of several traces the busiest device each. */
function mapOf(view: AddressView, trace: Trace, shown: Trace[]): PageMap | undefined {
  return trace.maps[shown.length === 1 ? Math.min(view.device, trace.maps.length - 1) : 0];
}

function drawMap(
  view: AddressView,
  map: PageMap,
  trace: Trace,
  spot: HTMLElement,
  shown: Trace[],
  marks: Subject[],
): () => void {
  const width = trace.course?.column_s ?? 1;
  const alone = shown.length === 1;
  const count = Math.max(map.columns[0].length, map.columns[1].length);
  const places = Array.from({ length: count }, (_, column) => (column + 0.5) * width);
  return chart({
    place: spot,
    keyboard: trace === shown[0] ? view.place.plot : null,
    data: [places, places.map(() => null)],
    x: busyScale(spanOf(trace, shown, view.x)),
    y: byteScale([map.first_row * map.row_bytes, (map.first_row + map.rows) * map.row_bytes]),
    height: alone ? HEIGHT : HEIGHT_AMONG,
    palette: view.palette,
    sync: alone ? "busy-time" : null,
    ...(alone ? { zoom: view.zoom } : {}),
    draw: (plot) => cells(plot, map, width, view),
    point: (at) => (at === null ? rest(view.place, marks) : read(view.place, readings(view, map, at / width))),
  });
}

const UNITS: [number, string][] = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
  [1, "B"],
];

function byteScale(range: Range): Scale {
  const step = niceStep(range[1] - range[0], 5);
  const [unit, name] = UNITS.find(([size]) => Math.max(step, range[1] / 1000) >= size) ?? [1, "B"];
  const text = (value: number): string => Number((value / unit).toPrecision(6)).toLocaleString("en");
  return { range, log: false, unit, text, label: `address (${name})` };
}

function bytes(value: number): string {
  const [unit, name] = UNITS.find(([size]) => value >= size) ?? [1, "B"];
  return `${Number((value / unit).toPrecision(4))} ${name}`;
}

/** A column's counts of reads and writes by row, those that are not shown as nothing. */
function counts(map: PageMap, column: number, ways: Ways): Map<number, [number, number]> {
  const rows = new Map<number, [number, number]>();
  for (const way of ways) {
    const found = map.columns[way][column] ?? [];
    for (let place = 1; place < found.length; place++) {
      const count = found[place] ?? 0;
      if (count === 0) continue;
      const row = (found[0] ?? 0) + place - 1;
      const both = rows.get(row) ?? [0, 0];
      both[way] = count;
      rows.set(row, both);
    }
  }
  return rows;
}

function cells(plot: uPlot, map: PageMap, width: number, view: AddressView): void {
  const { ctx } = plot;
  const colours = [0, 1].map((way) => channels(view.palette.run(way))) as [number[], number[]];
  const across = (column: number): number => Math.round(plot.valToPos(column * width, "x", true));
  const up = (row: number): number => Math.round(plot.valToPos((map.first_row + row) * map.row_bytes, "y", true));
  const least = devicePixelRatio;
  ctx.beginPath();
  ctx.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
  ctx.clip();
  const most = Math.log(Math.max(10, fullest(map, view.ways)));
  const count = Math.max(map.columns[0].length, map.columns[1].length);
  for (let column = 0; column < count; column++) {
    const [left, right] = [across(column), across(column + 1)];
    for (const [row, [reads, writes]] of counts(map, column, view.ways)) {
      const share = writes / (reads + writes);
      const mixed = [0, 1, 2].map((channel) => {
        const [read, write] = [colours[0][channel] ?? 0, colours[1][channel] ?? 0];
        return Math.round(read + (write - read) * share);
      });
      const strength = FAINT + (1 - FAINT) * Math.min(Math.log(reads + writes) / most, 1);
      const [top, bottom] = [up(row + 1), up(row)];
      ctx.fillStyle = `rgb(${mixed.join(" ")} / ${strength.toFixed(2)})`;
      ctx.fillRect(left, top, Math.max(right - left, least), Math.max(bottom - top, least));
    }
  }
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

function fullest(map: PageMap, ways: Ways): number {
  let most = 0;
  for (const way of ways) {
    for (const column of map.columns[way]) {
      for (let place = 1; place < column.length; place++) most = Math.max(most, column[place] ?? 0);
    }
  }
  return most;
}

function words(view: AddressView, shown: Trace[]): string {
  const only = shown.length === 1 ? shown[0] : undefined;
  const map = only && mapOf(view, only, shown);
  const parts = ["requests by where they begin; stronger: more, on a log scale", "between two colours: both"];
  if (map) parts.push(`rows of ${bytes(map.row_bytes)}`, `n\u00a0=\u00a0${whole(map.requests)}`);
  if (shown.length > 1) parts.push("the busiest device of each trace");
  if (only && only.unmapped > 0) parts.push(`${whole(only.unmapped)} requests of further devices are not shown`);
  return parts.join(" · ");
}

/** A choice of device, where a trace that is alone has several. */
function tools(view: AddressView, shown: Trace[]): HTMLElement[] {
  const only = shown.length === 1 ? shown[0] : undefined;
  if (!only || only.maps.length < 2) return [];
  const choices = only.maps.map((map, place) => ({ value: String(place), text: map.device }));
  const chosen = String(Math.min(view.device, only.maps.length - 1));
  return [radios("Device", "device", choices, chosen, (value) => view.choose(Number(value)))];
}

function readings(view: AddressView, map: PageMap, at: number): Reading[] {
  const rows = counts(map, Math.floor(at), view.ways);
  if (rows.size === 0) return [{ text: "nothing was read or written" }];
  const numbers = [...rows.keys()];
  const edge = (row: number): string => bytes((map.first_row + row) * map.row_bytes);
  const list: Reading[] = [{ text: `from ${edge(Math.min(...numbers))} to ${edge(Math.max(...numbers) + 1)}` }];
  for (const way of view.ways) {
    const total = [...rows.values()].reduce((sum, both) => sum + both[way], 0);
    if (total > 0) list.push({ run: { index: way, label: WORDS[way] }, text: `${whole(total)} ${WORDS[way]}` });
  }
  return list;
}

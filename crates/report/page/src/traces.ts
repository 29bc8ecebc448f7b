// The program of the page of traces: reads the embedded document, builds the switches, draws what they choose.

import type { Range } from "./axes";
import { addresses } from "./addresses";
import { course, endOf } from "./course";
import { distribution, distributionRange, exceedance, exceedanceRange, nanosRange } from "./curves";
import { dispersion, dispersionRange } from "./dispersion";
import { placeOf, speakWhenFocused, type Place } from "./graph";
import { means } from "./means";
import { radios } from "./radios";
import { palette, themeChoice } from "./theme";
import { readTraces, type Trace, type Ways } from "./tracemodel";
import { hintAtScrolling, onNewWidth } from "./width";
import { resetButton, within } from "./zoom";

const NARROW = 560;
const GRAPHS = ["means", "distribution", "exceedance", "course", "addresses", "dispersion"] as const;
type Places = Partial<Record<(typeof GRAPHS)[number], Place>>;

interface Shown {
  /** The place of the one trace that is shown; all of them where it is null. */
  trace: number | null;
  ways: Ways;
  device: number;
}

function start(): void {
  const { traces, longIdle } = readTraces();
  document.documentElement.classList.remove("still");
  const draw = graphs(traces, longIdle);
  const theme = document.getElementById("theme");
  if (theme) themeChoice(theme, draw);
  hintAtScrolling();
}

function graphs(traces: Trace[], longIdle: number): () => void {
  const places: Places = {};
  for (const name of GRAPHS) if (document.getElementById(`graph-${name}`)) places[name] = placeOf(name);
  Object.values(places).forEach(speakWhenFocused);
  const shown: Shown = { trace: traces.length > 1 ? null : 0, ways: waysOf(traces), device: 0 };
  const held = {
    nanos: nanosRange(traces),
    exceedance: exceedanceRange(traces),
    dispersion: dispersionRange(traces),
  };
  let ends: (() => void)[] = [];
  let part: Range | null = null;
  let whole: Range = [0, 1];
  const zoom = (chosen: Range | null): void => {
    part = chosen && within(whole, chosen);
    draw();
  };
  const reset = resetButton(() => zoom(null));
  const draw = (): void => {
    const chosen = traces.filter((trace) => shown.trace === null || trace.index === shown.trace);
    whole = [0, endOf(chosen)];
    const x = part ? within(whole, part) : whole;
    if (x === whole) part = null;
    reset.hidden = part === null;
    ends.forEach((end) => end());
    const list = Object.values(places);
    list.forEach((place) => place.plot.replaceChildren());
    const height = (list[0]?.plot.clientWidth ?? NARROW) < NARROW ? 260 : 320;
    const common = { traces: chosen, ways: shown.ways, palette: palette(), height };
    const busy = { ...common, x, zoom };
    const choose = (device: number): void => {
      shown.device = device;
      draw();
      places.addresses?.tools.querySelector<HTMLInputElement>("input:checked")?.focus();
    };
    const curve = { ...common, nanos: held.nanos };
    ends = [];
    if (places.means) ends.push(means({ ...common, traces, place: places.means }));
    if (places.distribution)
      // A trace whose times are all alike would flatten the others: this scale is of what is shown.
      ends.push(distribution({ ...curve, share: distributionRange(chosen), place: places.distribution }));
    if (places.exceedance)
      ends.push(exceedance({ ...curve, share: held.exceedance, place: places.exceedance }));
    if (places.course) ends.push(course({ ...busy, longIdle, place: places.course }));
    if (places.addresses)
      ends.push(addresses({ ...busy, device: shown.device, choose, place: places.addresses }));
    if (places.dispersion)
      ends.push(dispersion({ ...common, y: held.dispersion, place: places.dispersion }));
    places.course?.tools.replaceChildren(reset);
  };
  switches(traces, shown, draw, () => (part = null));
  draw();
  const first = Object.values(places)[0];
  if (first) onNewWidth(first.plot, draw);
  return draw;
}

/** Reads, writes or both, as far as there are any. */
function waysOf(traces: Trace[]): Ways {
  const ways: Ways = [0, 1];
  return ways.filter((way) => traces.some((trace) => trace.directions[way].requests > 0));
}

function switches(traces: Trace[], shown: Shown, draw: () => void, restart: () => void): void {
  const place = document.getElementById("switches");
  if (!place) return;
  if (traces.length > 1) {
    const choices = traces.map((trace) => ({ value: String(trace.index), text: trace.label }));
    const all = { value: "all", text: "All" };
    place.append(
      radios("Trace", "trace", [all, ...choices], "all", (value) => {
        shown.trace = value === "all" ? null : Number(value);
        shown.device = 0;
        restart();
        draw();
      }),
    );
  }
  const there = waysOf(traces);
  if (there.length > 1) {
    const choices = [
      { value: "both", text: "Both" },
      { value: "0", text: "Reads" },
      { value: "1", text: "Writes" },
    ];
    place.append(
      radios("Requests", "ways", choices, "both", (value) => {
        shown.ways = value === "both" ? there : [Number(value) as 0 | 1];
        draw();
      }),
    );
  }
  place.hidden = place.childElementCount === 0;
}

start();

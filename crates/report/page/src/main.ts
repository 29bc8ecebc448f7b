// The page's program: reads the embedded document, builds the switches, draws what they choose.

import { axesOf, type Across, type Range } from "./axes";
import { exceedance } from "./exceedance";
import { placeOf, speakWhenFocused } from "./graph";
import { heat } from "./heat";
import { machine } from "./machine";
import { readDocument, type Run } from "./model";
import { radios } from "./radios";
import { scatter } from "./scatter";
import { switcher, type Shown } from "./switcher";
import { palette, themeChoice } from "./theme";
import { hintAtScrolling, onNewWidth } from "./width";
import { resetButton, within } from "./zoom";

const NARROW = 560;

function start(): void {
  const runs = readDocument();
  document.documentElement.classList.remove("still");
  const draw = runs.length === 0 ? () => undefined : graphs(runs);
  const theme = document.getElementById("theme");
  if (theme) themeChoice(theme, draw);
  hintAtScrolling();
}

/** Builds the graphs and returns what draws them anew. */
function graphs(runs: Run[]): () => void {
  const axes = axesOf(runs);
  const places = {
    whole: placeOf("whole"),
    heat: placeOf("heat"),
    exceedance: placeOf("exceedance"),
  };
  // The page has these where a run is judged by a part of it.
  const parts = document.getElementById("graph-steady-log")
    ? { log: placeOf("steady-log"), linear: placeOf("steady-linear") }
    : null;
  const machinePlace = runs.some((run) => run.gauges.length > 0) ? placeOf("machine") : null;
  const all = [...Object.values(places), ...Object.values(parts ?? {}), ...(machinePlace ? [machinePlace] : [])];
  all.forEach(speakWhenFocused);
  let wholeIsLog = true;
  let ends: (() => void)[] = [];
  const switches = document.getElementById("switches");
  if (!switches) return () => undefined;

  let part: Range | null = null;
  let partAcross: Across = "time";
  const zoom = (chosen: Range | null): void => {
    part = chosen && within(axes.whole[shown.across], chosen);
    partAcross = shown.across;
    draw();
  };
  const reset = resetButton(() => zoom(null));

  const draw = (): void => {
    if (partAcross !== shown.across || part === axes.whole[shown.across]) part = null;
    reset.hidden = part === null;
    ends.forEach((end) => end());
    all.forEach((place) => place.plot.replaceChildren());
    const chosen = runs.filter((run) => shown.all || run.index === shown.run);
    const height = places.whole.plot.clientWidth < NARROW ? 260 : 340;
    const common = { runs: chosen, across: shown.across, palette: palette(), zoom };
    const steady = {
      ...common,
      x: within(axes.steady[shown.across], part),
      steady: true,
      height: height - 60,
    };
    const inTime = shown.across === "time";
    const rates = wholeIsLog ? axes.rateLog : axes.rateLinear;
    const x = within(axes.whole[shown.across], part);
    const timeX = inTime ? x : axes.whole.time;
    ends = [
      scatter({ ...common, place: places.whole, x, y: rates, log: wholeIsLog, steady: false, height }),
      heat({ ...common, place: places.heat, axes, x: timeX, shared: inTime }),
      exceedance({ ...common, place: places.exceedance, axes, height }),
    ];
    if (parts) {
      ends.push(
        scatter({ ...steady, place: parts.log, y: axes.steadyLog, log: true }),
        scatter({ ...steady, place: parts.linear, y: axes.steadyLinear, log: false }),
      );
    }
    if (machinePlace) ends.push(machine({ ...common, place: machinePlace, x: timeX, shared: inTime }));
    markColumns(chosen);
  };
  const shown: Shown = switcher(switches, runs, draw);
  const scales = [
    { value: "log", text: "Log" },
    { value: "linear", text: "Linear" },
  ];
  places.whole.tools.append(
    reset,
    radios("Scale", "whole-scale", scales, "log", (value) => {
      wholeIsLog = value === "log";
      draw();
    }),
  );
  draw();
  onNewWidth(places.whole.plot, draw);
  return draw;
}

/** Tables show which of their columns the graphs show. */
function markColumns(chosen: Run[]): void {
  for (const head of document.querySelectorAll<HTMLElement>("thead th .swatch")) {
    const isShown = chosen.some((run) => String(run.index) === head.dataset["index"]);
    head.parentElement?.classList.toggle("shown", isShown);
  }
}

start();

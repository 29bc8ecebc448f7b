// The program of the page of streams: reads the embedded document, builds the switches, draws what they choose.

import type { Range } from "./axes";
import { backlog } from "./backlog";
import { rate } from "./format";
import { placeOf, speakWhenFocused } from "./graph";
import { radios } from "./radios";
import { readStreams, type Stream } from "./stallsmodel";
import { palette, themeChoice } from "./theme";
import { hintAtScrolling, onNewWidth } from "./width";
import { countRange, timesRange, writeTimes } from "./writetimes";
import { longestRange, writtenDelays, writtenRange } from "./writtendelays";
import { resetButton, within } from "./zoom";

const NARROW = 560;

interface Shown {
  /** The place of the one stream that is shown; all of them where it is null. */
  stream: number | null;
  level: number;
}

function start(): void {
  const streams = readStreams();
  document.documentElement.classList.remove("still");
  const draw = graphs(streams);
  const theme = document.getElementById("theme");
  if (theme) themeChoice(theme, draw);
  hintAtScrolling();
}

function graphs(streams: Stream[]): () => void {
  const places = { times: placeOf("times"), written: placeOf("written"), backlog: placeOf("backlog") };
  Object.values(places).forEach(speakWhenFocused);
  const shown: Shown = { stream: null, level: firstLevel(streams) };
  const held = { times: timesRange(streams), count: countRange(streams), longest: longestRange(streams) };
  const whole = writtenRange(streams);
  let ends: (() => void)[] = [];
  let part: Range | null = null;
  const zoom = (chosen: Range | null): void => {
    part = chosen && within(whole, chosen);
    draw();
  };
  const reset = resetButton(() => zoom(null));
  const draw = (): void => {
    const x = part ? within(whole, part) : whole;
    if (x === whole) part = null;
    reset.hidden = part === null;
    ends.forEach((end) => end());
    Object.values(places).forEach((place) => place.plot.replaceChildren());
    const height = places.times.plot.clientWidth < NARROW ? 260 : 320;
    const chosen = streams.filter((stream) => shown.stream === null || stream.index === shown.stream);
    const common = { streams: chosen, palette: palette(), height };
    ends = [
      writeTimes({ ...common, x: held.times, y: held.count, place: places.times }),
      writtenDelays({ ...common, x, y: held.longest, zoom, place: places.written }),
      backlog({ ...common, level: shown.level, place: places.backlog }),
    ];
    places.written.tools.replaceChildren(reset);
  };
  switches(streams, shown, draw);
  rates(streams, places.backlog.tools, shown, draw);
  draw();
  onNewWidth(places.times.plot, draw);
  return draw;
}

/** The fastest rate that was asked for; else the fastest that all streams keep up with. */
function firstLevel(streams: Stream[]): number {
  const rates = streams[0]?.backlogs ?? [];
  const last = (of: (level: number) => boolean): number => rates.map((_, level) => level).filter(of).pop() ?? -1;
  const asked = last((level) => rates[level]?.asked ?? false);
  if (asked >= 0) return asked;
  return Math.max(0, last((level) => streams.every((stream) => stream.backlogs[level]?.sustained ?? false)));
}

function switches(streams: Stream[], shown: Shown, draw: () => void): void {
  const place = document.getElementById("switches");
  if (!place) return;
  if (streams.length > 1) {
    const choices = streams.map((stream) => ({ value: String(stream.index), text: stream.label }));
    const all = { value: "all", text: "All" };
    place.append(
      radios("Stream", "stream", [all, ...choices], "all", (value) => {
        shown.stream = value === "all" ? null : Number(value);
        draw();
      }),
    );
  }
  place.hidden = place.childElementCount === 0;
}

/** The rates, which are the same for all streams of a page. */
function rates(streams: Stream[], tools: HTMLElement, shown: Shown, draw: () => void): void {
  const [first] = streams;
  if (!first || first.backlogs.length < 2) return;
  const choices = first.backlogs.map((each, level) => ({
    value: String(level),
    text: rate(each.mb_s),
  }));
  tools.append(
    radios("Stream rate, MB/s", "level", choices, String(shown.level), (value) => {
      shown.level = Number(value);
      draw();
    }),
  );
}

start();

// Which run is shown: by drive and by reserve, or all at once.

import type { Across } from "./axes";
import type { Run } from "./model";
import { radios, type Choice } from "./radios";

export interface Shown {
  /** The index of the run that is shown where not all are. */
  run: number;
  all: boolean;
  across: Across;
}

/** Builds the switches and calls `changed` with every new choice. */
export function switcher(place: HTMLElement, runs: Run[], changed: (shown: Shown) => void): Shown {
  // Several runs are there to be compared: they open on one graph.
  const shown: Shown = { run: 0, all: runs.length > 1, across: "time" };
  const rebuild = (focus?: string): void => {
    place.replaceChildren(...groups(runs, shown, (name) => rebuild(name)));
    if (focus !== undefined) {
      place.querySelector<HTMLInputElement>(`input[name="${focus}"]:checked`)?.focus();
      changed(shown);
    }
  };
  rebuild();
  return shown;
}

function groups(runs: Run[], shown: Shown, chosen: (name: string) => void): HTMLElement[] {
  const list: HTMLElement[] = [];
  if (runs.length > 1) {
    list.push(...runGroups(runs, shown, chosen));
    const choices = [
      { value: "all", text: "Overlay all" },
      { value: "one", text: "One run" },
    ];
    list.push(
      radios("Show", "show", choices, shown.all ? "all" : "one", (value) => {
        shown.all = value === "all";
        chosen("show");
      }),
    );
  }
  const across = [
    { value: "time", text: "Time" },
    { value: "bytes", text: "Bytes written" },
  ];
  list.push(
    radios("Across", "across", across, shown.across, (value) => {
      shown.across = value === "bytes" ? "bytes" : "time";
      chosen("across");
    }),
  );
  return list;
}

/** Drive, reserve and, where several runs share both, which of them. */
function runGroups(runs: Run[], shown: Shown, chosen: (name: string) => void): HTMLElement[] {
  const current = runs[shown.run];
  if (!current) return [];
  const drives = distinct(runs.map((run) => run.drive));
  const reserves = distinct(runs.map((run) => run.reserve)).sort((a, b) => parseFloat(a) - parseFloat(b));
  const alike = runs.filter((run) => run.drive === current.drive && run.reserve === current.reserve);
  const show =
    (name: string) =>
    (value: string): void => {
      shown.run = next(runs, current, name, value);
      shown.all = false;
      chosen(name);
    };
  // While all runs are shown none of them is chosen, so that a click on any leads to it.
  const chosenOf = (value: string): string => (shown.all ? "" : value);
  const list: HTMLElement[] = [];
  if (drives.length > 1)
    list.push(radios("Drive", "drive", drives.map(plain), chosenOf(current.drive), show("drive")));
  if (reserves.length > 1) {
    const has = (reserve: string): boolean =>
      runs.some((run) => run.drive === current.drive && run.reserve === reserve);
    const choices = reserves.map((reserve) => ({ ...plain(reserve), disabled: !has(reserve) }));
    list.push(radios("Kept back", "reserve", choices, chosenOf(current.reserve), show("reserve")));
  }
  if (alike.length > 1) {
    const choices = alike.map((run, place) => ({ value: String(run.index), text: `${place + 1}` }));
    list.push(radios("Repeat", "repeat", choices, chosenOf(String(current.index)), show("repeat")));
  }
  return list;
}

/** The run that a choice leads to: whatever was not chosen stays, where there is such a run. */
function next(runs: Run[], current: Run, name: string, value: string): number {
  if (name === "repeat") return Number(value);
  const drive = name === "drive" ? value : current.drive;
  const reserve = name === "reserve" ? value : current.reserve;
  const ofCell = (of: string, kept: string): Run[] =>
    runs.filter((run) => run.drive === of && run.reserve === kept);
  const repeat = ofCell(current.drive, current.reserve).indexOf(current);
  const wanted = ofCell(drive, reserve);
  const found = wanted[repeat] ?? wanted[0] ?? runs.find((run) => run.drive === drive);
  return found?.index ?? current.index;
}

const plain = (value: string): Choice => ({ value, text: value });
const distinct = (values: string[]): string[] => [...new Set(values)];

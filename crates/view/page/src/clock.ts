// Axes of times that a clock showed; the same rules as in src/svg/ticks.rs and src/chart/axis.rs.

import type { DocumentAxis } from "./document";
import { text } from "./format";
import type { Range } from "./model";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
/** Steps between marks in seconds; a day holds each of them whole times, so that every midnight is marked. */
const STEPS = [1, 2, 5, 10, 30, MINUTE, 120, 300, 600, 1800, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];

/** The day and the time, to the second, that a clock shows, by its seconds since it showed the beginning of 1970. */
function shown(seconds: number): [day: string, time: string] {
  const [day, time] = new Date(Math.floor(seconds) * 1000).toISOString().split("T") as [string, string];
  return [day, time.slice(0, 8)];
}

/** A place on an axis, with its unit or as a time of its clock. */
export function placeText(axis: DocumentAxis, place: number): string {
  return axis.clock === null ? text(axis.quantity, place) : shown(axis.clock + place).join("\u00a0");
}

/** A place on an axis of times as an argument of a command: a time of its clock, or seconds. */
export function momentWord(axis: DocumentAxis, place: number, toWhole: (seconds: number) => number): string {
  if (axis.clock !== null) return shown(toWhole(axis.clock + Math.max(place, 0))).join("T");
  return `${Number(Math.max(place, 0.001).toFixed(3))}s`;
}

/** What an axis of a clock is of, with the day of its first place. */
export function clockLabel(axis: DocumentAxis, from: number): string {
  return `${axis.label} from ${shown((axis.clock ?? 0) + from)[0]}`;
}

/** Whole seconds, minutes, hours or days; a mark at midnight is the day that begins. */
export function clockMarks(began: number, [low, high]: Range, most: number): { at: number; text: string }[] {
  const step = STEPS.find((step) => high - low <= step * most) ?? (Math.floor((high - low) / DAY / most) + 1) * DAY;
  const marks: { at: number; text: string }[] = [];
  for (let at = Math.ceil((began + low) / step) * step; at <= began + high; at += step)
    marks.push({ at: at - began, text: markText(at, step) });
  return marks;
}

function markText(at: number, step: number): string {
  if (at % DAY === 0) return new Date(at * 1000).toLocaleDateString("en", { month: "short", day: "numeric", timeZone: "UTC" });
  return shown(at)[1].slice(0, step < MINUTE ? 8 : 5);
}

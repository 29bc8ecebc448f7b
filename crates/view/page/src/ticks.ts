// Round places on an axis.

import type { Range } from "./model";

/** A step of 1, 2 or 5 times a power of ten that makes at most about so many steps. */
export function niceStep(span: number, marks: number): number {
  if (!(span > 0)) return 1;
  const rough = span / marks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough * 0.999999) ?? 10;
  return factor * power;
}

/** Decades, with 2 and 5 where there is room; every second or third decade where there is little. */
export function logMarks([low, high]: Range, most: number): number[] {
  const decades = Math.log10(high / low);
  const factors = decades * 3 <= most * 1.5 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil(decades / Math.max(most, 2)));
  const marks: number[] = [];
  for (let exponent = Math.floor(Math.log10(low) + 1e-9); exponent <= Math.log10(high) + 1e-9; exponent++) {
    if (exponent % every !== 0) continue;
    for (const factor of factors) {
      const mark = Number((factor * 10 ** exponent).toPrecision(12));
      if (mark >= low * 0.999999 && mark <= high * 1.000001) marks.push(mark);
    }
  }
  // A part of less than a decade may lie between all of these.
  return marks.length >= 2 ? marks : linearMarks([low, high], Math.max(2, Math.min(most, 4)), 1);
}

export function linearMarks([low, high]: Range, most: number, unit: number): number[] {
  const step = niceStep((high - low) / unit, most) * unit;
  const marks: number[] = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-6; index++) {
    marks.push(Number((index * step).toPrecision(12)));
  }
  return marks;
}

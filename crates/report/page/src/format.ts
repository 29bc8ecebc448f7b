// Numbers as a person reads them; the same rules as in src/format.rs.

export function whole(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

export function rate(value: number): string {
  if (Number.isInteger(value) || value >= 99.95) return whole(value);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** 50000 as `50k`: for axes. */
export function shortRate(value: number): string {
  if (value >= 1e6) return `${trimmed(value / 1e6)}M`;
  return value >= 1e3 ? `${trimmed(value / 1e3)}k` : trimmed(value);
}

export function nanos(value: number): string {
  if (value < 999.5) return `${Math.round(value)} ns`;
  if (value < 999.5e3) return `${threeDigits(value / 1e3)} us`;
  if (value < 999.5e6) return `${threeDigits(value / 1e6)} ms`;
  return `${threeDigits(value / 1e9)} s`;
}

/** 100000 ns as `100 us`: for axes. */
export function shortNanos(value: number): string {
  return nanos(value).replace(/\.0+(?= )/, "");
}

export function gigabytes(value: number): string {
  if (value < 1) return `${threeDigits(value * 1e3)} MB`;
  return value < 999.5 ? `${threeDigits(value)} GB` : `${threeDigits(value / 1e3)} TB`;
}

export function seconds(value: number): string {
  return value < 10 && value % 1 !== 0 ? `${value.toFixed(1)} s` : `${whole(value)} s`;
}

/** A share as `1 in 1,000`. */
export function oneIn(share: number): string {
  if (share >= 1) return "all";
  const n = 1 / share;
  return n < 9.95 ? `${threeDigits(share * 100)} %` : `1 in ${whole(Number(n.toPrecision(3)))}`;
}

/** The same for axes: `1 in 10k`. */
export function shortOneIn(share: number): string {
  return share > 0.999 ? "all" : `1 in ${shortRate(Math.round(1 / share))}`;
}

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function trimmed(value: number): string {
  return Number(value.toPrecision(3)).toString();
}

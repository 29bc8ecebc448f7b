// Numbers as they are shown; the same rules as in src/format.rs and src/value.rs.

import type { Quantity } from "./document";

export function count(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const digits = Math.abs(value).toFixed(0);
  const sign = value < 0 && digits !== "0" ? "-" : "";
  return sign + digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

export function rate(value: number): string {
  const size = Math.abs(value);
  if (size >= 99.95 || Number.isInteger(size) || !Number.isFinite(size)) return count(value);
  return value.toFixed(size >= 9.995 ? 1 : 2);
}

export function digits(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const size = Math.abs(value);
  if (size >= 99.95) return count(value);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.9995 || size === 0) return value.toFixed(2);
  return value.toFixed(size >= 0.09995 ? 3 : decimals(size, 3));
}

export function percent(share: number): string {
  if (!Number.isFinite(share)) return "-";
  const value = share * 100;
  const size = Math.abs(value);
  if (size >= 99.5 && size < 99.95) return `${value.toFixed(1)} %`;
  if (size >= 99.95 && size < 100) return `${(Math.trunc(value * 100) / 100).toFixed(2)} %`;
  if (size >= 9.95 || size === 0) return `${count(value)} %`;
  return `${value.toFixed(size >= 0.095 ? 1 : decimals(size, 2))} %`;
}

function decimals(size: number, significant: number): number {
  return Math.min(Math.max(significant - 1 - Math.floor(Math.log10(size)), 0), 15);
}

function scaled(value: number, units: [size: number, name: string][]): string {
  if (!Number.isFinite(value)) return "-";
  const found = units.find(([size]) => value < size * 999.5) ?? units[units.length - 1];
  const [size, name] = found ?? [1, ""];
  return size === 1 ? `${value.toFixed(0)} ${name}` : `${threeDigits(value / size)} ${name}`;
}

export function nanos(value: number): string {
  const units: [number, string][] = [[1, "ns"], [1e3, "us"], [1e6, "ms"], [1e9, "s"]];
  return scaled(value, units);
}

export function bytes(value: number): string {
  const units: [number, string][] = [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]];
  return scaled(value, units);
}

export function blockSize(value: number): string {
  for (const [size, name] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]] as const)
    if (value >= size && value % size === 0) return `${count(value / size)} ${name}`;
  return `${count(value)} B`;
}

export function seconds(value: number): string {
  const isShort = Number.isFinite(value) && Math.abs(value) < 9.995 && !Number.isInteger(value);
  return `${isShort ? value.toFixed(2) : count(value)} s`;
}

/** A number that marks a place on an axis: `50k`, `1M`. */
export function tick(value: number): string {
  const size = Math.abs(value);
  for (const [unit, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const)
    if (size >= unit) return trimmed(value / unit) + name;
  return trimmed(value);
}

export function trimmed(value: number): string {
  const text = Number(value.toPrecision(4));
  return Math.abs(text) < 1e-6 && text !== 0 ? text.toFixed(decimals(Math.abs(text), 1)) : String(text);
}

function threeDigits(value: number): string {
  if (value >= 99.95) return value.toFixed(0);
  return value.toFixed(value >= 9.995 ? 1 : 2);
}

const UNITS: Partial<Record<Quantity, string>> = {
  iops: "IOPS",
  "bytes-per-second": "MB/s",
  "files-per-second": "files/s",
  watts: "W",
  amperes: "A",
  joules: "J",
  "joules-per-gigabyte": "J/GB",
  "iops-per-watt": "IOPS/W",
  celsius: "°C",
};

/** The unit of every number of a quantity; none where numbers have none, or bring units of different sizes. */
export function unitOf(quantity: Quantity): string | undefined {
  return UNITS[quantity];
}

/** A number as it stands below a head that names its unit. */
export function bare(quantity: Quantity, value: number): string {
  switch (quantity) {
    case "count":
    case "lba":
      return count(value);
    case "iops":
    case "files-per-second":
    case "number":
      return rate(value);
    case "bytes-per-second":
      return rate(value / 1e6);
    case "bytes":
      return bytes(value);
    case "block-size":
      return blockSize(value);
    case "nanoseconds":
      return nanos(value);
    case "seconds":
      return seconds(value);
    case "share":
      return percent(value);
    case "celsius":
      return value.toFixed(0);
    default:
      return digits(value);
  }
}

/** A number with its unit, which never begins a line. */
export function text(quantity: Quantity, value: number): string {
  const unit = unitOf(quantity);
  const number = bare(quantity, value);
  return (unit && number !== "-" ? `${number} ${unit}` : number).replace(/ /g, "\u00a0");
}

/** The name of a quantity's base unit in the head of a CSV column. */
export function suffix(quantity: Quantity): string {
  const names: Partial<Record<Quantity, string>> = {
    iops: "_iops",
    "bytes-per-second": "_bytes_per_s",
    "files-per-second": "_files_per_s",
    bytes: "_bytes",
    "block-size": "_bytes",
    nanoseconds: "_ns",
    seconds: "_s",
    share: "_share",
    factor: "_factor",
    watts: "_w",
    amperes: "_a",
    joules: "_j",
    "joules-per-gigabyte": "_j_per_gb",
    "iops-per-watt": "_iops_per_w",
    celsius: "_celsius",
  };
  return names[quantity] ?? "";
}

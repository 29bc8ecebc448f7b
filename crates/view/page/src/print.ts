// A page on paper: light, as wide as the paper, and with folds open where what they hold is not too long.

import { setSharpness } from "./pixels";

/** Folds with more rows than these are left out: their summary says that there is more. */
const ROWS_MAX = 60;
const SHARPNESS = 2;

/** Draws everything anew before and after printing. */
export function redrawForPaper(draw: (isPrinting: boolean) => void): void {
  let opened: HTMLDetailsElement[] = [];
  let isPrinting = false;
  const begin = (): void => {
    if (isPrinting) return;
    isPrinting = true;
    document.documentElement.dataset["print"] = "";
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details.fold:not([open])")];
    opened = opened.filter((fold) => fold.querySelectorAll("tr").length <= ROWS_MAX);
    opened.forEach((fold) => (fold.open = true));
    setSharpness(SHARPNESS);
    draw(true);
  };
  const end = (): void => {
    if (!isPrinting) return;
    isPrinting = false;
    delete document.documentElement.dataset["print"];
    opened.forEach((fold) => (fold.open = false));
    setSharpness(1);
    draw(false);
  };
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
  matchMedia("print").addEventListener("change", ({ matches }) => (matches ? begin() : end()));
}

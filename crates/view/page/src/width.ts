// What follows from the width of the window.

/** Graphs are drawn anew where their place becomes wider or narrower. */
export function onNewWidth(element: HTMLElement, draw: () => void): void {
  let width = element.clientWidth;
  let waiting = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  }).observe(element);
}

/** Fewer pixels are padding, behind which nothing is hidden. */
const HIDDEN_MIN = 10;

/** A table that is wider than its place says so: on a phone nothing else tells that there is more of it. */
export function hintAtScrolling(): void {
  const place = new ResizeObserver((entries) => {
    for (const { target } of entries) target.classList.toggle("wide", target.scrollWidth > target.clientWidth + HIDDEN_MIN);
  });
  document.querySelectorAll(".scroller").forEach((scroller) => place.observe(scroller));
}

// Pixels of canvases.

let sharpness = 1;

/** On paper canvases have more pixels than on the screen; they are drawn larger and shown smaller. */
export function setSharpness(factor: number): void {
  sharpness = factor;
}

export function sharpnessOf(): number {
  return sharpness;
}

/** Pixels of a canvas for a length in those of the page. */
export function px(length: number): number {
  return length * sharpness * devicePixelRatio;
}

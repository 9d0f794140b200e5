/** Vectors as small blobs: a float32 scale, then a signed byte a component. A quarter of the bytes of floats. */

const SCALE_BYTES = 4;
const LARGEST = 127;
/** What is cut off is rounded down only where it is positive. */
const ABOVE_ALL = 1024;

export function quantize(vector: Float32Array): Uint8Array {
  // By index, and rounded without `Math.round`: a quarter of the time, where thousands are made a second.
  let most = 0;
  for (let index = 0; index < vector.length; index++) {
    const size = Math.abs(vector[index] as number);
    if (size > most) most = size;
  }
  const blob = new Uint8Array(SCALE_BYTES + vector.length);
  const view = new DataView(blob.buffer);
  view.setFloat32(0, most / LARGEST, true);
  // The scale as stored, so that the error of its own rounding is not added.
  const scale = view.getFloat32(0, true);
  if (scale === 0) return blob;
  const bytes = new Int8Array(blob.buffer, SCALE_BYTES);
  for (let index = 0; index < vector.length; index++) {
    const rounded = (((vector[index] as number) / scale + ABOVE_ALL + 0.5) | 0) - ABOVE_ALL;
    bytes[index] = Math.max(-LARGEST, Math.min(LARGEST, rounded));
  }
  return blob;
}

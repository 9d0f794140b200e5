/** Vectors as small blobs: a float32 scale, then a signed byte a component. A quarter of the bytes of floats. */

const SCALE_BYTES = 4;
const LARGEST = 127;

export function quantize(vector: Float32Array): Uint8Array {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  const blob = new Uint8Array(SCALE_BYTES + vector.length);
  const view = new DataView(blob.buffer);
  view.setFloat32(0, most / LARGEST, true);
  // The scale as stored, so that the error of its own rounding is not added.
  const scale = view.getFloat32(0, true);
  if (scale === 0) return blob;
  for (let index = 0; index < vector.length; index++) {
    view.setInt8(SCALE_BYTES + index, Math.max(-LARGEST, Math.min(LARGEST, Math.round((vector[index] as number) / scale))));
  }
  return blob;
}

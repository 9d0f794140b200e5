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

export function dequantize(blob: Uint8Array): Float32Array {
  const { scale, components } = parts(blob);
  return Float32Array.from(components, (component) => component * scale);
}

/** The dot product of a whole vector with a quantized one: the cosine, where both have length 1. */
export function similarity(query: Float32Array, blob: Uint8Array): number {
  const { scale, components } = parts(blob);
  if (components.length !== query.length) {
    throw new RangeError(`A vector of ${components.length} dimensions was compared with one of ${query.length}`);
  }
  let sum = 0;
  for (let index = 0; index < components.length; index++) sum += (query[index] as number) * (components[index] as number);
  return sum * scale;
}

function parts(blob: Uint8Array): { scale: number; components: Int8Array } {
  if (blob.byteLength < SCALE_BYTES) throw new RangeError(`A vector of ${blob.byteLength} bytes is too short to be one`);
  const scale = new DataView(blob.buffer, blob.byteOffset, SCALE_BYTES).getFloat32(0, true);
  return { scale, components: new Int8Array(blob.buffer, blob.byteOffset + SCALE_BYTES, blob.byteLength - SCALE_BYTES) };
}

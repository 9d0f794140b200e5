/** Whether bytes are vectors as a model's are kept: whatever else they hold would go into the indexes. */

const SCALE_BYTES = 4;
const BITS_IN_BYTE = 8;

/** As base64. A model of unknown dimensions has none that are known to be its own. */
export function areVectorsOf(dimensions: number, vector: string, tokenCodes: string | null): boolean {
  if (dimensions === 0) return false;
  const bytes = Buffer.from(vector, 'base64');
  if (bytes.length !== SCALE_BYTES + dimensions) return false;
  const scale = bytes.readFloatLE(0);
  if (!Number.isFinite(scale) || scale < 0 || scale > 1) return false;
  const codeBytes = Math.ceil(dimensions / BITS_IN_BYTE);
  return tokenCodes === null || Buffer.byteLength(tokenCodes, 'base64') % codeBytes === 0;
}

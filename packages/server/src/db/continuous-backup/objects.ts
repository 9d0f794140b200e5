/** What is stored at a target: a line that says what it is, compressed bytes, and a checksum over both. */
import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const MAGIC = 'commonplace-backup-1 ';
const SHA256_BYTES = 32;
/** Fast: what is written all the time must cost little. */
const ZSTD_LEVEL = 1;
/** No object holds more, so that a damaged one can't ask for more memory. */
export const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

export class DamagedObject extends Error {
  constructor(name: string, fault: string) {
    super(`${name} is damaged: ${fault}`);
    this.name = 'DamagedObject';
  }
}

export interface EncodedObject {
  readonly bytes: Buffer;
  readonly sha256: string;
}

export interface DecodedObject<Header> {
  readonly header: Header;
  readonly payload: Buffer;
  readonly sha256: string;
}

export function encodeObject(header: object, payload: Uint8Array): EncodedObject {
  const line = Buffer.from(`${MAGIC}${JSON.stringify(header)}\n`);
  const compressed = zstdCompressSync(payload, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
  const digest = createHash('sha256').update(line).update(compressed).digest();
  return { bytes: Buffer.concat([line, compressed, digest]), sha256: digest.toString('hex') };
}

/** Whether these are all the bytes of an object. */
export function isWholeObject(bytes: Buffer): boolean {
  return createHash('sha256').update(bytes.subarray(0, -SHA256_BYTES)).digest().equals(bytes.subarray(-SHA256_BYTES));
}

/** The header is believed as its checksum says that it was written by `encodeObject`. */
export function decodeObject<Header>(name: string, bytes: Buffer): DecodedObject<Header> {
  if (bytes.length < MAGIC.length + SHA256_BYTES) throw new DamagedObject(name, `it has only ${bytes.length} bytes`);
  const body = bytes.subarray(0, -SHA256_BYTES);
  const digest = createHash('sha256').update(body).digest();
  if (!digest.equals(bytes.subarray(-SHA256_BYTES))) throw new DamagedObject(name, 'its checksum does not fit');
  const end = body.indexOf('\n');
  const line = body.toString('utf8', 0, end);
  if (end < 0 || !line.startsWith(MAGIC)) throw new DamagedObject(name, 'it is not of a form that this version reads');
  const payload = zstdDecompressSync(body.subarray(end + 1), { maxOutputLength: MAX_PAYLOAD_BYTES });
  return { header: JSON.parse(line.slice(MAGIC.length)) as Header, payload, sha256: digest.toString('hex') };
}

/** Bytes that grow, with the room that a page's frame takes in front. */
import { FRAME_BYTES } from './pages.ts';

export class ByteWriter {
  #bytes = Buffer.alloc(4096);
  #end = FRAME_BYTES;

  /** Written so far, the frame with it. */
  get size(): number {
    return this.#end;
  }

  /** A number below 2⁵³, seven bits a byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#end++] = (rest % 128) | 128;
      rest = rest > 0x7fffffff ? Math.floor(rest / 128) : rest >>> 7;
    }
    this.#bytes[this.#end++] = rest;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#end++] = value;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Its length in bytes, and then its UTF-8. */
  string(text: string): void {
    const length = Buffer.byteLength(text);
    this.varint(length);
    this.#reserve(length);
    this.#bytes.write(text, this.#end, length, 'utf8');
    this.#end += length;
  }

  /** What was written, in a buffer of its own; begins anew. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.#end);
    taken.set(this.#bytes.subarray(0, this.#end));
    this.#end = FRAME_BYTES;
    return taken;
  }

  /** What was written behind the frame: a view until the next write; begins anew. */
  takeBody(): Uint8Array {
    const body = this.#bytes.subarray(FRAME_BYTES, this.#end);
    this.#end = FRAME_BYTES;
    return body;
  }

  #reserve(count: number): void {
    if (this.#end + count <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#end + count, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }
}

/** Reads what a `ByteWriter` wrote. What lies beyond the end throws: a page is checked before it is read, so it is a mistake. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('Beyond the end of a page');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  string(): string {
    const length = this.varint();
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }

  /** A view, valid as long as the page is. */
  bytes(length: number): Uint8Array {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

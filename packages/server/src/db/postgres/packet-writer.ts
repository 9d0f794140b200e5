/** Writes messages of the extended protocol one after the other, to be sent as one. */
import type { Param } from '../sql.ts';

const USUAL_BYTES = 64 * 1024;
/** Of UTF-16, which strings are counted in. */
const MOST_BYTES_OF_UNIT = 3;

const [PARSE, BIND, CLOSE] = [0x50, 0x42, 0x43];
const AS_BYTES = 1;
/** The portal without a name, all its rows. */
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const DESCRIBE = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]);
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

export class PacketWriter {
  #bytes = Buffer.allocUnsafeSlow(USUAL_BYTES);
  #at = 0;

  /** All that was written since the last call. */
  take(): Buffer {
    const written = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    if (this.#bytes.length > USUAL_BYTES) this.#bytes = Buffer.allocUnsafeSlow(USUAL_BYTES);
    return written;
  }

  /** What was written of a packet that is not sent. */
  drop(): void {
    this.#at = 0;
  }

  parse(name: string, text: string): void {
    const start = this.#begin(PARSE);
    this.#terminated(name);
    this.#terminated(text);
    this.#int16(0);
    this.#end(start);
  }

  /** Forgets a prepared statement, where there is one. */
  close(name: string): void {
    const start = this.#begin(CLOSE);
    this.#reserve(1);
    this.#bytes[this.#at++] = 0x53;
    this.#terminated(name);
    this.#end(start);
  }

  bind(name: string, params: readonly Param[], isBinary: boolean): void {
    const start = this.#begin(BIND);
    this.#terminated('');
    this.#terminated(name);
    this.#formats(params);
    this.#int16(params.length);
    for (const param of params) this.#param(param);
    this.#int16(isBinary ? 1 : 0);
    if (isBinary) this.#int16(AS_BYTES);
    this.#end(start);
  }

  describe(): void {
    this.#copy(DESCRIBE);
  }

  execute(): void {
    this.#copy(EXECUTE);
  }

  sync(): void {
    this.#copy(SYNC);
  }

  /** None where all are texts. */
  #formats(params: readonly Param[]): void {
    const hasBytes = params.some(isBytes);
    this.#int16(hasBytes ? params.length : 0);
    if (hasBytes) for (const param of params) this.#int16(isBytes(param) ? AS_BYTES : 0);
  }

  #param(param: Param): void {
    if (param === null) {
      this.#int32(-1);
    } else if (isBytes(param)) {
      this.#int32(param.byteLength);
      this.#copy(param);
    } else {
      const text = typeof param === 'string' ? param : textOf(param);
      this.#reserve(4 + text.length * MOST_BYTES_OF_UNIT);
      const start = this.#at;
      const written = this.#bytes.write(text, start + 4);
      this.#bytes.writeInt32BE(written, start);
      this.#at = start + 4 + written;
    }
  }

  #terminated(text: string): void {
    this.#reserve(text.length * MOST_BYTES_OF_UNIT + 1);
    if (text !== '') this.#at += this.#bytes.write(text, this.#at);
    this.#bytes[this.#at++] = 0;
  }

  #copy(bytes: Uint8Array): void {
    this.#reserve(bytes.byteLength);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.byteLength;
  }

  #int16(value: number): void {
    this.#reserve(2);
    this.#at = this.#bytes.writeUInt16BE(value, this.#at);
  }

  #int32(value: number): void {
    this.#reserve(4);
    this.#at = this.#bytes.writeInt32BE(value, this.#at);
  }

  /** Where the message begins; its length is written when it is known. */
  #begin(code: number): number {
    this.#reserve(5);
    const start = this.#at;
    this.#bytes[start] = code;
    this.#at += 5;
    return start;
  }

  #end(start: number): void {
    this.#bytes.writeInt32BE(this.#at - start - 1, start + 1);
  }

  #reserve(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

function isBytes(param: Param): param is Uint8Array {
  return param instanceof Uint8Array;
}

function textOf(param: number | boolean): string {
  if (typeof param !== 'number' && typeof param !== 'boolean') throw new TypeError(`A parameter can't be ${typeof param}`);
  return String(param);
}
